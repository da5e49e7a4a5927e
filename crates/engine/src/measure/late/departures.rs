//! Who left which buffer when, where packets leave buffers in any order.

use super::turns::{RecordId, Turn};
use crate::ids::ChannelId;
use crate::time::Time;
use std::collections::VecDeque;

/// A packet's turn on a channel, as the buffer sees it that it leaves by that.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The turn.
    pub turn: Turn,
    /// When it began.
    pub start: Time,
    /// When it ended: the packet is out of the buffer.
    pub end: Time,
}

/// So many departures are looked at first, before those that began earlier.
const NEAR: usize = 8;

/// Departures from one buffer, in the order in which they began.
#[derive(Clone, Debug, Default)]
struct Leaving {
    all: VecDeque<Departure>,
    /// The longest that any took.
    longest: Time,
}

/// Departures from all buffers.
#[derive(Clone, Debug)]
pub struct Departures {
    /// By channel to the buffer.
    of: Vec<Leaving>,
    /// By channel: how many packets the input at its end may send at a time.
    speedups: Vec<u16>,
    /// By channel: the records of those who wait for it and have not started yet.
    asking: Vec<Vec<RecordId>>,
}

impl Leaving {
    /// How many began before an instant: mostly all but a few, of the many that are kept.
    fn began_before(&self, at: Time) -> usize {
        let (mut high, mut step) = (self.all.len(), NEAR);
        let mut low = loop {
            let low = high.saturating_sub(step);
            if low == 0 || self.all[low].start < at {
                break low;
            }
            (high, step) = (low, 2 * step);
        };
        while low < high {
            let middle = low.midpoint(high);
            if self.all[middle].start < at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Those that began before an instant, latest first, as long as they may end at an instant or later.
    fn until(&self, before: Time, from: Time) -> impl Iterator<Item = &Departure> {
        let (count, longest) = (self.began_before(before), self.longest);
        let may_last = move |one: &&Departure| one.start.saturating_add(longest) >= from;
        self.all.range(..count).rev().take_while(may_last)
    }
}

impl Departures {
    /// None yet; of inputs that send so many packets at a time.
    pub fn new(speedups: Vec<u16>) -> Self {
        let count = speedups.len();
        let (of, asking) = (vec![Leaving::default(); count], vec![Vec::new(); count]);
        Self { of, speedups, asking }
    }

    /// A packet waits for a channel.
    #[inline]
    pub fn begins_to_wait(&mut self, channel: ChannelId, record: RecordId) {
        self.asking[channel.index()].push(record);
    }

    /// A packet starts that waited for a channel, or for none.
    #[inline]
    pub fn waits_no_more(&mut self, channel: ChannelId, record: RecordId) {
        if channel.is_some() {
            let asking = &mut self.asking[channel.index()];
            if let Some(place) = asking.iter().position(|&other| other == record) {
                asking.swap_remove(place);
            }
        }
    }

    /// The records of those who wait for a channel and have not started yet.
    pub fn asking(&self, channel: ChannelId) -> &[RecordId] {
        &self.asking[channel.index()]
    }

    /// A packet leaves the buffer at the end of a channel.
    pub fn push(&mut self, buffer: ChannelId, departure: Departure) {
        let of = &mut self.of[buffer.index()];
        of.longest = of.longest.max(departure.end - departure.start);
        of.all.push_back(departure);
    }

    /// Those that ended before an instant are not asked for any more.
    pub fn forget(&mut self, buffer: ChannelId, since: Time) {
        let all = &mut self.of[buffer.index()].all;
        while all.front().is_some_and(|one| one.end < since) {
            all.pop_front();
        }
    }

    /// Those that go on just before an instant, latest first.
    pub fn at(&self, buffer: ChannelId, at: Time) -> impl Iterator<Item = &Departure> {
        self.of[buffer.index()].until(at, at).filter(move |one| one.end >= at)
    }

    /// Those that end at an instant, latest first.
    pub fn ending(&self, buffer: ChannelId, at: Time) -> impl Iterator<Item = &Departure> {
        self.at(buffer, at).filter(move |one| one.end == at)
    }

    /// Whether the input at a channel's end sends as many packets as it may just before an instant.
    pub fn is_at_limit(&self, buffer: ChannelId, at: Time) -> bool {
        if self.sends_any(buffer) {
            return false;
        }
        let most = usize::from(self.speedups[buffer.index()]);
        self.at(buffer, at).take(most).count() == most
    }

    /// Whether the input at a channel's end sends as many packets at a time as there are outputs.
    pub fn sends_any(&self, buffer: ChannelId) -> bool {
        self.speedups[buffer.index()] == u16::MAX
    }

    /// When it was last before an instant that the input at a channel's end could send one packet more or less.
    pub fn limit_changed(&self, buffer: ChannelId, at: Time) -> Time {
        if self.sends_any(buffer) { 0 } else { self.changed(buffer, at) }
    }

    /// When a departure began or ended last before an instant; 0 if that is not known.
    pub fn changed(&self, buffer: ChannelId, at: Time) -> Time {
        let of = &self.of[buffer.index()];
        let mut latest = of.until(at, 0).next().map_or(0, |one| one.start);
        for one in of.until(at, 0) {
            if one.start.saturating_add(of.longest) <= latest {
                break;
            }
            if one.end < at {
                latest = latest.max(one.end);
            }
        }
        latest
    }

    /// The first to end, not before an instant, of those of which something holds; of several at one instant
    /// the first by `rank`.
    pub fn first<R: Ord>(
        &self,
        buffer: ChannelId,
        at: Time,
        is_one: impl Fn(&Departure) -> bool,
        rank: impl Fn(&Departure) -> R,
    ) -> Option<Departure> {
        let of = &self.of[buffer.index()];
        let mut best: Option<Departure> = None;
        let later = of.all.range(of.began_before(at)..);
        for one in of.until(at, at).chain(later) {
            if best.is_some_and(|best| one.start >= at && one.start >= best.end) {
                break;
            }
            if one.end < at || !is_one(one) {
                continue;
            }
            let is_better = best.is_none_or(|best| (one.end, rank(one)) < (best.end, rank(&best)));
            if is_better {
                best = Some(*one);
            }
        }
        best
    }
}
