//! What a switch decides in a step: who is granted a virtual channel, and who the crossbar.

use super::ClockedKernel;
use super::lane::{Entrance, Lane};
use crate::fabric::act::Act;
use crate::fabric::network::layout::Group;
use crate::fabric::switch::allocate::{Head, Request};
use crate::ids::{ChannelId, SwitchId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::rare::rarely;
use crate::routing::Outputs;

/// Lists that are made once and used again and again.
#[derive(Clone, Default)]
pub struct Scratch {
    /// Requests for virtual channels, and whose they are: buffer and output.
    asks: Vec<Request>,
    pub(super) askers: Vec<(ChannelId, ChannelId)>,
    /// The same where they ask for whole groups, and who is granted what: numbers of inputs and outputs.
    heads: Vec<Head>,
    matched: Vec<(u32, u32)>,
    /// Places of those that are granted.
    pub(super) granted: Vec<u32>,
    /// Requests for the crossbar, and whose they are.
    requests: Vec<Request>,
    pub(super) bids: Vec<Bid>,
    /// Places of those that are granted.
    pub(super) crossing: Vec<u32>,
    /// Those that have kept the crossbar since the step before.
    pub(super) holding: Vec<Bid>,
    outputs: Outputs,
}

/// An input that asks for the crossbar.
#[derive(Clone, Copy)]
pub struct Bid {
    pub(super) slot: u32,
    pub(super) out_slot: u32,
    /// The channel whose buffer it is, and its virtual channel.
    pub(super) channel: ChannelId,
    lane: u32,
    pub(super) priority: i32,
}

/// The priority of headers that have no virtual channel yet: below all others.
pub(super) const SPECULATIVE: i32 = i32::MIN;

impl ClockedKernel {
    /// Every switch that may have something to decide does, in each step of the cycle.
    pub(super) fn switches_decide(&mut self, cycle: u64, act: &mut Act) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for step in self.first_step(cycle)..self.first_step(cycle + 1) {
            if self.board.has_reply_places() {
                self.give_places(step, act);
            }
            let awake = self.switches.take_awake();
            for &switch in &awake {
                self.decide(switch, step, &mut scratch, act);
            }
            self.switches.done(awake);
        }
        self.scratch = scratch;
    }

    fn decide(&mut self, switch: u32, step: u64, scratch: &mut Scratch, act: &mut Act) {
        scratch.asks.clear();
        scratch.askers.clear();
        scratch.granted.clear();
        let mut is_left = false;
        if self.switches.somebody_asks(switch) {
            is_left = self.allocate_channels(switch, step, scratch, act);
        }
        self.allocate_crossbar(switch, step, scratch, act);
        if self.pipeline.output_speedup > 1 {
            // Of several that cross to one wire the lower slot sends first.
            let bids = &scratch.bids;
            scratch.crossing.sort_unstable_by_key(|&place| bids[place as usize].out_slot);
            scratch.holding.sort_unstable_by_key(|bid| bid.out_slot);
        }
        for place in 0..scratch.granted.len() {
            let (channel, output) = scratch.askers[scratch.granted[place] as usize];
            self.grant(channel, output, step, act);
        }
        if act.is_observed() {
            self.observe_channels(step, scratch, act);
            self.observe_crossbar(switch, step, scratch, act);
        }
        for place in 0..scratch.holding.len() {
            self.cross(scratch.holding[place], switch, step, act);
        }
        for place in 0..scratch.crossing.len() {
            let bid = scratch.bids[scratch.crossing[place] as usize];
            self.wins(bid, switch, step, act);
        }
        let holds = self.pipeline.holds && !self.switches.allocators(switch).holding.is_empty();
        if is_left || holds || self.switches.somebody_is_ready(switch) {
            self.switches.wake(switch);
        }
    }

    /// The same as [`Self::allocate_channels`] where headers ask for whole groups by words, and it is not
    /// observed who is outdone.
    fn allocate_by_words(
        &mut self,
        switch: u32,
        step: u64,
        scratch: &mut Scratch,
        act: &Act,
    ) -> bool {
        let mut is_left = false;
        let free = self.switches.free(switch);
        scratch.heads.clear();
        for word in 0..self.switches.words {
            let mut left = self.switches.asking_in(switch, word);
            while left != 0 {
                let number = word as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                let lane = self.board.at(self.inputs.channel(switch, number));
                if lane.due > step {
                    is_left = true;
                    continue;
                }
                let group = act.wiring.layout.group(lane.port.front_output);
                let only = self.delivers_on(lane, group);
                let width = if only.is_some() { 1 } else { u32::from(group.width) };
                let first = self.outputs.number(only.unwrap_or(group.first));
                let outputs = free & ((1 << width) - 1) << first;
                if outputs != 0 {
                    scratch.heads.push(Head { input: number, outputs });
                }
            }
        }
        let Scratch { heads, matched, askers, granted, .. } = scratch;
        matched.clear();
        self.switches.allocators(switch).of_channels.allocate_words(heads, matched);
        for (place, &(input, output)) in matched.iter().enumerate() {
            askers.push((self.inputs.channel(switch, input), self.outputs.channel(switch, output)));
            granted.push(place as u32);
        }
        is_left || granted.len() < heads.len()
    }

    /// Headers are granted virtual channels; whether some must ask again in the next step.
    fn allocate_channels(
        &mut self,
        switch: u32,
        step: u64,
        scratch: &mut Scratch,
        act: &Act,
    ) -> bool {
        if self.switches.has_words() && !act.is_observed() && !self.board.has_gates() {
            return self.allocate_by_words(switch, step, scratch, act);
        }
        let (mut is_left, mut askers) = (false, 0);
        for word in 0..self.switches.words {
            let mut left = self.switches.asking_in(switch, word);
            while left != 0 {
                let number = word as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                let channel = self.inputs.channel(switch, number);
                if self.board.at(channel).due > step {
                    is_left = true;
                    continue;
                }
                let before = scratch.asks.len();
                self.request(number, channel, (step, act), scratch);
                askers += usize::from(scratch.asks.len() > before);
            }
        }
        let allocator = &mut self.switches.allocators(switch).of_channels;
        allocator.allocate(&scratch.asks, &mut scratch.granted);
        is_left || scratch.granted.len() < askers
    }

    /// The only virtual channel of a group that a packet may leave by, if it keeps to the number
    /// of the one it came on.
    #[inline]
    pub(super) fn delivers_on(&self, from: &Lane, group: &Group) -> Option<ChannelId> {
        if !self.pipeline.keeps_channel || group.kind != ChannelKind::Ejection {
            return None;
        }
        let is_of_node = from.port.kind == ChannelKind::Injection;
        let number = if is_of_node { 0 } else { u32::from(from.entrance.lane) };
        Some(ChannelId(group.first.0 + number))
    }

    /// A header asks for every virtual channel that is free of those it may leave by.
    #[inline]
    fn request(
        &self,
        input: u32,
        channel: ChannelId,
        (step, act): (u64, &Act),
        scratch: &mut Scratch,
    ) {
        let lane = self.board.at(channel);
        let Scratch { asks, askers, outputs, .. } = scratch;
        let mut ask = |lead: ChannelId, priority: i32| {
            if rarely(self.board.has_gates()) && self.grants_nothing(lead, askers) {
                return;
            }
            let group = act.wiring.layout.group(lead);
            let only = self.delivers_on(lane, group);
            for output in group.channels() {
                if self.is_free(output) && only.is_none_or(|only| only == output) {
                    let number = self.board.at(output).exit.0.into();
                    asks.push(Request { input, output: number, priority });
                    askers.push((channel, output));
                }
            }
        };
        let packet = lane.port.buffer.first;
        let urgency = self.urgency.of(packet, lane.due, step, act);
        if !act.wiring.routing.chooses() {
            return ask(lane.port.front_output, urgency);
        }
        let header = act.packets[packet].header();
        for (lead, tier) in act.wiring.leads(lane.port.switch, header, outputs) {
            ask(lead, urgency - i32::from(tier));
        }
    }

    /// Inputs with a virtual channel, a flit and a credit are given the crossbar, and so are, of
    /// lower priority, headers that may be granted a virtual channel with a credit.
    #[inline]
    fn allocate_crossbar(&mut self, switch: u32, step: u64, scratch: &mut Scratch, act: &Act) {
        scratch.requests.clear();
        scratch.bids.clear();
        scratch.crossing.clear();
        scratch.holding.clear();
        if self.pipeline.holds {
            scratch.holding.append(&mut self.switches.allocators(switch).holding);
        }
        for word in 0..self.switches.words {
            let mut left = self.switches.ready_in(switch, word);
            while left != 0 {
                let number = word as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                let channel = self.inputs.channel(switch, number);
                let lane = self.board.at(channel);
                let (output, due) = (lane.output, lane.due);
                if self.has_room_behind(output, step, act) {
                    let lane = self.board.at(output);
                    let urgency = self.urgency.of(lane.packet, due, step, act);
                    self.bid(switch, channel, lane.exit.1, urgency, scratch);
                }
            }
        }
        if self.pipeline.speculative {
            for place in 0..scratch.asks.len() {
                let (channel, output) = scratch.askers[place];
                let lane = self.board.at(output);
                if self.has_room(output) && self.has_room_behind(output, step, act) {
                    self.bid(switch, channel, lane.exit.1, SPECULATIVE, scratch);
                }
            }
        }
        // Who cannot send loses what it holds, but nobody else has it in this step.
        scratch.holding.retain(|bid| {
            let output = self.board.at(bid.channel).output;
            self.has_room(output) && self.has_room_behind(output, step, act)
        });
        let allocator = &mut self.switches.allocators(switch).of_crossbar;
        allocator.allocate(&scratch.requests, &mut scratch.crossing);
    }

    /// Whether a flit that crosses the switch now finds a place in the buffer behind it, if that
    /// is limited.
    #[inline]
    fn has_room_behind(&self, output: ChannelId, step: u64, act: &Act) -> bool {
        if rarely(self.board.has_gates()) && self.is_barred(output) {
            return false;
        }
        let Some(places) = self.pipeline.output_buffer_flits else { return true };
        let wire = act.wiring.layout.wire_of[output.index()].index();
        let waiting = if self.behind.is_seen() {
            self.behind.count(wire, step, self.cycle_of(step))
        } else {
            self.wire_free[wire].saturating_sub(self.crossed_in(step))
        };
        waiting < u64::from(places)
    }

    /// The cycle in which a flit that wins a step is behind the crossbar.
    #[inline]
    pub(super) fn crossed_in(&self, step: u64) -> u64 {
        self.cycle_of(step + u64::from(self.pipeline.traversal_cycles))
    }

    /// Of several of one input slot for one output slot the most urgent remains, or else the one
    /// whose turn it is.
    #[inline]
    fn bid(
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
        let keeps = |other: &Bid| other.slot == slot || other.out_slot == out_slot;
        if scratch.holding.iter().any(keeps) {
            return;
        }
        let bid = Bid { slot, out_slot, channel, lane, priority };
        let same = |other: &Bid| other.slot == slot && other.out_slot == out_slot;
        let Some(place) = scratch.bids.iter().rposition(same) else {
            scratch.bids.push(bid);
            scratch.requests.push(Request { input: slot, output: out_slot, priority });
            return;
        };
        let turns = &self.switches.allocators(switch).slot_turns;
        let rank = |bid: &Bid| (-i64::from(bid.priority), turns.rank(slot, bid.lane));
        if rank(&bid) < rank(&scratch.bids[place]) {
            scratch.bids[place] = bid;
            scratch.requests[place].priority = priority;
        }
    }

    /// An input has been given the crossbar: it has had its turn, and it sends unless it counted
    /// on a virtual channel in vain.
    #[inline]
    fn wins(&mut self, bid: Bid, switch: u32, step: u64, act: &mut Act) {
        let count = self.inputs.lanes;
        let mut next = bid.lane + self.pipeline.input_speedup;
        while next >= count {
            next -= count;
        }
        let turns = &mut self.switches.allocators(switch).slot_turns;
        turns.chosen_before(bid.slot, bid.lane, next);
        if bid.priority == SPECULATIVE && !self.came_true(bid.channel, bid.out_slot) {
            return;
        }
        self.cross(bid, switch, step, act);
    }

    /// Whether a header that bid before it had a virtual channel has one now, of that output.
    pub(super) fn came_true(&self, channel: ChannelId, out_slot: u32) -> bool {
        let output = self.board.at(channel).output;
        output.is_some() && {
            let port = u32::from(self.board.at(output).exit.1);
            port == out_slot / self.pipeline.output_speedup && self.has_room(output)
        }
    }

    /// The front packet of a buffer is granted a virtual channel.
    fn grant(&mut self, channel: ChannelId, output: ChannelId, step: u64, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        let id = lane.port.buffer.pop(act.packets);
        lane.headers -= 1;
        lane.output = output;
        let (switch, number) = (lane.port.switch.0, lane.entrance.number);
        self.switches.asks_no_more(switch, number);
        let start = self.crossed_in(step + u64::from(!self.pipeline.speculative)) * self.cycle_ps;
        act.observe_at(Observation::Granted { packet: id, channel: output }, start);
        self.enter(output, id, act);
        if rarely(self.board.has_gates()) {
            self.has_granted(channel, output);
        }
        let lane = self.board.at_mut(output);
        lane.input = channel;
        lane.granted = start;
        self.switches.set_free(switch, lane.exit.0, false);
        if self.has_room(output) {
            self.switches.ready(switch, number);
        } else if act.is_observed() {
            self.observe_full(id, output, start, act);
        }
    }

    /// A flit leaves the buffer of who has won the crossbar.
    #[inline]
    fn cross(&mut self, bid: Bid, switch: u32, step: u64, act: &mut Act) {
        let channel = bid.channel;
        let output = self.board.at(channel).output;
        if self.room.is_shared() && !self.has_room(output) {
            // Another that crosses in this step to the same wire has taken the last shared place.
            return;
        }
        let start = self.starts_after(output, switch, step, act);
        let (is_last, has_credit) = self.send(output, start, act);
        self.give_back(channel, step, act);
        let lane = self.board.at_mut(channel);
        lane.held -= 1;
        let number = lane.entrance.number;
        if is_last {
            lane.output = ChannelId::NONE;
            let next = lane.headers > 0;
            self.note_free(output, switch);
            if act.is_observed() {
                self.observe_front(channel, step, act);
            }
            self.switches.is_ready_no_more(switch, number);
            self.switches.frees(switch);
            if next {
                self.is_routed_from(channel, step + 1, act);
            }
            return;
        }
        let has_flit = lane.held > 0;
        if !has_flit || !has_credit {
            self.switches.is_ready_no_more(switch, number);
        }
        if has_flit && self.pipeline.holds {
            self.switches.allocators(switch).holding.push(Bid { priority: 0, ..bid });
        }
    }

    /// The cycle in which a flit that wins a switch in a step starts on its channel.
    #[inline]
    fn starts_after(&mut self, output: ChannelId, switch: u32, step: u64, act: &Act) -> u64 {
        let begins = self.batches.crosses(SwitchId(switch), step + 1);
        let last = begins + u64::from(self.pipeline.traversal_cycles) - 1;
        let crossed = self.cycle_of(last);
        if !self.has_queues {
            return crossed;
        }
        let wire = act.wiring.layout.wire_of[output.index()].index();
        let start = crossed.max(self.wire_free[wire]);
        self.wire_free[wire] = start + 1;
        if self.behind.is_seen() {
            self.behind.add(wire, last, start, self.cycle_of(step));
        }
        start
    }
}
