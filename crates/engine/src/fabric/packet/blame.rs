//! Who made whom wait, where packets are sent as a whole.

use super::super::switchboard::Act;
use super::PacketFabric;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

impl PacketFabric {
    /// A packet might start on an idle channel of a group, had that room.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_no_room(&self, lead: ChannelId, id: PacketId, act: &mut Act) {
        let mut channels = act.wiring.layout.group(lead).channels();
        let idle = channels.find(|&channel| self.wire_free_at(channel) <= act.now);
        let Some(channel) = idle else { return };
        let is_granted = {
            let granted = self.board.at(lead).granted;
            granted.is_some() && self.board.at(granted).port.buffer.first == id
        };
        if let Some(blame) = &mut act.measures.blame
            && is_granted
            && blame.keeper(lead).is_none()
        {
            blame.keeps(id, lead, act.now);
        }
        self.board.blame_room(channel, id, act);
    }

    /// A packet starts on a channel.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_start(&self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let (ready, takes) = (packet.ready, act.wiring.timing(channel).packet_ps(packet.bytes));
        let needed = self.board.asked_since(channel, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.starts_whole(id, channel, ready, (act.now, act.now + takes), needed);
        }
    }

    /// The packet that leaves a buffer is out of it at `end`.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_departure(
        &self,
        buffer: ChannelId,
        id: PacketId,
        end: Time,
        act: &mut Act,
    ) {
        let needed = self.board.behind_since(buffer, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.leaves_whole(buffer, id, (act.now, end), needed);
        }
    }
}
