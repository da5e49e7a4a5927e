//! Who asks, and who is granted which channel.

use super::simulator::{Owner, Packet, Simulator};
use crate::common::arbiters::{Request, rank};
use crate::common::draws;
use crate::common::requests::Sent;
use crate::reference::wiring::End;
use tailback_engine::spec::{Arbiter, Selection, Spec, Workload};
use tailback_engine::time::{NEVER, Time};

/// What random numbers are drawn by.
pub struct Draws {
    seed: u64,
    nodes: usize,
    /// By process, one for each class and node: how many messages it has sent.
    sent: Vec<u64>,
    /// The messages that are sent at times known beforehand.
    list: Vec<Sent>,
}

impl Draws {
    pub fn new(spec: &Spec, nodes: usize, list: Vec<Sent>) -> Self {
        let classes = match &spec.workload {
            Workload::Traffic(traffic) => traffic.classes.len(),
            _ => 1,
        };
        Self { seed: spec.seed, nodes, sent: vec![0; classes * nodes], list }
    }
}

impl Simulator {
    /// Numbers the messages of every process that are sent now.
    pub fn number_messages(&mut self) {
        let rows = self.draws.list.iter().enumerate();
        let now = rows.filter(|(_, (time, ..))| *time == self.now);
        let now: Vec<_> = now.map(|(number, row)| (number, row.1, row.3)).collect();
        for (message, (source, _), (class, _)) in now {
            self.number_message(message as u64, (class, source as usize));
        }
    }

    /// The same of one of a class from a node.
    pub fn number_message(&mut self, message: u64, (class, node): (usize, usize)) {
        let process = class * self.draws.nodes + node;
        let before = self.draws.sent[process];
        self.draws.sent[process] += 1;
        let of = self.packets.iter_mut().filter(|packet| packet.row.message == message);
        for (number, packet) in of.enumerate() {
            packet.drawn_by = draws::by(self.draws.seed, (process, before), (false, number as u64));
        }
    }

    /// What a packet draws by where it is now.
    fn drawn_by(&self, packet: usize) -> (u64, u64) {
        (self.packets[packet].drawn_by, self.packets[packet].row.hops.into())
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
        let (at, name) = if self.wiring.chooses() {
            let allocator = self.wiring.groups.iter().position(|group| group.from == here).unwrap();
            let End::Switch(switch) = here else { return };
            (allocator, switch)
        } else {
            let output = self.outputs(packet)[0].0;
            (output, output)
        };
        self.joins((at, name), (packet, Some(number)));
    }

    /// A request joins those that wait; with the place, how that is called in draws.
    pub fn joins(&mut self, (at, name): (usize, usize), request: (usize, Option<usize>)) {
        // Each place among those that wait is as likely as any other.
        let others = self.requests[at].len();
        let place = match self.machine.switch.arbiter {
            Arbiter::Random => {
                draws::place((self.draws.seed, name), self.drawn_by(request.0), others)
            }
            _ => others,
        };
        self.requests[at].insert(place, request);
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
            let granted = self.request((packet, input));
            self.granted_before[place].push(granted);
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
                let granted = self.request((packet, input));
                self.granted_before[allocator].push(granted);
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
                let by = self.drawn_by(packet);
                all.nth(draws::output((self.draws.seed, switch), by, free.len()))
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
        let rank = |&place: &usize| self.rank(group, requests[place]);
        (0..requests.len()).min_by_key(rank).unwrap()
    }

    /// Where the smallest is the best.
    fn rank(&self, place: usize, asking: (usize, Option<usize>)) -> Time {
        rank(&self.machine, &self.request(asking), &self.granted_before[place])
    }

    /// What an arbiter sees of a packet.
    fn request(&self, (packet, input): (usize, Option<usize>)) -> Request {
        let Packet { row, traffic, .. } = &self.packets[packet];
        Request {
            input: self.input(packet, input),
            is_from_node: row.first_internal == NEVER,
            queued: row.queued,
            hops: row.hops.into(),
            class: *traffic,
            bytes: row.bytes,
        }
    }

    /// The channel in whose buffer a packet is that asks; of one in its node's list the first
    /// that would lead from there.
    fn input(&self, packet: usize, input: Option<usize>) -> usize {
        let source = End::Node(self.packets[packet].row.source as usize);
        let of_node = || self.wiring.groups.iter().find(|group| group.from == source).unwrap();
        input.unwrap_or_else(|| of_node().channels[0])
    }
}
