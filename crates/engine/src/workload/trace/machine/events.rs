//! What is to happen when: by time, and of one time in the order in which it came up.

use crate::ids::MessageId;
use crate::time::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// An operation of a rank may begin.
    Operation(u32, u32),
    /// A message is at its receiver.
    Message(MessageId),
    /// A rank sends the next message of its collective.
    Part(u32),
    /// A rank adds what has come in its collective, for so long.
    Adding(u32, Time),
    /// A rank leaves others it has met.
    Leaving(u32),
}

/// Events to come.
///
/// An event whose clocks are busy is put back for when they are free, and keeps its place among
/// those of that time. Time may go back: what is released late may be due early.
#[derive(Default)]
pub struct Events {
    heap: BinaryHeap<Reverse<(Time, u64, Subject)>>,
    created: u64,
}

impl Events {
    /// Something new is to happen.
    #[inline]
    pub fn post(&mut self, at: Time, subject: Subject) {
        self.put_back(at, self.created, subject);
        self.created += 1;
    }

    /// What was to happen with a place in the order happens later.
    #[inline]
    pub fn put_back(&mut self, at: Time, order: u64, subject: Subject) {
        self.heap.push(Reverse((at, order, subject)));
    }

    /// What happens next: when, its place in the order, and what it is about.
    #[inline]
    pub fn next(&mut self) -> Option<(Time, u64, Subject)> {
        self.heap.pop().map(|Reverse(event)| event)
    }
}
