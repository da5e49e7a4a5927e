//! Who is waited for in switches that keep a queue for each output, where packets leave buffers in any order.

use super::{Chain, Keeps, Place, behind};
use crate::ids::ChannelId;
use crate::measure::late::departures::{Departure, Departures};
use crate::measure::late::log::NOBODY;
use crate::measure::late::turns::{Entry, RecordId, Turn, Turns};
use crate::time::{NEVER, Time};

/// So many in a row that were ready later are the end of those that wait at an instant: who is passed over
/// more often is not found.
const PASSED: usize = 256;

impl Chain<'_> {
    /// What keeps a packet at a switch, just before an instant, and since when at the earliest; the turns on
    /// its next channel, and the place of the first that began later.
    pub(super) fn keeps_in_queue(
        &mut self,
        departures: &Departures,
        (turns, next): (&Turns, usize),
        place: Place,
        at: Time,
    ) -> (Keeps, Time) {
        let log = self.log;
        let channel = log.channel(place);
        if let Some(from) = log.down_since(channel, at) {
            return (Keeps::Fault(channel), from);
        }
        let latest = next.checked_sub(1).and_then(|place| turns.get(place));
        if let Some(sent) = latest.filter(|entry| entry.end >= at) {
            return (Keeps::Turn(sent.turn), 0);
        }
        let (user, free_since) = self.on_wire(channel, at);
        if let Some(turn) = user {
            return (Keeps::Turn(turn), 0);
        }
        let idle_since = latest.map_or(0, |entry| entry.end).max(free_since);
        let input = self.came_by(place);
        let since = idle_since.max(departures.limit_changed(input, at));
        if departures.is_at_limit(input, at) {
            let channel = |one: &Departure| log.channel(one.turn);
            let first = departures.first(input, at, |one| one.start < at, channel);
            let keeps = first.map_or(Keeps::Nobody, |one| Keeps::Turn(one.turn));
            return (keeps, since);
        }
        let (best, since) = self.best_at(departures, (turns, next), (place, since), at);
        if best.record != place.record {
            return (Keeps::Before(best), since);
        }
        self.lacks_room_behind(departures, (turns, log.channel(place)), since, at)
    }

    /// The channel by which a packet came to where it waits.
    pub(super) fn came_by(&self, place: Place) -> ChannelId {
        self.log.record(place.record).hops[place.hop as usize - 1].0
    }

    /// Who comes first at an idle channel just before an instant, of those whose inputs may send, and since
    /// when.
    fn best_at(
        &self,
        departures: &Departures,
        (turns, next): (&Turns, usize),
        (place, since): (Place, Time),
        at: Time,
    ) -> (Place, Time) {
        // Where inputs send any number, packets start in the order in which they come.
        if self.rules.come_in_order
            && departures.sends_any(self.came_by(place))
            && let Some(next_turn) = turns.get(next)
        {
            let best = self.first_of(next_turn, place, at);
            let of_best = || departures.limit_changed(self.came_by(best), at);
            let since = if best == place { since } else { since.max(of_best()) };
            debug_assert_eq!(
                (best, since),
                self.best_of_all(departures, (turns, next), (place, since), at)
            );
            return (best, since);
        }
        self.best_of_all(departures, (turns, next), (place, since), at)
    }

    /// A packet, or the one that has the next turn on its channel, whichever came first, if both are there.
    fn first_of(&self, next: &Entry, place: Place, at: Time) -> Place {
        let rank = |turn: Turn, ready: Time| (ready, self.came_by(turn));
        let is_other = next.ready < at && next.turn.record != place.record;
        let is_before = || rank(next.turn, next.ready) < rank(place, self.log.entry(place).ready);
        if is_other && is_before() { next.turn } else { place }
    }

    /// The same, whatever order packets start in.
    fn best_of_all(
        &self,
        departures: &Departures,
        (turns, next): (&Turns, usize),
        (place, mut since): (Place, Time),
        at: Time,
    ) -> (Place, Time) {
        let rank = |turn: Turn, ready: Time| (ready, self.came_by(turn));
        let (mut best, mut least) = (place, rank(place, self.log.entry(place).ready));
        let mut later = 0;
        let is_near = |entry: &Entry| {
            later = if entry.ready < at { 0 } else { later + 1 };
            later < PASSED
        };
        let to_come = self.log.to_come(self.log.channel(place));
        let all = turns.from(next).copied().take_while(is_near).chain(to_come);
        for entry in all.filter(|entry| entry.ready < at) {
            let turn = entry.turn;
            if turn.record == place.record {
                if self.rules.come_in_order {
                    continue;
                }
                break;
            }
            let this = rank(turn, entry.ready);
            if self.rules.come_in_order && this >= least {
                continue;
            }
            let input = this.1;
            since = since.max(departures.limit_changed(input, at));
            if departures.is_at_limit(input, at) {
                continue;
            }
            (best, least) = (turn, this);
            if !self.rules.come_in_order {
                // Whoever starts next.
                break;
            }
        }
        (best, since)
    }

    /// Whom those wait for that lack room in the buffer at the end of a channel, just before an instant, and
    /// since when: the packet there that leaves it first.
    pub(super) fn lacks_room_behind(
        &mut self,
        departures: &Departures,
        (turns, channel): (&Turns, ChannelId),
        since: Time,
        at: Time,
    ) -> (Keeps, Time) {
        let since = since.max(departures.changed(channel, at));
        let first = departures.first(
            channel,
            at,
            |one| self.is_there(one, at),
            |one| self.number_there(turns, one),
        );
        if let Some(first) = first {
            return (Keeps::Room(first.turn, channel), since);
        }
        // Who leaves it first is still to be seen: of those who stand there the one that came first.
        let stands = |entry: &&Entry| entry.start < at && entry.out == NEVER;
        match turns.from(0).find(stands).map(|entry| behind(entry.turn)) {
            Some(first) => (Keeps::Room(first, channel), since),
            None => self.beside(channel, since, at),
        }
    }

    /// The turn by which a packet that leaves a buffer came there.
    fn arrival(one: &Departure) -> Turn {
        Turn { hop: one.turn.hop - 1, ..one.turn }
    }

    /// Whether a packet that leaves a buffer stands there just before an instant.
    fn is_there(&self, one: &Departure, at: Time) -> bool {
        self.log.entry(Self::arrival(one)).start < at
    }

    /// Which of those that came to a buffer one is.
    fn number_there(&self, turns: &Turns, one: &Departure) -> usize {
        let Turn { record, hop } = Self::arrival(one);
        turns.place(self.log.record(record).hops[hop as usize].1)
    }

    /// Of those that leave a full buffer at one instant with the first, the packet of the message at hand, if its
    /// own packets from there to the packet at hand would not fit by themselves.
    pub(super) fn own_of_those(
        &self,
        front: Place,
        channel: ChannelId,
        at: Time,
        at_hand: Place,
    ) -> Option<Place> {
        let own = self.own_of(front, at_hand);
        let (Some(departures), None) = (self.log.departures(), own) else { return own };
        let is_own =
            |one: &&Departure| self.is_there(one, at) && self.own_of(one.turn, at_hand).is_some();
        let ending = departures.ending(channel, self.log.entry(front).end);
        ending.filter(is_own).min_by_key(|one| one.start).map(|one| one.turn)
    }

    /// The packet of another message that leaves a buffer first, of those that stand there just before an
    /// instant.
    pub(super) fn other_behind(
        &self,
        departures: &Departures,
        channel: ChannelId,
        at: Time,
    ) -> Option<RecordId> {
        let turns = self.log.turns(channel, self.message)?;
        let is_other = |one: &Departure| {
            self.is_there(one, at) && self.log.record(one.turn.record).message != self.message
        };
        let first = departures.first(channel, at, is_other, |one| self.number_there(turns, one));
        let stands = |entry: &&Entry| {
            let is_there = entry.start < at && entry.out == NEVER;
            is_there && self.log.record(entry.turn.record).message != self.message
        };
        // Of those who have not left it yet the one that came first.
        let still = || turns.from(0).find(stands).map(|entry| entry.turn.record);
        first.map(|one| one.turn.record).or_else(still)
    }

    /// The turn out of the input of a packet, if that sent as many as it may and the turn ends at an instant and
    /// is one of its message.
    pub(super) fn sent_by_input(&self, place: Place, at: Time) -> Option<Turn> {
        let departures = self.log.departures()?;
        if place.hop == 0 || !departures.is_at_limit(self.came_by(place), at) {
            return None;
        }
        let is_own = |one: &&Departure| {
            let record = one.turn.record;
            record != NOBODY && self.log.record(record).message == self.message
        };
        let ending = departures.ending(self.came_by(place), at).filter(is_own);
        ending.min_by_key(|one| self.log.channel(one.turn)).map(|one| one.turn)
    }
}
