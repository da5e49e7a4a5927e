//! Networks of which a run has many: groups of channels at their ends that they share, so that each
//! grants one of them only while it is told that its turn has come; and how they are used again.

use super::{Gate, HasPort, Switchboard};
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::{ChannelKind, Use};
use crate::time::{NEVER, Time};

/// A packet that waits for a channel of a group.
#[derive(Clone, Copy, Debug)]
pub struct Asker {
    /// The packet.
    pub packet: PacketId,
    /// Since when it does, or [`NEVER`]: since this has been told first.
    pub since: Time,
    /// Of those who ask since the same instant the lowest number comes first: that of the channel by
    /// which it came, in its node its serial number.
    pub by: u32,
}

impl<C: HasPort> Switchboard<C> {
    /// What a group grants from now on; if that is anything, it looks who waits.
    pub fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.tell_gate(lead, gate);
        if gate != Gate::Shut {
            self.mark(self.at(lead).rest().lead);
        }
    }

    /// The same, where somebody else looks who waits.
    pub fn tell_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.has_gates = true;
        self.at_mut(lead).port_mut().set_gate(gate);
    }

    /// Whether groups have been told what to grant.
    #[inline]
    pub fn has_gates(&self) -> bool {
        self.has_gates
    }

    /// Whether it matters that a packet leaves its node or comes to another.
    #[inline]
    pub fn watches_ends(&self) -> bool {
        self.has_receivers() | self.has_gates
    }

    /// A packet has been granted a channel to its node.
    #[cold]
    #[inline(never)]
    pub fn comes_home(&mut self, channel: ChannelId, id: PacketId, act: &Act) {
        if self.has_receivers() {
            self.take_place(channel, id, act);
        }
        let lead = act.wiring.layout.group(channel).first;
        self.at_mut(lead).port_mut().has_granted();
    }

    /// A packet has been granted a channel from its node.
    #[cold]
    #[inline(never)]
    pub fn sets_out(&mut self, id: PacketId, act: &Act) {
        let packet = &act.packets[id];
        let lead = act.wiring.injection_lead(packet.source, packet.traffic());
        self.at_mut(lead).port_mut().has_granted();
    }

    /// Adds the packets that wait for a channel of a group: in a node the one at hand.
    pub fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        match self.at(lead).port().kind {
            ChannelKind::Injection | ChannelKind::Direct => {
                if let Some(id) = self.first_at_node(lead, wiring, packets) {
                    let (since, by) = (packets[id].queued, packets[id].serial);
                    askers.push(Asker { packet: id, since, by });
                }
            }
            ChannelKind::Internal | ChannelKind::Ejection => {
                let front = |input: ChannelId| {
                    let packet = self.at(input).port().buffer.first;
                    Asker { packet, since: NEVER, by: input.0 }
                };
                let goes_there = |asker: &Asker| {
                    let packet = &packets[asker.packet];
                    wiring.ejection_lead(packet.destination, packet.traffic()) == lead
                };
                let waiting = self.waiting(self.at(lead).rest().lead);
                askers.extend(waiting.map(front).filter(goes_there));
            }
        }
    }

    /// Arbiters and selectors by which packets have come that crossed these channels are as in
    /// another network, `like`; what channels have done is added to `past` and begins anew.
    pub fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        wiring: &Wiring,
    ) -> bool {
        if self.lists.are_used() {
            return false;
        }
        for &channel in crossed {
            let record = self.at_mut(channel);
            let done = record.carried();
            record.begin_window(0);
            past[channel.index()].add(done);
            let lead = wiring.layout.group(channel).first;
            self.arbiter.renew(&like.arbiter, self.at(lead).rest().lead);
        }
        self.channels.start_over();
        self.sources.start_over();
        true
    }

    /// Copies have their records in common, as they are now.
    pub fn share(&mut self) {
        self.channels.share();
        self.sources.share();
        self.arbiter.share();
    }

    /// The packet at hand that leaves its node by a group.
    fn first_at_node(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> Option<PacketId> {
        let first = wiring.layout.group(lead).from * self.sources_of_node as u32;
        let mut at_hand = (first..first + self.sources_of_node as u32)
            .filter_map(|source| self.at_hand(source).map(|(_, id)| id));
        at_hand.find(|&id| wiring.injection_lead(packets[id].source, packets[id].traffic()) == lead)
    }
}
