//! Any way that is nearer, at every step.
//!
//! Not free of deadlock where buffers are bounded and packets wait: it is for switches
//! that have something else against it, queues without bounds or priorities.
//!
//! Chaotic routing asks no more of it. A switch whose central queue is full sends a packet
//! chosen at random out of any port whatever ("derouting"), so that packets always move on
//! [Konstantinidou & Snyder 1991; Bolding 1993]. The queue and its choices are the switch's,
//! and so is the argument that no packet stays for ever: not by an order of channels, but
//! because neighbours exchange packets, and with probability one no packet is always derouted.

use super::algorithm::Algorithm;
use super::header::Header;
use super::nearer::Nearer;
use super::properties::Otherwise;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Every profitable port, for one topology.
pub struct Profitable {
    nearer: Nearer,
    /// Whether switches send packets away before they wait for each other in a circle.
    deroutes: bool,
}

impl Profitable {
    /// Prepares routing on any topology; `deroutes`: for switches that send packets away
    /// before they wait for each other in a circle.
    pub fn new(name: &str, topology: &Topology, deroutes: bool) -> Result<Self, SpecError> {
        Ok(Self { nearer: Nearer::new(name, topology)?, deroutes })
    }
}

impl Algorithm for Profitable {
    fn properties(&self) -> Properties {
        let otherwise = if self.deroutes { Otherwise::Store } else { Otherwise::Wait };
        Properties {
            otherwise,
            are_equally_long: !self.deroutes,
            avoids_failed: true,
            ..Properties::choosing(self.deroutes)
        }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        self.nearer.each(switch, header.destination, |port| allow(port, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::walk::{
        Promise, cases, check_ways, machine, random_graph, routing_on, sides,
    };
    use crate::routing::{Outputs, Routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    /// The routing, deadlock or not.
    fn routing(topology: &Topology) -> Routing {
        let machine = machine(&TopologySpec::Pair, &RoutingSpec::Profitable, 1);
        Routing::new(&crate::routing::walk::allowed(machine), topology, 1).unwrap()
    }

    /// Every way is minimal, and every minimal way is allowed.
    #[test]
    fn every_nearer_step_is_allowed_and_no_other() {
        let mut random = cases(21);
        for case in 0..200 {
            let topology = if case % 2 == 0 {
                let dims = sides(&mut random, 1 + case / 2 % 3, 24);
                let torus = case % 4 == 0;
                let grid =
                    if torus { TopologySpec::Torus { dims } } else { TopologySpec::Mesh { dims } };
                Topology::new(&grid).unwrap()
            } else {
                random_graph(&mut random)
            };
            check_ways(&topology, &routing(&topology), Promise::Minimal);
        }
        // All dimensions that differ, the lowest first.
        let cube = Topology::new(&TopologySpec::Hypercube { dimensions: 4 }).unwrap();
        let (source, destination) = (NodeId(0), NodeId(0b1011));
        let header = Header { source, destination, route: 0, traffic: 0 };
        let mut outputs = Outputs::default();
        routing(&cube).outputs(SwitchId(0), header, &mut outputs);
        let coordinates = cube.coordinates(destination);
        let differ = (0..4).filter(|&dimension| coordinates[dimension] > 0);
        let ports: Vec<usize> = outputs.iter().map(|(slot, _)| slot / 2).collect();
        assert_eq!(ports, differ.collect::<Vec<_>>());
    }

    #[test]
    fn chaotic_packets_come_nearer() {
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

    #[test]
    fn where_packets_wait_in_bounded_buffers_it_is_refused() {
        let mesh = Topology::new(&TopologySpec::Mesh { dims: vec![3, 3] }).unwrap();
        let refused = routing_on(&mesh, &RoutingSpec::Profitable, 1).err().unwrap().to_string();
        assert!(refused.contains("can deadlock"), "{refused}");
    }
}
