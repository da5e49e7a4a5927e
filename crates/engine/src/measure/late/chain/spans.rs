//! What one packet waited for at one place, instant by instant, whoever's message it is of.

use super::{Chain, Place};
use crate::ids::ChannelId;
use crate::measure::late::stations::Stations;
use crate::measure::late::turns::RecordId;
use crate::time::Time;

impl<'a> Chain<'a> {
    /// The roots of a wait for a channel, the latest first, each with when it begins: who was there, and on which
    /// channel, or none if that is not known.
    pub(in super::super) fn roots(
        &mut self,
        place: Place,
        (ready, start): (Time, Time),
        mut put: impl FnMut(Option<(RecordId, ChannelId)>, Time),
    ) {
        let mut at = start;
        while at > ready {
            let (found, since) = match self.root_of(place, at) {
                Ok(root) => (Some((root.record, self.site_of(&root))), root.since),
                Err(since) => (None, since),
            };
            at = since.clamp(ready, at - 1);
            put(found, at);
        }
    }

    /// The queue that a packet stands in, if all that wait there have the same root at any instant: not where
    /// packets have a choice of outputs while they wait.
    pub(in super::super) fn queue(&self, place: Place) -> Option<usize> {
        if self.rules.is_private || self.rules.choose_outputs {
            return None;
        }
        let (log, numbers) = (self.log, self.log.numbers());
        let Some(before) = place.hop.checked_sub(1) else {
            return Some(log.channel(place).index());
        };
        let (came_by, _) = log.record(place.record).hops[before as usize];
        if self.rules.are_in_order {
            return Some(numbers + came_by.index());
        }
        let departures = log.departures()?;
        departures.sends_any(came_by).then(|| 2 * numbers + log.channel(place).index())
    }

    /// What packets take turns at besides channels.
    pub(in super::super) fn stations(&self) -> &'a Stations {
        self.log.stations()
    }

    /// Whether packets on channels are stopped while their headers wait.
    #[cfg(debug_assertions)]
    pub(in super::super) fn are_stopped(&self) -> bool {
        self.rules.are_stopped
    }

    /// Since when turns are kept.
    pub(in super::super) fn since(&self) -> Time {
        self.log.since()
    }
}
