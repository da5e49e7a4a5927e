//! What the time of a message, or of a process, consisted of.

use crate::ids::ChannelId;
use crate::measure::blame::Labels;
use crate::measure::late::Kind;
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
    Own,
    /// It waits for others, and that has its root at the channel out of its own node.
    Source,
    /// The same, at the channel into its destination.
    Destination,
    /// The same, between switches, or in one.
    Network,
    /// The same, at a channel of another node.
    Spread,
    /// A collective that is no messages takes its price.
    Meeting,
    /// Something else, such as that a packet leaves.
    Other,
    /// A process has nothing more to do.
    Idle,
    /// A message waits for a link that is down, or slower.
    Fault,
}

impl Part {
    /// All of them, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 15] = [
        (Self::Before, "before"),
        (Self::Computing, "computing"),
        (Self::Processor, "processor"),
        (Self::Sending, "sending"),
        (Self::Receiving, "receiving"),
        (Self::Partner, "partner"),
        (Self::Own, "own"),
        (Self::Source, "source"),
        (Self::Destination, "destination"),
        (Self::Network, "network"),
        (Self::Spread, "spread"),
        (Self::Meeting, "meeting"),
        (Self::Other, "other"),
        (Self::Idle, "idle"),
        (Self::Fault, "fault"),
    ];

    /// Whether others, or faults, were in the way of a message.
    pub fn is_contention(self) -> bool {
        let is_others = matches!(self, Self::Source | Self::Destination | Self::Network);
        is_others || matches!(self, Self::Spread | Self::Fault)
    }

    /// Whether it is told of where there are none: faults are not.
    pub fn is_usual(self) -> bool {
        self != Self::Fault
    }

    /// Waiting for others, by where that has its root.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Source => Self::Source,
            Kind::Destination => Self::Destination,
            Kind::Network | Kind::Detour => Self::Network,
            Kind::Fault => Self::Fault,
            Kind::Spread => Self::Spread,
        }
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

/// Who is charged for a wait, and where that has its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// The root channel.
    pub channel: ChannelId,
    /// Whose message was there.
    pub culprit: Who,
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

/// Adds what lies between two instants of what was waited for before.
pub fn passed_on(before: &[Piece], span: (Time, Time), pieces: &mut Vec<Piece>) {
    let first = before.partition_point(|piece| piece.end() <= span.0);
    let within = before[first..].iter().take_while(|piece| piece.begin < span.1);
    within.filter_map(|piece| piece.between(span)).for_each(|piece| push(pieces, piece));
}
