//! Time spent on something, cut at the ends of sample intervals.

use crate::time::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Intervals ahead of the one being filled that have a sum of their own.
///
/// A stretch that ends later is kept as its two ends: what lies ahead takes memory for every
/// stretch, not for every interval of it, and one may reach past the end of the run.
const NEAR: Time = 64;

/// Adds up stretches of time that may reach into the future, interval by interval.
///
/// Transmissions are known when they begin, so their time must not be counted
/// before it has passed: it is put into the interval it falls into.
#[derive(Clone, Debug)]
pub struct Binned {
    interval: Time,
    /// End of the interval being filled.
    boundary: Time,
    /// Sum over all closed intervals.
    closed: u64,
    /// Sum of the interval being filled.
    open: u64,
    /// Sums of later intervals, at most [`NEAR`].
    later: VecDeque<u64>,
    /// Ends of stretches that reach further, the earliest first.
    far: BinaryHeap<Reverse<(Time, End)>>,
    /// Stretches that have begun and whose end is not known: up to the end of the interval
    /// being filled they are counted.
    running: u64,
}

/// An end of a stretch that lies in a later interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    First,
    Last,
}

impl Binned {
    /// Starts at time 0.
    pub fn new(interval: Time) -> Self {
        Self {
            interval,
            boundary: interval,
            closed: 0,
            open: 0,
            later: VecDeque::new(),
            far: BinaryHeap::new(),
            running: 0,
        }
    }

    /// Adds the stretch from `start` to `end`; not before the open interval.
    #[inline]
    pub fn add(&mut self, start: Time, end: Time) {
        if end <= self.boundary {
            self.open += end - start;
        } else {
            self.add_beyond(start, end);
        }
    }

    /// Adds so many stretches from `start` to `end`.
    #[inline]
    pub fn add_alike(&mut self, count: u64, start: Time, end: Time) {
        if end <= self.boundary {
            self.open += count * (end - start);
        } else {
            (0..count).for_each(|_| self.add_beyond(start, end));
        }
    }

    /// Whether an instant is not after the open interval.
    #[inline]
    pub fn is_open(&self, time: Time) -> bool {
        time <= self.boundary
    }

    /// Takes back what was added to the open interval.
    #[inline]
    pub fn take_back(&mut self, time: Time) {
        self.open -= time;
    }

    /// Adds stretches of equal length at equal distances, of which the last may be longer: so much
    /// in all.
    #[inline]
    pub fn add_each(&mut self, (start, end): (Time, Time), (each, step): (Time, Time), all: Time) {
        if end <= self.boundary {
            self.open += all;
        } else {
            let mut from = start;
            while from + step < end {
                self.add(from, from + each);
                from += step;
            }
            self.add(from, end);
        }
    }

    #[inline(never)]
    fn add_beyond(&mut self, start: Time, end: Time) {
        if start < self.boundary
            && end <= self.boundary + self.interval
            && let Some(next) = self.later.front_mut()
        {
            self.open += self.boundary - start;
            *next += end - self.boundary;
            return;
        }
        self.add_anywhere(start, end);
    }

    #[cold]
    fn add_anywhere(&mut self, start: Time, end: Time) {
        if (end - self.boundary).div_ceil(self.interval) > NEAR {
            self.add_far(start, end);
            return;
        }
        let mut from = start;
        if start < self.boundary {
            self.open += self.boundary - start;
            from = self.boundary;
        }
        let mut bin = ((from - self.boundary) / self.interval) as usize;
        while from < end {
            let bin_end = self.boundary + (bin as Time + 1) * self.interval;
            if self.later.len() <= bin {
                self.later.resize(bin + 1, 0);
            }
            self.later[bin] += end.min(bin_end) - from;
            from = bin_end;
            bin += 1;
        }
    }

    fn add_far(&mut self, start: Time, end: Time) {
        if start < self.boundary {
            self.begin(start);
        } else {
            self.far.push(Reverse((start, End::First)));
        }
        self.far.push(Reverse((end, End::Last)));
    }

    /// Counts so much at once, wherever it lies: whoever adds it knows what is still to come.
    #[inline]
    pub fn book(&mut self, time: Time) {
        self.open += time;
    }

    /// A stretch begins whose end is not known; in the open interval.
    #[inline]
    pub fn begin(&mut self, now: Time) {
        self.running += 1;
        self.open += self.boundary - now;
    }

    /// A stretch that has begun ends; in the open interval.
    #[inline]
    pub fn end(&mut self, now: Time) {
        self.running -= 1;
        self.open -= self.boundary - now;
    }

    /// Ends the open interval; the total of all closed ones.
    pub fn close(&mut self) -> u64 {
        self.closed += self.open;
        self.open = self.later.pop_front().unwrap_or(0) + self.running * self.interval;
        self.boundary += self.interval;
        self.reach();
        self.closed
    }

    /// Counts what lies ahead up to the end of the open interval.
    fn reach(&mut self) {
        while let Some(&Reverse((time, end))) = self.far.peek()
            && time <= self.boundary
        {
            self.far.pop();
            match end {
                End::First => self.begin(time),
                End::Last => self.end(time),
            }
        }
    }

    /// The open interval becomes so many intervals longer, in which nothing is added any more.
    pub fn lengthen(&mut self, intervals: u64) {
        let near = self.later.len().min(usize::try_from(intervals).unwrap_or(usize::MAX));
        self.open += self.later.drain(..near).sum::<u64>();
        self.open += self.running * self.interval * intervals;
        self.boundary += self.interval * intervals;
        self.reach();
    }

    /// Everything up to `now`, in the open interval; exact where that begins,
    /// later it includes what lies between `now` and its end.
    pub fn so_far(&self, now: Time) -> u64 {
        if now + self.interval == self.boundary { self.closed } else { self.closed + self.open }
    }

    /// Everything added, the future included; of stretches without an end what lies before
    /// `now`, in the open interval.
    pub fn booked(&self, now: Time) -> u64 {
        let ahead = self.running * self.boundary.saturating_sub(now);
        let near = self.closed + self.open + self.later.iter().sum::<u64>() - ahead;
        // What lies between the ends of a stretch, or between `now` and the last one.
        let ends = self.far.iter().map(|&Reverse((time, end))| (time.max(now) - now, end));
        let (mut first, mut last) = (0, 0);
        for (time, end) in ends {
            match end {
                End::First => first += time,
                End::Last => last += time,
            }
        }
        near + last - first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_cut_at_boundaries() {
        let mut busy = Binned::new(10);
        busy.add(2, 5);
        busy.add(8, 31);
        busy.add(25, 40);
        assert_eq!(busy.close(), 3 + 2);
        assert_eq!(busy.close(), 5 + 10);
        assert_eq!(busy.close(), 15 + 10 + 5);
        assert_eq!(busy.close(), 30 + 1 + 10);
        assert_eq!((busy.so_far(40), busy.so_far(43), busy.booked(43)), (41, 41, 41));
    }

    #[test]
    fn a_stretch_takes_memory_once_however_long_it_is() {
        let far = 1_000_000_000_000;
        let mut busy = Binned::new(10);
        busy.add(4, far);
        busy.add(25, 5 * far);
        busy.add(12, 14);
        assert!(busy.later.len() <= NEAR as usize && busy.far.len() == 3);
        assert_eq!(busy.booked(8), (far - 4) + (5 * far - 25) + 2);
        assert_eq!([busy.close(), busy.close(), busy.close()], [6, 18, 33]);
        assert_eq!((busy.so_far(30), busy.booked(33)), (33, (far - 4) + (5 * far - 25) + 2));
        assert_eq!(busy.close(), 53);
    }

    /// Random stretches against the sums of every picosecond.
    #[test]
    fn long_and_short_stretches_add_up_in_every_interval() {
        let mut random = crate::rng::Stream::new(7, crate::rng::Purpose::Compute, 0);
        for interval in [1, 3, 10] {
            let mut busy = Binned::new(interval);
            let mut is_busy = vec![0_u64; 20_000];
            let (mut before, mut booked) = (0, 0);
            for row in 0..1000 {
                let now = row * interval;
                for _ in 0..3 {
                    let start = now + random.below(3 * interval);
                    let length = random.below([4, 70 * interval, 1000][(row % 3) as usize]);
                    busy.add(start, start + length);
                    is_busy[start as usize..(start + length) as usize]
                        .iter_mut()
                        .for_each(|n| *n += 1);
                    booked += length;
                }
                assert_eq!(busy.booked(now), booked);
                let end = now + interval;
                before += is_busy[now as usize..end as usize].iter().sum::<u64>();
                assert_eq!(busy.close(), before, "interval {interval}, row {row}");
            }
        }
    }

    /// One interval as long as several, against these.
    #[test]
    fn intervals_that_nothing_begins_in_can_be_passed_over() {
        let mut random = crate::rng::Stream::new(8, crate::rng::Purpose::Compute, 0);
        let (mut each, mut passed) = (Binned::new(10), Binned::new(10));
        let mut now = 0;
        for row in 0..1000 {
            for _ in 0..random.below(4) {
                let start = now + random.below(25);
                let length = random.below([4, 700, 10_000][row % 3]);
                each.add(start, start + length);
                passed.add(start, start + length);
            }
            let empty = random.below([2, 100, 1000][row % 3]);
            (0..empty).for_each(|_| {
                each.close();
            });
            passed.lengthen(empty);
            now += 10 * (empty + 1);
            assert_eq!(each.close(), passed.close());
            assert_eq!(
                (each.so_far(now), each.booked(now)),
                (passed.so_far(now), passed.booked(now))
            );
        }
    }

    #[test]
    fn stretches_may_have_no_end_yet() {
        let mut busy = Binned::new(10);
        busy.begin(4);
        busy.add(2, 12);
        busy.begin(10);
        assert_eq!((busy.booked(10), busy.close()), (16, 14));
        busy.end(13);
        assert_eq!(busy.booked(15), 14 + 3 + 2 + 5);
        assert_eq!(busy.close(), 14 + 3 + 2 + 10);
        busy.end(20);
        assert_eq!((busy.booked(25), busy.close()), (29, 29));
    }
}
