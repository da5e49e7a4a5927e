//! Deflection ("forced") routing: packets are hardly stored: one that another presses upon
//! must leave by some port, if need be by one that leads further away [Germain et al. 1993].
//!
//! Ports that bring the packet nearer come first (tier 0), all other ports after them
//! (tier 1). Nothing has to wait for a particular port, so nothing can deadlock while there
//! is a free place anywhere, which the switch sees to (`fabric/packet/allocator.rs`). That none
//! wanders for ever is a matter of probability.

use super::algorithm::Algorithm;
use super::distances::Links;
use super::header::Header;
use super::nearer::Nearer;
use super::properties::Otherwise;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Deflection routing for one topology.
pub struct Deflection {
    nearer: Nearer,
    links: Links,
}

impl Deflection {
    /// Prepares routing on any topology.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let nearer = Nearer::new(name, topology)?;
        Ok(Self { nearer, links: Links::of(topology) })
    }
}

impl Algorithm for Deflection {
    fn properties(&self) -> Properties {
        let otherwise = Otherwise::Deflect;
        Properties { otherwise, avoids_failed: true, ..Properties::choosing(true) }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let mut is_there = true;
        self.nearer(switch, header, |port, tier| {
            is_there = false;
            allow(port, tier);
        });
        if !is_there {
            let destination = header.destination;
            self.nearer.each_other(&self.links, switch, destination, |port| allow(port, 1));
        }
    }

    #[inline]
    fn nearer(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        self.nearer.each(switch, header.destination, |port| allow(port, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::Outputs;
    use crate::routing::walk::{cases, hops_to, random_graph, routing_on, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    /// Every link of a switch is allowed once: tier 0 exactly those that are nearer.
    fn check(topology: &Topology) {
        let mut outputs = Outputs::default();
        let routing = routing_on(topology, &RoutingSpec::Deflection, 1).unwrap();
        for destination in (0..topology.nodes).map(NodeId::from_index) {
            let home = topology.attachments[destination.index()].leaves().unwrap();
            let hops = hops_to(topology, home);
            for at in (0..topology.switches).map(SwitchId::from_index) {
                let header = Header { source: NodeId(0), destination, route: 0, traffic: 0 };
                outputs.clear();
                routing.profitable(at, header, &mut outputs);
                let nearer: Vec<(usize, u8)> = outputs.iter().collect();
                outputs.clear();
                routing.outputs(at, header, &mut outputs);
                let given: Vec<(usize, u8)> = outputs.iter().collect();
                let by_tier = |tier: u8| {
                    let is_nearer = |to: SwitchId| hops[to.index()] < hops[at.index()];
                    let links = topology.links(at).filter(|_| at != home);
                    links
                        .filter(move |&(_, to)| is_nearer(to) == (tier == 0))
                        .map(move |l| (l.0, tier))
                };
                assert_eq!(nearer, by_tier(0).collect::<Vec<_>>());
                assert_eq!(given, by_tier(0).chain(by_tier(1)).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn all_links_are_allowed_nearer_ones_first() {
        let mut random = cases(8);
        for case in 0..100 {
            let dims = sides(&mut random, 1 + case % 3, 40);
            check(&Topology::new(&TopologySpec::Mesh { dims: dims.clone() }).unwrap());
            check(&Topology::new(&TopologySpec::Torus { dims }).unwrap());
            check(&random_graph(&mut random));
        }
    }
}
