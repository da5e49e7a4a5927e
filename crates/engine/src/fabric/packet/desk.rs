//! Packets that have a choice of outputs, or outputs that share wires: they ask at the
//! desk of their switch.
//!
//! Whenever an output of the switch falls free or has room, those that ask are served in
//! order of the queue policy. Nobody keeps an output while waiting for room, but a packet
//! that lacks room on a free channel is not passed there by one behind it.

use super::super::selection::Free;
use super::super::switchboard::Act;
use super::PacketFabric;
use crate::event_queue::EventQueue;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// What serving a desk needs, used again each time.
#[derive(Default)]
pub struct Desk {
    /// Channels somebody waits for who asked before.
    claimed: Vec<ChannelId>,
    /// When the next output will be free or have room.
    again: Time,
}

impl PacketFabric {
    /// Those that ask at a desk, the best first, each start if there is an output for them.
    pub(super) fn serve_desk(&mut self, desk: ChannelId, act: &mut Act) {
        self.board.list_asking(desk, act);
        self.desk.claimed.clear();
        self.desk.again = NEVER;
        let mut place = 0;
        while let Some(input) = self.board.asking(place) {
            place += 1;
            let id = self.board.at(input).port.buffer.first;
            if let Some(channel) = self.free_output(input, id, act) {
                self.board.withdraw(desk, input);
                self.board.at_mut(input).port.buffer.pop(act.packets);
                let tokens = act.wiring.link.packet_tokens(act.packets[id].bytes);
                if act.measures.blame.is_some() {
                    self.blame_start(channel, id, input, act);
                }
                let end = self.start(channel, id, act);
                self.leave(input, tokens, end, act);
            } else if act.measures.blame.is_some() {
                let switch = self.board.at(input).port.switch;
                let lead = act.wiring.preferred_lead(switch, act.packets[id].header());
                self.blame_no_room(lead, id, act);
            }
        }
        self.look_again(desk, act.events);
    }

    fn look_again(&mut self, desk: ChannelId, events: &mut EventQueue) {
        let waits = self.board.at(desk).port.first_waiting.is_some();
        if waits && self.desk.again != NEVER {
            self.board.post_retry(desk, self.desk.again, events);
        }
    }

    /// The output that the front packet of `input` takes, if there is one.
    fn free_output(&mut self, input: ChannelId, id: PacketId, act: &mut Act) -> Option<ChannelId> {
        let switch = self.board.at(input).port.switch;
        let tokens = act.wiring.link.packet_tokens(act.packets[id].bytes);
        let mut choices = self.board.choices.take()?;
        let mut best = u8::MAX;
        let (wiring, header) = (act.wiring, act.packets[id].header());
        for (lead, tier) in wiring.leads(switch, header, &mut choices.outputs) {
            if tier > best {
                break;
            }
            if let Some(free) = self.free_channel(lead, tokens, act) {
                best = tier;
                choices.selector.free.push(free);
            }
        }
        let taken = choices.selector.take(switch);
        self.board.choices = Some(choices);
        taken
    }

    /// The lowest-numbered channel of a group on which a packet can start now.
    fn free_channel(&mut self, lead: ChannelId, tokens: u32, act: &Act) -> Option<Free> {
        let now = act.now;
        for id in act.wiring.layout.group(lead).channels() {
            if self.desk.claimed.contains(&id) {
                continue;
            }
            let free_at = self.wire_free_at(id);
            let channel = self.board.at_mut(id);
            if free_at > now {
                self.desk.again = self.desk.again.min(free_at);
            } else if channel.has_room(tokens, self.capacity, now) {
                let is_at_node = !channel.port.switch.is_some();
                let occupied = channel.occupied_at(now);
                let room = if is_at_node { u32::MAX } else { self.capacity - occupied };
                let waiting = self.board.waiting_at(id, act.packets);
                return Some(Free { channel: id, waiting, room });
            } else {
                self.desk.claimed.push(id);
                if channel.leaving_at > now {
                    self.desk.again = self.desk.again.min(channel.leaving_at);
                } else {
                    channel.wait_for_room();
                }
            }
        }
        None
    }

    /// When the wire of a channel is free.
    pub(super) fn wire_free_at(&self, id: ChannelId) -> Time {
        match &self.wires {
            Some(wires) => wires.free_at(id),
            None => self.board.at(id).free_at,
        }
    }
}
