//! Ranks of traces: who wants to know what comes next, and is told.

use super::state::Simulation;
use crate::error::SpecError;
use crate::ids::ProcessId;
use crate::workload::trace::Batch;

impl Simulation {
    /// The ranks that want their next batch, job by job in the order in which they came to want it,
    /// those included that have been fed since.
    pub fn wanting(&self) -> impl Iterator<Item = ProcessId> {
        self.workload.traces().flat_map(|(first, ranks)| {
            ranks.wanting().iter().map(move |rank| ProcessId(first + rank.0))
        })
    }

    /// Where the ranks of every trace begin among all processes, job by job.
    pub fn first_ranks(&self) -> impl Iterator<Item = ProcessId> {
        self.workload.traces().map(|(first, _)| ProcessId(first))
    }

    /// Gives a rank that wants it its next batch; none: it has ended.
    ///
    /// When all who want one have been fed, they go on with the next [`advance`](Self::advance).
    ///
    /// # Errors
    /// A rank that does not want one; operations that cannot be, which are named.
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        // What is fed ends, so time need not pass.
        self.at_once = 0;
        self.workload.feed(process, batch)
    }
}
