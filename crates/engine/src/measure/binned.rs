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
}

impl Binned {
    /// Starts at time 0.
    pub fn new(interval: Time) -> Self {
        Self { interval, boundary: interval, closed: 0, open: 0, later: VecDeque::new() }
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

    /// Ends the open interval; the total of all closed ones.
    pub fn close(&mut self) -> u64 {
        self.closed += self.open;
        self.open = self.later.pop_front().unwrap_or(0);
        self.boundary += self.interval;
        self.closed
    }

    /// Everything up to `now`, in the open interval; exact where that begins,
    /// later it includes what lies between `now` and its end.
    pub fn so_far(&self, now: Time) -> u64 {
        if now + self.interval == self.boundary { self.closed } else { self.closed + self.open }
    }

    /// Everything added, the future included.
    pub fn booked(&self) -> u64 {
        self.closed + self.open + self.later.iter().sum::<u64>()
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
        assert_eq!((busy.so_far(40), busy.so_far(43), busy.booked()), (41, 41, 41));
    }
}
