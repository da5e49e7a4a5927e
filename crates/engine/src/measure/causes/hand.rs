//! The message that is being dealt with, and how far it has come.

use super::piece::{Own, Piece, passed_on, push, resolve};
use super::{Causes, Leg, Part, Prepared, Segment, Standing};
use crate::ids::{InstantId, MessageId, PacketId, ProcessId};
use crate::measure::{Blame, PacketRow};
use crate::time::Time;

/// How far a message has come.
pub(super) struct Hand {
    /// The message, or none.
    pub message: MessageId,
    /// Whose it is now: its receiver's, or its sender's if it is an acknowledgement.
    pub process: ProcessId,
    /// Since when it is in hand.
    pub at: Time,
    /// What that stands on.
    pub parent: InstantId,
    /// What lies between, but for latency and serialisation.
    pub pieces: Vec<Piece>,
    /// The instant made of it, if one has been.
    pub made: InstantId,
}

impl Default for Hand {
    fn default() -> Self {
        let none = InstantId::NONE;
        let (message, process) = (MessageId::NONE, ProcessId::NONE);
        Self { message, process, at: 0, parent: none, pieces: Vec::new(), made: none }
    }
}

impl Causes {
    /// The header of a packet of a message is there.
    pub fn header(&mut self, packet: PacketId, id: MessageId, now: Time, blame: Option<&Blame>) {
        let Standing { base, prepared } = self.standing[packet.index()];
        let base = self.forest.share(base);
        self.takes(id, base, now);
        self.put_down(packet, (prepared, true), None, blame);
    }

    /// A packet of a message has been delivered; it would have lived `alone` without contention.
    pub fn delivered(
        &mut self,
        packet: PacketId,
        (id, is_data): (MessageId, bool),
        (row, alone): (&PacketRow, Time),
        blame: Option<&Blame>,
    ) {
        let none = InstantId::NONE;
        let standing = &mut self.standing[packet.index()];
        let (base, prepared) = (std::mem::replace(&mut standing.base, none), standing.prepared);
        self.takes(id, base, row.delivered);
        if !is_data {
            self.hand.process = self.ways[id.index()].from;
        }
        self.put_down(packet, (prepared, is_data), Some((row.queued, alone)), blame);
        if is_data {
            self.arrives(id, row.first_sent, row.delivered);
            let way = &mut self.ways[id.index()];
            way.is_behind = true;
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
        (prepared, is_data): (Prepared, bool),
        whole: Option<(Time, Time)>,
        blame: Option<&Blame>,
    ) {
        let Hand { message, at: now, parent, .. } = self.hand;
        let way = &self.ways[message.index()];
        let pieces = &mut self.hand.pieces;
        let began = self.forest.at(parent);
        prepared.put_down(began, way, pieces);
        let labels = blame.and_then(|blame| blame.labels.as_deref());
        if let (Some(blame), Some(labels)) = (blame, labels) {
            let before: &[Piece] = if is_data { &way.before } else { &[] };
            let is_behind = way.is_behind || !is_data;
            let own = Own { label: way.label, is_behind, before };
            resolve(blame.timed(packet, now), &own, labels, &self.is_end, pieces);
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

impl super::Way {
    /// A part of its way.
    pub(super) fn leg(&self, pieces: Box<[Piece]>) -> Leg {
        let &Self { number: message, from, to, call, .. } = self;
        Leg { message, from, to, call, pieces }
    }
}

impl Prepared {
    /// What came before a packet was handed to the network, since `began`.
    pub(super) fn put_down(&self, began: Time, way: &super::Way, pieces: &mut Vec<Piece>) {
        let Some(ready) = self.ready else { return };
        passed_on(&way.before, (began, self.left), pieces);
        let others = (ready - began).saturating_sub(self.overhead + self.leaving);
        // What was done when is not kept: it is shown as if done last.
        let first = ready - self.overhead;
        push(pieces, Piece::own(Part::Processor, first - others, others));
        push(pieces, Piece::own(Part::Sending, first, self.overhead));
        match self.behind {
            None => passed_on(&way.before, (ready, self.handed), pieces),
            blamed => {
                let time = self.handed - ready;
                push(pieces, Piece { begin: ready, time, part: Part::Processor, blamed });
            }
        }
    }
}
