//! The message that is being dealt with, and how far it has come.

use super::forest::Segment;
use super::piece::{Blamed, Part, Piece, Who, push};
use super::state::{Causes, Hand};
use super::way::Prepared;
use crate::ids::{InstantId, MessageId, PacketId, ProcessId};
use crate::measure::blame::Labels;
use crate::measure::late::Late;
use crate::measure::packet::PacketRow;
use crate::time::Time;

/// What is known of waits.
pub type Measured<'a> = (Option<&'a mut Late>, Option<&'a Labels>);

impl Causes {
    /// The header of a packet of a message is there.
    pub fn header(&mut self, packet: PacketId, id: MessageId, now: Time, measured: Measured) {
        let standing = &self.standing[packet.index()];
        let (base, prepared) = (self.forest.share(standing.base), standing.prepared());
        self.takes(id, base, now);
        self.put_down(packet, prepared, None, measured);
    }

    /// A packet of a message has been delivered; it would have lived `alone` without contention.
    pub fn delivered(
        &mut self,
        packet: PacketId,
        (id, is_data): (MessageId, bool),
        (row, alone): (&PacketRow, Time),
        measured: Measured,
    ) {
        let standing = std::mem::take(&mut self.standing[packet.index()]);
        self.takes(id, standing.base, row.delivered);
        if !is_data {
            self.hand.process = self.ways[id.index()].from;
        }
        let whole = self.is_contended.then_some((row.queued, alone));
        self.put_down(packet, standing.prepared(), whole, measured);
        if is_data {
            let way = &mut self.ways[id.index()];
            if let (Some(rows), Some(place)) = (&mut self.rows, way.row) {
                rows.arrives(place, row.first_sent, row.delivered);
            }
            way.before.clear();
            way.before.extend(self.hand.pieces.iter().filter(|piece| piece.part.is_contention()));
        }
    }

    /// What is dealt with from now on, which stands on `parent`.
    pub(super) fn takes(&mut self, message: MessageId, parent: InstantId, at: Time) {
        self.lets_go();
        (self.hand.message, self.hand.parent, self.hand.at) = (message, parent, at);
        self.hand.process = self.ways[message.index()].to;
    }

    /// Nothing is dealt with any more.
    pub fn lets_go(&mut self) {
        if self.hand.message.is_some() {
            self.hand.message = MessageId::NONE;
            self.hand.pieces.clear();
            self.forest.replace(&mut self.hand.parent, InstantId::NONE);
            self.forest.replace(&mut self.hand.made, InstantId::NONE);
        }
    }

    /// Puts down what the packet in hand waited for, so far.
    fn put_down(
        &mut self,
        packet: PacketId,
        prepared: Prepared,
        whole: Option<(Time, Time)>,
        (late, labels): Measured,
    ) {
        let Hand { message, at: now, parent, .. } = self.hand;
        let way = &self.ways[message.index()];
        let pieces = &mut self.hand.pieces;
        let began = self.forest.at(parent);
        prepared.put_down(began, way, pieces);
        if let Some(late) = late {
            let since = began.max(prepared.handed);
            late.waited(message, packet, now, |kind, channel, label, span| {
                let culprit = Who::of(label, labels);
                let blamed = Some(Blamed { channel, culprit });
                let (begin, part) = (span.0.max(since), Part::of(kind));
                if begin < span.1 {
                    push(pieces, Piece { begin, time: span.1 - begin, part, blamed });
                }
            });
        } else if let Some((queued, alone)) = whole {
            // Nobody knows who was in the way, only that somebody was.
            let time = (now - queued).saturating_sub(alone);
            push(pieces, Piece::own(Part::Network, now - time, time));
        }
    }

    /// The instant on which a message stands now, made unless it is there.
    pub(super) fn stand(&mut self, id: MessageId) -> InstantId {
        if self.hand.message != id {
            let base = self.ways[id.index()].base;
            return self.forest.share(base);
        }
        if !self.hand.made.is_some() {
            let way = &self.ways[id.index()];
            let leg = way.leg(self.hand.pieces.as_slice().into());
            let segment = Segment::Message(Box::new(leg));
            let Hand { at, parent, process, .. } = self.hand;
            self.hand.made = self.forest.add(at, parent, process, segment);
        }
        self.forest.share(self.hand.made)
    }

    /// The same, at an instant and for a process.
    pub(super) fn stand_of(&mut self, id: MessageId, process: ProcessId, now: Time) -> InstantId {
        let stand = self.stand(id);
        let instant = &self.forest[stand];
        if (instant.at, instant.process) == (now, process) {
            return stand;
        }
        let leg = self.ways[id.index()].leg(Box::default());
        let next = self.forest.add(now, stand, process, Segment::Message(Box::new(leg)));
        self.forest.release(stand);
        next
    }
}
