//! Switches that take time to grant an output again: a packet that had to wait for its output
//! starts on it only a while after it was granted it.

use super::FlitsKernel;
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Machine;
use crate::time::Time;

/// What is kept of packets that wait for outputs.
#[derive(Clone)]
pub struct Regrant {
    delay_ps: Time,
    /// By channel: when the front packet of the buffer at its end asked last.
    asked: Vec<Time>,
}

impl Regrant {
    /// That of a machine, if it takes any time.
    pub fn new(machine: &Machine, wiring: &Wiring) -> Option<Self> {
        let delay_ps = machine.switch.regrant_delay_ps;
        (delay_ps > 0).then(|| Self { delay_ps, asked: vec![0; wiring.layout.channels()] })
    }

    /// Packets at the fronts of buffers ask now.
    pub fn ask(&mut self, inputs: &[ChannelId], now: Time) {
        for &input in inputs {
            self.asked[input.index()] = now;
        }
    }
}

impl FlitsKernel {
    /// The front packet of `input` (none: the node's packet at hand) is to be granted a channel:
    /// before when it does not start.
    #[inline]
    pub(super) fn starts_from(
        &self,
        channel: ChannelId,
        packet: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) -> Time {
        let Some(regrant) = &self.regrant else { return act.now };
        let asked = if input.is_some() { regrant.asked[input.index()] } else { act.now };
        if asked == act.now {
            return act.now;
        }
        act.observe(Observation::Regranted { packet, channel, asked });
        act.now + regrant.delay_ps
    }
}
