//! Packets that keep every channel they have been granted until they are delivered, or until
//! one is taken from them.

use super::observation::Ways;
use super::record::{Before, Span};
use super::state::Blame;
use super::turn::Turn;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// A header asks for a channel of a group.
    #[cold]
    #[inline(never)]
    pub(super) fn header_asks(&mut self, id: PacketId, output: ChannelId, now: Time) {
        self.records[id.index()].head = output;
        self.asks_for(id, self.queues.of[output.index()], now);
    }

    /// A header is granted a channel.
    ///
    /// What it asked for has been held all the time: those who held it are charged in turn.
    /// What lies before is charged to those who were at the head of its node's list before it,
    /// or to who took channels from it.
    #[cold]
    #[inline(never)]
    pub(super) fn holds(&mut self, id: PacketId, channel: ChannelId, now: Time, ways: &impl Ways) {
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        let span = Span { ready: ways.ready(id), asked: record.asked, granted: now };
        let (list, is_first) = (record.unstarted.at(), record.granted == NEVER);
        record.granted = span.granted;
        self.unstarted.leave(&mut record.unstarted);
        self.asking.leave(&mut record.asking);
        record.head = channel;
        let waits = span.granted > span.ready && record.is_victim;
        if waits {
            let fronts = list.map(|list| Before::all(&self.fronts[list.index()]));
            let holders = Before::all(&self.holders[place.index()]);
            self.waits[id.index()].charge_held(record, holders, (is_first, fronts), span);
        }
        record.has_lost = false;
        let turn = record.turn(id, (span.asked, span.granted, NEVER));
        let needed = self.wanted_since(place).min(self.forgets);
        self.holders[place.index()].push(turn, needed);
        if let Some(list) = list {
            self.take_front(list, Turn { asked: span.ready, end: span.granted, ..turn });
        }
    }

    /// A channel is taken from a packet, to which it will have to come back.
    #[cold]
    #[inline(never)]
    pub(super) fn loses(&mut self, id: PacketId, to: PacketId) {
        let class = self.class(to);
        let record = &mut self.records[id.index()];
        record.last = class;
        record.has_lost = true;
        self.asking.leave(&mut record.asking);
    }
}
