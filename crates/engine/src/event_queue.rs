//! The list of future events: a timing wheel with a heap for the far future.
//!
//! Events are ordered by time, then by kind, then by number, whatever the order
//! in which they were posted (`docs/model.md`, "Time, order, random numbers").
//! Posting and taking an event cost a few nanoseconds: the wheel has one bucket
//! per 2^`bucket_bits` ps, a bitmap finds the next occupied bucket, and a
//! bucket is sorted when its turn comes [Brown 1988, calendar queue].

use crate::ids::{ChannelId, NodeId, PacketId, ProcessId};
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens, and to whom. Of one instant the kinds come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The last token of a packet has reached its destination node.
    Tail(Subject),
    /// The header of a data packet has reached its destination node.
    Head(Subject),
    /// A processor's current piece of work ends.
    Cpu(NodeId),
    /// A process begins; or a timer rings, whose number is above those of processes.
    Start(ProcessId),
    /// A row of a message list is due: its number.
    Row(u32),
    /// The packet at the front of a channel's buffer asks for an output.
    Request(Subject),
    /// A group that had to wait looks again.
    Retry(Subject),
    /// A node's network interface goes on: a packet has left it, or its interval is over.
    Interface(NodeId),
}

/// What an event of the network is about: a channel or a packet. Which of them is known to the
/// model of the network that posted the event, and to nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject(u32);

impl Subject {
    /// The channel that it is.
    #[inline]
    pub fn channel(self) -> ChannelId {
        ChannelId(self.0)
    }

    /// The packet that it is.
    #[inline]
    pub fn packet(self) -> PacketId {
        PacketId(self.0)
    }
}

impl From<ChannelId> for Subject {
    #[inline]
    fn from(id: ChannelId) -> Self {
        Self(id.0)
    }
}

impl From<PacketId> for Subject {
    #[inline]
    fn from(id: PacketId) -> Self {
        Self(id.0)
    }
}

impl Event {
    /// The event of such an [order](Self::order).
    #[inline]
    fn of(kind: u32, number: u32) -> Self {
        match kind {
            0 => Self::Tail(Subject(number)),
            1 => Self::Head(Subject(number)),
            2 => Self::Cpu(NodeId(number)),
            3 => Self::Start(ProcessId(number)),
            4 => Self::Row(number),
            5 => Self::Request(Subject(number)),
            6 => Self::Retry(Subject(number)),
            _ => Self::Interface(NodeId(number)),
        }
    }

    /// Which kind it is, by its place in the list, and its number: events of one instant are
    /// ordered by them.
    #[inline]
    pub fn order(self) -> (u32, u32) {
        match self {
            Self::Tail(subject) => (0, subject.0),
            Self::Head(subject) => (1, subject.0),
            Self::Cpu(node) => (2, node.0),
            Self::Start(process) => (3, process.0),
            Self::Row(row) => (4, row),
            Self::Request(subject) => (5, subject.0),
            Self::Retry(subject) => (6, subject.0),
            Self::Interface(node) => (7, node.0),
        }
    }

    /// What it is about, if it is an event of the network.
    #[inline]
    pub fn subject(self) -> Option<Subject> {
        match self {
            Self::Tail(of) | Self::Head(of) | Self::Request(of) | Self::Retry(of) => Some(of),
            Self::Cpu(_) | Self::Start(_) | Self::Row(_) | Self::Interface(_) => None,
        }
    }
}

/// Log2 of the widest bucket in picoseconds.
const MOST_BUCKET_BITS: u32 = 31;
/// Buckets of the wheel. Few, so that they stay in the cache.
const BUCKETS: usize = 1 << 9;
const BITMAP_WORDS: usize = BUCKETS / 64;
/// Bits of an event's number; the rest of 32 bits is its kind.
const NUMBER_BITS: u32 = 29;

/// The future events of one run.
#[derive(Clone)]
pub struct EventQueue {
    /// Log2 of a bucket's width in picoseconds.
    bucket_bits: u32,
    /// Per bucket: offset within the bucket (high half), kind and number (low half).
    buckets: Vec<Vec<u64>>,
    /// How many buckets there are but one.
    most_ahead: usize,
    occupied: [u64; BITMAP_WORDS],
    /// Absolute number of the bucket being emptied.
    cursor: u64,
    /// Its events, earliest first.
    current: Vec<u64>,
    /// How many of them have been taken.
    taken: usize,
    /// Whether this bucket has not been looked at by [`Self::newly_due`].
    is_new: bool,
    /// Events beyond the wheel's horizon.
    far: BinaryHeap<Reverse<(Time, u32)>>,
    #[cfg(debug_assertions)]
    now: Time,
}

impl EventQueue {
    /// The largest number an event can carry.
    pub const MAX_NUMBER: u32 = (1 << NUMBER_BITS) - 1;

    /// An empty list at time 0, for events that lie mostly up to `reach` ahead and
    /// seldom less than `step`.
    ///
    /// The wheel then reaches so far, and what an event causes falls into a later
    /// bucket. This is a matter of speed only.
    pub fn new(reach: Time, step: Time) -> Self {
        Self::with(BUCKETS, reach, step)
    }

    /// The same for few events at a time: with a heap only, which takes little memory.
    pub fn for_few(reach: Time, step: Time) -> Self {
        Self::with(1, reach, step)
    }

    /// With so many buckets.
    fn with(buckets: usize, reach: Time, step: Time) -> Self {
        let reach_bits = (reach / (BUCKETS as u64 * 7 / 8)).max(1).next_power_of_two().ilog2();
        let bits_of = |width: Time| width.max(1).ilog2().min(MOST_BUCKET_BITS);
        Self {
            bucket_bits: reach_bits.clamp(bits_of(step / 4), bits_of(step / 2)),
            buckets: vec![Vec::new(); buckets],
            most_ahead: buckets - 1,
            occupied: [0; BITMAP_WORDS],
            cursor: 0,
            current: Vec::new(),
            taken: 0,
            is_new: false,
            far: BinaryHeap::new(),
            #[cfg(debug_assertions)]
            now: 0,
        }
    }

    /// Adds an event. Not before the last instant taken.
    ///
    /// # Panics
    /// In debug builds, when the event lies in the past.
    #[inline]
    pub fn post(&mut self, time: Time, event: Event) {
        let (kind, number) = event.order();
        #[cfg(debug_assertions)]
        assert!(time >= self.now, "event posted into the past");
        debug_assert!(number <= Self::MAX_NUMBER);
        let name = kind << NUMBER_BITS | number;
        let bucket = time >> self.bucket_bits;
        let ahead = bucket.wrapping_sub(self.cursor);
        debug_assert!(bucket >= self.cursor, "event posted before the wheel: {time}");
        if ahead.wrapping_sub(1) < self.most_ahead as u64 {
            let event = self.entry(time, name);
            self.place(bucket, event);
        } else {
            self.post_elsewhere(time, name);
        }
    }

    /// Adds an event to the bucket being emptied, or to those beyond the wheel.
    #[inline(never)]
    fn post_elsewhere(&mut self, time: Time, name: u32) {
        if time >> self.bucket_bits == self.cursor {
            let event = self.entry(time, name);
            let place = self.current[self.taken..].partition_point(|&other| other < event);
            self.current.insert(self.taken + place, event);
        } else {
            self.far.push(Reverse((time, name)));
        }
    }

    /// The time of the earliest event, if it may not be after `limit`.
    ///
    /// None: every event is after `limit`. The clock may then pass `limit`, but not
    /// the events.
    // Inlined into its callers, like all that happens with every event.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn next_time(&mut self, limit: Time) -> Option<Time> {
        if self.taken == self.current.len() && !self.turn(limit >> self.bucket_bits) {
            return None;
        }
        self.current.get(self.taken).map(|&event| self.cursor << self.bucket_bits | event >> 32)
    }

    /// Adds an event of the present instant, which may not be the one that
    /// [`Self::next_time`] last returned: it can be taken now.
    #[inline(never)]
    pub fn post_now(&mut self, now: Time, event: Event) {
        self.post(now, event);
        self.next_time(now);
    }

    /// Whether no event is left.
    pub fn is_empty(&self) -> bool {
        self.taken == self.current.len()
            && self.far.is_empty()
            && self.occupied.iter().all(|&word| word == 0)
    }

    /// The time of the earliest event, or [`NEVER`]. Unlike [`Self::next_time`] it leaves the clock
    /// where it is, so that events may still be posted before that.
    pub fn earliest(&self) -> Time {
        let base = |bucket: u64| bucket << self.bucket_bits;
        if let Some(&event) = self.current.get(self.taken) {
            return base(self.cursor) | event >> 32;
        }
        let far = self.far.peek().map_or(NEVER, |&Reverse((time, _))| time);
        let Some(bucket) = self.next_occupied() else { return far };
        let first = self.buckets[bucket as usize % BUCKETS].iter().min();
        first.map_or(far, |&event| far.min(base(bucket) | event >> 32))
    }

    /// Forgets all events; the clock stays where it is.
    pub fn clear(&mut self) {
        self.current.clear();
        self.taken = 0;
        self.far.clear();
        for word in 0..BITMAP_WORDS {
            for bit in 0..64 {
                if self.occupied[word] >> bit & 1 != 0 {
                    self.buckets[word * 64 + bit].clear();
                }
            }
        }
        self.occupied = [0; BITMAP_WORDS];
    }

    /// Takes the first event of instant `time`, if one is left.
    ///
    /// `time` must be what [`Self::next_time`] last returned.
    #[inline]
    pub fn take_at(&mut self, time: Time) -> Option<Event> {
        #[cfg(debug_assertions)]
        {
            self.now = time;
        }
        let &event = self.current.get(self.taken)?;
        if (self.cursor << self.bucket_bits | event >> 32) != time {
            return None;
        }
        self.taken += 1;
        Some(named(event as u32))
    }

    /// The events of the next few nanoseconds, once for each bucket.
    #[inline]
    pub fn newly_due(&mut self) -> Option<impl Iterator<Item = Event> + Clone> {
        std::mem::take(&mut self.is_new)
            .then(|| self.current.iter().map(|&event| named(event as u32)))
    }

    /// The bits of a time that say where in its bucket it lies.
    #[inline]
    fn mask(&self) -> u64 {
        (1 << self.bucket_bits) - 1
    }

    /// Offset within its bucket, then kind and number: sorts as events do.
    #[inline]
    fn entry(&self, time: Time, name: u32) -> u64 {
        (time & self.mask()) << 32 | u64::from(name)
    }

    #[inline]
    fn place(&mut self, bucket: u64, event: u64) {
        let slot = bucket as usize & self.most_ahead;
        self.buckets[slot].push(event);
        self.occupied[slot / 64] |= 1 << (slot % 64);
    }

    /// Moves to the next occupied bucket; false when there is none up to `last`.
    ///
    /// No further: what happens until then may post events before that bucket.
    // Inlined into its callers: 1 % fewer instructions.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn turn(&mut self, last: u64) -> bool {
        let far = self.far.peek().map(|Reverse((time, _))| time >> self.bucket_bits);
        let next = match (self.next_occupied(), far) {
            (None, None) => return false,
            (Some(near), None) => near,
            (None, Some(far)) => far,
            (Some(near), Some(far)) => near.min(far),
        };
        if next > last {
            return false;
        }
        self.cursor = next;
        while let Some(&Reverse((time, name))) = self.far.peek() {
            let bucket = time >> self.bucket_bits;
            if bucket > next + self.most_ahead as u64 {
                break;
            }
            self.far.pop();
            let event = self.entry(time, name);
            self.place(bucket, event);
        }
        let slot = next as usize & self.most_ahead;
        self.current.clear();
        self.taken = 0;
        self.is_new = true;
        std::mem::swap(&mut self.current, &mut self.buckets[slot]);
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        self.current.sort_unstable();
        true
    }

    /// The first occupied bucket after the cursor, by absolute number.
    fn next_occupied(&self) -> Option<u64> {
        let first = (self.cursor as usize + 1) % BUCKETS;
        let (word, bit) = (first / 64, first % 64);
        let masked = self.occupied[word] & (u64::MAX << bit);
        if masked != 0 {
            return Some(self.absolute(word, masked));
        }
        (1..=BITMAP_WORDS).find_map(|step| {
            let word = (word + step) % BITMAP_WORDS;
            (self.occupied[word] != 0).then(|| self.absolute(word, self.occupied[word]))
        })
    }

    /// Absolute number of the lowest set bit of a bitmap word.
    fn absolute(&self, word: usize, bits: u64) -> u64 {
        let slot = word * 64 + bits.trailing_zeros() as usize;
        let ahead = (slot + BUCKETS - self.cursor as usize % BUCKETS) % BUCKETS;
        self.cursor + ahead as u64
    }
}

/// The event that the list keeps as a number.
#[inline]
fn named(name: u32) -> Event {
    Event::of(name >> NUMBER_BITS, name & EventQueue::MAX_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use std::collections::BTreeSet;

    /// Millions of random operations against a sorted set.
    #[test]
    fn agrees_with_a_sorted_set() {
        for seed in 0..4 {
            let mut random = Stream::new(seed, Purpose::Start, 0);
            let mut queue = EventQueue::new([4_000_000, 40_000, 1][seed as usize % 3], 100_000);
            let mut shadow = BTreeSet::new();
            let mut now = 0;
            for _ in 0..400_000 {
                if shadow.len() < 3 || random.below(100) < 49 {
                    let ahead = match random.below(10) {
                        0 => 0,
                        1 => random.below(300_000_000),
                        2 => random.below(20_000_000_000),
                        _ => random.below(4_000_000),
                    };
                    let kind = random.below(7) as u32;
                    let event = (now + ahead, Event::of(kind, random.below(50) as u32));
                    if shadow.insert(event) {
                        queue.post(event.0, event.1);
                    }
                } else {
                    let expected = shadow.pop_first().unwrap();
                    now = queue.next_time(u64::MAX).unwrap();
                    assert_eq!(now, expected.0);
                    assert_eq!(queue.take_at(now), Some(expected.1));
                }
            }
            while let Some(expected) = shadow.pop_first() {
                assert_eq!(queue.next_time(u64::MAX), Some(expected.0));
                assert_eq!(queue.take_at(expected.0), Some(expected.1));
            }
            assert_eq!(queue.next_time(u64::MAX), None);
        }
    }

    #[test]
    fn an_instant_ends_before_the_next() {
        let mut queue = EventQueue::new(4_000_000, 100_000);
        queue.post(5, Event::Cpu(NodeId(1)));
        queue.post(6, Event::Tail(Subject(0)));
        assert_eq!(queue.next_time(u64::MAX), Some(5));
        assert_eq!(queue.take_at(5), Some(Event::Cpu(NodeId(1))));
        queue.post(5, Event::Head(Subject(3)));
        assert_eq!(queue.take_at(5), Some(Event::Head(Subject(3))));
        assert_eq!(queue.take_at(5), None);
    }
}
