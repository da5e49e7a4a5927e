//! What the packets in one queue wait for, instant by instant, and how many do.
//!
//! All of them have the same root at an instant. A wait is booked by its ends alone, and stretches are booked with how
//! many waited when nobody can come any more who waited then: so a wait costs the same however long it is.

use crate::ids::ChannelId;
use crate::measure::slices::{NONE, Slices, Wait};
use crate::time::Time;
use std::collections::{BTreeMap, VecDeque};

/// A root: the class of who is there, and the channel; of which nothing is known: both are none.
pub type Cause = (u32, ChannelId);

/// A stretch of time in which all in a queue wait for the same.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// When it began; it lasts until the next begins.
    pub begin: Time,
    /// What for; none: it is not told.
    pub by: Option<Cause>,
}

/// Who waits: for which channel, and of which class.
pub type Waiter = (u32, u32);

/// What those in one queue wait for.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    stretches: VecDeque<Stretch>,
    /// The number of the first of them.
    first: u64,
    /// Until when it is told.
    end: Time,
    /// Since when it is told without a gap.
    whole_since: Time,
    /// By stretch: how many more wait in all of it than in all of the one before.
    more: BTreeMap<(u64, Waiter), i64>,
    /// How many wait in all of the stretch before the first.
    standing: BTreeMap<Waiter, i64>,
}

/// The wait of somebody for a root.
pub fn wait((channel, victim): Waiter, (culprit, root): Cause) -> Wait {
    Wait { channel, root: root.0, victim, culprit }
}

impl Queue {
    /// Until when it is told.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Nothing is told of the time up to an instant that is not.
    pub fn goes_on(&mut self, at: Time) {
        if self.stretches.is_empty() {
            (self.end, self.whole_since) = (at, at);
        } else if self.end < at {
            self.push(Stretch { begin: self.end, by: None }, at);
            self.whole_since = at;
        }
    }

    /// The next stretch, until an instant.
    pub fn push(&mut self, stretch: Stretch, end: Time) {
        self.end = end;
        if self.stretches.back().is_none_or(|last| last.by != stretch.by) {
            self.stretches.push_back(stretch);
        }
    }

    /// Books a wait up to where it is told, or less; false if it is not told of all of it: then nothing is booked.
    #[must_use]
    pub fn books(&mut self, waiter: Waiter, (from, to): (Time, Time), slices: &mut Slices) -> bool {
        let place = |at: Time| self.stretches.partition_point(|one| one.begin <= at).checked_sub(1);
        let (Some(first), Some(last)) = (place(from), place(to - 1)) else { return false };
        if from < self.whole_since {
            return false;
        }
        let cause = |place: usize| self.stretches[place].by.unwrap_or((NONE, ChannelId(NONE)));
        let begin = |place: usize| self.stretches[place].begin;
        if first == last {
            slices.waits(wait(waiter, cause(first)), (from, to), 1);
            return true;
        }
        slices.waits(wait(waiter, cause(first)), (from, begin(first + 1)), 1);
        slices.waits(wait(waiter, cause(last)), (begin(last), to), 1);
        if last > first + 1 {
            let number = |place: usize| self.first + place as u64;
            let (next, end) = (number(first + 1), number(last));
            *self.more.entry((next, waiter)).or_default() += 1;
            *self.more.entry((end, waiter)).or_default() -= 1;
        }
        true
    }

    /// What is told of a span, which that must be: what for, and from when on.
    #[cfg(debug_assertions)]
    pub fn cut(&self, (from, to): (Time, Time)) -> Vec<(Option<Cause>, Time)> {
        let first = self.stretches.partition_point(|one| one.begin <= from) - 1;
        let there = self.stretches.range(first..).take_while(|one| one.begin < to);
        there.map(|one| (one.by, one.begin.max(from))).collect()
    }

    /// Nobody comes any more who waited before an instant: books the stretches up to there.
    pub fn forget(&mut self, since: Time, slices: &mut Slices) {
        while let Some(next) = self.stretches.get(1)
            && next.begin <= since
        {
            let end = next.begin;
            self.close(end, slices);
        }
    }

    /// Books all that is told.
    pub fn close_all(mut self, slices: &mut Slices) {
        while let Some(next) = self.stretches.get(1) {
            let end = next.begin;
            self.close(end, slices);
        }
    }

    /// Books the first stretch, until an instant, with those that waited in all of it.
    fn close(&mut self, end: Time, slices: &mut Slices) {
        while let Some(entry) = self.more.first_entry()
            && entry.key().0 == self.first
        {
            let ((_, waiter), more) = entry.remove_entry();
            let count = self.standing.entry(waiter).or_default();
            *count += more;
            if *count == 0 {
                self.standing.remove(&waiter);
            }
        }
        let Some(Stretch { begin, by }) = self.stretches.pop_front() else { return };
        self.first += 1;
        let cause = by.unwrap_or((NONE, ChannelId(NONE)));
        for (&waiter, &count) in &self.standing {
            slices.waits(wait(waiter, cause), (begin, end), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Booked by their ends, waits are those booked stretch by stretch.
    #[test]
    fn waits_in_a_queue_are_those_of_each_stretch() {
        let mut random = Stream::new(1, Purpose::Length, 0);
        let mut queue = Queue::default();
        let [mut found, mut right] = [(); 2].map(|()| Slices::new(1, 50, true));
        let mut all: Vec<(Time, Time, Cause)> = Vec::new();
        queue.goes_on(5);
        let mut end = 5;
        for number in 0..2_000 {
            let cause = (random.below(2) as u32, ChannelId(random.below(3) as u32));
            let next = end + 1 + random.below(900);
            queue.push(Stretch { begin: end, by: Some(cause) }, next);
            all.push((end, next, cause));
            end = next;
            let since = end.saturating_sub(9_000).max(5);
            for _ in 0..random.below(4) {
                let from = since + random.below(end - since);
                let to = from + 1 + random.below(end - from);
                let waiter = (0, random.below(2) as u32);
                assert!(queue.books(waiter, (from, to), &mut found));
                for &(begin, end, cause) in &all {
                    let span = (begin.max(from), end.min(to));
                    if span.0 < span.1 {
                        right.waits(wait(waiter, cause), span, 1);
                    }
                }
            }
            if number % 7 == 0 {
                queue.forget(since, &mut found);
            }
            if number == 1_000 {
                found.begin_window(end);
                right.begin_window(end);
            }
        }
        queue.close_all(&mut found);
        assert_eq!(found.waited(), right.waited());
        assert!(found.waited().len() > 100);
    }
}
