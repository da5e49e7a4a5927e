//! What happens on channels over time: one record of columns by channel and slice of time.
//!
//! [`Clock`] says which slice an instant lies in. [`Columns`] are sums by channel and slice, one for each thing
//! that is sampled ([`What`]). [`Waits`] are the waits of packets, told apart further: where their roots were, and
//! who waited for whom. A sum is booked in the slices in which it happened, so sums over slices are exact.

mod clock;
mod columns;
mod waits;
mod ways;

use crate::ids::ChannelId;
use crate::time::Time;
pub use clock::Clock;
use columns::Columns;
pub use columns::What;
use waits::Waits;
pub use waits::{NONE, Wait};
use ways::Ways;

/// What is kept by slice.
#[derive(Clone)]
pub struct Slices {
    clock: Clock,
    columns: Columns,
    waits: Waits,
    ways: Ways,
    /// Whether waits are told apart by the classes of those that wait and of those in their way.
    pub by_class: bool,
}

/// A sum of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The slice.
    pub slice: u32,
    /// Who waited for what.
    pub wait: Wait,
    /// How long, added up.
    pub time: Time,
}

/// What there was of a channel in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfChannel {
    /// The slice.
    pub slice: u32,
    /// The channel.
    pub channel: ChannelId,
    /// How long it transmitted.
    pub busy: Time,
    /// The number of packets that waited for it, summed up over time.
    pub queue: Time,
}

impl Slices {
    /// At most so many slices of a run with so many channels.
    pub fn new(channels: usize, most: u32, by_class: bool) -> Self {
        let (clock, columns) = (Clock::new(0, most), Columns::new(channels));
        let (waits, ways) = (Waits::default(), Ways::default());
        Self { clock, columns, waits, ways, by_class }
    }

    /// A new measurement window begins: what happened before is forgotten.
    pub fn begin_window(&mut self, now: Time) {
        let (channels, most) = (self.columns.channels(), self.clock.most());
        self.clock = Clock::new(now, most);
        self.columns = Columns::new(channels);
        self.waits = Waits::default();
        self.ways = Ways::default();
    }

    /// Something goes on at a channel from when until when.
    pub fn add(&mut self, what: What, channel: ChannelId, span: (Time, Time)) {
        let span = self.reach(span);
        for (slice, time) in self.clock.cut(span) {
            self.columns.add(what, channel, slice, time);
        }
    }

    /// A packet of a class is sent on a channel from when until when.
    pub fn crosses(&mut self, class: u32, channel: ChannelId, span: (Time, Time)) {
        let (from, to) = self.reach(span);
        if from < to {
            self.ways.add(class, channel, to - from);
        }
    }

    /// So many packets wait from when until when.
    pub fn waits(&mut self, wait: Wait, span: (Time, Time), count: i64) {
        let (from, to) = self.reach(span);
        if from < to {
            self.waits.add(&self.clock, wait, (from, to), count);
        }
        if self.waits.is_full() && self.clock.can_double() {
            self.double();
        }
    }

    /// What of a span lies in the window, for which there are slices from now on.
    fn reach(&mut self, (from, to): (Time, Time)) -> (Time, Time) {
        let begin = self.clock.begin();
        let (from, to) = (from.max(begin), to.max(begin));
        while !self.clock.reaches(to) {
            self.double();
        }
        (from, to)
    }

    #[cold]
    #[inline(never)]
    fn double(&mut self) {
        self.columns.double();
        self.waits.double(&self.clock);
        self.clock.double();
    }

    /// When slices begin, and how long they are.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// All waits, by slice and by who waited for what.
    pub fn waited(&self) -> Vec<Waited> {
        let mut rows = self.waits.rows(&self.clock);
        rows.sort_unstable_by_key(|row| (row.slice, row.wait));
        rows
    }

    /// What there was of every channel in every slice, in their order; nothing where there was nothing.
    pub fn by_channel(&self) -> Vec<OfChannel> {
        let mut rows = Vec::new();
        let waited = self.waited();
        let mut waited = waited.iter().peekable();
        for slice in 0..self.count() {
            for channel in (0..self.columns.channels()).map(ChannelId::from_index) {
                let busy = self.sum(What::Busy, slice, channel);
                let mut queue = 0;
                while let Some(row) =
                    waited.next_if(|row| (row.slice, row.wait.channel) == (slice, channel.0))
                {
                    queue += row.time;
                }
                if busy > 0 || queue > 0 {
                    rows.push(OfChannel { slice, channel, busy, queue });
                }
            }
        }
        rows
    }

    /// How long the packets of every class kept every channel busy that they crossed; nothing where there are
    /// too many of these.
    pub fn by_class_and_channel(&self) -> Vec<(u32, ChannelId, Time)> {
        self.ways.rows()
    }

    /// The sum of something by slice and channel.
    pub fn sum(&self, what: What, slice: u32, channel: ChannelId) -> Time {
        self.columns.sum(what, slice, channel)
    }

    /// How many slices there are, up to the last in which anything happened.
    pub fn count(&self) -> u32 {
        self.clock.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use std::collections::BTreeMap;

    /// Sums are those of every picosecond, whatever was added before slices became longer.
    #[test]
    fn sums_of_slices_are_those_of_every_instant() {
        let mut random = Stream::new(1, Purpose::Length, 0);
        let mut slices = Slices::new(3, 8, true);
        let (mut busy, mut waited) = (BTreeMap::new(), BTreeMap::new());
        for round in 0..300 {
            let from = random.below(1 + 200 * round);
            let span = (from, from + random.below(20_000));
            let channel = ChannelId(random.below(3) as u32);
            slices.add(What::Busy, channel, span);
            let wait = Wait {
                channel: channel.0,
                root: random.below(2) as u32,
                victim: 0,
                culprit: random.below(2) as u32,
            };
            slices.waits(wait, span, 1);
            busy.entry(channel).or_insert_with(Vec::new).push(span);
            waited.entry(wait).or_insert_with(Vec::new).push(span);
        }
        let (begin, width) = (slices.clock().begin(), slices.clock().width());
        let inside = |spans: &[(Time, Time)], slice: u32| -> Time {
            let from = begin + Time::from(slice) * width;
            let part = |&(a, b): &(Time, Time)| b.min(from + width).saturating_sub(a.max(from));
            spans.iter().map(part).sum()
        };
        assert!(slices.count() <= 8 && slices.count() > 4, "{}", slices.count());
        for (&channel, spans) in &busy {
            for slice in 0..8 {
                assert_eq!(slices.sum(What::Busy, slice, channel), inside(spans, slice));
            }
        }
        let rows = slices.waited();
        let found: BTreeMap<_, _> =
            rows.iter().map(|row| ((row.wait, row.slice), row.time)).collect();
        assert_eq!(found.len(), rows.len());
        for (&wait, spans) in &waited {
            for slice in 0..8 {
                let time = found.get(&(wait, slice)).copied().unwrap_or(0);
                assert_eq!(time, inside(spans, slice));
            }
        }
    }

    /// What happened before the window is not in it.
    #[test]
    fn a_window_begins_anew() {
        let mut slices = Slices::new(1, 10, false);
        let wait = Wait { channel: 0, root: NONE, victim: NONE, culprit: NONE };
        slices.waits(wait, (0, 500_000), 1);
        slices.begin_window(1_000_000);
        slices.waits(wait, (900_000, 1_000_100), 1);
        slices.waits(wait, (0, 10), 1);
        assert_eq!(slices.waited(), [Waited { slice: 0, wait, time: 100 }]);
    }

    /// Where there are too many, slices become longer, and then what is new is not told apart.
    #[test]
    fn memory_is_bounded_and_nothing_is_lost() {
        let mut slices = Slices::new(1, 64, false);
        slices.waits = Waits::of_at_most(1_000);
        for number in 0..5_000 {
            let wait = Wait { channel: 0, root: number % 2_000, victim: NONE, culprit: NONE };
            slices.waits(wait, (Time::from(number), Time::from(number) + 700), 1);
        }
        let rows = slices.waited();
        assert_eq!(rows.iter().map(|row| row.time).sum::<Time>(), 5_000 * 700);
        assert!(rows.iter().any(|row| row.wait.root == NONE));
        assert!(rows.len() < 4_000, "{}", rows.len());
    }
}
