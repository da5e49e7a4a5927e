//! Who sends next of those that share a wire: first the direction is chosen, where there are two, the
//! one that did not send last. Of its channels the next after the one that sent last does
//! (`round_robin`), or that one itself as long as it can (`until_stall`).

use super::{NOBODY, Wire, Wires};
use crate::ids::ChannelId;
use crate::spec::Sharing;
use crate::time::{NEVER, Time};

impl Wire {
    /// One whose channels begin somewhere; as yet it has none.
    pub(super) fn idle(first: u32) -> Self {
        Self {
            free_at: 0,
            look_at: NEVER,
            done: 0,
            sending: 0,
            wanted: 0,
            first,
            ahead: 0,
            count: 0,
            along: 0,
            last: 0,
            latest: [0; 2],
            ends: NOBODY,
            is_due: false,
        }
    }

    /// A channel shares it, which is behind the others.
    pub(super) fn join(&mut self, is_against: bool) {
        let place = self.count;
        self.count += 1;
        self.along += u16::from(!is_against);
        self.latest[usize::from(is_against)] = place;
        // Nothing has been sent: what is along it begins.
        self.last = place;
    }

    /// Whether both directions share it.
    #[inline]
    fn has_directions(&self) -> bool {
        self.along < self.count
    }

    /// The channel at a place sends.
    #[inline]
    pub(super) fn sends(&mut self, place: u16) {
        self.last = place;
        self.latest[usize::from(place >= self.along)] = place;
    }

    /// The place of the channel that sends now, if one can.
    #[inline]
    pub(super) fn next(
        &self,
        ready_at: &[Time],
        now: Time,
        sharing: Sharing,
        continues: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.has_directions() {
            return self.next_in_turn(ready_at, now, sharing, continues);
        }
        first_behind(ready_at, now, usize::from(self.last), sharing, continues)
    }

    /// The same where both directions share it.
    #[inline(never)]
    fn next_in_turn(
        &self,
        ready_at: &[Time],
        now: Time,
        sharing: Sharing,
        continues: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let (along, against) = ready_at.split_at(usize::from(self.along));
        let is_along = self.last >= self.along;
        let next = |is_along: bool| {
            let (ready_at, first) = if is_along { (along, 0) } else { (against, self.along) };
            let (first, last) =
                (usize::from(first), usize::from(self.latest[usize::from(!is_along)]));
            let continues = |place| continues(first + place);
            let place = first_behind(ready_at, now, last - first, sharing, continues)?;
            Some(first + place)
        };
        next(is_along).or_else(|| next(!is_along))
    }
}

/// Of channels of one direction, the place of the one that sends now, if one can; `last` did last.
#[inline]
fn first_behind(
    ready_at: &[Time],
    now: Time,
    last: usize,
    sharing: Sharing,
    continues: impl Fn(usize) -> bool,
) -> Option<usize> {
    if sharing == Sharing::UntilStall && ready_at[last] <= now && continues(last) {
        return Some(last);
    }
    let behind = ready_at[last + 1..].iter().position(|&at| at <= now);
    if let Some(place) = behind {
        return Some(last + 1 + place);
    }
    ready_at[..=last].iter().position(|&at| at <= now)
}

impl Wires {
    /// Of channels that can start at the same time, the one that does, by place.
    #[inline]
    pub fn choose_among(
        &self,
        number: u32,
        places: u64,
        continues: impl Fn(ChannelId) -> bool,
    ) -> u32 {
        let wire = &self.wires[number as usize];
        let (mut places, mut last) = (places, u32::from(wire.last));
        if wire.has_directions() {
            (places, last) = wire.turn(places);
        }
        let is_among = places >> last & 1 != 0;
        if self.sharing == Sharing::UntilStall
            && is_among
            && continues(self.channel_at(number, last))
        {
            return last;
        }
        let behind = places & !(u64::MAX >> (63 - last));
        if behind != 0 { behind.trailing_zeros() } else { places.trailing_zeros() }
    }
}

impl Wire {
    /// Of channels that can start, those of the direction whose turn it is, and which of that
    /// direction sent last.
    fn turn(&self, places: u64) -> (u64, u32) {
        let all_along = (1 << self.along) - 1;
        let (along, against) = (places & all_along, places & !all_along);
        let is_against = along == 0 || self.last < self.along && against != 0;
        let places = if is_against { against } else { along };
        (places, self.latest[usize::from(is_against)].into())
    }
}
