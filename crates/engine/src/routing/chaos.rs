//! Chaotic routing: any nearer way, and sometimes a way further off.
//!
//! A packet may take every port that brings it nearer. A switch whose central queue is
//! full sends a packet chosen at random out of any port whatever ("derouting"), so that
//! packets always move on [Konstantinidou & Snyder 1991; Bolding 1993]. What is here is
//! only which ports are profitable; the queue and its choices are the switch's, and so
//! is the argument that no packet stays for ever: not by an order of channels, but because
//! neighbours exchange packets, and with probability one no packet is always derouted.

use super::Header;
use super::algorithm::Algorithm;
use super::nearer::Nearer;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Chaotic routing for one topology.
pub struct Chaos {
    nearer: Nearer,
}

impl Chaos {
    /// Prepares routing on any topology.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Ok(Self { nearer: Nearer::new(name, topology)? })
    }
}

impl Algorithm for Chaos {
    fn is_known_free(&self) -> bool {
        true
    }

    fn chooses(&self) -> bool {
        true
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        self.nearer.each(switch, header.destination, |port| allow(port, 0));
    }
}

#[cfg(test)]
mod tests {
    use crate::routing::walk::{Promise, cases, check_ways, random_graph, routing_on, sides};
    use crate::spec::{RoutingSpec, TopologySpec};
    use crate::topology::Topology;

    #[test]
    fn profitable_ports_bring_packets_nearer() {
        let mut random = cases(7);
        for case in 0..100 {
            let dims = sides(&mut random, 1 + case % 3, 40);
            for graph in [
                Topology::new(&TopologySpec::Mesh { dims: dims.clone() }).unwrap(),
                Topology::new(&TopologySpec::Torus { dims }).unwrap(),
                random_graph(&mut random),
            ] {
                let routing = routing_on(&graph, &RoutingSpec::Chaos, 1).unwrap();
                check_ways(&graph, &routing, Promise::Minimal);
            }
        }
    }
}
