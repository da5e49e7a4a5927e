//! The way from a packet that waits to a root, kept while that wait is followed back in time.
//!
//! Near a root something changes with every packet, far from it seldom: only that part of the way is searched
//! again on which something has changed.

use super::Place;
use crate::time::Time;

/// A packet that waits.
#[derive(Clone, Copy)]
struct Step {
    place: Place,
    /// Since when nothing has changed up to the next.
    since: Time,
}

/// Who waits for whom just before an instant.
#[derive(Default)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// The packet it begins with, and the last one that waits; none if nothing is known.
    ends: Option<(Place, Place)>,
    /// The instant.
    at: Time,
}

impl Path {
    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.ends = None;
    }

    /// Goes back to an instant before: the first packet on the way from one of which it is to be searched for whom
    /// it waits, and since when nothing has changed up to there.
    pub fn resume(&mut self, from: Place, at: Time) -> (Place, Time) {
        let is_part = self.ends.is_some_and(|(first, _)| first == from) && at <= self.at;
        if !is_part {
            self.steps.clear();
        }
        let last = self.ends.filter(|_| is_part).map_or(from, |(_, last)| last);
        let valid = self.steps.partition_point(|step| step.since < at);
        let place = self.steps.get(valid).map_or(last, |step| step.place);
        self.steps.truncate(valid);
        (self.ends, self.at) = (Some((from, place)), at);
        (place, self.steps.last().map_or(0, |step| step.since))
    }

    /// A packet waits for another that waits itself; since when nothing has changed on all of the way up to that.
    pub fn goes_on(&mut self, place: Place, since: Time, next: Place) {
        self.steps.push(Step { place, since });
        if let Some((_, last)) = &mut self.ends {
            *last = next;
        }
    }

    /// Whether it goes on from the packet it begins with.
    #[cfg(debug_assertions)]
    pub fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }
}
