//! Packets whose waits are not charged, where turns are not kept in lanes: of them it is kept who had
//! his turn where, and no more.

use super::state::Blame;
use super::turn::Turn;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// Whether a packet's waits are not charged.
    #[inline]
    pub(super) fn is_bystander(&self, id: PacketId) -> bool {
        !self.victims.are_all() && !self.records[id.index()].is_victim
    }

    /// [`Self::starts_whole`] of such a packet.
    #[inline(never)]
    pub(super) fn passes_whole(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (ready, told): (Time, Time),
        (start, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        let from = std::mem::replace(&mut record.head, channel);
        let granted = std::mem::replace(&mut record.granted, NEVER).min(start);
        record.start = start;
        let is_stored = std::mem::replace(&mut record.is_stored, false);
        let class = record.class;
        if record.waits_anywhere() {
            self.gives_up(id);
        }
        self.moves_on(id, from, channel);
        // Where nobody is seen to ask, those who ask later were ready later.
        let since = if self.queues.have_buffers { granted } else { ready.min(granted) };
        let asked = told.min(since);
        let turn = Turn { packet: id, class, channel, asked, granted, end };
        self.takes_turns(turn, if is_stored { ChannelId::NONE } else { from }, ready);
    }

    /// [`Self::runs_through`] of such a packet, or [`Self::granted`], if `end` is not known.
    #[inline(never)]
    pub(super) fn passes(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (now, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        let from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = if end == NEVER { NEVER } else { now };
        let buffer = if record.is_stored { ChannelId::NONE } else { from };
        let class = record.class;
        if record.waits_anywhere() {
            self.gives_up(id);
        }
        self.moves_on(id, from, channel);
        let turn = Turn { packet: id, class, channel, asked: now, granted: now, end };
        self.takes_turns(turn, buffer, ready);
    }

    /// Its turns on a channel and at the front of the buffer it leaves, if any.
    #[allow(clippy::inline_always, reason = "a turn is written where it stays")]
    #[inline(always)]
    fn takes_turns(&mut self, turn: Turn, buffer: ChannelId, ready: Time) {
        let place = self.queues.place(turn.channel);
        let needed = self.wanted_since(place).min(self.forgets);
        self.holders[place.index()].push(turn, needed);
        if buffer.is_some() {
            let end = if buffer.0 < self.queues.lists { turn.granted } else { turn.end };
            let needed = self.unstarted.since(buffer).min(self.forgets);
            // Those behind it may have waited since it was ready, but not longer.
            self.fronts[buffer.index()].push(Turn { asked: ready, end, ..turn }, needed);
        }
    }

    /// It stands in a list, or keeps others waiting, no more.
    #[cold]
    #[inline(never)]
    fn gives_up(&mut self, id: PacketId) {
        self.keeps_nobody_waiting(id);
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
    }
}
