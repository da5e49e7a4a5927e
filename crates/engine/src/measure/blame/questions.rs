//! Who is where, and since when: what the search for roots asks.

use super::{Blame, Cause, Root};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

impl Blame {
    /// Whether a packet that might start is known to lack room.
    pub fn lacks_room(&self, id: PacketId) -> bool {
        let last = self.waits[id.index()].stalls.last();
        self.records[id.index()].has_waited
            && last.is_some_and(|stall| stall.cause == Cause::BufferFull)
    }

    /// The traffic class of the packet that was granted a channel last.
    pub fn latest(&self, channel: ChannelId) -> Option<Root> {
        let turn = self.holders[channel.index()].latest()?;
        Some(Root { class: turn.class, channel })
    }

    /// Whether a packet stands in its switch's own queue.
    pub fn is_stored(&self, id: PacketId) -> bool {
        self.records[id.index()].is_stored
    }

    /// The packet that holds a channel, if any.
    pub fn holder(&self, channel: ChannelId, now: Time) -> Option<PacketId> {
        self.holders[self.queues.place(channel).index()].holder(now).map(|turn| turn.packet)
    }

    /// The packet that leaves the buffer at a channel's end, if any, and by which channel.
    pub fn leaver(&self, buffer: ChannelId, now: Time) -> Option<(PacketId, ChannelId)> {
        self.fronts[buffer.index()].holder(now).map(|turn| (turn.packet, turn.channel))
    }

    /// The packet that has been granted a group and waits for room, if any.
    pub fn keeper(&self, lead: ChannelId) -> Option<PacketId> {
        Some(self.keepers[lead.index()]).filter(|id| id.is_some())
    }

    /// The channel a packet was granted last, and when it starts or started there.
    pub fn head(&self, id: PacketId) -> (ChannelId, Time) {
        let record = &self.records[id.index()];
        (record.head, record.start)
    }

    /// A packet's traffic class.
    pub fn class(&self, id: PacketId) -> u32 {
        self.records[id.index()].class
    }
}
