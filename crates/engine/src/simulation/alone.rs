//! Ranks of a trace that no network connects.

use super::state::{Progress, Simulation};
use crate::error::RunError;
use crate::ids::ProcessId;
use crate::workload::trace::Reached;
use crate::workload::{Single, Workload};

impl Simulation {
    /// Whether nodes and network have no part in the run.
    pub(super) fn is_without_network(&self) -> bool {
        matches!(&self.workload, Workload::One(Single::Trace(ranks)) if ranks.loggops().is_some())
    }

    /// The same as [`Simulation::advance`], where that is so: until so many events have been
    /// handled, or ranks want more to do, or the end.
    ///
    /// # Errors
    /// Collectives that do not agree; what nobody sends or receives.
    pub(super) fn advance_ranks(&mut self, max_events: u64) -> Result<Progress, RunError> {
        let Workload::One(Single::Trace(ranks)) = &mut self.workload else {
            return Ok(Progress::Finished);
        };
        let (reached, left) = ranks.carry_on(max_events, &mut self.measures.causes)?;
        self.events_handled += max_events - left;
        match reached {
            Reached::Events => Ok(Progress::Events),
            Reached::Wants => Ok(Progress::Wants),
            Reached::End => {
                self.settle();
                self.end()
            }
        }
    }

    /// All has happened: when ranks were done, and what they have sent.
    fn settle(&mut self) {
        let Workload::One(Single::Trace(ranks)) = &self.workload else { return };
        let Some(machine) = ranks.loggops() else { return };
        for rank in 0..self.measures.completed.len() as u32 {
            let end = machine.end_of(rank);
            self.measures.completes(ProcessId(rank), end);
            self.now = self.now.max(end);
        }
        self.measures.counters.messages_passed(machine.sent());
    }
}
