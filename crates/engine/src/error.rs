//! What can go wrong, as values.
//!
//! [`SpecError`]: found before the first event; nothing has run. [`RunError`]:
//! found while running. Saturation is a result, not an error.

use crate::time::Time;
use std::fmt;

/// The description of the machine or workload cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Path of the field as the user wrote it: `machine.topology.dims`.
    pub field: String,
    /// The value given, as text.
    pub given: String,
    /// What is allowed, as text.
    pub allowed: String,
    /// The channels by which packets could wait for each other in a circle, each held by a
    /// packet that asks for the next; empty if that is not what is wrong.
    pub circle: Vec<Held>,
}

/// A channel on a circle of channels that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The switch it comes from.
    pub from: u32,
    /// The switch it leads to.
    pub to: u32,
    /// The class of virtual channels.
    pub class: u32,
    /// Where the packet that holds it and asks for the next comes from.
    pub source: u32,
    /// Where that packet goes.
    pub destination: u32,
}

impl SpecError {
    pub(crate) fn new(
        field: impl Into<String>,
        given: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            given: given.to_string(),
            allowed: allowed.into(),
            circle: Vec::new(),
        }
    }

    /// The same of a description that stands at a place of a larger one.
    pub(crate) fn inside(self, place: &str) -> Self {
        Self { field: format!("{place}.{}", self.field), ..self }
    }
}

impl RunError {
    /// The same of what stands in a job.
    pub(crate) fn of_job(self, job: &str) -> Self {
        match self {
            Self::Refused { at, error } => {
                Self::Refused { at, error: error.inside(&format!("job.{job}")) }
            }
            Self::SendsInCircle { at, circle, .. } => {
                Self::SendsInCircle { at, job: Some(job.into()), circle }
            }
            Self::Unreceived { at, messages, .. } => {
                Self::Unreceived { at, job: Some(job.into()), messages }
            }
            other => other,
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.field, self.given, self.allowed)
    }
}

impl std::error::Error for SpecError {}

/// The run cannot go on. What was measured until then stays valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// Nothing will ever happen again, yet processes wait or packets are undelivered.
    Deadlock {
        /// When the last thing happened.
        at: Time,
        /// Who waits for what, processes first.
        waiting: Vec<Waiting>,
        /// The packets that wait for each other in a circle, each for the next; empty if
        /// it is not the network that stands still.
        circle: Vec<Blocked>,
    },
    /// What a process is to do does not agree with what others do.
    Refused {
        /// The instant.
        at: Time,
        /// What is wrong with it.
        error: SpecError,
    },
    /// Ranks of a trace wait in a circle for each other to receive what they send.
    SendsInCircle {
        /// When the last thing happened.
        at: Time,
        /// Their job, where there are any.
        job: Option<String>,
        /// They, each of which sends to the next, and the last to the first.
        circle: Vec<Stuck>,
    },
    /// All ranks of a trace have ended, and messages are left.
    Unreceived {
        /// When the last of them ended.
        at: Time,
        /// Their job, where there are any.
        job: Option<String>,
        /// The messages.
        messages: Vec<Unreceived>,
    },
    /// Processes wait for messages of which packets have been lost.
    Lost {
        /// When the last thing happened.
        at: Time,
        /// How many packets have been lost.
        count: u64,
        /// The first of them.
        packets: Vec<LostPacket>,
        /// Everybody who waits.
        waiting: Vec<Waiting>,
    },
    /// A packet has crossed more channels than it may.
    Livelock {
        /// The instant.
        at: Time,
        /// How many packets were queued before it.
        packet: u32,
        /// Where it comes from.
        source: u32,
        /// Where it goes.
        destination: u32,
        /// Most channels a packet may cross.
        limit: u32,
    },
    /// A buffer without bounds is to hold more flits than can be told apart.
    BufferTooFull {
        /// The instant.
        at: Time,
        /// The channel that it is at the end of.
        place: Place,
        /// Most flits in a buffer.
        limit: u32,
    },
    /// More than `limit` events at one instant: the clock stands still.
    ///
    /// For example processes that compute for no time on a network without cost.
    ClockStuck {
        /// The instant.
        at: Time,
        /// The largest number of events at one instant.
        limit: u64,
    },
}

/// A packet that has been lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostPacket {
    /// When.
    pub at: Time,
    /// How many packets were queued before it.
    pub packet: u32,
    /// How many messages were sent before the one it belongs to, or acknowledges.
    pub message: u64,
    /// The node it came from.
    pub source: u32,
    /// The node it was to go to.
    pub destination: u32,
    /// The switch that had no room for it.
    pub switch: u32,
}

impl fmt::Display for LostPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, message, source, destination, switch, .. } = self;
        write!(
            f,
            "a packet of message {message} from node {source} to node {destination} at switch \
             {switch}, at {} ns",
            *at as f64 / 1e3
        )
    }
}

/// A rank that waits for another to receive what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// It.
    pub rank: u32,
    /// The receiving rank.
    pub to: u32,
    /// The length of the message.
    pub bytes: u64,
    /// Its tag.
    pub tag: u32,
}

/// Messages that are all alike and that nobody has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreceived {
    /// The rank that they were sent to.
    pub rank: u32,
    /// The rank that sent them.
    pub from: u32,
    /// Their tag.
    pub tag: u32,
    /// Their communicator.
    pub context: u32,
    /// The length of each.
    pub bytes: u64,
    /// How many they are.
    pub count: u64,
}

impl Unreceived {
    /// What they are: `2 messages from rank 1, tag 7, 64 B`.
    pub fn what(&self) -> String {
        let Self { from, tag, context, bytes, count, .. } = self;
        let messages = if *count == 1 { "message" } else { "messages" };
        let within =
            if *context == 0 { String::new() } else { format!(", communicator {context}") };
        format!("{count} {messages} from rank {from}, tag {tag}, {bytes} B{within}")
    }
}

/// A packet that will never move again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// How many packets were queued before it.
    pub packet: u32,
    /// The node it comes from.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
    /// The channels it holds, the one whose buffer its head is in first.
    pub holds: Vec<Place>,
    /// The channel it waits for.
    pub waits_for: Place,
    /// The packet that was granted that channel; absent: there is no room in its buffer.
    pub held_by: Option<u32>,
    /// What it lacks there.
    pub lack: Lack,
    /// Its traffic class.
    pub traffic: u8,
    /// What that is called, where there are several.
    pub class: Option<String>,
}

/// What keeps a packet that never moves again, or others because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It waits for a channel, or for room in the buffer at its end.
    Channel,
    /// What it holds is the queue of a channel whose switch has been told to pause by the one that
    /// the channel it waits for leaves.
    Pause,
    /// The node that the channel it waits for leads to has no place for the reply to it.
    ReplyPlace,
    /// It is a reply in the queue of its node, which has no other place for one.
    ReplyLeaves,
    /// The same, and it is being sent.
    ReplyIsSent,
    /// The same, and it is of a reply of which the rest is to be sent when this has come.
    RestLeaves,
    /// The node it goes to keeps a place for the reply to its message. It stands behind others in the
    /// buffer of the channel it waits for.
    RestComes,
    /// The same, and it stands in the queue of its node.
    RestIsQueued,
    /// It is the first in the queue of its node, and waits for a channel or room.
    FirstInQueue,
}

impl Lack {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Pause => "pause",
            Self::ReplyPlace => "reply_place",
            Self::ReplyLeaves => "reply_leaves",
            Self::ReplyIsSent => "reply_is_sent",
            Self::RestLeaves => "rest_leaves",
            Self::RestComes => "rest_comes",
            Self::RestIsQueued => "rest_is_queued",
            Self::FirstInQueue => "first_in_queue",
        }
    }
}

/// A channel, by where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub channel: u32,
    /// Where it comes from: a switch, or else a node.
    pub from: (bool, u32),
    /// Where it leads: to a switch, or else to a node.
    pub to: (bool, u32),
    /// Which of the parallel wires and virtual channels of its link.
    pub lane: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |(is_switch, number): (bool, u32)| {
            format!("{} {number}", if is_switch { "switch" } else { "node" })
        };
        write!(f, "{} to {} (channel {})", end(self.from), end(self.to), self.lane)
    }
}

impl Blocked {
    /// The packet and its ends: `packet 3 of class "read" from node 0 to node 1`.
    fn who(&self) -> String {
        let Self { packet, source, destination, .. } = self;
        let class =
            self.class.as_ref().map_or(String::new(), |name| format!(" of class \"{name}\""));
        format!("packet {packet}{class} from node {source} to node {destination}")
    }

    /// What it waits for: `room in switch 0 to switch 1 (channel 0)`.
    fn wanted(&self) -> String {
        match self.held_by {
            Some(other) => format!("{}, held by packet {other}", self.waits_for),
            None => format!("room in {}", self.waits_for),
        }
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (who, Self { source, destination, waits_for, .. }) = (self.who(), self);
        let holds: Vec<_> = self.holds.iter().map(Place::to_string).collect();
        let holds = holds.join(", ");
        match self.lack {
            Lack::Channel => write!(f, "{who} holds {holds} and waits for {}", self.wanted()),
            Lack::Pause => {
                let (by, at) = (waits_for.from.1, self.holds.first().unwrap_or(waits_for));
                let from = if at.from.0 { "switch" } else { "node" };
                write!(f, "{who} waits at {from} {} for switch {by} to let it go on", at.from.1)
            }
            Lack::ReplyPlace => write!(
                f,
                "{who} holds {holds} and waits for a place for its reply at node {destination}"
            ),
            Lack::ReplyLeaves => {
                write!(f, "node {source} has no place until {who}, a reply, leaves it")
            }
            Lack::ReplyIsSent => write!(
                f,
                "node {source} has no place until {who}, a reply, leaves it, which waits for {}",
                self.wanted()
            ),
            Lack::RestLeaves => write!(
                f,
                "node {source} has no place until its reply leaves it, the rest of which follows \
                 {who}; that stands behind others in {waits_for}"
            ),
            Lack::RestComes => write!(
                f,
                "node {destination} keeps a place for the reply to the message of {who}, which stands \
                 behind others in {waits_for}"
            ),
            Lack::RestIsQueued => write!(
                f,
                "node {destination} keeps a place for the reply to the message of {who}, which node \
                 {source} has not sent"
            ),
            Lack::FirstInQueue => write!(
                f,
                "first in the queue of node {source} is {who}, which waits for {}",
                self.wanted()
            ),
        }
    }
}

/// Somebody who waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// A process.
    Process {
        /// Its number.
        process: u32,
        /// Its node.
        node: u32,
        /// What it waits for: `a message on socket 0`.
        what: String,
    },
    /// A message.
    Message {
        /// How many messages were sent before it.
        serial: u64,
        /// Its length.
        bytes: u64,
        /// The process that sends it, and its node.
        from: (u32, u32),
        /// The process that should receive it, and its node.
        to: (u32, u32),
        /// Whether it is under way, not behind another on its virtual link.
        is_sent: bool,
    },
}

impl Waiting {
    /// The process or message: `process 3 on node 1`.
    pub fn who(&self) -> String {
        match self {
            Self::Process { process, node, .. } => format!("process {process} on node {node}"),
            Self::Message { serial, bytes, from: (process, node), .. } => {
                format!("message {serial} of {bytes} bytes from process {process} on node {node}")
            }
        }
    }

    /// What it waits for: `a message on socket 0`.
    pub fn what(&self) -> String {
        match self {
            Self::Process { what, .. } => what.clone(),
            Self::Message { is_sent: false, .. } => {
                "the message before it on its virtual link".into()
            }
            Self::Message { to: (process, node), .. } => {
                format!("process {process} on node {node} to receive it")
            }
        }
    }
}

/// The first of many things in one line, and how many more there are.
fn shortened(words: impl ExactSizeIterator<Item = String>, between: &str) -> String {
    const SHOWN: usize = 8;
    let more = words.len().saturating_sub(SHOWN);
    let mut shown: Vec<_> = words.take(SHOWN).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(between)
}

/// Switches that have told each other to pause, in a circle.
fn paused(circle: &[Blocked]) -> String {
    let by = |blocked: &Blocked| blocked.waits_for.from.1;
    let who = if let [one, other] = circle {
        format!("switch {} and switch {} pause each other", by(other), by(one))
    } else {
        let before = circle.iter().cycle().skip(circle.len() - 1);
        let pauses = |(blocked, before): (&Blocked, &Blocked)| {
            format!("switch {} pauses switch {}", by(blocked), by(before))
        };
        let pairs: Vec<_> = circle.iter().zip(before).map(pauses).collect();
        shortened(pairs.into_iter(), ", ")
    };
    let packets: Vec<_> = circle.iter().map(Blocked::to_string).collect();
    format!("{who}: {}", shortened(packets.into_iter(), "; "))
}

/// How a text begins about what stands in a job.
fn of_job(job: Option<&str>) -> String {
    job.map_or(String::new(), |job| format!("job {job}: "))
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock { at, circle, .. } if circle.iter().any(|b| b.lack == Lack::Pause) => {
                write!(f, "deadlock at {} ns: {}", *at as f64 / 1e3, paused(circle))
            }
            Self::Deadlock { at, circle, .. } if !circle.is_empty() => {
                let circle: Vec<_> = circle.iter().map(Blocked::to_string).collect();
                write!(f, "deadlock at {} ns: {}", *at as f64 / 1e3, circle.join("; "))
            }
            Self::Lost { at, count, packets, waiting } => {
                let in_words = |w: &Waiting| format!("{} waits for {}", w.who(), w.what());
                let waiting = shortened(waiting.iter().map(in_words), "; ");
                let first = packets.first().map_or(String::new(), LostPacket::to_string);
                let more = match count {
                    1 => String::new(),
                    _ => format!(", the first of {count} for which switches had no room"),
                };
                write!(f, "lost: {first}{more}; at {} ns {waiting}", *at as f64 / 1e3)
            }
            Self::Refused { error, .. } => error.fmt(f),
            Self::SendsInCircle { at, job, circle } => {
                let sends = |stuck: &Stuck| {
                    let Stuck { rank, to, bytes, tag } = stuck;
                    format!("rank {rank} sends {bytes} B, tag {tag}, to rank {to}")
                };
                write!(
                    f,
                    "{}deadlock of rendezvous sends at {} ns: {}; each waits for the next to \
                     receive",
                    of_job(job.as_deref()),
                    *at as f64 / 1e3,
                    shortened(circle.iter().map(sends), ", ")
                )
            }
            Self::Unreceived { job, messages, .. } => {
                let left = |left: &Unreceived| format!("rank {}: {}", left.rank, left.what());
                let messages = shortened(messages.iter().map(left), "; ");
                write!(f, "{}{messages} that nobody received", of_job(job.as_deref()))
            }
            Self::Livelock { at, packet, source, destination, limit } => write!(
                f,
                "livelock at {} ns: packet {packet} from node {source} to node {destination} \
                 has crossed more than {limit} channels",
                *at as f64 / 1e3
            ),
            Self::Deadlock { at, waiting, .. } => {
                let in_words = |w: &Waiting| format!("{} waits for {}", w.who(), w.what());
                let waiting = shortened(waiting.iter().map(in_words), "; ");
                write!(f, "deadlock at {} ns: {waiting}", *at as f64 / 1e3)
            }
            Self::BufferTooFull { at, place, limit } => write!(
                f,
                "a buffer without bounds is too full at {} ns: that of {place} is to hold more \
                 than {limit} flits; give input_buffer, or offer less",
                *at as f64 / 1e3
            ),
            Self::ClockStuck { at, limit } => write!(
                f,
                "the clock stands still at {} ns: more than {limit} events at one instant",
                *at as f64 / 1e3
            ),
        }
    }
}

impl std::error::Error for RunError {}
