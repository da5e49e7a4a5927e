//! Nodes that are one with their switches: lists of packets, and delivery out of buffers.

use super::simulator::Simulator;
use crate::reference::wiring::End;
use std::collections::VecDeque;
use tailback_engine::spec::Machine;
use tailback_engine::time::Time;

/// The packets of a node that have not been granted a channel.
#[derive(Clone, Default)]
pub struct List {
    pub packets: VecDeque<usize>,
    /// The first of them has asked.
    has_asked: bool,
}

/// From when a header is at a node until it may ask, where nodes and switches are one.
pub fn arbitration(machine: &Machine) -> Time {
    if machine.switch.integrated { machine.switch.delay_ps } else { 0 }
}

impl Simulator {
    pub fn is_integrated(&self) -> bool {
        self.machine.switch.integrated
    }

    /// The first of every list asks for its channel, if it may; whether any did.
    pub fn lists_ask(&mut self) -> bool {
        let mut any = false;
        for node in 0..self.lists.len() {
            let Some(&packet) = self.lists[node].packets.front() else { continue };
            let may = self.packets[packet].may_ask <= self.now;
            if may && !std::mem::replace(&mut self.lists[node].has_asked, may) {
                let destination = self.packets[packet].row.destination as usize;
                let home = End::Switch(self.wiring.home(node));
                let output = self.wiring.route(home, destination, None);
                self.joins((output, output), (packet, None));
                any = true;
            }
        }
        any
    }

    /// A packet that has been granted a channel is in its node's list no more.
    pub fn leave_list(&mut self, packet: usize) {
        for list in &mut self.lists {
            if list.packets.front() == Some(&packet) {
                list.packets.pop_front();
                list.has_asked = false;
            }
        }
    }

    /// Flits at the front of a buffer whose packet ends there leave it, unless the packet
    /// before has not been sent.
    pub fn deliver(&mut self, number: usize) {
        let here = self.wiring.groups[self.wiring.group_of[number]].to;
        while let Some(&(packet, flit)) = self.channels[number].buffer.front() {
            let row = self.packets[packet].row;
            let ends = here == End::Switch(self.wiring.home(row.destination as usize));
            if !ends || self.channels[number].front_has_asked {
                return;
            }
            self.channels[number].buffer.pop_front();
            let back = self.now + self.machine.link.credit_delay_ps;
            self.channels[number].returning.push_back(back);
            self.credits_arrive(number);
            self.flit_is_delivered(number, packet, flit);
        }
    }

    fn flit_is_delivered(&mut self, number: usize, packet: usize, flit: usize) {
        let (now, undisturbed) = (self.now, self.undisturbed(packet));
        let early = self.machine.interface.early_bytes;
        let one = &mut self.packets[packet];
        if flit + 1 == (self.machine.interface.header_bytes + early.min(one.row.bytes)) as usize {
            one.begun = now;
        }
        if flit + 1 < one.flits {
            return;
        }
        one.row.delivered = now;
        let message = one.row.message;
        let undisturbed = one.started + undisturbed;
        if early >= one.row.bytes {
            // All of it is needed.
            one.begun = now;
        }
        let tally = &mut self.channels[number].tally;
        tally.internal_contention += now.saturating_sub(undisturbed);
        tally.caught_up += undisturbed.saturating_sub(now);
        self.window_opens(message);
    }
}
