//! No event is left.

use super::state::{Progress, Simulation};
use crate::error::{Blocked, RunError};
use crate::time::NEVER;

impl Simulation {
    /// No event is left: the end, or a deadlock.
    pub(super) fn end(&mut self) -> Result<Progress, RunError> {
        self.sample_before(self.now + 1, u64::MAX);
        let waiting = self.waiting();
        let is_over = self.fabric.packets().is_empty() && self.waits_for_lost_alone(&waiting);
        if let Some(error) = self.workload.stands_still(self.now, !is_over) {
            return Err(error);
        }
        if is_over {
            return Ok(Progress::Finished);
        }
        // What moves without anybody being told comes to rest.
        self.fabric.catch_up(NEVER / 2, &mut self.events, &mut self.measures);
        let (at, circle) = (self.now, self.circle());
        if circle.is_empty() && self.measures.counters.packets_lost > 0 {
            return Err(self.lost(at, waiting));
        }
        Err(RunError::Deadlock { at, waiting, circle })
    }

    /// Whether all that the run waits for is over while other jobs go on.
    #[inline(never)]
    pub(super) fn foreground_is_over(&mut self) -> bool {
        let Some(foreground) = &mut self.foreground else { return false };
        if self.now < foreground.latest {
            return false;
        }
        // Those that have ended are not looked at again.
        while let Some(&process) = foreground.processes.last() {
            if !self.workload.has_ended(process) {
                return false;
            }
            foreground.processes.pop();
        }
        let Some(jobs) = &self.measures.jobs else { return false };
        let all_arrived = |&job: &usize| {
            let counters = &jobs.jobs[job].counters;
            counters.messages_sent == counters.messages_delivered
        };
        if !foreground.jobs.iter().all(all_arrived) {
            return false;
        }
        let jobs = std::mem::take(&mut foreground.jobs);
        let over = self.jobs_over();
        let is_over = jobs.iter().all(|&job| over[job]);
        if let Some(foreground) = &mut self.foreground {
            foreground.jobs = jobs;
        }
        is_over
    }

    /// The run waits for nothing more; jobs in the background are left as they are.
    #[cold]
    #[inline(never)]
    pub(super) fn end_with_background(&mut self) -> Result<Progress, RunError> {
        self.sample_before(self.now + 1, u64::MAX);
        self.catch_up();
        match self.workload.stands_still(self.now, false) {
            Some(error) => Err(error),
            None => Ok(Progress::Finished),
        }
    }

    /// The packets that wait for each other in a circle, if there are any.
    pub(super) fn circle(&self) -> Vec<Blocked> {
        let mut circle = self.fabric.deadlock(self.now);
        if let Some(traffic) = &self.measures.traffic {
            for blocked in &mut circle {
                let class = traffic.classes.get(usize::from(blocked.traffic));
                blocked.class = class.map(|class| class.name.clone());
            }
        }
        circle
    }
}
