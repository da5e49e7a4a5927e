//! What cannot be, and what never ends: in one line.

use super::programs::*;
use super::*;
use tailback_engine::ids::ProcessId;
use tailback_engine::workload::trace::{Batch, What};

fn ends(trace: Trace, ranks: &[Rank]) -> String {
    let spec = spec(machine(4), trace, Mode::Full, Fidelity::Packet);
    run(&spec, ranks).err().expect("a run that cannot end").to_string()
}

#[test]
fn messages_that_nobody_receives_are_told() {
    let ranks = [
        Rank::in_order(&[receive(1, 7)]),
        Rank::in_order(&[send(0, 64, 7), send(0, 64, 7), send(0, 64, 7), send(2, 1, 0)]),
        Rank::default(),
    ];
    assert_eq!(
        ends(one_on_each(3), &ranks),
        "rank 0: 2 messages from rank 1, tag 7, 64 B; rank 2: 1 message from rank 1, tag 0, 1 B \
         that nobody received"
    );
}

#[test]
fn receives_that_nobody_sends_to_are_told() {
    let ranks = [
        Rank::in_order(&[receive(1, 8), compute(1)]),
        Rank::in_order(&[send(0, 64, 7)]),
        Rank::in_order(&[compute(10), ANY]),
    ];
    assert_eq!(
        ends(one_on_each(3), &ranks),
        "deadlock at 67 ns: process 0 on node 0 waits for a message from rank 1, tag 8 \
         (operation 0); at it: 1 message from rank 1, tag 7, 64 B; process 2 on node 2 waits for \
         a message from any rank (operation 1)"
    );
}

#[test]
fn rendezvous_sends_in_a_circle_are_told_as_such() {
    let around = |to, from| Rank::in_order(&[send(to, 200, 5), receive(from, 5)]);
    let ranks = [around(1, 2), around(2, 0), around(0, 1), Rank::in_order(&[send(0, 300, 1)])];
    let trace = Trace { eager_bytes: Some(100), ..one_on_each(4) };
    let told = "deadlock of rendezvous sends at 5 ns: rank 0 sends 200 B, tag 5, to rank 1, \
                rank 1 sends 200 B, tag 5, to rank 2, rank 2 sends 200 B, tag 5, to rank 0; each \
                waits for the next to receive";
    assert_eq!(ends(trace.clone(), &ranks), told);
    // One alone is no circle.
    let ranks = [around(1, 2), Rank::default(), Rank::default(), Rank::default()];
    assert_eq!(
        ends(trace, &ranks),
        "deadlock at 3 ns: process 0 on node 0 waits for rank 1 to receive 200 B, tag 5 \
         (operation 0)"
    );
}

#[test]
fn what_a_machine_with_costs_cannot_do_is_refused() {
    let mut machine = machine(3);
    let before = Side { before_ps: 5, ..Side::default() };
    machine.interface.costs = Some(Costs { send: before, ..Costs::default() });
    let two = Trace { nodes: vec![0, 2, 2], ..Trace::default() };
    let of = |trace| spec(machine.clone(), trace, Mode::Full, Fidelity::Packet);
    let error = Simulation::new(&of(two)).err().unwrap().to_string();
    assert_eq!(
        error,
        "workload.nodes = 2 ranks on node 2: must be one rank per node where messages cost \
         something in software: a node has one CPU"
    );
    let mut simulation = Simulation::new(&of(one_on_each(2))).unwrap();
    assert_eq!(simulation.advance(1, 1), Ok(Progress::Wants));
    let mut batch = Rank::default().on(compute(1), 1, NOTHING).batches.remove(0);
    let error = simulation.feed(ProcessId(1), Some(&mut batch)).unwrap_err().to_string();
    assert_eq!(
        error,
        "rank 1, operation 0: cpu = 1: must be 0 where messages cost something in software: a \
         node has one CPU"
    );
}

#[test]
fn batches_that_cannot_be_are_refused() {
    let of = |trace| spec(machine(2), trace, Mode::Full, Fidelity::Packet);
    let mut simulation = Simulation::new(&of(one_on_each(2))).unwrap();
    let mut fed = |process, batch: Option<&mut Batch>| {
        simulation.feed(ProcessId(process), batch).map_err(|error| error.to_string())
    };
    assert_eq!(fed(0, None).unwrap_err(), "process = 0: must be one that wants more to do");
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Wants));
    assert!(simulation.wanting().eq([ProcessId(0), ProcessId(1)]));
    let mut fed = |process, rank: Rank| {
        let batch = &mut rank.batches.into_iter().next().unwrap();
        simulation.feed(ProcessId(process), Some(batch)).map_err(|error| error.to_string())
    };
    let far = Rank::in_order(&[send(2, 1, 0)]);
    assert_eq!(fed(0, far).unwrap_err(), "rank 0, operation 0: peer = 2: must be a rank, 0 to 1");
    let flops = Rank::in_order(&[What::Flops(3)]);
    assert_eq!(
        fed(0, flops).unwrap_err(),
        "rank 0, operation 0: floating-point operations = 3: needs the speed of computing: \
         workload.compute_speed"
    );
    let group = Some(vec![0, 1, 5]);
    let odd = Collective { group, ..Collective::new(Operation::Barrier, 0) };
    assert_eq!(
        fed(0, Rank::default().together(odd)).unwrap_err(),
        "rank 0, operation 0: barrier.group = 5: must be a process, 0 to 1"
    );
    fed(0, Rank::in_order(&[compute(1)])).unwrap();
    // Rank 1 has not been answered.
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Wants));
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let base = || one_on_each(2);
    for (trace, text) in [
        (Trace { nodes: vec![], ..base() }, "workload.nodes = none: must be at least one"),
        (Trace { nodes: vec![0, 4], ..base() }, "workload.nodes[1] = 4: must be a node, 0 to 3"),
        (
            Trace { speed_factors: vec![1.0], ..base() },
            "workload.speed_factors = 1: must be one for each rank: 2",
        ),
        (
            Trace { speed_factors: vec![1.0, 0.0], ..base() },
            "workload.speed_factors = 0: must be 1e-6 to 1e6",
        ),
        (
            Trace { compute_scale: f64::NAN, ..base() },
            "workload.compute_scale = NaN: must be 0 to 1000000",
        ),
        (Trace { compute_noise: -1.0, ..base() }, "workload.compute_noise = -1: must be 0 to 10"),
        (
            Trace { flops_per_s: Some(0.0), ..base() },
            "workload.flops_per_s = 0: must be 1 to 1000000000000000000000",
        ),
        (
            Trace { memory_latency_ps: u64::MAX, ..base() },
            "workload.memory_latency_ps = 18446744073709551615: must be at most 1000000000000",
        ),
    ] {
        let spec = spec(machine(4), trace, Mode::Full, Fidelity::Packet);
        assert_eq!(Simulation::new(&spec).err().unwrap().to_string(), text);
    }
}
