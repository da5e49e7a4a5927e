//! Switches that keep a queue for each output (`switch.queueing` `voq` and `output`). At every instant all
//! packets in all buffers are looked at: who has become ready, who asks, who may send, who is best.

use super::machine::{Reference, Time};
use super::network::Packet;
use super::wiring::End;
use crate::common::draws;
use std::collections::BTreeMap;
use tailback_engine::spec::{Arbiter, Queueing};

/// What is kept from one instant to the next.
#[derive(Default)]
pub struct Queued {
    /// By packet that has become ready at a switch: the group it waits for.
    output: BTreeMap<usize, usize>,
    /// With the `random` policy: by place the packets that ask there, in the order that has been drawn.
    drawn: BTreeMap<usize, Vec<usize>>,
    /// By input: the channel it sent to last.
    last: BTreeMap<usize, usize>,
}

/// A packet that asks: the first for its output of its input.
#[derive(Clone, Copy)]
struct Asking {
    input: usize,
    packet: usize,
    group: usize,
    ready: Time,
}

/// What a packet looks for in an output: that it can start now, that its link is up, or nothing.
#[derive(Clone, Copy)]
enum Wanted {
    Free,
    Up,
    Any,
}

/// An output has named an input.
struct Named {
    asking: Asking,
    channel: usize,
}

impl Reference {
    pub fn has_queues(&self) -> bool {
        self.spec.machine.switch.queueing != Queueing::Fifo
    }

    /// All requests are noted, then outputs name inputs and inputs take outputs, until nobody is named.
    pub fn queues_act(&mut self) {
        self.note_requests();
        loop {
            let places: Vec<usize> = (0..self.wiring.groups.len())
                .filter(|&group| {
                    matches!(self.wiring.groups[group].from, End::Switch(_))
                        && self.place_of(group) == group
                })
                .collect();
            let mut named: Vec<Named> =
                places.into_iter().filter_map(|place| self.names(place)).collect();
            if named.is_empty() {
                return;
            }
            named.sort_by_key(|Named { asking, channel }| {
                let last = self.queued.last.get(&asking.input);
                (asking.input, last.is_some_and(|last| channel <= last), *channel)
            });
            for Named { asking, channel } in named {
                if !self.may_send(asking.input) {
                    continue;
                }
                if self.goes_in_vain(asking.packet, channel) {
                    self.queued.last.insert(asking.input, channel);
                } else {
                    self.sends(asking, channel);
                }
            }
        }
    }

    /// Where requests for a group are compared with others: the first group on its wire.
    fn place_of(&self, group: usize) -> usize {
        let wire = self.wiring.wire_of[self.wiring.groups[group].channels[0]];
        let is_on_it = |&channel: &usize| self.wiring.wire_of[channel] == wire;
        self.wiring.group_of[(0..self.channels.len()).find(is_on_it).unwrap()]
    }

    /// Packets that have become ready name their outputs, channel by channel.
    fn note_requests(&mut self) {
        for input in 0..self.channels.len() {
            let End::Switch(_) = self.wiring.groups[self.wiring.group_of[input]].to else {
                continue;
            };
            let new: Vec<usize> = (self.channels[input].buffer.iter())
                .filter(|waiting| waiting.left.is_none() && waiting.ready <= self.now)
                .map(|waiting| waiting.packet)
                .filter(|packet| !self.queued.output.contains_key(packet))
                .collect();
            for packet in new {
                let group = self.output_of(input, packet);
                self.queued.output.insert(packet, group);
                self.draw(input, group);
            }
        }
    }

    /// Tables have changed: packets that wait for a link that is down go by the new ones.
    pub fn leave_queues(&mut self) {
        let mut moved = Vec::new();
        for input in 0..self.channels.len() {
            let own = self.wiring.group_of[input];
            for waiting in self.channels[input].buffer.iter().filter(|one| one.left.is_none()) {
                let packet = waiting.packet;
                let Some(&group) = self.queued.output.get(&packet) else { continue };
                let is_internal = matches!(self.wiring.groups[group].to, End::Switch(_));
                let new =
                    self.wiring.route(self.wiring.groups[own].to, self.aim(packet), Some(own));
                if is_internal && self.is_down(group) && new != group {
                    moved.push((packet, group, new));
                }
            }
        }
        for &(packet, old, new) in &moved {
            let place = self.place_of(old);
            self.queued.drawn.entry(place).or_default().retain(|&other| other != packet);
            self.queued.output.insert(packet, new);
            self.anew.insert(packet, self.now);
        }
    }

    /// The group by which a packet will leave its switch.
    fn output_of(&self, input: usize, packet: usize) -> usize {
        let from = Some(self.wiring.group_of[input]);
        let here = self.wiring.groups[self.wiring.group_of[input]].to;
        let destination = self.aim(packet);
        if !self.wiring.chooses() {
            return self.wiring.route(here, destination, from);
        }
        let End::Switch(switch) = here else { unreachable!("packets wait at switches") };
        let outputs = self.wiring.outputs(here, destination, from);
        let nobody_waits = |group: usize| {
            let here = |input: &usize| self.asking_of(*input).iter().any(|a| a.group == group);
            !(0..self.channels.len()).any(|input| here(&input))
        };
        for wanted in [Wanted::Free, Wanted::Up, Wanted::Any] {
            for tier in [0, 1] {
                let of_tier = outputs.iter().filter(|output| output.1 == tier);
                let channel = |group: usize| {
                    let first = self.wiring.groups[group].channels[0];
                    match wanted {
                        Wanted::Free => {
                            self.start_channel(packet, group).ok().filter(|_| nobody_waits(group))
                        }
                        Wanted::Up => (!self.is_down(group)).then_some(first),
                        Wanted::Any => Some(first),
                    }
                };
                let mut found: Vec<usize> = of_tier.filter_map(|o| channel(o.0)).collect();
                if found.iter().any(|&channel| self.room(channel) > 0) {
                    found.retain(|&channel| self.room(channel) > 0);
                }
                if let Some(channel) = self.select(switch, packet, &found) {
                    return self.wiring.group_of[channel];
                }
            }
        }
        unreachable!("there is a way")
    }

    /// The lowest-numbered channel of a group on which a packet can start; else whether all are busy.
    fn start_channel(&self, packet: usize, group: usize) -> Result<usize, bool> {
        if !self.has_place(group) || self.is_down(group) {
            return Err(true);
        }
        let channels = self.wiring.groups[group].channels.iter().copied();
        let idle: Vec<usize> = channels.filter(|&channel| !self.is_wire_busy(channel)).collect();
        let has_room = |&channel: &usize| self.tokens(packet) <= self.room(channel);
        idle.iter().copied().find(has_room).ok_or(idle.is_empty())
    }

    /// Those of an input that ask: the first for each output.
    fn asking_of(&self, input: usize) -> Vec<Asking> {
        let mut all: Vec<Asking> = Vec::new();
        let buffer = self.channels[input].buffer.iter();
        let mut waiting: Vec<_> = buffer.filter(|one| one.left.is_none()).collect();
        waiting.sort_by_key(|one| self.asked_at(one.packet, one.ready));
        for waiting in waiting {
            let Some(&group) = self.queued.output.get(&waiting.packet) else { continue };
            if all.iter().all(|other| other.group != group) {
                let &super::network::Waiting { packet, ready, .. } = waiting;
                all.push(Asking { input, packet, group, ready });
            }
        }
        all
    }

    /// With the `random` policy: who begins to ask for a group takes any place among those that do.
    fn draw(&mut self, input: usize, group: usize) {
        if self.spec.machine.switch.arbiter != Arbiter::Random {
            return;
        }
        let first = self.asking_of(input).into_iter().find(|asking| asking.group == group);
        let Some(Asking { packet, .. }) = first else { return };
        let place = self.place_of(group);
        let list = self.queued.drawn.entry(place).or_default();
        if !list.contains(&packet) {
            let Packet { drawn_by, hops, .. } = self.packets[packet];
            let at = draws::place((self.spec.seed, place), (drawn_by, hops.into()), list.len());
            list.insert(at, packet);
        }
    }

    /// How many packets an input sends, and how many it may.
    fn may_send(&self, input: usize) -> bool {
        let buffer = self.channels[input].buffer.iter();
        let sends = buffer.filter(|one| one.left.is_some() || self.is_in_vain(one.packet)).count();
        let switch = &self.spec.machine.switch;
        if switch.queueing == Queueing::Output {
            return true;
        }
        let time = |group: usize| self.wiring.flit_times(&self.spec.machine, group)[0];
        let own = self.wiring.group_of[input];
        let here = self.wiring.groups[own].to;
        let outputs = (0..self.wiring.groups.len()).filter(|&g| self.wiring.groups[g].from == here);
        let slowest = outputs.map(time).max().unwrap();
        let usual = slowest.div_ceil(time(own));
        (sends as u64) < switch.input_speedup.map_or(usual, u64::from)
    }

    /// Whether those who wait for an output stand in one queue, in the order in which they became ready.
    fn has_strict_queues(&self) -> bool {
        let switch = &self.spec.machine.switch;
        switch.queueing == Queueing::Output
            && switch.arbiter == Arbiter::Fifo
            && !switch.ack_priority
    }

    /// The best of those that ask at a place whose inputs may send, if it can start.
    fn names(&self, place: usize) -> Option<Named> {
        let here = self.wiring.groups[place].from;
        let inputs = (0..self.channels.len())
            .filter(|&c| self.wiring.groups[self.wiring.group_of[c]].to == here);
        let mut asking: Vec<Asking> = inputs
            .flat_map(|input| self.asking_of(input))
            .filter(|asking| self.place_of(asking.group) == place)
            .collect();
        let drawn = self.queued.drawn.get(&place);
        asking.sort_by_key(|&Asking { input, packet, ready, .. }| {
            let drawn = drawn.and_then(|list| list.iter().position(|&other| other == packet));
            let rank = self.by_policy(packet, input, place);
            (self.is_later_class(packet), rank, drawn, self.asked_at(packet, ready), input)
        });
        // In a queue nobody passes a packet that is sent for nothing.
        let is_strict = self.has_strict_queues();
        let mut claimed = Vec::new();
        for asking in asking {
            if claimed.contains(&asking.group) || !self.may_send(asking.input) {
                continue;
            }
            if self.is_in_vain(asking.packet) {
                claimed.extend(is_strict.then_some(asking.group));
                continue;
            }
            match self.start_channel(asking.packet, asking.group) {
                Ok(channel) => return Some(Named { asking, channel }),
                // Nobody passes it there.
                Err(_) => claimed.push(asking.group),
            }
        }
        None
    }

    fn sends(&mut self, Asking { input, packet, group, .. }: Asking, channel: usize) {
        let place = self.place_of(group);
        self.queued.output.remove(&packet);
        self.queued.drawn.entry(place).or_default().retain(|&other| other != packet);
        self.queued.last.insert(input, channel);
        let granted = self.request(packet, input);
        self.granted_before[place].push(granted);
        let now = self.now;
        let buffer = &mut self.channels[input].buffer;
        buffer.iter_mut().find(|one| one.packet == packet).unwrap().left = Some(now);
        self.start(packet, channel, Some(input));
        self.draw(input, group);
    }
}
