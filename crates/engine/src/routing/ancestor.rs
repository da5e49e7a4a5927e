//! Routing on fat trees by way of a nearest common ancestor [Petrini & Vanneschi 1997]: on k-ary
//! n-trees, and on all extended generalised fat trees.
//!
//! A packet goes up until the switch is above its destination, and then down: there is one
//! way down, each port being a digit of the destination. Up it may go any way.
//!
//! *Without a choice* the way up, too, is by the number of a node, that of the destination (D-mod-k)
//! or of the source (S-mod-k) [Zahavi 2012]: from a switch with w parents, W of which are above the
//! same nodes as itself, it goes to parent `number / W mod w`. So packets to (from) the same node
//! come down from (go up to) the same switch of the highest level, and those to (from) different
//! nodes of one leaf go up by different ports, as far as there are any.
//!
//! *At random* the number is drawn for every packet from 0 to one less than the switches of the
//! highest level, so that each of those above both ends is as likely.
//!
//! *Where links have failed* a packet goes up to a switch from which its destination can still be
//! reached by going down; if a number says which parent, to the next one, in turn, that is on such a
//! way and the shortest.
//!
//! Free of deadlock: no packet goes up once it has gone down, and levels fall on the way
//! up and rise on the way down. Minimal, as long as no links have failed.

use super::algorithm::Algorithm;
use super::header::Header;
use super::outputs::bits_of;
use super::properties::Properties;
use super::remaining_tree::RemainingTree;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::topology::levels::{Level, levels};
use crate::topology::{Family, Topology};
use std::ops::Range;

/// Nearest-common-ancestor routing for one tree.
pub struct Ancestor {
    /// By switch: its level, and which of the subtrees of that level it is above.
    places: Vec<(u8, u32)>,
    /// The lowest first.
    levels: Vec<Level>,
    up: Up,
    /// Where links have failed.
    remaining: Option<RemainingTree>,
}

/// Which way packets go up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// Any.
    Any,
    /// By the number of the destination.
    Destination,
    /// By the number of the source.
    Source,
    /// By a number that is drawn.
    Drawn,
}

/// Where a packet goes from a switch.
enum Turn {
    Here,
    Down(usize),
    Up(Level),
}

impl Ancestor {
    /// Prepares routing on a fat tree.
    pub fn new(name: &str, up: Up, topology: &Topology) -> Result<Self, SpecError> {
        let (levels, root_first) = match &topology.family {
            Family::FatTree { arity, levels: count } => {
                let children = vec![*arity; *count as usize];
                (levels(&children, &children[1..]), true)
            }
            Family::Xgft { children, parents, .. } => (levels(children, parents), false),
            _ => return Err(SpecError::new("machine.routing", name, "needs a fat tree")),
        };
        let levels = levels.unwrap_or_default();
        let number = |(number, level): (usize, &Level)| {
            let places = level.places;
            (0..level.switches).map(move |at| (number as u8, (at / places) as u32))
        };
        let places: Vec<(u8, u32)> = if root_first {
            levels.iter().enumerate().rev().flat_map(number).collect()
        } else {
            levels.iter().enumerate().flat_map(number).collect()
        };
        let remaining = if topology.has_failed() {
            let depth = |&(number, _): &(u8, u32)| (levels.len() - 1 - usize::from(number)) as u32;
            let depths = places.iter().map(depth).collect();
            Some(RemainingTree::new(name, depths, topology)?)
        } else {
            None
        };
        Ok(Self { places, levels, up, remaining })
    }

    #[inline]
    fn turn(&self, switch: SwitchId, header: Header) -> Turn {
        let (number, subtree) = self.places[switch.index()];
        let (level, node) = (self.levels[usize::from(number)], header.destination.index());
        if node / level.nodes != subtree as usize {
            Turn::Up(level)
        } else if number == 0 {
            Turn::Here
        } else {
            Turn::Down(node % level.nodes / (level.nodes / level.children))
        }
    }

    /// The port by which a packet without a choice leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<usize> {
        if let Some(tree) = &self.remaining {
            let level = self.levels[usize::from(self.places[switch.index()].0)];
            return tree.step(switch, header, self.parent(level, header));
        }
        match self.turn(switch, header) {
            Turn::Here => None,
            Turn::Down(port) => Some(port),
            Turn::Up(level) => Some(self.parent(level, header)),
        }
    }

    /// The port to the parent that a packet's number says.
    #[inline]
    fn parent(&self, level: Level, header: Header) -> usize {
        let number = match self.up {
            Up::Source => header.source.index(),
            Up::Drawn => header.route as usize,
            Up::Any | Up::Destination => header.destination.index(),
        };
        level.children + number / level.places % level.parents.max(1)
    }
}

impl Algorithm for Ancestor {
    fn properties(&self) -> Properties {
        let of = if self.up == Up::Any { Properties::choosing } else { Properties::one_way };
        let draws = self.up == Up::Drawn;
        Properties {
            draws,
            are_equally_long: true,
            avoids_failed: true,
            takes_new_tables: true,
            ..of(true)
        }
    }

    fn route_bits(&self) -> u32 {
        bits_of(self.beginnings(NodeId(0), NodeId(0)).end as usize)
    }

    #[inline]
    fn begin(&self, source: NodeId, destination: NodeId, way: Option<&mut Stream>) -> u32 {
        let routes = self.beginnings(source, destination);
        way.map_or(0, |way| way.below(routes.end.into()) as u32)
    }

    fn beginnings(&self, _source: NodeId, _destination: NodeId) -> Range<u32> {
        let highest = self.levels.last().map_or(1, |level| level.places as u32);
        0..if self.up == Up::Drawn { highest } else { 1 }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let (Some(tree), Up::Any) = (&self.remaining, self.up) {
            return tree.each(switch, header.destination, |port| allow(port, 0));
        }
        match self.turn(switch, header) {
            Turn::Up(level) if self.up == Up::Any => {
                let ports = level.children..level.children + level.parents;
                ports.for_each(|port| allow(port, 0));
            }
            _ => {
                if let Some(port) = self.step(switch, header) {
                    allow(port, 0);
                }
            }
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
            for spec in [nearest(true), nearest(false), RoutingSpec::RandomAncestor] {
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
        let routing = Ancestor::new("", Up::Destination, &topology).unwrap();
        let top = |source: usize, node: usize| {
            let mut at = topology.attachments[source].enters().unwrap();
            let [source, destination] = [source, node].map(NodeId::from_index);
            let header = Header { source, destination, route: 0, traffic: 0 };
            while at.index() / 9 > 0 {
                at = topology.neighbour(at, routing.step(at, header).unwrap());
            }
            at.0
        };
        assert_eq!([24, 25, 26].map(|node| top(0, node)), [6, 7, 8]);
        assert_eq!([24, 25, 26].map(|node| top(17, node)), [6, 7, 8]);
    }

    /// Any children and parents of every level, tapered or not.
    #[test]
    fn random_trees_have_no_circle_of_channels() {
        let mut random = cases(71);
        for _ in 0..300 {
            let height = 1 + random.below(4);
            let mut draw = |most| 1 + random.below(most) as u32;
            let children: Vec<u32> = (0..height).map(|_| draw(4)).collect();
            let parents: Vec<u32> = (1..height).map(|_| draw(4)).collect();
            let nodes: u32 = children.iter().product();
            if !(2..=64).contains(&nodes) {
                continue;
            }
            let tree = TopologySpec::Xgft { children, parents, widths: vec![] };
            let topology = Topology::new(&tree).unwrap();
            let ways = [nearest(true), RoutingSpec::DModK, RoutingSpec::SModK];
            for spec in ways {
                let routing = routing(&tree, &spec, 1);
                assert!(check_ways(&topology, &routing, Promise::Minimal) <= 2 * height as u32);
                check_free(&topology, &routing);
            }
        }
    }

    /// With as many parents as children, a shift of all nodes has every link up to itself
    /// [Zahavi 2012]: S-mod-k as D-mod-k.
    #[test]
    fn shifts_share_no_link() {
        let tree = TopologySpec::PodFatTree { switch_ports: 4 };
        let topology = Topology::new(&tree).unwrap();
        for up in [Up::Destination, Up::Source] {
            let routing = Ancestor::new("", up, &topology).unwrap();
            for shift in 1..topology.nodes {
                let mut taken = vec![false; topology.neighbours.len()];
                for source in 0..topology.nodes {
                    let destination = NodeId::from_index((source + shift) % topology.nodes);
                    let mut at = topology.attachments[source].enters().unwrap();
                    let source = NodeId::from_index(source);
                    let header = Header { source, destination, route: 0, traffic: 0 };
                    while let Some(port) = routing.step(at, header) {
                        let link = at.index() * topology.ports + port;
                        assert!(!std::mem::replace(&mut taken[link], true), "{up:?} {shift}");
                        at = topology.neighbour(at, port);
                    }
                }
            }
        }
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
