//! Nodes that drain what they take in one packet after the other.

use super::simulator::Simulator;
use crate::reference::wiring::End;
use std::collections::VecDeque;
use tailback_engine::time::{NEVER, Time};

/// What a node has taken in.
#[derive(Clone, Default)]
pub struct Receiver {
    /// Packets granted a channel to it and not drained, in that order.
    packets: VecDeque<usize>,
    /// When the one before them had been drained.
    since: Time,
}

impl Simulator {
    fn drains(&self) -> bool {
        let interface = &self.machine.interface;
        interface.receive_fifo.is_some() || interface.drain_byte_ps.is_some()
    }

    /// Whether a group may grant a channel as far as a receiver goes.
    pub fn has_place(&self, group: usize) -> bool {
        let End::Node(node) = self.wiring.groups[group].to else { return true };
        let places = self.machine.interface.receive_fifo.unwrap_or(u32::MAX);
        self.receivers[node].packets.len() < places as usize
    }

    /// A packet has been granted a channel.
    pub fn may_take_place(&mut self, packet: usize, channel: usize) {
        let to = self.wiring.groups[self.wiring.group_of[channel]].to;
        if let End::Node(node) = to
            && self.drains()
        {
            self.receivers[node].packets.push_back(packet);
        }
    }

    /// The last flit of a packet is at its node.
    pub fn is_there(&mut self, packet: usize) {
        self.packets[packet].there = self.now;
        if !self.drains() {
            self.is_delivered(packet);
        }
    }

    /// Nodes have drained packets at this instant: told in order of their channels.
    pub fn drain(&mut self) {
        let mut drained = Vec::new();
        for node in 0..self.receivers.len() {
            while let Some(&packet) = self.receivers[node].packets.front()
                && self.is_drained(packet, self.receivers[node].since)
            {
                self.receivers[node].packets.pop_front();
                self.receivers[node].since = self.now;
                drained.push(packet);
            }
        }
        drained.sort_by_key(|&packet| self.packets[packet].way.last().copied());
        drained.into_iter().for_each(|packet| self.is_delivered(packet));
    }

    /// Whether a packet has been drained, if that could begin at `since`.
    fn is_drained(&self, packet: usize, since: Time) -> bool {
        let one = &self.packets[packet];
        let begins = one.started.max(since);
        one.there != NEVER && self.now >= begins + self.takes(packet)
    }

    /// How long it takes to drain a packet.
    fn takes(&self, packet: usize) -> Time {
        let byte = self.machine.interface.drain_byte_ps.unwrap_or(0);
        byte * Time::from(self.packets[packet].row.bytes)
    }

    fn is_delivered(&mut self, packet: usize) {
        let one = &self.packets[packet];
        let undisturbed = one.started + self.undisturbed(packet).max(self.takes(packet));
        let tally = &mut self.channels[one.way[one.way.len() - 1]].tally;
        tally.internal_contention += self.now.saturating_sub(undisturbed);
        tally.caught_up += undisturbed.saturating_sub(self.now);
        self.packets[packet].row.delivered = self.now;
        self.window_opens(self.packets[packet].row.message);
        self.answer(packet);
    }
}
