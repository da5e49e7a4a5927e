//! Random small networks and messages, with written routes.

use super::{FLIT, machine, marked, messages, spec};
use crate::common::random::Dice;
use tailback_engine::spec::{
    Arbiter, GraphLink, Hops, LinkClass, RoutingSpec, SourceRoute, Spec, TopologySpec, Unit,
};

/// A random case.
pub fn any(dice: &mut Dice) -> Spec {
    let (is_ring, mut switches) = (dice.chance(12), dice.one_of(&[1, 1, 2, 2, 3, 4, 5]));
    let mut nodes: Vec<u32> =
        (0..dice.number(2, 8)).map(|_| dice.number(0, switches - 1) as u32).collect();
    let mut links = links(dice, switches as u32);
    if is_ring {
        // One way round, where packets can wait for each other in a circle.
        switches = dice.number(3, 4);
        nodes = (0..2 * switches as u32).map(|node| node % switches as u32).collect();
        let next = |from: u32| GraphLink::new(from, (from + 1) % switches as u32, 1);
        links = (0..switches as u32).map(next).collect();
    }
    let times = times(dice);
    let longest = links.iter().filter_map(|link| link.delay_ps).max().unwrap_or(0) / FLIT;
    let routes = routes(dice, &links, &nodes);
    let (leaves, count) = (Vec::new(), nodes.len());
    let topology = TopologySpec::Graph {
        switches: switches as u32,
        links,
        nodes,
        leaves,
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    let mut machine = machine(topology, times);
    machine.routing.algorithm = RoutingSpec::SourceRoutes { hops: Hops::Ports, routes };
    machine.routing.allow_deadlock = true;
    machine.switch.arbiter = dice.one_of(&[Arbiter::RoundRobin, Arbiter::Fifo]);
    machine.interface.header_bytes = dice.one_of(&[1, 1, 1, 2, 3]);
    let node_wire = if dice.chance(70) { times.0 } else { dice.number(1, 8) };
    let (width, delay_ps) = (Some(dice.one_of(&[1, 1, 1, 2])), Some(node_wire * FLIT));
    machine.node_link = Some(LinkClass { width, delay_ps, ..LinkClass::default() });
    if dice.chance(30) {
        machine.interface.unit = Unit::Packet;
        machine.interface.packet_bytes = dice.number(1, 20) as u32;
    }
    let go = u64::from(machine.interface.header_bytes) - 1 + dice.one_of(&[0, 0, 1, 3, 12]);
    let stop = go + dice.one_of(&[1, 1, 2, 4, 15]);
    let under_way = 2 * longest.max(times.0).max(node_wire) - 1;
    let slack = stop + under_way + dice.one_of(&[0, 0, 0, 5]);
    let machine = marked(machine, (stop as u32, go as u32, slack as u32));
    let list = list(dice, count as u64, is_ring);
    spec(machine, messages(&list))
}

/// On wires, through a switch, and of being granted again, in cycles.
fn times(dice: &mut Dice) -> (u64, u64, u64) {
    let wire = dice.one_of(&[1, 1, 2, 3, 5, 9]);
    (wire, dice.one_of(&[1, 1, 2, 3, 7]), dice.one_of(&[0, 0, 1, 2, 6]))
}

/// A tree, perhaps with further links: rings and parallel ones among them.
fn links(dice: &mut Dice, switches: u32) -> Vec<GraphLink> {
    let mut links = Vec::new();
    let mut join = |dice: &mut Dice, from: u32, to: u32| {
        let width = dice.one_of(&[1, 1, 1, 2]);
        let delay = dice.chance(30).then(|| dice.number(1, 9) * FLIT);
        for (from, to) in [(from, to), (to, from)] {
            links.push(GraphLink { delay_ps: delay, ..GraphLink::new(from, to, width) });
        }
    };
    for switch in 1..switches {
        let other = dice.number(0, u64::from(switch) - 1) as u32;
        join(dice, switch, other);
    }
    for _ in 0..dice.one_of(&[0, 0, 1, 3]) {
        let most = u64::from(switches) - 1;
        let (one, other) = (dice.number(0, most) as u32, dice.number(0, most) as u32);
        if one != other {
            join(dice, one, other);
        }
    }
    links
}

/// A way for every pair: by any links that come nearer, each as likely.
fn routes(dice: &mut Dice, links: &[GraphLink], nodes: &[u32]) -> Vec<SourceRoute> {
    let away = |from: u32, to: u32| {
        let mut reached = vec![from];
        for steps in 0..=links.len() {
            if reached.contains(&to) {
                return steps;
            }
            let next = links.iter().filter(|link| reached.contains(&link.from));
            let next: Vec<u32> = next.map(|link| link.to).collect();
            reached.extend(next);
        }
        panic!("there is a way to everybody")
    };
    let mut routes = Vec::new();
    for source in 0..nodes.len() {
        for destination in 0..nodes.len() {
            let (mut at, end) = (nodes[source], nodes[destination]);
            let mut hops = Vec::new();
            while at != end {
                let out: Vec<&GraphLink> = links.iter().filter(|link| link.from == at).collect();
                let nearer = |port: &usize| away(out[*port].to, end) < away(at, end);
                let ports: Vec<usize> = (0..out.len()).filter(nearer).collect();
                let port = dice.one_of(&ports);
                hops.push(port as u32);
                at = out[port].to;
            }
            let (source, destination) = (source as u32, destination as u32);
            let classes = Vec::new();
            if nodes[source as usize] != nodes[destination as usize] {
                routes.push(SourceRoute { source, destination, hops, classes });
            }
        }
    }
    routes
}

/// Messages, many at one instant and many to one node.
fn list(dice: &mut Dice, nodes: u64, is_ring: bool) -> Vec<(u64, u32, u32, u32)> {
    let (spot, longest) = (dice.number(0, nodes - 1), dice.one_of(&[1, 5, 20, 60]));
    let gap = if is_ring { 3 } else { dice.one_of(&[1, longest, 4 * longest]) };
    let mut time = 0;
    let mut list = Vec::new();
    for _ in 0..dice.number(2, 40) {
        time += if dice.chance(50) { 0 } else { dice.number(0, gap) };
        let source = dice.number(0, nodes - 1);
        let any = dice.number(0, nodes - 1);
        let destination = match is_ring {
            true => (source + nodes / 2 - 1) % nodes,
            false if dice.chance(40) => spot,
            false => any,
        };
        if source != destination {
            let bytes = dice.number(0, longest) as u32;
            list.push((time, source as u32, destination as u32, bytes));
        }
    }
    list
}
