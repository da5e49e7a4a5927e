//! What is counted at the end of every sample interval.

use super::samples::Sample;
use super::state::Simulation;
use crate::measure::Counters;
use crate::time::Time;

impl Simulation {
    /// Takes the samples of all intervals that end before `time`, at most so many; how many.
    pub(super) fn sample_before(&mut self, time: Time, most: u64) -> u64 {
        let mut taken = 0;
        while self.sampling.next < time && taken < most {
            taken += 1;
            let empty = self.sampling.passed_over(time, self.events_handled);
            if empty > 0 {
                self.measures.lengthen_interval(empty);
                self.sampling.next += empty * self.sampling.interval;
            }
            let time = self.sampling.next;
            self.catch_up_to(time);
            let mut counted = self.measures.sample(time);
            if let Some([injection, internal, ejection]) = self.fabric.overhang_of_sample(time) {
                counted.busy_injection_ps -= injection;
                counted.busy_internal_ps -= internal;
                counted.busy_ejection_ps -= ejection;
            }
            self.sample_jobs();
            let counters = self.with_progress(counted);
            let (events, classes) = (self.events_handled, self.class_counters());
            self.sampling.take(Sample { time, events, counters, classes });
        }
        taken
    }

    /// Keeps the counters of all jobs at the end of a sample interval.
    fn sample_jobs(&mut self) {
        if self.measures.jobs.is_some() {
            let counters = self.counters_of_jobs();
            if let Some(jobs) = &mut self.measures.jobs {
                jobs.samples.extend(counters);
            }
        }
    }

    /// The counters of all jobs, one job after the other, at every sample since the last call;
    /// none where there are no jobs.
    pub fn take_job_samples(&mut self) -> Vec<Counters> {
        let jobs = self.measures.jobs.as_mut();
        jobs.map(|jobs| std::mem::take(&mut jobs.samples)).unwrap_or_default()
    }

    /// Samples since the last call.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.sampling.samples)
    }
}
