//! What is told of waits to who keeps an account of them.
//!
//! What happens in a round of a slot is told wire by wire, in order of their numbers, whatever block
//! they are of: of each who sends, then who has lost his turn. So others that simulate flits one by one
//! tell it, and charges may depend on it. It is gathered only if somebody wants to know.

use super::SlotsKernel;
use super::bits::{Bits, FLOWS};
use super::flows::NOBODY;
use super::told::Told;
use super::wires::wires_of;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::{Grants, first_flit};
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::time::Time;

impl SlotsKernel {
    /// The front packets of channels ask, in order of channel number. They all do before any is granted
    /// a channel.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_observed(&mut self, act: &mut Act) {
        for &channel in &self.asking {
            self.board.observe_request(channel, act);
        }
        self.board.join(&mut self.asking, act.packets);
    }

    /// A packet has been granted a channel. If it lacks room there, that is told when flits start: then
    /// all channels of this instant have been granted.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_grant(&mut self, channel: ChannelId, packet: PacketId, act: &mut Act) {
        act.observe(Observation::Granted { packet, channel });
        if self.room(channel, act.now) == 0 {
            self.lacking.push(channel);
        }
    }

    /// Those that have been granted channels at this instant without room there.
    #[inline(never)]
    pub(super) fn observe_lacks(&mut self, act: &mut Act) {
        for channel in self.lacking.drain(..) {
            let packet = self.board.at(channel).packet;
            self.board.observe_room(packet, || Some(channel), act);
        }
    }

    /// Flows of a block send the first flits of packets.
    pub(super) fn gather_starts(&mut self, number: usize, first: Bits, hop_ps: Time, act: &Act) {
        first.for_each(|flow| self.gather(number, flow, Told::Starts(hop_ps), act));
    }

    /// Flows of a block send the last flits of packets, each in a slot and so many more.
    pub(super) fn gather_ends(&mut self, number: usize, last: Bits, more: u64, act: &Act) {
        let at = act.now + (more + 1) * self.slot_ps;
        last.for_each(|flow| self.gather(number, flow, Told::Ends(at), act));
    }

    /// Flows of a block could send a flit, but others have their turns on the wires: `winners` start one
    /// now, others go on with one. While these do, who has begun a packet is told only if something is
    /// new to him.
    #[inline(never)]
    pub(super) fn gather_losers(&mut self, number: usize, losers: Bits, winners: Bits, act: &Act) {
        let block = &self.flows.blocks[number];
        let stride = block.alike.stride;
        let at_once = wires_of(winners, stride) | !block.started | block.back;
        losers.for_each(|flow| {
            let place = |flow| (number * FLOWS + flow) as u32;
            if at_once.has(flow) || self.flows.gets_flit(place(flow)) {
                let user = self.flows.channel(place(self.flows.blocks[number].user_of(flow)));
                self.gather(number, flow, Told::Loses(user), act);
            }
        });
    }

    fn gather(&mut self, number: usize, flow: usize, told: Told, act: &Act) {
        let channel = self.flows.channel((number * FLOWS + flow) as u32);
        self.tales.push((act.wiring.layout.wire_of[channel.index()], told, channel));
    }

    /// All that was gathered in a round is told.
    #[inline(never)]
    pub(super) fn tell(&mut self, act: &mut Act) {
        let mut tales = std::mem::take(&mut self.tales);
        tales.sort_unstable();
        for (_, told, channel) in tales.drain(..) {
            let lane = self.board.at(channel);
            let (packet, kind) = (lane.packet, lane.port.kind);
            match told {
                Told::Starts(hop_ps) => first_flit(channel, packet, kind, act.now, hop_ps, act),
                Told::Ends(at) => {
                    act.observe(Observation::Left { channel, at });
                    let buffer = self.buffer_before(lane.place, kind);
                    act.observe(Observation::Cleared { buffer, at });
                }
                Told::Loses(user) => act.observe(Observation::LacksWire { packet, channel, user }),
            }
        }
        self.tales = tales;
    }

    /// The channel whose buffer the packet leaves that a flow sends; none: its node.
    fn buffer_before(&self, place: u32, kind: ChannelKind) -> ChannelId {
        let input = self.flows.at(place).input;
        let is_from_node = matches!(kind, ChannelKind::Injection | ChannelKind::Direct);
        if is_from_node || input == NOBODY { ChannelId::NONE } else { self.flows.channel(input) }
    }
}
