//! Clocked switches, cycle by cycle: in every cycle every flit, credit, virtual channel, wire and
//! switch is looked at, in the order of `docs/model.md`.
//!
//! It shares nothing with the engine but the description of a run and the row of a packet. What
//! switches decide is in `switches.rs`.

use super::switches::Switch;
use crate::common::requests::{Asks, Sent, requests};
use crate::reference::wiring::{End, Wiring};
use std::collections::{BTreeMap, VecDeque};
use tailback_engine::spec::{Arbiter, Interface, Pipeline, Spec, Workload};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Class, PacketRow};

/// A packet, and which of its flits.
pub type Flit = (usize, usize);

pub struct Packet {
    pub row: PacketRow,
    pub flits: usize,
    /// Its traffic class.
    pub traffic: usize,
    /// It is queued when its message is sent.
    is_first: bool,
    /// The group of channels it was granted last.
    pub group: Option<usize>,
    pub asks: Asks,
}

/// A virtual channel: where flits are sent, on their way, and where they arrive.
#[derive(Default)]
pub struct Channel {
    /// The packet it has been granted to, until its last flit has been sent; how many have.
    pub owner: Option<usize>,
    pub sent: usize,
    /// Its flits in the buffer at its end and on the way there, as far as credits say.
    pub taken: usize,
    /// Flits and credits on their way, with the cycle in which they are there.
    coming: VecDeque<(u64, Flit)>,
    returning: Vec<u64>,
    /// The buffer at its end, and what becomes of the packet at its front.
    pub buffer: VecDeque<Flit>,
    pub stage: Stage,
    /// Since which step that packet has asked.
    pub asked_from: u64,
    /// Cycles in which it sent.
    pub busy: u64,
}

/// What becomes of the packet at the front of a buffer.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// There is none.
    #[default]
    Idle,
    /// From a step on it asks for a virtual channel.
    Asks { from: u64 },
    /// It has one.
    Sends { output: usize },
}

/// A flit that has won the crossbar, the last step in which it crosses, and its cycle.
pub struct Behind {
    pub step: u64,
    pub cycle: u64,
    pub channel: usize,
    pub flit: Flit,
}

/// A wire, with the flits that cross to it, or stand behind the crossbar; and the credits that go back to its beginning, by step.
#[derive(Default)]
pub struct Wire {
    channels: Vec<usize>,
    latency: u64,
    pub queue: VecDeque<Behind>,
    pub credits: VecDeque<(u64, Vec<usize>)>,
}

/// The packets of a node in its queues, one or one for each share, and its wires.
#[derive(Default)]
struct Node {
    queues: Vec<VecDeque<usize>>,
    wires: Vec<NodeWire>,
}

/// A wire by which a node sends.
struct NodeWire {
    /// Its channels, each with the queue whose packets may use it.
    channels: Vec<(usize, usize)>,
    /// The place among them of the one used last.
    last: usize,
    /// By queue: the channel that sends a packet of it.
    sends: Vec<Option<usize>>,
}

pub struct Twin {
    pub pipeline: Pipeline,
    pub arbiter: Arbiter,
    /// By traffic class.
    pub urgencies: Vec<u16>,
    pub cycle_ps: Time,
    credit_delay: u64,
    /// Places of every channel in the buffer at its end, and those that all of a wire share.
    own: usize,
    shared: usize,
    pub wiring: Wiring,
    pub channels: Vec<Channel>,
    pub wires: Vec<Wire>,
    pub switches: Vec<Switch>,
    nodes: Vec<Node>,
    pub packets: Vec<Packet>,
    interface: Interface,
    /// By node: places for replies that are taken; messages that have one.
    taken: Vec<u32>,
    admitted: Vec<u64>,
    /// The cycle, and the latest in which a flit has started.
    pub now: u64,
    moved: u64,
}

impl Twin {
    pub fn new(spec: &Spec) -> Self {
        let machine = &spec.machine;
        let pipeline = machine.switch.pipeline.expect("switches that run by a clock");
        let (wiring, cycle_ps) = (Wiring::new(machine), machine.link.flit_ps);
        let mut wires: Vec<Wire> = (0..wiring.wires()).map(|_| Wire::default()).collect();
        for (channel, &group) in wiring.group_of.iter().enumerate() {
            let wire = &mut wires[wiring.wire_of[channel]];
            wire.channels.push(channel);
            wire.latency = wiring.delay_ps(machine, group) / cycle_ps;
        }
        Self {
            pipeline,
            arbiter: machine.switch.arbiter,
            cycle_ps,
            credit_delay: machine.link.credit_delay_ps / cycle_ps,
            own: machine.switch.input_buffer() as usize,
            shared: pipeline.shared_buffer_flits as usize,
            channels: (0..wiring.group_of.len()).map(|_| Channel::default()).collect(),
            wires,
            switches: Switch::all(&wiring, machine),
            nodes: (0..wiring.nodes()).map(|node| sender(&wiring, node)).collect(),
            packets: packets(spec, wiring.nodes()),
            interface: machine.interface,
            taken: vec![0; wiring.nodes()],
            admitted: Vec::new(),
            urgencies: machine.routing.traffic_classes.iter().map(|one| one.priority).collect(),
            wiring,
            now: 0,
            moved: 0,
        }
    }

    /// Runs until every packet has been delivered; false if nothing moves any more.
    pub fn finish(&mut self) -> bool {
        let queued = self.packets.iter().map(|packet| packet.row.queued);
        let last = queued.filter(|&time| time != NEVER).max().unwrap_or(0) / self.cycle_ps;
        while self.packets.iter().any(|packet| packet.row.delivered == NEVER) {
            // No delay is that long.
            if self.now > self.moved.max(last) + 1_000 {
                return false;
            }
            self.cycle();
            self.now += 1;
        }
        true
    }

    /// The row of every packet, and how long every channel sent.
    pub fn results(&self) -> (Vec<PacketRow>, Vec<Time>) {
        let rows = self.packets.iter().map(|packet| packet.row).collect();
        let busy = |channel: &Channel| channel.busy * self.cycle_ps;
        (rows, self.channels.iter().map(busy).collect())
    }

    fn cycle(&mut self) {
        let (cycle_ps, present) = (self.cycle_ps, self.now * self.cycle_ps);
        self.messages_are_sent(|time| time < present && time + cycle_ps > present);
        (0..self.channels.len()).for_each(|channel| self.arrive(channel));
        self.messages_are_sent(|time| time == present);
        (0..self.nodes.len()).for_each(|node| self.node_sends(node));
        for step in self.first_step(self.now)..self.first_step(self.now + 1) {
            (0..self.switches.len()).for_each(|switch| self.begin_routing(switch, step));
            self.give_places(step);
            (0..self.switches.len()).for_each(|switch| self.switch_step(switch, step));
        }
        (0..self.wires.len()).for_each(|wire| self.wire_sends(wire));
    }

    /// The first step of a cycle: all before it are whole steps of the cycles before it.
    pub fn first_step(&self, cycle: u64) -> u64 {
        let Pipeline { internal_speedup, speedup_cycles, .. } = self.pipeline;
        cycle * u64::from(internal_speedup) / u64::from(speedup_cycles)
    }

    fn messages_are_sent(&mut self, is_now: impl Fn(Time) -> bool) {
        for number in 0..self.packets.len() {
            let Packet { row, is_first, .. } = &self.packets[number];
            if *is_first && is_now(row.queued) {
                self.line_up(number);
            }
        }
    }

    /// A packet joins the queue of its node, if there are several that of its share.
    fn line_up(&mut self, number: usize) {
        let Packet { row, traffic, .. } = &self.packets[number];
        let queues = &mut self.nodes[row.source as usize].queues;
        let queue = self.wiring.share_of(*traffic).min(queues.len() - 1);
        queues[queue].push_back(number);
    }

    /// Flits and credits that are there.
    fn arrive(&mut self, number: usize) {
        let now = self.now;
        let channel = &mut self.channels[number];
        let waiting = channel.returning.len();
        channel.returning.retain(|&there| there != now);
        channel.taken -= waiting - channel.returning.len();
        let Some(&(_, flit)) = channel.coming.front().filter(|coming| coming.0 == now) else {
            return;
        };
        channel.coming.pop_front();
        match self.wiring.groups[self.wiring.group_of[number]].to {
            End::Switch(_) => channel.buffer.push_back(flit),
            End::Node(_) => {
                // A node takes a flit at once.
                self.wires[self.wiring.wire_of[number]].credits.push_back((NEVER, vec![number]));
                if flit.1 + 1 == self.packets[flit.0].flits {
                    self.packets[flit.0].row.delivered = now * self.cycle_ps;
                    self.window_opens(self.packets[flit.0].row.message);
                    self.answer(flit.0);
                }
            }
        }
    }

    /// A packet is there: if it is the last of a request, its receiver sends the reply.
    fn answer(&mut self, number: usize) {
        let Packet { row, asks: Asks::Reply(bytes, class), .. } = self.packets[number] else {
            return;
        };
        let is_left = |p: &Packet| p.row.message == row.message && p.row.delivered == NEVER;
        if self.packets.iter().any(is_left) {
            return;
        }
        let message = self.packets.iter().map(|packet| packet.row.message).max().unwrap() + 1;
        let ends = (row.destination, row.source);
        let mut reply =
            message_packets(&self.interface, message, ends, bytes, self.now * self.cycle_ps);
        let (first, count) = (self.packets.len(), reply.len());
        for (place, packet) in reply.iter_mut().enumerate() {
            packet.asks = Asks::Answers(place + 1 == count);
            packet.traffic = class;
            packet.is_first = false;
        }
        self.packets.append(&mut reply);
        for number in first..self.packets.len() {
            if self.packets[number].row.queued != NEVER {
                self.line_up(number);
            }
        }
    }

    /// Requests that ask for the channel to a node get the places there that are free, those that
    /// have asked longest first.
    fn give_places(&mut self, step: u64) {
        let Some(places) = self.interface.reply_queue else { return };
        for node in 0..self.taken.len() {
            let mut asking: Vec<(u64, usize)> = Vec::new();
            for (channel, state) in self.channels.iter().enumerate() {
                let Stage::Asks { from } = state.stage else { continue };
                if from <= step && self.asks_for_place(channel) == Some(node) {
                    asking.push((from, channel));
                }
            }
            asking.sort_unstable();
            for (_, channel) in asking {
                let message = self.packets[self.channels[channel].buffer[0].0].row.message;
                if self.taken[node] < places && !self.admitted.contains(&message) {
                    self.taken[node] += 1;
                    self.admitted.push(message);
                }
            }
        }
    }

    /// The node whose place the request at the front of a buffer needs before it can go on.
    pub fn asks_for_place(&self, channel: usize) -> Option<usize> {
        self.interface.reply_queue?;
        let End::Switch(switch) = self.wiring.groups[self.wiring.group_of[channel]].to else {
            return None;
        };
        let number = self.channels[channel].buffer[0].0;
        let packet = &self.packets[number];
        let asks = matches!(packet.asks, Asks::Reply(..));
        if !asks || self.admitted.contains(&packet.row.message) {
            return None;
        }
        let (group, _) = self.ways(switch, number)[0];
        match self.wiring.groups[group].to {
            End::Node(node) => Some(node),
            End::Switch(_) => None,
        }
    }

    /// A packet of a message is there: the next is queued, if there is one.
    fn window_opens(&mut self, message: u64) {
        let now = self.now * self.cycle_ps;
        let is_next = |packet: &Packet| packet.row.message == message && packet.row.queued == NEVER;
        let Some(number) = self.packets.iter().position(is_next) else { return };
        self.packets[number].row.queued = now;
        self.line_up(number);
    }

    /// Every wire of a node sends a flit, if it can: on the first channel behind the one that was
    /// used last that has room, and whose queue either has it or has no channel of the wire and a
    /// packet for which it is free.
    fn node_sends(&mut self, node: usize) {
        for wire in 0..self.nodes[node].wires.len() {
            let Node { queues, wires } = &self.nodes[node];
            let NodeWire { channels, last, sends } = &wires[wire];
            let can_send = |&place: &usize| {
                let (channel, queue) = channels[place];
                let goes_on = sends[queue] == Some(channel);
                let begins = sends[queue].is_none() && !queues[queue].is_empty();
                self.has_room(channel) && (goes_on || begins && self.is_free(channel))
            };
            let mut places = (1..=channels.len()).map(|step| (last + step) % channels.len());
            let Some(place) = places.find(can_send) else { continue };
            let (channel, queue) = channels[place];
            let Node { queues, wires } = &mut self.nodes[node];
            wires[wire].last = place;
            if wires[wire].sends[queue].is_none() {
                wires[wire].sends[queue] = Some(channel);
                let packet = queues[queue].pop_front().unwrap();
                self.is_granted(channel, packet);
            }
            let (flit, is_last) = self.uses_credit(channel);
            self.starts(channel, flit);
            if is_last {
                self.nodes[node].wires[wire].sends[queue] = None;
                // The tail of a reply leaves its node.
                let has_place = self.interface.reply_queue.is_some();
                if has_place && self.packets[flit.0].asks == Asks::Answers(true) {
                    self.taken[node] -= 1;
                }
            }
        }
    }

    /// Whether a channel can be granted.
    pub fn is_free(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        channel.owner.is_none() && (!self.pipeline.atomic || channel.taken == 0)
    }

    /// Whether a flit of a channel finds a place in the buffer at its end: one of the channel's own,
    /// or of those that the channels of its wire share.
    pub fn has_room(&self, number: usize) -> bool {
        if self.channels[number].taken < self.own {
            return true;
        }
        let sharers = self.wires[self.wiring.wire_of[number]].channels.iter();
        let shared: usize =
            sharers.map(|&other| self.channels[other].taken.saturating_sub(self.own)).sum();
        shared < self.shared
    }

    /// A packet is granted a channel.
    pub fn is_granted(&mut self, channel: usize, packet: usize) {
        assert!(self.channels[channel].owner.is_none(), "it is granted once at a time");
        (self.channels[channel].owner, self.channels[channel].sent) = (Some(packet), 0);
        self.packets[packet].row.hops += 1;
        self.packets[packet].group = Some(self.wiring.group_of[channel]);
    }

    /// The next flit of the packet that has a channel is to be sent on it; whether it is the last.
    pub fn uses_credit(&mut self, number: usize) -> (Flit, bool) {
        assert!(self.has_room(number), "there is room for it");
        let channel = &mut self.channels[number];
        let packet = channel.owner.expect("a packet has it");
        let flit = (packet, channel.sent);
        channel.taken += 1;
        channel.sent += 1;
        let is_last = channel.sent == self.packets[packet].flits;
        if is_last {
            channel.owner = None;
        }
        (flit, is_last)
    }

    /// The first flit behind the crossbar, and the first credits, start on a wire.
    fn wire_sends(&mut self, number: usize) {
        let wire = &mut self.wires[number];
        let first = wire.queue.front().filter(|first| first.cycle <= self.now);
        if let Some(&Behind { channel, flit, .. }) = first {
            wire.queue.pop_front();
            self.starts(channel, flit);
        }
        let Some((_, channels)) = self.wires[number].credits.pop_front() else { return };
        let there = self.now + 1 + self.wires[number].latency;
        for channel in channels {
            let from = self.wiring.groups[self.wiring.group_of[channel]].from;
            let delay = if matches!(from, End::Node(_)) { 0 } else { self.credit_delay };
            self.channels[channel].returning.push(there + delay);
        }
    }

    /// A flit starts on the wire of its channel.
    fn starts(&mut self, number: usize, flit: Flit) {
        let group = &self.wiring.groups[self.wiring.group_of[number]];
        let there = self.now + 1 + self.wires[self.wiring.wire_of[number]].latency;
        self.channels[number].coming.push_back((there, flit));
        self.channels[number].busy += 1;
        self.moved = self.now;
        if flit.1 > 0 {
            return;
        }
        let (row, now) = (&mut self.packets[flit.0].row, self.now * self.cycle_ps);
        if matches!(group.from, End::Node(_)) {
            row.first_sent = now;
        } else if matches!(group.to, End::Switch(_)) && row.first_internal == NEVER {
            row.first_internal = now;
        }
    }
}

/// An idle node.
fn sender(wiring: &Wiring, node: usize) -> Node {
    let groups = wiring.groups.iter().filter(|group| group.from == End::Node(node));
    let groups: Vec<_> = groups.collect();
    let mut wires: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (queue, group) in groups.iter().enumerate() {
        for &channel in &group.channels {
            wires.entry(wiring.wire_of[channel]).or_default().push((channel, queue));
        }
    }
    let wire = |channels: Vec<(usize, usize)>| {
        let last = channels.len() - 1;
        NodeWire { channels, last, sends: vec![None; groups.len()] }
    };
    let queues = vec![VecDeque::new(); groups.len()];
    Node { queues, wires: wires.into_values().map(wire).collect() }
}

/// The packets of a message, of which those are queued at an instant that are in flight at first.
fn message_packets(
    interface: &Interface,
    message: u64,
    (source, destination): (u32, u32),
    bytes: u32,
    at: Time,
) -> Vec<Packet> {
    let packet = |(bytes, is_first): (u32, bool)| {
        let queued = if is_first { at } else { NEVER };
        #[rustfmt::skip]
        let row = PacketRow { class: Class::Data, message, source, destination,
            bytes, queued, hops: 0, first_sent: NEVER, first_internal: NEVER, delivered: NEVER };
        let flits = (interface.header_bytes + bytes) as usize;
        Packet { row, flits, traffic: 0, is_first, group: None, asks: Asks::Nothing }
    };
    crate::common::windows::packets(interface, bytes).into_iter().map(packet).collect()
}

/// The packets of all messages that are sent by themselves.
fn packets(spec: &Spec, nodes: usize) -> Vec<Packet> {
    let interface = &spec.machine.interface;
    let mut packets = Vec::new();
    for (message, sent) in messages(spec, nodes).into_iter().enumerate() {
        let (at, (source, destination), bytes, (traffic, asks)) = sent;
        // What stays in its node does not come here.
        if source == destination {
            continue;
        }
        let of = message_packets(interface, message as u64, (source, destination), bytes, at);
        packets.extend(of.into_iter().map(|packet| Packet { traffic, asks, ..packet }));
    }
    packets
}

/// Those of a list or of sources, or requests that are sent at fixed times.
fn messages(spec: &Spec, nodes: usize) -> Vec<Sent> {
    if let Workload::Traffic(traffic) = &spec.workload
        && traffic.classes.iter().any(|class| class.reply.is_some())
    {
        return requests(traffic, nodes);
    }
    let (list, classes) = super::classes::sent(spec);
    let message = |(at, &class): (usize, &usize)| {
        let ends = (list.source[at], list.destination[at]);
        (list.time_ps[at], ends, list.bytes[at] as u32, (class, Asks::Nothing))
    };
    classes.iter().enumerate().map(message).collect()
}
