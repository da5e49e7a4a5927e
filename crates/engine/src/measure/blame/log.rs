//! Who came before: the latest packets that held a channel, or the front of a buffer.

use super::ring::Ring;
use super::turn::Turn;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// Most packets that are remembered; longer waits are charged to the first of them.
pub const LONGEST: usize = 1 << 12;

/// No turn yet.
const NOBODYS: Turn = Turn {
    packet: PacketId::NONE,
    class: 0,
    channel: ChannelId::NONE,
    asked: 0,
    granted: 0,
    end: 0,
};

/// Turns in order; each lasts from the end of the one before until its own.
///
/// One cache line, which is all that a packet touches as long as nobody waits.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Log {
    latest: Turn,
    /// Those before the latest that may still matter: none, as long as nobody waits.
    older: Ring,
}

impl Default for Log {
    fn default() -> Self {
        Self { latest: NOBODYS, older: Ring::default() }
    }
}

impl Log {
    /// Forgets all but a turn; of nobody: all.
    #[inline]
    pub fn begin(&mut self, latest: Turn) {
        self.latest = latest;
        self.older.clear();
    }

    /// Adds a turn. Those that ended by `needed` are forgotten, but for what packets may ask
    /// for that have not ended theirs.
    #[allow(clippy::inline_always, reason = "a turn is written where it stays")]
    #[inline(always)]
    pub fn push(&mut self, turn: Turn, needed: Time) {
        let needed = needed.min(turn.asked);
        if self.latest.end <= needed {
            self.older.clear();
        } else {
            self.keep(needed);
        }
        self.latest = turn;
    }

    /// The latest will not be the latest any more.
    #[inline(never)]
    fn keep(&mut self, mut needed: Time) {
        let (latest, older) = (self.latest, &mut self.older);
        if latest.end == NEVER {
            let open = older.newest_first().take_while(|turn| turn.end == NEVER);
            needed = open.map(|turn| turn.asked).fold(needed.min(latest.asked), Time::min);
        }
        while older.count() >= LONGEST || older.get(0).is_some_and(|turn| turn.end <= needed) {
            older.pop_front();
        }
        older.push_back(latest);
    }

    /// The first turn whose end was not known ends at `at`; that turn.
    #[inline]
    pub fn end(&mut self, at: Time) -> &Turn {
        let open = self.older.newest_first().take_while(|turn| turn.end == NEVER).count();
        let first = self.older.count() - open;
        let turn = self.older.get_mut(first).unwrap_or(&mut self.latest);
        turn.end = at;
        turn
    }

    /// The turn that lasts at `now`, if any.
    #[inline]
    pub fn holder(&self, now: Time) -> Option<&Turn> {
        if self.latest.end <= now {
            return None;
        }
        let older = self.older.newest_first().take_while(|turn| turn.end > now);
        Some(older.last().unwrap_or(&self.latest))
    }

    #[inline]
    fn get(&self, place: usize) -> &Turn {
        self.older.get(place).unwrap_or(&self.latest)
    }

    /// How many turns came before the latest of a packet.
    #[inline]
    pub fn before(&self, packet: PacketId) -> usize {
        if self.latest.packet == packet {
            return self.older.count();
        }
        let place = self.older.newest_first().position(|turn| turn.packet == packet);
        place.map_or(self.count(), |place| self.older.count() - 1 - place)
    }

    /// The latest turn.
    #[inline]
    pub fn latest(&self) -> Option<&Turn> {
        Some(&self.latest).filter(|turn| turn.packet.is_some())
    }

    /// How many turns are remembered.
    #[inline]
    pub fn count(&self) -> usize {
        self.older.count() + usize::from(self.latest.packet.is_some())
    }

    /// When the turn before the one at a place ended; 0 if nothing is known of it.
    #[inline]
    pub fn end_before(&self, place: usize) -> Time {
        place.checked_sub(1).map_or(0, |before| self.get(before).end)
    }

    /// Cuts the time from `from` to `to` at the ends of the turns before `place`, latest
    /// first: whose it was, and how long. Time before all that is known is the first one's.
    #[inline]
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
            let begin = if at == 0 { from } else { self.get(at - 1).end.max(from) };
            let time = until.saturating_sub(begin);
            until = until.min(begin);
            Some((self.get(at), time))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(packet: u32, asked: Time, end: Time) -> Turn {
        let channel = ChannelId(0);
        let packet = PacketId(packet);
        Turn { packet, class: packet.0, channel, asked, granted: asked, end }
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
