//! What is said of a description is what a simulation of it does.

use tailback_engine::Simulation;
use tailback_engine::facts::{Answer, Exact, Network, Question, answer};
use tailback_engine::spec::*;

fn network(topology: TopologySpec) -> Network {
    match answer(&Question::Topology { topology }) {
        Ok(Answer::Topology(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn exact(machine: &Machine) -> Exact {
    match answer(&Question::Exact { machine: machine.clone() }) {
        Ok(Answer::Exact(exact)) => exact,
        other => panic!("{other:?}"),
    }
}

fn refusal(machine: &Machine, fidelity: Fidelity) -> String {
    let question = Question::Fidelity { machine: machine.clone(), fidelity };
    answer(&question).err().map(|error| error.to_string()).unwrap_or_default()
}

fn mesh() -> TopologySpec {
    TopologySpec::Mesh { dims: vec![4, 3] }
}

/// A wormhole machine without acknowledgements, with flow control out of band.
fn worms(topology: TopologySpec) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine
}

fn spec(machine: Machine, fidelity: Fidelity) -> Spec {
    Spec {
        machine,
        workload: Workload::Messages(Messages::default()),
        mode: Mode::Full,
        fidelity,
        seed: 1,
        sample_interval_ps: 1_000_000,
        sparse_samples: false,
        record_packets: false,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

#[test]
fn networks_are_counted() {
    let found = network(mesh());
    assert_eq!((found.nodes, found.switches, found.degree, found.links), (12, 12, 4, 34));
    assert_eq!((found.shape, found.link_classes), (vec![4, 3], vec!["x".into(), "y".into()]));
    assert_eq!((found.is_direct, found.typical_hops, found.one_way), (true, 3, None));
    let butterfly = network(TopologySpec::Butterfly { arity: 2, stages: 2 });
    assert_eq!((butterfly.nodes, butterfly.one_way), (4, Some((0, 2))));
    let star = network(TopologySpec::Star { nodes: 5 });
    assert_eq!((star.nodes, star.switches, star.degree, star.links), (5, 1, 1, 0));
    // Two links in a row, both ways, the first node at an end: half of two.
    let link = |from, to| GraphLink::new(from, to, 1);
    let links = vec![link(0, 1), link(1, 0), link(1, 2), link(2, 1)];
    let line = TopologySpec::Graph {
        switches: 3,
        links,
        nodes: vec![0, 1, 2],
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    assert_eq!(network(line).typical_hops, 1);
}

#[test]
fn what_cannot_be_built_is_refused_as_by_a_simulation() {
    let topology = TopologySpec::Mesh { dims: vec![1, 1] };
    let told = answer(&Question::Topology { topology: topology.clone() }).unwrap_err();
    let machine = Machine::t9000(topology);
    assert_eq!(Some(told), Simulation::new(&spec(machine, Fidelity::Packet)).err());
}

/// Each fidelity, on machines of which each refuses some.
#[test]
fn fidelities_are_refused_as_by_a_simulation() {
    let fidelities =
        [Fidelity::Token, Fidelity::Flit, Fidelity::Worm, Fidelity::Stream, Fidelity::Packet];
    let mut machines = vec![Machine::t9000(mesh()), worms(mesh())];
    let mut change = |change: fn(&mut Machine)| {
        let mut machine = worms(mesh());
        change(&mut machine);
        machines.push(machine);
    };
    change(|machine| machine.switch.virtual_channels = 2);
    change(|machine| machine.link.packet_gap_ps = 5);
    change(|machine| machine.switch.input_buffer_flits = Some(0));
    change(|machine| machine.switch.input_buffer_flits = None);
    change(|machine| machine.switch.switching = Switching::CutThrough);
    change(|machine| machine.routing.algorithm = RoutingSpec::Chaos);
    change(|machine| machine.routing.algorithm = RoutingSpec::WestFirst);
    change(|machine| machine.set_node_link(|class| class.flit_ps = Some(1)));
    let mut refused = 0;
    for machine in &machines {
        for fidelity in fidelities {
            let simulated = Simulation::new(&spec(machine.clone(), fidelity)).err();
            let simulated = simulated.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(refusal(machine, fidelity), simulated, "{fidelity:?}");
            refused += usize::from(!simulated.is_empty());
        }
    }
    assert!(refused > machines.len() && refused < 5 * machines.len());
}

/// That is searched for when the machine is built.
#[test]
fn deadlock_is_not_searched_for() {
    let mut ring = worms(TopologySpec::Torus { dims: vec![5] });
    ring.switch.virtual_channels = 1;
    assert!(Simulation::new(&spec(ring.clone(), Fidelity::Worm)).is_err());
    assert_eq!(refusal(&ring, Fidelity::Worm), "");
}

#[test]
fn the_cheapest_exact_fidelity_is_found() {
    let of = |change: fn(&mut Machine)| {
        let mut machine = worms(mesh());
        change(&mut machine);
        exact(&machine).fidelity
    };
    assert_eq!(exact(&Machine::t9000(mesh())).fidelity, "token");
    assert_eq!(of(|_| ()), "worm");
    assert_eq!(of(|machine| machine.switch.virtual_channels = 2), "flit");
    assert_eq!(of(|machine| machine.link.packet_gap_ps = 5), "flit");
    assert_eq!(of(|machine| machine.routing.algorithm = RoutingSpec::Deflection), "packet");
    assert_eq!(of(|machine| machine.switch.switching = Switching::CutThrough), "packet");
    // A buffer that is too small is too small for all of them.
    assert_eq!(of(|machine| machine.switch.input_buffer_flits = Some(0)), "worm");
    let mut shared = worms(mesh());
    shared.switch.virtual_channels = 2;
    assert_eq!(exact(&shared).why, "virtual channels share wires flit by flit");
}
