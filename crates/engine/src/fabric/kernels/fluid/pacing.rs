//! Intervals that network interfaces keep between packets: who keeps them has so much of a link.

use super::ways::rate;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::measure::Class;
use crate::spec::{Costs, Machine};
use crate::time::Time;

/// The interval from packet to packet of a message.
#[derive(Clone)]
pub struct Pacing {
    costs: Costs,
    /// The rate of a flow of the longest packets.
    limit: u64,
}

impl Pacing {
    /// That of a machine, if it has one. Acknowledgements go out in between: with them nothing is
    /// kept.
    pub fn new(machine: &Machine, wiring: &Wiring) -> Option<Self> {
        let interface = &machine.interface;
        let &costs = interface.costs().filter(|costs| costs.paces())?;
        let flits = wiring.timings[0].packet_flits(interface.packet_bytes);
        let limit = rate(wiring, flits.into(), costs.interval(interface.packet_bytes));
        (!interface.acknowledges).then_some(Self { costs, limit })
    }

    /// The most that a packet's flow can have: others of its message follow it.
    pub fn limit(&self, packet: &Packet) -> Option<u64> {
        (packet.class == Class::Data && !packet.is_last()).then_some(self.limit)
    }

    /// How long nothing follows a packet of a flow that has this limit, after it has taken so long.
    pub fn pause(&self, packet: &Packet, limit: u64, takes: Time) -> Time {
        if packet.is_last() || limit > self.limit {
            return 0;
        }
        self.costs.interval(packet.bytes).saturating_sub(takes)
    }
}
