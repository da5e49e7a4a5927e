//! Minimal routing on a dragonfly+ [Shpiner et al. 2017].
//!
//! A packet for another leaf of its group goes up to a spine, picked by its destination, and down.
//! One for another group goes up to a spine with a link there, over it, and down; of several links it
//! takes one picked by the numbers of source and destination.
//!
//! Free of deadlock with one class: every hop is of the next kind, up, between groups, down. Minimal.

use super::header::Header;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{DragonflyPlus, Family, Topology};

/// Minimal routing for one dragonfly+.
pub struct LeafSpine {
    /// Nodes on a leaf.
    p: usize,
    pub leaves: usize,
    pub spines: usize,
    /// Links of a spine to other groups.
    h: usize,
    pub groups: usize,
    /// Links between two groups.
    rounds: usize,
}

impl LeafSpine {
    /// Prepares routing on a dragonfly+.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let Family::DragonflyPlus(fly) = topology.family else {
            return Err(SpecError::new("machine.routing", name, "needs a dragonfly+"));
        };
        let DragonflyPlus { nodes_per_leaf, leaves, spines, global_links, groups } = fly;
        let [p, leaves, spines, h, groups] =
            [nodes_per_leaf, leaves, spines, global_links, groups].map(|one| one as usize);
        Ok(Self { p, leaves, spines, h, groups, rounds: spines * h / (groups - 1) })
    }

    /// The port by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let in_group = self.leaves + self.spines;
        let (group, place) = (switch.index() / in_group, switch.index() % in_group);
        let home = header.destination.index() / self.p;
        let (to_group, leaf) = (home / self.leaves, home % self.leaves);
        let is_leaf = place < self.leaves;
        if group == to_group {
            return match is_leaf {
                true if place == leaf => None,
                true => Some(header.destination.index() % self.spines),
                false => Some(leaf),
            };
        }
        Some(self.toward(switch, to_group, header))
    }

    /// The port by which it leaves a switch for another group; by way of a leaf from a spine that
    /// has no link there. See `topology/dragonfly.rs`.
    #[inline]
    pub fn toward(&self, switch: SwitchId, to_group: usize, header: Header) -> usize {
        let in_group = self.leaves + self.spines;
        let (group, place) = (switch.index() / in_group, switch.index() % in_group);
        let others = self.groups - 1;
        let there = (group + others - to_group) % self.groups;
        let start = (header.source.index() + header.destination.index()) % self.rounds;
        let Some(spine) = place.checked_sub(self.leaves) else {
            return (start * others + there) / self.h;
        };
        let mut links = (start..self.rounds).chain(0..start).map(|round| round * others + there);
        match links.find(|link| link / self.h == spine) {
            Some(link) => self.leaves + link % self.h,
            None => header.destination.index() % self.leaves,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_dragonflies_have_no_circle_of_channels() {
        let mut random = cases(73);
        for case in 0..300 {
            let mut draw = |most| 1 + random.below(most) as u32;
            let [p, leaves, spines, h] = [draw(2), draw(3), draw(3), draw(3)];
            if spines * h < 2 {
                continue;
            }
            let groups = 2 + draw(u64::from(spines * h).min(6)).min(spines * h - 1);
            let fly = TopologySpec::DragonflyPlus {
                nodes_per_leaf: p,
                leaves,
                spines,
                global_links: h,
                groups,
            };
            let topology = Topology::new(&fly).unwrap();
            let minimal = routing(&fly, &RoutingSpec::Minimal, 1);
            assert_eq!(check_ways(&topology, &minimal, Promise::Minimal), 3);
            check_free(&topology, &minimal);
            if case % 4 == 0 && topology.nodes <= 20 {
                let two_phase = routing(&fly, &RoutingSpec::Valiant { order: vec![] }, 2);
                assert!(check_ways(&topology, &two_phase, Promise::Arrives) <= 6);
                check_free(&topology, &two_phase);
            }
        }
    }

    #[test]
    fn other_topologies_are_refused() {
        let tree = TopologySpec::PodFatTree { switch_ports: 4 };
        assert_eq!(
            refusal(&tree, &RoutingSpec::Minimal, 1),
            "machine.routing = minimal: needs a dragonfly, a dragonfly+ or islands"
        );
    }
}
