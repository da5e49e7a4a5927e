//! How much later everybody could have been without the whole ending later.
//!
//! All instants and all that waited for each other are kept, as they happened: how long computing
//! and messages took stays. Then what an instant leads to tells how late it may be.

use super::forest::Instant;
use super::state::Causes;
use crate::time::Time;

/// How much later a process could have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// At the instant at which it could least.
    pub least: Time,
    /// At its end.
    pub of_end: Time,
}

impl Causes {
    /// How much later every process could have been; none unless it was asked for.
    pub fn slack(&self) -> Option<Vec<Slack>> {
        let edges = self.edges.as_deref()?;
        let makespan = self.makespan();
        let slack = edges.slack(&self.forest, makespan);
        let unused = Slack { least: makespan, of_end: makespan };
        let mut all = vec![unused; self.processes.len()];
        for (instant, &slack) in self.forest.all().iter().zip(&slack) {
            if let Some(process) = all.get_mut(instant.process.index()) {
                process.least = process.least.min(slack);
            }
        }
        // The latest end of each, and of several at that instant the one that can be late least.
        let mut ends = vec![(0, std::cmp::Reverse(makespan)); all.len()];
        for &end in &edges.ends {
            let Instant { at, process, .. } = self.forest[end];
            if let Some(latest) = ends.get_mut(process.index()) {
                *latest = (*latest).max((at, std::cmp::Reverse(slack[end.index()])));
            }
        }
        for (process, (_, slack)) in all.iter_mut().zip(ends) {
            process.of_end = slack.0;
        }
        Some(all)
    }
}
