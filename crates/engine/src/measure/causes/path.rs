//! The critical path, piece by piece.

use super::forest::{Instant, Leg, Segment};
use super::piece::{Blamed, Part, Piece};
use super::state::Causes;
use crate::ids::ProcessId;
use crate::measure::late::shares;
use crate::time::Time;

/// What a segment of the path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A process had not begun, or a message was not due.
    Start,
    /// A process computed.
    Computed,
    /// A message was on its way.
    Message,
    /// A message was acknowledged, or its sender waited for it in another way.
    Sent,
    /// A collective that is no messages.
    Met,
    /// Something else.
    Waited,
}

impl Kind {
    /// All of them, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Start, "start"),
        (Self::Computed, "computed"),
        (Self::Message, "message"),
        (Self::Sent, "sent"),
        (Self::Met, "met"),
        (Self::Waited, "waited"),
    ];
}

/// A piece of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of its segment, from 0.
    pub segment: u32,
    /// What that is.
    pub kind: Kind,
    /// Who could go on at its end.
    pub process: ProcessId,
    /// Of a message: who is at its other end; else none.
    pub peer: ProcessId,
    /// Of a message: its number.
    pub message: Option<u64>,
    /// Where in the program it is called; `u32::MAX`: nobody knows.
    pub call: u32,
    /// When its segment began.
    pub begin: Time,
    /// How long the piece was.
    pub time: Time,
    /// What it is put down to.
    pub part: Part,
    /// Who was in the way, if anybody.
    pub blamed: Option<Blamed>,
}

impl Causes {
    /// The critical path from time 0 to the end of the last process, whose pieces follow each
    /// other: the sum of their times is [`Causes::makespan`].
    pub fn path(&self) -> Vec<Step> {
        let mut instants: Vec<_> =
            self.forest.back(self.last).map(|(_, instant)| instant).collect();
        instants.reverse();
        let mut steps = Vec::new();
        for (segment, instant) in instants.into_iter().enumerate() {
            self.add(segment as u32, instant, &mut steps);
        }
        steps
    }

    fn add(&self, segment: u32, instant: &Instant, steps: &mut Vec<Step>) {
        let begin = self.forest.at(instant.parent);
        let total = instant.at - begin;
        let (kind, process, peer) = (Kind::Waited, instant.process, ProcessId::NONE);
        let (part, time, blamed) = (Part::Other, total, None);
        let (message, call) = (None, u32::MAX);
        let whole = Step { segment, kind, process, peer, message, call, begin, time, part, blamed };
        match &instant.segment {
            Segment::Start => put(steps, Step { kind: Kind::Start, part: Part::Before, ..whole }),
            Segment::Waited | Segment::Met => put(steps, whole),
            Segment::Price => put(steps, Step { kind: Kind::Met, part: Part::Meeting, ..whole }),
            Segment::Computed(computed) => {
                let whole = Step { kind: Kind::Computed, call: computed.call, ..whole };
                let mut left = total;
                for (part, time) in computed.parts() {
                    left -= time;
                    put(steps, Step { time, part, ..whole });
                }
                put(steps, Step { part: Part::Processor, time: left, ..whole });
            }
            Segment::Message(leg) => {
                let is_sender = leg.from == process && leg.to != process;
                let (kind, peer) =
                    if is_sender { (Kind::Sent, leg.to) } else { (Kind::Message, leg.from) };
                let message = Some(leg.message);
                let whole = Step { kind, peer, message, call: leg.call, ..whole };
                let mut left = total;
                let costs = self.costs(leg);
                for (piece, time) in leg.pieces.iter().zip(costs) {
                    left -= time;
                    let &Piece { part, blamed, .. } = piece;
                    put(steps, Step { time, part, blamed, ..whole });
                }
                put(steps, Step { part: Part::Own, time: left, ..whole });
            }
        }
    }
}

impl Causes {
    /// What the pieces of a message's leg cost: of waits, part of which ran beside what the message would
    /// have taken anyway, as much as it was late.
    fn costs(&self, leg: &Leg) -> Vec<Time> {
        let times = leg.pieces.iter().map(|piece| piece.time);
        let is_wait = |piece: &&Piece| piece.part.is_contention();
        let waits = || leg.pieces.iter().filter(is_wait).map(|piece| piece.time);
        let waited: Time = waits().sum();
        let late = self.lateness.get(&leg.message).copied();
        let Some(late) = late.filter(|&late| late < waited) else { return times.collect() };
        let mut shares = shares(&waits().collect::<Vec<_>>(), late).into_iter();
        let cost = |piece: &Piece| {
            if piece.part.is_contention() { shares.next().unwrap_or(0) } else { piece.time }
        };
        leg.pieces.iter().map(cost).collect()
    }
}

/// Adds what took time.
fn put(steps: &mut Vec<Step>, step: Step) {
    if step.time > 0 {
        steps.push(step);
    }
}
