//! What can be worked out on paper.

use super::programs::*;
use super::*;
use tailback_engine::workload::trace::{Filter, What};

const EVERY: [Mode; 5] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];
const FIDELITIES: [Fidelity; 4] =
    [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit, Fidelity::Fluid];

/// Both ends compute, then rank 1 waits for what rank 0 sends, and answers.
#[test]
fn a_message_and_its_answer() {
    let ranks = [
        Rank::in_order(&[compute(500), send(1, 100, 7), compute(50), receive(1, 8)]),
        Rank::in_order(&[compute(100), receive(0, 7), compute(30), send(0, 10, 8)]),
    ];
    for mode in EVERY {
        for fidelity in FIDELITIES {
            let spec = spec(machine(2), one_on_each(2), mode, fidelity);
            let simulation = run(&spec, &ranks).unwrap();
            let (there, back) = if mode == Mode::Ideal {
                (0, 0)
            } else {
                (alone(0, 1, 100) / NS, alone(1, 0, 10) / NS)
            };
            let end = 500 + there + 30 + back;
            assert_eq!(done(&simulation), [end.max(550), end], "{mode:?} {fidelity:?}");
            let counters = simulation.counters();
            assert_eq!(counters.cpu_busy_ps, (550 + 130) * NS);
            assert_eq!(counters.messages_delivered, 2);
            assert_eq!(simulation.processors_busy(), [550 * NS, 130 * NS]);
        }
    }
}

/// Rank 0 posts two receives, sends to both others and computes; waits for all; computes. The
/// others do not wait for each other. Only rank 2 answers late.
#[test]
fn three_ranks_with_requests() {
    let waits = Rank::default()
        .then(receive(1, 0), &[])
        .then(receive(2, 0), &[1])
        .then(send(1, 50, 1), &[1])
        .then(send(2, 50, 1), &[1])
        .then(compute(40), &[1])
        .then(What::Join, &[5, 4, 3, 2, 1])
        .then(compute(5), &[1]);
    // The receives are after each other's beginning, not their end.
    let waits = posted_at_once(waits, &[1, 2]);
    let ranks = [
        waits,
        Rank::in_order(&[receive(0, 1), send(0, 20, 0)]),
        Rank::in_order(&[receive(0, 1), compute(1000), send(0, 20, 0)]),
    ];
    let spec = spec(machine(3), one_on_each(3), Mode::Free, Fidelity::Packet);
    let simulation = run(&spec, &ranks).unwrap();
    let first = (alone(0, 1, 50) + alone(1, 0, 20)) / NS;
    let second = (alone(0, 2, 50) + alone(2, 0, 20)) / NS + 1000;
    assert_eq!(done(&simulation), [second + 5, first, second]);
}

/// Makes operations wait only for those before them to have begun.
fn posted_at_once(mut rank: Rank, which: &[usize]) -> Rank {
    let batch = &mut rank.batches[0];
    for &number in which {
        let first: u32 = batch.operations[..number].iter().map(|of| of.after).sum();
        batch.after[first as usize].begun = true;
    }
    rank
}

/// Two CPUs of a rank compute side by side, and what is on one CPU one after the other, in order of
/// readiness; nobody shares a node's.
#[test]
fn cpus_of_ranks() {
    let two = Rank::default()
        .on(compute(100), 0, NOTHING)
        .on(compute(70), 1, NOTHING)
        .on(compute(10), 0, NOTHING)
        .on(compute(5), 0, &[(2, false)])
        .on(What::Join, 0, &[(2, false), (1, false)]);
    let one = Rank::in_order(&[compute(60), compute(60)]);
    let trace = Trace { nodes: vec![1, 1], ..Trace::default() };
    let spec = spec(machine(2), trace, Mode::Full, Fidelity::Packet);
    let simulation = run(&spec, &[two, one]).unwrap();
    assert_eq!(done(&simulation), [115, 120]);
    assert_eq!(simulation.processors_busy(), [0, (185 + 120) * NS]);
    assert_eq!(simulation.counters().cpu_busy_ps, 305 * NS);
}

/// What is after the beginning of a computation is not after its end.
#[test]
fn an_operation_after_the_beginning_of_another() {
    let ranks = [
        Rank::default().on(compute(100), 0, NOTHING).on(send(1, 10, 0), 0, &[(1, true)]).on(
            compute(7),
            1,
            &[(2, true)],
        ),
        Rank::in_order(&[receive(0, 0)]),
    ];
    let spec = spec(machine(2), one_on_each(2), Mode::Full, Fidelity::Packet);
    let simulation = run(&spec, &ranks).unwrap();
    assert_eq!(done(&simulation), [100, alone(0, 1, 10) / NS]);
}

/// A rendezvous: ask, answer, data. The receive comes late, or the message does.
#[test]
fn messages_above_the_eager_limit_wait_for_their_receiver() {
    let trace = Trace { eager_bytes: Some(100), control_bytes: 8, ..one_on_each(2) };
    let control = alone(0, 1, 8) / NS;
    for (late, bytes) in [(0, 101), (500, 101), (500, 100)] {
        for mode in [Mode::Full, Mode::Free] {
            let ranks = [
                Rank::in_order(&[send(1, bytes, 0), compute(1)]),
                Rank::in_order(&[compute(late), receive(0, 0)]),
            ];
            let spec = spec(machine(2), trace.clone(), mode, Fidelity::Packet);
            let simulation = run(&spec, &ranks).unwrap();
            let data = alone(0, 1, bytes as u32) / NS;
            let expected = if bytes == 100 {
                // It is done at once; the receiver has it when it looks.
                [data, late]
            } else {
                // Without acknowledgements the sender knows when the data is there.
                let there = late.max(control) + control + data;
                [there + 1, there]
            };
            assert_eq!(done(&simulation), expected, "{late} {bytes} {mode:?}");
        }
    }
}

/// With acknowledgements the sender goes on when the last has come.
#[test]
fn a_rendezvous_is_done_when_it_is_acknowledged() {
    let mut machine = machine(2);
    machine.interface.acknowledges = true;
    machine.interface.packet_bytes = 50;
    machine.interface.window = Some(1);
    let trace = Trace { eager_bytes: Some(10), control_bytes: 8, ..one_on_each(2) };
    let ranks =
        [Rank::in_order(&[send(1, 60, 0), compute(1000)]), Rank::in_order(&[receive(0, 0)])];
    let simulation = run(&spec(machine, trace, Mode::Full, Fidelity::Packet), &ranks).unwrap();
    let control = alone(0, 1, 8) / NS;
    // The first packet is acknowledged when its header is there, but leaves its node for longer;
    // the acknowledgement of the second is back before its data has arrived.
    let first = 51;
    let second = alone(0, 1, 10) / NS;
    let received = 2 * control + first + second;
    assert_eq!(done(&simulation)[1], received);
    let header = 3;
    let acknowledged = 2 * control + first + header + header;
    assert_eq!(done(&simulation)[0], acknowledged + 1000);
}

/// The first receive of rank 2 takes what comes first, the second what is left.
#[test]
fn wildcards_take_what_comes_first() {
    let any = |tag| What::Receive(Filter { from: None, tag: Some(tag), context: 0 });
    let ranks = [
        Rank::in_order(&[compute(100), send(2, 10, 3)]),
        Rank::in_order(&[compute(50), send(2, 300, 3)]),
        Rank::in_order(&[any(3), compute(1000), any(3), send(0, 1, 0)]),
    ];
    let mut simulation = None;
    for (first, second) in [(10, 300), (300, 300)] {
        let mut ranks = ranks.to_vec();
        ranks[0] = Rank::in_order(&[compute(100), send(2, first, 3), receive(2, 0)]);
        ranks[1] = Rank::in_order(&[compute(50), send(2, second, 3)]);
        let spec = spec(machine(3), one_on_each(3), Mode::Free, Fidelity::Packet);
        simulation = Some(run(&spec, &ranks).unwrap());
        let comes = [100_000 + alone(0, 2, first as u32), 50_000 + alone(1, 2, second as u32)];
        let begins = *comes.iter().min().unwrap() / NS;
        let end = (begins + 1000).max(comes[0].max(comes[1]) / NS);
        assert_eq!(done(simulation.as_ref().unwrap())[2], end + alone(2, 0, 1) / NS);
    }
    assert_eq!(simulation.unwrap().counters().messages_delivered, 3);
}

/// A long message and a short one behind it, which in mode `free` overtakes it: the receiver sees
/// them in the order in which they were sent, so its first receive takes the long one.
#[test]
fn messages_of_a_pair_do_not_overtake_each_other() {
    let ranks = [
        Rank::in_order(&[send(1, 1000, 0), send(1, 10, 0)]),
        Rank::default().then(ANY, &[]).then(compute(5000), &[1]).then(ANY, &[]),
    ];
    // The second receive is posted with the first, and is not done before the long one is there.
    let spec = spec(machine(2), one_on_each(2), Mode::Free, Fidelity::Packet);
    let simulation = run(&spec, &ranks).unwrap();
    assert_eq!(done(&simulation)[1], alone(0, 1, 1000) / NS + 5000);
    // In another communicator it may.
    let in_another = |what| match what {
        What::Receive(filter) => What::Receive(Filter { context: 1, ..filter }),
        What::Send(of) => {
            What::Send(tailback_engine::workload::trace::Envelope { context: 1, ..of })
        }
        other => other,
    };
    let ranks = [
        Rank::in_order(&[send(1, 1000, 0), in_another(send(1, 10, 0))]),
        Rank::default().then(in_another(ANY), &[]).then(compute(5000), &[1]).then(ANY, &[]),
    ];
    let simulation = run(&spec, &ranks).unwrap();
    assert_eq!(done(&simulation)[1], alone(0, 1, 10) / NS + 5000);
}

/// Messages between ranks of a node go through its memory, at once or at a price; also those of
/// a rank to itself.
#[test]
fn ranks_on_one_node() {
    let ranks = [
        Rank::in_order(&[send(1, 100, 0), send(0, 40, 1), receive(0, 1), receive(2, 0)]),
        Rank::in_order(&[receive(0, 0)]),
        Rank::in_order(&[compute(10), send(0, 5, 0)]),
    ];
    let nodes = vec![1, 1, 0];
    let free = Trace { nodes: nodes.clone(), ..Trace::default() };
    let priced = Trace {
        memory_latency_ps: 20 * NS,
        memory_byte_fs: 500_000,
        eager_bytes: Some(50),
        ..free.clone()
    };
    let far = 10 + alone(0, 1, 5) / NS;
    // Above the limit: two messages of no bytes, and then the data; then one of 40 bytes.
    let copied = [3 * 20 + 50 + 20 + 20, 3 * 20 + 50];
    for (trace, [first, second]) in [(free, [far, 0]), (priced.clone(), copied)] {
        let spec = spec(machine(2), trace, Mode::Full, Fidelity::Packet);
        let simulation = run(&spec, &ranks).unwrap();
        assert_eq!(done(&simulation), [first, second, far]);
    }
    let spec = spec(machine(2), priced, Mode::Ideal, Fidelity::Packet);
    assert_eq!(done(&run(&spec, &ranks).unwrap()), [10, 0, 10]);
}

/// Where messages cost something in software, one CPU does that and computes.
#[test]
fn computing_goes_through_the_cpu_of_the_software() {
    let mut machine = machine(2);
    let side = |before_ps| Side { before_ps, ..Side::default() };
    machine.interface.costs =
        Some(Costs { send: side(30 * NS), receive: side(20 * NS), ..Costs::default() });
    let ranks = [
        // The send is done at once, but the CPU prepares it before it computes.
        Rank::in_order(&[compute(100), send(1, 10, 0), compute(1000)]),
        Rank::in_order(&[receive(0, 0), compute(5)]),
    ];
    let simulation =
        run(&spec(machine, one_on_each(2), Mode::Full, Fidelity::Packet), &ranks).unwrap();
    assert_eq!(done(&simulation), [1130, 100 + 30 + alone(0, 1, 10) / NS + 20 + 5]);
}

/// What ranks compute is changed as it is read, whatever the network does.
#[test]
fn computing_is_scaled_and_varied() {
    let ranks = [
        Rank::in_order(&[compute(1000), What::Flops(500), send(1, 10, 0)]),
        Rank::in_order(&[receive(0, 0), compute(300)]),
    ];
    let trace = Trace {
        compute_scale: 0.5,
        flops_per_s: Some(1e9),
        speed_factors: vec![1.0, 2.0],
        ..one_on_each(2)
    };
    let of = |trace: &Trace, mode| {
        run(&spec(machine(2), trace.clone(), mode, Fidelity::Packet), &ranks).unwrap()
    };
    let simulation = of(&trace, Mode::Full);
    assert_eq!(done(&simulation)[1], 750 + alone(0, 1, 10) / NS + 75);
    let noisy = Trace { compute_noise: 0.3, ..trace };
    let busy = EVERY.map(|mode| of(&noisy, mode).processors_busy());
    assert!(busy.iter().all(|one| *one == busy[0] && *one != simulation.processors_busy()));
    let dropped = Trace { compute_scale: 0.0, ..noisy };
    assert_eq!(done(&of(&dropped, Mode::Full))[1], alone(0, 1, 10) / NS);
}

/// Ranks of a node share its link; in mode `free` they do not.
#[test]
fn ranks_of_a_node_share_its_link() {
    let ranks = [
        Rank::in_order(&[send(2, 100, 0)]),
        Rank::in_order(&[send(2, 100, 0)]),
        Rank::in_order(&[receive(0, 0), receive(1, 0)]),
    ];
    let trace = Trace { nodes: vec![0, 0, 1], ..Trace::default() };
    for (mode, behind) in [(Mode::Full, 101), (Mode::Free, 0)] {
        let spec = spec(machine(2), trace.clone(), mode, Fidelity::Packet);
        assert_eq!(done(&run(&spec, &ranks).unwrap())[2], alone(0, 1, 100) / NS + behind);
    }
}
