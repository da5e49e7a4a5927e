//! Since when anybody has been waiting at a place: what lies before may be forgotten.

use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

/// A packet's place among those that wait somewhere, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting(u32);

impl Waiting {
    /// It waits nowhere.
    pub const NOWHERE: Self = Self(u32::MAX);
    /// Tells the two groups of a place apart: above all numbers of channels.
    const GROUP: u32 = 1 << 31;

    /// The channel that stands for the place, if it waits.
    #[inline]
    pub fn at(self) -> Option<ChannelId> {
        (self != Self::NOWHERE).then_some(ChannelId(self.0 & !Self::GROUP))
    }
}

/// Those that wait at a place, in two groups: who comes joins the younger one.
///
/// So the time of the elder group is that of its first, although nobody looks for who is
/// next when that one goes: as soon as all of it have gone the other group is the elder.
#[derive(Clone, Copy)]
struct Waiters {
    /// By group: since when the first of it waits, or [`NEVER`].
    since: [Time; 2],
    /// By group: how many are left of it.
    count: [u32; 2],
}

/// Those that wait, by the channel that stands for the place.
pub struct Places(Vec<Waiters>);

impl Places {
    /// Nobody waits at any of so many.
    pub fn new(channels: usize) -> Self {
        Self(vec![Waiters { since: [NEVER; 2], count: [0; 2] }; channels])
    }

    /// A packet waits at a place since `since`, and nowhere else from now on.
    #[inline]
    pub fn join(&mut self, waiting: &mut Waiting, place: ChannelId, since: Time) {
        self.leave(waiting);
        let waiters = &mut self.0[place.index()];
        let group = usize::from(waiters.since[0] < waiters.since[1]);
        waiters.since[group] = waiters.since[group].min(since);
        waiters.count[group] += 1;
        *waiting = Waiting(place.0 | if group == 1 { Waiting::GROUP } else { 0 });
    }

    /// A packet waits no more, if it did.
    #[inline]
    pub fn leave(&mut self, waiting: &mut Waiting) {
        let Some(place) = waiting.at() else { return };
        let group = usize::from(waiting.0 & Waiting::GROUP != 0);
        let waiters = &mut self.0[place.index()];
        waiters.count[group] -= 1;
        if waiters.count[group] == 0 {
            waiters.since[group] = NEVER;
        }
        *waiting = Waiting::NOWHERE;
    }

    /// Nobody who waits at a place has done so for longer; [`NEVER`]: nobody waits.
    #[inline]
    pub fn since(&self, place: ChannelId) -> Time {
        let [one, other] = self.0[place.index()].since;
        one.min(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_longest_is_at_most_as_old_as_those_who_left() {
        let mut places = Places::new(1);
        let place = ChannelId(0);
        assert_eq!(places.since(place), NEVER);
        let mut waiting = [Waiting::NOWHERE; 4];
        for (number, one) in waiting.iter_mut().enumerate() {
            places.join(one, place, 10 * number as Time);
        }
        // The first alone is the elder group.
        places.leave(&mut waiting[0]);
        assert_eq!(places.since(place), 10);
        places.join(&mut waiting[0], place, 40);
        places.leave(&mut waiting[1]);
        places.leave(&mut waiting[2]);
        assert_eq!(places.since(place), 10);
        places.leave(&mut waiting[3]);
        assert_eq!(places.since(place), 40);
        places.leave(&mut waiting[0]);
        assert_eq!((places.since(place), waiting[0]), (NEVER, Waiting::NOWHERE));
        places.leave(&mut waiting[0]);
    }
}
