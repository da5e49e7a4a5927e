//! What the time of a message, or of a process, consisted of.

use crate::ids::ChannelId;
use crate::measure::blame::{Cause, Labels, Timed};
use crate::time::Time;

/// What time is put down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Part {
    /// Nothing has begun: before a process starts, or a message is due.
    Before,
    /// A process computes.
    Computing,
    /// Something is to be computed, prepared, sent or taken in, and the CPU or the network
    /// interface works for others.
    Processor,
    /// A message is prepared by software.
    Sending,
    /// A message is taken in by software.
    Receiving,
    /// A partner has not sent, not accepted or not come.
    Partner,
    /// A message crosses the machine, as it would alone: latency and serialisation.
    Latency,
    /// It waits for others at the channels between nodes and the network.
    Endpoint,
    /// It waits for others at channels of the network.
    Network,
    /// A collective that is no messages takes its price.
    Meeting,
    /// Something else, such as that a packet leaves.
    Other,
    /// A process has nothing more to do.
    Idle,
}

impl Part {
    /// All of them, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 12] = [
        (Self::Before, "before"),
        (Self::Computing, "computing"),
        (Self::Processor, "processor"),
        (Self::Sending, "sending"),
        (Self::Receiving, "receiving"),
        (Self::Partner, "partner"),
        (Self::Latency, "latency"),
        (Self::Endpoint, "endpoint"),
        (Self::Network, "network"),
        (Self::Meeting, "meeting"),
        (Self::Other, "other"),
        (Self::Idle, "idle"),
    ];

    /// Whether others were in the way.
    pub fn is_contention(self) -> bool {
        matches!(self, Self::Endpoint | Self::Network)
    }
}

/// How long something took, by what that is put down to.
pub type Parts = [Time; Part::ALL.len()];

/// Whose message was in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The traffic class of the message; `u32::MAX`, as below: nobody knows.
    pub class: u32,
    /// Its sender.
    pub process: u32,
    /// Its number, modulo 2^32.
    pub message: u32,
    /// Where in the program it is sent.
    pub call: u32,
}

impl Who {
    /// The message that packets of this label are of.
    pub fn of(label: u32, labels: Option<&Labels>) -> Self {
        let sender = labels.and_then(|labels| labels.sender(label));
        Self {
            class: sender.map_or(u32::MAX, |sender| sender.class),
            process: sender.map_or(u32::MAX, |sender| sender.process.0),
            message: Labels::number(label),
            call: sender.map_or(u32::MAX, |sender| sender.call),
        }
    }
}

/// Who was in the way, where, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// The channel waited for.
    pub channel: ChannelId,
    /// Where those in the way waited for each other at last.
    pub root: ChannelId,
    /// Why.
    pub cause: Cause,
    /// Whose message was in the way.
    pub culprit: Who,
    /// The same passed on: whose message that one waited for then, and so on.
    pub at_root: Who,
}

/// A piece of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// When it began.
    pub begin: Time,
    /// How long it lasted.
    pub time: Time,
    /// What it is put down to.
    pub part: Part,
    /// Who was in the way, if anybody.
    pub blamed: Option<Blamed>,
}

impl Piece {
    /// One in which nobody was in the way.
    pub fn own(part: Part, begin: Time, time: Time) -> Self {
        Self { begin, time, part, blamed: None }
    }

    fn end(&self) -> Time {
        self.begin + self.time
    }

    /// As far as it lies between two instants.
    pub fn between(&self, (from, to): (Time, Time)) -> Option<Self> {
        let (begin, end) = (self.begin.max(from), self.end().min(to));
        (begin < end).then_some(Self { begin, time: end - begin, ..*self })
    }
}

/// Adds a piece to those before it.
pub fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    if piece.time == 0 {
        return;
    }
    match pieces.last_mut() {
        Some(last)
            if last.end() == piece.begin
                && (last.part, last.blamed) == (piece.part, piece.blamed) =>
        {
            last.time += piece.time;
        }
        _ => pieces.push(piece),
    }
}

/// Whose packet waits, and what those of its message before it waited for.
pub struct Own<'a> {
    /// The message.
    pub label: u32,
    /// Whether a packet of it came before.
    pub is_behind: bool,
    /// What that waited for.
    pub before: &'a [Piece],
}

/// Puts down what a packet was charged: where it waited behind a packet of its own message, to what
/// that one waited for then. The rest of such a wait is serialisation.
pub fn resolve(
    charges: impl Iterator<Item = Timed>,
    own: &Own,
    labels: &Labels,
    is_end: &[bool],
    pieces: &mut Vec<Piece>,
) {
    for Timed { begin, charge, at_root } in charges {
        if own.is_behind && charge.culprit == own.label {
            passed_on(own.before, (begin, begin + charge.time), pieces);
            continue;
        }
        let is_end = is_end.get(charge.channel.index()).is_some_and(|&is_end| is_end);
        let part = if is_end { Part::Endpoint } else { Part::Network };
        let blamed = Some(Blamed {
            channel: charge.channel,
            root: charge.root,
            cause: charge.cause,
            culprit: Who::of(charge.culprit, Some(labels)),
            at_root: Who::of(at_root, Some(labels)),
        });
        push(pieces, Piece { begin, time: charge.time, part, blamed });
    }
}

/// Adds what lies between two instants of what was waited for before.
pub fn passed_on(before: &[Piece], span: (Time, Time), pieces: &mut Vec<Piece>) {
    let first = before.partition_point(|piece| piece.end() <= span.0);
    let within = before[first..].iter().take_while(|piece| piece.begin < span.1);
    within.filter_map(|piece| piece.between(span)).for_each(|piece| push(pieces, piece));
}
