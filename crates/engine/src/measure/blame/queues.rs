//! Where packets wait for what.

use crate::ids::{ChannelId, NodeId};

/// Where packets wait for what: it never changes in a run.
#[allow(clippy::struct_excessive_bools, reason = "each is found out once, and asked per hop")]
pub struct Queues {
    /// By channel: the one that stands for the queue of those who may be granted it. Those of a
    /// node's own are in that of its first injection channel.
    pub of: Vec<ChannelId>,
    /// By channel: the first of its wire, where whole packets are sent over shared wires;
    /// else empty.
    pub wires: Vec<ChannelId>,
    /// By channel: the one at which it is noted whom the engine of the switch at its end serves,
    /// where switches have such; else empty: who is at the front of the buffer there.
    pub fronts: Vec<ChannelId>,
    /// Channels below this number stand for the lists of nodes that are one with their
    /// switches: what is before a packet in its list throttles it.
    pub lists: u32,
    /// By channel: the node at its end, or [`NodeId::NONE`].
    pub nodes: Vec<NodeId>,
    /// Whether nodes have receive FIFOs.
    pub have_receivers: bool,
    /// Whether packets stand in buffers at the ends of channels, first in, first out.
    pub have_buffers: bool,
    /// Whether they leave all of these in the order in which they came, each by one channel, and
    /// nobody has turns elsewhere.
    pub are_in_order: bool,
    /// Whether messages leave the list of their node one by one, each when it is the head.
    pub have_heads: bool,
}

impl Queues {
    /// Where it is noted who holds a channel.
    #[inline]
    pub(super) fn place(&self, channel: ChannelId) -> ChannelId {
        self.wires.get(channel.index()).copied().unwrap_or(channel)
    }

    /// Where it is noted who is at the front of the buffer at a channel's end (none: none).
    #[inline]
    pub(super) fn front(&self, channel: ChannelId) -> ChannelId {
        self.fronts.get(channel.index()).copied().unwrap_or(channel)
    }

    /// The receive FIFO that a packet sent by a channel needs a place in, if there is one.
    #[inline]
    pub(super) fn receiver(&self, channel: ChannelId) -> Option<NodeId> {
        let node = self.nodes.get(channel.index()).copied();
        node.filter(|node| self.have_receivers && node.is_some())
    }

    /// By channel, or wire: the queues of those who may want it, at one end or at both.
    pub(super) fn ends(&self) -> Vec<[ChannelId; 2]> {
        let mut ends: Vec<_> = self.of.iter().map(|&queue| [queue; 2]).collect();
        for (channel, &queue) in self.of.iter().enumerate() {
            ends[self.place(ChannelId::from_index(channel)).index()][1] = queue;
        }
        ends
    }
}
