use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::Stream;
use crate::routing::loads::OfOneRate;
use crate::routing::walk::{Promise, cases, check_free, check_ways, machine};
use crate::routing::{Header, Outputs, Routing};
use crate::spec::{Flow, Hosts, InterfaceRule, LinkClass, RoutingSpec, TopologySpec, Turn, Turns};
use crate::topology::Topology;
use std::collections::BTreeSet;

const RULES: [InterfaceRule; 8] = [
    InterfaceRule::Own,
    InterfaceRule::Rail,
    InterfaceRule::FlowHash { flow: Flow::Pair, seed: 3 },
    InterfaceRule::FlowHash { flow: Flow::ProcessPair, seed: 3 },
    InterfaceRule::FlowHash { flow: Flow::Message, seed: 3 },
    InterfaceRule::RoundRobin { turn: Turn::Message },
    InterfaceRule::RoundRobin { turn: Turn::Packet },
    InterfaceRule::LeastQueued,
];

/// Hosts of a network with so many nodes of the network, and so many nodes, each.
fn hosts(of: TopologySpec, sizes: &[(u32, u32)], rule: InterfaceRule) -> TopologySpec {
    let (mut all, mut own, mut first) = (Vec::new(), Vec::new(), 0);
    for &(interfaces, nodes) in sizes {
        all.push((first..first + interfaces).collect());
        own.extend((0..nodes).map(|node| first + node * interfaces / nodes));
        first += interfaces;
    }
    let inside = LinkClass::default();
    TopologySpec::Hosts {
        of: Box::new(of),
        hosts: Hosts { interfaces: all, own, rule, inside, delay_ps: 0 },
    }
}

/// Hosts of one to four interfaces, and one to three nodes, on all nodes of a network.
fn random_sizes(nodes: usize, random: &mut Stream) -> Vec<(u32, u32)> {
    let (mut left, mut sizes) = (nodes as u32, Vec::new());
    while left > 0 {
        let interfaces = (1 + random.below(4) as u32).min(left);
        // The first has two nodes at least: there may be no other.
        let least = if sizes.is_empty() { 2 } else { 1 };
        sizes.push((interfaces, least + random.below(3) as u32));
        left -= interfaces;
    }
    sizes
}

fn leaves_and_spines(random: &mut Stream) -> TopologySpec {
    let mut draw = |most| 1 + random.below(most) as u32;
    let (children, parents) = (vec![1 + draw(3), draw(3)], vec![1 + draw(2)]);
    TopologySpec::Xgft { children, parents, widths: vec![] }
}

fn routing(spec: &TopologySpec, algorithm: &RoutingSpec) -> (Topology, Routing) {
    let topology = Topology::new(spec).unwrap();
    let made = (1..20).find_map(|classes| {
        let machine = machine(spec, algorithm, classes);
        let routing = Routing::new(&machine, &topology, 1).ok()?;
        routing.properties().is_known_free.then_some(routing)
    });
    (topology, made.unwrap())
}

/// No packet comes by a host but the first and the last, and those inside a host stay there.
fn check_hosts(topology: &Topology, routing: &Routing) {
    let network = topology.hosts.as_ref().unwrap().network.switches;
    let ends = |node: NodeId| topology.attachments[node.index()].enters().unwrap();
    let mut outputs = Outputs::default();
    let nodes = || (0..topology.nodes).map(NodeId::from_index);
    for (source, destination) in nodes().flat_map(|s| nodes().map(move |d| (s, d))) {
        let (begins, home) = (ends(source), ends(destination));
        let mut open = Vec::new();
        let mut seen = BTreeSet::new();
        for route in routing.beginnings(source, destination) {
            let header = Header { source, destination, route, traffic: 0 };
            open.push((begins, routing.passed(begins, header, None)));
        }
        while let Some((at, route)) = open.pop() {
            if !seen.insert((at, route)) {
                continue;
            }
            assert!(at.index() < network || at == begins || at == home, "passes a host");
            let mut routes = Vec::new();
            routing.alternatives(at, Header { source, destination, route, traffic: 0 }, |route| {
                routes.push(route);
            });
            for route in routes {
                let header = Header { source, destination, route, traffic: 0 };
                outputs.clear();
                routing.outputs(at, header, &mut outputs);
                for (slot, _) in outputs.iter() {
                    let to = topology.neighbour(at, slot / routing.classes().len());
                    open.push((to, routing.passed(to, header, Some(slot))));
                }
            }
        }
        let stays = begins == home && begins.index() >= network;
        assert!(!stays || seen.iter().all(|&(at, _)| at == begins), "leaves its host");
    }
}

#[test]
fn every_packet_arrives_and_none_passes_a_host() {
    let mut random = cases(140);
    for case in 0..60 {
        let network = match case % 3 {
            0 => leaves_and_spines(&mut random),
            1 => TopologySpec::Mesh { dims: vec![2 + random.below(2) as u32, 3] },
            _ => TopologySpec::Dragonfly {
                nodes_per_switch: 1 + random.below(2) as u32,
                switches_per_group: 2,
                global_links: 1,
                groups: 3,
            },
        };
        let own: &[RoutingSpec] = match case % 3 {
            0 => &[
                RoutingSpec::NearestCommonAncestor { adaptive: true },
                RoutingSpec::RandomAncestor,
                RoutingSpec::SModK,
            ],
            1 => &[
                RoutingSpec::DimensionOrder { order: vec![], balanced: false },
                RoutingSpec::UpDown { root: None, adaptive: true },
                RoutingSpec::MinimalAdaptive { order: vec![] },
            ],
            _ => &[RoutingSpec::Minimal, RoutingSpec::Valiant { order: vec![] }],
        };
        let anywhere = [
            RoutingSpec::Ecmp { flow: Flow::Pair, seed: 1 },
            RoutingSpec::Spray { turns: Turns::RoundRobin },
            RoutingSpec::HopClasses,
        ];
        let nodes = Topology::new(&network).unwrap().nodes;
        let sizes = random_sizes(nodes, &mut random);
        for rule in RULES {
            let spec = hosts(network.clone(), &sizes, rule);
            for algorithm in own.iter().chain(&anywhere) {
                let has_places = !matches!(rule, InterfaceRule::Own | InterfaceRule::Rail);
                let keeps_much = matches!(algorithm, RoutingSpec::Valiant { .. });
                let escapes = matches!(algorithm, RoutingSpec::MinimalAdaptive { .. });
                if has_places && (keeps_much || escapes) {
                    continue;
                }
                let (topology, routing) = routing(&spec, algorithm);
                check_ways(&topology, &routing, Promise::Arrives);
                check_free(&topology, &routing);
                check_hosts(&topology, &routing);
            }
        }
    }
}

/// The leaves by which packets of a process leave the first of two hosts on `interfaces` stars.
fn taken(rule: InterfaceRule, interfaces: u32, (from, to): (u32, u32), count: u32) -> Vec<u32> {
    let children = vec![2, interfaces];
    let network = TopologySpec::Xgft { children, parents: vec![1], widths: vec![] };
    // Nodes 2 i and 2 i + 1 are on leaf i: the i-th interfaces of both hosts.
    let spec = TopologySpec::Hosts {
        of: Box::new(network),
        hosts: Hosts {
            interfaces: (0..2)
                .map(|host| (0..interfaces).map(|place| 2 * place + host).collect())
                .collect(),
            own: (0..2 * interfaces)
                .map(|node| node % interfaces * 2 + node / interfaces)
                .collect(),
            rule,
            inside: LinkClass::default(),
            delay_ps: 0,
        },
    };
    let (topology, routing) = routing(&spec, &RoutingSpec::Ecmp { flow: Flow::Pair, seed: 1 });
    let (source, destination) = (NodeId(from), NodeId(interfaces + to));
    let at = topology.attachments[source.index()].enters().unwrap();
    let leaf = |number: u32| {
        // Each message has three packets.
        let flow = routing.flow((ProcessId(from), ProcessId(to)), (number / 3, number));
        let route = routing.begin(source, destination, (flow, number));
        let header = Header { source, destination, route, traffic: 0 };
        let loads = OfOneRate { flit: 1, load: |_, slot| 10 - slot as u64 };
        let route = routing.decide(at, header, loads);
        let slot = routing.next(at, Header { route, ..header }).unwrap();
        let first = topology.neighbour(at, slot);
        // It goes to the same place, by one leaf, unless the rule names both ends.
        let route = routing.passed(first, Header { route, ..header }, Some(slot));
        let next = routing.next(first, Header { route, ..header }).unwrap();
        let is_direct = topology.neighbour(first, next).index() > interfaces as usize;
        assert!(is_direct || rule == InterfaceRule::Own);
        first.0
    };
    (0..count).map(leaf).collect()
}

#[test]
fn rules_name_interfaces() {
    let of = |rule, pair, count| taken(rule, 4, pair, count);
    assert_eq!(of(InterfaceRule::Own, (1, 3), 3), [1; 3]);
    assert_eq!(of(InterfaceRule::Rail, (1, 3), 3), [3; 3]);
    let turns = |turn| of(InterfaceRule::RoundRobin { turn }, (1, 3), 9);
    assert_eq!(turns(Turn::Packet), [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!(turns(Turn::Message), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    // Of the loads above the last is the least.
    assert_eq!(of(InterfaceRule::LeastQueued, (1, 2), 2), [3; 2]);
    let hashed = |flow| of(InterfaceRule::FlowHash { flow, seed: 7 }, (1, 3), 3000);
    assert_eq!(hashed(Flow::Pair).iter().collect::<BTreeSet<_>>().len(), 1);
    let messages = hashed(Flow::Message);
    assert!(messages.chunks(3).all(|three| three[0] == three[2]));
    for leaf in 0..4 {
        let count = messages.iter().filter(|&&taken| taken == leaf).count();
        assert!((600..900).contains(&count), "{count}");
    }
}

#[test]
fn a_host_of_one_interface_and_one_node_has_no_switch() {
    let star = TopologySpec::Star { nodes: 5 };
    let spec = hosts(star.clone(), &[(1, 1), (2, 1), (1, 1), (1, 2)], InterfaceRule::Own);
    let topology = Topology::new(&spec).unwrap();
    assert_eq!((topology.nodes, topology.switches), (5, 3));
    let at: Vec<_> = topology.attachments.iter().map(|at| at.enters().unwrap().0).collect();
    assert_eq!(at, [0, 1, 0, 2, 2]);
    let out: Vec<_> = topology.links(SwitchId(0)).map(|(_, to)| to.0).collect();
    assert_eq!(out, [1, 1, 2]);
    let alone = Topology::new(&hosts(star, &[(1, 1); 5], InterfaceRule::Own)).unwrap();
    assert_eq!((alone.switches, alone.links(SwitchId(0)).count()), (1, 0));
}

/// It has one place to choose, and so arrives at the interface of that: not at the own one of node 2.
#[test]
fn without_a_switch_the_least_queued_interface_is_the_only_one() {
    let star = TopologySpec::Star { nodes: 3 };
    let spec = hosts(star, &[(1, 1), (2, 2)], InterfaceRule::LeastQueued);
    let (_, routing) = routing(&spec, &RoutingSpec::Shortest);
    let (source, destination) = (NodeId(0), NodeId(2));
    let route = routing.begin(source, destination, (0, 0));
    let header = Header { source, destination, route, traffic: 0 };
    let mut outputs = Outputs::default();
    routing.outputs(SwitchId(0), header, &mut outputs);
    assert_eq!(outputs.iter().map(|(slot, _)| slot).collect::<Vec<_>>(), [0]);
}

#[test]
fn what_cannot_be_is_refused() {
    let star = |nodes| TopologySpec::Star { nodes };
    let refusal = |spec| Topology::new(&spec).unwrap_err().to_string();
    let with = |interfaces: &[&[u32]], own: &[u32]| {
        let interfaces = interfaces.iter().map(|own| own.to_vec()).collect();
        let (rule, inside, own) = (InterfaceRule::Own, LinkClass::default(), own.to_vec());
        let hosts = Hosts { interfaces, own, rule, inside, delay_ps: 0 };
        refusal(TopologySpec::Hosts { of: Box::new(star(3)), hosts })
    };
    assert_eq!(with(&[&[0], &[1]], &[0, 1]), "machine.hosts.interfaces = : must have all nodes");
    assert!(with(&[&[0, 1], &[2]], &[0, 3]).contains("own = 3: must be an interface, 0 to 2"));
    assert!(with(&[&[0, 1], &[2]], &[0, 1]).contains("own = host 1: must have a node"));
    assert!(with(&[&[0, 1, 2], &[]], &[0, 2]).contains("host 1: must have an interface"));
    assert!(with(&[&[0, 1, 3]], &[0, 2]).contains("interfaces = 3: must be 0 to 2"));
    assert!(with(&[&[0, 1], &[2, 1]], &[0, 2]).contains("interfaces = 1: must be of one host"));
    assert!(with(&[&[0, 1, 2]], &[0]).contains("own = 1 nodes: must be 2 to"));
    let turns = InterfaceRule::RoundRobin { turn: Turn::Packet };
    let spec = hosts(star(16), &[(5, 1), (8, 1), (3, 1)], turns);
    let made = Topology::new(&spec).unwrap();
    let machine = machine(&spec, &RoutingSpec::Shortest, 1);
    let error = Routing::new(&machine, &made, 1).err().unwrap().to_string();
    assert!(error.starts_with("machine.hosts.rule = round_robin: must be own or rail"), "{error}");
}
