//! When a packet on its way, or just delivered, waited.

use super::record::Waits;
use super::{Blame, Charge};
use crate::ids::PacketId;
use crate::time::{NEVER, Time};

impl Blame {
    /// What a packet has been charged so far, each charge with when it began, in order of time.
    /// What was added when it had been delivered, at `now`, lasted until then.
    pub(crate) fn timed(&self, id: PacketId, now: Time) -> impl Iterator<Item = (Time, &Charge)> {
        let has_waited = self.records.get(id.index()).is_some_and(|record| record.has_waited);
        let waits = has_waited.then(|| &self.waits[id.index()]);
        waits.into_iter().flat_map(move |waits| waits.timed(now))
    }
}

impl Waits {
    fn timed(&self, now: Time) -> impl Iterator<Item = (Time, &Charge)> {
        let (mut wait, mut at) = (0, 0);
        self.charges.iter().enumerate().map(move |(place, charge)| {
            while let Some(&(first, began)) = self.begins.get(wait)
                && first <= place
            {
                wait += 1;
                let rest = || self.charges[first..].iter().map(|charge| charge.time).sum();
                at = if began == NEVER { now.saturating_sub(rest()) } else { began };
            }
            let begin = at;
            at += charge.time;
            (begin, charge)
        })
    }
}
