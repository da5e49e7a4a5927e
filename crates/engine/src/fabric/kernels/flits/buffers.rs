//! When flits arrive in buffers, and when their places can be used again.

mod large;
mod quiet;
#[cfg(test)]
mod tests;

pub use quiet::Quiet;

use super::lane::Lane;
use crate::ids::ChannelId;
use crate::rare::{rare, rarely};
use crate::time::{NEVER, Time};
use large::Large;

/// Most flits of buffers that are rings of places: what is larger is mostly empty, and is kept as
/// what is in it.
const MOST_PLACES: u32 = 1 << 12;
/// Rings of empty buffers that take more bytes are not copied.
const MUCH: usize = 1 << 16;

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
        // Flits that were taken back count as there when they would have started.
        let Some(gap) = next.first.checked_sub(self.last()) else { return false };
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
#[derive(Clone)]
pub struct Buffers {
    /// Places of each.
    flits: u32,
    /// By channel and place; nothing where they are large.
    runs: Vec<Run>,
    /// Where they are larger than rings are.
    large: Option<Large>,
}

impl Buffers {
    /// Empty buffers of so many channels, with so many places each.
    pub fn new(channels: usize, flits: u32) -> Self {
        let all = Run { first: 0, count: flits, step: 0 };
        if flits > MOST_PLACES {
            return Self { flits, runs: Vec::new(), large: Some(Large::new(channels, all)) };
        }
        Self { flits, runs: vec![all; channels * flits as usize], large: None }
    }

    /// Empty buffers: clones have in common what nothing happens to, if it is much.
    pub fn share(&mut self) {
        if self.large.is_none() && size_of_val(&*self.runs) > MUCH {
            let all = Run { first: 0, count: self.flits, step: 0 };
            let channels = self.runs.len() / self.flits as usize;
            (self.runs, self.large) = (Vec::new(), Some(Large::new(channels, all)));
        }
        if let Some(large) = &mut self.large {
            large.share();
        }
    }

    /// Buffers in which nobody is, and from which all credits have come back: what clones have in common
    /// is as it was at the start.
    pub fn start_over(&mut self) {
        if let Some(large) = &mut self.large {
            large.start_over();
        }
    }

    /// The buffers, if they are large.
    #[inline]
    fn large(&self) -> Option<&Large> {
        if rarely(self.large.is_some()) { self.large.as_ref() } else { None }
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
        if let Some(large) = self.large() {
            return large.there(channel).first();
        }
        self.runs[self.row(channel) + usize::from(lane.next_out)]
    }

    /// The next places: from when on flits can start for them; one must be free.
    #[inline]
    pub fn places_free(&self, channel: ChannelId, lane: &Lane) -> Run {
        if let Some(large) = self.large() {
            return large.free(channel).first();
        }
        self.runs[self.row(channel) + usize::from(lane.next_in)]
    }

    /// The first flits, as far as they have been there by an instant in the past as one run.
    #[inline]
    pub fn gather_flits(&mut self, channel: ChannelId, lane: &mut Lane, past: Time) -> Run {
        if let Some(large) = rare(&mut self.large) {
            return large.there_mut(channel).gather(past);
        }
        let (run, last) = self.gather(self.row(channel), (lane.next_out, lane.last_in), past);
        lane.last_in = last;
        run
    }

    /// The next places, as far as they have been free by an instant in the past as one run.
    #[inline]
    pub fn gather_places(&mut self, channel: ChannelId, lane: &mut Lane, past: Time) -> Run {
        if let Some(large) = rare(&mut self.large) {
            return large.free_mut(channel).gather(past);
        }
        let (run, last) = self.gather(self.row(channel), (lane.next_in, lane.last_out), past);
        lane.last_out = last;
        run
    }

    /// The runs at a place and behind it of which all is past, as one; and where the last run begins.
    #[inline]
    fn gather(&mut self, row: usize, (place, last): (u16, u16), past: Time) -> (Run, u16) {
        let run = self.runs[row + usize::from(place)];
        if place == last || run.last() > past {
            return (run, last);
        }
        self.gather_more(row, (place, last), past)
    }

    fn gather_more(&mut self, row: usize, (place, last): (u16, u16), past: Time) -> (Run, u16) {
        let mut run = self.runs[row + usize::from(place)];
        let mut latest = place;
        while latest != last {
            let behind = self.behind(place, run.count);
            let next = self.runs[row + usize::from(behind)];
            if next.last() > past {
                break;
            }
            latest = behind;
            run = Run { first: next.last(), count: run.count + next.count, step: 0 };
        }
        self.runs[row + usize::from(place)] = run;
        (run, if latest == last { place } else { last })
    }

    /// Flits start that take the next places, all of one run: when they are there.
    #[inline]
    pub fn come(&mut self, channel: ChannelId, lane: &mut Lane, there: Run) {
        if let Some(large) = rare(&mut self.large) {
            lane.used += there.count;
            return large.come(channel, there);
        }
        let row = self.row(channel);
        let place = lane.next_in;
        let is_split = self.take(row, (place, lane.last_out), there.count);
        lane.next_in = self.behind(place, there.count);
        if is_split {
            lane.last_out = lane.next_in;
        }
        let is_first = lane.used == 0;
        lane.used += there.count;
        if is_first || !self.runs[row + usize::from(lane.last_in)].joins(there) {
            self.runs[row + usize::from(place)] = there;
            lane.last_in = place;
        }
    }

    /// The first flits leave, all of one run, and others can start for their places from then on.
    #[inline]
    pub fn leave(&mut self, channel: ChannelId, lane: &mut Lane, free: Run) {
        if let Some(large) = rare(&mut self.large) {
            lane.used -= free.count;
            return large.leave(channel, free);
        }
        let row = self.row(channel);
        let place = lane.next_out;
        let is_split = self.take(row, (place, lane.last_in), free.count);
        lane.next_out = self.behind(place, free.count);
        if is_split {
            lane.last_in = lane.next_out;
        }
        let is_first = lane.used == self.flits;
        lane.used -= free.count;
        if is_first || !self.runs[row + usize::from(lane.last_out)].joins(free) {
            self.runs[row + usize::from(place)] = free;
            lane.last_out = place;
        }
    }

    /// The last flits that have started have not, and credits are there for their places.
    pub fn do_not_come(&mut self, channel: ChannelId, lane: &mut Lane, count: u32) {
        if let Some(large) = rare(&mut self.large) {
            lane.used -= count;
            return large.do_not_come(channel, count);
        }
        let row = self.row(channel);
        let has_free = lane.used < self.flits;
        self.runs[row + usize::from(lane.last_in)].count -= count;
        lane.used -= count;
        lane.next_in = self.before(lane.next_in, count);
        self.runs[row + usize::from(lane.next_in)] = Run { first: 0, count, step: 0 };
        if !has_free {
            lane.last_out = lane.next_in;
        }
    }

    /// The last flits that have left have not: they could have from then on.
    pub fn do_not_leave(&mut self, channel: ChannelId, lane: &mut Lane, there: Run) {
        if let Some(large) = rare(&mut self.large) {
            lane.used += there.count;
            return large.do_not_leave(channel, there);
        }
        let row = self.row(channel);
        let has_flits = lane.used > 0;
        self.runs[row + usize::from(lane.last_out)].count -= there.count;
        lane.used += there.count;
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

    /// Whether a flit can start now, as far as places go.
    #[inline]
    pub fn has_room(&self, channel: ChannelId, lane: &Lane, now: Time) -> bool {
        lane.used < self.flits && self.places_free(channel, lane).first <= now
    }

    /// When the next flit comes, not before an instant, if one is known to.
    pub fn next_flit(&self, channel: ChannelId, lane: &Lane, from: Time) -> Time {
        if let Some(large) = self.large() {
            return next(large.there(channel).all(), from);
        }
        next(self.all(channel, (lane.next_out, lane.used)), from)
    }

    /// From when on the next place can be used, not before an instant, if one is known to fall free.
    pub fn next_place(&self, channel: ChannelId, lane: &Lane, from: Time) -> Time {
        if let Some(large) = self.large() {
            return next(large.free(channel).all(), from);
        }
        next(self.all(channel, (lane.next_in, self.flits - lane.used)), from)
    }

    /// When the last flit comes that is known to, or the last place can be used: 0 at nodes.
    pub fn latest(&self, channel: ChannelId, lane: &Lane) -> Time {
        if let Some(large) = self.large() {
            return large.there(channel).latest().max(large.free(channel).latest());
        }
        let row = self.row(channel);
        let [there, free] =
            [lane.last_in, lane.last_out].map(|at| self.runs[row + usize::from(at)]);
        let there = if lane.used > 0 { there.last() } else { 0 };
        let free = if lane.used < self.flits { free.last() } else { 0 };
        there.max(free)
    }

    /// Flits that can start now, as far as places go.
    pub fn room(&self, channel: ChannelId, lane: &Lane, now: Time) -> u32 {
        if let Some(large) = self.large() {
            return past(large.free(channel).all(), now);
        }
        past(self.all(channel, (lane.next_in, self.flits - lane.used)), now)
    }

    /// The runs of so many places, one after the other.
    fn all(
        &self,
        channel: ChannelId,
        (mut place, mut left): (u16, u32),
    ) -> impl Iterator<Item = Run> + '_ {
        let row = self.row(channel);
        std::iter::from_fn(move || {
            let run = (left > 0).then(|| self.runs[row + usize::from(place)])?;
            left -= run.count;
            place = self.behind(place, run.count);
            Some(run)
        })
    }
}

/// The first instant of some that is not before another one, or [`NEVER`].
fn next(mut runs: impl Iterator<Item = Run>, from: Time) -> Time {
    runs.find(|run| run.last() >= from).map_or(NEVER, |run| {
        let step = Time::from(run.step).max(1);
        run.first + from.saturating_sub(run.first).div_ceil(step) * step
    })
}

/// How many instants of some are not after another one.
fn past(runs: impl Iterator<Item = Run>, now: Time) -> u32 {
    let mut count = 0;
    for run in runs {
        if run.last() > now {
            let step = Time::from(run.step).max(1);
            let is_begun = run.first <= now;
            return count + if is_begun { ((now - run.first) / step + 1) as u32 } else { 0 };
        }
        count += run.count;
    }
    count
}
