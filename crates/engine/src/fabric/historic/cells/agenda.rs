//! What happens next to frames and their cells.

use crate::ids::PacketId;
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that happens to a packet.
///
/// In order of time; of one instant what happens to packets that were queued earlier comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    pub at: Time,
    /// The serial number of the packet.
    pub serial: u32,
    pub what: What,
    pub packet: PacketId,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It starts on the line of its node.
    SetsOut,
    /// A cell asks for a port or link: the place of that on its way.
    Asks { place: u16, cell: u32 },
    /// A cell starts there.
    Starts { place: u16, cell: u32 },
    /// All of it is out of the fabric.
    IsOut,
    /// It starts on the line to its destination.
    Returns,
}

/// What is due, the next at hand.
#[derive(Clone, Default)]
pub struct Agenda(BinaryHeap<Reverse<Due>>);

impl Agenda {
    /// When the next is due, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        self.0.peek().map_or(NEVER, |Reverse(due)| due.at)
    }

    /// Takes what is due by `now`, if anything is.
    #[inline]
    pub fn take(&mut self, now: Time) -> Option<Due> {
        if self.next_time() > now {
            return None;
        }
        self.0.pop().map(|Reverse(due)| due)
    }

    /// Something will be due.
    #[inline]
    pub fn add(&mut self, due: Due) {
        self.0.push(Reverse(due));
    }
}
