//! How much later everybody could have been without the whole ending later.
//!
//! All instants and all that waited for each other are kept, as they happened: how long computing
//! and messages took stays. Then what an instant leads to tells how late it may be.

use super::{Causes, Forest, Instant};
use crate::ids::InstantId;
use crate::time::{NEVER, Time};

/// Who waited for whom besides what an instant stands on.
#[derive(Default)]
pub struct Edges {
    /// From the instant that might have been too late to the one that needed it.
    needed: Vec<(InstantId, InstantId)>,
    /// Instants at which something ended.
    ends: Vec<InstantId>,
}

/// How much later a process could have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// At the instant at which it could least.
    pub least: Time,
    /// At its end.
    pub of_end: Time,
}

impl Edges {
    /// An instant needed another, that came before.
    pub(super) fn joins(&mut self, before: InstantId, after: InstantId) {
        if before.is_some() && before != after {
            self.needed.push((before, after));
        }
    }

    /// Something ended.
    pub(super) fn ends(&mut self, at: InstantId) {
        if self.ends.last() != Some(&at) {
            self.ends.push(at);
        }
    }

    /// By instant: how much later it could have been; [`NEVER`]: nothing waited for it.
    fn slack(&self, forest: &Forest, makespan: Time) -> Vec<Time> {
        let instants = forest.all();
        let mut slack = vec![NEVER; instants.len()];
        for &end in &self.ends {
            slack[end.index()] = makespan - forest.at(end);
        }
        let mut needed = self.needed.clone();
        needed.sort_unstable_by_key(|&(_, after)| std::cmp::Reverse(after));
        // What happened at one instant need not be in order: then once more.
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            let mut edges = needed.iter().peekable();
            for (place, instant) in instants.iter().enumerate().rev() {
                let own = slack[place];
                let mut lowers = |id: InstantId, to: Time| {
                    if id.is_some() && slack[id.index()] > to {
                        slack[id.index()] = to;
                        goes_on |= id.index() > place;
                    }
                };
                lowers(instant.parent, own);
                while let Some((before, _)) = edges.next_if(|edge| edge.1.index() == place) {
                    let gap = instant.at - forest.at(*before);
                    lowers(*before, own.saturating_add(gap));
                }
            }
        }
        slack
    }
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
