//! Cases by hand, and random ones against a twin that looks at everything again and again.

use super::*;
use crate::rng::{Purpose, Stream};
use crate::spec::Operation as Kind;
use crate::workload::trace::{Envelope, Filter};

fn batch(operations: &[(What, &[(u32, bool)])]) -> Batch {
    let mut batch = Batch::default();
    for &(what, after) in operations {
        batch.operations.push(Operation::new(what, after.len() as u32));
        batch.after.extend(after.iter().map(|&(back, begun)| After { back, begun }));
    }
    batch
}

/// What a call makes ready.
fn ready(call: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
    let mut ready = Vec::new();
    call(&mut ready);
    ready
}

const JOIN: What = What::Join;
const NONE: [u32; 0] = [];

#[test]
fn an_operation_is_ready_when_all_that_it_is_after_has_come() {
    let mut all = Dependencies::new(1);
    // 1 after 0 is done, 2 after 0 has begun, 3 after 1 is done and 2 has begun, 4 after nothing.
    let first = batch(&[
        (JOIN, &[]),
        (JOIN, &[(1, false)]),
        (JOIN, &[(2, true)]),
        (JOIN, &[(2, false), (1, true)]),
        (JOIN, &[]),
    ]);
    assert!(all.wants(0));
    assert_eq!(ready(|r| all.extend(0, &first, r).unwrap()), [0, 4]);
    assert!(!all.wants(0));
    assert_eq!(ready(|r| all.begun(0, 0, r)), [2]);
    assert_eq!(ready(|r| all.done(0, 0, r)), [1]);
    assert_eq!(ready(|r| all.begun(0, 1, r)), NONE);
    assert_eq!(ready(|r| all.begun(0, 2, r)), NONE);
    assert_eq!(all.operation(0, 3).after, 1);
    assert_eq!(ready(|r| all.done(0, 1, r)), [3]);
    assert!(!all.wants(0));
    assert_eq!(ready(|r| all.begun(0, 4, r)), NONE);
    assert!(all.wants(0));
    // What has been done or begun before a batch comes is waited for no more.
    let second = batch(&[(JOIN, &[(5, false), (1, true)]), (JOIN, &[(2, false)])]);
    assert_eq!(ready(|r| all.extend(0, &second, r).unwrap()), [5]);
    assert_eq!(
        all.pending(0).collect::<Vec<_>>(),
        [(2, true), (3, false), (4, true), (5, false), (6, false)]
    );
    all.end(0);
    for number in [2, 4, 3, 5, 6] {
        assert!(!all.is_finished(0));
        let mut more = Vec::new();
        if ![2, 4].contains(&number) {
            all.begun(0, number, &mut more);
        }
        all.done(0, number, &mut more);
        assert_eq!(more, if number == 4 { vec![6] } else { vec![] });
    }
    assert!(all.is_finished(0) && !all.wants(0));
    assert_eq!(all.edges.len(), 0);
}

#[test]
fn what_becomes_ready_together_is_in_order() {
    let mut all = Dependencies::new(1);
    let one =
        batch(&[(JOIN, &[]), (JOIN, &[(1, false)]), (JOIN, &[(2, false)]), (JOIN, &[(3, true)])]);
    assert_eq!(ready(|r| all.extend(0, &one, r).unwrap()), [0]);
    assert_eq!(ready(|r| all.begun(0, 0, r)), [3]);
    assert_eq!(ready(|r| all.done(0, 0, r)), [1, 2]);
}

#[test]
fn collectives_are_kept_while_they_are_pending() {
    let mut all = Dependencies::new(1);
    let call = |bytes| Collective::new(Kind::Broadcast, bytes);
    let two = Batch {
        collectives: vec![call(1), call(2)],
        ..batch(&[(What::Collective(1), &[]), (What::Collective(0), &[])])
    };
    for _ in 0..3 {
        let numbers = ready(|r| all.extend(0, &two, r).unwrap());
        for (number, bytes) in std::iter::zip(numbers, [2, 1]) {
            let What::Collective(which) = all.operation(0, number).what else { panic!("another") };
            assert_eq!(*all.collective(which), call(bytes));
            all.begun(0, number, &mut Vec::new());
            all.done(0, number, &mut Vec::new());
        }
    }
    assert_eq!(all.collectives.len(), 2);
}

#[test]
fn what_is_wrong_with_a_batch_is_told_in_a_line() {
    let mut all = Dependencies::new(4);
    let fine = batch(&[(JOIN, &[]), (JOIN, &[(1, false)])]);
    all.extend(2, &fine, &mut Vec::new()).unwrap();
    let envelope = Envelope { to: 4, bytes: 1, tag: 0, context: 0 };
    let filter = Filter { from: Some(9), tag: None, context: 0 };
    let short = Batch { after: Vec::new(), ..fine.clone() };
    for (batch, text) in [
        (
            batch(&[(JOIN, &[(3, false)])]),
            "rank 2, operation 2: after = 3 before it: must be 1 to 2 operations before it",
        ),
        (
            batch(&[(JOIN, &[]), (JOIN, &[(1, true), (0, false)])]),
            "rank 2, operation 3: after = 0 before it: must be 1 to 3 operations before it",
        ),
        (short, "rank 2, operation 3: after = 1: the batch has less than its operations are after"),
        (
            batch(&[(What::Send(envelope), &[])]),
            "rank 2, operation 2: peer = 4: must be a rank, 0 to 3",
        ),
        (
            batch(&[(What::Receive(filter), &[])]),
            "rank 2, operation 2: peer = 9: must be a rank, 0 to 3",
        ),
        (
            batch(&[(What::Collective(0), &[])]),
            "rank 2, operation 2: collective = 0: the batch has 0",
        ),
    ] {
        let mut ready = Vec::new();
        assert_eq!(all.extend(2, &batch, &mut ready).unwrap_err().to_string(), text);
        assert_eq!((ready, all.read(2)), (vec![], 2));
    }
    let text = all.extend(0, &batch(&[(JOIN, &[(1, false)])]), &mut Vec::new()).unwrap_err();
    let first = "rank 0, operation 0: after = 1 before it: the first operation is after no other";
    assert_eq!(text.to_string(), first);
}

/// One rank, all of whose operations are kept and looked at.
#[derive(Default)]
struct Twin {
    /// What each is after: its number, and whether it is enough that it has begun.
    after: Vec<Vec<(usize, bool)>>,
    is_ready: Vec<bool>,
    has_begun: Vec<bool>,
    is_done: Vec<bool>,
}

impl Twin {
    fn extend(&mut self, batch: &Batch) -> Vec<u32> {
        let mut after = batch.after.iter();
        for operation in &batch.operations {
            let number = self.after.len();
            let own = after.by_ref().take(operation.after as usize);
            self.after.push(own.map(|after| (number - after.back as usize, after.begun)).collect());
            self.is_ready.push(false);
            self.has_begun.push(false);
            self.is_done.push(false);
        }
        self.newly_ready()
    }

    fn newly_ready(&mut self) -> Vec<u32> {
        let come = |&(of, begun): &(usize, bool)| {
            if begun { self.has_begun[of] } else { self.is_done[of] }
        };
        let is_new =
            |&number: &usize| !self.is_ready[number] && self.after[number].iter().all(come);
        let numbers: Vec<_> = (0..self.after.len()).filter(is_new).collect();
        numbers.iter().for_each(|&number| self.is_ready[number] = true);
        numbers.into_iter().map(|number| number as u32).collect()
    }
}

fn random_batch(draw: &mut Stream, read: u64) -> Batch {
    let mut batch = Batch::default();
    for number in read..read + draw.below(8) {
        let count = draw.below(4).min(number);
        for _ in 0..count {
            let reach = if draw.below(4) == 0 { number } else { number.min(5) };
            let back = 1 + draw.below(reach) as u32;
            batch.after.push(After { back, begun: draw.below(3) == 0 });
        }
        batch.operations.push(Operation::new(JOIN, count as u32));
    }
    batch
}

#[test]
fn random_programs_go_as_those_of_the_twin() {
    for case in 0..200 {
        let mut draw = Stream::new(7, Purpose::Start, case);
        let ranks = 1 + draw.below(3) as u32;
        let mut all = Dependencies::new(ranks);
        let mut twins: Vec<_> = (0..ranks).map(|_| Twin::default()).collect();
        for _ in 0..120 {
            let rank = draw.below(ranks.into()) as u32;
            let twin = &mut twins[rank as usize];
            let pick = |draw: &mut Stream, has: &dyn Fn(usize) -> bool| {
                let all: Vec<_> = (0..twin.after.len()).filter(|&number| has(number)).collect();
                (!all.is_empty()).then(|| all[draw.below(all.len() as u64) as usize])
            };
            let may_begin = pick(&mut draw, &|n| twin.is_ready[n] && !twin.has_begun[n]);
            let may_end = pick(&mut draw, &|n| twin.has_begun[n] && !twin.is_done[n]);
            let (ours, theirs) = match (draw.below(5), may_begin, may_end) {
                (0, ..) => {
                    let batch = random_batch(&mut draw, twin.after.len() as u64);
                    (ready(|r| all.extend(rank, &batch, r).unwrap()), twin.extend(&batch))
                }
                (1 | 2, Some(number), _) => {
                    twin.has_begun[number] = true;
                    (ready(|r| all.begun(rank, number as u32, r)), twin.newly_ready())
                }
                (_, _, Some(number)) => {
                    twin.is_done[number] = true;
                    (ready(|r| all.done(rank, number as u32, r)), twin.newly_ready())
                }
                _ => continue,
            };
            assert_eq!(ours, theirs, "case {case}");
            let pending = (0..twin.after.len()).filter(|&number| !twin.is_done[number]);
            let pending = pending.map(|number| (number as u32, twin.has_begun[number]));
            assert!(all.pending(rank).eq(pending), "case {case}");
            assert_eq!(all.wants(rank), twin.has_begun.last().is_none_or(|&begun| begun));
        }
    }
}

#[test]
fn an_operation_takes_little_memory() {
    // Lengths have 64 bits.
    assert_eq!((size_of::<Option<Pending>>(), size_of::<Edge>()), (56, 8));
}
