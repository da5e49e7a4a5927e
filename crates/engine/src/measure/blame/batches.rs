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

/// A batch by its number when batches had doubled `era` times: nothing has to be renumbered
/// when they double again.
#[derive(Clone, Copy, Default)]
pub struct Batch {
    number: u8,
    era: u8,
}

impl Batch {
    /// One by its number in an era.
    pub fn new(number: usize, era: u8) -> Self {
        Self { number: number as u8, era }
    }

    /// Its number in a later era.
    #[inline]
    pub fn at(self, era: u8) -> usize {
        usize::from(self.number).checked_shr((era - self.era).into()).unwrap_or(0)
    }
}
