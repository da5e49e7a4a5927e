//! Where nodes and switches are one.
//!
//! The list of a node's packets is one more input of its switch. Its injection channel, which
//! carries nothing, stands for it: the packets of the list are in the buffer at its end, with
//! all their flits. A packet that leaves it does not occupy its front: the next may ask at once.
//!
//! A packet that ends at a switch is delivered out of the input buffer that it comes to the
//! front of. Its node's ejection channel, which carries nothing either, stands for the node: it
//! is the output of every buffer that is being delivered.

use super::{HasPort, Switchboard};
use crate::fabric::act::Act;
use crate::fabric::network::integrated::IntegratedTiming;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::time::{NEVER, Time};

/// The lists of nodes that are one with their switches, and what is delivered to them.
#[derive(Clone)]
pub struct Lists {
    /// Injection channels, which are the first: below this number they stand for lists; 0
    /// where nodes are attached to switches.
    end: u32,
    /// By channel, if there are lists: when the message being delivered out of the buffer at
    /// its end begins, or [`NEVER`].
    begins_at: Vec<Time>,
    /// Flits with which a message begins; 0: that is not measured.
    early_flits: u32,
}

impl Lists {
    /// Those of a machine.
    pub fn new(wiring: &Wiring) -> Self {
        let layout = &wiring.layout;
        let Some(integrated_timing) =
            wiring.integrated_timing.filter(IntegratedTiming::is_wormhole)
        else {
            return Self { end: 0, begins_at: Vec::new(), early_flits: 0 };
        };
        let injections = layout.groups.iter().filter(|group| group.kind == ChannelKind::Injection);
        let early = integrated_timing.early_bytes;
        Self {
            end: injections.map(|group| u32::from(group.width)).sum(),
            begins_at: vec![NEVER; layout.channels()],
            early_flits: wiring.link.header_flits + wiring.link.data_flits(early),
        }
    }

    /// Whether a channel stands for a list.
    #[inline]
    pub fn has(&self, channel: ChannelId) -> bool {
        channel.0 < self.end
    }

    /// Below which number channels stand for lists.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Whether there are any: nodes and switches are one.
    #[inline]
    pub fn are_used(&self) -> bool {
        self.end > 0
    }

    /// With how many of its flits a packet's message has begun, if that is told before its end.
    #[inline]
    pub fn early_flits(&self, id: PacketId, act: &Act) -> Option<u32> {
        let integrated_timing = act.wiring.integrated_timing.as_ref()?;
        integrated_timing.early_ps(act.packets[id].bytes).map(|_| self.early_flits)
    }

    /// It is known when the message that is being delivered out of a channel's buffer begins.
    #[inline]
    pub fn begin(&mut self, channel: ChannelId, at: Time) {
        self.begins_at[channel.index()] = at;
    }
}

impl<C: HasPort> Switchboard<C> {
    /// A packet joins a node's list.
    pub(super) fn join_list(
        &mut self,
        list: ChannelId,
        id: PacketId,
        wiring: &Wiring,
        packets: &mut PacketPool,
    ) {
        let port = self.at_mut(list).port_mut();
        if !port.buffer.first.is_some() {
            port.front_output = wiring.asks_at(port.switch, &packets[id]);
        }
        port.buffer.push(id, packets);
    }

    /// The first packet of a list has been granted a channel; the next, if there is one.
    pub fn leave_list(&mut self, list: ChannelId, act: &mut Act) -> Option<PacketId> {
        let id = self.at(list).port().buffer.first;
        self.note_sent(id, act);
        self.leave(list, act);
        if let Some(turns) = &mut self.turns
            && let Some(next) = turns.after(id, act.packets)
        {
            self.join_list(list, next, act.wiring, act.packets);
        }
        Some(self.at(list).port().buffer.first).filter(|next| next.is_some())
    }

    /// Whether the packet at the front of a channel's buffer ends there.
    #[inline]
    pub fn front_ends(&self, channel: ChannelId) -> bool {
        let port = self.at(channel).port();
        self.lists.are_used()
            && port.buffer.first.is_some()
            && self.at(port.front_output).port().kind == ChannelKind::Ejection
    }

    /// The packet delivered out of a channel's buffer whose message begins now, if any.
    pub(super) fn begun(&self, channel: ChannelId, now: Time) -> PacketId {
        let begins = self.lists.begins_at[channel.index()] == now;
        if begins { self.at(channel).port().buffer.first } else { PacketId::NONE }
    }

    /// Takes the packet that has been delivered out of a channel's buffer.
    pub fn take_delivered(&mut self, channel: ChannelId, act: &mut Act) -> PacketId {
        let id = self.at(channel).port().buffer.first;
        self.leave(channel, act);
        self.lists.begin(channel, NEVER);
        let timing = act.wiring.timing(channel);
        let after = timing.first_ps + timing.delay_ps();
        act.observe(Observation::TakenOut { packet: id, buffer: channel, after });
        id
    }
}
