//! Who left which buffer when, where packets leave buffers in any order.

use super::turns::Turn;
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
}

impl Leaving {
    /// Those that began before an instant, latest first, as long as they may end at an instant or later.
    fn until(&self, before: Time, from: Time) -> impl Iterator<Item = &Departure> {
        let count = self.all.partition_point(|one| one.start < before);
        let longest = self.longest;
        let may_last = move |one: &&Departure| one.start.saturating_add(longest) >= from;
        self.all.range(..count).rev().take_while(may_last)
    }
}

impl Departures {
    /// None yet; of inputs that send so many packets at a time.
    pub fn new(speedups: Vec<u16>) -> Self {
        Self { of: vec![Leaving::default(); speedups.len()], speedups }
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

    /// Whether the input at a channel's end sends as many packets as it may just before an instant.
    pub fn is_at_limit(&self, buffer: ChannelId, at: Time) -> bool {
        let most = usize::from(self.speedups[buffer.index()]);
        self.at(buffer, at).take(most).count() == most
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
        let count = of.all.partition_point(|one| one.start < at);
        let later = of.all.range(count..);
        for one in of.until(at, at).chain(later) {
            if best.is_some_and(|best| one.start >= at && one.start >= best.end) {
                break;
            }
            if one.end < at || !is_one(one) {
                continue;
            }
            let is_better =
                best.is_none_or(|best| (one.end, rank(one)) < (best.end, rank(&best)));
            if is_better {
                best = Some(*one);
            }
        }
        best
    }
}
