//! Routing on k-ary n-trees by way of a nearest common ancestor [Petrini & Vanneschi 1997].
//!
//! A packet goes up until the switch is above its destination, and then down: there is one
//! way down, each port being a digit of the destination. Up it may go any way.
//!
//! *Without a choice* the way up, too, is by the destination's digits: from level l the
//! packet goes up by port k plus digit l (on the lowest level, the last). So packets to
//! the same node come down from the same switch of the highest level, and those to
//! different nodes of one leaf go up by different ports.
//!
//! Free of deadlock: no packet goes up once it has gone down, and levels fall on the way
//! up and rise on the way down. Minimal.

use super::Header;
use super::algorithm::Algorithm;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// Nearest-common-ancestor routing for one tree.
pub struct Ancestor {
    arity: usize,
    /// Switches of a level.
    words: usize,
    /// By level: what the digit of that place weighs in a node's number.
    weights: Vec<usize>,
    adaptive: bool,
}

/// Where a packet goes from a switch.
enum Turn {
    Here,
    Down(usize),
    /// By this port, if there is to be no choice.
    Up(usize),
}

impl Ancestor {
    /// Prepares routing on a k-ary n-tree.
    pub fn new(name: &str, adaptive: bool, topology: &Topology) -> Result<Self, SpecError> {
        let Family::FatTree { arity, levels } = topology.family else {
            return Err(SpecError::new("machine.routing", name, "needs a fat tree"));
        };
        let arity = arity as usize;
        let weights: Vec<usize> = (0..levels).rev().map(|place| arity.pow(place)).collect();
        Ok(Self { arity, words: topology.nodes / arity, weights, adaptive })
    }

    #[inline]
    fn turn(&self, switch: SwitchId, destination: NodeId) -> Turn {
        let (level, word) = (switch.index() / self.words, switch.index() % self.words);
        let (node, weight) = (destination.index(), self.weights[level]);
        let digit = node / weight % self.arity;
        // A word has one digit less than a node: its first `level` ones are compared.
        if node / self.arity / weight != word / weight {
            Turn::Up(self.arity + digit)
        } else if weight == 1 {
            Turn::Here
        } else {
            Turn::Down(digit)
        }
    }

    /// The port by which a packet without a choice leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, destination: NodeId) -> Option<usize> {
        match self.turn(switch, destination) {
            Turn::Here => None,
            Turn::Down(port) | Turn::Up(port) => Some(port),
        }
    }
}

impl Algorithm for Ancestor {
    fn properties(&self) -> Properties {
        if self.adaptive { Properties::choosing(true) } else { Properties::one_way(true) }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        match self.turn(switch, header.destination) {
            Turn::Here => {}
            Turn::Up(_) if self.adaptive => {
                (self.arity..2 * self.arity).for_each(|port| allow(port, 0));
            }
            Turn::Down(port) | Turn::Up(port) => allow(port, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    fn nearest(adaptive: bool) -> RoutingSpec {
        RoutingSpec::NearestCommonAncestor { adaptive }
    }

    #[test]
    fn fat_trees_have_no_circle_of_channels() {
        let shapes = (2..7).flat_map(|arity| (1..6).map(move |levels| (arity, levels)));
        for (arity, levels) in shapes.filter(|&(arity, levels): &(u32, u32)| arity.pow(levels) < 99)
        {
            let tree = TopologySpec::FatTree { arity, levels };
            let topology = Topology::new(&tree).unwrap();
            for spec in [nearest(true), nearest(false)] {
                let routing = routing(&tree, &spec, 1);
                let longest = check_ways(&topology, &routing, Promise::Minimal);
                assert_eq!(longest, 2 * (levels - 1));
                check_free(&topology, &routing);
            }
        }
    }

    /// Packets to the nodes of one leaf, from anywhere, turn at different switches.
    #[test]
    fn destinations_are_spread_over_the_top() {
        let tree = TopologySpec::FatTree { arity: 3, levels: 3 };
        let topology = Topology::new(&tree).unwrap();
        let routing = Ancestor::new("", false, &topology).unwrap();
        let top = |source: usize, node: usize| {
            let mut at = topology.attachments[source].enters().unwrap();
            while at.index() / 9 > 0 {
                at = topology.neighbour(at, routing.step(at, NodeId::from_index(node)).unwrap());
            }
            at.0
        };
        assert_eq!([24, 25, 26].map(|node| top(0, node)), [6, 7, 8]);
        assert_eq!([24, 25, 26].map(|node| top(17, node)), [6, 7, 8]);
    }

    #[test]
    fn other_topologies_are_refused() {
        let mesh = TopologySpec::Mesh { dims: sides(&mut cases(12), 2, 30) };
        assert_eq!(
            refusal(&mesh, &nearest(true), 1),
            "machine.routing = nearest_common_ancestor: needs a fat tree"
        );
    }
}
