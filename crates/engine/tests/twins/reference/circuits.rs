//! Circuits: every header is looked at again and again until nobody can have a channel.

use super::machine::{Event, Reference, Time};
use super::network::Packet;
use super::wiring::End;
use tailback_engine::spec::{Arbiter, Mode, Switching};

/// The circuit of a packet, as far as it has come.
#[derive(Default)]
pub struct Circuit {
    /// The channels it has.
    way: Vec<usize>,
    /// When its header asks at a switch.
    asks_from: Time,
    has_ended: bool,
}

impl Reference {
    pub fn makes_circuits(&self) -> bool {
        self.spec.machine.switch.switching == Switching::Circuit
    }

    /// Everybody gets a channel who can: those in nodes, then at switches the first who can.
    pub fn circuits_act(&mut self) {
        self.circuits.resize_with(self.packets.len(), Circuit::default);
        for node in 0..self.outputs.len() {
            while let Some(packet) = self.at_hand(node)
                && let Some(channel) = self.channel_for(packet, End::Node(node), None)
            {
                self.send_at_hand(packet);
                self.takes(packet, channel, self.packets[packet].queued);
            }
        }
        while let Some((packet, channel)) = self.first_who_can() {
            self.takes(packet, channel, self.circuits[packet].asks_from);
        }
    }

    fn first_who_can(&self) -> Option<(usize, usize)> {
        let mut asking: Vec<usize> = (0..self.circuits.len()).filter(|&p| self.asks(p)).collect();
        let is_by_age = self.spec.machine.switch.arbiter == Arbiter::OldestFirst;
        asking.sort_by_key(|&packet| {
            let asked = if is_by_age { 0 } else { self.circuits[packet].asks_from };
            (self.is_later_class(packet), asked, packet)
        });
        asking.into_iter().find_map(|packet| {
            let group = self.group_before(packet);
            let here = self.wiring.groups[group].to;
            self.channel_for(packet, here, Some(group)).map(|channel| (packet, channel))
        })
    }

    fn group_before(&self, packet: usize) -> usize {
        self.wiring.group_of[*self.circuits[packet].way.last().expect("it has left its node")]
    }

    fn asks(&self, packet: usize) -> bool {
        let circuit = &self.circuits[packet];
        let has_left = !circuit.way.is_empty() && !circuit.has_ended;
        has_left && circuit.asks_from <= self.now && !self.is_complete(packet)
    }

    fn is_complete(&self, packet: usize) -> bool {
        matches!(self.wiring.groups[self.group_before(packet)].to, End::Node(_))
    }

    /// The first of all channels by which a packet may go on that is nobody's.
    fn channel_for(&self, packet: usize, at: End, input: Option<usize>) -> Option<usize> {
        let mut outputs = self.wiring.outputs(at, self.packets[packet].destination, input);
        outputs.sort_by_key(|&(_, tier)| tier);
        let channels = outputs.iter().flat_map(|&(group, _)| &self.wiring.groups[group].channels);
        channels.copied().find(|&channel| self.is_for_all(channel) || !self.is_held(channel))
    }

    /// Whether everybody can have a channel at once.
    fn is_for_all(&self, channel: usize) -> bool {
        let group = &self.wiring.groups[self.wiring.group_of[channel]];
        let is_internal = matches!((group.from, group.to), (End::Switch(_), End::Switch(_)));
        is_internal && self.spec.mode == Mode::Endpoints
    }

    fn is_held(&self, channel: usize) -> bool {
        self.circuits.iter().any(|one| !one.has_ended && one.way.contains(&channel))
    }

    fn takes(&mut self, packet: usize, channel: usize, asked: Time) {
        self.note_start(packet, channel, self.now, self.now - asked);
        let group = self.wiring.group_of[channel];
        self.circuits[packet].way.push(channel);
        if let End::Node(_) = self.wiring.groups[group].to {
            let way = self.circuits[packet].way.clone();
            let (head, tail) = self.ends_of_circuit(packet, &way, self.now);
            self.leaves_node(packet, tail);
            self.post(head, Event::Head { number: channel, packet });
            return self.post(tail, Event::Tail { number: channel, turn: 0, packet });
        }
        let asks_from = self.now + self.header_delay(group) + self.spec.machine.switch.delay_ps;
        self.circuits[packet].asks_from = asks_from;
        self.post(asks_from, Event::Ready { packet });
    }

    /// When the header, and when all of a packet is there whose circuit got its last channel
    /// at some instant: each flit passes all channels as it passes the slowest.
    fn ends_of_circuit(&self, packet: usize, way: &[usize], at: Time) -> (Time, Time) {
        let machine = &self.spec.machine;
        let groups: Vec<usize> = way.iter().map(|&channel| self.wiring.group_of[channel]).collect();
        let times = groups.iter().map(|&group| self.wiring.flit_times(machine, group));
        let slowest = times.fold([0, 0], |[a, b], [c, d]| [a.max(c), b.max(d)]);
        let wires = groups.iter().map(|&group| self.wiring.delay_ps(machine, group));
        let switches = (groups.len() as u64 - 1) * machine.switch.delay_ps;
        let head = at + self.header_delay(groups[groups.len() - 1]);
        let data = u64::from(self.packets[packet].bytes) * slowest[0] + slowest[1];
        (head, head + data + wires.sum::<u64>() + switches)
    }

    /// A packet has been delivered: its circuit is no more.
    pub fn circuit_ends(&mut self, packet: usize) {
        if let Some(circuit) = self.circuits.get_mut(packet) {
            circuit.has_ended = true;
        }
    }

    /// Time passes in which circuits hold their channels.
    pub fn circuits_hold(&mut self, time: Time) {
        for circuit in self.circuits.iter().filter(|one| !one.has_ended) {
            for &channel in &circuit.way {
                self.channels[channel].tally.busy += time;
            }
        }
    }

    /// In the modes without contention: the same for a packet that starts now.
    pub fn travel_as_circuit(&mut self, packet: usize) {
        self.packets[packet].queued = self.now;
        let Packet { source, destination, is_ack, message, .. } = self.packets[packet];
        let (mut at, mut time, mut input) = (End::Node(source), self.now, None);
        let mut starts: Vec<(usize, Time)> = Vec::new();
        while at != End::Node(destination) {
            let group = self.wiring.route(at, destination, input);
            let mut channel = self.wiring.groups[group].channels[0];
            let mut wait = 0;
            if let Some(input) = input {
                time += self.header_delay(input) + self.spec.machine.switch.delay_ps;
            }
            let leads_to_switch = matches!(self.wiring.groups[group].to, End::Switch(_));
            if starts.len() == 1 && leads_to_switch && self.spec.mode == Mode::Throttled {
                let free_at = |channel: usize| self.wires_free_at[self.wiring.wire_of[channel]];
                let channels = self.wiring.groups[group].channels.iter().copied();
                channel = channels.min_by_key(|&channel| free_at(channel).max(time)).unwrap();
                wait = free_at(channel).saturating_sub(time);
            }
            time += wait;
            self.note_start(packet, channel, time, wait);
            starts.push((channel, time));
            (at, input) = (self.wiring.groups[group].to, Some(group));
        }
        let way: Vec<usize> = starts.iter().map(|start| start.0).collect();
        let (head, tail) = self.ends_of_circuit(packet, &way, time);
        for (place, &(channel, start)) in starts.iter().enumerate() {
            self.channels[channel].tally.busy += tail - start;
            if place == 1 && place + 1 < starts.len() {
                self.wires_free_at[self.wiring.wire_of[channel]] = tail;
            }
        }
        self.leaves_node(packet, tail);
        self.post(head, Event::Head { number: packet, packet });
        self.post(tail, Event::Tail { number: packet, turn: 0, packet });
        if !is_ack && self.window() > 1 {
            self.messages[message].sent_until.sort_unstable();
            self.messages[message].sent_until[0] = tail;
            self.messages[message].behind.pop_front();
            self.start_next(message);
        }
    }

    /// A packet comes to stand behind those of its message that have not started.
    pub fn follow_circuits(&mut self, packet: usize) {
        let Packet { is_ack, message, source, destination, .. } = self.packets[packet];
        if is_ack || self.window() == 1 {
            return self.post(self.now, Event::Sets { packet });
        }
        let group = self.wiring.route(End::Node(source), destination, None);
        let wires = self.wiring.groups[group].channels.len();
        self.messages[message].sent_until.resize(wires, 0);
        self.messages[message].behind.push_back(packet);
        if self.messages[message].behind.len() == 1 {
            self.start_next(message);
        }
    }

    /// The first of those starts when a wire of its node is free of packets of its message.
    fn start_next(&mut self, message: usize) {
        if let Some(&packet) = self.messages[message].behind.front() {
            let free = *self.messages[message].sent_until.iter().min().unwrap();
            self.post(self.now.max(free), Event::Sets { packet });
        }
    }
}
