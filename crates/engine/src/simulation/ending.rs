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
