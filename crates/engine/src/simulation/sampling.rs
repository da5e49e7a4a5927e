//! What is counted at the end of every sample interval.

use super::Simulation;
use crate::measure::Counters;
use crate::time::Time;

/// The counters at the end of a sample interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The end of the interval.
    pub time: Time,
    /// Events handled until then.
    pub events: u64,
    /// Everything counted until then.
    pub counters: Counters,
}

/// Samples, one at the end of each interval.
pub(super) struct Sampling {
    interval: Time,
    /// The end of the present interval.
    pub next: Time,
    samples: Vec<Sample>,
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

impl Simulation {
    /// Takes the samples of all intervals that end before `time`, at most so many; how many.
    pub(super) fn sample_before(&mut self, time: Time, most: u64) -> u64 {
        let mut taken = 0;
        while self.sampling.next < time && taken < most {
            taken += 1;
            let time = self.sampling.next;
            self.catch_up(time);
            let mut counted = self.measures.sample(time);
            if let Some([injection, internal, ejection]) = self.fabric.overhang_of_sample(time) {
                counted.busy_injection_ps -= injection;
                counted.busy_internal_ps -= internal;
                counted.busy_ejection_ps -= ejection;
            }
            let counters = self.with_progress(counted);
            self.sampling.samples.push(Sample { time, events: self.events_handled, counters });
            self.sampling.next += self.sampling.interval;
        }
        taken
    }

    /// Samples since the last call.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.sampling.samples)
    }
}
