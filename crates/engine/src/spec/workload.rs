//! What runs on the machine.

use super::collective::{Collective, Method};
use super::pattern::Pattern;
use super::trace::Trace;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// What runs on the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workload {
    /// The synthetic workload (D, r, n, c, m, M).
    Synthetic(Synthetic),
    /// Processes that follow written instructions.
    Program(Program),
    /// Sources of several traffic classes on every node.
    Traffic(Traffic),
    /// A list of messages.
    Messages(Messages),
    /// Processes whose instructions come from outside.
    External(External),
    /// Ranks that do what was recorded of a program.
    Trace(Trace),
    /// Several workloads side by side.
    Jobs(Jobs),
}

/// Workloads side by side, each on nodes of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jobs {
    /// They, in order: the processes of the first come first.
    pub jobs: Vec<Job>,
    /// How many traffic classes the network knows; 0: it tells none apart.
    #[serde(default)]
    pub traffic_classes: u32,
}

/// A workload on some nodes of a machine.
///
/// It sees a machine of these nodes only: all on one switch or, if they are all there are, in
/// order, the machine itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What it is called.
    pub name: String,
    /// What is node i to it, for every i.
    pub nodes: Vec<u32>,
    /// When it begins.
    #[serde(default)]
    pub start_ps: Time,
    /// What tells its random numbers from those of other jobs: with [`Spec::seed`](super::Spec)
    /// all that they depend on, so that they are the same whoever else is there. With 0 they are
    /// those that the workload has without jobs.
    #[serde(default)]
    pub stream: u64,
    /// The traffic class of its messages; where its workload has several, that of the first.
    #[serde(default)]
    pub traffic_class: u32,
    /// Whether the run does not wait for it, but ends when all other jobs have ended.
    #[serde(default)]
    pub background: bool,
    /// What it does.
    pub workload: Workload,
}

/// Every process computes, sends `messages` messages, and perhaps waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// Processes on each node (n).
    pub processes_per_node: u32,
    /// Which nodes send to which.
    #[serde(default)]
    pub pattern: Pattern,
    /// Largest coordinate difference to a destination, in every dimension (r), for
    /// [`Pattern::Uniform`] on a grid; else 0.
    #[serde(default)]
    pub radius: u32,
    /// Compute phase of one iteration (c), in picoseconds.
    pub compute: Distribution,
    /// Messages of one iteration (m).
    pub messages: u32,
    /// Length of a message (M), in bytes.
    pub bytes: Distribution,
    /// Lengths of which each message has one; empty: `bytes` says it, which else has their mean.
    #[serde(default)]
    pub mix: Vec<Portion>,
    /// Whether processes send to themselves, too: those of [`Pattern::Uniform`] as to any other,
    /// those of a permutation where they are their own destination.
    #[serde(default)]
    pub includes_self: bool,
    /// What a process waits for after sending.
    pub sync: Sync,
    /// What limits a process that waits for nothing.
    pub throttle: Throttle,
    /// When processes begin.
    pub start: Start,
    /// Iterations of every process; absent: without end.
    #[serde(default)]
    pub repeat: Option<u32>,
}

/// Traffic of several classes: every node has a source of each that is no class of replies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// The classes, in the order in which the network knows them.
    pub classes: Vec<Source>,
}

/// The messages of a traffic class.
///
/// A source does not need the processor: it sends, whatever its node computes. The time between
/// two messages is that of [`Synthetic::compute`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its messages: of the synthetic workload's an asynchronous process sends one at a time. Of
    /// replies only the lengths count.
    pub messages: Synthetic,
    /// The class whose messages answer these; absent: none do.
    #[serde(default)]
    pub reply: Option<u32>,
    /// The length of the reply to each of [`Synthetic::mix`]; empty: the other class says it.
    #[serde(default)]
    pub reply_bytes: Vec<u64>,
}

/// A length that some messages have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portion {
    /// It, in bytes.
    pub bytes: u64,
    /// How many messages have it, in proportion to the others.
    pub weight: u32,
}

/// Synchronisation modes of the synthetic workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// Waits for its acknowledgements and for all messages of its iteration.
    LooselySynchronous,
    /// Waits for its acknowledgements.
    AsynchronousBlocking,
    /// Waits for nothing.
    Asynchronous,
}

/// Saturation throttles of the asynchronous mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Throttle {
    /// At most `limit` unacknowledged messages per process.
    Outstanding {
        /// The largest number.
        limit: u32,
    },
    /// No new message while `limit` data packets wait in the node's output queue.
    QueueLength {
        /// The largest number.
        limit: u32,
    },
}

/// When processes begin their first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Uniformly within one mean compute period.
    Random,
    /// All at time 0.
    Together,
}

/// A distribution of times (ps) or lengths (bytes), never negative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Its family.
    pub shape: Shape,
    /// Its mean (of the normal distribution before negative values become 0).
    pub mean: u64,
    /// Standard deviation over mean; only the normal distribution has one.
    #[serde(default)]
    pub relative_sigma: f64,
}

/// Families of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Always the mean; draws no random number.
    Constant,
    /// Normal; values below zero become zero.
    Normal,
    /// Negative exponential: between messages, a Poisson process.
    Exponential,
    /// A geometric number of slots, at least one: between messages, a Bernoulli process,
    /// which sends in every slot with probability `slot / mean`.
    Geometric {
        /// Length of a slot; at most the mean.
        slot: u64,
    },
    /// Bursts: `mean / peak` within one, longer by an exponential idle time after its last.
    OnOff {
        /// Mean number of values of a burst, geometric and at least one.
        burst: f64,
        /// Rate within a burst over the mean rate, at least one.
        peak: f64,
    },
    /// Slots of a source that is on or off, which sends by chance in slots in which it is on: a
    /// modulated Bernoulli process. It is on after it has sent.
    Modulated {
        /// Length of a slot; at most the mean.
        slot: u64,
        /// Probability that a source which is off is on in the next slot.
        turn_on: f64,
        /// Probability that a source which is on is off in the next slot.
        turn_off: f64,
    },
}

impl Distribution {
    /// The distribution that always gives `value`.
    pub fn constant(value: u64) -> Self {
        Self { shape: Shape::Constant, mean: value, relative_sigma: 0.0 }
    }
}

/// Processes that follow written instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The processes, in order of their numbers.
    pub processes: Vec<ProcessProgram>,
}

/// The instructions of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessProgram {
    /// The node it runs on.
    pub node: u32,
    /// When it begins: this instant plus a time uniform in `[0, start_window_ps)`.
    #[serde(default)]
    pub start_ps: Time,
    /// Width of the random part of the start instant.
    #[serde(default)]
    pub start_window_ps: Time,
    /// How often the instructions are executed; absent means for ever.
    #[serde(default)]
    pub repeat: Option<u64>,
    /// Senders of each socket; `None` leaves the peer open: any process may send.
    #[serde(default)]
    pub sockets: Vec<Option<u32>>,
    /// The instructions.
    pub steps: Vec<Step>,
}

/// One instruction of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Use the processor.
    Compute {
        /// For how long, in picoseconds.
        duration: Distribution,
    },
    /// Send a message on the virtual link to another process' socket.
    ///
    /// Messages of one virtual link are sent one after the other.
    Send {
        /// The receiving process.
        process: u32,
        /// Its socket.
        socket: u32,
        /// Length of the message.
        bytes: u64,
        /// Whether to wait for the acknowledgement of the last packet.
        blocking: bool,
    },
    /// Send a message to the same socket of several processes; wait for nothing.
    Multicast {
        /// The receiving processes, in order, each once.
        processes: Vec<u32>,
        /// Their socket.
        socket: u32,
        /// Length of the message.
        bytes: u64,
    },
    /// Wait for a message and receive it.
    Receive {
        /// The socket to receive on; absent means any, in order of arrival.
        #[serde(default)]
        socket: Option<u32>,
    },
    /// Wait until all processes of a group have come here.
    Barrier {
        /// The processes; absent: all.
        #[serde(default)]
        group: Option<Vec<u32>>,
        /// What it is; absent: what the machine says.
        #[serde(default)]
        method: Option<Method>,
    },
    /// Take part in any collective.
    Collective(Collective),
}

/// A list of messages; receivers are always ready.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// When each is sent; never decreasing.
    pub time_ps: Vec<Time>,
    /// Nodes that send them.
    pub source: Vec<u32>,
    /// Nodes that receive them.
    pub destination: Vec<u32>,
    /// Their lengths.
    pub bytes: Vec<u64>,
}

/// One process on each node, whose instructions come from outside while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct External {
    /// Messages whose arrival a node can follow at one time; absent: the degree of the network.
    #[serde(default)]
    pub comparators: Option<u32>,
}
