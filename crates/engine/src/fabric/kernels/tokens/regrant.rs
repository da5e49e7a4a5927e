//! Switches that take time to grant an output again: a packet that had to wait for its output
//! starts on it only a while after it was granted it.

use super::TokensKernel;
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::{LineId, Lines, Mark, What};
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Machine;
use crate::time::Time;

/// What is kept of packets that wait for outputs.
#[derive(Clone)]
pub(super) struct Regrant {
    line: LineId,
    /// By channel: when the front packet of the buffer at its end asked last.
    asked: Vec<Time>,
}

impl Regrant {
    /// That of a machine, if it takes any time.
    pub(super) fn new(machine: &Machine, wiring: &Wiring, lines: &mut Lines) -> Option<Self> {
        let delay = machine.switch.regrant_delay_ps;
        (delay > 0).then(|| Self {
            line: lines.line(delay, What::Regranted),
            asked: vec![0; wiring.layout.channels()],
        })
    }

    /// Packets at the fronts of buffers ask now.
    pub(super) fn ask(&mut self, inputs: &[ChannelId], now: Time) {
        for &input in inputs {
            self.asked[input.index()] = now;
        }
    }
}

impl TokensKernel {
    /// The front packet of `input` (none: the node's packet at hand) is to be granted a channel:
    /// if it had to wait at a switch, it may not start at once.
    #[inline(never)]
    pub(super) fn grant_again(
        &mut self,
        channel: ChannelId,
        packet: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) {
        let Some(regrant) = &self.regrant else { return };
        if !input.is_some() {
            return;
        }
        let asked = regrant.asked[input.index()];
        if asked < act.now {
            self.board.at_mut(channel).set_held(true);
            self.lines.post(regrant.line, act.now, channel, Mark::default());
            act.observe(Observation::Regranted { packet, channel, asked });
        }
    }

    /// A packet that has been granted a channel after it had waited may start.
    #[inline]
    pub(super) fn may_start(&mut self, channel: ChannelId) {
        self.board.at_mut(channel).set_held(false);
        self.wake(channel);
    }
}
