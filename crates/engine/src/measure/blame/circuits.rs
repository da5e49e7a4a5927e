//! Packets that keep every channel they have been granted until they are delivered, or until
//! one is taken from them.

use super::log::Turn;
use super::{Blame, Root};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// A header's wait for a channel.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// When it could have begun on the channel, had it never been in anybody's way.
    pub ready: Time,
    /// When it asked.
    pub asked: Time,
    /// When it was granted the channel.
    pub granted: Time,
}

impl Blame {
    /// A header is granted a channel.
    ///
    /// What it asked for has been held all the time: those who held it are charged in turn.
    /// What lies before is charged to those who were at the head of its node's list before it,
    /// or to who took channels from it.
    pub fn holds(&mut self, id: PacketId, channel: ChannelId, span: Span) {
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        let (list, is_first) = (record.unstarted.at(), record.granted == NEVER);
        record.granted = span.granted;
        self.unstarted.leave(&mut record.unstarted);
        self.asking.leave(&mut record.asking);
        record.head = channel;
        record.root = channel;
        if span.granted > span.ready {
            let fronts = list.map(|list| &self.fronts[list.index()]);
            let holders = &self.holders[place.index()];
            self.waits[id.index()].charge_held(record, holders, (is_first, fronts), span);
        }
        record.asked_root = ChannelId::NONE;
        record.has_lost = false;
        let turn = record.turn(id, (span.asked, span.granted, NEVER));
        let needed = self.wanted_since(place).min(self.forgets);
        self.holders[place.index()].push(turn, needed);
        if let Some(list) = list {
            self.take_front(list, Turn { asked: span.ready, end: span.granted, ..turn });
        }
    }

    /// A channel is taken from a packet, to which it will have to come back.
    pub fn loses(&mut self, id: PacketId, channel: ChannelId, to: PacketId) {
        let class = self.class(to);
        let record = &mut self.records[id.index()];
        record.last = Root { class, channel };
        record.has_lost = true;
    }

    /// A channel that was held falls free.
    pub fn falls_free(&mut self, channel: ChannelId, now: Time) {
        self.released(channel, now);
    }
}
