//! A cluster's network, cycle by cycle: a cycle is the time of a flit.
//!
//! Each cycle: flits, STOPs and GOs that were sent as long ago as a wire is long arrive; headers
//! ask; outputs are granted; each channel sends at most one flit. Written from `docs/model.md`,
//! as plainly as possible; routes are those that are written in the machine.

use super::FLIT;
use std::collections::VecDeque;
use tailback_engine::spec::{Arbiter, FlowControl, Machine, Spec, TopologySpec, Workload};
use tailback_engine::spec::{RoutingSpec, SourceRoute, Unit};
use tailback_engine::time::NEVER;
use tailback_engine::{Class, PacketRow};

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Node(usize),
    Switch(usize),
}

/// A packet and which of its flits.
type Flit = (usize, u64);

struct Packet {
    row: PacketRow,
    flits: u64,
    /// The groups it crosses.
    way: Vec<usize>,
    /// How many of them it has been granted.
    granted: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Stop,
    Go,
}

/// A wire, its sending end, and the buffer at its receiving end.
struct Channel {
    end: End,
    wire: u64,
    /// Flits on the wire with the cycle in which they were sent.
    flying: VecDeque<(u64, Flit)>,
    /// Flits in the buffer with the cycle in which they arrived.
    buffer: VecDeque<(u64, Flit)>,
    /// Signals on the wire back, with the cycle in which they were sent.
    signals: VecDeque<(u64, Signal)>,
    /// What the receiving end said last, and the sending end knows.
    said: Signal,
    knows: Signal,
    /// The packet that has this channel, the channel whose buffer it leaves (a node's queue:
    /// none), its next flit, and from which cycle on it may start.
    owner: Option<(usize, Option<usize>, u64, u64)>,
    /// In the cycle after its tail was sent it is free.
    free_from: u64,
    /// When the front packet of the buffer asked, if it has and is still there.
    asked: Option<u64>,
    /// From which cycle on the front packet may ask.
    front_from: u64,
}

/// Parallel channels between the same two ends.
struct Group {
    channels: Vec<usize>,
    /// The input that was granted last.
    last: Option<usize>,
}

pub struct Twin {
    now: u64,
    machine: Machine,
    channels: Vec<Channel>,
    groups: Vec<Group>,
    /// By node: packets that wait to be sent.
    queues: Vec<VecDeque<usize>>,
    packets: Vec<Packet>,
    /// The most flits that any buffer has held.
    pub peak: usize,
    moved: bool,
}

impl Twin {
    pub fn new(spec: &Spec) -> Self {
        let machine = &spec.machine;
        let TopologySpec::Graph { links, nodes, .. } = &machine.topology else { panic!("a graph") };
        let RoutingSpec::SourceRoutes { routes, .. } = &machine.routing.algorithm else {
            panic!("written routes")
        };
        let Workload::Messages(list) = &spec.workload else { panic!("a list of messages") };
        let mut twin = Self {
            now: 0,
            machine: machine.clone(),
            channels: Vec::new(),
            groups: Vec::new(),
            queues: vec![VecDeque::new(); nodes.len()],
            packets: Vec::new(),
            peak: 0,
            moved: false,
        };
        let node_wire = machine.node_link().delay_ps.unwrap_or(machine.link.delay_ps) / FLIT;
        for &switch in nodes {
            twin.add(End::Switch(switch as usize), machine.node_width(), node_wire);
        }
        let most = links.iter().map(|link| link.from).max().map_or(0, |most| most + 1);
        let mut group_of = vec![0; links.len()];
        for switch in 0..most {
            for (place, link) in links.iter().enumerate().filter(|(_, link)| link.from == switch) {
                let wire = link.delay_ps.unwrap_or(machine.link.delay_ps) / FLIT;
                group_of[place] = twin.groups.len();
                twin.add(End::Switch(link.to as usize), link.width.into(), wire);
            }
        }
        let first_ejection = twin.groups.len();
        for node in 0..nodes.len() {
            twin.add(End::Node(node), machine.node_width(), node_wire);
        }
        let way = |source: u32, destination: u32| {
            let mut way = vec![source as usize];
            let mut at = nodes[source as usize];
            let is_it =
                |route: &&SourceRoute| (route.source, route.destination) == (source, destination);
            for &port in routes.iter().find(is_it).map_or(&[][..], |route| &route.hops) {
                let mut from = links.iter().enumerate().filter(|(_, link)| link.from == at);
                let (place, link) = from.nth(port as usize).unwrap();
                way.push(group_of[place]);
                at = link.to;
            }
            way.push(first_ejection + destination as usize);
            way
        };
        let interface = &machine.interface;
        for message in 0..list.time_ps.len() {
            let (source, destination) = (list.source[message], list.destination[message]);
            let mut left = list.bytes[message] as u32;
            loop {
                let whole = interface.unit == Unit::Message;
                let bytes = if whole { left } else { left.min(interface.packet_bytes) };
                left -= bytes;
                #[rustfmt::skip]
                let row = PacketRow { class: Class::Data, message: message as u64, source,
                    destination, bytes, queued: list.time_ps[message], hops: 0,
                    first_sent: NEVER, first_internal: NEVER, delivered: NEVER };
                let flits = u64::from(interface.header_bytes + bytes);
                let way = way(source, destination);
                twin.packets.push(Packet { row, flits, way, granted: 0 });
                if left == 0 {
                    break;
                }
            }
        }
        twin
    }

    fn add(&mut self, end: End, width: u32, wire: u64) {
        let first = self.channels.len();
        for _ in 0..width {
            self.channels.push(Channel {
                end,
                wire,
                flying: VecDeque::new(),
                buffer: VecDeque::new(),
                signals: VecDeque::new(),
                said: Signal::Go,
                knows: Signal::Go,
                owner: None,
                free_from: 0,
                asked: None,
                front_from: 0,
            });
        }
        let channels = (first..self.channels.len()).collect();
        self.groups.push(Group { channels, last: None });
    }

    /// Runs until every packet has been delivered; none if they never will be.
    pub fn run(&mut self) -> Option<Vec<PacketRow>> {
        let mut idle = 0;
        while self.packets.iter().any(|packet| packet.row.delivered == NEVER) {
            self.moved = false;
            self.cycle();
            self.now += 1;
            idle = if self.moved { 0 } else { idle + 1 };
            let waits = self.packets.iter().any(|packet| packet.row.queued >= self.now * FLIT);
            if idle > 1_000 && !waits {
                return None;
            }
        }
        Some(self.packets.iter().map(|packet| packet.row).collect())
    }

    fn cycle(&mut self) {
        for packet in 0..self.packets.len() {
            if self.packets[packet].row.queued == self.now * FLIT {
                self.queues[self.packets[packet].row.source as usize].push_back(packet);
            }
        }
        (0..self.channels.len()).for_each(|channel| self.arrive(channel));
        (0..self.channels.len()).for_each(|channel| self.ask(channel));
        (0..self.groups.len()).for_each(|group| self.grant(group));
        (0..self.channels.len()).for_each(|channel| self.send(channel));
    }

    /// What was sent as long ago as the wire is long arrives.
    fn arrive(&mut self, number: usize) {
        let FlowControl::StopGo(marks) = self.machine.link.flow_control else { panic!() };
        let (now, channel) = (self.now, &mut self.channels[number]);
        if channel.flying.front().is_some_and(|flying| flying.0 + channel.wire == now) {
            let (_, (packet, flit)) = channel.flying.pop_front().unwrap();
            self.moved = true;
            if channel.end != End::Node(self.packets[packet].row.destination as usize) {
                channel.buffer.push_back((now, (packet, flit)));
                self.peak = self.peak.max(channel.buffer.len());
                if channel.buffer.len() == marks.stop_flits as usize && channel.said == Signal::Go {
                    channel.said = Signal::Stop;
                    channel.signals.push_back((now, Signal::Stop));
                }
            } else if flit + 1 == self.packets[packet].flits {
                self.packets[packet].row.delivered = (now + 1) * FLIT;
            }
        }
        while channel.signals.front().is_some_and(|signal| signal.0 + channel.wire == now) {
            channel.knows = channel.signals.pop_front().unwrap().1;
            self.moved = true;
        }
    }

    /// A header that is first in its buffer, and has been there for long enough, asks.
    fn ask(&mut self, number: usize) {
        let header = u64::from(self.machine.interface.header_bytes);
        let through = self.machine.switch.fall_through_ps.unwrap() / FLIT;
        let channel = &mut self.channels[number];
        if channel.asked.is_some() || self.now < channel.front_from {
            return;
        }
        let Some(&(_, (packet, flit))) = channel.buffer.front() else { return };
        let mut flits = channel.buffer.iter();
        let last = flits.find(|(_, flit)| *flit == (packet, header - 1));
        if flit == 0 && last.is_some_and(|(arrived, _)| arrived + through <= self.now) {
            channel.asked = Some(self.now);
        }
    }

    /// The channels of a group that are free are granted to packets that ask.
    fn grant(&mut self, group: usize) {
        let again = self.machine.switch.regrant_delay_ps / FLIT;
        loop {
            let free = |&&channel: &&usize| {
                let channel = &self.channels[channel];
                channel.owner.is_none() && channel.free_from <= self.now
            };
            let goes = |&&channel: &&usize| self.channels[channel].knows == Signal::Go;
            let channels = &self.groups[group].channels;
            let first = channels.iter().filter(free).find(goes);
            let Some(&output) = first.or_else(|| channels.iter().find(free)) else { return };
            let (packet, input, from) = if group < self.queues.len() {
                let Some(packet) = self.queues[group].pop_front() else { return };
                (packet, None, self.now)
            } else {
                let Some(input) = self.best(group) else { return };
                let packet = self.channels[input].buffer.front().unwrap().1.0;
                let has_waited = self.channels[input].asked.unwrap() < self.now;
                self.groups[group].last = Some(input);
                (packet, Some(input), self.now + if has_waited { again } else { 0 })
            };
            self.packets[packet].granted += 1;
            self.channels[output].owner = Some((packet, input, 0, from));
        }
    }

    /// The input whose packet is granted next, of those that ask for a group.
    fn best(&self, group: usize) -> Option<usize> {
        let asks = |&input: &usize| {
            let channel = &self.channels[input];
            let front = channel.buffer.front().map(|(_, (packet, flit))| (*packet, *flit));
            channel.asked.is_some()
                && front.is_some_and(|(packet, flit)| {
                    let packet = &self.packets[packet];
                    flit == 0 && packet.way.get(packet.granted) == Some(&group)
                })
        };
        // One that has been granted an output asks no more, though its header is still there.
        let granted = |input: &usize| {
            self.channels.iter().any(|channel| channel.owner.is_some_and(|o| o.1 == Some(*input)))
        };
        let asking = (0..self.channels.len()).filter(|input| asks(input) && !granted(input));
        match self.machine.switch.arbiter {
            Arbiter::Fifo => asking.min_by_key(|&input| (self.channels[input].asked, input)),
            Arbiter::RoundRobin => {
                let last = self.groups[group].last;
                asking.min_by_key(|&input| (last.is_some_and(|last| input <= last), input))
            }
            _ => panic!("not for the twin"),
        }
    }

    /// A channel sends the next flit of its packet, if that is there and it may.
    fn send(&mut self, number: usize) {
        let FlowControl::StopGo(marks) = self.machine.link.flow_control else { panic!() };
        let through = self.machine.switch.fall_through_ps.unwrap() / FLIT;
        let now = self.now;
        let Some((packet, input, flit, from)) = self.channels[number].owner else { return };
        if now < from || self.channels[number].knows == Signal::Stop {
            return;
        }
        if let Some(input) = input {
            let input = &mut self.channels[input];
            let front = input.buffer.front();
            if !front
                .is_some_and(|&(arrived, one)| one == (packet, flit) && arrived + through <= now)
            {
                return;
            }
            input.buffer.pop_front();
            if input.buffer.len() == marks.go_flits as usize && input.said == Signal::Stop {
                input.said = Signal::Go;
                input.signals.push_back((now, Signal::Go));
            }
        }
        let is_last = flit + 1 == self.packets[packet].flits;
        if flit == 0 {
            let row = &mut self.packets[packet].row;
            match row.hops {
                0 => row.first_sent = now * FLIT,
                1 if matches!(self.channels[number].end, End::Switch(_)) => {
                    row.first_internal = now * FLIT;
                }
                _ => {}
            }
            row.hops += 1;
        }
        let channel = &mut self.channels[number];
        channel.flying.push_back((now, (packet, flit)));
        channel.owner = Some((packet, input, flit + 1, from));
        if is_last {
            (channel.owner, channel.free_from) = (None, now + 1);
            if let Some(input) = input {
                (self.channels[input].asked, self.channels[input].front_from) = (None, now + 1);
            }
        }
        self.moved = true;
    }
}
