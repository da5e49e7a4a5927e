//! Random programs whose messages have receives, perhaps in an order that leads nowhere.

use super::programs::Rank;
use tailback_engine::rng::Stream;
use tailback_engine::spec::Trace;
use tailback_engine::workload::trace::{After, Batch, Envelope, Filter, Operation, What};

/// So many ranks.
pub fn random_ranks(draw: &mut Stream, ranks: u64) -> Vec<Rank> {
    let mut all: Vec<Vec<What>> = vec![Vec::new(); ranks as usize];
    let wild = draw.below(3);
    for _ in 0..draw.below(40) {
        let (from, to) = (draw.below(ranks) as u32, draw.below(ranks) as u32);
        let (tag, bytes) = (draw.below(3) as u32, 1 + draw.below(3000));
        let send = What::Send(Envelope { to, bytes, tag, context: 0 });
        let mut exact = || draw.below(8) >= wild;
        let (source, by_tag) = (exact().then_some(from), exact().then_some(tag));
        let receive = What::Receive(Filter { from: source, tag: by_tag, context: 0 });
        for (rank, what) in [(from, send), (to, receive)] {
            let list = &mut all[rank as usize];
            let place = list.len() as u64 - draw.below(list.len().min(3) as u64 + 1);
            list.insert(place as usize, what);
        }
    }
    all.into_iter().map(|list| program(draw, &list)).collect()
}

/// A rank that sends and receives so, computes and waits.
fn program(draw: &mut Stream, list: &[What]) -> Rank {
    let mut rank = Rank::default().then(What::Compute(1 + draw.below(3_000_000)), &[]);
    let (mut list, mut count, mut gate) = (list.iter().copied().peekable(), 1, 0);
    while list.peek().is_some() {
        // All of a batch is after the last operation of the one before.
        let (first, last_gate) = (count, gate);
        rank.batches.push(Batch::default());
        for _ in 0..draw.below(9) {
            let what = match draw.below(5) {
                // Times that hardly ever fall together.
                0 => What::Compute(draw.below(3) * (1 + draw.below(5_000_000))),
                1 => What::Join,
                _ => list.next().unwrap_or(What::Join),
            };
            add(&mut rank, draw, what, (count - last_gate, count - first));
            count += 1;
        }
        // Mostly that waits for nothing else.
        let others = if draw.below(4) == 0 { count - first } else { 0 };
        add(&mut rank, draw, What::Join, (count - last_gate, others));
        (gate, count) = (count, count + 1);
    }
    rank
}

/// One more operation, after the one so far before it and some of so many others before it.
fn add(rank: &mut Rank, draw: &mut Stream, what: What, (gate, others): (u32, u32)) {
    let mut after = vec![After { back: gate, begun: draw.below(2) == 0 }];
    for _ in 0..draw.below(3).min(others.into()) {
        let back = 1 + draw.below(others.into()) as u32;
        after.push(After { back, begun: draw.below(3) == 0 });
    }
    let cpu = draw.below(3) as u8;
    let batch = rank.batches.last_mut().expect("a batch has begun");
    batch.operations.push(Operation { cpu, ..Operation::new(what, after.len() as u32) });
    batch.after.extend(after);
}

/// Where so many ranks run, and how their messages are sent.
pub fn random_trace(draw: &mut Stream, ranks: u64) -> Trace {
    Trace {
        nodes: (0..ranks).map(|_| draw.below(4) as u32).collect(),
        eager_bytes: Some([0, 1000, 5000][draw.below(3) as usize]),
        control_bytes: draw.below(40) as u32,
        memory_latency_ps: 1 + draw.below(100_000),
        memory_byte_fs: 1000 * draw.below(1000),
        ..Trace::default()
    }
}
