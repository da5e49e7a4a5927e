//! Who came before: the latest packets that held a channel, or the front of a buffer.

use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// Most packets that are remembered; longer waits are charged to the first of them.
const LONGEST: usize = 1 << 12;

/// A packet's turn on a channel, or at the front of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The packet; its place is used again after it has been delivered.
    pub packet: PacketId,
    /// Its traffic class.
    pub class: u32,
    /// The channel it was granted; at the front of a buffer, the one by which it leaves.
    pub channel: ChannelId,
    /// Where what stood in its way itself began: the channel, unless it had to wait.
    pub root: ChannelId,
    /// When it had asked.
    pub asked: Time,
    /// When it was granted the channel.
    pub granted: Time,
    /// When its turn ended or is known to end, or [`NEVER`].
    pub end: Time,
}

/// Turns in order; each lasts from the end of the one before until its own.
#[derive(Clone, Default)]
pub struct Log {
    /// Those before the latest that may still matter: none, as long as nobody waits.
    older: VecDeque<Turn>,
    latest: Option<Turn>,
}

impl Log {
    /// Adds a turn. Those that ended by `needed` are forgotten, but for what packets may ask
    /// for that have not ended theirs.
    #[inline]
    pub fn push(&mut self, turn: Turn, needed: Time) {
        if let Some(latest) = self.latest.replace(turn) {
            let needed = needed.min(turn.asked);
            if latest.end <= needed {
                self.older.clear();
            } else {
                self.keep(latest, needed);
            }
        }
    }

    #[cold]
    fn keep(&mut self, latest: Turn, mut needed: Time) {
        if latest.end == NEVER {
            let open = self.older.iter().rev().take_while(|turn| turn.end == NEVER);
            needed = open.map(|turn| turn.asked).fold(needed.min(latest.asked), Time::min);
        }
        let is_past = |turn: &Turn| turn.end <= needed;
        while self.older.len() >= LONGEST || self.older.front().is_some_and(is_past) {
            self.older.pop_front();
        }
        self.older.push_back(latest);
    }

    /// The first turn whose end was not known ends at `at`.
    #[inline]
    pub fn end(&mut self, at: Time) {
        let open = self.older.iter().rev().take_while(|turn| turn.end == NEVER).count();
        let first = self.older.len() - open;
        if let Some(turn) = self.older.get_mut(first).or(self.latest.as_mut()) {
            turn.end = at;
        }
    }

    /// The turn that lasts at `now`, if any.
    #[inline]
    pub fn holder(&self, now: Time) -> Option<&Turn> {
        self.newest_first().take_while(|turn| turn.end > now).last()
    }

    fn newest_first(&self) -> impl Iterator<Item = &Turn> {
        self.latest.iter().chain(self.older.iter().rev())
    }

    fn get(&self, place: usize) -> Option<&Turn> {
        if place == self.older.len() { self.latest.as_ref() } else { self.older.get(place) }
    }

    /// How many turns came before the latest of a packet.
    #[inline]
    pub fn before(&self, packet: PacketId) -> usize {
        if self.latest.is_some_and(|turn| turn.packet == packet) {
            return self.older.len();
        }
        self.older.iter().rposition(|turn| turn.packet == packet).unwrap_or(self.count())
    }

    /// The latest turn.
    pub fn latest(&self) -> Option<&Turn> {
        self.latest.as_ref()
    }

    /// How many turns are remembered.
    pub fn count(&self) -> usize {
        self.older.len() + usize::from(self.latest.is_some())
    }

    /// A packet's latest turn, if there is one.
    #[inline]
    pub fn of(&mut self, packet: PacketId) -> Option<&mut Turn> {
        self.latest.iter_mut().chain(self.older.iter_mut().rev()).find(|turn| turn.packet == packet)
    }

    /// When the turn before the one at a place ended; 0 if nothing is known of it.
    #[inline]
    pub fn end_before(&self, place: usize) -> Time {
        place.checked_sub(1).and_then(|before| self.get(before)).map_or(0, |turn| turn.end)
    }

    /// Cuts the time from `from` to `to` at the ends of the turns before `place`, latest
    /// first: whose it was, and how long. Time before all that is known is the first one's.
    pub fn cut(
        &self,
        place: usize,
        (from, to): (Time, Time),
    ) -> impl Iterator<Item = (&Turn, Time)> {
        let mut until = to;
        (0..place).rev().map_while(move |at| {
            if until <= from {
                return None;
            }
            let begin = if at == 0 { from } else { self.end_before(at).max(from) };
            let time = until.saturating_sub(begin);
            until = until.min(begin);
            self.get(at).map(|turn| (turn, time))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(packet: u32, asked: Time, end: Time) -> Turn {
        let channel = ChannelId(0);
        let packet = PacketId(packet);
        Turn { packet, class: packet.0, channel, root: channel, asked, granted: asked, end }
    }

    #[test]
    fn time_is_cut_at_the_ends_of_turns() {
        let mut log = Log::default();
        for (packet, end) in [(1, 10), (2, 15), (3, 30)] {
            log.push(turn(packet, 0, end), 0);
        }
        let cut =
            |place, span| log.cut(place, span).map(|(t, time)| (t.class, time)).collect::<Vec<_>>();
        assert_eq!(cut(3, (4, 30)), [(3, 15), (2, 5), (1, 6)]);
        assert_eq!(cut(3, (12, 20)), [(3, 5), (2, 3)]);
        assert_eq!(cut(2, (12, 15)), [(2, 3)]);
        assert_eq!(cut(3, (20, 20)), []);
    }

    #[test]
    fn turns_that_nobody_can_ask_for_are_forgotten() {
        let mut log = Log::default();
        for packet in 0..100 {
            let time = u64::from(packet) * 10;
            log.push(turn(packet, time, time + 10), time);
        }
        assert!(log.count() <= 2);
        for packet in 100..200 {
            log.push(turn(packet, 990, 1000 + u64::from(packet)), 990);
        }
        assert!(log.count() >= 100);
    }

    #[test]
    fn ends_become_known_in_order() {
        let mut log = Log::default();
        log.push(turn(1, 0, NEVER), 0);
        log.push(turn(2, 0, NEVER), 0);
        assert_eq!(log.holder(5).unwrap().class, 1);
        log.end(7);
        assert_eq!((log.holder(7).unwrap().class, log.end_before(1)), (2, 7));
    }
}
