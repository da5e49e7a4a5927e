use super::*;
use crate::routing::loads::OfOneRate;
use crate::routing::walk::{
    Promise, cases, check_free, check_ways, machine, refusal, routing, routing_on, sides,
};
use crate::routing::{Properties, Routing};
use crate::spec::{RoutingSpec, TopologySpec};

fn ugal_l() -> RoutingSpec {
    RoutingSpec::UgalL { order: vec![], weighing: Weighing::default() }
}

fn ugal_g() -> RoutingSpec {
    RoutingSpec::UgalG { order: vec![], weighing: Weighing::default() }
}

fn par() -> RoutingSpec {
    RoutingSpec::Par { weighing: Weighing::default() }
}

fn fly(p: u32, a: u32, h: u32, groups: u32) -> TopologySpec {
    TopologySpec::Dragonfly { nodes_per_switch: p, switches_per_group: a, global_links: h, groups }
}

/// Every way of every packet, with as many channels as it needs.
fn check(spec: &TopologySpec, algorithm: &RoutingSpec, needed: usize, longest: u32) {
    let topology = Topology::new(spec).unwrap();
    assert_eq!(Properties::of(algorithm, &topology).unwrap().classes, needed, "{spec:?}");
    let routing = routing(spec, algorithm, needed as u32);
    let found = check_ways(&topology, &routing, Promise::Arrives);
    assert!(found <= longest, "{found} hops on {spec:?}");
    check_free(&topology, &routing);
}

#[test]
fn random_dragonflies_have_no_circle_of_channels() {
    let mut random = cases(81);
    for _ in 0..250 {
        let [a, h] = [5, 3].map(|most| 1 + random.below(most) as u32);
        let groups = 2 + random.below(u64::from(a * h).min(4)) as u32;
        let fly = fly(1 + random.below(2) as u32, a, h, groups);
        check(&fly, &RoutingSpec::ValiantByGroups, 3, 5);
        check(&fly, &ugal_l(), 3, 5);
        check(&fly, &par(), 4, 6);
    }
}

#[test]
fn random_dragonflies_plus_have_no_circle_of_channels() {
    let mut random = cases(82);
    for _ in 0..100 {
        let [leaves, spines, h] = [3, 3, 3].map(|most| 1 + random.below(most) as u32);
        let groups = 2 + random.below(u64::from(spines * h).min(3)) as u32;
        let (nodes_per_leaf, global_links) = (1 + random.below(2) as u32, h);
        let fly =
            TopologySpec::DragonflyPlus { nodes_per_leaf, leaves, spines, global_links, groups };
        check(&fly, &RoutingSpec::ValiantByGroups, 3, 6);
        check(&fly, &ugal_g(), 3, 6);
        check(&fly, &par(), 4, 8);
    }
}

#[test]
fn random_direct_networks_have_no_circle_of_channels() {
    let mut random = cases(83);
    for case in 0..200 {
        let dims = sides(&mut random, 1 + case % 2, 14);
        let hops = |ring: bool| -> u32 {
            dims.iter().map(|&k| if ring && k > 2 { k / 2 } else { k - 1 }).sum()
        };
        let (mesh, torus) = (2 * hops(false), 2 * hops(true));
        check(&TopologySpec::Mesh { dims: dims.clone() }, &ugal_l(), 2, mesh);
        let classes = if dims.iter().any(|&k| k > 2) { 4 } else { 2 };
        check(&TopologySpec::Torus { dims: dims.clone() }, &ugal_g(), classes, torus);
        let wide: Vec<u32> = dims.iter().map(|&k| k.clamp(2, 4)).collect();
        let longest = 2 * wide.len() as u32;
        let hyperx = TopologySpec::HyperX {
            dims: wide,
            widths: vec![],
            nodes_per_switch: 1,
            by_distance: false,
        };
        check(&hyperx, &ugal_l(), 2, longest);
    }
    let islands = TopologySpec::Islands { accelerators: 4, islands: 3, rails: 2 };
    check(&islands, &ugal_l(), 2, 6);
    let all = TopologySpec::FullyConnected { switches: 5, nodes_per_switch: 2 };
    check(&all, &ugal_l(), 2, 2);
}

/// Where shortest paths can deadlock the hops are numbered: twice the diameter.
#[test]
fn any_graph_has_a_class_for_every_hop() {
    for seed in 0..12 {
        let (switches, links_per_switch) = (8 + seed as u32 % 3 * 2, 3);
        let nodes_per_switch = 1;
        let fish = TopologySpec::Jellyfish { switches, links_per_switch, nodes_per_switch, seed };
        let topology = Topology::new(&fish).unwrap();
        let of = |spec| Properties::of(&spec, &topology).unwrap().classes;
        let diameter = of(RoutingSpec::HopClasses);
        assert_eq!(of(ugal_l()), 2 * diameter);
        check(&fish, &ugal_l(), 2 * diameter, 2 * diameter as u32);
    }
    let few = TopologySpec::SlimFly { q: 5, nodes_per_switch: 1 };
    assert_eq!(
        Properties::of(&ugal_l(), &Topology::new(&few).unwrap()).unwrap().classes,
        4,
        "two hops to any switch"
    );
}

/// What is decided at loads for a packet from the first node to one a third further, by way of the last
/// group or directly.
fn decided(spec: &TopologySpec, algorithm: &RoutingSpec, loads: impl Fn(u32, usize) -> u32) -> u32 {
    decided_with(8, spec, algorithm, loads)
}

/// The same by way of another group.
fn decided_with(
    middle: u32,
    spec: &TopologySpec,
    algorithm: &RoutingSpec,
    loads: impl Fn(u32, usize) -> u32,
) -> u32 {
    let topology = Topology::new(spec).unwrap();
    let channels = Properties::of(algorithm, &topology).unwrap().classes;
    let routing = routing_on(&topology, algorithm, channels as u32).unwrap();
    let (source, destination) = (NodeId(0), NodeId(topology.nodes as u32 / 3));
    let header = Header { source, destination, route: OPEN | middle, traffic: 0 };
    let load = |switch: SwitchId, slot: usize| {
        if slot.is_multiple_of(channels) { loads(switch.0, slot / channels).into() } else { 0 }
    };
    let as_flits = routing.decide(SwitchId(0), header, OfOneRate { flit: 1, load });
    // The same in time: on links of one rate it is the same.
    let load = |switch, slot| 80 * load(switch, slot);
    let as_time = routing.decide(SwitchId(0), header, OfOneRate { flit: 80, load });
    assert_eq!(as_flits, as_time);
    as_flits
}

/// In the dragonfly of nine groups of four, with two links each, group 0 is joined to group 8 by
/// link 0 (its own, port 4), to group 3 by link 5, of switch 2 (port 2): three hops there (0-2, over,
/// and one more) against l g l g l by way of group 8.
#[test]
fn the_less_loaded_way_is_taken() {
    let fly = fly(1, 4, 2, 9);
    let direct = NO_MIDDLE | SECOND;
    let of = |algorithm: &RoutingSpec, direct: u32, round: u32| {
        decided(&fly, algorithm, |switch, port| match (switch, port) {
            (0, 2) => direct,
            (0, 4) => round,
            _ => 0,
        })
    };
    let topology = Topology::new(&fly).unwrap();
    let detour = Detour::new("", Choice::Locally, Weighing::default(), &[], &topology).unwrap();
    let hops = |route| {
        let header = Header { source: NodeId(0), destination: NodeId(12), route, traffic: 0 };
        detour.weigh(SwitchId(0), header, &mut OfOneRate { flit: 1, load: |_, _| 0 }).hops
    };
    let (near, far) = (hops(direct), hops(8));
    assert_eq!((near, far), (3, 4));
    assert_eq!(of(&ugal_l(), 0, 0), direct);
    assert_eq!(of(&ugal_l(), 6, 5), direct);
    assert_eq!(of(&ugal_l(), 7, 5), 8);
    let biased = RoutingSpec::UgalL {
        order: vec![],
        weighing: Weighing { threshold: 2, ..Weighing::default() },
    };
    assert_eq!(of(&biased, 7, 5), direct);
    assert_eq!(of(&biased, 8, 5), 8);
    let doubled = RoutingSpec::UgalL {
        order: vec![],
        weighing: Weighing { threshold: 30, doubles: true, ..Weighing::default() },
    };
    assert_eq!(of(&doubled, 40, 5), direct);
    assert_eq!(of(&doubled, 41, 5), 8);
    // What is loaded further on is seen globally only: link 1 of switch 2 leads to group 3.
    let behind = |algorithm: &RoutingSpec| {
        decided(&fly, algorithm, |switch, port| u32::from((switch, port) == (2, 5)) * 7)
    };
    assert_eq!(behind(&ugal_l()), direct);
    assert_eq!(behind(&ugal_g()), 8);
    // So is which of two ways by switch 2 is loaded: to group 4 it is link 0.
    let alike = |algorithm: &RoutingSpec| {
        decided_with(4, &fly, algorithm, |switch, port| u32::from((switch, port) == (2, 5)) * 9)
    };
    assert_eq!(alike(&ugal_l()), direct);
    assert_eq!(alike(&ugal_g()), 4);
}

/// Loads by port where links between groups take four times as long as those within.
struct SlowBetweenGroups {
    channels: usize,
    local_ports: usize,
    of_port: fn(usize) -> u64,
}

impl Loads for SlowBetweenGroups {
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64 {
        let is_seen = switch == SwitchId(0) && slot.is_multiple_of(self.channels);
        if is_seen { (self.of_port)(slot / self.channels) } else { 0 }
    }

    fn flit(&self, _switch: SwitchId, slot: usize) -> u64 {
        if slot / self.channels < self.local_ports { 1 } else { 4 }
    }

    fn usual_flit(&self) -> u64 {
        1
    }
}

/// As above: directly by a link of its group (port 2), or by its own link between groups (port 4). What
/// waits behind the former is judged by the other link between groups (port 5), and by none where loads
/// are doubled. With one such link for each switch (port 3 from there on) it is judged by that one.
#[test]
fn slower_links_further_on_are_judged_by_those_seen() {
    let way = |links: u32, doubles: bool, of_port: fn(usize) -> u64| {
        let weighing = Weighing { doubles, ..Weighing::default() };
        let algorithm = RoutingSpec::UgalL { order: vec![], weighing };
        let topology = Topology::new(&fly(1, 4, links, 4 * links + 1)).unwrap();
        let channels = Properties::of(&algorithm, &topology).unwrap().classes;
        let routing = routing_on(&topology, &algorithm, channels as u32).unwrap();
        let (source, destination) = (NodeId(0), NodeId(topology.nodes as u32 / 3));
        let header = Header { source, destination, route: OPEN | (4 * links), traffic: 0 };
        let loads = SlowBetweenGroups { channels, local_ports: 3 + 1, of_port };
        routing.decide(SwitchId(0), header, loads)
    };
    let direct = NO_MIDDLE | SECOND;
    let loads = |port| [0, 0, 0, 0, 20, 26][port];
    assert_eq!(way(2, false, loads), direct);
    assert_eq!(way(2, false, |port| [0, 0, 0, 0, 20, 27][port]), 8);
    assert_eq!(way(2, true, |port| [0, 0, 0, 0, 20, 27][port]), direct);
    assert_eq!(way(2, false, |port| [0, 0, 27, 0, 20, 0][port]), 8);
}

/// Every middle is as likely, but for the groups a packet is in anyway.
#[test]
fn middles_are_uniform() {
    let fly = fly(1, 4, 2, 9);
    let topology = Topology::new(&fly).unwrap();
    let made = machine(&fly, &ugal_l(), 3);
    let routing = Routing::new(&made, &topology, 7).unwrap();
    let drawn = |source, destination| {
        let mut counts = [0u32; 9];
        for packet in 0..7_000 {
            let route = routing.begin(NodeId(source), NodeId(destination), (0, packet));
            counts[(route & !OPEN) as usize] += 1;
        }
        counts
    };
    for (source, destination, never) in [(0, 35, [0, 8]), (13, 4, [1, 3]), (5, 6, [1, 1])] {
        let counts = drawn(source, destination);
        let usual = 7_000 / (9 - if never[0] == never[1] { 1 } else { 2 });
        for (group, &count) in counts.iter().enumerate() {
            let expected = if never.contains(&group) { 0 } else { usual };
            assert!(count.abs_diff(expected) <= expected / 8, "{group}: {counts:?}");
        }
    }
    // On a HyperX coordinates that agree stay.
    let hyperx = TopologySpec::HyperX {
        dims: vec![4, 4],
        widths: vec![],
        nodes_per_switch: 2,
        by_distance: false,
    };
    let topology = Topology::new(&hyperx).unwrap();
    let routing = Routing::new(&machine(&hyperx, &ugal_l(), 2), &topology, 7).unwrap();
    for packet in 0..200 {
        // Switches 1 and 9: both x = 1.
        let middle = (routing.begin(NodeId(2), NodeId(18), (0, packet)) & !OPEN) / 2;
        assert_eq!(middle % 4, 1);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
    assert_eq!(
        refusal(&mesh, &par(), 4),
        "machine.routing = par: needs a dragonfly or a dragonfly+"
    );
    assert_eq!(
        refusal(&mesh, &RoutingSpec::ValiantByGroups, 4),
        "machine.routing.intermediate = group: must be node: there are no groups"
    );
    let few = refusal(&fly(1, 4, 2, 9), &ugal_l(), 2);
    assert!(few.contains("can deadlock") && few.contains("needs 3 virtual channels"), "{few}");
}
