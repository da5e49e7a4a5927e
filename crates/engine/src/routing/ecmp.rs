//! Shortest ways, one of them for each *flow* by a hash of what tells it from others (equal-cost
//! multi-path [Hopps 2000]), or a new one for every packet (*spraying* [Dixit et al. 2013]).
//!
//! At a switch with n outputs on a shortest way a packet takes output `hash mod n`, where the hash is
//! of its flow, the switch and a seed, so that flows that met at one switch part at the next. A
//! packet that is sprayed has a number instead of a flow: drawn, or the next of its process, which takes
//! the outputs of its first switch in turn.
//!
//! On fat trees shortest ways go up and then down, as in [`super::ancestor`], and are free of deadlock
//! by the same argument, with links that have failed, too. Elsewhere each hop has a class of virtual
//! channels of its own, as in [`super::hop_classes`]; where there is one way, or one hop, one is enough.
//!
//! The route is the hash of the flow, and the hops so far. Searches for circles of channels, and
//! predictions, look at all shortest ways, but of flows that are pairs of nodes at the one they have.

use super::algorithm::Algorithm;
use super::ancestor::{Ancestor, Up};
use super::distances::Distances;
use super::header::Header;
use super::outputs::{Slots, bits_of};
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::{Key, Stream, mix};
use crate::spec::{Flow, Turns};
use crate::topology::{Family, Topology};
use std::ops::Range;

/// In a route: the hash; all shortest ways.
const HASH: u32 = (1 << 24) - 1;
const ANY: u32 = HASH;
/// One hop.
const HOP: u32 = 1 << 24;

/// What packets go one way by.
#[derive(Clone, Debug)]
pub enum Spread {
    /// A hash of their flow, with a seed.
    Flows(Flow, u64),
    /// Nothing: every packet has a way of its own.
    Packets(Turns),
}

/// The shortest ways there are.
enum Shortest {
    Tree(Ancestor),
    Paths(Distances),
}

/// Shortest ways by flow, for one topology.
pub struct Ecmp {
    shortest: Shortest,
    spread: Spread,
    slots: Slots,
    /// Hops of the longest way.
    longest: usize,
}

impl Ecmp {
    /// Prepares routing on any topology.
    ///
    /// # Errors
    /// A topology too large for tables; two nodes without a way; ways of more hops than a link may
    /// have virtual channels.
    pub fn new(name: &str, spread: Spread, topology: &Topology) -> Result<Self, SpecError> {
        let tree = |levels: usize| {
            let tree = Ancestor::new(name, Up::Any, topology)?;
            Ok::<_, SpecError>((Shortest::Tree(tree), 1, 2 * levels))
        };
        let (shortest, hops, longest) = match &topology.family {
            Family::FatTree { levels, .. } => tree(*levels as usize)?,
            Family::Xgft { children, .. } => tree(children.len())?,
            _ => {
                let distances = Distances::new(name, topology)?;
                let is_tree = matches!(topology.family, Family::Tree { .. } | Family::Star);
                let longest = distances.longest(topology);
                (Shortest::Paths(distances), if is_tree { 1 } else { longest }, longest)
            }
        };
        Ok(Self { shortest, spread, slots: Slots::by_hop(name, hops)?, longest })
    }

    fn seed(&self) -> u64 {
        if let Spread::Flows(_, seed) = self.spread { seed } else { 0 }
    }

    /// Names each port on a shortest way.
    #[inline]
    fn each(&self, switch: SwitchId, header: Header, mut each: impl FnMut(usize)) {
        match &self.shortest {
            Shortest::Tree(tree) => tree.allow(switch, header, |port, _| each(port)),
            Shortest::Paths(distances) => {
                distances.each_profitable(switch, header.destination, each);
            }
        }
    }

    /// Which of so many outputs a packet takes.
    #[inline]
    fn pick(&self, switch: SwitchId, route: u32, count: usize) -> usize {
        let number = u64::from(route & HASH);
        let is_first = route < HOP;
        if is_first && matches!(self.spread, Spread::Packets(Turns::RoundRobin)) {
            return number as usize % count;
        }
        let hash = mix(mix(self.seed() ^ number) ^ u64::from(switch.0));
        (((hash >> 32) * count as u64) >> 32) as usize
    }
}

/// The hash of a flow between two nodes.
fn hash(seed: u64, source: NodeId, destination: NodeId, flow: u32) -> u32 {
    let pair = u64::from(source.0) << 32 | u64::from(destination.0);
    (mix(mix(seed ^ pair) ^ u64::from(flow)) % u64::from(ANY)) as u32
}

impl Algorithm for Ecmp {
    #[inline]
    fn flow(&self, (from, to): (ProcessId, ProcessId), (message, packet): (u32, u32)) -> u32 {
        let pair = Key::of(u64::from(from.0) << 32 | u64::from(to.0));
        match self.spread {
            Spread::Flows(Flow::Message, _) => pair.and(message.into()).short(),
            Spread::Flows(Flow::ProcessPair, _) => pair.short(),
            Spread::Packets(Turns::RoundRobin) => packet,
            Spread::Flows(Flow::Pair, _) | Spread::Packets(Turns::Random) => 0,
        }
    }

    #[inline]
    fn begin_flow(
        &self,
        (source, destination): (NodeId, NodeId),
        flow: u32,
        way: Option<&mut Stream>,
    ) -> u32 {
        match &self.spread {
            Spread::Flows(_, seed) => hash(*seed, source, destination, flow),
            Spread::Packets(Turns::Random) => way.map_or(0, |way| way.below(ANY.into()) as u32),
            Spread::Packets(Turns::RoundRobin) => flow % ANY,
        }
    }

    fn route_bits(&self) -> u32 {
        HOP.ilog2() + bits_of(self.longest)
    }

    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        let is_sprayed = matches!(self.spread, Spread::Packets(_));
        Properties {
            varies: !matches!(self.spread, Spread::Flows(Flow::Pair, _)),
            chooses_late: is_sprayed,
            draws: matches!(self.spread, Spread::Packets(Turns::Random)),
            are_equally_long: true,
            avoids_failed: true,
            // Elsewhere a longer way has more hops than there are classes.
            takes_new_tables: self.slots.classes() == 1,
            ..Properties::in_classes(self.slots)
        }
    }

    fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        let route = match &self.spread {
            Spread::Flows(Flow::Pair, seed) => hash(*seed, source, destination, 0),
            _ => ANY,
        };
        route..route + 1
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let class = (header.route / HOP) as usize;
        if header.route & HASH == ANY {
            return self.each(switch, header, |port| allow(self.slots.slot(port, class), 0));
        }
        let mut count = 0;
        self.each(switch, header, |_| count += 1);
        if count == 0 {
            return;
        }
        let (picked, mut place) = (self.pick(switch, header.route, count), 0);
        self.each(switch, header, |port| {
            if place == picked {
                allow(self.slots.slot(port, class), 0);
            }
            place += 1;
        });
    }

    #[inline]
    fn passed(&self, _switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        header.route + if slot.is_some() { HOP } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, random_graph, routing_on};
    use crate::spec::{RoutingSpec, TopologySpec};

    fn by(flow: Flow) -> RoutingSpec {
        RoutingSpec::Ecmp { flow, seed: 1 }
    }

    #[test]
    fn all_ways_are_shortest_and_have_no_circle_of_channels() {
        let mut random = cases(93);
        for case in 0..120 {
            let topology = if case % 2 == 0 {
                random_graph(&mut random)
            } else {
                let mut draw = |most| 1 + random.below(most) as u32;
                let (children, parents) =
                    (vec![1 + draw(2), draw(3), draw(3)], vec![draw(3), draw(3)]);
                Topology::new(&TopologySpec::Xgft { children, parents, widths: vec![] }).unwrap()
            };
            let spray = |turns| RoutingSpec::Spray { turns };
            for spec in
                [by(Flow::Pair), by(Flow::Message), spray(Turns::Random), spray(Turns::RoundRobin)]
            {
                let needed = Properties::of(&spec, &topology).unwrap().classes;
                let routing = routing_on(&topology, &spec, needed as u32).unwrap();
                let longest = check_ways(&topology, &routing, Promise::Minimal);
                assert!(case % 2 == 1 || longest.max(1) == needed as u32);
                assert!(case % 2 == 0 || needed == 1);
                check_free(&topology, &routing);
            }
        }
    }

    /// The switches of the highest level that packets come by.
    fn tops(spec: &RoutingSpec, count: u32) -> Vec<u32> {
        let topology = Topology::new(&TopologySpec::Xgft {
            children: vec![4, 4],
            parents: vec![4],
            widths: vec![],
        });
        let topology = topology.unwrap();
        let routing = routing_on(&topology, spec, 1).unwrap();
        let mut seen = vec![0; 4];
        for number in 0..count {
            let (source, destination) = (NodeId(0), NodeId(15));
            let flow = routing.flow((ProcessId(number % 4), ProcessId(15)), (number, number));
            let route = routing.begin(source, destination, (flow, number));
            let header = Header { source, destination, route, traffic: 0 };
            let port = routing.next(SwitchId(0), header).unwrap();
            seen[topology.neighbour(SwitchId(0), port).index() - 4] += 1;
        }
        seen
    }

    #[test]
    fn a_flow_keeps_its_way_and_flows_are_spread() {
        let used = |seen: &[u32]| seen.iter().filter(|&&count| count > 0).count();
        assert_eq!(used(&tops(&by(Flow::Pair), 1000)), 1);
        assert!((2..=4).contains(&used(&tops(&by(Flow::ProcessPair), 1000))));
        let messages = tops(&by(Flow::Message), 4000);
        assert!(messages.iter().all(|count| (880..1120).contains(count)), "{messages:?}");
        let other = RoutingSpec::Ecmp { flow: Flow::Message, seed: 2 };
        assert_ne!(tops(&other, 4000), messages);
    }

    #[test]
    fn sprayed_packets_take_outputs_in_turn_or_drawn() {
        assert_eq!(tops(&RoutingSpec::Spray { turns: Turns::RoundRobin }, 400), [100; 4]);
        let drawn = tops(&RoutingSpec::Spray { turns: Turns::Random }, 4000);
        assert!(drawn.iter().all(|count| (880..1120).contains(count)), "{drawn:?}");
    }
}
