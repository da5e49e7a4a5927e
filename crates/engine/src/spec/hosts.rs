//! Hosts with several interfaces to the network.

use super::link::LinkClass;
use super::routing::Flow;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Which nodes of a network are interfaces of one host, and what is behind them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// By host: its interfaces, which are nodes of the network, in the order of their places.
    pub interfaces: Vec<Vec<u32>>,
    /// By node: the interface that is its own.
    pub own: Vec<u32>,
    /// By which interface a message leaves its host.
    pub rule: InterfaceRule,
    /// What differs on the links between nodes and the switches inside hosts.
    #[serde(default)]
    pub inside: LinkClass,
    /// From the arrival of a header at the switch inside a host until it asks for an output.
    #[serde(default)]
    pub delay_ps: Time,
}

/// By which interface a message leaves its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum InterfaceRule {
    /// That of the sending node, to that of the receiving node.
    Own,
    /// The one at the place of the receiving node's own among those of its host.
    Rail,
    /// One for each flow, by a hash.
    FlowHash {
        /// What a flow is.
        flow: Flow,
        /// Which hash.
        seed: u64,
    },
    /// All in turn, by process.
    RoundRobin {
        /// What takes turns.
        turn: Turn,
    },
    /// The one with the fewest flits before it, packet by packet.
    LeastQueued,
}

/// What takes turns at interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Messages.
    Message,
    /// Packets.
    Packet,
}

impl InterfaceRule {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Rail => "rail",
            Self::FlowHash { .. } => "flow_hash",
            Self::RoundRobin { .. } => "round_robin",
            Self::LeastQueued => "least_queued",
        }
    }
}
