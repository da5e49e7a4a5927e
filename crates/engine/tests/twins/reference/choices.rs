//! Who goes next. Every choice looks at everything.

use super::machine::{Reference, Time};
use super::network::Waiting;
use super::wiring::End;
use crate::common::arbiters;
use tailback_engine::spec::Arbiter;

/// A packet at the front of the buffer of channel `input` that asks for a group.
struct Request {
    input: usize,
    packet: usize,
    time: Time,
    /// Its turn among those that were given places for replies at that time; 0: it needed none.
    turn: usize,
    /// Whether it asked by itself, and not because tables had changed.
    is_fresh: bool,
}

/// A request that has been granted and waits for room.
pub struct Grant {
    pub input: usize,
    /// The channel that was the first idle one when it first lacked room.
    pub kept: Option<usize>,
}

impl Reference {
    /// Every node and every group chooses. The order does not matter: starting
    /// a packet takes a channel of its own group and room behind it, and gives
    /// nothing back before a later instant.
    pub fn network_acts(&mut self) {
        self.weigh_ways();
        self.give_places();
        let has_allocators = self.has_allocators();
        for group in 0..self.wiring.groups.len() {
            match self.wiring.groups[group].from {
                End::Node(node) => self.node_chooses(node, group),
                End::Switch(_) if has_allocators || self.has_queues() => {}
                here @ End::Switch(_) => self.switch_chooses(here, group),
            }
        }
        if self.has_queues() {
            self.queues_act();
        } else if has_allocators {
            (0..self.allocators.len()).for_each(|switch| self.serve(switch));
        }
    }

    fn node_chooses(&mut self, node: usize, group: usize) {
        loop {
            let Some(packet) = self.at_hand(node) else { return };
            if self.is_in_vain(packet) {
                return;
            }
            let Some(channel) = self.idle_with_room(group, packet) else { return };
            if self.goes_in_vain(packet, channel) {
                return;
            }
            self.send_at_hand(packet);
            self.start(packet, channel, None);
        }
    }

    fn switch_chooses(&mut self, here: End, group: usize) {
        self.line_up_at(here, group);
        loop {
            let is_idle = |&channel: &usize| !self.channels[channel].is_busy;
            let channels = self.wiring.groups[group].channels.iter();
            let Some(idle) = channels.copied().find(is_idle) else { return };
            if self.granted[group].is_none() {
                if !self.has_place(group) {
                    return;
                }
                let requests = self.requests(here, group);
                let best = self.best(requests, group);
                let granted =
                    best.map(|input| self.request(self.channels[input].buffer[0].packet, input));
                self.granted_before[group].extend(granted);
                self.queues[group].retain(|&input| Some(input) != best);
                self.granted[group] = best.map(|input| Grant { input, kept: None });
            }
            let Some(&Grant { input, .. }) = self.granted[group].as_ref() else { return };
            let packet = self.channels[input].buffer[0].packet;
            if self.is_in_vain(packet) {
                return;
            }
            let Some(channel) = self.idle_with_room(group, packet) else {
                if !self.is_down(group)
                    && let Some(grant) = &mut self.granted[group]
                {
                    grant.kept = grant.kept.or(Some(idle));
                }
                return;
            };
            if self.goes_in_vain(packet, channel) {
                return;
            }
            self.granted[group] = None;
            self.channels[input].buffer[0].left = Some(self.now);
            self.start(packet, channel, Some(input));
        }
    }

    /// With the `random` policy: those that begin to ask for a group each take any place among those
    /// that do already.
    fn line_up_at(&mut self, here: End, group: usize) {
        if self.spec.machine.switch.arbiter != Arbiter::Random {
            return;
        }
        let mut requests = self.requests(here, group);
        let granted = self.granted[group].as_ref().map(|grant| grant.input);
        requests.retain(|request| Some(request.input) != granted);
        requests
            .sort_by_key(|request| (request.time, request.is_fresh, request.turn, request.input));
        for Request { input, .. } in requests {
            self.lines_up(input, group);
        }
    }

    /// The same of one input.
    pub fn lines_up(&mut self, input: usize, group: usize) {
        let others = self.queues[group].len();
        let is_drawn = self.spec.machine.switch.arbiter == Arbiter::Random;
        if is_drawn && !self.queues[group].contains(&input) {
            let place = self.drawn_place(group, input, others);
            self.queues[group].insert(place, input);
        }
    }

    /// The input channel of the best request, if there is one.
    fn best(&self, mut requests: Vec<Request>, group: usize) -> Option<usize> {
        requests.sort_by_key(|request| self.rank(request, group));
        requests.first().map(|request| request.input)
    }

    /// The channels that end at a switch and have a packet at the front that may ask.
    pub fn askers(&self, here: End) -> Vec<usize> {
        let asks = |&input: &usize| {
            let is_ready =
                |front: &Waiting| front.left.is_none() && self.asked(input, front) <= self.now;
            self.channels[input].buffer.front().is_some_and(is_ready) && self.may_ask(input)
        };
        let leading_here = self.wiring.groups.iter().filter(|group| group.to == here);
        leading_here.flat_map(|group| &group.channels).copied().filter(asks).collect()
    }

    /// When the packet at the front of a buffer asked, or will.
    pub fn asked(&self, input: usize, front: &Waiting) -> Time {
        front.ready.max(self.channels[input].front_since)
    }

    /// Those at the front of an input buffer of the switch who ask for the group.
    fn requests(&self, here: End, group: usize) -> Vec<Request> {
        let request = |input: usize| {
            let front = &self.channels[input].buffer[0];
            let aim = self.aim(front.packet);
            let asks = self.wiring.route(here, aim, Some(self.wiring.group_of[input]));
            let (asked, is_fresh) = self.asked_at(front.packet, self.asked(input, front));
            let (time, turn) = self.given(front.packet).unwrap_or((asked, 0));
            (asks == group).then_some(Request { input, packet: front.packet, time, turn, is_fresh })
        };
        self.askers(here).into_iter().filter_map(request).collect()
    }

    /// The smallest is the best.
    fn rank(&self, request: &Request, group: usize) -> (bool, Time, (Time, bool), usize, usize) {
        let &Request { input, packet, time, turn, is_fresh } = request;
        let is_later = self.is_later_class(packet);
        if let Some(place) = self.queues[group].iter().position(|&other| other == input) {
            return (is_later, place as Time, (0, false), 0, 0);
        }
        (is_later, self.by_policy(packet, input, group), (time, is_fresh), turn, input)
    }

    pub fn is_later_class(&self, packet: usize) -> bool {
        self.spec.machine.switch.ack_priority && !self.packets[packet].is_ack
    }

    /// `place`: the group or switch at which it asks.
    pub fn by_policy(&self, packet: usize, input: usize, place: usize) -> Time {
        let request = self.request(packet, input);
        arbiters::rank(&self.spec.machine, &request, &self.granted_before[place])
    }

    /// What an arbiter sees of a packet in the buffer of a channel.
    pub fn request(&self, packet: usize, input: usize) -> arbiters::Request {
        let packet = &self.packets[packet];
        let input_group = self.wiring.group_of[input];
        let is_from_node = matches!(self.wiring.groups[input_group].from, End::Node(_));
        let (queued, hops, bytes) = (packet.queued, packet.hops.into(), packet.bytes);
        let class = self.messages[packet.message].traffic;
        arbiters::Request { input, is_from_node, queued, hops, class, bytes }
    }

    /// The lowest-numbered idle channel of the group with room for the packet.
    fn idle_with_room(&self, group: usize, packet: usize) -> Option<usize> {
        let ends_in_node = matches!(self.wiring.groups[group].to, End::Node(_));
        let size = self.spec.machine.switch.input_buffer();
        if !self.has_place(group) || self.is_down(group) {
            return None;
        }
        self.wiring.groups[group].channels.iter().copied().find(|&channel| {
            let channel = &self.channels[channel];
            let has_room = ends_in_node || channel.occupied_tokens + self.tokens(packet) <= size;
            !channel.is_busy && has_room
        })
    }
}
