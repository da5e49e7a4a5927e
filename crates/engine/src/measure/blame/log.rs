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
pub struct Log(VecDeque<Turn>);

impl Log {
    /// Adds a turn. Those that ended by `needed` are forgotten, but for the last one, and
    /// but for what packets may ask for that have not ended theirs.
    pub fn push(&mut self, turn: Turn, needed: Time) {
        let open = self.0.iter().rev().take_while(|turn| turn.end == NEVER);
        let needed = open.map(|turn| turn.asked).fold(needed.min(turn.asked), Time::min);
        while self.0.len() > LONGEST
            || self.0.len() > 1 && self.0.front().is_some_and(|first| first.end <= needed)
        {
            self.0.pop_front();
        }
        self.0.push_back(turn);
    }

    /// The first turn whose end was not known ends at `at`.
    pub fn end(&mut self, at: Time) {
        let open = self.0.iter().rev().take_while(|turn| turn.end == NEVER).count();
        let first = self.0.len() - open;
        if let Some(turn) = self.0.get_mut(first) {
            turn.end = at;
        }
    }

    /// The turn that lasts at `now`, if any.
    pub fn holder(&self, now: Time) -> Option<&Turn> {
        self.0.iter().rev().take_while(|turn| turn.end > now).last()
    }

    /// How many turns came before the latest of a packet.
    pub fn before(&self, packet: PacketId) -> usize {
        self.0.iter().rposition(|turn| turn.packet == packet).unwrap_or(self.0.len())
    }

    /// The latest turn.
    pub fn latest(&self) -> Option<&Turn> {
        self.0.back()
    }

    /// How many turns are remembered.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The packet at the front of a buffer leaves it by a channel.
    pub fn set_channel(&mut self, packet: PacketId, channel: ChannelId) {
        if let Some(turn) = self.0.iter_mut().rev().find(|turn| turn.packet == packet) {
            turn.channel = channel;
        }
    }

    /// A packet's turn had its root elsewhere.
    pub fn set_root(&mut self, packet: PacketId, root: ChannelId) {
        if let Some(turn) = self.0.iter_mut().rev().find(|turn| turn.packet == packet) {
            turn.root = root;
        }
    }

    /// When the turn before the one at a place ended; 0 if nothing is known of it.
    pub fn end_before(&self, place: usize) -> Time {
        place.checked_sub(1).and_then(|before| self.0.get(before)).map_or(0, |turn| turn.end)
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
            let begin = if at == 0 { from } else { self.end_before(at).max(from) };
            let time = until.saturating_sub(begin);
            let is_left = until > from;
            until = until.min(begin);
            is_left.then(|| (&self.0[at], time))
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
        assert!(log.0.len() <= 3);
        for packet in 100..200 {
            log.push(turn(packet, 990, 1000 + u64::from(packet)), 990);
        }
        assert!(log.0.len() >= 100);
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
