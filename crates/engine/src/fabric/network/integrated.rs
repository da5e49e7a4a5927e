//! How long packets take where nodes and switches are one, when nothing hinders them.
//!
//! Every channel is asked for, which takes `switch_delay` (the paper's arbitration) from when
//! a packet, or its header, is at the switch; while a channel transmits, this passes unnoticed
//! [Buzzard & Mudge 1988, section 6].

use crate::fabric::network::timing::Timing;
use crate::spec::{Machine, Switching, Unit};
use crate::time::Time;

/// The times of undisturbed packets.
#[derive(Clone, Copy)]
pub struct IntegratedTiming {
    /// When packets go on.
    pub switching: Switching,
    /// What crosses as a whole.
    pub unit: Unit,
    /// Data bytes with which a message has begun to arrive; 0: that is not told.
    pub early_bytes: u32,
    /// From when a packet may ask for a channel until it can be granted one.
    pub arbitration_ps: Time,
    link: Timing,
}

impl IntegratedTiming {
    /// The times of a machine, if its nodes and switches are one.
    pub fn new(machine: &Machine) -> Option<Self> {
        machine.switch.integrated.then(|| Self {
            switching: machine.switch.switching,
            unit: machine.interface.unit,
            early_bytes: machine.interface.early_bytes,
            arbitration_ps: machine.switch.delay_ps,
            link: Timing::of(machine),
        })
    }

    /// Whether a packet goes on only when all of it is there.
    fn is_stored(&self) -> bool {
        self.switching == Switching::StoreAndForward
    }

    /// From a packet's start on a channel until it can start on the next.
    #[inline]
    pub fn step_ps(&self, bytes: u32) -> Time {
        if self.is_stored() {
            self.link.packet_ps(bytes) + self.link.wire_ps + self.arbitration_ps
        } else {
            self.link.hop_ps
        }
    }

    /// From its start on the last of `steps` channels until all of it is there; a circuit's
    /// data set out then, over all wires.
    #[inline]
    pub fn last_step_ps(&self, steps: u16, bytes: u32) -> Time {
        let end = self.link.packet_ps(bytes) + self.link.wire_ps;
        if self.switching == Switching::Circuit {
            return end + self.link.wire_ps * u64::from(steps);
        }
        end
    }

    /// Lifetime of a packet that never waits.
    #[inline]
    pub fn lifetime(&self, steps: u16, bytes: u32) -> Time {
        let before = self.step_ps(bytes) * u64::from(steps - 1);
        self.arbitration_ps + before + self.last_step_ps(steps, bytes)
    }

    /// How much earlier than its last byte its first data bytes are there, with which its
    /// message begins to arrive; none where that is not told, or all are needed.
    #[inline]
    pub fn early_ps(&self, bytes: u32) -> Option<Time> {
        let early = self.early_bytes;
        let flits = |bytes| self.link.data_flits(bytes);
        let is_told = early > 0 && self.unit == Unit::Message && flits(bytes) > flits(early);
        is_told
            .then(|| self.link.packet_ps(bytes) - self.link.packet_ps(early) + self.link.end_ps())
    }

    /// Whether packets stand in queues at outgoing channels.
    pub fn has_queues(&self) -> bool {
        self.switching.keeps_whole_packets()
    }

    /// Whether flits follow a header that gets channel by channel.
    #[inline]
    pub fn is_wormhole(&self) -> bool {
        self.switching == Switching::Wormhole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TopologySpec;

    /// 2 ns a byte, 4 ns of arbitration, headers of 4 bytes, wires of 1 ns.
    fn integrated_timing(switching: Switching) -> IntegratedTiming {
        let mut machine = Machine::t9000(TopologySpec::Hypercube { dimensions: 3 });
        machine.link.flit_ps = 2_000;
        machine.interface.header_bytes = 4;
        machine.link.end_token = false;
        machine.link.delay_ps = 1_000;
        machine.switch.delay_ps = 4_000;
        machine.switch.integrated = true;
        machine.switch.switching = switching;
        machine.interface.unit = Unit::Message;
        machine.interface.early_bytes = 16;
        IntegratedTiming::new(&machine).unwrap()
    }

    #[test]
    fn lifetimes_are_those_worked_out_by_hand() {
        // 100 data bytes over three channels: 208 ns on each, header 8 ns, wire 1 ns.
        let datagram = integrated_timing(Switching::StoreAndForward);
        assert_eq!(datagram.lifetime(3, 100), 3 * (4_000 + 208_000 + 1_000));
        let cut_through = integrated_timing(Switching::CutThrough);
        assert_eq!(cut_through.lifetime(3, 100), 3 * 4_000 + 2 * 9_000 + 209_000);
        assert_eq!(
            integrated_timing(Switching::Wormhole).lifetime(3, 100),
            cut_through.lifetime(3, 100)
        );
        // The header at the end after three steps of 13 ns, then the data over three wires.
        assert_eq!(
            integrated_timing(Switching::Circuit).lifetime(3, 100),
            39_000 + 200_000 + 3_000
        );
    }

    #[test]
    fn the_first_data_bytes_are_as_much_earlier_as_the_others_take() {
        let circuit = integrated_timing(Switching::Circuit);
        assert_eq!(circuit.early_ps(100), Some(84 * 2_000));
        assert_eq!(circuit.early_ps(16), None);
    }
}
