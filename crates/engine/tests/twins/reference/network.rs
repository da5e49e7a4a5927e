//! Packets, channels, buffers and output queues.

use super::machine::{Event, NEVER, Reference, Time};
use super::tally::Tally;
use super::weighing::Way;
use super::windows::Queue;
use super::wiring::{End, Group};
use std::collections::VecDeque;
use tailback_engine::spec::{Mode, Switching};

#[derive(Clone, Debug)]
pub struct Packet {
    pub is_ack: bool,
    pub message: usize,
    pub source: usize,
    pub destination: usize,
    pub bytes: u32,
    /// What tells it from all others when something is drawn for it.
    pub drawn_by: u64,
    /// Messages and packets of its process before it.
    pub before: (u64, u64),
    /// Where it is going.
    pub way: Way,
    /// Whether it is the last data packet of its message.
    pub is_last: bool,
    /// Channels it has started on.
    pub hops: u16,
    pub queued: Time,
    pub first_sent: Time,
    pub first_internal: Time,
    pub delivered: Time,
    /// How much longer it was in its receiver because of others, and the channel to that.
    pub late: Time,
    pub last: usize,
}

/// A channel with the input buffer at its far end (unused when that is a node).
#[derive(Default)]
pub struct Channel {
    pub is_busy: bool,
    /// The channel whose buffer the packet now being sent comes from.
    input: Option<usize>,
    /// That packet.
    packet: usize,
    pub buffer: VecDeque<Waiting>,
    pub occupied_tokens: u32,
    /// Since when the packet at the front of the buffer has been there.
    pub front_since: Time,
    /// With mode `endpoints`, at the first of a group from switch to node: who is there, in order.
    pub arrivals: VecDeque<(usize, Time)>,
    pub tally: Tally,
}

pub struct Waiting {
    pub packet: usize,
    /// When its header can ask for the next channel.
    pub ready: Time,
    /// Since when it is being sent; it leaves the buffer when its last token has left.
    pub left: Option<Time>,
}

/// The output queues of a node. A common queue is `data`.
#[derive(Default)]
pub struct Output {
    pub acks: Queue,
    pub data: Queue,
}

impl Reference {
    pub fn tokens(&self, packet: usize) -> u32 {
        let end = u32::from(self.spec.machine.link.end_token);
        self.spec.machine.interface.header_bytes + self.packets[packet].bytes + end
    }

    /// How long a packet with so many data bytes occupies a channel of a group.
    pub fn duration(&self, bytes: u32, group: usize) -> Time {
        self.ends_of_flits(bytes, self.flit_times_now(group)).last().copied().unwrap()
    }

    /// When each flit of a packet that starts on a channel at 0 has been sent.
    fn ends_of_flits(&self, bytes: u32, [flit, end]: [Time; 2]) -> Vec<Time> {
        let flits = u64::from(self.spec.machine.interface.header_bytes + bytes);
        let last = flits * flit + end;
        let end = self.spec.machine.link.end_token.then_some(last);
        (1..=flits).map(|sent| sent * flit).chain(end).collect()
    }

    /// From the start on a channel until the header is at its far end.
    pub fn header_delay(&self, group: usize) -> Time {
        let [flit, _] = self.flit_times_now(group);
        u64::from(self.spec.machine.interface.header_bytes) * flit + self.wire_delay(group)
    }

    /// From the start of a packet on a channel of one group until it can start on one of the
    /// next: when its header, or with store and forward all of it, is at the switch, and
    /// every later flit is there when it is its turn.
    fn onward(&self, bytes: u32, group: usize, next: usize) -> Time {
        let machine = &self.spec.machine;
        let is_first = matches!(self.wiring.groups[group].from, End::Node(_));
        let at_edge = if is_first { machine.switch.edge_delay_ps } else { 0 };
        let at_switch = match (self.wiring.groups[group].to, &self.wiring.hosts) {
            (End::Switch(switch), Some(hosts)) if self.wiring.is_host(switch) => hosts.delay_ps(),
            _ => machine.switch.delay_ps + at_edge,
        };
        let delay = self.wire_delay(group) + at_switch;
        let there: Vec<Time> = self
            .ends_of_flits(bytes, self.flit_times_now(group))
            .iter()
            .map(|end| end + delay)
            .collect();
        if machine.switch.switching == Switching::StoreAndForward {
            return *there.last().unwrap();
        }
        let usual = self.wiring.flit_times(machine, next);
        let starts = [0].into_iter().chain(self.ends_of_flits(bytes, usual));
        let header = machine.interface.header_bytes as usize;
        let late = there.iter().zip(starts).skip(header).map(|(&there, starts)| {
            // A flit may wait, the wire may not.
            there.saturating_sub(starts)
        });
        late.chain([there[header - 1]]).max().unwrap()
    }

    /// The same for the last of all groups that it may take at the switch there.
    fn onward_to_any(&self, packet: usize, group: usize) -> Time {
        let bytes = self.packets[packet].bytes;
        let here = self.wiring.groups[group].to;
        let End::Switch(switch) = here else { unreachable!("packets go on at switches") };
        let aims = self.may_aim(packet, switch).into_iter();
        let outputs = aims.flat_map(|aim| {
            let mut outputs = self.wiring.outputs(here, aim, Some(group));
            outputs.truncate(if self.has_allocators() { usize::MAX } else { 1 });
            outputs
        });
        outputs.map(|(next, _)| self.onward(bytes, group, next)).max().unwrap()
    }

    pub fn wire_delay(&self, group: usize) -> Time {
        self.wiring.delay_ps(&self.spec.machine, group)
    }

    /// A packet joins the output queue of its source node.
    pub fn queue(&mut self, packet: Packet) {
        let number = self.packets.len();
        self.packets.push(packet);
        self.packets[number].way = self.first_way(number);
        match self.spec.mode {
            Mode::Full | Mode::Endpoints => self.line_up(number),
            _ => self.follow(number),
        }
    }

    /// A packet starts on a channel, out of the buffer of `input` or of a node.
    pub fn start(&mut self, packet: usize, channel: usize, input: Option<usize>) {
        let group = self.wiring.group_of[channel];
        let end = self.now + self.duration(self.packets[packet].bytes, group);
        let header_there = self.now + self.header_delay(group);
        let could_start = match input {
            Some(input) => self.waiting(input, packet).ready,
            None => self.packets[packet].queued,
        };
        self.note_start(packet, channel, self.now, self.now - could_start);
        self.is_on_its_way_to(packet, self.wiring.groups[group].to);
        if let End::Node(_) = self.wiring.groups[group].to {
            self.post(header_there, Event::Head { number: channel, packet });
            self.will_be_there((channel, channel), packet, self.now);
        } else {
            let ready = self.now + self.onward_to_any(packet, group);
            self.post(ready, Event::Ready { packet });
            self.channels[channel].occupied_tokens += self.tokens(packet);
            let waiting = Waiting { packet, ready, left: None };
            self.channels[channel].buffer.push_back(waiting);
        }
        if input.is_none() {
            self.leaves_node(packet, end);
            self.reply_leaves(packet, end);
        }
        self.channels[channel].is_busy = true;
        self.channels[channel].input = input;
        self.channels[channel].packet = packet;
        self.post(end, Event::Left { channel });
    }

    /// A packet in the buffer at the end of a channel.
    fn waiting(&self, input: usize, packet: usize) -> &Waiting {
        let mut buffer = self.channels[input].buffer.iter();
        buffer.find(|waiting| waiting.packet == packet).expect("it is there")
    }

    /// Writes down that a packet starts on a channel for which it has waited.
    pub fn note_start(&mut self, packet: usize, channel: usize, at: Time, wait: Time) {
        let group = &self.wiring.groups[self.wiring.group_of[channel]];
        let is_internal = matches!((group.from, group.to), (End::Switch(_), End::Switch(_)));
        let row = &mut self.packets[packet];
        let is_first_internal = is_internal && row.first_internal == NEVER;
        if is_first_internal {
            row.first_internal = at;
        }
        let is_first = row.hops == 0;
        if is_first {
            row.first_sent = at;
        }
        row.hops += 1;
        self.channels[channel].tally.packet_starts(wait, is_first || is_first_internal);
        if is_first {
            self.count_sent(packet);
        }
    }

    /// Mode `endpoints`: idle channels of nodes, and idle channels to nodes, take the first in
    /// line, as long as there is one.
    pub fn ends_act(&mut self) {
        for node in 0..self.outputs.len() {
            let is_its = |group: &Group| group.from == End::Node(node);
            let group = self.wiring.groups.iter().position(is_its).expect("every node can send");
            while let Some(channel) = self.idle_channel(group)
                && let Some(packet) = self.at_hand(node)
            {
                self.send_at_hand(packet);
                self.set_out(packet, channel);
            }
        }
        for group in 0..self.wiring.groups.len() {
            let lead = self.wiring.groups[group].channels[0];
            while let Some(channel) = self.idle_channel(group)
                && let Some((packet, since)) = self.channels[lead].arrivals.pop_front()
            {
                self.occupy_end(packet, channel, since);
                self.post_arrival(packet, channel, self.now);
            }
        }
    }

    fn idle_channel(&self, group: usize) -> Option<usize> {
        if !self.has_place(group) {
            return None;
        }
        let mut channels = self.wiring.groups[group].channels.iter().copied();
        channels.find(|&channel| !self.channels[channel].is_busy)
    }

    fn occupy_end(&mut self, packet: usize, channel: usize, since: Time) {
        let group = self.wiring.group_of[channel];
        let duration = self.duration(self.packets[packet].bytes, group);
        self.channels[channel].is_busy = true;
        self.post(self.now + duration, Event::Left { channel });
        self.note_start(packet, channel, self.now, self.now - since);
        self.channels[channel].tally.busy += duration;
    }

    fn post_arrival(&mut self, packet: usize, channel: usize, start: Time) {
        let head = start + self.header_delay(self.wiring.group_of[channel]);
        self.post(head, Event::Head { number: packet, packet });
        self.will_be_there((packet, channel), packet, start);
    }

    /// A packet leaves its node and meets nobody until its header is at its last switch.
    fn set_out(&mut self, packet: usize, first: usize) {
        self.occupy_end(packet, first, self.packets[packet].queued);
        let takes = self.duration(self.packets[packet].bytes, self.wiring.group_of[first]);
        self.leaves_node(packet, self.now + takes);
        let (destination, bytes) = (self.packets[packet].destination, self.packets[packet].bytes);
        let (mut group, mut time) = (self.wiring.group_of[first], self.now);
        loop {
            let at = self.wiring.groups[group].to;
            if at == End::Node(destination) {
                return self.post_arrival(packet, first, time);
            }
            let next = self.wiring.route(at, self.aim(packet), Some(group));
            time += self.onward(bytes, group, next);
            group = next;
            if self.wiring.groups[group].to == End::Node(destination) {
                return self.post(time, Event::Ready { packet });
            }
            let channel = self.wiring.groups[group].channels[0];
            self.note_start(packet, channel, time, 0);
            self.channels[channel].tally.busy += self.duration(bytes, group);
        }
    }

    /// Mode `endpoints`: the header of a packet is at its last switch.
    pub fn is_at_its_end(&mut self, packet: usize) {
        let destination = End::Node(self.packets[packet].destination);
        let is_end =
            |group: &Group| group.to == destination && matches!(group.from, End::Switch(_));
        let group = self.wiring.groups.iter().position(is_end).expect("every node is reached");
        let lead = self.wiring.groups[group].channels[0];
        self.channels[lead].arrivals.push_back((packet, self.now));
    }

    /// The last token of a packet has left the sending side of a channel.
    pub fn left(&mut self, channel: usize) {
        self.channels[channel].is_busy = false;
        if let Some(input) = self.channels[channel].input.take() {
            let (sent, buffer) = (self.channels[channel].packet, &mut self.channels[input].buffer);
            let place = buffer.iter().position(|waiting| waiting.packet == sent);
            let gone = place.and_then(|place| buffer.remove(place)).expect("it was there");
            self.channels[input].occupied_tokens -= self.tokens(gone.packet);
            self.channels[input].front_since = self.now;
        }
    }

    /// The whole way of a packet in the modes without contention.
    ///
    /// It can be worked out when the packet starts: those who share a queue are served in the
    /// order in which they started.
    pub fn travel_without_contention(&mut self, packet: usize) {
        self.packets[packet].queued = self.now;
        let (source, destination) = (self.packets[packet].source, self.packets[packet].destination);
        let bytes = self.packets[packet].bytes;
        let (mut at, mut time, mut input) = (End::Node(source), self.now, None);
        loop {
            let number = self.wiring.route(at, self.aim(packet), input);
            time += input.map_or(0, |input| self.onward(bytes, input, number));
            let duration = self.duration(bytes, number);
            let group = &self.wiring.groups[number];
            // An unlimited channel counts as the first of its hunt group.
            let (mut channel, mut wait) = (group.channels[0], 0);
            let is_first_internal =
                self.packets[packet].hops == 1 && group.to != End::Node(destination);
            if is_first_internal && self.spec.mode == Mode::Throttled {
                let wire_of = &self.wiring.wire_of;
                let wait_for =
                    |&channel: &usize| self.wires_free_at[wire_of[channel]].saturating_sub(time);
                channel = group.channels.iter().copied().min_by_key(wait_for).unwrap();
                wait = wait_for(&channel);
                self.wires_free_at[wire_of[channel]] = time + wait + duration;
            }
            (at, input) = (group.to, Some(number));
            time += wait;
            self.note_start(packet, channel, time, wait);
            self.channels[channel].tally.busy += duration;
            if self.packets[packet].hops == 1 {
                self.leaves_node(packet, time + duration);
            }
            let header_there = time + self.header_delay(number);
            if at == End::Node(destination) {
                self.post(header_there, Event::Head { number: packet, packet });
                return self.will_be_there((packet, channel), packet, time);
            }
        }
    }
}

impl Packet {
    /// A packet that has not been sent; `way` is its source and destination node.
    pub fn new(is_ack: bool, message: usize, way: (usize, usize), bytes: u32, now: Time) -> Self {
        let (source, destination) = way;
        let (queued, first_sent, first_internal, delivered) = (now, NEVER, NEVER, NEVER);
        Self {
            is_ack,
            message,
            source,
            destination,
            bytes,
            drawn_by: 0,
            before: (0, 0),
            way: Way::Direct,
            is_last: false,
            hops: 0,
            queued,
            first_sent,
            first_internal,
            delivered,
            late: 0,
            last: 0,
        }
    }
}
