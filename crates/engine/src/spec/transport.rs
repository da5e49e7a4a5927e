//! How messages cross networks in which every switch is one with its node.

use serde::{Deserialize, Serialize};

/// How messages cross a network in which every switch is one with its node: no link lies
/// between them, packets ask for a channel to a neighbour where they are made, and are
/// delivered as they arrive, on all channels at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// The scheme.
    pub scheme: Scheme,
    /// Whether the two directions of a link share one wire, a packet at a time.
    #[serde(default)]
    pub half_duplex: bool,
    /// Data bytes of a message's first packet; absent: as of all others.
    #[serde(default)]
    pub first_packet_bytes: Option<u32>,
    /// Data bytes with which a message has begun to arrive; 0: that is not measured.
    #[serde(default)]
    pub early_bytes: u32,
}

/// The transport schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheme {
    /// Packets are stored as a whole at every node on their way, in queues without bounds,
    /// one for each outgoing channel.
    Datagram {
        /// Whether a packet may go on when its header has arrived and its channel is free.
        cut_through: bool,
    },
    /// A packet's header gets the channels of its way one by one, keeping those it has; its
    /// data follow when it has them all, and then all are free again.
    Circuit,
    /// As with nodes at switches: fidelities flit and worm.
    Wormhole,
    /// As datagrams, with a bounded number of packets in the queue of each outgoing channel;
    /// one is sent when there is a place for it in the next.
    Packet {
        /// Places in the queue of an outgoing channel.
        buffers: u32,
        /// Whether one of them is kept from packets whose next step is not that of
        /// dimension order.
        reserve: bool,
        /// Whether a packet that has no place in its next queue may be overtaken by those of
        /// other messages behind it.
        overtaking: bool,
    },
}

impl Scheme {
    /// Whether packets stand in queues at outgoing channels.
    pub fn has_queues(self) -> bool {
        matches!(self, Self::Datagram { .. } | Self::Packet { .. })
    }

    /// Whether messages are cut into packets that follow each other.
    #[inline]
    pub fn sends_packets(self) -> bool {
        matches!(self, Self::Packet { .. })
    }

    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Datagram { cut_through: false } => "datagram",
            Self::Datagram { cut_through: true } => "datagram_cut_through",
            Self::Circuit => "circuit",
            Self::Wormhole => "wormhole",
            Self::Packet { .. } => "packet",
        }
    }
}
