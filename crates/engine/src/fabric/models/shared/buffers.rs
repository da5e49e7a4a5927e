//! When flits arrive in buffers, and when their places can be used again.

use super::lane::Lane;
use crate::ids::ChannelId;
use crate::time::Time;

/// Most flits of a buffer: lanes number its places in 16 bits.
pub const MOST_FLITS: u32 = 1 << 12;

/// Instants at equal distances.
#[derive(Clone, Copy)]
pub struct Run {
    pub first: Time,
    pub count: u32,
    /// From one to the next; anything if there is but one. In 32 bits, so that four lie in a cache
    /// line.
    pub step: u32,
}

impl Run {
    /// No limit to anything.
    pub const ANY: Self = Self { first: 0, count: u32::MAX, step: 0 };

    /// The last instant.
    #[inline]
    pub fn last(&self) -> Time {
        self.first + Time::from(self.count - 1) * Time::from(self.step)
    }

    /// The same so much later.
    #[inline]
    pub fn after(self, time: Time) -> Self {
        Self { first: self.first + time, ..self }
    }

    /// Another run follows: whether both are one.
    #[inline]
    fn joins(&mut self, next: Self) -> bool {
        let gap = next.first - self.last();
        let fits = (self.count == 1 || gap == Time::from(self.step))
            && (next.count == 1 || gap == Time::from(next.step))
            && gap <= Time::from(u32::MAX);
        if fits {
            self.count += next.count;
            self.step = gap as u32;
        }
        fits
    }
}

/// The input buffers of all channels, as rings of places.
///
/// As long as a flit takes a place, the place has the time at which it is there; as soon as it
/// is known when the flit leaves, the time from which on the next can start for that place. So
/// neither the arrival of a flit nor that of a credit is an event. Times of places behind each other
/// that are at equal distances are kept as one run, at the first of them.
pub struct Buffers {
    /// Places of each.
    flits: u32,
    /// By channel and place.
    runs: Vec<Run>,
}

impl Buffers {
    /// Empty buffers of so many channels, with so many places each.
    pub fn new(channels: usize, flits: u32) -> Self {
        let all = Run { first: 0, count: flits, step: 0 };
        Self { flits, runs: vec![all; channels * flits as usize] }
    }

    /// Places of each.
    #[inline]
    pub fn flits(&self) -> u32 {
        self.flits
    }

    #[inline]
    fn row(&self, channel: ChannelId) -> usize {
        channel.index() * self.flits as usize
    }

    /// A place so many places behind another.
    #[inline]
    fn behind(&self, place: u16, count: u32) -> u16 {
        let place = u32::from(place) + count;
        (if place >= self.flits { place - self.flits } else { place }) as u16
    }

    /// A place so many places before another.
    #[inline]
    fn before(&self, place: u16, count: u32) -> u16 {
        self.behind(place, self.flits - count)
    }

    /// The first flits: when they are there; there must be one.
    #[inline]
    pub fn flits_there(&self, channel: ChannelId, lane: &Lane) -> Run {
        self.runs[self.row(channel) + usize::from(lane.next_out)]
    }

    /// The next places: from when on flits can start for them; one must be free.
    #[inline]
    pub fn places_free(&self, channel: ChannelId, lane: &Lane) -> Run {
        self.runs[self.row(channel) + usize::from(lane.next_in)]
    }

    /// Flits start that take the next places, all of one run: when they are there.
    #[inline]
    pub fn come(&mut self, channel: ChannelId, lane: &mut Lane, there: Run) {
        let row = self.row(channel);
        let place = lane.next_in;
        let is_split = self.take(row, (place, lane.last_out), there.count);
        lane.next_in = self.behind(place, there.count);
        if is_split {
            lane.last_out = lane.next_in;
        }
        let is_first = lane.used == 0;
        lane.used += there.count as u16;
        if is_first || !self.runs[row + usize::from(lane.last_in)].joins(there) {
            self.runs[row + usize::from(place)] = there;
            lane.last_in = place;
        }
    }

    /// The first flits leave, all of one run, and others can start for their places from then on.
    #[inline]
    pub fn leave(&mut self, channel: ChannelId, lane: &mut Lane, free: Run) {
        let row = self.row(channel);
        let place = lane.next_out;
        let is_split = self.take(row, (place, lane.last_in), free.count);
        lane.next_out = self.behind(place, free.count);
        if is_split {
            lane.last_in = lane.next_out;
        }
        let is_first = u32::from(lane.used) == self.flits;
        lane.used -= free.count as u16;
        if is_first || !self.runs[row + usize::from(lane.last_out)].joins(free) {
            self.runs[row + usize::from(place)] = free;
            lane.last_out = place;
        }
    }

    /// The last flits that have started have not, and credits are there for their places.
    pub fn do_not_come(&mut self, channel: ChannelId, lane: &mut Lane, count: u32) {
        let row = self.row(channel);
        let has_free = u32::from(lane.used) < self.flits;
        self.runs[row + usize::from(lane.last_in)].count -= count;
        lane.used -= count as u16;
        lane.next_in = self.before(lane.next_in, count);
        self.runs[row + usize::from(lane.next_in)] = Run { first: 0, count, step: 0 };
        if !has_free {
            lane.last_out = lane.next_in;
        }
    }

    /// The last flits that have left have not: they could have from then on.
    pub fn do_not_leave(&mut self, channel: ChannelId, lane: &mut Lane, there: Run) {
        let row = self.row(channel);
        let has_flits = lane.used > 0;
        self.runs[row + usize::from(lane.last_out)].count -= there.count;
        lane.used += there.count as u16;
        lane.next_out = self.before(lane.next_out, there.count);
        self.runs[row + usize::from(lane.next_out)] = there;
        if !has_flits {
            lane.last_in = lane.next_out;
        }
    }

    /// Takes the first places of the run at a place; whether some are left of the last one there is.
    #[inline]
    fn take(&mut self, row: usize, (place, last): (u16, u16), count: u32) -> bool {
        let run = self.runs[row + usize::from(place)];
        if run.count == count {
            return false;
        }
        let first = run.first + Time::from(count) * Time::from(run.step);
        let rest = self.behind(place, count);
        self.runs[row + usize::from(rest)] = Run { first, count: run.count - count, ..run };
        place == last
    }

    /// Flits that can start now, as far as places go.
    pub fn room(&self, channel: ChannelId, lane: &Lane, now: Time) -> u32 {
        let free = self.flits - u32::from(lane.used);
        let (mut room, mut place) = (0, lane.next_in);
        while room < free {
            let run = self.runs[self.row(channel) + usize::from(place)];
            if run.last() > now {
                let step = Time::from(run.step).max(1);
                let is_begun = run.first <= now;
                return room + if is_begun { ((now - run.first) / step + 1) as u32 } else { 0 };
            }
            room += run.count;
            place = self.behind(place, run.count);
        }
        room
    }
}
