//! Deflection ("forced") routing: packets are never stored, so each must leave at once by
//! some port, if need be by one that leads further away [Germain et al. 1993].
//!
//! Ports that bring the packet nearer come first (tier 0), all other ports after them
//! (tier 1). As a switch has as many outputs as inputs, a packet that arrives always finds
//! one free, and no packet waits for another: there is nothing to deadlock. That none
//! wanders for ever is the switch's part (older packets choose first).

use super::Header;
use super::algorithm::Algorithm;
use super::distances::Links;
use super::nearer::Nearer;
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

    /// Allows the ports that bring a packet nearer.
    #[inline]
    pub fn nearer(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        self.nearer.each(switch, header.destination, |port| allow(port, 0));
    }
}

impl Algorithm for Deflection {
    fn is_known_free(&self) -> bool {
        true
    }

    fn chooses(&self) -> bool {
        true
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::Outputs;
    use crate::routing::walk::{cases, hops_to, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    /// Every link of a switch is allowed once: tier 0 exactly those that are nearer.
    #[test]
    fn all_links_are_allowed_nearer_ones_first() {
        let mut random = cases(8);
        let mut outputs = Outputs::default();
        for case in 0..200 {
            let dims = sides(&mut random, 1 + case % 3, 40);
            let (mesh, torus) =
                (TopologySpec::Mesh { dims: dims.clone() }, TopologySpec::Torus { dims });
            let grid = if case % 2 == 0 { mesh } else { torus };
            let topology = Topology::new(&grid).unwrap();
            let routing = routing(&grid, &RoutingSpec::Deflection, 1);
            for destination in (0..topology.nodes).map(NodeId::from_index) {
                let hops = hops_to(&topology, SwitchId(destination.0));
                for at in (0..topology.switches).map(SwitchId::from_index) {
                    let header = Header { source: NodeId(0), destination, route: 0 };
                    outputs.clear();
                    routing.outputs(at, header, &mut outputs);
                    let mut given: Vec<(usize, u8)> = outputs.iter().collect();
                    outputs.clear();
                    routing.profitable(at, header, &mut outputs);
                    assert!(outputs.iter().all(|output| output.1 == 0 && given.contains(&output)));
                    given.sort_unstable();
                    let links = (0..topology.ports).filter_map(|port| {
                        let to = topology.neighbour(at, port);
                        to.is_some().then(|| (port, u8::from(hops[to.index()] > hops[at.index()])))
                    });
                    // Links of odd rings that come no nearer and go no further are deflections.
                    let links = links.map(|(port, tier)| {
                        let to = topology.neighbour(at, port);
                        (port, tier.max(u8::from(hops[to.index()] == hops[at.index()])))
                    });
                    let expected: Vec<(usize, u8)> =
                        if at.0 == destination.0 { Vec::new() } else { links.collect() };
                    assert_eq!(given, expected);
                }
            }
        }
    }
}
