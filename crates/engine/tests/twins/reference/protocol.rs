//! Messages, virtual links and acknowledgements.

use super::machine::{Reference, Time};
use super::network::Packet;
use crate::common::draws;
use crate::common::requests::Asks;
use std::collections::VecDeque;
use tailback_engine::spec::{Mode, Workload};

/// A virtual link: from a process, to a process, and which of those between the
/// two: the socket in programs, elsewhere the message, which has one of its own.
pub type Link = (usize, usize, usize);

#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Message {
    /// The sending and the receiving process.
    pub from: usize,
    pub to: usize,
    pub socket: u32,
    /// Its process, one for each traffic class, how many that sent before it, and how many acknowledgements of it there have been.
    sender: (usize, u64),
    packets_before: u64,
    answered_packets: u64,
    /// The sender's iteration (`synthetic` only).
    pub iteration: u64,
    /// Its traffic class, and what it is to its receiver.
    pub traffic: usize,
    pub asks: Asks,
    link: Link,
    pub packets: u32,
    /// Data bytes of its packets that have not been queued yet.
    pub bytes_left: u32,
    pub queued_packets: u32,
    delivered_packets: u32,
    pub acknowledged_packets: u32,
    /// Its packets that its receiver knows of and has not answered: by their headers, or
    /// without acknowledgements when they have been delivered.
    unanswered_packets: u32,
    /// Without contention: until when the wires of its node send packets of it.
    pub sent_until: Vec<Time>,
    /// The same with circuits: its packets that have not started.
    pub behind: VecDeque<usize>,
    /// With costs: what is to be paid first, whether it lets others go before it, and its
    /// packets that have arrived.
    pub start_up: Time,
    pub stands_aside: bool,
    pub come_packets: u32,
    is_accepted: bool,
    pub is_received: bool,
    pub is_acknowledged: bool,
}

impl Message {
    /// Messages and packets of its process before one of it.
    fn before(&self, number: u64) -> (u64, u64) {
        (self.sender.1, self.packets_before + number)
    }
}

impl Reference {
    /// Executes a send instruction and returns the number of the message.
    pub fn send(&mut self, way: (usize, usize), socket: u32, iteration: u64, bytes: u32) -> usize {
        self.send_as(way, (socket, iteration), bytes, (0, Asks::Nothing))
    }

    /// The same of a message of a traffic class.
    pub fn send_as(
        &mut self,
        way: (usize, usize),
        (socket, iteration): (u32, u64),
        bytes: u32,
        (traffic, asks): (usize, Asks),
    ) -> usize {
        let (from, to) = way;
        self.processes[from].unacknowledged += 1;
        let number = self.messages.len();
        let is_local = self.processes[from].node == self.processes[to].node;
        let start_up = if is_local { 0 } else { self.start_up(from) };
        let is_program = matches!(self.spec.workload, Workload::Program(_));
        let link = (from, to, if is_program { socket as usize } else { number });
        let sender = traffic * self.processes.len() + from;
        let packets = bytes.div_ceil(self.spec.machine.interface.packet_bytes).max(1);
        let sent = self.sent.entry(sender).or_default();
        let (before, packets_before) = *sent;
        *sent = (before + 1, packets_before + u64::from(packets));
        self.messages.push(Message {
            from,
            to,
            socket,
            sender: (sender, before),
            packets_before,
            answered_packets: 0,
            iteration,
            traffic,
            asks,
            link,
            packets,
            bytes_left: bytes,
            queued_packets: 0,
            delivered_packets: 0,
            acknowledged_packets: 0,
            unanswered_packets: 0,
            sent_until: Vec::new(),
            behind: VecDeque::new(),
            start_up,
            stands_aside: false,
            come_packets: 0,
            is_accepted: false,
            is_received: false,
            is_acknowledged: false,
        });
        let link = self.links.entry(link).or_default();
        link.push_back(number);
        if link.len() == 1 {
            self.begin(number);
        }
        number
    }

    /// A message is the first of its virtual link.
    fn begin(&mut self, number: usize) {
        if self.is_without_packets(number) {
            let message = &mut self.messages[number];
            message.delivered_packets = message.packets;
            let to = message.to;
            self.counters.sent += 1;
            self.processes[to].arrived.push(number);
            self.accept_what_it_is_ready_for(to);
        } else if self.has_costs() {
            self.enlist(number);
        } else {
            self.queue_packets(number);
        }
    }

    /// As many as there may be in flight.
    fn queue_packets(&mut self, number: usize) {
        let message = &self.messages[number];
        let in_flight = message.queued_packets - message.acknowledged_packets;
        if in_flight < self.window() && message.queued_packets < message.packets {
            self.queue_next_packet(number);
            self.queue_packets(number);
        }
    }

    pub fn send_row(&mut self, row: usize) {
        let (_, (source, destination), bytes, of) = self.rows.as_ref().expect("rows")[row];
        let way = (source as usize, destination as usize);
        let number = self.send_as(way, (0, 0), bytes, of);
        let is_list = matches!(self.spec.workload, Workload::Messages(_));
        assert!(!is_list || number == row, "rows are due in their order");
    }

    /// Arrives when it is sent, because nothing is in between.
    fn is_without_packets(&self, message: usize) -> bool {
        let Message { from, to, .. } = self.messages[message];
        let is_ideal = self.spec.mode == Mode::Ideal && !self.has_costs();
        is_ideal || self.processes[from].node == self.processes[to].node
    }

    fn queue_next_packet(&mut self, number: usize) {
        let packet = self.next_packet(number);
        self.queue(packet);
    }

    pub fn next_packet(&mut self, number: usize) -> Packet {
        let message = &mut self.messages[number];
        let bytes = message.bytes_left.min(self.spec.machine.interface.packet_bytes);
        message.bytes_left -= bytes;
        message.queued_packets += 1;
        let way = (self.processes[message.from].node, self.processes[message.to].node);
        let is_last = message.queued_packets == message.packets;
        let packet_number = u64::from(message.queued_packets) - 1;
        let drawn_by = draws::by(self.spec.seed, message.sender, (false, packet_number));
        let packet = Packet::new(false, number, way, bytes, self.now);
        let before = self.messages[number].before(packet_number);
        Packet { drawn_by, before, is_last, ..packet }
    }

    fn queue_acknowledgement(&mut self, number: usize) {
        let message = &mut self.messages[number];
        let way = (self.processes[message.to].node, self.processes[message.from].node);
        let packet = (true, message.answered_packets);
        message.answered_packets += 1;
        let drawn_by = draws::by(self.spec.seed, message.sender, packet);
        let before = message.before(packet.1);
        self.queue(Packet { drawn_by, before, ..Packet::new(true, number, way, 0, self.now) });
    }

    /// A packet has started on its injection channel.
    pub fn count_sent(&mut self, packet: usize) {
        self.counters.sent += u64::from(self.packets[packet].is_last);
    }

    fn acknowledges(&self) -> bool {
        self.spec.machine.interface.acknowledges && self.spec.mode != Mode::Ideal
    }

    /// The header of a packet has reached its destination node.
    pub fn head(&mut self, packet: usize) {
        let Packet { is_ack, message, .. } = self.packets[packet];
        if !is_ack && self.acknowledges() {
            self.answer_or_keep(message);
        }
    }

    /// The last token of a packet has reached its destination node.
    pub fn tail(&mut self, packet: usize) {
        self.packets[packet].delivered = self.now;
        let Packet { is_ack, message, bytes, .. } = self.packets[packet];
        if is_ack {
            return self.packets_acknowledged(message, 1);
        }
        if self.has_costs() {
            return self.packet_comes(message, bytes);
        }
        self.packet_taken(message);
    }

    /// A data packet is at its destination for good.
    pub fn packet_taken(&mut self, message: usize) {
        self.messages[message].delivered_packets += 1;
        if self.acknowledges() {
            self.received_if_complete(message);
        } else {
            self.answer_or_keep(message);
        }
    }

    /// The receiver of a message gets to know of a packet.
    fn answer_or_keep(&mut self, number: usize) {
        let message = &mut self.messages[number];
        message.unanswered_packets += 1;
        if message.is_accepted {
            return self.answer(number);
        }
        let (to, is_first) = (message.to, message.unanswered_packets == 1);
        if is_first {
            self.processes[to].arrived.push(number);
        }
        self.accept_what_it_is_ready_for(to);
    }

    /// All packets of an accepted message that the receiver knows of are answered.
    fn answer(&mut self, number: usize) {
        let packets = std::mem::take(&mut self.messages[number].unanswered_packets);
        if self.acknowledges() {
            (0..packets).for_each(|_| self.queue_acknowledgement(number));
            return;
        }
        self.received_if_complete(number);
        self.packets_acknowledged(number, packets);
    }

    fn packets_acknowledged(&mut self, number: usize, packets: u32) {
        let message = &mut self.messages[number];
        message.acknowledged_packets += packets;
        if message.acknowledged_packets < message.packets {
            if self.has_costs() {
                if self.messages[number].stands_aside {
                    self.enlist(number);
                }
                return;
            }
            return self.queue_packets(number);
        }
        self.acknowledged(number);
    }

    /// Accepts, of the messages whose header has arrived, in that order, those
    /// the process is ready for. Accepting one can end its readiness.
    pub fn accept_what_it_is_ready_for(&mut self, process: usize) {
        let arrived = |reference: &Self| reference.processes[process].arrived.clone();
        while let Some(number) = arrived(self).into_iter().find(|&m| self.is_ready_for(m)) {
            self.processes[process].arrived.retain(|&other| other != number);
            self.note_accepted(number);
            self.messages[number].is_accepted = true;
            if self.is_without_packets(number) {
                self.received_if_complete(number);
                self.acknowledged(number);
                continue;
            }
            self.answer(number);
            if self.acknowledges() {
                self.received_if_complete(number);
            }
        }
    }

    /// All of a message has been acknowledged: the next of its virtual link
    /// begins, and perhaps its sender goes on.
    fn acknowledged(&mut self, number: usize) {
        let link = self.links.get_mut(&self.messages[number].link).expect("it has a link");
        link.pop_front();
        if let Some(&next) = link.front() {
            self.begin(next);
        }
        self.messages[number].is_acknowledged = true;
        self.counters.acknowledged += 1;
        let from = self.messages[number].from;
        self.processes[from].unacknowledged -= 1;
        self.goes_on_if_it_can(from);
    }

    fn received_if_complete(&mut self, number: usize) {
        let message = &mut self.messages[number];
        if !message.is_accepted || message.delivered_packets < message.packets {
            return;
        }
        message.is_received = true;
        self.counters.delivered += 1;
        let (to, iteration) = (message.to, message.iteration);
        *self.processes[to].received.entry(iteration).or_default() += 1;
        self.goes_on_if_it_can(to);
        self.reply_to(number);
    }
}
