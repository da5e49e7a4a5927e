//! Who made whom wait, where packets are sent as a whole.

use super::PacketFabric;
use crate::fabric::switch::switchboard::Act;
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

    /// The front packet of a buffer finds no output at the desk it asks at.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_waiting(&self, input: ChannelId, act: &mut Act) {
        let port = &self.board.at(input).port;
        let (switch, id) = (port.switch, port.buffer.first);
        let lead = act.wiring.first_lead(switch, act.packets[id].header());
        self.blame_no_room(lead, id, act);
    }

    /// A packet has moved from the buffer of `input` into the multiqueue of its switch, which
    /// has the desk; it is out of the buffer at `end`.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_storing(
        &self,
        (input, desk): (ChannelId, ChannelId),
        id: PacketId,
        end: Time,
        act: &mut Act,
    ) {
        let since = self.board.since(input, id, input, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.stored(id, desk, (act.now, end), since);
        }
    }

    /// A packet that has left the buffer of `input` (none: its node's queue) is to start on a
    /// channel.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_start(
        &self,
        channel: ChannelId,
        id: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) {
        let since = self.board.since(channel, id, input, act);
        let end = act.now + act.wiring.timing(channel).packet_ps(act.packets[id].bytes);
        if let Some(blame) = &mut act.measures.blame {
            blame.starts_whole(id, channel, (act.now, end), since);
        }
    }
}
