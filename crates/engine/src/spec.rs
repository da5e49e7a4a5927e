//! The typed description of one run: machine, workload, mode and seed.
//!
//! Everything is in the engine's own units: picoseconds, bytes, flits.
//! Field names are the names users write; errors quote them as paths.

mod absent;
mod arbiter;
mod cells;
mod collective;
mod costs;
mod fault;
mod frames;
mod hosts;
mod interface;
mod link;
mod loggops;
mod machine;
mod pattern;
mod pipeline;
mod ports;
mod routing;
mod rows;
mod slots;
mod switch;
mod topology;
mod trace;
mod traffic_class;
mod workload;

use crate::time::Time;
pub use arbiter::Arbiter;
pub(crate) use arbiter::arbiters;
pub use cells::Cells;
pub use collective::{Algorithm, Collective, Collectives, Method, Operation, Price, Table};
pub(crate) use costs::of_bytes;
pub use costs::{Costs, Side};
pub use fault::{Again, Fault, FaultAt, Places};
pub use frames::{Engine, Frames, Pause};
pub use hosts::{Hosts, InterfaceRule, Turn};
pub use interface::{Interface, Local, MessageOrder, Multicast, Unit};
pub use link::{FlowControl, Framing, HalfDuplex, Link, LinkClass, Marks, Sharing};
pub use loggops::LogGops;
pub use machine::Machine;
pub use pattern::{Pattern, Share};
pub use pipeline::{Allocator, Pipeline, PortOrder};
pub use ports::Ports;
pub use routing::{
    Flow, Hops, NO_HOP, ParallelLinks, Routing, RoutingSpec, Selection, SourceRoute, Turns,
    Weighing,
};
use serde::{Deserialize, Serialize};
pub use switch::{Queueing, Switch, Switching};
pub use topology::{FailedLink, GraphLink, TopologySpec};
pub use trace::Trace;
pub use traffic_class::TrafficClass;
pub use workload::{
    Distribution, External, Job, Jobs, Messages, Portion, ProcessProgram, Program, Shape, Source,
    Start, Step, Sync, Synthetic, Throttle, Traffic, Workload,
};

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
    /// Whether there is one sample only of a stretch in which nothing happens, as soon as there are
    /// more than 4,096 and 64 for each event; absent: every interval has one.
    #[serde(default)]
    pub sparse_samples: bool,
    /// Whether one row per delivered packet is kept.
    pub record_packets: bool,
    /// Whether one row is kept per message of how late it was; absent: no.
    #[serde(default)]
    pub lateness: bool,
    /// Whether every wait is charged to who caused it; absent: no.
    #[serde(default)]
    pub blame: Option<Blame>,
    /// Whether it is kept why everybody could go on, for the critical path; absent: no.
    #[serde(default)]
    pub causes: Option<Causes>,
    /// Links that are down, or slower, for a time; absent: none.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

impl Spec {
    /// Whether all that nodes do by themselves is at multiples of the time of a flit: then so is
    /// all that happens where links and switches take such times, too.
    #[must_use]
    pub fn is_in_slots(&self) -> bool {
        let interface = &self.machine.interface;
        interface.costs().is_none()
            && interface.drain_byte_ps.is_none()
            && interface.time_slice_ps.is_none()
            && self.faults.iter().all(|fault| fault.time_factor.is_none())
            && slots::is_in_slots(&self.workload, self.machine.link.flit_ps)
    }

    /// Whether links have faults, not only nodes.
    #[must_use]
    pub fn has_faults_of_links(&self) -> bool {
        self.faults.iter().any(|fault| fault.time_factor.is_none())
    }
}

/// What is kept of why everybody could go on, besides the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Causes {
    /// How much later every process could have been. All instants are kept then.
    #[serde(default)]
    pub slack: bool,
    /// What processes did when, and messages; absent: nothing.
    #[serde(default)]
    pub timeline: Option<Timeline>,
}

/// What is shown of a run: what lies in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// From when until when, in picoseconds; absent: all the time.
    #[serde(default)]
    pub window_ps: Option<(Time, Time)>,
    /// The first process, and the first that is not shown any more; absent: all.
    #[serde(default)]
    pub processes: Option<(u32, u32)>,
    /// Most turns on channels that are kept, and most waits for them; absent: none is.
    #[serde(default)]
    pub turns: Option<u32>,
}

/// By which traffic classes waits are charged to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of its own")]
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
    /// Whose waits are charged: so many of 2^32 packets; absent: all.
    #[serde(default)]
    pub share: Option<u32>,
    /// Bytes that may be taken to follow who makes messages wait; absent: a thousand million. Of messages
    /// that are under way for longer than there is memory for it is not known what they waited for.
    #[serde(default)]
    pub memory: Option<u64>,
    /// Whether it is kept, too, what packets waited for, by cause; where messages cannot be late nothing
    /// else is.
    #[serde(default)]
    pub packet_waits: bool,
    /// What packets waited for, and what channels did, by slices of time; absent: that is not kept.
    #[serde(default)]
    pub slices: Option<Slices>,
    /// Whether the sums of batches are those of groups of packets, and not of batches of time.
    #[serde(default)]
    pub groups: bool,
    /// Whether turns that nobody can ask for are kept too. Nothing depends on it: a test
    /// sees to that.
    #[serde(default)]
    pub keep_all: bool,
}

/// What is kept by slices of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// At most so many; at least half of them, unless the run is short.
    pub most: u32,
    /// Whether waits are told apart by the classes of those that wait, and of those in their way.
    #[serde(default)]
    pub by_class: bool,
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
    /// Messages flow, and share links max-min fairly: an estimate.
    Fluid,
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
            Self::Fluid => "fluid",
        }
    }

    /// Whether packets cross channels as a whole.
    pub fn has_whole_packets(self) -> bool {
        matches!(self, Self::Packet | Self::Fluid)
    }

    /// Whether single flits have times of their own.
    pub fn knows_flits(self) -> bool {
        matches!(self, Self::Token | Self::Flit | Self::Worm)
    }
}
