//! Who asks, and who is granted which channel.

use super::simulator::{Owner, Packet, Simulator};
use crate::common::arbiters::{Request, rank};
use crate::reference::wiring::End;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::{Arbiter, Selection, Spec};
use tailback_engine::time::{NEVER, Time};

/// Random numbers, by group or by switch.
pub struct Draws {
    arbitration: Vec<Stream>,
    selection: Vec<Stream>,
}

impl Draws {
    pub fn new(spec: &Spec, groups: usize) -> Self {
        let streams = |purpose| {
            (0..groups as u32).map(|number| Stream::new(spec.seed, purpose, number)).collect()
        };
        Self { arbitration: streams(Purpose::Arbitration), selection: streams(Purpose::Selection) }
    }
}

impl Simulator {
    /// The packet at the front of a buffer asks for its output when its header is there.
    pub fn front_asks(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        let Some(&(packet, _)) = channel.buffer.front() else { return };
        if self.packets[packet].may_ask > self.now {
            return;
        }
        let header_end = self.machine.interface.header_bytes as usize - 1;
        if channel.front_has_asked || !channel.buffer.contains(&(packet, header_end)) {
            return;
        }
        channel.front_has_asked = true;
        if !self.lacks_place(packet, number) {
            self.asks(packet, number);
        }
    }

    /// The packet at the front of a buffer joins those that wait for its output.
    pub fn asks(&mut self, packet: usize, number: usize) {
        let here = self.wiring.groups[self.wiring.group_of[number]].to;
        let request = (packet, Some(number));
        if !self.wiring.chooses() {
            let output = self.outputs(packet)[0].0;
            return self.requests[output].push(request);
        }
        let allocator = self.wiring.groups.iter().position(|group| group.from == here).unwrap();
        let (End::Switch(switch), waiting) = (here, &mut self.requests[allocator]) else { return };
        // Each place among those that wait is as likely as any other.
        let place = match self.machine.switch.arbiter {
            Arbiter::Random => self.draws.arbitration[switch].below(waiting.len() as u64 + 1),
            _ => waiting.len() as u64,
        };
        waiting.insert(place as usize, request);
    }

    /// The groups a packet may leave the buffer by that it is in.
    pub fn outputs(&self, packet: usize) -> Vec<(usize, u8)> {
        let Packet { row, way, traffic, .. } = &self.packets[packet];
        let input = self.wiring.group_of[way[way.len() - 1]];
        let here = self.wiring.groups[input].to;
        let named = self.wiring.outputs(here, row.destination as usize, Some(input));
        let own = |(group, tier)| (self.wiring.group_for(group, *traffic), tier);
        named.into_iter().map(own).collect()
    }

    /// A group or a switch grants what it can.
    pub fn grant(&mut self, place: usize) {
        let is_switch = matches!(self.wiring.groups[place].from, End::Switch(_));
        if is_switch && self.wiring.chooses() {
            return self.grant_choices(place);
        }
        while !self.requests[place].is_empty() {
            let Some(channel) = self.idle(place) else { return };
            let best = self.best(place);
            let (packet, input) = self.requests[place].remove(best);
            let number = self.input(packet, input);
            self.inputs_granted[place].push(number);
            self.turn_is_over(place, packet);
            self.take(packet, channel, input);
        }
    }

    fn take(&mut self, packet: usize, channel: usize, input: Option<usize>) {
        self.channels[channel].owner = Some(Owner { packet, input, flit: 0 });
        self.packets[packet].way.push(channel);
        self.packets[packet].granted = self.now;
        self.may_take_place(packet, channel);
        if input.is_none() {
            self.leave_list(packet);
        }
    }

    /// The idle channel of a group that a packet would take.
    fn idle(&self, group: usize) -> Option<usize> {
        if !self.has_place(group) {
            return None;
        }
        let all = self.wiring.groups[group].channels.iter().copied();
        let idle = all.filter(|&channel| self.channels[channel].owner.is_none());
        idle.min_by_key(|&channel| (self.channels[channel].credits == 0, channel))
    }

    /// The best first, all that wait at a switch get an output if there is one for them.
    fn grant_choices(&mut self, allocator: usize) {
        let mut order = self.requests[allocator].clone();
        order.sort_by_key(|&request| self.rank(allocator, request));
        for (packet, input) in order {
            if let Some(channel) = self.select(allocator, packet) {
                self.requests[allocator].retain(|&(other, _)| other != packet);
                let number = self.input(packet, input);
                self.inputs_granted[allocator].push(number);
                self.take(packet, channel, input);
            }
        }
    }

    /// Of the channels that a packet may take, in the first tier that has any.
    fn select(&mut self, allocator: usize, packet: usize) -> Option<usize> {
        let outputs = self.outputs(packet);
        let free = |tier| -> Vec<usize> {
            let groups = outputs.iter().filter(|output| output.1 == tier);
            groups.filter_map(|&(group, _)| self.free(group, packet)).collect()
        };
        let mut free = [0, 1].map(free).into_iter().find(|free| !free.is_empty())?;
        let has_credit = |&channel: &usize| self.channels[channel].credits > 0;
        if free.iter().any(has_credit) {
            free.retain(has_credit);
        }
        let End::Switch(switch) = self.wiring.groups[allocator].from else { return None };
        let mut all = free.iter().copied();
        match self.machine.routing.selection {
            Selection::First => all.next(),
            Selection::Random => {
                all.nth(self.draws.selection[switch].below(free.len() as u64) as usize)
            }
            Selection::FewestWaiting => all.min_by_key(|&channel| self.waiting(channel)),
            Selection::MostCredit => all.min_by_key(|&channel| NEVER - self.room(channel)),
        }
    }

    /// The channel of a group that a packet with a choice would take.
    fn free(&self, group: usize, packet: usize) -> Option<usize> {
        if !self.wiring.escapes() {
            return self.idle(group);
        }
        let empty = Time::from(self.machine.switch.input_buffer());
        let mut all = self.wiring.groups[group].channels.iter().copied();
        all.find(|&channel| {
            let needed = empty.min(self.packets[packet].flits as Time);
            let is_free = self.channels[channel].owner.is_none() && self.has_place(group);
            is_free && self.room(channel) >= needed
        })
    }

    fn room(&self, channel: usize) -> Time {
        Time::from(self.channels[channel].credits)
    }

    /// Packets that were granted a channel, and before this instant no further one.
    fn waiting(&self, channel: usize) -> usize {
        let waits = |packet: &&Packet| {
            let counted = packet.way.len() - usize::from(packet.granted == self.now);
            counted > 0 && packet.way[counted - 1] == channel
        };
        let is_there = |packet: &&Packet| packet.row.delivered == NEVER;
        self.packets.iter().filter(is_there).filter(waits).count()
    }

    /// The place of the best request of a group. Of equals the first is the best.
    fn best(&mut self, group: usize) -> usize {
        if let End::Node(node) = self.wiring.groups[group].from {
            return self.at_hand(node, group);
        }
        let requests = &self.requests[group];
        if self.machine.switch.arbiter == Arbiter::Random {
            return self.draws.arbitration[group].below(requests.len() as u64) as usize;
        }
        let rank = |&place: &usize| self.rank(group, requests[place]);
        (0..requests.len()).min_by_key(rank).unwrap()
    }

    /// Where the smallest is the best.
    fn rank(&self, place: usize, (packet, input): (usize, Option<usize>)) -> Time {
        let Packet { row, traffic, .. } = &self.packets[packet];
        let class = self.machine.routing.traffic_classes.get(*traffic);
        let request = Request {
            input: self.input(packet, input),
            is_from_node: row.first_internal == NEVER,
            queued: row.queued,
            hops: row.hops.into(),
            urgency: class.map_or(0, |class| class.priority),
        };
        rank(self.machine.switch.arbiter, &request, &self.inputs_granted[place])
    }

    /// The channel in whose buffer a packet is that asks; of one in its node's list the first
    /// that would lead from there.
    fn input(&self, packet: usize, input: Option<usize>) -> usize {
        let source = End::Node(self.packets[packet].row.source as usize);
        let of_node = || self.wiring.groups.iter().find(|group| group.from == source).unwrap();
        input.unwrap_or_else(|| of_node().channels[0])
    }
}
