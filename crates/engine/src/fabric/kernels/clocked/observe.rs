//! What blame is told of clocked switches.
//!
//! Its times are those at which a header starts, or could start, on its next channel: what is
//! decided in a step is told with the time at which the header would be on the wire.

use super::ClockedKernel;
use super::stages::{SPECULATIVE, Scratch};
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::time::Time;

impl ClockedKernel {
    /// When a header starts at the soonest that is granted a virtual channel in a step.
    pub(super) fn granted_in(&self, step: u64) -> Time {
        self.crossed_in(step + u64::from(!self.pipeline.speculative)) * self.cycle_ps
    }

    /// The header at the front of a buffer asks for a virtual channel.
    #[cold]
    pub(super) fn observe_request(&self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        let packet = lane.port.buffer.first;
        // Who has a choice of outputs asks at the allocator, which no port of a switch names.
        let queue = act.wiring.asks_at(lane.port.switch, &act.packets[packet]);
        act.observe_at(Observation::Asked { packet, queue }, self.granted_in(lane.due));
    }

    /// A packet would start, or go on, on a channel at an instant, but there is no room for it in
    /// the buffer at its end.
    #[cold]
    pub(super) fn observe_full(
        &self,
        packet: PacketId,
        channel: ChannelId,
        at: Time,
        act: &mut Act,
    ) {
        let keeps = ChannelId::NONE;
        let what = if self.room.is_shared() {
            let taker = self.room.taker(channel, &self.board);
            Observation::LacksShare { packet, channel, taker }
        } else {
            Observation::LacksRoom { packet, channel, keeps }
        };
        act.observe_at(what, at);
    }

    /// A packet's last flit starts on a channel in a cycle.
    #[cold]
    pub(super) fn observe_tail(&self, channel: ChannelId, start: u64, act: &mut Act) {
        let is_node = self.board.at(channel).port.kind == ChannelKind::Injection;
        if is_node || !self.pipeline.atomic {
            let dead = u64::from(!is_node && !self.pipeline.speculative);
            act.observe(Observation::Left { channel, at: (start + 1 + dead) * self.cycle_ps });
        }
    }

    /// A channel has got a credit that is granted again only when it has all of them.
    #[cold]
    pub(super) fn observe_empty(&self, channel: ChannelId, act: &mut Act) {
        if self.is_free(channel) {
            let step = self.first_step(act.now / self.cycle_ps);
            act.observe(Observation::Left { channel, at: self.granted_in(step) });
        }
    }

    /// The front of a buffer falls free in a step.
    #[cold]
    pub(super) fn observe_front(&self, buffer: ChannelId, step: u64, act: &mut Act) {
        let due = step + 1 + u64::from(self.pipeline.route_cycles);
        act.observe(Observation::Cleared { buffer, at: self.granted_in(due) });
    }

    /// Some headers have been granted virtual channels in a step, others that asked have not.
    #[cold]
    pub(super) fn observe_channels(&self, step: u64, scratch: &Scratch, act: &mut Act) {
        let granted: Vec<ChannelId> =
            scratch.granted.iter().map(|&place| scratch.askers[place as usize].1).collect();
        let port = |output: ChannelId| self.board.at(output).exit.1;
        for &(channel, output) in &scratch.askers {
            let lane = self.board.at(channel);
            if lane.output.is_some() {
                continue;
            }
            let same = granted.iter().find(|&&other| other == output);
            let near = || granted.iter().find(|&&other| port(other) == port(output));
            if let Some(&granted) = same.or_else(near).or(granted.first()) {
                let packet = lane.port.buffer.first;
                let at = self.granted_in(step);
                act.observe_at(Observation::Outdone { packet, granted }, at);
            }
        }
    }

    /// Some cross the switch in a step, others that could have do not.
    #[cold]
    pub(super) fn observe_crossbar(
        &self,
        switch: u32,
        step: u64,
        scratch: &Scratch,
        act: &mut Act,
    ) {
        let won = scratch.crossing.iter().map(|&place| scratch.bids[place as usize]);
        let crosses = |bid: &super::stages::Bid| {
            bid.priority != SPECULATIVE || self.came_true(bid.channel, bid.out_slot)
        };
        let crossing = won.filter(crosses).chain(scratch.holding.iter().copied());
        let crossing: Vec<_> = crossing.collect();
        let at = self.crossed_in(step) * self.cycle_ps;
        for word in 0..self.switches.words {
            let mut left = self.switches.ready_in(switch, word);
            while left != 0 {
                let number = word as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                let input = self.board.at(self.inputs.channel(switch, number));
                let (channel, slot) = (input.output, u32::from(input.entrance.slot));
                let lane = self.board.at(channel);
                let is_crossing =
                    |bid: &&super::stages::Bid| self.board.at(bid.channel).output == channel;
                if lane.granted > at || crossing.iter().any(|bid| is_crossing(&bid)) {
                    continue;
                }
                let output = |bid: &super::stages::Bid| self.board.at(bid.channel).output;
                let port = |output: ChannelId| self.board.at(output).exit.1;
                let same_port = crossing.iter().find(|bid| port(output(bid)) == lane.exit.1);
                let same_slot = || crossing.iter().find(|bid| bid.slot == slot);
                let user = same_port.or_else(same_slot).map_or(channel, output);
                let packet = lane.packet;
                act.observe_at(Observation::LacksWire { packet, channel, user }, at);
            }
        }
    }
}
