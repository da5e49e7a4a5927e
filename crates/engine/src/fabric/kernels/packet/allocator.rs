//! Packets that have a choice of outputs, or outputs that share wires: they ask at the
//! allocator of their switch.
//!
//! Whenever an output of the switch falls free or has room, those that ask are served in
//! order of the arbiter. Nobody keeps an output while waiting for room, but a packet
//! that lacks room on a free channel is not passed there by one behind it.

use super::PacketKernel;
use crate::event_queue::EventQueue;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};

/// What serving an allocator needs, used again each time.
#[derive(Clone, Default)]
pub struct Allocator {
    /// Channels somebody waits for who asked before.
    claimed: Vec<ChannelId>,
    /// When the next output will be free or have room.
    again: Time,
}

impl PacketKernel {
    /// Those that ask at an allocator, the best first, each start if there is an output for them.
    pub fn serve_allocator(&mut self, allocator: ChannelId, act: &mut Act) {
        loop {
            self.board.list_asking(allocator, act);
            if self.slot > 0 {
                self.board.put_last(|channel| channel.port.kind == ChannelKind::Injection);
            }
            self.allocator.again = NEVER;
            let mut served = false;
            if self.slot > 0 {
                // Those that come nearer first, and only then those that do not.
                served |= self.serve_tiers(allocator, 0, act);
            }
            served |= self.serve_tiers(allocator, u8::MAX, act);
            // In the new order somebody may not be kept from a channel any more.
            if !served || !self.board.arbiter.reorders() {
                break;
            }
        }
        self.look_again(allocator, act.events);
    }

    /// Those that ask at an allocator start if there is an output for them in the tiers up to `most`;
    /// whether any did.
    fn serve_tiers(&mut self, allocator: ChannelId, most: u8, act: &mut Act) -> bool {
        self.allocator.claimed.clear();
        let (mut place, mut served) = (0, false);
        while let Some(input) = self.board.asking(place) {
            let most = if self.must_go(input, act.now) { most } else { 0 };
            let front = self.board.at(input).port.buffer.first;
            if let Some(until) = act.in_vain_until(front) {
                self.allocator.again = self.allocator.again.min(until);
                place += 1;
            } else if let Some(channel) = self.free_output(input, most, act) {
                let id = self.board.at(input).port.buffer.first;
                if let Some(at) = act.fails_under(channel, id) {
                    self.is_cut_off(channel, at, allocator, act);
                    self.allocator.again = self.allocator.again.min(at);
                    place += 1;
                    continue;
                }
                self.board.served(place);
                self.board.withdraw(allocator, input, act.packets);
                self.board.note_leaving(input, act.now);
                let id = self.board.at_mut(input).port.buffer.pop(act.packets);
                let tokens = self.places_of(id, act);
                let end = self.start_on_wire(channel, id, tokens, act);
                self.leave(input, tokens, end, act);
                served = true;
            } else {
                place += 1;
                if act.is_observed() {
                    let port = &self.board.at(input).port;
                    let id = port.buffer.first;
                    let lead = act.wiring.first_lead(port.switch, act.packets[id].header());
                    self.observe_room(lead, id, ChannelId::NONE, act);
                }
            }
        }
        served
    }

    /// Whether a packet at the front of a buffer is forced out of it by the next one. Until
    /// then it may wait for an output that brings it nearer.
    fn must_go(&self, input: ChannelId, now: Time) -> bool {
        self.slot == 0 || self.board.at(input).occupied_at(now) > self.slot
    }

    /// Whether what stands in a channel's buffer comes from a node.
    pub fn is_from_node(&self, input: ChannelId) -> bool {
        self.board.at(input).port.kind == ChannelKind::Injection
    }

    fn look_again(&mut self, allocator: ChannelId, events: &mut EventQueue) {
        let waits = self.board.at(allocator).port.first_waiting.is_some();
        if waits && self.allocator.again != NEVER {
            self.board.post_retry(allocator, self.allocator.again, events);
        }
    }

    /// The output that the front packet of `input` takes, if there is one.
    fn free_output(&mut self, input: ChannelId, most: u8, act: &mut Act) -> Option<ChannelId> {
        let id = self.board.at(input).port.buffer.first;
        let switch = self.board.at(input).port.switch;
        let tokens = self.places_of(id, act);
        // Where packets are deflected one from a node enters only an empty buffer, of two
        // places at least: so somewhere there always is a place, and packets can move.
        let is_new = self.slot > 0 && self.is_from_node(input);
        let spare = if is_new { self.capacity - tokens } else { 0 };
        let mut outputs = self.board.take_outputs();
        let claimed = self.allocator.claimed.len();
        let (mut best, mut taken) = (u8::MAX, None);
        let (wiring, header) = (act.wiring, act.packets[id].header());
        for (lead, tier) in wiring.leads(switch, header, &mut outputs) {
            if tier > best.min(most) {
                break;
            }
            if let Some((channel, room)) = self.free_channel(lead, (tokens, spare), act) {
                best = tier;
                if self.board.offer(channel, room, act) {
                    taken = Some(channel);
                    break;
                }
            }
        }
        self.board.put_outputs(outputs);
        let taken = taken.or_else(|| self.board.select((switch, id), act.packets));
        if taken.is_some() {
            // It does not wait for those it lacked room on.
            self.allocator.claimed.truncate(claimed);
        }
        taken
    }

    /// The lowest-numbered channel of a group on which a packet can start now and leave
    /// so many places `spare`, and the room at its end.
    fn free_channel(
        &mut self,
        lead: ChannelId,
        (tokens, spare): (u32, u32),
        act: &mut Act,
    ) -> Option<(ChannelId, u32)> {
        let now = act.now;
        if self.board.is_closed(lead) {
            return None;
        }
        if let Some(until) = act.down_until(lead) {
            self.allocator.again = self.allocator.again.min(until);
            return None;
        }
        for id in act.wiring.layout.group(lead).channels() {
            if self.allocator.claimed.contains(&id) {
                continue;
            }
            let free_at = self.wire_free_at(id);
            let channel = self.board.at_mut(id);
            if free_at > now {
                self.allocator.again = self.allocator.again.min(free_at);
            } else if channel.has_room(tokens + spare, self.capacity, now) {
                let is_at_node = !channel.port.switch.is_some();
                let occupied = channel.occupied_at(now);
                let room = if is_at_node { u32::MAX } else { self.capacity - occupied };
                return Some((id, room));
            } else {
                if spare == 0 {
                    self.allocator.claimed.push(id);
                }
                if channel.leaving_at > now {
                    self.allocator.again = self.allocator.again.min(channel.leaving_at);
                } else {
                    channel.wait_for_room();
                }
            }
        }
        None
    }

    /// A packet starts on a channel, and holds its wire; when it will have been sent.
    pub fn start_on_wire(
        &mut self,
        channel: ChannelId,
        id: PacketId,
        tokens: u32,
        act: &mut Act,
    ) -> Time {
        let end = self.start(channel, id, tokens, act);
        if let Some(wires) = &mut self.wires {
            wires.sends(channel, end);
        }
        end
    }

    /// When the wire of a channel is free.
    pub fn wire_free_at(&self, id: ChannelId) -> Time {
        match &self.wires {
            Some(wires) => wires.free_at(id),
            None => self.board.at(id).free_at,
        }
    }
}
