//! Who waited for whom besides what an instant stands on, and how late that lets everybody be.

use super::forest::Forest;
use crate::ids::InstantId;
use crate::time::{NEVER, Time};

/// Who waited for whom besides what an instant stands on.
#[derive(Default)]
pub struct Edges {
    /// From the instant that might have been too late to the one that needed it.
    pub(super) needed: Vec<(InstantId, InstantId)>,
    /// Instants at which something ended.
    pub(super) ends: Vec<InstantId>,
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
    pub(super) fn slack(&self, forest: &Forest, makespan: Time) -> Vec<Time> {
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
