//! The `stream` fidelity, tick by tick: at every picosecond every channel, buffer and
//! request is looked at, in the order of `docs/model.md`.
//!
//! It was written from that document and shares nothing with the engine but the
//! description of a run, the row of a packet and the random numbers. It knows message
//! lists of one packet per message without acknowledgements, and nothing else.

use crate::common::arbiters::{Request, rank};
use crate::common::draws;
use crate::reference::wiring::{End, Wiring};
use std::collections::VecDeque;
use tailback_engine::fabric::Timing;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::{Arbiter, Machine, Spec, Workload};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Class, PacketRow};

struct Packet {
    row: PacketRow,
    /// What tells it from all others when something is drawn for it.
    drawn_by: u64,
    length: Time,
    /// The groups it takes from its source to its destination.
    way: Vec<usize>,
    /// When it started on the latest channel, and could start on the next.
    started: Time,
    could_start: Time,
}

/// A channel, the wire, and the input buffer at its end.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a thing of its own")]
struct Channel {
    ends_in_node: bool,
    owner: Option<Owner>,
    /// Whether its stream flows in this tick, and one out of the buffer.
    flows: bool,
    flows_out: bool,
    /// Whether stream flows into the buffer, in this tick and in those to come for certain.
    arrives: VecDeque<bool>,
    /// All that was ever sent, has arrived, and has left the buffer.
    sent: Time,
    arrived: Time,
    left: Time,
    /// Packets that have not been granted the next channel: how much must have arrived for
    /// them to ask.
    asking: VecDeque<(usize, Time)>,
    /// The packet at the front has asked for an output and has not been sent on.
    front_has_asked: bool,
    used: Use,
    tally: ChannelTally,
}

#[derive(Clone, Copy)]
struct Owner {
    packet: usize,
    /// The channel whose buffer it comes from, unless it comes from its node.
    input: Option<usize>,
    sent: Time,
}

/// What stopped streams, in ticks.
#[derive(Debug, Default)]
pub struct Stops {
    pub no_room: Time,
    pub nothing_to_send: Time,
}

pub struct Simulator {
    now: Time,
    link: Timing,
    capacity: Time,
    machine: Machine,
    wiring: Wiring,
    channels: Vec<Channel>,
    /// For each group the packets that wait for it and the channels whose buffers they
    /// are in, in order of request; for a node's group that is its output queue.
    requests: Vec<Vec<(usize, Option<usize>)>>,
    /// For each group the inputs it has granted.
    granted_before: Vec<Vec<Request>>,
    seed: u64,
    packets: Vec<Packet>,
    stops: Stops,
}

impl Simulator {
    pub fn new(spec: &Spec) -> Self {
        let Workload::Messages(list) = &spec.workload else { panic!("only message lists") };
        let (wiring, link) = (Wiring::new(&spec.machine), Timing::of(&spec.machine));
        let is_sent = |&message: &usize| list.source[message] != list.destination[message];
        let packet = |message: usize| {
            let (source, destination) = (list.source[message], list.destination[message]);
            let (bytes, queued) = (list.bytes[message] as u32, list.time_ps[message]);
            #[rustfmt::skip]
            let row = PacketRow { class: Class::Data, message: message as u64, source, destination,
                bytes, queued, hops: 0, first_sent: NEVER, first_internal: NEVER, delivered: NEVER };
            let way = wiring.way(source as usize, destination as usize);
            let before = list.source[..message].iter().filter(|&&other| other == source).count();
            let drawn_by = draws::by(spec.seed, (source as usize, before as u64), (false, 0));
            let length = link.packet_ps(bytes);
            Packet { row, drawn_by, length, way, could_start: queued, started: NEVER }
        };
        let channel = |&group: &usize| Channel {
            ends_in_node: matches!(wiring.groups[group].to, End::Node(_)),
            arrives: vec![false; link.delay_ps() as usize].into(),
            ..Channel::default()
        };
        Self {
            now: 0,
            capacity: link.flit_ps * Time::from(spec.machine.switch.input_buffer()),
            machine: spec.machine.clone(),
            channels: wiring.group_of.iter().map(channel).collect(),
            requests: vec![Vec::new(); wiring.groups.len()],
            granted_before: vec![Vec::new(); wiring.groups.len()],
            seed: spec.seed,
            packets: (0..list.time_ps.len()).filter(is_sent).map(packet).collect(),
            wiring,
            link,
            stops: Stops::default(),
        }
    }

    /// Runs until every packet has been delivered: their rows, and what every channel did.
    pub fn run(mut self) -> (Vec<PacketRow>, Vec<(Use, ChannelTally)>, Stops) {
        while self.packets.iter().any(|packet| packet.row.delivered == NEVER) {
            assert!(self.now < 10_000_000, "nothing moves any more");
            self.tick();
            self.now += 1;
        }
        let rows = self.packets.iter().map(|packet| packet.row).collect();
        let channels = self.channels.iter().map(|channel| (channel.used, channel.tally));
        (rows, channels.collect(), self.stops)
    }

    fn tick(&mut self) {
        let channels = 0..self.channels.len();
        for (number, Packet { row, way, .. }) in self.packets.iter().enumerate() {
            self.requests[way[0]].extend((row.queued == self.now).then_some((number, None)));
        }
        channels.clone().for_each(|channel| self.release(channel));
        channels.clone().for_each(|channel| self.front_asks(channel));
        (0..self.requests.len()).for_each(|group| self.grant(group));
        for channel in &mut self.channels {
            (channel.flows, channel.flows_out) = (false, false);
        }
        // One that flows may let another flow.
        while channels.clone().filter(|&channel| self.begins_to_flow(channel)).count() > 0 {}
        channels.clone().for_each(|channel| self.write_down(channel));
        channels.for_each(|channel| self.flow(channel));
    }

    /// A channel whose packet has been sent is idle again, and the front of the buffer
    /// that the packet came from falls free.
    fn release(&mut self, number: usize) {
        let packets = &self.packets;
        let owner = &mut self.channels[number].owner;
        let sent = owner.take_if(|owner| owner.sent == packets[owner.packet].length);
        let Some(Owner { packet, input, .. }) = sent else { return };
        if let Some(input) = input {
            self.channels[input].front_has_asked = false;
        }
        if self.channels[number].ends_in_node {
            let packet = &mut self.packets[packet];
            packet.row.delivered = self.now + self.link.wire_ps;
            let drawn_out = self.now - packet.started - packet.length;
            self.channels[number].tally.wait_internal_ps += drawn_out;
        }
    }

    /// The packet at the front of a buffer asks for its output when its header is there.
    fn front_asks(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        let Some(&(packet, needed)) = channel.asking.front() else { return };
        if !channel.front_has_asked && channel.arrived >= needed {
            channel.front_has_asked = true;
            let output = self.packets[packet].way[usize::from(self.packets[packet].row.hops)];
            let requests = &mut self.requests[output];
            let Packet { row, drawn_by, .. } = &self.packets[packet];
            let place = match self.machine.switch.arbiter {
                Arbiter::Random => {
                    let by = (*drawn_by, row.hops.into());
                    draws::place((self.seed, output), by, requests.len())
                }
                _ => requests.len(),
            };
            requests.insert(place, (packet, Some(number)));
        }
    }

    /// A group with idle channels grants the best of its requests.
    fn grant(&mut self, group: usize) {
        while !self.requests[group].is_empty() {
            let mut all = self.wiring.groups[group].channels.iter().copied();
            let idle = all.find(|&channel| self.channels[channel].owner.is_none());
            let Some(number) = idle else { return };
            let best = self.best(group);
            let (packet, input) = self.requests[group].remove(best);
            if let Some(input) = input {
                let granted = self.request(packet, input);
                self.granted_before[group].push(granted);
                self.channels[input].asking.pop_front();
            }
            let channel = &mut self.channels[number];
            channel.owner = Some(Owner { packet, input, sent: 0 });
            channel.used.packets += 1;
            if !channel.ends_in_node {
                channel.asking.push_back((packet, channel.sent + self.link.header_ps));
            }
        }
    }

    /// What an arbiter sees of a packet.
    fn request(&self, packet: usize, input: usize) -> Request {
        let row = &self.packets[packet].row;
        let (is_from_node, queued, hops) = (row.hops == 1, row.queued, row.hops.into());
        Request { input, is_from_node, queued, hops, class: 0, bytes: row.bytes }
    }

    /// The place of the best request of a group. Of equals the first is the best.
    fn best(&mut self, group: usize) -> usize {
        let requests = &self.requests[group];
        let rank = |&place: &usize| {
            let (packet, input) = requests[place];
            let request = self.request(packet, input.unwrap());
            rank(&self.machine, &request, &self.granted_before[group])
        };
        match self.machine.switch.arbiter {
            // A node's output queue is first in, first out.
            _ if matches!(self.wiring.groups[group].from, End::Node(_)) => 0,
            _ => (0..requests.len()).min_by_key(rank).unwrap(),
        }
    }

    /// Whether stream flows into a buffer in this tick.
    fn flows_in(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        channel.arrives.front().copied().unwrap_or(channel.flows)
    }

    fn has_room(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        let held = channel.sent - channel.left;
        channel.ends_in_node || held < self.capacity || channel.flows_out
    }

    fn has_something_to_send(&self, owner: Owner) -> bool {
        owner.input.is_none_or(|input| {
            self.channels[input].arrived > self.channels[input].left || self.flows_in(input)
        })
    }

    /// Whether a channel's stream flows in this tick, and that was not known yet.
    fn begins_to_flow(&mut self, number: usize) -> bool {
        let channel = &self.channels[number];
        let Some(owner) = channel.owner.filter(|_| !channel.flows) else { return false };
        let flows = self.has_room(number) && self.has_something_to_send(owner);
        self.channels[number].flows = flows;
        if let Some(input) = owner.input {
            self.channels[input].flows_out = flows;
        }
        flows
    }

    fn write_down(&mut self, number: usize) {
        let Some(owner) = self.channels[number].owner else { return };
        if !self.channels[number].flows {
            self.stops.no_room += Time::from(!self.has_room(number));
            self.stops.nothing_to_send += Time::from(!self.has_something_to_send(owner));
            self.channels[number].tally.kept_ps += 1;
            return;
        }
        self.channels[number].used.busy_ps += 1;
        if owner.sent == 0 {
            self.packet_starts(number, owner.packet);
        }
    }

    /// A tick passes.
    fn flow(&mut self, number: usize) {
        let channel = &mut self.channels[number];
        channel.arrives.push_back(channel.flows);
        channel.arrived += Time::from(channel.arrives.pop_front().unwrap());
        if let Some(owner) = channel.owner.as_mut().filter(|_| channel.flows) {
            owner.sent += 1;
            channel.sent += 1;
            if let Some(input) = owner.input {
                self.channels[input].left += 1;
            }
        }
    }

    /// Writes down that a packet starts on a channel.
    fn packet_starts(&mut self, number: usize, packet: usize) {
        let (packet, channel) = (&mut self.packets[packet], &mut self.channels[number]);
        let (now, wait, row) = (self.now, self.now - packet.could_start, &mut packet.row);
        let tally = &mut channel.tally;
        let (waits, first) = match row.hops {
            0 => (&mut tally.wait_throttling_ps, &mut row.first_sent),
            1 if !channel.ends_in_node => (&mut tally.wait_throttling_ps, &mut row.first_internal),
            _ => (&mut tally.wait_internal_ps, &mut packet.started),
        };
        (*waits, *first) = (*waits + wait, now);
        tally.waits += u64::from(wait > 0);
        row.hops += 1;
        packet.started = now;
        packet.could_start = now + self.link.hop_ps;
    }
}
