//! Every routing algorithm under full load: all packets arrive, in every fidelity that
//! has the machine; and what can deadlock does.

mod common;

use common::{message_list, spec};
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::routing::Routing;
use tailback_engine::routing::dependency::{Search, find_cycle};
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;
use tailback_engine::{Class, Progress, RunError, Simulation};

/// Room for little more than one packet everywhere.
fn tight(topology: TopologySpec, routing: RoutingSpec, virtual_channels: u32) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.routing = routing;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.node = Node { link_width: 1, acknowledges: false, ..machine.node };
    let output_buffer_tokens = 0;
    machine.switch = Switch {
        input_buffer_tokens: 40,
        output_buffer_tokens,
        virtual_channels,
        ..machine.switch
    };
    machine
}

/// Every node sends to random others, all at once.
fn storm(nodes: u32, messages: u32) -> Workload {
    let mut random = Stream::new(5, Purpose::Destination, nodes);
    let pairs = (0..nodes * messages).map(|i| {
        let (source, ahead) = (i % nodes, 1 + random.below(u64::from(nodes) - 1) as u32);
        (0, source, (source + ahead) % nodes, 1 + random.below(96) as u32)
    });
    message_list(&pairs.collect::<Vec<_>>())
}

fn machines() -> Vec<Machine> {
    let mesh = |dims: &[u32]| TopologySpec::Mesh { dims: dims.to_vec() };
    let torus = |dims: &[u32]| TopologySpec::Torus { dims: dims.to_vec() };
    let ordered = |balanced| RoutingSpec::DimensionOrder { order: vec![], balanced };
    let two_phase = || RoutingSpec::TwoPhase { order: vec![] };
    let adaptive = || RoutingSpec::Adaptive { order: vec![] };
    let up_down = |adaptive| RoutingSpec::UpDown { root: None, adaptive };
    let fly = TopologySpec::Dragonfly {
        nodes_per_switch: 1,
        switches_per_group: 3,
        global_links: 1,
        groups: 4,
    };
    let tree = || TopologySpec::FatTree { arity: 2, levels: 3 };
    let nearest = |adaptive| RoutingSpec::NearestCommonAncestor { adaptive };
    [
        (torus(&[5, 4]), ordered(false), 2),
        (torus(&[6, 3]), ordered(true), 3),
        (mesh(&[4, 4]), two_phase(), 2),
        (torus(&[4, 4]), two_phase(), 4),
        (TopologySpec::Hypercube { dimensions: 4 }, two_phase(), 2),
        (mesh(&[5, 4]), RoutingSpec::WestFirst, 1),
        (mesh(&[3, 3, 2]), RoutingSpec::WestFirst, 1),
        (mesh(&[3, 3, 2]), RoutingSpec::NegativeFirst, 1),
        (mesh(&[5, 5]), RoutingSpec::OddEven, 1),
        (mesh(&[4, 4]), adaptive(), 2),
        (torus(&[5, 4]), adaptive(), 4),
        (torus(&[5, 4]), up_down(true), 1),
        (torus(&[5, 4]), up_down(false), 2),
        (
            TopologySpec::FullyConnected { switches: 6, nodes_per_switch: 2 },
            RoutingSpec::Shortest,
            1,
        ),
        (tree(), nearest(true), 1),
        (tree(), nearest(false), 1),
        (tree(), two_phase(), 2),
        (TopologySpec::Butterfly { arity: 2, stages: 3 }, RoutingSpec::DestinationTag, 1),
        (fly.clone(), RoutingSpec::Minimal, 2),
        (fly, two_phase(), 4),
    ]
    .map(|(topology, routing, channels)| tight(topology, routing, channels))
    .into()
}

#[test]
fn every_packet_arrives() {
    for machine in machines() {
        let nodes = Topology::new(&machine.topology).unwrap().nodes as u32;
        let name = format!("{} on {:?}", machine.routing.name(), machine.topology);
        for fidelity in [Fidelity::Packet, Fidelity::Flit] {
            let spec = Spec { fidelity, ..spec(machine.clone(), storm(nodes, 20), Mode::Full) };
            let mut simulation = Simulation::new(&spec).unwrap();
            let outcome = simulation.advance(u64::MAX, u64::MAX);
            assert_eq!(outcome, Ok(Progress::Finished), "{name}, {fidelity:?}");
            let packets = simulation.take_packets();
            let Workload::Messages(list) = &spec.workload else { unreachable!() };
            let sent: u32 = list.bytes.iter().map(|bytes| bytes.div_ceil(32)).sum();
            let delivered = packets.iter().filter(|packet| packet.class == Class::Data).count();
            assert_eq!(delivered, sent as usize, "{name}, {fidelity:?}");
        }
    }
}

/// The packets that a circle of channels names, sent again and again, deadlock.
#[test]
fn what_can_deadlock_does() {
    for (topology, routing) in [
        (TopologySpec::Torus { dims: vec![5] }, RoutingSpec::Shortest),
        (
            TopologySpec::Torus { dims: vec![6, 4] },
            RoutingSpec::DimensionOrder { order: vec![], balanced: false },
        ),
    ] {
        let graph = Topology::new(&topology).unwrap();
        let mut machine = tight(topology, routing, 1);
        machine.allow_deadlock = true;
        let routing = Routing::new(&machine, &graph, 1).unwrap();
        let Search::Cycle(cycle) = find_cycle(&routing, &graph) else { panic!("no cycle") };
        let once = cycle.packets.iter().map(|p| (0, p.source.0, p.destination.0, 320));
        let list: Vec<_> = (0..10).flat_map(|_| once.clone()).collect();
        let spec = spec(machine, message_list(&list), Mode::Full);
        let outcome = Simulation::new(&spec).unwrap().advance(u64::MAX, u64::MAX);
        assert!(matches!(outcome, Err(RunError::Deadlock { .. })), "{outcome:?}");
    }
}
