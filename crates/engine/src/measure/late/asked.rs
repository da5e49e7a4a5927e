//! What a packet of a message waited for, asked when it is there.

use super::chain::Chain;
use super::charges::Kind;
use super::log::NOBODY;
use super::state::{Aside, Late};
use super::turns::RecordId;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::time::Time;

/// What a packet waited for: what sort of root that had, where, whose label is charged, and from when until when.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// What the root's channel is to the message.
    pub kind: Kind,
    /// The channel of the root.
    pub channel: ChannelId,
    /// What the culprit is charged as.
    pub label: u32,
    /// From when until when.
    pub span: (Time, Time),
}

impl Late {
    /// What a packet of a message that is there, or whose header is, has waited for, the latest first; whether it has.
    /// Nothing, if nobody can ask: more packets of its message are to come, and what they wait for will be all that
    /// matters. To be asked at the instant at which it is there.
    pub fn waited(
        &mut self,
        id: MessageId,
        packet: PacketId,
        now: Time,
        put: impl FnMut(Wait),
    ) -> bool {
        let Some(record) = self.asked_of(id, packet) else { return false };
        let message = &self.messages[id.index()];
        let of = (message.number, message.queued);
        let (rules, packets, scratch) = (self.rules, &message.packets, &mut self.scratch);
        let mut chain = Chain::new(&self.log, rules, of, packets, &mut self.pieces, scratch);
        chain.follow(record, now);
        self.put_pieces(message.ends, put)
    }

    /// The record of a packet of which it can be asked what it waited for.
    fn asked_of(&self, id: MessageId, packet: PacketId) -> Option<RecordId> {
        let message = &self.messages[id.index()];
        if !self.rules.asks_of_all && !message.is_whole() || !self.log.keeps(message.number) {
            return None;
        }
        let record = match self.log.record_of(packet) {
            NOBODY => message.opens.0,
            record => record,
        };
        let is_known = record != NOBODY && self.log.record(record).message == message.number;
        is_known.then_some(record)
    }

    /// Does something with the waits that have been found of a message between two nodes; whether there are any.
    fn put_pieces(&self, ends: (NodeId, NodeId), mut put: impl FnMut(Wait)) -> bool {
        for piece in self.pieces.iter().rev() {
            let (kind, label, channel) = self.root_of(piece, ends);
            put(Wait { kind, channel, label, span: (piece.begin, piece.begin + piece.time) });
        }
        !self.pieces.is_empty()
    }

    /// It may be asked later what a packet of a message waited for that has just arrived, instead of any other that
    /// has been set aside; false where that is not possible.
    pub fn sets_aside(&mut self, id: MessageId, packet: PacketId) -> bool {
        let Some(record) = self.asked_of(id, packet) else { return false };
        // Of acknowledged messages turns are kept until they are.
        if self.rules.has_acks {
            return false;
        }
        self.drops_aside();
        let message = &self.messages[id.index()];
        (self.aside.message, self.aside.record) = (Some(message.number), record);
        (self.aside.queued, self.aside.ends) = (message.queued, message.ends);
        self.aside.packets.clone_from(&message.packets);
        true
    }

    /// Nobody asks any more for the message that has been set aside.
    pub fn drops_aside(&mut self) {
        if let Some(number) = self.aside.message.take() {
            self.log.ends(number);
        }
    }

    /// What the packet waited for that has been set aside and was delivered then, as [`Self::waited`] puts it.
    pub fn waited_aside(&mut self, delivered: Time, put: impl FnMut(Wait)) -> bool {
        let &Aside { message, queued, ends, ref packets, record } = &self.aside;
        let Some(number) = message.filter(|&number| self.log.keeps(number)) else { return false };
        let (rules, of, scratch) = (self.rules, (number, queued), &mut self.scratch);
        let mut chain = Chain::new(&self.log, rules, of, packets, &mut self.pieces, scratch);
        chain.follow(record, delivered);
        self.put_pieces(ends, put)
    }
}
