//! Routes that depend on how loaded outputs are.
//!
//! Routing alone knows which ways are compared and how; here is what it cannot know: how many flits
//! are behind an output. A packet is asked about when it asks for its output, before it joins those
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
        decide(port.switch, port.buffer.first, act, |channel, _| held(channel));
    }

    /// Where that packet asks now.
    pub fn redirect(&mut self, input: ChannelId, act: &Act) {
        let port = self.at_mut(input).port_mut();
        port.front_output = act.wiring.asks_at(port.switch, &act.packets[port.buffer.first]);
    }
}

/// A packet asks at a switch: its route is decided. `held`: as above, where that may have to be
/// worked out.
pub fn decide(
    switch: SwitchId,
    id: PacketId,
    act: &mut Act,
    mut held: impl FnMut(ChannelId, &mut Act) -> u32,
) {
    let (wiring, header) = (act.wiring, act.packets[id].header());
    let load = |switch: SwitchId, slot: usize| {
        let leads = (0..wiring.shares.count())
            .map(|share| wiring.layout.slot_lead(switch, wiring.slot_of(slot, share)));
        leads
            .flat_map(|lead| wiring.layout.group(lead).channels())
            .map(|channel| held(channel, act))
            .sum()
    };
    act.packets[id].route = wiring.routing.decide(switch, header, load);
}
