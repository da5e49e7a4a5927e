//! Roots that have been found, of those that wait for an output.
//!
//! All that wait for an idle output just before an instant have the same root, whoever's messages they are of,
//! unless a packet of the message at hand stands on the way to it. So a root is searched for once for all of them,
//! and for all whose ways lead there. Where channels share wires, a turn of the message at hand on a wire is not
//! what it waits for, but what all others do: what is found then holds for that message only, and is not kept.

use super::{Chain, Place, Root};
use crate::ids::ChannelId;
use crate::measure::late::departures::Departures;
use crate::measure::late::turns::RecordId;
use crate::time::Time;
use std::collections::VecDeque;

/// So many roots are kept of an output, the latest.
const MOST: usize = 256;

/// Messages, as a set to which others may seem to belong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Messages(u128);

/// The root of those that wait for an output, from one instant to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Since when nothing on the way to it has changed.
    pub begin: Time,
    /// Just before when it was searched for.
    end: Time,
    pub record: RecordId,
    pub channel: ChannelId,
    /// Whose packets matter on the way.
    pub messages: Messages,
}

/// An output on the way from packet to packet.
struct Passed {
    output: ChannelId,
    /// When anything changed last there, or further on until the next output.
    since: Time,
    /// Whose packets matter there.
    messages: Messages,
}

/// What has been found, and the outputs that have been passed on the way to a root.
#[derive(Default)]
pub(super) struct Outputs {
    /// By output: roots, in the order of their ends.
    of: Vec<VecDeque<Known>>,
    passed: Vec<Passed>,
    /// Whether a wire on the way is used by the message at hand, so that others would have another root.
    pub passes_own: bool,
}

impl Messages {
    fn of(message: u64) -> Self {
        // Multiplied by the golden ratio: the upper bits of neighbours differ.
        Self(1 << (message.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57))
    }

    fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    fn may_have(self, message: u64) -> bool {
        self.0 & Self::of(message).0 != 0
    }
}

impl Outputs {
    /// What is known of those that wait for an output just before an instant.
    fn at(&self, output: ChannelId, at: Time) -> Option<&Known> {
        let of = self.of.get(output.index())?;
        let place = of.partition_point(|known| known.end < at);
        of.get(place).filter(|known| known.begin < at)
    }

    fn keep(&mut self, output: ChannelId, known: Known) {
        if self.of.len() <= output.index() {
            self.of.resize_with(output.index() + 1, VecDeque::new);
        }
        let of = &mut self.of[output.index()];
        let place = of.partition_point(|other| other.end < known.end);
        if of.get(place).is_some_and(|other| other.begin <= known.begin) {
            return;
        }
        of.insert(place, known);
        if of.len() > MOST {
            of.pop_front();
        }
    }
}

impl Chain<'_> {
    /// Whether the root is kept of those that wait for an output beside a packet.
    fn keeps_root(&self, departures: &Departures, place: Place) -> bool {
        let rules = &self.rules;
        let is_wanted = self.uses_known && !self.notes_way && !rules.is_private;
        is_wanted && rules.come_in_order && departures.sends_any(self.came_by(place))
    }

    /// What those that wait for an idle output just before an instant, of which a packet is one, have as their
    /// root, if that is known and the message at hand has nothing to do with it.
    pub(super) fn known(&self, departures: &Departures, place: Place, at: Time) -> Option<Known> {
        if !self.keeps_root(departures, place) {
            return None;
        }
        let known = self.outputs.at(self.log.channel(place), at).copied();
        known.filter(|known| !known.messages.may_have(self.message))
    }

    /// Nothing is on the way to a root yet.
    pub(super) fn sets_out(&mut self) {
        self.outputs.passed.clear();
    }

    /// On the way to a root something changed then for the last time.
    pub(super) fn changed(&mut self, since: Time) -> Time {
        if let Some(last) = self.outputs.passed.last_mut() {
            last.since = last.since.max(since);
        }
        since
    }

    /// The way to a root leads from a packet that is the first of those that wait for an output, since then, to
    /// the one that leaves the buffer behind that first.
    pub(super) fn passes(&mut self, place: Place, since: Time, front: Place) {
        let log = self.log;
        let Some(departures) = log.departures() else { return };
        if place.hop == 0 || !self.keeps_root(departures, place) {
            return;
        }
        let message = |record| Messages::of(log.record(record).message);
        let output = log.channel(place);
        // A packet of the message at hand that leaves with it would be taken for it.
        let ending = departures.ending(output, log.entry(front).end);
        let others = ending.map(|one| message(one.turn.record));
        let messages = others.fold(message(front.record), Messages::and);
        self.outputs.passed.push(Passed { output, since, messages });
    }

    /// The root has been found of all who wait for the outputs on the way.
    pub(super) fn finds(&mut self, root: &Root, at: Time) {
        let of_root = Messages::of(self.log.record(root.record).message);
        let (mut begin, mut messages) = (0, root.messages.and(of_root));
        // Of what was passed last all lies on the way of what was passed before.
        while let Some(passed) = self.outputs.passed.pop() {
            begin = passed.since.max(begin);
            messages = messages.and(passed.messages);
            let (record, channel) = (root.record, root.channel);
            let known = Known { begin, end: at, record, channel, messages };
            self.outputs.keep(passed.output, known);
        }
    }

    /// What is known is what would be found.
    #[cfg(debug_assertions)]
    pub(super) fn check(&mut self, known: Known, place: Place, at: Time) {
        let (rooms, passed) = (self.rooms.len(), std::mem::take(&mut self.outputs.passed));
        let passes_own = std::mem::take(&mut self.outputs.passes_own);
        self.uses_known = false;
        let keeps = self.keeps(place, at);
        let right = self.root_of(keeps, place, at).ok();
        self.uses_known = true;
        (self.outputs.passed, self.outputs.passes_own) = (passed, passes_own);
        self.rooms.truncate(rooms);
        let right = right.map(|root| (root.record, root.channel, root.own));
        assert_eq!(right, Some((known.record, known.channel, None)), "the root of an output");
    }
}
