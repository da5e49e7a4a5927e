//! What is told of waits to who keeps an account of them.
//!
//! Flits that do not start are as many as those that do where a network is full, so who lost his turn
//! on a wire is looked up only if somebody wants to know.

use super::SlotsKernel;
use super::bits::{Bits, FLOWS};
use super::flows::NOBODY;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::Grants;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;

impl SlotsKernel {
    /// The front packets of channels ask, in order of channel number. They all do before any is granted
    /// a channel.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_observed(&mut self, act: &mut Act) {
        for &channel in &self.asking {
            self.board.observe_request(channel, act);
        }
        self.board.join(&mut self.asking);
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

    /// Flows of a block could send a flit now, but others have their turns on the wires.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_losers(&self, number: usize, losers: Bits, act: &mut Act) {
        let block = &self.flows.blocks[number];
        losers.for_each(|flow| {
            let channel = self.channel_of(number, flow);
            let user = self.channel_of(number, block.user_of(flow));
            let packet = self.board.at(channel).packet;
            act.observe(Observation::LacksWire { packet, channel, user });
        });
    }

    /// Flows of a block send the last flits of packets, so it is known when these have left.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_ends(&self, number: usize, last: Bits, more: u64, act: &mut Act) {
        let at = act.now + (more + 1) * self.slot_ps;
        last.for_each(|flow| {
            let place = (number * FLOWS + flow) as u32;
            act.observe(Observation::Left { channel: self.flows.channel(place), at });
            let input = self.flows.at(place).input;
            let buffer = if input == NOBODY { ChannelId::NONE } else { self.flows.channel(input) };
            act.observe(Observation::Cleared { buffer, at });
        });
    }

    fn channel_of(&self, number: usize, flow: usize) -> ChannelId {
        self.flows.channel((number * FLOWS + flow) as u32)
    }
}
