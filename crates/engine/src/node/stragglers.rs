//! Nodes that are slower for a time: what their processes compute, and what their messaging software
//! does, takes a multiple of its time.
//!
//! Work is measured in the time that it takes on a node that is not slower. All times are known before
//! the run, so when work ends is known when it begins.

use crate::error::SpecError;
use crate::ids::NodeId;
use crate::rare::rarely;
use crate::spec::{Fault, FaultAt};
use crate::time::{NEVER, Time};
use crate::topology::{Outage, Span, greatest};

/// What a node takes that is not slower, in the unit of factors.
const MILLION: u64 = 1_000_000;

/// Nodes that are slower for a time.
#[derive(Debug, Default)]
pub struct Stragglers {
    /// By node: by how much it is slower, and when; empty where no node ever is.
    spans: Vec<Vec<Span<u64>>>,
}

impl Stragglers {
    /// Those of a machine with so many nodes; faults of links are left out.
    ///
    /// # Errors
    /// A node that is not there; a fault that is not at nodes; one that makes nothing slower.
    pub fn new(faults: &[Fault], outages: &[Outage], nodes: usize) -> Result<Self, SpecError> {
        let mut spans: Vec<Vec<Span<u64>>> = Vec::new();
        for &Outage { table, at, from, until } in outages {
            let Some(what) = faults[table].time_factor else { continue };
            let refused = |key: &str, given: u64, allowed: String| {
                Err(SpecError::new(format!("fault[{table}].{key}"), given, allowed))
            };
            if what <= MILLION {
                return refused("time_factor", what, format!("must be above {MILLION} millionths"));
            }
            let FaultAt::Node(node) = at else {
                return refused("time_factor", what, "must be left out: needs node".into());
            };
            if node as usize >= nodes {
                let allowed = format!("must be a node from 0 to {}", nodes - 1);
                return refused("node", node.into(), allowed);
            }
            spans.resize(nodes, Vec::new());
            spans[node as usize].push(Span { from, until, what });
        }
        Ok(Self { spans: spans.iter().map(|all| greatest(all)).collect() })
    }

    /// Whether a node is ever slower.
    #[inline]
    pub(super) fn has(&self, node: NodeId) -> bool {
        rarely(!self.spans.is_empty()) && !self.spans[node.index()].is_empty()
    }

    /// How long work takes on a node that begins now.
    #[inline]
    pub(super) fn takes(&self, node: NodeId, now: Time, work: Time) -> Time {
        if self.has(node) { self.stretched(node, now, work) } else { work }
    }

    #[cold]
    fn stretched(&self, node: NodeId, now: Time, work: Time) -> Time {
        let (mut at, mut left) = (now, work);
        for span in self.after(node, now) {
            let before = span.from.saturating_sub(at);
            if left <= before {
                break;
            }
            left -= before;
            at += before;
            let slow = span.until - at;
            let done = (u128::from(slow) * u128::from(MILLION) / u128::from(span.what)) as Time;
            if left <= done {
                return at.saturating_add(multiple(left, span.what)) - now;
            }
            left -= done;
            at = span.until;
        }
        at + left - now
    }

    /// The work that a node does from now on until an instant, rounded up.
    pub(super) fn work(&self, node: NodeId, (now, until): (Time, Time)) -> Time {
        if !self.has(node) {
            return until - now;
        }
        let (mut at, mut work) = (now, 0);
        for span in self.after(node, now).take_while(|span| span.from < until) {
            let from = span.from.max(at);
            let end = span.until.min(until);
            work += from - at + begun(end - from, span.what);
            at = end;
        }
        work + until - at
    }

    /// The spans of a node that end after an instant.
    fn after(&self, node: NodeId, now: Time) -> impl Iterator<Item = &Span<u64>> {
        let all = &self.spans[node.index()];
        all[all.partition_point(|span| span.until <= now)..].iter()
    }
}

/// The work that is done in a time, rounded up: what has been begun of a picosecond's work counts.
fn begun(time: Time, factor: u64) -> Time {
    (u128::from(time) * u128::from(MILLION)).div_ceil(u128::from(factor)) as Time
}

/// The time of work, rounded up; of endless work, endless.
fn multiple(work: Time, factor: u64) -> Time {
    let time = (u128::from(work) * u128::from(factor)).div_ceil(u128::from(MILLION));
    Time::try_from(time).unwrap_or(NEVER).min(NEVER / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slower(spans: &[(Time, Time, u64)]) -> Stragglers {
        let span = |&(from, until, what)| Span { from, until, what };
        Stragglers { spans: vec![Vec::new(), spans.iter().map(span).collect()] }
    }

    #[test]
    fn work_takes_longer_as_far_as_it_lies_within() {
        let node = NodeId(1);
        let found = slower(&[(100, 200, 2_500_000), (300, 310, 10_000_000)]);
        for (now, work, takes) in [
            (0, 100, 100),
            (0, 101, 103),
            (0, 110, 125),
            (0, 140, 200),
            (0, 141, 201),
            (100, 40, 100),
            (199, 1, 2),
            (200, 100, 100),
            (200, 101, 110),
            (200, 102, 111),
            (0, 241, 310),
            (310, 7, 7),
        ] {
            assert_eq!(found.takes(node, now, work), takes, "{work} from {now}");
            assert!(found.work(node, (now, now + takes)) >= work);
            assert_eq!(found.takes(NodeId(0), now, work), work);
        }
        assert_eq!(found.work(node, (50, 150)), 50 + 20);
        assert_eq!(found.work(node, (150, 151)), 1);
    }

    #[test]
    fn a_node_that_is_always_slower_never_overflows() {
        let found = slower(&[(0, Time::MAX / 2, 1_000_000_000)]);
        assert!(found.takes(NodeId(1), 5, Time::MAX / 8) >= Time::MAX / 8);
    }
}
