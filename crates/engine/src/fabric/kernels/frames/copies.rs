//! Copies of frames that go to several nodes.
//!
//! An engine serves a frame once, to however many outputs it goes; in memory each copy takes room
//! of its own, and may be lost by itself.

use super::FramesKernel;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::time::Time;

impl FramesKernel {
    /// All of a frame with riders has come to a switch.
    #[cold]
    pub(super) fn take_in_copies(
        &mut self,
        (channel, switch): (ChannelId, SwitchId),
        id: PacketId,
        act: &mut Act,
    ) {
        let mut parts = std::mem::take(&mut self.parts);
        let wiring = act.wiring;
        act.part(id, &mut parts, |packet| wiring.first_lead(switch, packet.header()));
        let mut kept = PacketId::NONE;
        for part in parts.drain(..) {
            if self.memory.is_some() && !self.keep(switch, part.carrier, act) {
                Self::lose((channel, switch), part.carrier, act);
                continue;
            }
            self.copies.push(part.carrier);
            kept = part.carrier;
        }
        self.parts = parts;
        if !kept.is_some() {
            return;
        }
        let before = self.engine_free_at(channel, switch);
        let done = self.serve(channel, switch, act.now);
        let mut copies = std::mem::take(&mut self.copies);
        for copy in copies.drain(..) {
            if copy == kept {
                self.is_served(copy, (act.now, done), act);
            } else {
                // The engine has been at work for one of them.
                let until = before + self.delay_ps + self.forwarding_ps;
                self.serves_until(copy, (act.now, done), until, act);
            }
            self.hand_on((channel, switch), copy, done, act);
        }
        self.copies = copies;
    }

    /// Until when the engine is busy that a frame comes to by a channel.
    fn engine_free_at(&self, channel: ChannelId, switch: SwitchId) -> Time {
        self.engines[if self.per_port { channel.index() } else { switch.index() }]
    }
}
