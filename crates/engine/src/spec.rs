//! The typed description of one run: machine, workload, mode and seed.
//!
//! Everything is in the engine's own units: picoseconds, bytes, tokens, bits.
//! Field names are the names users write; errors quote them as paths.

mod pattern;
mod routing;
mod topology;
mod transport;

use crate::time::Time;
pub use pattern::Pattern;
pub use routing::{Hops, NO_HOP, RoutingSpec, SourceRoute};
use serde::{Deserialize, Serialize};
pub use topology::{GraphLink, TopologySpec};
pub use transport::{Scheme, Transport};

/// Everything that can change the answer of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The machine.
    pub machine: Machine,
    /// What runs on it.
    pub workload: Workload,
    /// Which contention is simulated.
    pub mode: Mode,
    /// How finely channels are simulated.
    pub fidelity: Fidelity,
    /// Seed of every random stream.
    pub seed: u64,
    /// Interval between two samples of the counters.
    pub sample_interval_ps: Time,
    /// Whether one row per delivered packet is kept.
    pub record_packets: bool,
    /// Whether every wait is charged to who caused it; absent: no.
    #[serde(default)]
    pub blame: Option<Blame>,
}

/// By which traffic classes waits are charged to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blame {
    /// Whether every process is a class of its own; else its messages are of the node's.
    #[serde(default)]
    pub by_process: bool,
    /// The class of every process' messages, instead; empty: as above.
    #[serde(default)]
    pub classes: Vec<u32>,
    /// The class of every message of a list; empty: that of its process.
    #[serde(default)]
    pub message_classes: Vec<u32>,
    /// Whether turns that nobody can ask for are kept too. Nothing depends on it: a test
    /// sees to that.
    #[serde(default)]
    pub keep_all: bool,
}

/// Contention modes: the same workload with and without packets in each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The real network: one packet at a time per channel, finite buffers.
    Full,
    /// Packets wait for the channels between nodes and switches only.
    Endpoints,
    /// Packets wait for each other only before their first internal channel.
    Throttled,
    /// No packet ever waits for another.
    Free,
    /// A message arrives when it is sent.
    Ideal,
}

/// Fidelities of the channel model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// Every token and every flow-control token, in band (`docs/model.md`).
    Token,
    /// Every flit, with flow control out of band.
    Flit,
    /// The times of [`Fidelity::Flit`] at about one event per packet-hop.
    Worm,
    /// A packet is a stream that is stopped and started. Superseded by [`Fidelity::Worm`].
    Stream,
    /// A packet is sent when the next buffer has room for all of it.
    Packet,
}

impl Fidelity {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Flit => "flit",
            Self::Worm => "worm",
            Self::Stream => "stream",
            Self::Packet => "packet",
        }
    }

    /// Whether single flits have times of their own.
    pub fn knows_flits(self) -> bool {
        matches!(self, Self::Token | Self::Flit | Self::Worm)
    }
}

/// A machine: who is wired to whom, by what, and how packets find their way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Switches, nodes and the links between them.
    pub topology: TopologySpec,
    /// Which way packets go.
    pub routing: RoutingSpec,
    /// Whether a routing that can deadlock is simulated all the same.
    #[serde(default)]
    pub allow_deadlock: bool,
    /// How messages cross it, where nodes and switches are one; absent: nodes are attached
    /// to switches, and the fidelity says how.
    #[serde(default)]
    pub transport: Option<Transport>,
    /// The physical links.
    pub link: Link,
    /// Links that are faster or slower than the others.
    #[serde(default)]
    pub rates: Rates,
    /// The nodes.
    pub node: Node,
    /// The switches.
    pub switch: Switch,
}

fn one<T: From<u8>>() -> T {
    T::from(1)
}

/// How the virtual channels of a link share its wires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Flit by flit, those with something to send in turn.
    #[default]
    RoundRobin,
    /// A packet keeps the wire until it has nothing to send or no credit.
    UntilStall,
    /// Not at all: every virtual channel has a wire of its own.
    Separate,
}

impl Sharing {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round_robin",
            Self::UntilStall => "until_stall",
            Self::Separate => "separate",
        }
    }
}

/// Which of the outputs that routing allows, and that are free, a packet takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// The first that routing names.
    #[default]
    First,
    /// Any, all equally likely.
    Random,
    /// The one with the fewest packets waiting in the buffer at its end.
    FewestWaiting,
    /// The one with the most room in the buffer at its end.
    MostCredit,
}

impl Selection {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Random => "random",
            Self::FewestWaiting => "fewest_waiting",
            Self::MostCredit => "most_credit",
        }
    }
}

/// A physical link (one per direction) and the packet format on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Time of one bit.
    pub bit_ps: Time,
    /// Bits of a data or header token (one byte).
    pub data_token_bits: u32,
    /// Bits of a control token (end of packet, end of message).
    pub control_token_bits: u32,
    /// Header bytes of a packet.
    pub header_bytes: u32,
    /// How much longer the first token of every packet takes, on every channel.
    #[serde(default)]
    pub packet_gap_ps: Time,
    /// Whether a packet ends with a control token of its own; else its last byte ends it.
    pub end_token: bool,
    /// How the receiving end tells the sending end that there is room.
    pub flow_control: FlowControl,
    /// Time from a flit's departure from a buffer until the sender may use its place.
    pub credit_delay_ps: Time,
    /// Time a token is on the wire.
    pub wire_delay_ps: Time,
    /// Time a switch takes, after the header has arrived, before it asks for an output.
    pub switch_delay_ps: Time,
}

/// How a receiver tells the sender that its buffer has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// Flow-control tokens take time on the channel of the other direction.
    InBand,
    /// Signals of their own.
    OutOfBand,
}

/// Rates of channels that differ from [`Link::bit_ps`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Time of one bit between a node and its switch; absent: as everywhere.
    #[serde(default)]
    pub external_bit_ps: Option<Time>,
    /// Time of one bit between switches, by dimension; empty: as everywhere.
    #[serde(default)]
    pub dimension_bit_ps: Vec<Time>,
}

/// A node's processor and network interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Parallel links between node and switch.
    pub link_width: u32,
    /// Most data bytes in one packet.
    pub packet_bytes: u32,
    /// Whether data packets are acknowledged by packets; else it costs nothing.
    pub acknowledges: bool,
    /// Whether acknowledgements are sent before data.
    pub ack_priority: bool,
    /// Longest time a process keeps the processor while others wait.
    pub time_slice_ps: Option<Time>,
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Input buffer of every channel that ends in a switch.
    pub input_buffer_tokens: u32,
    /// Output buffer of every channel that begins in a switch; with [`Fidelity::Token`] only.
    pub output_buffer_tokens: u32,
    /// Parallel links between neighbouring switches.
    pub link_width: u32,
    /// Virtual channels of every link between switches, each with a buffer of its own.
    #[serde(default = "one")]
    pub virtual_channels: u32,
    /// How they share the wire.
    #[serde(default)]
    pub sharing: Sharing,
    /// Which of several free outputs a packet takes.
    #[serde(default)]
    pub selection: Selection,
    /// Most channels a packet may cross; one more is a livelock.
    #[serde(default = "most_hops")]
    pub hop_limit: u16,
    /// Which waiting input is granted a free output.
    pub policy: Policy,
    /// Whether acknowledgements are granted before data, whatever the policy.
    pub ack_priority: bool,
}

/// Hops are counted in 16 bits.
fn most_hops() -> u16 {
    u16::MAX - 1
}

impl Default for Switch {
    /// The C104.
    fn default() -> Self {
        Self {
            input_buffer_tokens: 70,
            output_buffer_tokens: 35,
            link_width: 1,
            virtual_channels: 1,
            sharing: Sharing::RoundRobin,
            selection: Selection::First,
            hop_limit: most_hops(),
            policy: Policy::Fifo,
            ack_priority: false,
        }
    }
}

/// Queue policies of a switch output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// In order of request.
    Fifo,
    /// Any waiting input, all equally likely.
    Random,
    /// Packets from other switches before packets from nodes.
    NetFirst,
    /// The packet that was queued at its source first.
    OldestFirst,
    /// The packet that has crossed most channels.
    HopsFirst,
}

impl Policy {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Random => "random",
            Self::NetFirst => "net_first",
            Self::OldestFirst => "oldest_first",
            Self::HopsFirst => "hops_first",
        }
    }
}

/// What runs on the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workload {
    /// The synthetic workload (D, r, n, c, m, M).
    Synthetic(Synthetic),
    /// Processes that follow written instructions.
    Program(Program),
    /// A list of messages.
    Messages(Messages),
    /// Processes whose instructions come from outside.
    External(External),
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
        bytes: u32,
        /// Whether to wait for the acknowledgement of the last packet.
        blocking: bool,
    },
    /// Wait for a message and receive it.
    Receive {
        /// The socket to receive on; absent means any, in order of arrival.
        #[serde(default)]
        socket: Option<u32>,
    },
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
    pub bytes: Vec<u32>,
}

/// One process on each node, whose instructions come from outside while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct External {
    /// Messages whose arrival a node can follow at one time; absent: the degree of the network.
    #[serde(default)]
    pub comparators: Option<u32>,
}

impl Machine {
    /// Data bytes of a message's first packet, at most.
    pub fn first_packet_bytes(&self) -> u32 {
        let given = self.transport.and_then(|transport| transport.first_packet_bytes);
        given.unwrap_or(self.node.packet_bytes)
    }

    /// The T9000/C104 machine with default constants on a topology; the width of
    /// the node's link is the degree of the network.
    pub fn t9000(topology: TopologySpec) -> Self {
        let degree = match &topology {
            TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => 2 * dims.len() as u32,
            TopologySpec::Hypercube { dimensions } => *dimensions,
            TopologySpec::FatTree { arity, .. } | TopologySpec::Butterfly { arity, .. } => *arity,
            _ => 1,
        };
        Self {
            topology,
            routing: RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false },
            allow_deadlock: false,
            transport: None,
            link: Link {
                bit_ps: 10_000,
                data_token_bits: 10,
                control_token_bits: 4,
                header_bytes: 1,
                packet_gap_ps: 0,
                end_token: true,
                flow_control: FlowControl::InBand,
                credit_delay_ps: 0,
                wire_delay_ps: 0,
                switch_delay_ps: 0,
            },
            rates: Rates::default(),
            node: Node {
                link_width: degree,
                packet_bytes: 32,
                acknowledges: true,
                ack_priority: true,
                time_slice_ps: None,
            },
            switch: Switch::default(),
        }
    }
}
