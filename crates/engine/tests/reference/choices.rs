//! Who goes next. Every choice looks at everything.

use crate::machine::{NEVER, Reference, Time};
use crate::wiring::End;
use tailback_engine::spec::Policy;

/// A packet at the front of the buffer of channel `input` that asks for a group.
struct Request {
    input: usize,
    packet: usize,
    time: Time,
}

/// A request that has been granted and waits for room.
pub struct Grant {
    pub input: usize,
    /// The channel that was the first idle one when the request was granted.
    pub kept: usize,
}

impl Reference {
    /// Every node and every group chooses. The order does not matter: starting
    /// a packet takes a channel of its own group and room behind it, and gives
    /// nothing back before a later instant.
    pub fn network_acts(&mut self) {
        for group in 0..self.wiring.groups.len() {
            match self.wiring.groups[group].from {
                End::Node(node) => self.node_chooses(node, group),
                here @ End::Switch(_) => self.switch_chooses(here, group),
            }
        }
    }

    fn node_chooses(&mut self, node: usize, group: usize) {
        loop {
            let output = &self.outputs[node];
            let queue_of_acks = !output.acks.is_empty();
            let at_hand = if queue_of_acks { output.acks.front() } else { output.data.front() };
            let Some(&packet) = at_hand else { return };
            let Some(channel) = self.idle_with_room(group, packet) else { return };
            let output = &mut self.outputs[node];
            if queue_of_acks {
                output.acks.pop_front()
            } else {
                output.data.pop_front()
            };
            self.start(packet, channel, None);
        }
    }

    fn switch_chooses(&mut self, here: End, group: usize) {
        loop {
            let is_idle = |&channel: &usize| !self.channels[channel].is_busy;
            let channels = self.wiring.groups[group].channels.iter();
            let Some(kept) = channels.copied().find(is_idle) else { return };
            if self.granted[group].is_none() {
                let requests = self.requests(here, group);
                let best = self.best(requests, group);
                self.granted[group] = best.map(|input| Grant { input, kept });
            }
            let Some(&Grant { input, .. }) = self.granted[group].as_ref() else { return };
            let packet = self.channels[input].buffer[0].packet;
            let Some(channel) = self.idle_with_room(group, packet) else { return };
            self.granted[group] = None;
            self.channels[input].buffer[0].is_leaving = true;
            self.start(packet, channel, Some(input));
        }
    }

    /// The input channel of the best request, if there is one.
    fn best(&mut self, mut requests: Vec<Request>, group: usize) -> Option<usize> {
        requests.sort_by_key(|request| self.rank(request));
        let first = requests.first()?;
        if self.spec.machine.switch.policy != Policy::Random {
            return Some(first.input);
        }
        let is_of_first_class = |request: &&Request| self.rank(request).0 == self.rank(first).0;
        let equals = requests.iter().take_while(is_of_first_class).count();
        Some(requests[self.arbitration[group].below(equals as u64) as usize].input)
    }

    /// Those at the front of an input buffer of the switch who ask for the group.
    fn requests(&self, here: End, group: usize) -> Vec<Request> {
        let mut requests = Vec::new();
        for (input, channel) in self.channels.iter().enumerate() {
            let Some(front) = channel.buffer.front() else { continue };
            let ends_here = self.wiring.groups[self.wiring.group_of[input]].to == here;
            let time = front.ready.max(channel.front_since);
            if !ends_here || front.is_leaving || time > self.now {
                continue;
            }
            let destination = self.packets[front.packet].destination;
            if self.wiring.route(here, destination) == group {
                requests.push(Request { input, packet: front.packet, time });
            }
        }
        requests
    }

    /// The smallest is the best.
    fn rank(&self, request: &Request) -> (bool, Time, Time, usize) {
        let packet = &self.packets[request.packet];
        let switch = &self.spec.machine.switch;
        let is_later_class = switch.ack_priority && !packet.is_ack;
        let input_group = self.wiring.group_of[request.input];
        let is_from_node = matches!(self.wiring.groups[input_group].from, End::Node(_));
        let by_policy = match switch.policy {
            Policy::Fifo | Policy::Random => 0,
            Policy::NetFirst => Time::from(is_from_node),
            Policy::OldestFirst => packet.queued,
            Policy::HopsFirst => NEVER - Time::from(packet.hops),
        };
        (is_later_class, by_policy, request.time, request.input)
    }

    /// The lowest-numbered idle channel of the group with room for the packet.
    fn idle_with_room(&self, group: usize, packet: usize) -> Option<usize> {
        let ends_in_node = matches!(self.wiring.groups[group].to, End::Node(_));
        let size = self.spec.machine.switch.input_buffer_tokens;
        self.wiring.groups[group].channels.iter().copied().find(|&channel| {
            let channel = &self.channels[channel];
            let has_room = ends_in_node || channel.occupied_tokens + self.tokens(packet) <= size;
            !channel.is_busy && has_room
        })
    }
}
