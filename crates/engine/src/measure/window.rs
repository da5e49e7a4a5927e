//! What of a run a timeline shows.

use crate::ids::ProcessId;
use crate::time::Time;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From when until when.
    pub time: (Time, Time),
    /// The first process, and the first that is not shown any more.
    pub processes: (u32, u32),
}

impl Window {
    /// Whether a process is shown.
    pub fn shows(&self, process: ProcessId) -> bool {
        (self.processes.0..self.processes.1).contains(&process.0)
    }
}
