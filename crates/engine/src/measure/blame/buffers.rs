//! Who stands first in a buffer.

use crate::ids::{ChannelId, PacketId};

/// Packets in buffers, or on the way there, that have not been granted their next channel.
pub struct Buffers {
    /// By channel: the first and the last in the buffer at its end.
    ends: Vec<[PacketId; 2]>,
    /// By packet: the one behind it.
    behind: Vec<PacketId>,
}

impl Buffers {
    /// As many empty ones as there are channels.
    pub fn new(channels: usize) -> Self {
        Self { ends: vec![[PacketId::NONE; 2]; channels], behind: Vec::new() }
    }

    /// There are as many packets.
    pub fn hold(&mut self, packets: usize) {
        self.behind.resize(packets, PacketId::NONE);
    }

    /// The first packet in the buffer at a channel's end, or none.
    #[inline]
    pub fn first(&self, channel: ChannelId) -> PacketId {
        self.ends[channel.index()][0]
    }

    /// A packet is granted a channel.
    #[inline]
    pub fn enter(&mut self, channel: ChannelId, id: PacketId) {
        let [first, last] = &mut self.ends[channel.index()];
        if first.is_some() {
            self.behind[last.index()] = id;
        } else {
            *first = id;
        }
        *last = id;
    }

    /// A packet leaves the front of a buffer (none: its node's queue), if it is still there.
    #[inline]
    pub fn leave(&mut self, channel: ChannelId, id: PacketId) {
        let Some([first, last]) = self.ends.get_mut(channel.index()) else { return };
        if *first == id {
            *first = if id == *last { PacketId::NONE } else { self.behind[id.index()] };
        }
    }
}
