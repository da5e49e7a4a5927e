//! Two-phase random routing: by way of a node drawn at random [Valiant 1982].
//!
//! Any traffic becomes two phases of uniform traffic, at twice the distance. The node
//! in the middle may be any, the source and the destination included. Each phase goes the
//! way of a minimal algorithm: dimension order on grids, those of fat trees and dragonflies,
//! else shortest paths.
//!
//! Free of deadlock if that algorithm is: each phase has classes of its own, and a
//! packet never goes back from the second to the first. If it is not, as shortest paths of a Slim Fly
//! (which is found out when routing is prepared), each hop has a class: that of its number, as in
//! [`super::hop_classes`] [Besta & Hoefler 2014].
//!
//! In the middle may be any switch that has nodes instead, each as likely as another: its first
//! node stands for it.
//!
//! The route is the node in the middle, whether the packet has been there, and, where they are
//! counted, its hops. On a torus a phase's class depends on where the phase began; the node is kept
//! for that.

use super::algorithm::Algorithm;
use super::base::Base;
use super::distances::Distances;
use super::header::Header;
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::topology::{Attachment, Topology};
use std::ops::Range;

/// In a route: the middle.
const MIDDLE: u32 = (1 << 20) - 1;
/// The hops so far, where they are counted.
const HOP: u32 = 1 << 20;
const HOPS: u32 = 0xff << 20;
/// The packet is on its way from the middle to its destination.
const SECOND: u32 = 1 << 31;

/// Two-phase routing for one topology.
pub struct TwoPhase {
    base: Base,
    slots: Slots,
    middles: Middles,
    /// Whether each hop has a class, and not each phase those of the algorithm.
    counts_hops: bool,
}

/// What packets go by way of.
enum Middles {
    /// Any of so many nodes.
    Nodes(u32),
    /// Any switch that has nodes: the first node of each.
    Switches(Vec<NodeId>),
}

impl Middles {
    fn count(&self) -> u32 {
        match self {
            Self::Nodes(count) => *count,
            Self::Switches(nodes) => nodes.len() as u32,
        }
    }

    #[inline]
    fn node(&self, number: u32) -> NodeId {
        match self {
            Self::Nodes(_) => NodeId(number),
            Self::Switches(nodes) => nodes[number as usize],
        }
    }
}

impl TwoPhase {
    /// Prepares routing with the dimensions of a grid in `order`; `by_switches`: whether all switches
    /// that have nodes are equally likely, however many nodes there are on each.
    ///
    /// # Errors
    /// Nodes that enter and leave at different switches; an order that does not name every
    /// dimension once; ways with more hops than a link may have virtual channels.
    pub fn new(
        name: &str,
        order: &[u32],
        by_switches: bool,
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        if !topology.attachments.iter().all(|a| matches!(a, Attachment::Switch(_))) {
            let allowed = "needs nodes that enter and leave the network at the same switch";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let base = Base::usual(name, order, topology)?;
        let counts_hops = base.closes_circle(topology);
        let slots = if counts_hops {
            Slots::by_hop(name, 2 * Distances::new(name, topology)?.longest(topology))?
        } else {
            Slots::new(2 * base.classes())
        };
        let middles = if by_switches {
            let mut has_nodes = vec![false; topology.switches];
            let is_first = |(_, at): &(usize, &Attachment)| {
                at.enters().is_some_and(|at| !std::mem::replace(&mut has_nodes[at.index()], true))
            };
            let firsts = topology.attachments.iter().enumerate().filter(is_first);
            Middles::Switches(firsts.map(|(node, _)| NodeId::from_index(node)).collect())
        } else {
            Middles::Nodes(topology.nodes as u32)
        };
        Ok(Self { base, slots, middles, counts_hops })
    }

    /// What the current phase looks like to the algorithm that routes it.
    #[inline]
    fn phase(&self, header: Header) -> Header {
        let middle = self.middles.node(header.route & MIDDLE);
        if header.route & SECOND == 0 {
            Header { destination: middle, ..header }
        } else {
            Header { source: middle, ..header }
        }
    }
}

impl Algorithm for TwoPhase {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            draws: true,
            avoids_failed: self.base.avoids_failed(),
            ..Properties::in_classes(self.slots)
        }
    }

    #[inline]
    fn begin(&self, _source: NodeId, _destination: NodeId, way: Option<&mut Stream>) -> u32 {
        way.map_or(0, |way| way.below(u64::from(self.middles.count())) as u32)
    }

    fn beginnings(&self, _source: NodeId, _destination: NodeId) -> Range<u32> {
        0..self.middles.count()
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some((port, class)) = self.base.step(switch, self.phase(header)) {
            let class = match header.route & SECOND {
                _ if self.counts_hops => ((header.route & HOPS) / HOP) as usize,
                0 => class,
                _ => self.base.classes() + class,
            };
            allow(self.slots.slot(port, class), 0);
        }
    }

    #[inline]
    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let is_there = self.base.step(switch, self.phase(header)).is_none();
        let route = if is_there { header.route | SECOND } else { header.route };
        if self.counts_hops && slot.is_some() { route + HOP } else { route }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Routing;
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, machine, order, random_graph, refusal, routing,
        routing_on, sides,
    };
    use crate::spec::{GraphLink, RoutingSpec, TopologySpec};

    #[test]
    fn random_grids_have_no_circle_of_channels() {
        let mut random = cases(3);
        for case in 0..210 {
            let dimensions = 1 + case % 3;
            let dims = sides(&mut random, dimensions, 20);
            let order = order(&mut random, dimensions);
            let is_torus = case % 2 == 1;
            let grid = if is_torus {
                TopologySpec::Torus { dims: dims.clone() }
            } else {
                TopologySpec::Mesh { dims: dims.clone() }
            };
            let routing = routing(&grid, &RoutingSpec::Valiant { order }, 4);
            let topology = Topology::new(&grid).unwrap();
            let diameter = |&k: &u32| if is_torus { k / 2 } else { k - 1 };
            let longest = check_ways(&topology, &routing, Promise::Arrives);
            assert_eq!(longest, 2 * dims.iter().map(diameter).sum::<u32>());
            check_free(&topology, &routing);
        }
    }

    #[test]
    fn a_hypercube_and_a_star_are_routed_too() {
        for (spec, channels) in
            [(TopologySpec::Hypercube { dimensions: 4 }, 2), (TopologySpec::Star { nodes: 5 }, 2)]
        {
            let routing = routing(&spec, &RoutingSpec::Valiant { order: vec![] }, channels);
            check_ways(&Topology::new(&spec).unwrap(), &routing, Promise::Arrives);
        }
    }

    /// Where shortest paths close a circle each hop has a class, twice as many as the diameter: with fewer
    /// virtual channels a circle is told, and how many there should be. Elsewhere two phases do.
    #[test]
    fn any_graph_has_a_class_for_every_hop() {
        let valiant = RoutingSpec::Valiant { order: vec![] };
        let by_switches = RoutingSpec::ValiantBySwitches { order: vec![] };
        for (q, nodes_per_switch) in [(3, 1), (4, 2), (5, 1)] {
            let fly = TopologySpec::SlimFly { q, nodes_per_switch };
            let topology = Topology::new(&fly).unwrap();
            for spec in [&valiant, &by_switches] {
                assert_eq!(Properties::of(spec, &topology).unwrap().classes, 4);
                let routing = routing(&fly, spec, 4);
                assert!(routing.properties().is_known_free);
                assert_eq!(check_ways(&topology, &routing, Promise::Arrives), 4);
                check_free(&topology, &routing);
            }
        }
        let fly = TopologySpec::SlimFly { q: 5, nodes_per_switch: 1 };
        let refused = refusal(&fly, &valiant, 3);
        assert!(
            refused.ends_with("needs 4 virtual channels, or allow_deadlock = true"),
            "{refused}"
        );
        let mut random = cases(5);
        let mut kinds = [0; 2];
        for _ in 0..100 {
            let graph = random_graph(&mut random);
            let needed = Properties::of(&valiant, &graph).unwrap().classes;
            let hops = Properties::of(&RoutingSpec::HopClasses, &graph).unwrap().classes;
            let is_free = routing_on(&graph, &RoutingSpec::Shortest, 1).is_ok();
            assert_eq!(needed, if is_free { 2 } else { 2 * hops });
            let routing = routing_on(&graph, &valiant, needed as u32).unwrap();
            assert!(check_ways(&graph, &routing, Promise::Arrives) <= 2 * hops as u32);
            check_free(&graph, &routing);
            kinds[usize::from(is_free)] += 1;
        }
        assert!(kinds.into_iter().all(|count| count > 10), "{kinds:?}");
    }

    /// A packet is in the first class until it has been at the node in the middle.
    #[test]
    fn phases_change_in_the_middle() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        let routing = routing(&mesh, &RoutingSpec::Valiant { order: vec![] }, 2);
        let topology = Topology::new(&mesh).unwrap();
        let classes = |source, destination, middle| {
            let mut at = SwitchId(source);
            let (source, destination) = (NodeId(source), NodeId(destination));
            let mut header = Header { source, destination, route: middle, traffic: 0 };
            header.route = routing.passed(at, header, None);
            let mut classes = Vec::new();
            while let Some(slot) = routing.next(at, header) {
                classes.push(slot % 2);
                at = topology.neighbour(at, slot / 2);
                header.route = routing.passed(at, header, Some(slot));
            }
            assert_eq!(at.0, destination.0);
            classes
        };
        assert_eq!(classes(0, 3, 2), [0, 0, 1]);
        assert_eq!(classes(0, 3, 4), [0, 1, 1, 1, 1]);
        assert_eq!(classes(0, 2, 0), [1, 1]);
        assert_eq!(classes(0, 2, 2), [0, 0]);
        assert_eq!(classes(1, 1, 5), [0, 1]);
        assert_eq!(classes(1, 1, 1), [0; 0]);
    }

    /// A star of four switches with 1, 2 and 3 nodes, and none in the middle: each of the three
    /// switches is as likely.
    #[test]
    fn switches_are_as_likely_whatever_nodes_they_have() {
        let links = [1u32, 2, 3]
            .iter()
            .flat_map(|&leaf| [GraphLink::new(0, leaf, 1), GraphLink::new(leaf, 0, 1)]);
        let graph = TopologySpec::Graph {
            switches: 4,
            links: links.collect(),
            nodes: vec![1, 2, 2, 3, 3, 3],
            leaves: vec![],
            node_links: Vec::new(),
            classes: Vec::new(),
        };
        let spec = RoutingSpec::ValiantBySwitches { order: vec![] };
        let topology = Topology::new(&graph).unwrap();
        let routing = Routing::new(&machine(&graph, &spec, 2), &topology, 7).unwrap();
        check_ways(&topology, &routing, Promise::Arrives);
        let mut counts = [0u32; 3];
        for packet in 0..3_000 {
            counts[routing.begin(NodeId(0), NodeId(5), (0, packet)) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (900..1100).contains(&n)), "{counts:?}");
    }

    /// Every node is as likely to be in the middle, whatever source and destination.
    #[test]
    fn middles_are_uniform() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
        let machine = machine(&mesh, &RoutingSpec::Valiant { order: vec![] }, 2);
        let topology = Topology::new(&mesh).unwrap();
        let routing = Routing::new(&machine, &topology, 7).unwrap();
        let mut counts = [0u32; 9];
        for packet in 0..9_000 {
            counts[routing.begin(NodeId(2), NodeId(5), (0, packet)) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (880..1120).contains(&n)), "{counts:?}");
    }
}
