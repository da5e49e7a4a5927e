//! How long a packet that is alone waits for its own credits, in switches that run by a clock.

use crate::fabric::Timing;
use crate::measure::ChannelKind;
use crate::spec::Machine;
use crate::time::Time;

/// Buffers shorter than a round trip of their credits stop a longer packet again and again.
#[derive(Clone, Copy)]
pub struct Credits {
    /// Flits of a buffer, places that virtual channels share included.
    places: u64,
    /// Cycles from when a flit is granted the crossbar until it starts on its channel.
    crosses: u64,
    /// Cycles until a credit sets out, from a switch or a node to a switch.
    delay: u64,
    cycle_ps: Time,
}

impl Credits {
    /// Those of a machine whose switches run by a clock.
    pub fn of(machine: &Machine) -> Option<Self> {
        let pipeline = machine.switch.pipeline?;
        let in_cycles = |steps: u32| {
            u64::from(steps * pipeline.speedup_cycles) / u64::from(pipeline.internal_speedup)
        };
        Some(Self {
            places: u64::from(machine.switch.input_buffer() + pipeline.shared_buffer_flits),
            crosses: in_cycles(pipeline.traversal_cycles),
            delay: machine.link.credit_delay_ps / machine.link.flit_ps,
            cycle_ps: machine.link.flit_ps,
        })
    }

    /// How long a packet of so many flits is stopped on a channel. On a way it is stopped as long
    /// as on the worst of its channels: there its flits get the gaps that the others ask for. A
    /// header is slower than the flits behind it in every switch, so that its credit is in time.
    pub fn stop_ps(&self, kind: ChannelKind, timing: &Timing, flits: u32) -> Time {
        let wire = timing.wire_ps / self.cycle_ps;
        // A node sends without a crossbar, and sees its credits as they come.
        let (crosses, delay) = match kind {
            ChannelKind::Injection => (0, 0),
            _ => (self.crosses, self.delay),
        };
        let round_trip = 2 + 2 * wire + crosses + delay;
        let rounds = u64::from(flits.max(1) - 1) / self.places;
        rounds * round_trip.saturating_sub(self.places) * self.cycle_ps
    }
}
