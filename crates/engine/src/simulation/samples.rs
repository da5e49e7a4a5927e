//! Samples of counters, one at the end of each interval.

use crate::measure::{ClassCounters, Counters};
use crate::time::Time;

/// The counters at the end of a sample interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The end of the interval.
    pub time: Time,
    /// Events handled until then.
    pub events: u64,
    /// Everything counted until then.
    pub counters: Counters,
    /// The same of every traffic class, where there are several.
    pub classes: Box<[ClassCounters]>,
}

/// Samples, one at the end of each interval.
pub(super) struct Sampling {
    pub interval: Time,
    /// The end of the present interval.
    pub next: Time,
    pub samples: Vec<Sample>,
}

impl Sampling {
    /// With intervals of such a length.
    pub fn every(interval: Time) -> Self {
        Self { interval, next: interval, samples: Vec::new() }
    }

    /// The end of the last interval, or 0.
    pub fn last(&self) -> Time {
        self.next - self.interval
    }
}
