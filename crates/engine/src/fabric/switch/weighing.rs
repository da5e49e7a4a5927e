//! Routes that depend on how loaded outputs are.
//!
//! Routing alone knows which ways are compared and how; here is what it cannot know: how many flits
//! wait for an output in its switch, and are behind it, and how long they take there where links have
//! different rates. A packet is asked about when it asks for its
//! output, before it joins those that wait there; from then on it is one of them, whatever becomes of
//! the loads.

use super::switchboard::{HasPort, Switchboard};
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::routing::Loads;
use crate::time::Time;

impl<C: HasPort> Switchboard<C> {
    /// The front packet of the buffer at a channel's end asks: its route is decided. `held`: flits in
    /// the buffer at the end of a channel, or on the way there.
    #[inline(never)]
    pub fn decide(&self, input: ChannelId, act: &mut Act, held: impl Fn(ChannelId) -> u32) {
        let port = self.at(input).port();
        let held = |_: &mut &Self, channel, _: &mut Act| held(channel);
        let waiting = |board: &&Self, lead, act: &Act| board.waiting_flits(lead, act);
        decide(&mut &*self, (port.switch, port.buffer.first), act, held, waiting);
    }

    /// Flits of the packets that wait for a group since before this instant.
    pub fn waiting_flits(&self, lead: ChannelId, act: &Act) -> u32 {
        let allocator = self.at(lead).rest().lead;
        let asks = |input: &ChannelId| {
            let port = self.at(*input).port();
            let is_there = if act.wiring.has_allocators() {
                let header = act.packets[port.buffer.first].header();
                act.wiring.first_lead(port.switch, header) == lead
            } else {
                allocator == lead || port.front_output == lead
            };
            is_there && !self.has_asked_now(*input, act.now)
        };
        let front = |input: ChannelId| self.at(input).port().buffer.first;
        self.waiting(allocator).filter(asks).map(front).map(|id| flits_of(id, act)).sum()
    }

    /// Whether the front packet of the buffer at a channel's end asks since this instant.
    pub fn has_asked_now(&self, input: ChannelId, now: Time) -> bool {
        let (since, ref latest) = self.decided;
        since == now && latest.contains(&input)
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

/// A packet asks at a switch: its route is decided. Of the kernel `of`: flits in the buffer at the end of a
/// channel, or on the way there (`held`), and those of the packets that wait for a group (`waiting`).
pub fn decide<K>(
    of: &mut K,
    (switch, id): (SwitchId, PacketId),
    act: &mut Act,
    held: impl Fn(&mut K, ChannelId, &mut Act) -> u32,
    waiting: impl Fn(&K, ChannelId, &Act) -> u32,
) {
    let (wiring, header) = (act.wiring, act.packets[id].header());
    let counts_waiting = wiring.routing.properties().counts_waiting;
    let mut loaded = |lead: ChannelId, act: &mut Act| {
        let channels = wiring.layout.group(lead).channels();
        let behind: u32 = channels.map(|channel| held(of, channel, act)).sum();
        behind + if counts_waiting { waiting(of, lead, act) } else { 0 }
    };
    let load = |switch: SwitchId, slot: usize| {
        let leads = (0..wiring.shares.count())
            .map(|share| wiring.layout.slot_lead(switch, wiring.slot_of(slot, share)));
        leads.map(|lead| u64::from(loaded(lead, act)) * wiring.flit_counts(lead)).sum()
    };
    let route = wiring.routing.decide(switch, header, Seen { wiring, load });
    act.packets[id].route = route;
}

/// The loads of a network; of slots by `load`.
struct Seen<'a, L> {
    wiring: &'a Wiring,
    load: L,
}

impl<L: FnMut(SwitchId, usize) -> u64> Loads for Seen<'_, L> {
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64 {
        (self.load)(switch, slot)
    }

    fn flit(&self, switch: SwitchId, slot: usize) -> u64 {
        let slot = self.wiring.slot_of(slot, 0);
        self.wiring.flit_counts(self.wiring.layout.slot_lead(switch, slot))
    }

    fn usual_flit(&self) -> u64 {
        self.wiring.usual_flit_counts()
    }
}

/// Flits of a packet.
pub fn flits_of(id: PacketId, act: &Act) -> u32 {
    act.wiring.link.packet_flits(act.packets[id].bytes)
}
