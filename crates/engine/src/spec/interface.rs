//! The network interfaces of the nodes.

use super::absent::one;
use super::collective::Collectives;
use super::costs::Costs;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A node's network interface and processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// What crosses the network as a whole.
    #[serde(default)]
    pub unit: Unit,
    /// Most data bytes in one packet.
    pub packet_bytes: u32,
    /// Data bytes of a message's first packet; absent: as of all others.
    #[serde(default)]
    pub first_packet_bytes: Option<u32>,
    /// Header bytes of a packet.
    #[serde(default = "one")]
    pub header_bytes: u32,
    /// Whether data packets are acknowledged by packets; else it costs nothing.
    pub acknowledges: bool,
    /// Whether acknowledgements are sent before data.
    #[serde(default)]
    pub ack_priority: bool,
    /// Packets of one message in flight; absent: any number.
    #[serde(default)]
    pub window: Option<u32>,
    /// In which order packets of several messages leave a node.
    #[serde(default)]
    pub message_order: MessageOrder,
    /// Longest time a process keeps the processor while others wait.
    #[serde(default)]
    pub time_slice_ps: Option<Time>,
    /// Data bytes with which a message has begun to arrive; 0: that is not measured.
    #[serde(default)]
    pub early_bytes: u32,
    /// How messages of a node to itself are delivered.
    #[serde(default)]
    pub local: Local,
    /// How a message gets to several nodes.
    #[serde(default)]
    pub multicast: Multicast,
    /// Packets that a node has places for from their grants until they have been drained;
    /// absent: for all.
    #[serde(default)]
    pub receive_fifo: Option<u32>,
    /// Time in which a node drains a data byte of what it has taken in; absent: none.
    #[serde(default)]
    pub drain_byte_ps: Option<Time>,
    /// Requests that a node takes in before their replies have left it; absent: any number.
    #[serde(default)]
    pub reply_queue: Option<u32>,
    /// What barriers and other collectives are.
    #[serde(default)]
    pub collectives: Collectives,
    /// What messages cost in software; absent: nothing.
    #[serde(default)]
    pub costs: Option<Costs>,
}

impl Interface {
    /// What messages cost in software, unless that is nothing.
    pub fn costs(&self) -> Option<&Costs> {
        self.costs.as_ref().filter(|costs| !costs.are_none())
    }
}

/// How messages of a node to itself are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Local {
    /// At once, without packets.
    #[default]
    Memory,
    /// As all others: over the node's links and the switches between them.
    Switch,
}

impl Local {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Switch => "switch",
        }
    }
}

/// How a message gets to several nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Multicast {
    /// As a message to each, one after the other.
    #[default]
    Unicast,
    /// Receivers pass it on along a binomial tree, in software.
    Tree,
    /// As one message that switches make copies of where its ways part.
    Switches,
}

impl Multicast {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unicast => "unicast",
            Self::Tree => "tree",
            Self::Switches => "switches",
        }
    }
}

/// What crosses the network as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Packets that messages are cut into.
    #[default]
    Packet,
    /// Messages: each is one packet.
    Message,
}

impl Unit {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Message => "message",
        }
    }
}

/// In which order packets of several messages leave a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageOrder {
    /// First come, first served.
    #[default]
    Fifo,
    /// One of each message in turn.
    RoundRobin,
}

impl MessageOrder {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::RoundRobin => "round_robin",
        }
    }
}
