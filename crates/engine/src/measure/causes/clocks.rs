//! Ranks whose clocks say when they go on: there is no network, and no node that tells.
//!
//! A clock stands on the instant at which it is free; what needs it begins there. What is told of
//! comes in any order of time, so a process may be told of less late than it is already.

use super::forest::{Computed, Leg, Segment};
use super::piece::{Part, Parts, Piece, push};
use super::rows::{Activity, Doing};
use super::state::Causes;
use super::way::Opened;
use crate::ids::{InstantId, ProcessId};
use crate::time::Time;

/// What a message is that crosses no network.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Its number.
    pub number: u64,
    /// Who sends it.
    pub from: ProcessId,
    /// Who receives it.
    pub to: ProcessId,
    /// Where in the program it is sent.
    pub call: u32,
    /// The instant at which it set out.
    pub set_out: InstantId,
    /// Its place in the rows of timelines, if it is shown.
    pub row: Option<usize>,
}

impl Crossing {
    fn leg(&self, pieces: Vec<Piece>) -> Segment {
        let &Self { number: message, from, to, call, .. } = self;
        Segment::Message(Box::new(Leg { message, from, to, call, pieces: pieces.into() }))
    }
}

impl Causes {
    /// A process begins at time 0: the instant, on which the caller stands.
    pub fn begins_at_once(&mut self, process: ProcessId) -> InstantId {
        self.starts(process, 0);
        let leaf = self.leaf(process);
        self.share(leaf)
    }

    /// When an instant is; 0 of none.
    pub fn at(&self, id: InstantId) -> Time {
        self.forest.at(id)
    }

    /// Somebody else stands on an instant, too.
    pub fn share(&mut self, id: InstantId) -> InstantId {
        self.forest.share(id)
    }

    /// Somebody goes over from one instant to another.
    pub fn replace(&mut self, place: &mut InstantId, by: InstantId) {
        self.forest.replace(place, by);
    }

    /// An instant needed another one, that came before.
    pub fn needs(&mut self, before: InstantId, after: InstantId) {
        if let Some(edges) = &mut self.edges
            && after.is_some()
        {
            edges.joins(before, after);
        }
    }

    /// Where somebody stood at a time who stands on an instant now.
    pub fn stood(&mut self, now: InstantId, process: ProcessId, at: Time) -> InstantId {
        let found = self.forest.back(now).find(|(_, instant)| instant.at <= at);
        let found = found.map_or(InstantId::NONE, |(id, _)| id);
        if self.at(found) == at {
            return self.share(found);
        }
        self.forest.add(at, found, process, Segment::Waited)
    }

    /// A process can go on, unless it has already gone further.
    pub fn goes_on_at(&mut self, process: ProcessId, instant: InstantId) {
        let (leaf, next) = (self.at(self.leaf(process)), self.at(instant));
        if next > leaf {
            let instant = self.share(instant);
            self.advances(process, instant);
        }
    }

    /// A clock of a process is busy from an instant until a time, with something.
    pub fn busy(
        &mut self,
        process: ProcessId,
        from: InstantId,
        until: Time,
        with: Computed,
    ) -> InstantId {
        self.forest.add(until, from, process, Segment::Computed(with))
    }

    /// A CPU of a process is busy, with a message or its own computing.
    pub fn works(
        &mut self,
        process: ProcessId,
        from: InstantId,
        until: Time,
        (with, message): (Computed, Option<u64>),
    ) -> InstantId {
        let begin = self.at(from);
        if let Some(rows) = &mut self.rows {
            let doing = match message {
                None => Doing::Computes,
                Some(_) if with.sending > 0 => Doing::Sends,
                Some(_) => Doing::Receives,
            };
            let (end, call, parts) = (until, with.call, Parts::default());
            rows.add(Activity { process, doing, message, begin, end, call, parts });
        }
        let next = self.busy(process, from, until, with);
        self.goes_on_at(process, next);
        next
    }

    /// A message sets out at an instant: what is known of it until it is taken.
    pub fn sets_out(&mut self, message: &Opened, set_out: InstantId) -> Crossing {
        let sent = self.at(set_out);
        let row = self.rows.as_mut().and_then(|rows| rows.sends(message, sent));
        let &Opened { number, from, to, call, .. } = message;
        Crossing { number, from, to, call, set_out: self.share(set_out), row }
    }

    /// A message begins to be taken in when it comes; its sender prepared it for so long.
    pub fn comes(&mut self, message: &Crossing, overhead: Time, at: Time) -> InstantId {
        let begin = self.at(message.set_out);
        let mut pieces = Vec::new();
        push(&mut pieces, Piece::own(Part::Sending, begin, overhead));
        self.forest.add(at, message.set_out, message.to, message.leg(pieces))
    }

    /// A message begins to be taken in later than it came, since others were taken in until now:
    /// the last of those from where the clock that is free now was free before.
    pub fn comes_behind(
        &mut self,
        message: &Crossing,
        clock: InstantId,
        (came, at): (Time, Time),
    ) -> InstantId {
        let instant = &self.forest[clock];
        let (base, segment) = (instant.parent, &instant.segment);
        let begin = self.forest.at(base);
        let takes = if let Segment::Computed(with) = segment { with.receiving } else { 0 };
        let alone = came.max(begin);
        let mut pieces = Vec::new();
        push(&mut pieces, Piece::own(Part::Receiving, begin, takes.min(alone - begin)));
        push(&mut pieces, Piece::own(Part::Processor, alone, at - alone));
        self.forest.add(at, base, message.to, message.leg(pieces))
    }

    /// Whether a clock is free again after a message was taken in.
    pub fn has_received(&self, clock: InstantId) -> bool {
        clock.is_some()
            && matches!(&self.forest[clock].segment,
                Segment::Computed(with) if with.receiving > 0 || with.crossing > 0)
    }

    /// The sender of a message goes on at the instant at which it was taken.
    pub fn is_taken(&mut self, message: &Crossing, taken: InstantId) -> InstantId {
        let at = self.at(taken);
        let next = self.forest.add(at, taken, message.from, message.leg(Vec::new()));
        self.goes_on_at(message.from, next);
        next
    }

    /// A message has been taken in from an instant on until a time.
    pub fn has_crossed(&mut self, message: &Crossing, overhead: Time, until: Time) {
        let left = self.at(message.set_out) + overhead;
        if let (Some(rows), Some(row)) = (&mut self.rows, message.row) {
            (rows.transfers[row].left, rows.transfers[row].arrived) = (left, until);
        }
    }

    /// A process has a message.
    pub fn is_received(&mut self, message: &Crossing, at: Time) {
        if let (Some(rows), Some(row)) = (&mut self.rows, message.row) {
            rows.transfers[row].received = at.max(rows.transfers[row].arrived);
        }
    }

    /// The last of some ranks has come, at an instant of it: when each goes on, after a price.
    pub fn met(&mut self, last: ProcessId, at: InstantId) -> InstantId {
        let now = self.at(at);
        self.forest.add(now, at, last, Segment::Met)
    }

    /// One of those who have met goes on.
    pub fn leaves(&mut self, process: ProcessId, met: InstantId, at: Time) -> InstantId {
        self.forest.add(at, met, process, Segment::Price)
    }

    /// A rank has done all it is to do.
    pub fn has_ended(&mut self, at: InstantId) {
        if at.is_some() {
            self.ends(at);
        }
    }
}
