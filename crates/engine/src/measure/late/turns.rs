//! Turns of packets on one channel.

use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// A packet's place among the records.
pub type RecordId = u32;

/// A packet's turn on a channel: its record, and which of its hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The packet.
    pub record: RecordId,
    /// The hop.
    pub hop: u32,
}

/// A packet's turn on a channel.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Whose it is, and which of its hops.
    pub turn: Turn,
    /// When it could have started, had nobody else been there.
    pub ready: Time,
    /// When it started.
    pub start: Time,
    /// When the channel could be granted again; never as long as that is not known.
    pub end: Time,
    /// When it is out of the buffer at the end of the channel; never as long as that is not known.
    pub out: Time,
}

/// The turns on a channel, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    all: VecDeque<Entry>,
    /// Of each how long it takes if nobody else uses the wire; nothing where nobody else ever does.
    takes: VecDeque<[Time; 2]>,
    /// The number of the first, modulo 2^32.
    first: u32,
    /// So many are kept before it is looked which of them nobody asks for any more.
    most: usize,
}

/// Fewer turns are always kept.
const FEW: usize = 16;

/// Turns that are looked at one by one before the others are halved again and again.
const NEAR: usize = 6;

impl Turns {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether it is time to forget some.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.all.len() >= self.most
    }

    /// There is room for as many again.
    pub fn leave_room(&mut self) {
        self.most = FEW.max(2 * self.all.len());
    }

    /// Adds one; its number.
    #[inline]
    pub fn push(&mut self, entry: Entry, takes: Option<[Time; 2]>) -> u32 {
        let number = self.first.wrapping_add(self.all.len() as u32);
        self.all.push_back(entry);
        self.takes.extend(takes);
        number
    }

    /// Takes the first away; whose it was.
    pub fn pop(&mut self) -> Option<RecordId> {
        let entry = self.all.pop_front()?;
        self.takes.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(entry.turn.record)
    }

    /// Takes the first away if it ended before an instant, and its place in the buffer was known to be
    /// free, so long after it was.
    pub fn forget(&mut self, since: Time, credit_ps: Time) -> Option<RecordId> {
        let entry = self.all.front()?;
        let is_over = entry.end.max(entry.out.saturating_add(credit_ps)) < since;
        if is_over { self.pop() } else { None }
    }

    /// The one of a number; none if it has been forgotten.
    #[inline]
    pub fn at(&self, number: u32) -> Option<&Entry> {
        self.all.get(self.place(number))
    }

    /// The same, to be changed.
    #[inline]
    pub fn at_mut(&mut self, number: u32) -> Option<&mut Entry> {
        let place = self.place(number);
        self.all.get_mut(place)
    }

    /// Its place.
    #[inline]
    pub fn place(&self, number: u32) -> usize {
        number.wrapping_sub(self.first) as usize
    }

    /// How long it takes if nobody else uses the wire; 0: nobody else ever does.
    pub fn takes(&self, number: u32) -> [Time; 2] {
        self.takes.get(self.place(number)).copied().unwrap_or_default()
    }

    /// The one that began last.
    pub fn last(&self) -> Option<&Entry> {
        self.all.back()
    }

    /// The one at a place.
    #[inline]
    pub fn get(&self, place: usize) -> Option<&Entry> {
        self.all.get(place)
    }

    /// Those from a place on.
    pub fn from(&self, place: usize) -> impl DoubleEndedIterator<Item = &Entry> {
        self.all.range(place.min(self.all.len())..)
    }

    /// The first that has not ended, or else the last.
    #[inline]
    pub fn leaving_mut(&mut self) -> Option<&mut Entry> {
        let mut place = self.all.len().checked_sub(1)?;
        while place > 0 && self.all[place - 1].end == NEVER {
            place -= 1;
        }
        self.all.get_mut(place)
    }

    /// The turn that went on just before an instant, by its place.
    pub fn before(&self, at: Time) -> Option<usize> {
        self.all.partition_point(|entry| entry.start < at).checked_sub(1)
    }

    /// How many of those at hand had ended before an instant, where they end in their order.
    pub fn ended(&self, at: Time) -> usize {
        self.all.partition_point(|entry| entry.end < at)
    }

    /// The turn that went on just before an instant, of those before a place, near which it is expected.
    #[inline]
    pub fn before_near(&self, at: Time, place: usize) -> Option<usize> {
        let mut end = place.min(self.all.len());
        for _ in 0..NEAR {
            let last = end.checked_sub(1)?;
            if self.all[last].start < at {
                return Some(last);
            }
            end = last;
        }
        let (front, back) = self.all.as_slices();
        let found = if end <= front.len() || back[0].start >= at {
            front[..end.min(front.len())].partition_point(|entry| entry.start < at)
        } else {
            front.len() + back[..end - front.len()].partition_point(|entry| entry.start < at)
        };
        found.checked_sub(1)
    }

    /// The packet that was in front in a first-in-first-out buffer just before an instant, by its place;
    /// `gone`: when packets are not there any more.
    #[inline]
    pub fn in_front(&self, at: Time, gone: impl Fn(&Entry) -> Time) -> Option<usize> {
        let place = self.all.partition_point(|entry| gone(entry) < at);
        let is_there = self.all.get(place).is_some_and(|entry| entry.start < at);
        is_there.then_some(place)
    }
}
