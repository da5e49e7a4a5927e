//! When flits arrive in buffers, and when their places can be used again.

use super::lane::Lane;
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

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

    /// The first flits, as far as they have been there by an instant in the past as one run.
    #[inline]
    pub fn gather_flits(&mut self, channel: ChannelId, lane: &mut Lane, past: Time) -> Run {
        let (run, last) = self.gather(self.row(channel), (lane.next_out, lane.last_in), past);
        lane.last_in = last;
        run
    }

    /// The next places, as far as they have been free by an instant in the past as one run.
    #[inline]
    pub fn gather_places(&mut self, channel: ChannelId, lane: &mut Lane, past: Time) -> Run {
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

    /// Whether a flit can start now, as far as places go.
    #[inline]
    pub fn has_room(&self, channel: ChannelId, lane: &Lane, now: Time) -> bool {
        u32::from(lane.used) < self.flits && self.places_free(channel, lane).first <= now
    }

    /// When the next flit comes, not before an instant, if one is known to.
    pub fn next_flit(&self, channel: ChannelId, lane: &Lane, from: Time) -> Time {
        self.next(self.row(channel), (lane.next_out, lane.used.into()), from)
    }

    /// From when on the next place can be used, not before an instant, if one is known to fall free.
    pub fn next_place(&self, channel: ChannelId, lane: &Lane, from: Time) -> Time {
        let free = self.flits - u32::from(lane.used);
        self.next(self.row(channel), (lane.next_in, free), from)
    }

    /// When the last flit comes that is known to, or the last place can be used: 0 at nodes.
    pub fn latest(&self, channel: ChannelId, lane: &Lane) -> Time {
        let row = self.row(channel);
        let [there, free] =
            [lane.last_in, lane.last_out].map(|at| self.runs[row + usize::from(at)]);
        let there = if lane.used > 0 { there.last() } else { 0 };
        let free = if u32::from(lane.used) < self.flits { free.last() } else { 0 };
        there.max(free)
    }

    /// The first instant that is not before another one, of so many places.
    fn next(&self, row: usize, (mut place, mut left): (u16, u32), from: Time) -> Time {
        while left > 0 {
            let run = self.runs[row + usize::from(place)];
            if run.last() >= from {
                let step = Time::from(run.step).max(1);
                return run.first + from.saturating_sub(run.first).div_ceil(step) * step;
            }
            left -= run.count;
            place = self.behind(place, run.count);
        }
        NEVER
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::switch::switchboard::{Port, PortRest};
    use crate::fabric::transit::PacketFifo;
    use crate::ids::{PacketId, SwitchId};
    use crate::measure::ChannelKind;
    use crate::rng::{Purpose, Stream};
    use std::collections::VecDeque;

    const CHANNEL: ChannelId = ChannelId(0);

    fn lane() -> Lane {
        let none = ChannelId::NONE;
        let port = Port {
            buffer: PacketFifo::EMPTY,
            switch: SwitchId(0),
            front_output: none,
            first_waiting: none,
            width: 1,
            kind: ChannelKind::Internal,
            dirty: false,
            own: 0,
        };
        let rest = PortRest {
            retry_at: NEVER,
            last_waiting: none,
            next_waiting: none,
            heading: PacketId::NONE,
            lead: CHANNEL,
            own: [0; 2],
        };
        Lane::idle(port, rest, 0)
    }

    /// The times of a run, one by one.
    fn each(run: Run, count: u32) -> Vec<Time> {
        (0..count).map(|at| run.first + Time::from(at) * Time::from(run.step)).collect()
    }

    /// Flits that come, leave, or have not after all, against lists of single places.
    #[test]
    fn runs_are_what_single_places_are() {
        for (seed, flits) in [1, 2, 5, 8, 70].into_iter().enumerate() {
            let mut random = Stream::new(seed as u64, Purpose::Start, 0);
            let (mut buffers, mut lane) = (Buffers::new(1, flits), lane());
            let (mut there, mut free) = (VecDeque::new(), VecDeque::from(vec![0; flits as usize]));
            let (mut now, mut comes, mut leaves, mut past) = (0, 1, 1, 0);
            for _ in 0..20_000 {
                now += random.below(5);
                past = past.max(now.saturating_sub(random.below(100)));
                let step = 1 + random.below(2) as u32;
                let is_coming = random.below(2) == 0;
                let list = if is_coming { &free } else { &there };
                if list.is_empty() {
                    continue;
                }
                let first = if is_coming {
                    buffers.gather_places(CHANNEL, &mut lane, past)
                } else {
                    buffers.gather_flits(CHANNEL, &mut lane, past)
                };
                let count = 1 + random.below(first.count.into()) as u32;
                let times = each(first, count);
                assert!(times.iter().zip(list).all(|(&a, &b)| a.max(past) == b.max(past)));
                let back = random.below(count.into()) as u32 * (random.below(4) / 3) as u32;
                let last = if is_coming { &mut comes } else { &mut leaves };
                let run = Run { first: now.max(*last + 1), count, step };
                *last = run.last();
                if is_coming {
                    buffers.come(CHANNEL, &mut lane, run);
                    free.drain(..count as usize);
                    there.extend(each(run, count));
                } else {
                    buffers.leave(CHANNEL, &mut lane, run);
                    there.drain(..count as usize);
                    free.extend(each(run, count));
                }
                if back > 0 && is_coming {
                    buffers.do_not_come(CHANNEL, &mut lane, back);
                    there.truncate(there.len() - back as usize);
                    (0..back).for_each(|_| free.push_front(0));
                } else if back > 0 {
                    let again = Run { first: past, count: back, step: 0 };
                    buffers.do_not_leave(CHANNEL, &mut lane, again);
                    free.truncate(free.len() - back as usize);
                    (0..back).for_each(|_| there.push_front(past));
                }
                assert_eq!(usize::from(lane.used), there.len());
                let at = past + random.below(90);
                let room = free.iter().take_while(|&&time| time <= at).count();
                assert_eq!(buffers.room(CHANNEL, &lane, at) as usize, room);
            }
        }
    }
}
