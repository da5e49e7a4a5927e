//! Random cases: a job on some nodes does what the same workload does that names these nodes.

use super::{finished, job, jobs};
use crate::common::random::{random_cases, same_packets};
use crate::common::{program, spec};
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::*;

fn some(draws: &mut Stream, below: u64) -> u32 {
    draws.below(below) as u32
}

fn machine(draws: &mut Stream) -> (Machine, u32) {
    let (topology, nodes) = match draws.below(4) {
        0 => (TopologySpec::Mesh { dims: vec![4, 3] }, 12),
        1 => (TopologySpec::Torus { dims: vec![3, 3] }, 9),
        2 => (TopologySpec::Hypercube { dimensions: 3 }, 8),
        _ => (TopologySpec::Star { nodes: 7 }, 7),
    };
    let mut machine = Machine::t9000(topology);
    if draws.below(3) == 0 {
        machine.interface.costs = Some(Costs { variation_ps: 500_000, ..costs() });
    }
    (machine, nodes)
}

fn costs() -> Costs {
    let side = Side { before_ps: 1_000_000, ..Side::default() };
    Costs { send: side, ..Costs::default() }
}

/// Some nodes, in any order.
fn nodes(draws: &mut Stream, all: u32) -> Vec<u32> {
    let mut nodes: Vec<_> = (0..all).collect();
    for place in (1..nodes.len()).rev() {
        nodes.swap(place, draws.below(place as u64 + 1) as usize);
    }
    nodes.truncate(2 + draws.below(u64::from(all) - 1) as usize);
    nodes
}

fn list(draws: &mut Stream, count: u64, place: impl Fn(u32) -> u32) -> Workload {
    let mut rows = Messages::default();
    let mut time = 0;
    for _ in 0..30 {
        time += draws.below(4_000_000);
        rows.time_ps.push(time);
        rows.source.push(place(some(draws, count)));
        rows.destination.push(place(some(draws, count)));
        rows.bytes.push(some(draws, 200).into());
    }
    Workload::Messages(rows)
}

/// Every process computes a random time, sends to the next one and takes part in a collective of
/// all, or of those with even numbers.
fn processes(draws: &mut Stream, count: u64, place: impl Fn(u32) -> u32) -> Workload {
    let shape = Shape::Exponential;
    let duration = Distribution { shape, mean: 1_000_000, relative_sigma: 0.0 };
    let bytes = u64::from(some(draws, 200));
    let count = count as u32;
    let even = (draws.below(2) == 0).then(|| (0..count).step_by(2).collect::<Vec<_>>());
    let process = |number: u32| {
        let next = (number + 1) % count;
        let mut steps = vec![
            Step::Compute { duration },
            Step::Send { process: next, socket: 0, bytes, blocking: false },
            Step::Receive { socket: Some(0) },
        ];
        if even.is_none() || number.is_multiple_of(2) {
            let group = even.clone();
            let call = Collective::new(Operation::AllReduce, bytes);
            steps.push(Step::Collective(Collective { group, ..call }));
        }
        ProcessProgram {
            node: place(number),
            start_ps: 0,
            start_window_ps: 700_000,
            repeat: Some(5),
            sockets: vec![Some((number + count - 1) % count)],
            steps,
        }
    };
    program((0..count).map(process).collect())
}

#[test]
fn a_job_on_some_nodes_is_the_workload_that_names_them() {
    for case in 0..random_cases(300) {
        let mut draws = Stream::new(case, Purpose::Start, 0);
        let (machine, all) = machine(&mut draws);
        let nodes = nodes(&mut draws, all);
        let count = nodes.len() as u64;
        let modes = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];
        let mode = modes[draws.below(5) as usize];
        let is_list = draws.below(2) == 0;
        let seed = draws.below(1000);
        let make = |place: &dyn Fn(u32) -> u32| {
            let mut draws = Stream::new(case, Purpose::Start, 1);
            if is_list {
                list(&mut draws, count, place)
            } else {
                processes(&mut draws, count, place)
            }
        };
        let inside = Job { stream: 0, ..job("it", &nodes, make(&|number| number)) };
        let inside = Spec { seed, ..spec(machine.clone(), jobs(&[inside]), mode) };
        let placed = make(&|number| nodes[number as usize]);
        // In a list every node has a process; start-ups are drawn by its number.
        let mut whole = Spec { seed, ..spec(machine, placed, mode) };
        let mut inside = inside;
        if is_list && let Some(costs) = whole.machine.interface.costs.as_mut() {
            costs.variation_ps = 0;
            inside.machine = whole.machine.clone();
        }
        let (mut one, mut other) = (finished(&inside), finished(&whole));
        same_packets(&one.take_packets(), &other.take_packets());
        assert_eq!(one.counters(), other.counters(), "case {case}");
        assert_eq!(one.now(), other.now(), "case {case}");
    }
}
