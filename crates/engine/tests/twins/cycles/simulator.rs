//! The `flit` fidelity, tick by tick: at every picosecond every flit, credit, channel,
//! buffer and request is looked at, in the order of `docs/model.md`.
//!
//! It was written from that document and shares nothing with the engine but the
//! description of a run, the row of a packet and the random numbers. It knows message
//! lists without acknowledgements, requests and replies, and nothing else.

use super::grants::Draws;
use super::integrated::{List, arbitration};
use super::receivers::Receiver;
use super::replies::Places;
use super::wires::Wire;
use crate::common::arbiters::Request;
use crate::common::requests::{Asks, Sent, requests};
use crate::common::windows as packets_of;
use crate::reference::wiring::{End, Wiring};
use std::collections::VecDeque;
use tailback_engine::spec::{Machine, Spec, Workload};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Class, PacketRow};

pub struct Packet {
    pub row: PacketRow,
    /// What tells it from all others when something is drawn for it.
    pub drawn_by: u64,
    /// Its traffic class, and what its message is to its receiver.
    pub traffic: usize,
    pub asks: Asks,
    /// It is queued when its message is sent.
    pub is_first: bool,
    pub flits: usize,
    /// The channels it has been granted, and when it was granted the latest.
    pub way: Vec<usize>,
    pub granted: Time,
    /// When it started on the latest channel, and could start on the next.
    pub started: Time,
    pub could_start: Time,
    /// From when its header, which is there, may ask.
    pub may_ask: Time,
    /// When all of it was at its destination.
    pub there: Time,
    /// When its first data bytes were at its destination, if that is told before its end.
    pub begun: Time,
}

/// What one channel did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub packets: u64,
    pub busy: Time,
    pub kept: Time,
    pub throttling: Time,
    pub internal_contention: Time,
    /// What packets delivered by it have made up for of their headers' waits.
    pub caught_up: Time,
}

/// A packet, and which of its flits.
type Flit = (usize, usize);

/// A channel, the wire, and the input buffer at its end.
#[derive(Default)]
pub struct Channel {
    pub ends_in_node: bool,
    /// Times of a header or data flit and of an end token; then it is there after a delay.
    flit_times: [Time; 2],
    pub delay: Time,
    /// The packet that the channel has been granted to.
    pub owner: Option<Owner>,
    /// When the latest flit has been sent.
    pub sends_until: Time,
    /// Flits that are not there yet, with the instant they will be.
    wire: VecDeque<(Time, Flit)>,
    pub buffer: VecDeque<Flit>,
    /// The packet at the front has asked for an output and has not been sent.
    pub front_has_asked: bool,
    pub credits: u32,
    /// When credits on their way to the sender will be there.
    pub returning: VecDeque<Time>,
    pub tally: Tally,
}

#[derive(Clone, Copy)]
pub struct Owner {
    pub packet: usize,
    /// The channel whose buffer it comes from, unless it comes from its node.
    pub input: Option<usize>,
    /// The flit that starts next, or as many as there are.
    pub flit: usize,
}

pub struct Simulator {
    pub now: Time,
    pub machine: Machine,
    pub wiring: Wiring,
    pub channels: Vec<Channel>,
    pub wires: Vec<Wire>,
    /// For each group the packets that wait for it and the channels whose buffers they
    /// are in, in order of request; for a node's group that is its output queue. Where
    /// packets have a choice, all that wait at a switch, with the first group from there.
    pub requests: Vec<Vec<(usize, Option<usize>)>>,
    /// For each of these the inputs it has granted.
    pub granted_before: Vec<Vec<Request>>,
    pub draws: Draws,
    pub packets: Vec<Packet>,
    pub receivers: Vec<Receiver>,
    /// Where nodes and switches are one: their lists.
    pub lists: Vec<List>,
    /// For each node the messages that have packets in its output queue, the next to send first.
    pub turns: Vec<VecDeque<u64>>,
    /// For each node its places for replies.
    pub places: Vec<Places>,
    /// When a flit has started last.
    moved: Time,
}

impl Simulator {
    pub fn new(spec: &Spec) -> Self {
        let wiring = Wiring::new(&spec.machine);
        let packet = |(message, sent): (usize, Sent)| {
            let (time, ends, bytes, (traffic, asks)) = sent;
            let packets = message_packets(&spec.machine, message as u64, ends, bytes, time);
            packets.into_iter().map(move |packet| Packet { traffic, asks, ..packet })
        };
        let sent = messages(spec, wiring.nodes()).into_iter().enumerate();
        // What stays in its node does not come here.
        let sent = sent.filter(|(_, (_, (source, destination), ..))| source != destination);
        Self {
            now: 0,
            machine: spec.machine.clone(),
            channels: wiring.group_of.iter().map(|&g| channel(&spec.machine, &wiring, g)).collect(),
            requests: vec![Vec::new(); wiring.groups.len()],
            granted_before: vec![Vec::new(); wiring.groups.len()],
            draws: Draws::new(spec, wiring.nodes(), messages(spec, wiring.nodes())),
            wires: vec![Wire::default(); wiring.wires()],
            receivers: vec![Receiver::default(); wiring.nodes()],
            lists: vec![List::default(); wiring.nodes()],
            turns: vec![VecDeque::new(); wiring.nodes()],
            packets: sent.flat_map(packet).collect(),
            places: vec![Places::default(); wiring.nodes()],
            moved: 0,
            wiring,
        }
    }

    /// Runs until every packet has been delivered: their rows, and what every channel did.
    pub fn run(mut self) -> (Vec<PacketRow>, Vec<Tally>) {
        self.finish();
        self.results()
    }

    /// The rows of all packets, and what every channel has done.
    pub fn results(&self) -> (Vec<PacketRow>, Vec<Tally>) {
        let rows = self.packets.iter().map(|packet| packet.row);
        (rows.collect(), self.channels.iter().map(|channel| channel.tally).collect())
    }

    /// Runs until every packet has been delivered.
    pub fn finish(&mut self) {
        assert!(self.comes_to_its_end(), "nothing moves any more");
    }

    /// The same; false if nothing moves any more.
    pub fn comes_to_its_end(&mut self) -> bool {
        let queued = self.packets.iter().map(|packet| packet.row.queued);
        let last = queued.filter(|&time| time != NEVER).max().unwrap_or(0);
        let longest = self.longest_pause();
        while self.packets.iter().any(|packet| packet.row.delivered == NEVER) {
            if self.now > self.moved.max(last) + longest {
                return false;
            }
            self.tick();
            self.now += 1;
        }
        true
    }

    /// Nothing that is to happen takes longer.
    fn longest_pause(&self) -> Time {
        let Machine { link, switch, interface, .. } = &self.machine;
        let channels = self.channels.iter();
        let times = channels.map(|channel| channel.delay + channel.flit_times.iter().sum::<Time>());
        let drain = interface.drain_byte_ps.unwrap_or(0) * Time::from(interface.packet_bytes);
        let places = Time::from(interface.receive_fifo.unwrap_or(100));
        let passing = times.max().unwrap_or(0) + link.packet_gap_ps + switch.delay_ps;
        100 + 2 * (passing + link.credit_delay_ps) + 2 * drain * places
    }

    fn tick(&mut self) {
        let channels = 0..self.channels.len();
        channels.clone().for_each(|channel| self.flits_arrive(channel));
        self.drain();
        channels.clone().for_each(|channel| self.credits_arrive(channel));
        channels.clone().for_each(|channel| self.release(channel));
        if self.is_integrated() {
            channels.clone().for_each(|channel| self.deliver(channel));
        }
        self.messages_are_sent();
        if self.is_integrated() {
            self.lists_ask();
        }
        channels.clone().for_each(|channel| self.front_asks(channel));
        self.give_places();
        loop {
            (0..self.requests.len()).for_each(|place| self.grant(place));
            while self.is_integrated() && self.lists_ask() {
                (0..self.requests.len()).for_each(|place| self.grant(place));
            }
            let starting = self.starting();
            if starting.is_empty() {
                break;
            }
            // They may let others start, or be granted a channel, at the same instant.
            starting.into_iter().for_each(|channel| self.flit_starts(channel));
        }
        for channel in &mut self.channels {
            let sends = channel.sends_until > self.now;
            channel.tally.busy += Time::from(sends);
            channel.tally.kept += Time::from(channel.owner.is_some() && !sends);
        }
    }

    fn messages_are_sent(&mut self) {
        self.number_messages();
        for number in 0..self.packets.len() {
            let Packet { row, is_first, .. } = &self.packets[number];
            if row.queued == self.now && *is_first {
                self.line_up(number);
            }
        }
    }

    fn flits_arrive(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        let arrival = channel.wire.front().filter(|arrival| arrival.0 == self.now);
        let Some(&(_, (packet, flit))) = arrival else { return };
        channel.wire.pop_front();
        if flit + 1 == self.machine.interface.header_bytes as usize {
            self.packets[packet].may_ask = self.now + arbitration(&self.machine);
        }
        if !channel.ends_in_node {
            channel.buffer.push_back((packet, flit));
        } else if flit + 1 == self.packets[packet].flits {
            self.is_there(packet);
        }
    }

    pub fn credits_arrive(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        while channel.returning.front() == Some(&self.now) {
            channel.returning.pop_front();
            channel.credits += 1;
        }
    }

    /// A channel whose packet has been sent is idle again, and the front of the buffer
    /// that the packet came from falls free.
    fn release(&mut self, number: usize) {
        let (now, packets, channel) = (self.now, &self.packets, &mut self.channels[number]);
        let sent = channel.owner.take_if(|owner| {
            owner.flit == packets[owner.packet].flits && channel.sends_until == now
        });
        if let Some(input) = sent.and_then(|owner| owner.input) {
            self.channels[input].front_has_asked = false;
        }
        if let Some(owner) = sent {
            self.has_left(number, owner.packet);
        }
    }

    /// Starts the next flit of the packet that has a channel.
    fn flit_starts(&mut self, number: usize) {
        let (now, channel) = (self.now, &self.channels[number]);
        let Some(Owner { packet, input, flit }) = channel.owner else { return };
        let time = self.time(channel, (packet, flit));
        if flit == 0 {
            self.packet_starts(number, packet);
        }
        let channel = &mut self.channels[number];
        channel.sends_until = now + time;
        self.moved = now;
        channel.wire.push_back((now + time + channel.delay, (packet, flit)));
        channel.credits -= 1;
        channel.owner.as_mut().unwrap().flit += 1;
        if let Some(input) = input {
            self.channels[input].buffer.pop_front();
            self.channels[input].returning.push_back(now + self.machine.link.credit_delay_ps);
            self.credits_arrive(input);
        }
        let wire = &mut self.wires[self.wiring.wire_of[number]];
        (wire.sends_until, wire.last) = (now + time, Some((number, packet)));
        wire.last_each[usize::from(self.wiring.is_against[number])] = wire.last;
    }

    /// Writes down that the first flit of a packet starts on a channel.
    fn packet_starts(&mut self, number: usize, packet: usize) {
        let (packet, channel) = (&mut self.packets[packet], &mut self.channels[number]);
        let (now, wait, row) = (self.now, self.now - packet.could_start, &mut packet.row);
        let tally = &mut channel.tally;
        let arbitration = arbitration(&self.machine);
        let is_integrated = self.machine.switch.integrated;
        let (waits, first) = match row.hops {
            0 if is_integrated => {
                row.first_sent = now - arbitration;
                (&mut tally.throttling, &mut row.first_internal)
            }
            0 => (&mut tally.throttling, &mut row.first_sent),
            1 if !channel.ends_in_node && !is_integrated => {
                (&mut tally.throttling, &mut row.first_internal)
            }
            _ => (&mut tally.internal_contention, &mut packet.started),
        };
        (*waits, *first) = (*waits + wait, now);
        tally.packets += 1;
        row.hops += 1;
        packet.started = now;
        let link = &self.machine.link;
        let header = link.packet_gap_ps
            + channel.flit_times[0] * Time::from(self.machine.interface.header_bytes);
        packet.could_start = now + header + channel.delay + arbitration;
    }

    pub fn time(&self, channel: &Channel, (packet, flit): Flit) -> Time {
        let (link, is_last) = (&self.machine.link, flit + 1 == self.packets[packet].flits);
        let gap = if flit == 0 { link.packet_gap_ps } else { 0 };
        channel.flit_times[usize::from(is_last && link.end_token)] + gap
    }

    /// Time from the start on the last channel until delivery, of a packet that never waits.
    pub fn undisturbed(&self, packet: usize) -> Time {
        let arbitration = arbitration(&self.machine);
        let (mut there, mut started) = (vec![0; self.packets[packet].flits], 0);
        for &channel in &self.packets[packet].way {
            let channel = &self.channels[channel];
            let header = there[self.machine.interface.header_bytes as usize - 1];
            // In its node all of it is there.
            started = if header > 0 { header + arbitration } else { 0 };
            let mut sent = started;
            for (flit, there) in there.iter_mut().enumerate() {
                sent = sent.max(*there) + self.time(channel, (packet, flit));
                *there = sent + channel.delay;
            }
        }
        there[there.len() - 1] - started
    }
}

/// An idle channel of a group.
fn channel(machine: &Machine, wiring: &Wiring, group: usize) -> Channel {
    let flit_times = wiring.flit_times(machine, group);
    let ends_in_node = matches!(wiring.groups[group].to, End::Node(_));
    let wire_delay = wiring.delay_ps(machine, group);
    let no_switch = ends_in_node || machine.switch.integrated;
    let delay = wire_delay + if no_switch { 0 } else { machine.switch.delay_ps };
    // A node always accepts: those credits are never used up.
    let credits = if ends_in_node { u32::MAX } else { machine.switch.input_buffer() };
    Channel { ends_in_node, flit_times, delay, credits, ..Channel::default() }
}

/// The packets of a message, of which those are queued at an instant that are in flight at first.
pub fn message_packets(
    machine: &Machine,
    message: u64,
    (source, destination): (u32, u32),
    bytes: u32,
    at: Time,
) -> Vec<Packet> {
    let (interface, end_token) = (&machine.interface, u32::from(machine.link.end_token));
    let packet = |(bytes, is_first): (u32, bool)| {
        let queued = if is_first { at } else { NEVER };
        #[rustfmt::skip]
        let row = PacketRow { class: Class::Data, message, source, destination,
            bytes, queued, hops: 0, first_sent: NEVER, first_internal: NEVER, delivered: NEVER };
        let flits = (interface.header_bytes + bytes + end_token) as usize;
        let may_ask = queued.saturating_add(arbitration(machine));
        Packet {
            row,
            drawn_by: 0,
            traffic: 0,
            asks: Asks::Nothing,
            is_first,
            flits,
            way: Vec::new(),
            granted: NEVER,
            started: NEVER,
            could_start: may_ask,
            may_ask,
            there: NEVER,
            begun: NEVER,
        }
    };
    packets_of::packets(interface, bytes).into_iter().map(packet).collect()
}

/// The messages of a list, or requests.
fn messages(spec: &Spec, nodes: usize) -> Vec<Sent> {
    let list = match &spec.workload {
        Workload::Messages(list) => list,
        Workload::Traffic(traffic) => return requests(traffic, nodes),
        _ => panic!("only message lists and requests"),
    };
    let message = |at: usize| {
        let ends = (list.source[at], list.destination[at]);
        (list.time_ps[at], ends, list.bytes[at] as u32, (0, Asks::Nothing))
    };
    (0..list.time_ps.len()).map(message).collect()
}
