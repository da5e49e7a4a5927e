//! How many messages, how many bytes, and when all is over: against closed forms, for 2 to 17
//! members on one switch, where nobody is in anybody's way.

use super::{process, star};
use crate::common::{Run, program};
use tailback_engine::spec::*;

/// Bytes of a block, or of a part of a ring.
const BLOCK: u32 = 1000;

fn run(n: u32, operation: Operation, algorithm: Algorithm, bytes: u32) -> Run {
    let method = Some(Method::Algorithm(algorithm));
    let step = Step::Collective(Collective { method, ..Collective::new(operation, bytes.into()) });
    let processes = (0..n).map(|node| process(node, vec![step.clone()])).collect();
    Run::to_the_end(star(n), program(processes))
}

/// Time of a message that is alone.
fn time(bytes: u32) -> u64 {
    let rows = [(0, 0, 1, bytes)];
    let run = Run::to_the_end(star(2), crate::common::message_list(&rows));
    run.rows[0].delivered
}

/// How much later the last of two messages to different nodes is there than one alone.
fn interval(bytes: u32) -> u64 {
    let rows = [(0, 0, 1, bytes), (0, 0, 2, bytes)];
    let run = Run::to_the_end(star(3), crate::common::message_list(&rows));
    run.rows.iter().map(|row| row.delivered).max().unwrap() - time(bytes)
}

/// Off powers of two some give what they have to others before, and get the result after; those
/// who do not may be ahead of them by what that takes.
fn assert_folded(n: u32, end: u64, rounds: u64, fold: u64) {
    if n.is_power_of_two() {
        assert_eq!(end, rounds, "{n}");
    } else {
        assert!(end > rounds + fold / 2 && end <= rounds + 3 * fold, "{n}: {end}, {rounds}");
    }
}

struct Counted {
    messages: u64,
    bytes: u64,
    end: u64,
}

fn counted(n: u32, operation: Operation, algorithm: Algorithm, bytes: u32) -> Counted {
    let run = run(n, operation, algorithm, bytes);
    Counted {
        messages: run.rows.len() as u64,
        bytes: run.rows.iter().map(|row| u64::from(row.bytes)).sum(),
        end: super::finished(&run).into_iter().max().unwrap(),
    }
}

fn doublings(n: u32) -> u32 {
    n.next_power_of_two().ilog2()
}

/// Blocks that are sent in each round of Bruck's all-gather.
fn bruck(n: u32) -> impl Iterator<Item = u32> {
    (0..doublings(n)).map(move |round| (1 << round).min(n - (1 << round)))
}

#[test]
fn barriers_take_so_many_rounds() {
    use Algorithm as A;
    let round = time(0);
    for n in 2..=17u32 {
        let (wide, log) = (u64::from(n), u64::from(doublings(n)));
        let barrier = |algorithm| counted(n, Operation::Barrier, algorithm, 0);
        let found = barrier(A::Dissemination);
        assert_eq!((found.messages, found.end), (wide * log, log * round), "{n}");
        let found = barrier(A::DoubleRing);
        assert_eq!((found.messages, found.end), (2 * wide, 2 * wide * round), "{n}");
        let (low, down) = (1 << n.ilog2(), u64::from(n.ilog2()));
        let folds = u64::from(!n.is_power_of_two());
        let found = barrier(A::RecursiveDoubling);
        let messages = low * down + 2 * (wide - low);
        assert_eq!(found.messages, messages, "{n}");
        assert_folded(n, found.end, down * round, round);
        assert_eq!(barrier(A::Linear).messages, 2 * (wide - 1));
        let found = barrier(A::Binomial);
        assert_eq!(found.messages, 2 * (wide - 1));
        if folds == 0 {
            // Up and down, the largest part first.
            assert_eq!(found.end, 2 * log * round, "{n}");
        }
    }
}

/// When the last member has what goes down a binomial tree: a child that is the k-th of its
/// parent gets it so many intervals later, the one with most below it first.
fn binomial(n: u32, bytes: u32) -> u64 {
    let (time, interval) = (time(bytes), interval(bytes));
    fn last(v: u32, span: u32, n: u32, (time, interval): (u64, u64)) -> u64 {
        let spans = std::iter::successors(Some(span / 2), |span| Some(span / 2));
        let spans = spans.take_while(|&span| span > 0).filter(|span| v + span < n);
        let child = |(place, span): (usize, u32)| {
            time + place as u64 * interval + last(v + span, span, n, (time, interval))
        };
        spans.enumerate().map(child).max().unwrap_or(0)
    }
    last(0, n.next_power_of_two(), n, (time, interval))
}

#[test]
fn what_goes_down_trees_takes_so_long() {
    use Algorithm as A;
    for n in 2..=17u32 {
        let wide = u64::from(n);
        let all = (wide - 1) * u64::from(BLOCK);
        let broadcast = |algorithm| counted(n, Operation::Broadcast, algorithm, BLOCK);
        for algorithm in [A::Linear, A::Chain, A::BinaryTree, A::Binomial, A::Knomial] {
            let found = broadcast(algorithm);
            assert_eq!((found.messages, found.bytes), (wide - 1, all), "{n} {algorithm:?}");
            let found = counted(n, Operation::Reduce, algorithm, BLOCK);
            assert_eq!((found.messages, found.bytes), (wide - 1, all), "{n} {algorithm:?}");
        }
        let (one, interval) = (time(BLOCK), interval(BLOCK));
        assert_eq!(broadcast(A::Chain).end, (wide - 1) * one, "{n}");
        assert_eq!(broadcast(A::Linear).end, one + (wide - 2) * interval, "{n}");
        assert_eq!(broadcast(A::Binomial).end, binomial(n, BLOCK), "{n}");
        if n.is_power_of_two() {
            let rounds = u64::from(n.ilog2());
            assert_eq!(broadcast(A::Binomial).end, rounds * one, "{n}");
            assert_eq!(counted(n, Operation::Reduce, A::Binomial, BLOCK).end, rounds * one);
            let halves = (0..n.ilog2()).map(|round| time((BLOCK * n) >> (round + 1)));
            let scattered = counted(n, Operation::Scatter, A::Binomial, BLOCK);
            assert_eq!(scattered.end, halves.clone().sum::<u64>(), "{n}");
            let gathered = counted(n, Operation::Gather, A::Binomial, BLOCK);
            assert_eq!(gathered.end, halves.sum::<u64>(), "{n}");
        }
    }
}

/// A chain of segments is a pipeline: the first goes down, the others are behind it.
#[test]
fn segments_follow_each_other() {
    let method = Some(Method::Algorithm(Algorithm::Chain));
    for (n, pieces) in [(2, 3), (5, 4), (9, 16)] {
        let whole = Collective::new(Operation::Broadcast, (pieces * BLOCK).into());
        let step = Step::Collective(Collective { method, segment: Some(BLOCK), ..whole });
        let processes = (0..n).map(|node| process(node, vec![step.clone()])).collect();
        let run = Run::to_the_end(star(n), program(processes));
        let end = super::finished(&run).into_iter().max().unwrap();
        // A member sends a segment on when it has it: then the next is on its way to it.
        let rounds = u64::from(n - 1);
        assert_eq!(run.rows.len() as u32, pieces * (n - 1));
        assert_eq!(end, rounds * time(BLOCK) + u64::from(pieces - 1) * interval(BLOCK));
    }
}

#[test]
fn reductions_for_all_take_so_long() {
    use Algorithm as A;
    for n in 2..=17u32 {
        let (wide, low) = (u64::from(n), 1u32 << n.ilog2());
        let idle = u64::from(n - low);
        let bytes = BLOCK * n * low;
        let reduce = |algorithm| counted(n, Operation::AllReduce, algorithm, bytes);
        let found = reduce(A::RecursiveDoubling);
        let (down, long) = (u64::from(n.ilog2()), u64::from(bytes));
        let messages = u64::from(low) * down + 2 * idle;
        assert_eq!((found.messages, found.bytes), (messages, messages * long), "{n}");
        assert_folded(n, found.end, down * time(bytes), time(bytes));
        let found = reduce(A::Ring);
        let rounds = 2 * (wide - 1);
        assert_eq!((found.messages, found.bytes), (rounds * wide, rounds * long), "{n}");
        assert_eq!(found.end, rounds * time(bytes / n), "{n}");
        let found = reduce(A::Rabenseifner);
        let halves = || (0..n.ilog2()).map(|round| bytes >> (round + 1));
        let sent = 2 * u64::from(low) * halves().map(u64::from).sum::<u64>() + 2 * idle * long;
        assert_eq!((found.messages, found.bytes), (2 * u64::from(low) * down + 2 * idle, sent));
        let taken = 2 * halves().map(time).sum::<u64>();
        assert_folded(n, found.end, taken, time(bytes));
        let found = counted(n, Operation::Reduce, A::Rabenseifner, bytes);
        // Towards the root half as many send twice as much in each round: half of all together.
        let halved = u64::from(low) * halves().map(u64::from).sum::<u64>();
        assert_eq!(found.bytes, halved + idle * long + down * long / 2, "{n}");
    }
}

#[test]
fn gathers_for_all_take_so_long() {
    use Algorithm as A;
    for n in 2..=17u32 {
        let wide = u64::from(n);
        let gather = |algorithm| counted(n, Operation::AllGather, algorithm, BLOCK);
        let all = wide * (wide - 1) * u64::from(BLOCK);
        let found = gather(A::Ring);
        assert_eq!((found.messages, found.bytes), (wide * (wide - 1), all), "{n}");
        assert_eq!(found.end, (wide - 1) * time(BLOCK), "{n}");
        let found = gather(A::Bruck);
        assert_eq!((found.messages, found.bytes), (wide * u64::from(doublings(n)), all), "{n}");
        assert_eq!(found.end, bruck(n).map(|count| time(count * BLOCK)).sum::<u64>(), "{n}");
        if n.is_power_of_two() {
            let found = gather(A::RecursiveDoubling);
            assert_eq!((found.messages, found.bytes), (wide * u64::from(n.ilog2()), all), "{n}");
            let rounds = (0..n.ilog2()).map(|round| time(BLOCK << round));
            assert_eq!(found.end, rounds.sum::<u64>(), "{n}");
        }
        if n % 2 == 0 {
            let found = gather(A::NeighbourExchange);
            assert_eq!((found.messages, found.bytes), (wide * wide / 2, all), "{n}");
            assert_eq!(found.end, time(BLOCK) + (wide / 2 - 1) * time(2 * BLOCK), "{n}");
        }
        let found = gather(A::Linear);
        assert_eq!((found.messages, found.bytes), (wide * (wide - 1), all), "{n}");
        let scatter = |algorithm| counted(n, Operation::ReduceScatter, algorithm, BLOCK);
        for algorithm in [A::Ring, A::Pairwise] {
            let found = scatter(algorithm);
            assert_eq!((found.messages, found.bytes), (wide * (wide - 1), all), "{n}");
            assert_eq!(found.end, (wide - 1) * time(BLOCK), "{n}");
        }
        if n.is_power_of_two() {
            let found = scatter(A::RecursiveHalving);
            assert_eq!((found.messages, found.bytes), (wide * u64::from(n.ilog2()), all), "{n}");
            let rounds = (0..n.ilog2()).map(|round| time(BLOCK << round));
            assert_eq!(found.end, rounds.sum::<u64>(), "{n}");
        }
    }
}

#[test]
fn exchanges_of_all_take_so_long() {
    use Algorithm as A;
    for n in 2..=17u32 {
        let wide = u64::from(n);
        let exchange = |algorithm| counted(n, Operation::AllToAll, algorithm, BLOCK);
        let all = wide * (wide - 1) * u64::from(BLOCK);
        let found = exchange(A::Pairwise);
        assert_eq!((found.messages, found.bytes), (wide * (wide - 1), all), "{n}");
        assert_eq!(found.end, (wide - 1) * time(BLOCK), "{n}");
        let found = exchange(A::Linear);
        assert_eq!((found.messages, found.bytes), (wide * (wide - 1), all), "{n}");
        // To the next, the one after it, and so on: nobody gets two at a time.
        assert_eq!(found.end, time(BLOCK) + (wide - 2) * interval(BLOCK), "{n}");
        let found = exchange(A::Bruck);
        let with_bit = |bit: u32| (1..n).filter(|far| far >> bit & 1 == 1).count() as u32;
        let rounds = (0..doublings(n)).map(|bit| time(with_bit(bit) * BLOCK));
        assert_eq!(found.messages, wide * u64::from(doublings(n)), "{n}");
        assert_eq!(found.end, rounds.sum::<u64>(), "{n}");
    }
}

/// What comes is added before the next round begins.
#[test]
fn adding_takes_processor_time() {
    let method = Some(Method::Algorithm(Algorithm::Ring));
    let step = Collective { method, ..Collective::new(Operation::AllReduce, (4 * BLOCK).into()) };
    let processes = (0..4).map(|node| process(node, vec![Step::Collective(step.clone())]));
    let mut machine = star(4);
    machine.interface.collectives.reduce_fs_per_byte = 2_000_000;
    let run = Run::to_the_end(machine, program(processes.collect()));
    let expected = 6 * time(BLOCK) + 3 * 2000 * u64::from(BLOCK);
    assert_eq!(super::finished(&run), [expected; 4]);
    assert_eq!(run.simulation.counters().cpu_busy_ps, 4 * 3 * 2000 * u64::from(BLOCK));
}

/// A group of one has nothing to do, and nothing to send takes messages nonetheless.
#[test]
fn one_member_is_done_at_once_and_no_bytes_take_rounds() {
    for operation in Operation::ALL {
        let step = Step::Collective(Collective::new(operation, BLOCK.into()));
        let run = Run::to_the_end(star(2), program(vec![process(0, vec![step])]));
        assert_eq!((run.rows.len(), super::finished(&run)), (0, vec![0]), "{operation:?}");
        let step = Step::Collective(Collective::new(operation, 0));
        let processes = (0..4).map(|node| process(node, vec![step.clone()])).collect();
        let run = Run::to_the_end(star(4), program(processes));
        assert!(run.rows.iter().all(|row| row.bytes == 0), "{operation:?}");
        assert!(super::finished(&run).into_iter().max() >= Some(time(0)), "{operation:?}");
    }
}
