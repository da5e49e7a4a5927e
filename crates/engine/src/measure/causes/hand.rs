//! The message that is being dealt with, and how far it has come.

use super::forest::Segment;
use super::piece::{Blamed, Part, Piece, Who, push};
use super::state::{Causes, Hand, Untold};
use crate::ids::{InstantId, MessageId, PacketId, ProcessId};
use crate::measure::blame::Labels;
use crate::measure::late::{Late, Wait};
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
        self.hand.untold = Some(Untold { packet, prepared, whole: None });
        self.tells(id, measured);
    }

    /// A packet of a message has been delivered; it would have lived `alone` without contention.
    ///
    /// What it waited for is put down when somebody stands on it ([`Self::tells`]), or at once where the software of
    /// its node passes that on to the next.
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
        self.hand.untold = Some(Untold { packet, prepared: standing.prepared(), whole });
        if standing.prepared.is_some() {
            self.tells(id, measured);
        }
        if is_data {
            let way = &mut self.ways[id.index()];
            if let (Some(rows), Some(place)) = (&mut self.rows, way.row) {
                rows.arrives(place, row.first_sent, row.delivered);
            }
            way.before.clear();
            way.before.extend(self.hand.pieces.iter().filter(|piece| piece.part.is_contention()));
        }
    }

    /// Somebody is going to stand on what is in hand of a message: what it waited for is put down, unless it has
    /// been. To find that out takes longer than all else, and nobody stands on most messages.
    pub fn tells(&mut self, id: MessageId, measured: Measured) {
        if self.hand.message == id
            && let Some(untold) = self.hand.untold.take()
        {
            self.put_down(&untold, measured);
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
            self.hand.untold = None;
            self.hand.pieces.clear();
            self.forest.replace(&mut self.hand.parent, InstantId::NONE);
            self.forest.replace(&mut self.hand.made, InstantId::NONE);
        }
    }

    /// Puts down what the packet in hand waited for, so far.
    fn put_down(&mut self, untold: &Untold, (late, labels): Measured) {
        let &Untold { packet, ref prepared, whole } = untold;
        let Hand { message, at: now, parent, .. } = self.hand;
        let way = &self.ways[message.index()];
        let pieces = &mut self.hand.pieces;
        let began = self.forest.at(parent);
        prepared.put_down(began, way, pieces);
        if let Some(late) = late {
            let since = began.max(prepared.handed);
            if late.waited(message, packet, now, |wait| put_wait(pieces, since, wait, labels)) {
                self.followed.push(way.number);
            }
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
        debug_assert!(self.hand.untold.is_none(), "what it waited for has not been put down");
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

/// Adds a wait, as far as it lies after an instant.
pub(super) fn put_wait(
    pieces: &mut Vec<Piece>,
    since: Time,
    Wait { kind, channel, label, span }: Wait,
    labels: Option<&Labels>,
) {
    let blamed = Some(Blamed { channel, culprit: Who::of(label, labels) });
    let (begin, part) = (span.0.max(since), Part::of(kind));
    if begin < span.1 {
        push(pieces, Piece { begin, time: span.1 - begin, part, blamed });
    }
}
