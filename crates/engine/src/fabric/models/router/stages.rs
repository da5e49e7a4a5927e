//! What a switch decides in a step: who is granted a virtual channel, and who the crossbar.

use super::RouterFabric;
use super::lane::Entrance;
use super::switches::numbers;
use crate::fabric::switch::allocate::Request;
use crate::fabric::switch::switchboard::Act;
use crate::ids::ChannelId;
use crate::routing::Outputs;

/// Lists that are made once and used again and again.
#[derive(Default)]
pub struct Scratch {
    requests: Vec<Request>,
    /// Pairs of the virtual channels' inputs and outputs.
    granted: Vec<(u32, u32)>,
    bids: Vec<Bid>,
    crossing: Vec<(u32, u32)>,
    /// Those that have kept the crossbar since the step before.
    holding: Vec<Bid>,
    outputs: Outputs,
    /// Inputs that ask, and their number.
    asking: Vec<u32>,
}

/// An input that asks for the crossbar.
#[derive(Clone, Copy)]
pub struct Bid {
    slot: u32,
    out_slot: u32,
    /// The channel whose buffer it is, and its virtual channel.
    channel: ChannelId,
    lane: u32,
    priority: i32,
    /// Of a header that has no virtual channel yet: it bids for this output port.
    speculative: bool,
}

/// The priority of those that have no virtual channel yet: below all others.
const SPECULATIVE: i32 = i32::MIN;

impl RouterFabric {
    /// Every switch that may have something to decide does, in each step of the cycle.
    pub(super) fn switches_decide(&mut self, cycle: u64, act: &mut Act) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for step in self.first_step(cycle)..self.first_step(cycle + 1) {
            let awake = self.switches.take_awake();
            for &switch in &awake {
                self.decide(switch, step, &mut scratch, act);
            }
            self.switches.again(awake);
        }
        self.scratch = scratch;
    }

    fn decide(&mut self, switch: u32, step: u64, scratch: &mut Scratch, act: &mut Act) {
        scratch.requests.clear();
        scratch.granted.clear();
        scratch.bids.clear();
        scratch.crossing.clear();
        scratch.holding.clear();
        scratch.holding.append(&mut self.switches.at(switch).holding);
        let mut is_left = false;
        if self.switches.at(switch).somebody_asks() {
            is_left = self.allocate_channels(switch, step, scratch, act);
        }
        self.bid(switch, step, scratch, act);
        if self.pipeline.speculative {
            self.bid_speculatively(switch, scratch);
        }
        self.allocate_crossbar(switch, scratch);
        self.carry_out(switch, step, scratch, act);
        if is_left || self.switches.at(switch).somebody_is_ready() {
            self.switches.wake(switch);
        }
    }

    /// Headers are granted virtual channels; whether some must ask again in the next step.
    fn allocate_channels(
        &mut self,
        switch: u32,
        step: u64,
        scratch: &mut Scratch,
        act: &Act,
    ) -> bool {
        scratch.asking.clear();
        scratch.asking.extend(numbers(&self.switches.at(switch).asking));
        let mut is_left = false;
        let mut askers = 0;
        for place in 0..scratch.asking.len() {
            let input = scratch.asking[place];
            let channel = self.inputs.channel(switch, input);
            let lane = self.board.at(channel);
            if lane.due > step {
                is_left = true;
                continue;
            }
            let before = scratch.requests.len();
            if act.wiring.routing.chooses() {
                let header = act.packets[lane.port.buffer.first].header();
                let at = lane.port.switch;
                for (lead, tier) in act.wiring.leads(at, header, &mut scratch.outputs) {
                    self.request(input, lead, -i32::from(tier), &mut scratch.requests, act);
                }
            } else {
                self.request(input, lane.port.front_output, 0, &mut scratch.requests, act);
            }
            askers += usize::from(scratch.requests.len() > before);
        }
        let allocator = &mut self.switches.at(switch).vc_allocator;
        allocator.allocate(&scratch.requests, &mut scratch.granted);
        is_left || scratch.granted.len() < askers
    }

    /// An input asks for every virtual channel of a group that is free.
    #[inline]
    fn request(
        &self,
        input: u32,
        lead: ChannelId,
        priority: i32,
        requests: &mut Vec<Request>,
        act: &Act,
    ) {
        for channel in act.wiring.layout.group(lead).channels() {
            if self.is_free(channel) {
                let output = self.board.at(channel).exit.0.into();
                requests.push(Request { input, output, priority });
            }
        }
    }

    /// Inputs with a virtual channel, a flit and a credit bid for the crossbar.
    #[inline]
    fn bid(&mut self, switch: u32, step: u64, scratch: &mut Scratch, act: &Act) {
        for place in 0..self.switches.at(switch).ready.len() {
            let mut left = self.switches.at(switch).ready[place];
            while left != 0 {
                let number = place as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                let channel = self.inputs.channel(switch, number);
                let output = self.board.at(channel).output;
                if self.has_room_behind(output, step, act) {
                    let port = self.board.at(output).exit.1;
                    self.add_bid(switch, channel, port, 0, scratch);
                }
            }
        }
    }

    /// Whether a flit that crosses the switch now finds a place in the buffer behind it, if that
    /// is limited.
    #[inline]
    fn has_room_behind(&self, output: ChannelId, step: u64, act: &Act) -> bool {
        let Some(places) = self.pipeline.output_buffer_flits else { return true };
        let wire = act.wiring.layout.wire_of[output.index()].index();
        let waiting = self.wire_free[wire].saturating_sub(self.cycle_after(step));
        waiting < u64::from(places) + u64::from(self.pipeline.traversal_cycles)
    }

    /// So do headers that could be granted a virtual channel with a credit.
    fn bid_speculatively(&mut self, switch: u32, scratch: &mut Scratch) {
        for place in 0..scratch.requests.len() {
            let Request { input, output, .. } = scratch.requests[place];
            let channel = self.outputs.channel(switch, output);
            if self.board.at(channel).credits > 0 {
                let port = self.board.at(channel).exit.1;
                let channel = self.inputs.channel(switch, input);
                self.add_bid(switch, channel, port, SPECULATIVE, scratch);
            }
        }
    }

    /// Of several of one input slot for one output slot the most urgent remains, or else the first
    /// at or behind the slot's pointer.
    #[inline]
    fn add_bid(
        &mut self,
        switch: u32,
        channel: ChannelId,
        out_port: u16,
        priority: i32,
        scratch: &mut Scratch,
    ) {
        let Entrance { slot, lane, .. } = self.board.at(channel).entrance;
        let (slot, lane) = (u32::from(slot), u32::from(lane));
        let mut out_slot = u32::from(out_port);
        if self.pipeline.output_speedup > 1 {
            let in_port = u32::from(self.inputs.of[channel.index()].port);
            out_slot *= self.pipeline.output_speedup;
            out_slot += in_port % self.pipeline.output_speedup;
        }
        let speculative = priority == SPECULATIVE;
        let keeps = |other: &Bid| other.slot == slot || other.out_slot == out_slot;
        if scratch.holding.iter().any(keeps) {
            return;
        }
        let bid = Bid { slot, out_slot, channel, lane, priority, speculative };
        let same = |other: &&mut Bid| other.slot == slot && other.out_slot == out_slot;
        let Some(other) = scratch.bids.iter_mut().rev().find(same) else {
            scratch.bids.push(bid);
            return;
        };
        let (lanes, from) = (self.inputs.lanes, self.switches.at(switch).slot_from[slot as usize]);
        let rank = |bid: &Bid| {
            let distance = (bid.lane + lanes - from) % lanes;
            (-i64::from(bid.priority), distance)
        };
        if rank(&bid) < rank(other) {
            *other = bid;
        }
    }

    fn allocate_crossbar(&mut self, switch: u32, scratch: &mut Scratch) {
        scratch.requests.clear();
        scratch.requests.extend(scratch.bids.iter().map(|bid| Request {
            input: bid.slot,
            output: bid.out_slot,
            priority: bid.priority,
        }));
        let allocator = &mut self.switches.at(switch).allocator;
        allocator.allocate(&scratch.requests, &mut scratch.crossing);
    }

    /// What has been decided is done.
    fn carry_out(&mut self, switch: u32, step: u64, scratch: &mut Scratch, act: &mut Act) {
        for &(input, output) in &scratch.granted {
            let channel = self.inputs.channel(switch, input);
            self.grant(channel, self.outputs.channel(switch, output), step, act);
        }
        for &bid in &scratch.holding {
            self.cross(bid, switch, step, act);
        }
        for place in 0..scratch.crossing.len() {
            let (slot, out_slot) = scratch.crossing[place];
            let won = |bid: &&Bid| bid.slot == slot && bid.out_slot == out_slot;
            let Some(&bid) = scratch.bids.iter().find(won) else { continue };
            let count = self.inputs.lanes;
            let mut next = bid.lane + self.pipeline.input_speedup;
            while next >= count {
                next -= count;
            }
            self.switches.at(switch).slot_from[slot as usize] = next;
            if bid.speculative && !self.came_true(bid.channel, out_slot) {
                continue;
            }
            self.cross(bid, switch, step, act);
        }
    }

    /// Whether a header that bid before it had a virtual channel has one now, of that output.
    fn came_true(&self, channel: ChannelId, out_slot: u32) -> bool {
        let output = self.board.at(channel).output;
        output.is_some() && {
            let port = u32::from(self.board.at(output).exit.1);
            port == out_slot / self.pipeline.output_speedup && self.board.at(output).credits > 0
        }
    }

    /// The front packet of a buffer is granted a virtual channel.
    fn grant(&mut self, channel: ChannelId, output: ChannelId, step: u64, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        let id = lane.port.buffer.pop(act.packets);
        lane.headers -= 1;
        lane.output = output;
        let (switch, number) = (lane.port.switch.0, lane.entrance.number.into());
        self.switches.at(switch).asks_no_more(number);
        self.enter(output, id, act);
        let before = u64::from(!self.pipeline.speculative);
        let start = self.cycle_after(step + before + u64::from(self.pipeline.traversal_cycles));
        let lane = self.board.at_mut(output);
        lane.input = channel;
        lane.granted = start * self.cycle_ps;
        if lane.credits > 0 {
            self.switches.ready(switch, number);
        }
    }

    /// A flit leaves the buffer of who has won the crossbar.
    fn cross(&mut self, bid: Bid, switch: u32, step: u64, act: &mut Act) {
        let channel = bid.channel;
        let output = self.board.at(channel).output;
        let wire = act.wiring.layout.wire_of[output.index()].index();
        let crossed = self.cycle_after(step + u64::from(self.pipeline.traversal_cycles));
        let start = crossed.max(self.wire_free[wire]);
        self.wire_free[wire] = start + 1;
        let is_last = self.send(output, start, act);
        self.give_back(channel, self.cycle_of(step));
        let has_credit = self.board.at(output).credits > 0;
        let lane = self.board.at_mut(channel);
        lane.held -= 1;
        let number = lane.entrance.number.into();
        if is_last {
            lane.output = ChannelId::NONE;
            let next = lane.headers > 0;
            self.switches.at(switch).is_ready_no_more(number);
            self.switches.frees(switch);
            if next {
                self.is_routed_from(channel, step + 1, act);
            }
        } else if lane.held == 0 || !has_credit {
            self.switches.at(switch).is_ready_no_more(number);
        } else if self.pipeline.holds {
            self.switches.at(switch).holding.push(Bid { speculative: false, ..bid });
        }
    }
}
