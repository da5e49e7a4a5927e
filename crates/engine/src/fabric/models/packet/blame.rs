//! Who made whom wait, where packets are sent as a whole.

use super::PacketFabric;
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, PacketId};

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
}
