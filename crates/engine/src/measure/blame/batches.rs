//! Batches of time, for the uncertainty of means.

use crate::time::Time;

/// Batches of time in which sums are kept apart, at most.
pub const BATCHES: usize = 16;

/// Batches of time of equal length, which doubles when more are needed.
#[derive(Clone, Copy, Debug)]
pub struct Batches {
    /// When the first begins.
    pub begin: Time,
    /// How long each is.
    pub length: Time,
}

impl Batches {
    /// The batch an instant lies in.
    pub fn at(&self, now: Time) -> usize {
        (now.saturating_sub(self.begin) / self.length) as usize
    }

    /// Whether an instant lies in any.
    pub fn has(&self, now: Time) -> bool {
        self.at(now) < BATCHES
    }

    /// Makes them so long that an instant lies in one; `halve` is called each time that
    /// their length doubles.
    pub fn reach(&mut self, now: Time, mut halve: impl FnMut()) {
        while !self.has(now) {
            self.length *= 2;
            halve();
        }
    }
}
