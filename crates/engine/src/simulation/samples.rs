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
    /// How many there are at most besides [`FOR_EACH_EVENT`], if their number is limited.
    most: Option<u64>,
    /// Taken since the beginning.
    taken: u64,
}

/// So many samples there are of stretches in which nothing happens, and no more ...
const MANY: u64 = 4096;
/// ... but so many for each event.
const FOR_EACH_EVENT: u64 = 64;

impl Sampling {
    /// With intervals of such a length; `sparse`: with one sample of a stretch in which nothing
    /// happens, once there are many.
    pub fn every(interval: Time, sparse: bool) -> Self {
        let most = sparse.then_some(MANY);
        Self { interval, next: interval, samples: Vec::new(), most, taken: 0 }
    }

    /// How many intervals the next sample may pass over, if nothing happens before `time` and
    /// there have been so many events.
    pub fn passed_over(&self, time: Time, events: u64) -> u64 {
        match self.most {
            Some(most)
                if self.taken >= most.saturating_add(events.saturating_mul(FOR_EACH_EVENT)) =>
            {
                (time - 1 - self.next) / self.interval
            }
            _ => 0,
        }
    }

    /// Keeps the sample of the present interval; the next begins.
    pub fn take(&mut self, sample: Sample) {
        self.samples.push(sample);
        self.taken += 1;
        self.next += self.interval;
    }

    /// The end of the last interval, or 0.
    pub fn last(&self) -> Time {
        self.next - self.interval
    }
}
