//! Routes that depend on how loaded outputs are.
//!
//! Routing alone knows which ways are compared and how; here is what it cannot know: how many flits
//! wait for an output in its switch, and are behind it. A packet is asked about when it asks for its output, before it joins those
//! that wait there; from then on it is one of them, whatever becomes of the loads.

use super::switchboard::{HasPort, Switchboard};
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId, SwitchId};

impl<C: HasPort> Switchboard<C> {
    /// The front packet of the buffer at a channel's end asks: its route is decided. `held`: flits in
    /// the buffer at the end of a channel, or on the way there.
    #[inline(never)]
    pub fn decide(&self, input: ChannelId, act: &mut Act, held: impl Fn(ChannelId) -> u32) {
        let port = self.at(input).port();
        decide(port.switch, port.buffer.first, act, |lead, act| {
            let behind: u32 = act.wiring.layout.group(lead).channels().map(&held).sum();
            behind + self.waiting_flits(lead, act)
        });
    }

    /// Flits of the packets that wait for a group since before this instant, if they count.
    pub fn waiting_flits(&self, lead: ChannelId, act: &Act) -> u32 {
        if !act.wiring.routing.properties().counts_waiting {
            return 0;
        }
        let allocator = self.at(lead).rest().lead;
        let (since, ref latest) = self.decided;
        let asks = |input: &ChannelId| {
            (allocator == lead || self.at(*input).port().front_output == lead)
                && !(since == act.now && latest.contains(input))
        };
        let front = |input: ChannelId| self.at(input).port().buffer.first;
        let flits = |id| act.wiring.link.packet_flits(act.packets[id].bytes);
        self.waiting(allocator).filter(asks).map(front).map(flits).sum()
    }

    /// Where that packet asks now.
    pub fn redirect(&mut self, input: ChannelId, act: &Act) {
        if self.decided.0 != act.now {
            self.decided.0 = act.now;
            self.decided.1.clear();
        }
        self.decided.1.push(input);
        let port = self.at_mut(input).port_mut();
        port.front_output = act.wiring.asks_at(port.switch, &act.packets[port.buffer.first]);
    }
}

/// A packet asks at a switch: its route is decided. `loaded`: flits that wait for a group, and are
/// behind it.
pub fn decide(
    switch: SwitchId,
    id: PacketId,
    act: &mut Act,
    mut loaded: impl FnMut(ChannelId, &mut Act) -> u32,
) {
    let (wiring, header) = (act.wiring, act.packets[id].header());
    let load = |switch: SwitchId, slot: usize| {
        let leads = (0..wiring.shares.count())
            .map(|share| wiring.layout.slot_lead(switch, wiring.slot_of(slot, share)));
        leads.map(|lead| loaded(lead, act)).sum()
    };
    act.packets[id].route = wiring.routing.decide(switch, header, load);
}
