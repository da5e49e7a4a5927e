//! Ranks written down.

use tailback_engine::spec::Collective;
use tailback_engine::workload::trace::{After, Batch, Envelope, Filter, Operation, What};

/// What a rank does, in batches.
#[derive(Clone, Debug, Default)]
pub struct Rank {
    pub batches: Vec<Batch>,
}

pub const NOTHING: &[(u32, bool)] = &[];

pub fn compute(ns: u64) -> What {
    What::Compute(ns * super::NS)
}

pub fn send(to: u32, bytes: u64, tag: u32) -> What {
    What::Send(Envelope { to, bytes, tag, context: 0 })
}

pub fn receive(from: u32, tag: u32) -> What {
    What::Receive(Filter { from: Some(from), tag: Some(tag), context: 0 })
}

pub const ANY: What = What::Receive(Filter { from: None, tag: None, context: 0 });

impl Rank {
    /// One that does one thing after the other.
    pub fn in_order(operations: &[What]) -> Self {
        let mut rank = Self::default();
        for (number, &what) in operations.iter().enumerate() {
            rank = rank.then(what, if number == 0 { &[] } else { &[1] });
        }
        rank
    }

    /// One more operation, after some that are so many places before it and done.
    pub fn then(self, what: What, after: &[u32]) -> Self {
        let after: Vec<_> = after.iter().map(|&back| (back, false)).collect();
        self.on(what, 0, &after)
    }

    /// One more operation on a CPU, after some that are done, or have begun.
    pub fn on(mut self, what: What, cpu: u8, after: &[(u32, bool)]) -> Self {
        if self.batches.is_empty() {
            self.batches.push(Batch::default());
        }
        let batch = self.batches.last_mut().unwrap();
        batch.operations.push(Operation { cpu, ..Operation::new(what, after.len() as u32) });
        batch.after.extend(after.iter().map(|&(back, begun)| After { back, begun }));
        self
    }

    /// One more collective, after the operation before it.
    pub fn together(mut self, call: Collective) -> Self {
        if self.batches.is_empty() {
            self.batches.push(Batch::default());
        }
        let batch = self.batches.last_mut().unwrap();
        let which = batch.collectives.len() as u32;
        batch.collectives.push(call);
        let is_first = batch.operations.is_empty();
        self.then(What::Collective(which), if is_first { &[] } else { &[1] })
    }
}
