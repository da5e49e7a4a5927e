//! In which order those who ask for a channel get it, and what keeps circuits from waiting for
//! each other in a circle.

use crate::fabric::network::wiring::Wiring;
use crate::ids::ChannelId;
use crate::routing::dependency;
use crate::spec::{Arbiter, Machine};
use crate::topology::Topology;

/// Who comes first.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Whether messages have priority in order of their creation, and take channels from those
    /// that were created later and do not transmit [Buzzard & Mudge 1988, section 3]. It is
    /// needed only where circuits could wait for each other in a circle.
    pub breaks: bool,
    /// Whether those created first are granted a channel first, and not those that asked first.
    pub oldest_first: bool,
    /// Whether acknowledgements come before data.
    pub ack_priority: bool,
}

impl Rule {
    /// The rule of a machine. Where nodes have links to switches circles have been looked for.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring) -> Self {
        let may_break = wiring.integrated_timing.is_some() && !machine.routing.allow_deadlock;
        let breaks = may_break && !is_free(topology, wiring);
        let is_asked_for = machine.switch.arbiter == Arbiter::OldestFirst;
        let ack_priority = machine.switch.ack_priority;
        Self { breaks, oldest_first: breaks || is_asked_for, ack_priority }
    }
}

/// Whether no circle of wires can be found, each held by a circuit that asks for the next.
fn is_free(topology: &Topology, wiring: &Wiring) -> bool {
    let (layout, routing) = (&wiring.layout, &wiring.routing);
    if routing.chooses() {
        return false;
    }
    if routing.properties().is_known_free && !layout.has_shared_wires() {
        return true;
    }
    if routing.in_order().is_some() && topology.dims.iter().all(|&side| side <= 2) {
        // Every circuit takes one wire of a dimension at most, in the order of those.
        return true;
    }
    let wire = |lead: ChannelId| layout.wire_of[lead.index()].0;
    dependency::is_free(routing, topology, layout.channels(), |switch, slot| {
        wire(layout.slot_lead(switch, slot))
    })
}
