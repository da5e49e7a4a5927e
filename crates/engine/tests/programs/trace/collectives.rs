//! Collectives among the operations of ranks.

use super::programs::*;
use super::*;
use tailback_engine::workload::trace::What;

fn call(operation: Operation, bytes: u64) -> Collective {
    Collective {
        method: Some(Method::Algorithm(Algorithm::Linear)),
        ..Collective::new(operation, bytes)
    }
}

/// A receive of anything does not take what belongs to a collective.
#[test]
fn no_receive_takes_a_message_of_a_collective() {
    let root = Rank::default().together(call(Operation::Broadcast, 100)).then(send(1, 10, 0), &[]);
    let other = Rank::default().then(ANY, &[]).together(call(Operation::Broadcast, 100));
    let mut last = Rank::default().together(call(Operation::Broadcast, 100));
    last = last.then(compute(9), &[1]);
    let mut other = other;
    // Not after the receive.
    other.batches[0].operations[1].after = 0;
    other.batches[0].after.clear();
    let spec = spec(machine(3), one_on_each(3), Mode::Free, Fidelity::Packet);
    let simulation = run(&spec, &[root, other, last]).unwrap();
    let counters = simulation.counters();
    assert_eq!(counters.messages_delivered, 3);
    assert_eq!(done(&simulation)[2], alone(0, 2, 100) / NS + 9);
}

/// What a collective adds is added by the first CPU of the rank, behind what that computes.
#[test]
fn adding_is_computed() {
    let mut machine = machine(2);
    machine.interface.collectives.reduce_fs_per_byte = 1_000_000;
    let busy = |rank: Rank| rank.on(compute(500), 0, NOTHING);
    let ranks = [
        busy(Rank::default().together(call(Operation::Reduce, 10))),
        Rank::default().together(call(Operation::Reduce, 10)),
    ];
    let simulation =
        run(&spec(machine, one_on_each(2), Mode::Full, Fidelity::Packet), &ranks).unwrap();
    assert_eq!(done(&simulation)[0], 500 + 10);
}

/// A rank is in one collective at a time; others wait.
#[test]
fn collectives_come_one_after_the_other() {
    let barrier = || Collective {
        method: Some(Method::Price(Price { base_ps: 100_000, ..Price::default() })),
        ..Collective::new(Operation::Barrier, 0)
    };
    let twice = Rank::default().together(barrier()).together(barrier());
    let mut at_once = twice.clone();
    at_once.batches[0].operations[1].after = 0;
    at_once.batches[0].after.clear();
    let late = Rank::in_order(&[compute(30)]).together(barrier()).together(barrier());
    let spec = spec(machine(3), one_on_each(3), Mode::Full, Fidelity::Packet);
    let simulation = run(&spec, &[twice, at_once, late]).unwrap();
    assert_eq!(done(&simulation), [230, 230, 230]);
}

#[test]
fn what_ranks_do_not_agree_on_is_refused() {
    let ranks = [
        Rank::default().together(call(Operation::Broadcast, 100)),
        Rank::in_order(&[What::Join]).together(call(Operation::Broadcast, 50)),
    ];
    let spec = spec(machine(2), one_on_each(2), Mode::Full, Fidelity::Packet);
    let error = run(&spec, &ranks).err().unwrap().to_string();
    assert_eq!(
        error,
        "rank 1, operation 1: broadcast.size_bytes = 50: must be 100 bytes as process 0 has it, in \
         collective 0 of all processes"
    );
    let ranks = [Rank::default().together(call(Operation::Broadcast, 100)), Rank::default()];
    let error = run(&spec, &ranks).err().unwrap().to_string();
    let absent = "broadcast of all processes = begun by 1 of 2: process 1 must take part, too";
    assert_eq!(error, absent);
    let barrier = Collective::new(Operation::Barrier, 0);
    let ranks = [Rank::default().together(barrier), Rank::default()];
    let error = run(&spec, &ranks).err().unwrap().to_string();
    let waits = "deadlock at 3 ns: process 0 on node 0 waits for process 1 in the barrier of all \
                 processes";
    assert_eq!(error, waits);
}
