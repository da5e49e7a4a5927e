//! What is kept of the nodes of a rank: few bytes, for a rank may have millions.

use crate::graph;
use std::collections::HashSet;
use tailback_engine::workload::trace::{Envelope, Filter, Operation, What};

/// A node as an operation, in few bytes: a rank may have millions.
#[derive(Clone, Copy)]
pub struct Step {
    /// The time of computing, or the bytes of a message; collectives are numbered by rank.
    pub amount: u64,
    pub peer: u32,
    pub tag: u32,
    pub call: u32,
    pub does: Does,
    pub cpu: u8,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Does {
    Nothing,
    Computes,
    Sends,
    Receives,
    Meets,
}

impl graph::Node for Step {
    fn operation(self, after: u32) -> Operation {
        let Self { amount, peer, tag, .. } = self;
        let what = match self.does {
            Does::Nothing => What::Join,
            Does::Computes => What::Compute(amount),
            Does::Sends => What::Send(Envelope { to: peer, bytes: amount, tag, context: 0 }),
            Does::Receives => {
                What::Receive(Filter { from: Some(peer), tag: Some(tag), context: 0 })
            }
            Does::Meets => What::Collective(peer),
        };
        Operation { cpu: self.cpu, call: self.call, ..Operation::new(what, after) }
    }

    fn expected(self) -> Option<u64> {
        (self.does == Does::Receives).then_some(self.amount)
    }
}

/// What is kept of a node until all of its rank are there.
pub struct Entry {
    pub id: u64,
    /// Where it is in its file.
    pub at: u64,
    pub step: Step,
    /// Where the numbers of those that it is after begin: data dependencies, then control.
    pub first: u32,
    pub data: u32,
    pub control: u32,
    pub is_collective: bool,
}

/// The nodes of a rank, in order of their numbers.
#[derive(Default)]
pub struct Nodes {
    pub entries: Vec<Entry>,
    pub before: Vec<u64>,
}

impl Nodes {
    /// The place of the node with a number.
    pub fn place(&self, id: u64) -> Option<u32> {
        let place = self.entries.binary_search_by_key(&id, |entry| entry.id);
        place.ok().map(|place| place as u32)
    }
}

/// The numbers that nodes have had: nothing is kept of them while they ascend.
#[derive(Default)]
pub struct Ids {
    last: Option<u64>,
    others: Option<HashSet<u64>>,
}

impl Ids {
    /// Takes the number of the next node; whether it is new.
    pub fn take(&mut self, id: u64, entries: &[Entry]) -> bool {
        if self.others.is_none() && self.last.is_none_or(|last| last < id) {
            self.last = Some(id);
            return true;
        }
        let all = || entries.iter().map(|entry| entry.id).collect();
        self.others.get_or_insert_with(all).insert(id)
    }
}
