//! Groups of channels at the ends of the network that several networks share: each grants one of
//! them only while it is told that its turn has come.

use super::{HasPort, Switchboard};
use crate::fabric::kernel::Asker;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::time::NEVER;

impl<C: HasPort> Switchboard<C> {
    /// A group grants nothing from now on, or does again and looks who waits.
    pub fn set_gate(&mut self, lead: ChannelId, is_open: bool) {
        self.at_mut(lead).port_mut().set_shut(!is_open);
        if is_open {
            self.mark(self.at(lead).rest().lead);
        }
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
