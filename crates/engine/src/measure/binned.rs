//! Time spent on something, cut at the ends of sample intervals.

use crate::time::Time;
use std::collections::VecDeque;

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
    /// Sums of later intervals.
    later: VecDeque<u64>,
    /// Stretches that have begun and whose end is not known: up to the end of the interval
    /// being filled they are counted.
    running: u64,
}

impl Binned {
    /// Starts at time 0.
    pub fn new(interval: Time) -> Self {
        let later = VecDeque::new();
        Self { interval, boundary: interval, closed: 0, open: 0, later, running: 0 }
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
        self.closed
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
        self.closed + self.open + self.later.iter().sum::<u64>() - ahead
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
