//! Tests walk every way of every packet of small machines.

use super::dependency::{Search, find_cycle};
use super::header::Header;
use super::outputs::Outputs;
use super::prepared::Routing;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::{Purpose, Stream};
use crate::spec::{Machine, RoutingSpec, TopologySpec};
use crate::topology::{Attachment, Topology};
use std::collections::BTreeMap;

/// The same machine, but it may deadlock.
pub fn allowed(mut machine: Machine) -> Machine {
    machine.routing.allow_deadlock = true;
    machine
}

/// A machine that routes so.
pub fn machine(topology: &TopologySpec, routing: &RoutingSpec, channels: u32) -> Machine {
    let mut machine = Machine::t9000(topology.clone());
    machine.routing.algorithm = routing.clone();
    machine.switch.virtual_channels = channels;
    machine
}

/// Its routing.
pub fn routing(topology: &TopologySpec, routing: &RoutingSpec, channels: u32) -> Routing {
    routing_on(&Topology::new(topology).unwrap(), routing, channels).unwrap()
}

/// What is wrong with it.
pub fn refusal(topology: &TopologySpec, routing: &RoutingSpec, channels: u32) -> String {
    refusal_on(&Topology::new(topology).unwrap(), routing, channels)
}

/// The routing of any graph.
pub fn routing_on(
    graph: &Topology,
    routing: &RoutingSpec,
    channels: u32,
) -> Result<Routing, SpecError> {
    Routing::new(&machine(&TopologySpec::Pair, routing, channels), graph, 1)
}

/// What is wrong with that.
pub fn refusal_on(graph: &Topology, routing: &RoutingSpec, channels: u32) -> String {
    let refused = routing_on(graph, routing, channels).err();
    refused.map(|error| error.to_string()).unwrap_or_default()
}

/// A graph of links in both directions, with one node on every switch.
pub fn graph(switches: usize, links: &[(usize, usize)]) -> Topology {
    let mut around = vec![Vec::new(); switches];
    for &(one, other) in links {
        around[one].push(SwitchId::from_index(other));
        around[other].push(SwitchId::from_index(one));
    }
    let ports = around.iter().map(Vec::len).max().unwrap_or(0);
    around.iter_mut().for_each(|row| row.resize(ports, SwitchId::NONE));
    let attachments = (0..switches).map(|i| Attachment::Switch(SwitchId::from_index(i))).collect();
    let neighbours = around.concat();
    Topology { nodes: switches, switches, ports, neighbours, attachments, ..Topology::default() }
}

/// A random connected graph, some switches of which have two nodes and some none.
pub fn random_graph(random: &mut Stream) -> Topology {
    let switches = 2 + random.below(14) as usize;
    let mut links: Vec<(usize, usize)> =
        (1..switches).map(|switch| (random.below(switch as u64) as usize, switch)).collect();
    for _ in 0..random.below(2 * switches as u64) {
        let (one, other) = (random.below(switches as u64), random.below(switches as u64));
        let link = (one.min(other) as usize, one.max(other) as usize);
        if one != other && !links.contains(&link) {
            links.push(link);
        }
    }
    let mut graph = graph(switches, &links);
    for attachment in &mut graph.attachments {
        *attachment = Attachment::Switch(SwitchId(random.below(switches as u64) as u32));
    }
    graph
}

/// Random sides of a small grid: at most `most` nodes, at least two.
pub fn sides(random: &mut Stream, dimensions: usize, most: u32) -> Vec<u32> {
    loop {
        let dims: Vec<u32> = (0..dimensions).map(|_| 1 + random.below(8) as u32).collect();
        let nodes: u32 = dims.iter().product();
        if (2..=most).contains(&nodes) {
            return dims;
        }
    }
}

/// A random order of the dimensions.
pub fn order(random: &mut Stream, dimensions: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..dimensions as u32).collect();
    for place in (1..dimensions).rev() {
        order.swap(place, random.below(place as u64 + 1) as usize);
    }
    order
}

/// A stream of random cases.
pub fn cases(seed: u64) -> Stream {
    Stream::new(seed, Purpose::Selection, 0)
}

/// Hops from every switch to one.
pub fn hops_to(topology: &Topology, target: SwitchId) -> Vec<u32> {
    let mut hops = vec![u32::MAX; topology.switches];
    hops[target.index()] = 0;
    for _ in 0..topology.switches {
        for (link, neighbour) in topology.neighbours.iter().enumerate() {
            if neighbour.is_some() && hops[neighbour.index()] != u32::MAX {
                let from = link / topology.ports;
                hops[from] = hops[from].min(hops[neighbour.index()] + 1);
            }
        }
    }
    hops
}

/// What an algorithm promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Every hop brings a packet nearer.
    Minimal,
    /// Every packet arrives.
    Arrives,
}

/// Walks every way of every packet: over links that are there, to the destination and
/// no further, and, if that is promised, nearer with every hop. Gives the longest way.
pub fn check_ways(topology: &Topology, routing: &Routing, promise: Promise) -> u32 {
    let mut longest = 0;
    for destination in (0..topology.nodes).map(NodeId::from_index) {
        let home = topology.attachments[destination.index()].leaves().unwrap();
        let hops = hops_to(topology, home);
        for source in (0..topology.nodes).map(NodeId::from_index) {
            let at = topology.attachments[source.index()].enters().unwrap();
            let done = BTreeMap::new();
            let mut walk = Walk { topology, routing, promise, home, hops: &hops, done };
            for route in routing.beginnings(source, destination) {
                let header = Header { source, destination, route, traffic: 0 };
                let header = Header { route: routing.passed(at, header, None), ..header };
                longest = longest.max(walk.longest_from(at, header));
            }
        }
    }
    longest
}

struct Walk<'a> {
    topology: &'a Topology,
    routing: &'a Routing,
    promise: Promise,
    home: SwitchId,
    hops: &'a [u32],
    /// By switch and route: hops of the longest way from there; none while it is walked.
    done: BTreeMap<(SwitchId, u32), Option<u32>>,
}

impl Walk<'_> {
    fn longest_from(&mut self, at: SwitchId, header: Header) -> u32 {
        if let Some(known) = self.done.get(&(at, header.route)) {
            return known.expect("a way comes to the same place again");
        }
        self.done.insert((at, header.route), None);
        let mut routes = Vec::new();
        self.routing.alternatives(at, header, |route| routes.push(route));
        let ways = routes.into_iter().map(|route| self.longest_of(at, Header { route, ..header }));
        let longest = ways.max().expect("a packet has a route");
        self.done.insert((at, header.route), Some(longest));
        longest
    }

    /// The same once it is decided which way it goes.
    fn longest_of(&mut self, at: SwitchId, header: Header) -> u32 {
        let mut outputs = Outputs::default();
        self.routing.outputs(at, header, &mut outputs);
        let first = outputs.iter().next().map(|(slot, _)| slot);
        assert_eq!(self.routing.next(at, header), first);
        let has_several = self.routing.chooses() || self.routing.properties().varies;
        assert!(has_several || outputs.iter().count() <= 1);
        let mut longest = 0;
        for (slot, _) in outputs.iter() {
            let classes = self.routing.classes().len();
            let to = self.topology.neighbour(at, slot / classes);
            assert!(to.is_some(), "no link at port {} of {at:?}", slot / classes);
            if self.promise == Promise::Minimal {
                assert_eq!(self.hops[to.index()] + 1, self.hops[at.index()], "{header:?}");
            }
            let route = self.routing.passed(to, header, Some(slot));
            assert!(route == header.route || self.routing.remembers());
            longest = longest.max(1 + self.longest_from(to, Header { route, ..header }));
        }
        assert!(at == self.home || !outputs.is_empty(), "stuck at {at:?}: {header:?}");
        if self.promise == Promise::Minimal {
            assert_eq!(at == self.home, outputs.is_empty(), "{header:?}");
        }
        longest
    }
}

/// Checks that no packets can wait for each other in a circle, and that this is known.
pub fn check_free(topology: &Topology, routing: &Routing) {
    assert!(routing.properties().is_known_free);
    assert_eq!(find_cycle(routing, topology), Search::Free);
}
