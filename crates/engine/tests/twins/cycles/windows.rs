//! Several packets of a message in flight, and the order in which they leave their node.

use super::integrated::arbitration;
use super::simulator::Simulator;
use crate::common::random::Dice;
use crate::reference::wiring::End;
use tailback_engine::spec::{Machine, MessageOrder};
use tailback_engine::time::NEVER;

/// Machines with any window, whose messages are often of several packets.
pub fn open(dice: &mut Dice, machine: &mut Machine) {
    let interface = &mut machine.interface;
    interface.window = dice.one_of(&[None, None, Some(1), Some(2), Some(3), Some(5)]);
    interface.packet_bytes = dice.number(1, interface.packet_bytes.into()) as u32;
    if !machine.switch.integrated {
        interface.message_order = dice.one_of(&[MessageOrder::Fifo, MessageOrder::RoundRobin]);
    }
    interface.early_bytes = 0;
}

impl Simulator {
    /// A packet joins the output queue, or the list, of its node.
    pub fn line_up(&mut self, number: usize) {
        let row = self.packets[number].row;
        let node = row.source as usize;
        if self.is_integrated() {
            return self.lists[node].packets.push_back(number);
        }
        let group = self.wiring.route(End::Node(node), row.destination as usize, None);
        let group = self.wiring.group_for(group, self.packets[number].traffic);
        self.requests[group].push((number, None));
        if !self.turns[node].contains(&row.message) {
            self.turns[node].push_back(row.message);
        }
    }

    /// A packet of a message is there: the next is queued, if there is one.
    pub fn window_opens(&mut self, message: u64) {
        let is_next = |packet: &&mut super::simulator::Packet| {
            packet.row.message == message && packet.row.queued == NEVER
        };
        let (now, arbitration) = (self.now, arbitration(&self.machine));
        let mut packets = self.packets.iter_mut().enumerate();
        let Some((number, packet)) = packets.find(|(_, packet)| is_next(packet)) else { return };
        packet.row.queued = now;
        (packet.may_ask, packet.could_start) = (now + arbitration, now + arbitration);
        self.line_up(number);
    }

    /// The place in its output queue of the packet that a node would send next.
    pub fn at_hand(&self, node: usize, group: usize) -> usize {
        if self.machine.interface.message_order == MessageOrder::Fifo {
            return 0;
        }
        let turn = self.turns[node].front();
        let is_next = |&(packet, _): &(usize, _)| turn == Some(&self.packets[packet].row.message);
        self.requests[group].iter().position(is_next).unwrap()
    }

    /// A node's packet has left its queue: the next of its message comes behind all others.
    pub fn turn_is_over(&mut self, group: usize, packet: usize) {
        let End::Node(node) = self.wiring.groups[group].from else { return };
        let message = self.packets[packet].row.message;
        self.turns[node].retain(|&other| other != message);
        let of = |&(packet, _): &(usize, _)| self.packets[packet].row.message == message;
        if self.requests[group].iter().any(of) {
            self.turns[node].push_back(message);
        }
    }
}
