//! Several packets of a message in flight, and the order in which packets leave a node.

use super::machine::{Event, Reference, Time};
use super::network::Packet;
use super::wiring::End;
use std::collections::VecDeque;
use tailback_engine::spec::{MessageOrder, Mode};

/// An output queue of a node.
#[derive(Default)]
pub struct Queue {
    /// In order of queueing.
    packets: VecDeque<usize>,
    /// Whose packets and acknowledgements wait, the next to send first.
    turns: VecDeque<(usize, bool)>,
}

impl Reference {
    /// Packets of one message in flight, at most.
    pub fn window(&self) -> u32 {
        self.spec.machine.interface.window.unwrap_or(u32::MAX)
    }

    /// A packet joins an output queue of its node.
    pub fn line_up(&mut self, number: usize) {
        let Packet { is_ack, message, source, .. } = self.packets[number];
        let queue = self.output(source, is_ack);
        queue.packets.push_back(number);
        if !queue.turns.contains(&(message, is_ack)) {
            queue.turns.push_back((message, is_ack));
        }
    }

    fn output(&mut self, node: usize, is_ack: bool) -> &mut Queue {
        let is_first = is_ack && self.serves_by_rank() && self.spec.machine.interface.ack_priority;
        let output = &mut self.outputs[node];
        if is_first { &mut output.acks } else { &mut output.data }
    }

    /// The packet that a node would send next.
    pub fn at_hand(&self, node: usize) -> Option<usize> {
        let output = &self.outputs[node];
        let of = |queue: &Queue| match self.spec.machine.interface.message_order {
            MessageOrder::RoundRobin if self.serves_by_rank() => {
                let turn = *queue.turns.front()?;
                queue.packets.iter().copied().find(|&packet| self.turn(packet) == turn)
            }
            _ => queue.packets.front().copied(),
        };
        of(&output.acks).or_else(|| of(&output.data))
    }

    /// In mode `endpoints` nodes serve first come, first served, whatever they do otherwise; but
    /// not where they make circuits.
    fn serves_by_rank(&self) -> bool {
        self.spec.mode != Mode::Endpoints || self.makes_circuits()
    }

    fn turn(&self, packet: usize) -> (usize, bool) {
        (self.packets[packet].message, self.packets[packet].is_ack)
    }

    /// It is sent: of its message the next comes behind all that wait.
    pub fn send_at_hand(&mut self, packet: usize) {
        let turn = self.turn(packet);
        let queue = self.output(self.packets[packet].source, turn.1);
        queue.packets.retain(|&other| other != packet);
        queue.turns.retain(|&other| other != turn);
        let queue = self.output(self.packets[packet].source, turn.1);
        let packets = queue.packets.clone();
        if packets.into_iter().any(|other| self.turn(other) == turn) {
            self.output(self.packets[packet].source, turn.1).turns.push_back(turn);
        }
    }

    /// Data packets that wait in the output queue of a node.
    pub fn waiting_data_packets(&self, node: usize) -> usize {
        let waiting = self.outputs[node].data.packets.iter();
        let inside = if self.has_costs() { self.desks[node].waiting() } else { 0 };
        waiting.filter(|&&packet| !self.packets[packet].is_ack).count() + inside
    }

    /// Without contention a packet starts when one of its node's wires is free of those of its
    /// message before it; at once where only one can be in flight.
    pub fn follow(&mut self, number: usize) {
        let Packet { is_ack, message, source, destination, bytes, .. } = self.packets[number];
        assert!(!matches!(self.spec.mode, Mode::Full | Mode::Endpoints));
        if self.makes_circuits() {
            return self.follow_circuits(number);
        }
        let mut start = self.now;
        if !is_ack && self.window() > 1 {
            let group = self.wiring.route(End::Node(source), destination, None);
            let takes = self.duration(bytes, group);
            let wires = self.wiring.groups[group].channels.len();
            let sent: &mut Vec<Time> = &mut self.messages[message].sent_until;
            sent.resize(wires, 0);
            sent.sort_unstable();
            start = start.max(sent[0]);
            sent[0] = start + takes;
        }
        self.post(start, Event::Sets { packet: number });
    }
}
