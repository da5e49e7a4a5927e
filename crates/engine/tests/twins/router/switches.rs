//! What the switches of the twin decide in a step.

use super::allocators::{Dense, Recent, first_from, nothing, to_the_end};
use super::ports::sides;
use super::twin::{Behind, Channel, Packet, Stage, Twin};
use crate::reference::wiring::{End, Group, Wiring};
use tailback_engine::spec::{self, Arbiter};

/// A switch.
pub struct Switch {
    /// By port, then by virtual channel.
    inputs: Vec<Vec<usize>>,
    outputs: Vec<Vec<usize>>,
    /// Port and virtual channel of all inputs, with the channel.
    each_input: Vec<(usize, usize, usize)>,
    /// Virtual channels of any input, and of any output, at most.
    lanes: (usize, usize),
    of_channels: Dense,
    of_crossbar: Dense,
    /// By input slot: where it begins to look; with arbiters without pointers in which order.
    slot_from: Vec<usize>,
    slot_order: Option<Recent>,
    /// Those that have kept their place in the crossbar.
    held: Vec<Bid>,
    /// The last step of the latest batch that crosses.
    last_crossing: u64,
}

/// A virtual channel of an input asks for a place in the crossbar.
#[derive(Clone, Copy)]
struct Bid {
    slot: usize,
    out_slot: usize,
    lane: usize,
    channel: usize,
    /// For the output port it wants, as it has no virtual channel yet.
    speculates: bool,
    urgency: i64,
}

/// Port and virtual channel, with the channel.
fn each(ports: &[Vec<usize>]) -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    for (port, channels) in ports.iter().enumerate() {
        all.extend(channels.iter().enumerate().map(|(lane, &channel)| (port, lane, channel)));
    }
    all
}

impl Switch {
    pub fn all(wiring: &Wiring, machine: &spec::Machine) -> Vec<Self> {
        let switch = &machine.switch;
        let pipeline = &switch.pipeline.expect("switches that run by a clock");
        let is_recent = switch.arbiter == Arbiter::LeastRecentlyGranted;
        let sides = sides(wiring, machine, pipeline.port_order);
        let most = |ports: &Vec<Vec<usize>>| ports.iter().map(Vec::len).max().unwrap_or(1);
        let in_lanes = sides.iter().map(|(inputs, _)| most(inputs)).max().unwrap();
        let out_lanes = sides.iter().map(|(_, outputs)| most(outputs)).max().unwrap();
        let switch = |(inputs, outputs): (Vec<Vec<usize>>, Vec<Vec<usize>>)| {
            let slots = inputs.len() * pipeline.input_speedup as usize;
            let out_slots = outputs.len() * pipeline.output_speedup as usize;
            Self {
                of_channels: Dense::new(
                    pipeline.vc_allocator.name(),
                    pipeline.vc_iterations,
                    inputs.len() * in_lanes,
                    outputs.len() * out_lanes,
                )
                .least_recent(is_recent),
                of_crossbar: Dense::new(
                    pipeline.allocator.name(),
                    pipeline.iterations,
                    slots,
                    out_slots,
                )
                .least_recent(is_recent),
                lanes: (in_lanes, out_lanes),
                slot_from: vec![0; slots],
                slot_order: is_recent.then(|| vec![(0..in_lanes).collect(); slots]),
                held: Vec::new(),
                last_crossing: 0,
                each_input: each(&inputs),
                inputs,
                outputs,
            }
        };
        sides.into_iter().map(switch).collect()
    }

    /// The port and the virtual channel of an output.
    fn place_of(&self, output: usize) -> (usize, usize) {
        let at = |port: &Vec<usize>| port.iter().position(|&channel| channel == output);
        let mut ports = self.outputs.iter().enumerate();
        ports.find_map(|(port, channels)| Some((port, at(channels)?))).expect("it leads from here")
    }
}

/// The urgency of those that have no virtual channel yet: below all others.
const SPECULATIVE: i64 = i64::MIN;

impl Twin {
    pub fn switch_step(&mut self, number: usize, step: u64) {
        let inputs = &self.switches[number].each_input;
        if inputs.iter().all(|input| self.channels[input.2].buffer.is_empty()) {
            // Nobody asks; who held the crossbar has a flit.
            return;
        }
        let asks = self.asks(number, step);
        let granted = self.allocate_channels(number, &asks);
        let bids = self.bids(number, step, &asks);
        let won = self.allocate_crossbar(number, &bids);
        // Now what has been decided is done.
        for (channel, output) in granted {
            let packet = self.channels[channel].buffer[0].0;
            self.channels[channel].stage = Stage::Sends { output };
            self.is_granted(output, packet);
        }
        let mut crossing: Vec<Bid> = Vec::new();
        let mut held = self.goes_on_holding(number, step);
        for bid in won {
            let (lanes, speedup) =
                (self.switches[number].lanes.0, self.pipeline.input_speedup as usize);
            self.switches[number].slot_from[bid.slot] = (bid.lane + speedup) % lanes;
            if let Some(orders) = &mut self.switches[number].slot_order {
                to_the_end(&mut orders[bid.slot], bid.lane);
            }
            if !bid.speculates || self.came_true(number, bid) {
                crossing.push(bid);
            }
        }
        held.sort_by_key(|bid| bid.out_slot);
        crossing.sort_by_key(|bid| bid.out_slot);
        held.into_iter().chain(crossing).for_each(|bid| self.cross(number, bid, step));
    }

    /// Headers that have come to the front are routed.
    pub fn begin_routing(&mut self, number: usize, step: u64) {
        let is_routed =
            |channel: &Channel| matches!(channel.stage, Stage::Asks { from } if from > step);
        let mut inputs = self.switches[number].each_input.iter();
        if self.pipeline.in_batches && inputs.any(|input| is_routed(&self.channels[input.2])) {
            // Those in the stage leave it first.
            return;
        }
        for &(_, _, channel) in &self.switches[number].each_input {
            let channel = &mut self.channels[channel];
            if channel.stage == Stage::Idle && !channel.buffer.is_empty() {
                assert_eq!(channel.buffer[0].1, 0, "a header is at the front");
                channel.asked_from = step + u64::from(self.pipeline.route_cycles);
                channel.stage = Stage::Asks { from: channel.asked_from };
            }
        }
    }

    /// Inputs (as channels), free outputs that their headers ask for, and how urgently.
    fn asks(&self, number: usize, step: u64) -> Vec<(usize, usize, i64)> {
        let mut asks = Vec::new();
        for &(_, lane, channel) in &self.switches[number].each_input {
            let Stage::Asks { from } = self.channels[channel].stage else { continue };
            if from > step || self.asks_for_place(channel).is_some() {
                continue;
            }
            for (group, tier) in self.ways(number, self.channels[channel].buffer[0].0) {
                let Group { channels, to, .. } = &self.wiring.groups[group];
                let from = self.wiring.groups[self.wiring.group_of[channel]].from;
                let came_on = if matches!(from, End::Node(_)) { 0 } else { lane };
                let keeps = self.pipeline.keeps_channel && matches!(to, End::Node(_));
                for (place, &output) in channels.iter().enumerate() {
                    if self.is_free(output) && (!keeps || place == came_on) {
                        let urgency = self.urgency(channel, step) - i64::from(tier);
                        asks.push((channel, output, urgency));
                    }
                }
            }
        }
        asks
    }

    /// How urgent the packet at the front of a buffer is: tiers count less than any of that.
    fn urgency(&self, channel: usize, step: u64) -> i64 {
        let packet = &self.packets[self.channels[channel].buffer[0].0];
        let age = match self.arbiter {
            Arbiter::Fifo => step - self.channels[channel].asked_from,
            Arbiter::OldestFirst => {
                (self.now * self.cycle_ps).saturating_sub(packet.row.queued) / self.cycle_ps
            }
            Arbiter::Priority => self.urgencies.get(packet.traffic).copied().unwrap_or(0).into(),
            _ => 0,
        };
        i64::try_from(age).unwrap() * 256
    }

    /// The groups by which a packet may leave a switch, with their tiers.
    pub fn ways(&self, switch: usize, packet: usize) -> Vec<(usize, u8)> {
        let Packet { row, traffic, group, .. } = &self.packets[packet];
        let (source, destination) = (row.source as usize, row.destination as usize);
        let named = if self.wiring.has_rings() {
            vec![(self.wiring.round(switch, (source, destination)), 0)]
        } else {
            self.wiring.outputs(End::Switch(switch), destination, *group)
        };
        let own = |(group, tier)| (self.wiring.group_for(group, *traffic), tier);
        named.into_iter().map(own).collect()
    }

    fn allocate_channels(
        &mut self,
        number: usize,
        asks: &[(usize, usize, i64)],
    ) -> Vec<(usize, usize)> {
        if asks.is_empty() {
            return Vec::new();
        }
        let switch = &mut self.switches[number];
        let (in_lanes, out_lanes) = switch.lanes;
        let row = |channel: usize| {
            let mut inputs = switch.each_input.iter();
            let &(port, lane, _) = inputs.find(|input| input.2 == channel).unwrap();
            port * in_lanes + lane
        };
        let mut matrix = nothing(switch.inputs.len() * in_lanes, switch.outputs.len() * out_lanes);
        for &(input, output, urgency) in asks {
            let (port, lane) = switch.place_of(output);
            matrix[row(input)][port * out_lanes + lane] = Some(urgency);
        }
        let pairs = switch.of_channels.allocate(&matrix).into_iter();
        let channel = |(row, column): (usize, usize)| {
            let input = switch.inputs[row / in_lanes][row % in_lanes];
            (input, switch.outputs[column / out_lanes][column % out_lanes])
        };
        pairs.map(channel).collect()
    }

    /// All that bid for the crossbar.
    fn bids(&self, number: usize, step: u64, asks: &[(usize, usize, i64)]) -> Vec<Bid> {
        let (ins, outs) =
            (self.pipeline.input_speedup as usize, self.pipeline.output_speedup as usize);
        let mut bids = Vec::new();
        for &(port, lane, channel) in &self.switches[number].each_input {
            let mut bid = |output: usize, speculates: bool| {
                if self.has_room(output) && self.has_room_behind(output, step) {
                    let out_port = self.switches[number].place_of(output).0;
                    let (slot, out_slot) = (port * ins + lane % ins, out_port * outs + port % outs);
                    let usual = || self.urgency(channel, step);
                    let urgency = if speculates { SPECULATIVE } else { usual() };
                    bids.push(Bid { slot, out_slot, lane, channel, speculates, urgency });
                }
            };
            match self.channels[channel].stage {
                Stage::Sends { output } if !self.channels[channel].buffer.is_empty() => {
                    bid(output, false);
                }
                Stage::Asks { .. } if self.pipeline.speculative => {
                    let own = asks.iter().filter(|ask| ask.0 == channel);
                    own.for_each(|&(_, output, _)| bid(output, true));
                }
                _ => {}
            }
        }
        let held = &self.switches[number].held;
        let is_kept =
            |bid: &Bid| held.iter().any(|h| h.slot == bid.slot || h.out_slot == bid.out_slot);
        bids.retain(|bid| !is_kept(bid));
        bids
    }

    /// Whether a flit that crosses now finds a place behind the crossbar, if they are limited: as
    /// things stand there, or of the flits before it some will have started until it is there.
    fn has_room_behind(&self, output: usize, step: u64) -> bool {
        let Some(places) = self.pipeline.output_buffer_flits else { return true };
        let flits = &self.wires[self.wiring.wire_of[output]].queue;
        if self.pipeline.sees_output_buffer {
            return flits.iter().filter(|flit| flit.step < step).count() < places as usize;
        }
        let mut queue: Vec<u64> = flits.iter().map(|flit| flit.cycle).collect();
        let usual = self.cycle_of(step + u64::from(self.pipeline.traversal_cycles));
        for cycle in self.now..usual {
            if queue.first().is_some_and(|&soonest| soonest <= cycle) {
                queue.remove(0);
            }
        }
        queue.len() < places as usize
    }

    /// The cycle of a step that is not past.
    fn cycle_of(&self, step: u64) -> u64 {
        let mut cycle = self.now;
        while self.first_step(cycle + 1) <= step {
            cycle += 1;
        }
        cycle
    }

    /// The last step in which a flit crosses that wins one.
    fn crosses_until(&mut self, number: usize, step: u64) -> u64 {
        let length = u64::from(self.pipeline.traversal_cycles);
        let latest = &mut self.switches[number].last_crossing;
        if !self.pipeline.in_batches || *latest <= step {
            *latest = step + length;
        } else if *latest < step + length {
            // Those before it have to leave the stage.
            *latest += length;
        }
        *latest
    }

    /// The bids that win. Of several of one slot for another one of the most urgent remains: that
    /// of the first virtual channel from the slot's pointer on, or in its order.
    fn allocate_crossbar(&mut self, number: usize, bids: &[Bid]) -> Vec<Bid> {
        if bids.is_empty() {
            return Vec::new();
        }
        let switch = &mut self.switches[number];
        let slots = switch.slot_from.len();
        let out_slots = switch.outputs.len() * self.pipeline.output_speedup as usize;
        let mut matrix = nothing(slots, out_slots);
        let mut best = vec![vec![None; out_slots]; slots];
        for slot in 0..slots {
            for out_slot in 0..out_slots {
                let between = |bid: &&Bid| (bid.slot, bid.out_slot) == (slot, out_slot);
                let all = || bids.iter().filter(between).copied();
                let Some(most) = all().map(|bid| bid.urgency).max() else { continue };
                let of = |lane: usize| all().find(|b| b.lane == lane && b.urgency == most);
                let (from, lanes) = (switch.slot_from[slot], switch.lanes.0);
                let lane = match &switch.slot_order {
                    None => first_from(from, lanes, |lane| of(lane).is_some()),
                    Some(orders) => orders[slot].iter().copied().find(|&lane| of(lane).is_some()),
                };
                best[slot][out_slot] = lane.and_then(of);
                matrix[slot][out_slot] = Some(most);
            }
        }
        let pairs = switch.of_crossbar.allocate(&matrix).into_iter();
        pairs.map(|(slot, out_slot)| best[slot][out_slot].unwrap()).collect()
    }

    /// Whether a header that bid for an output has a virtual channel of it now, with a credit.
    fn came_true(&self, number: usize, bid: Bid) -> bool {
        let Stage::Sends { output } = self.channels[bid.channel].stage else { return false };
        let port = self.switches[number].place_of(output).0;
        let is_that = bid.out_slot / self.pipeline.output_speedup as usize == port;
        is_that && self.has_room(output)
    }

    /// Those that have kept their places in the crossbar and can send; the others lose them.
    fn goes_on_holding(&mut self, number: usize, step: u64) -> Vec<Bid> {
        let held = std::mem::take(&mut self.switches[number].held);
        let can_send = |bid: &Bid| {
            let Stage::Sends { output } = self.channels[bid.channel].stage else { return false };
            self.has_room(output) && self.has_room_behind(output, step)
        };
        held.into_iter().filter(can_send).collect()
    }

    /// A flit leaves its buffer and crosses the switch.
    fn cross(&mut self, number: usize, bid: Bid, step: u64) {
        let Stage::Sends { output } = self.channels[bid.channel].stage else {
            panic!("it has a channel")
        };
        if !self.has_room(output) {
            // Another has taken the last place in this step.
            assert!(self.pipeline.output_speedup > 1, "several cross to one wire");
            return;
        }
        let (flit, is_last) = self.uses_credit(output);
        assert_eq!(self.channels[bid.channel].buffer.pop_front(), Some(flit));
        let last = self.crosses_until(number, step);
        let behind = Behind { step: last, cycle: self.cycle_of(last), channel: output, flit };
        self.wires[self.wiring.wire_of[output]].queue.push_back(behind);
        // The credits of a step go back together.
        let credits = &mut self.wires[self.wiring.wire_of[bid.channel]].credits;
        match credits.back_mut().filter(|last| last.0 == step) {
            Some(last) => last.1.push(bid.channel),
            None => credits.push_back((step, vec![bid.channel])),
        }
        if is_last {
            self.channels[bid.channel].stage = Stage::Idle;
        } else if self.pipeline.holds && !self.channels[bid.channel].buffer.is_empty() {
            self.switches[number].held.push(Bid { speculates: false, ..bid });
        }
    }
}
