//! Every routing algorithm at work: all packets arrive, by the shortest ways where that is
//! promised, whatever the load; machines that can deadlock do, and say why.
//!
//! `TAILBACK_CASES=1 cargo test --test exact routing::` sends as many packets as it ever does.

mod chaotic;
mod circles;
mod classes;
mod drawn;
mod failed;
mod spreading;
mod weighed;

use crate::common::{Run, message_list, packet_waits, spec};
use std::collections::VecDeque;
use tailback_engine::ids::SwitchId;
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;

/// A machine without acknowledgements whose buffers hold two packets.
fn machine(topology: TopologySpec, routing: RoutingSpec, channels: u32) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.routing.algorithm = routing;
    machine.switch.virtual_channels = channels;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.link.credit_delay_ps = 5_000;
    machine.link.delay_ps = 3_000;
    machine.interface.acknowledges = false;
    machine
}

/// Every node sends `each` packets to nodes drawn by a small generator, all at once.
fn burst(nodes: u32, each: u32, seed: u32) -> Workload {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let mut draw = |bound: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % bound
    };
    let rows = (0..nodes * each).map(|row| {
        let from = row % nodes;
        (u64::from(draw(2_000)), from, (from + 1 + draw(nodes - 1)) % nodes, draw(33))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_unstable();
    message_list(&rows)
}

/// Channels from switch to switch between all pairs.
fn distances(topology: &Topology) -> Vec<Vec<u16>> {
    let from = |start: usize| {
        let mut far = vec![u16::MAX; topology.switches];
        far[start] = 0;
        let mut next = VecDeque::from([start]);
        while let Some(at) = next.pop_front() {
            for port in 0..topology.ports {
                let to = topology.neighbour(SwitchId(at as u32), port);
                if to.is_some() && far[to.index()] == u16::MAX {
                    far[to.index()] = far[at] + 1;
                    next.push_back(to.index());
                }
            }
        }
        far
    };
    (0..topology.switches).map(from).collect()
}

fn mesh(dims: &[u32]) -> TopologySpec {
    TopologySpec::Mesh { dims: dims.to_vec() }
}

fn torus(dims: &[u32]) -> TopologySpec {
    TopologySpec::Torus { dims: dims.to_vec() }
}

fn dimension_order() -> RoutingSpec {
    RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false }
}

const BALANCED: RoutingSpec = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: true };
const ADAPTIVE: RoutingSpec = RoutingSpec::MinimalAdaptive { order: Vec::new() };
const TWO_PHASE: RoutingSpec = RoutingSpec::Valiant { order: Vec::new() };
const UP_DOWN: RoutingSpec = RoutingSpec::UpDown { root: None, adaptive: true };

/// What is tried: a machine, whether its ways are the shortest.
fn machines() -> Vec<(Machine, bool)> {
    let cube = TopologySpec::Hypercube { dimensions: 4 };
    let tree = TopologySpec::FatTree { arity: 2, levels: 3 };
    let butterfly = TopologySpec::Butterfly { arity: 2, stages: 3 };
    let dragonfly = TopologySpec::Dragonfly {
        nodes_per_switch: 1,
        switches_per_group: 3,
        global_links: 1,
        groups: 4,
    };
    let full = TopologySpec::FullyConnected { switches: 6, nodes_per_switch: 2 };
    vec![
        (machine(mesh(&[4, 3]), dimension_order(), 3), true),
        (machine(torus(&[5, 4]), dimension_order(), 2), true),
        (machine(torus(&[4, 2, 3]), BALANCED, 4), true),
        (machine(mesh(&[4, 4]), RoutingSpec::WestFirst, 1), true),
        (machine(mesh(&[3, 5]), RoutingSpec::NegativeFirst, 2), true),
        (machine(mesh(&[5, 4]), RoutingSpec::OddEven, 1), true),
        (machine(mesh(&[4, 4]), ADAPTIVE, 2), true),
        (machine(torus(&[4, 5]), ADAPTIVE, 3), true),
        (machine(cube.clone(), ADAPTIVE, 3), true),
        (machine(mesh(&[4, 4]), TWO_PHASE, 2), false),
        (machine(torus(&[4, 4]), TWO_PHASE, 4), false),
        (machine(cube, TWO_PHASE, 2), false),
        (machine(torus(&[4, 3]), UP_DOWN, 1), false),
        (machine(tree.clone(), UP_DOWN, 2), true),
        (machine(tree.clone(), RoutingSpec::NearestCommonAncestor { adaptive: true }, 1), true),
        (machine(tree.clone(), RoutingSpec::NearestCommonAncestor { adaptive: false }, 2), true),
        (machine(tree, TWO_PHASE, 2), false),
        (machine(butterfly, RoutingSpec::DestinationTag, 1), false),
        (machine(dragonfly.clone(), RoutingSpec::Minimal, 2), false),
        (machine(dragonfly.clone(), RoutingSpec::MinimalByCrossing, 2), false),
        (machine(dragonfly, TWO_PHASE, 4), false),
        (machine(full, RoutingSpec::Shortest, 1), true),
    ]
}

const FIDELITIES: [Fidelity; 3] = [Fidelity::Packet, Fidelity::Flit, Fidelity::Worm];

/// Whether a fidelity can simulate a machine is the engine's to say, with a reason.
fn run(machine: &Machine, workload: Workload, fidelity: Fidelity) -> Option<Run> {
    let mut machine = machine.clone();
    let is_shared = machine.switch.virtual_channels > 1;
    if fidelity == Fidelity::Worm && is_shared {
        machine.link.sharing = Sharing::Separate;
        if matches!(machine.routing.algorithm, RoutingSpec::MinimalAdaptive { .. }) {
            return None;
        }
    }
    let blame = Some(packet_waits());
    Some(Run::with(&Spec { fidelity, blame, ..spec(machine, workload, Mode::Full) }))
}

#[test]
fn all_packets_arrive_by_allowed_ways() {
    for (number, (machine, is_shortest)) in machines().into_iter().enumerate() {
        for sharing in [Sharing::RoundRobin, Sharing::UntilStall] {
            for selection in [Selection::First, Selection::Random, Selection::MostCredit] {
                let mut machine = machine.clone();
                (machine.link.sharing, machine.routing.selection) = (sharing, selection);
                // Small buffers: worms stand in several switches.
                machine.switch.input_buffer_flits = Some(if number % 2 == 0 { 40 } else { 70 });
                check_all(number as u32, &machine, is_shortest);
            }
        }
    }
}

fn check_all(number: u32, machine: &Machine, is_shortest: bool) {
    for fidelity in FIDELITIES {
        let nodes = Topology::new(&machine.topology).unwrap().nodes as u32;
        let mut machine = machine.clone();
        if fidelity != Fidelity::Packet {
            machine.switch.input_buffer_flits = Some(3 + number * 4);
        }
        let Some(mut run) = run(&machine, burst(nodes, 20, number), fidelity) else { continue };
        run.finish();
        assert_eq!(run.rows.len() as u32, nodes * 20, "machine {number}, {fidelity:?}");
        let topology = run.simulation.topology();
        let far = distances(topology);
        for row in &run.rows {
            let enters = topology.attachments[row.source as usize].enters().unwrap();
            let leaves = topology.attachments[row.destination as usize].leaves().unwrap();
            let shortest = far[enters.index()][leaves.index()] + 2;
            assert!(row.hops >= shortest && (row.hops == shortest || !is_shortest), "{row:?}");
        }
        check_charges(&mut run);
        assert_eq!(run.waits(), run.lifetimes_beyond(), "machine {number}, {fidelity:?}");
    }
}

/// Every packet's lifetime is that without contention and what it is charged.
fn check_charges(run: &mut Run) {
    let charged = run.simulation.take_charged();
    assert_eq!(charged.len(), run.rows.len());
    for one in charged {
        let waited: u64 = one.charges.iter().map(|charge| charge.time).sum();
        assert_eq!(one.packet.delivered - one.packet.queued, one.alone + waited, "{one:?}");
    }
}

impl Run {
    /// As [`Run::lifetimes_beyond_zero_load`], where a packet may also catch up.
    fn lifetimes_beyond(&self) -> u64 {
        let caught_up: u64 =
            self.simulation.counters().packets.iter().map(|packets| packets.caught_up_ps).sum();
        self.lifetimes_beyond_zero_load() + caught_up
    }
}
