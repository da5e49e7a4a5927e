//! A simulator of the rules of `docs/model.md`, "Transports", that does not care for speed: it
//! looks at every packet and every channel at every instant.

use super::Outcome;
use super::network::Network;
use crate::common::parts::Scheme;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::{HalfDuplex, RoutingSpec, Spec, Workload};
use tailback_engine::{Class, PacketRow};

type Time = u64;

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// In its node's list.
    List,
    /// Its message has the injector of a link.
    Injector(usize),
    /// In the queue of a link.
    Queue(usize),
    /// On its way over a link, and when it is there; it has a place in the queue of another.
    Way(usize, Time, Option<usize>),
    Delivered(Time),
}

#[derive(Clone, Debug)]
struct Packet {
    message: usize,
    source: usize,
    destination: usize,
    bytes: u64,
    is_last: bool,
    sent: Time,
    at: At,
    ready: Time,
    /// When its first transmission began.
    first: Time,
    hops: u16,
    /// When the packet of its message before it has been sent over the first link.
    after: Time,
}

#[derive(Clone, Default)]
struct Link {
    queue: Vec<usize>,
    /// The packet being sent, and until when.
    sends: Option<(usize, Time)>,
    turn: usize,
    used: Use,
    tally: ChannelTally,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    link: usize,
    packet: usize,
    next: Option<usize>,
}

pub struct Twin<'a> {
    spec: &'a Spec,
    network: Network,
    packets: Vec<Packet>,
    links: Vec<Link>,
    /// By link: packets with a place in its queue that are not there yet, at the last round.
    coming: Vec<usize>,
    now: Time,
    stored: Vec<[u64; 2]>,
    in_network: [u64; 2],
    /// Packets that were sent before one that stood before them.
    pub overtaken: u64,
    /// Packets that set out another way than in order of dimensions.
    pub contrary: u64,
}

impl<'a> Twin<'a> {
    pub fn new(spec: &'a Spec) -> Self {
        let network = Network::new(spec);
        Self {
            spec,
            links: vec![Link::default(); network.links.len()],
            coming: vec![0; network.links.len()],
            stored: vec![[0; 2]; network.nodes()],
            in_network: [0; 2],
            network,
            packets: Vec::new(),
            now: 0,
            overtaken: 0,
            contrary: 0,
        }
    }

    fn scheme(&self) -> Scheme {
        Scheme::of(&self.spec.machine)
    }

    fn cuts_through(&self) -> bool {
        self.scheme() == Scheme::CutThrough
    }

    /// Places in a queue, places for contrary packets, and whether packets may be overtaken.
    fn places(&self) -> Option<(usize, usize, bool)> {
        let Scheme::Packets { places, reserve, overtaking } = self.scheme() else { return None };
        let buffers = places as usize;
        Some((buffers, buffers - usize::from(reserve), overtaking))
    }

    fn byte_ps(&self) -> Time {
        self.spec.machine.link.flit_ps
    }

    fn header_ps(&self) -> Time {
        let machine = &self.spec.machine;
        machine.link.packet_gap_ps + self.byte_ps() * u64::from(machine.interface.header_bytes)
    }

    fn packet_ps(&self, bytes: u64) -> Time {
        let link = &self.spec.machine.link;
        let end = if link.end_token { link.control_ps } else { 0 };
        self.header_ps() + self.byte_ps() * bytes + end
    }

    fn arbitration(&self) -> Time {
        self.spec.machine.switch.delay_ps
    }

    fn wire(&self) -> Time {
        self.spec.machine.link.delay_ps
    }

    pub fn run(&mut self) -> Outcome {
        let Workload::Messages(list) = &self.spec.workload else { unreachable!() };
        let times = list.time_ps.clone();
        let mut row = 0;
        loop {
            let due = times.get(row).copied();
            let Some(now) = self.next_instant().into_iter().chain(due).min() else { break };
            self.now = now;
            self.arrivals();
            while row < times.len() && times[row] == now {
                self.send(row);
                row += 1;
            }
            if self.places().is_none() {
                self.join_local();
            }
            while self.round() {}
            self.measure();
        }
        self.outcome()
    }

    /// The earliest instant after this one at which something is known to happen.
    fn next_instant(&self) -> Option<Time> {
        let of_packet = |packet: &Packet| match packet.at {
            At::Way(_, there, _) => Some(there),
            At::Queue(_) => Some(packet.ready),
            _ => None,
        };
        let packets = self.packets.iter().filter_map(of_packet);
        let ends = self.links.iter().filter_map(|link| link.sends.map(|(_, end)| end));
        packets.chain(ends).filter(|&at| at > self.now).min()
    }

    /// Packets that are there at this instant, in order of the links' numbers.
    fn arrivals(&mut self) {
        let mut there: Vec<(usize, usize)> = Vec::new();
        for (id, packet) in self.packets.iter().enumerate() {
            if let At::Way(link, at, _) = packet.at
                && at == self.now
            {
                there.push((link, id));
            }
        }
        there.sort_unstable();
        for (link, id) in there {
            let At::Way(_, _, next) = self.packets[id].at else { unreachable!() };
            let here = self.network.links[link].to;
            if here == self.packets[id].destination {
                self.packets[id].at = At::Delivered(self.now);
                continue;
            }
            self.packets[id].ready = self.now + self.arbitration();
            let queue = next.unwrap_or_else(|| self.choose(here, id));
            self.join(queue, id);
        }
    }

    fn join(&mut self, link: usize, id: usize) {
        self.packets[id].at = At::Queue(link);
        self.links[link].queue.push(id);
    }

    /// The link by which a datagram leaves a node.
    fn choose(&self, here: usize, id: usize) -> usize {
        let to = self.packets[id].destination;
        if self.spec.machine.routing.algorithm != RoutingSpec::Profitable {
            return self.network.in_order(here, to);
        }
        let nearer = self.network.nearer(here, to).iter().copied();
        nearer.min_by_key(|&link| (self.taken(link, false), link)).unwrap()
    }

    /// Packets in the queue of a link, being sent, or with a place there: all, or those that
    /// are contrary.
    fn taken(&self, link: usize, only_contrary: bool) -> usize {
        let counts = |id: usize, started: bool| {
            let packet = &self.packets[id];
            let is_new = packet.hops == u16::from(started);
            let own = || self.network.in_order(packet.source, packet.destination);
            !only_contrary || is_new && own() != link
        };
        let waiting = self.links[link].queue.iter().filter(|&&id| counts(id, false)).count();
        let sent = self.links[link].sends;
        let sending = sent.is_some_and(|(id, end)| end > self.now && counts(id, true));
        let coming = if only_contrary { 0 } else { self.coming[link] };
        waiting + usize::from(sending) + coming
    }

    /// A row of the list is sent: it becomes packets in its node's list.
    fn send(&mut self, row: usize) {
        let Workload::Messages(list) = &self.spec.workload else { unreachable!() };
        let (source, destination) = (list.source[row] as usize, list.destination[row] as usize);
        if source == destination {
            return;
        }
        let machine = &self.spec.machine;
        let most = u64::from(machine.interface.packet_bytes);
        let first = machine.interface.first_packet_bytes.map_or(most, u64::from);
        let mut left = list.bytes[row];
        let mut size = first;
        loop {
            let bytes = left.min(size);
            left -= bytes;
            size = most;
            self.packets.push(Packet {
                message: row,
                source,
                destination,
                bytes,
                is_last: left == 0,
                sent: self.now,
                at: At::List,
                ready: self.now + self.arbitration(),
                first: 0,
                hops: 0,
                after: 0,
            });
            if left == 0 {
                return;
            }
        }
    }

    fn listed(&self) -> Vec<usize> {
        (0..self.packets.len()).filter(|&id| self.packets[id].at == At::List).collect()
    }

    /// Datagrams join their queues at once, a message after the other.
    fn join_local(&mut self) {
        for id in self.listed() {
            let link = self.choose(self.packets[id].source, id);
            self.join(link, id);
        }
    }

    /// Whether anything has happened in a round.
    fn round(&mut self) -> bool {
        if self.places().is_some() {
            self.count_coming();
            self.give_injectors();
        }
        let candidates: Vec<Candidate> =
            (0..self.links.len()).filter_map(|wire| self.candidate(wire)).collect();
        let mut injecting = self.injecting();
        for (link, own) in injecting.iter_mut().enumerate() {
            *own = own.filter(|&id| self.has_place_for_local(link, id));
        }
        let mut has_happened = false;
        for candidate in candidates.iter().filter(|candidate| candidate.next.is_none()) {
            self.start(candidate);
            has_happened = true;
        }
        for (link, own) in injecting.into_iter().enumerate() {
            let others: Vec<Candidate> =
                candidates.iter().filter(|c| c.next == Some(link)).copied().collect();
            has_happened |= self.give_place(link, own, &others);
        }
        has_happened
    }

    fn count_coming(&mut self) {
        self.coming.fill(0);
        for packet in &self.packets {
            if let At::Way(_, _, Some(next)) = packet.at {
                self.coming[next] += 1;
            }
        }
    }

    /// Messages at the heads of the lists get injectors.
    fn give_injectors(&mut self) {
        let mut lists = vec![Vec::new(); self.network.nodes()];
        for id in self.listed() {
            lists[self.packets[id].source].push(id);
        }
        for (node, mut listed) in lists.into_iter().enumerate() {
            while let Some(&head) = listed.first() {
                let to = self.packets[head].destination;
                let in_order = self.network.in_order(node, to);
                let adapts =
                    matches!(self.spec.machine.routing.algorithm, RoutingSpec::FirstHop { .. });
                let only = [in_order];
                let allowed = if adapts { self.network.nearer(node, to) } else { &only };
                let injecting = self.injecting();
                let free = allowed.iter().copied().filter(|&link| injecting[link].is_none());
                let best = free.min_by_key(|&link| (self.taken(link, false), link));
                let Some(link) = best else { break };
                self.contrary += u64::from(link != in_order);
                let message = self.packets[head].message;
                for packet in self.packets.iter_mut().filter(|packet| packet.message == message) {
                    packet.at = At::Injector(link);
                }
                listed.retain(|&id| self.packets[id].message != message);
            }
        }
    }

    /// By link: the first packet of the message that has its injector.
    fn injecting(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.links.len()];
        for (id, packet) in self.packets.iter().enumerate() {
            if let At::Injector(link) = packet.at {
                first[link].get_or_insert(id);
            }
        }
        first
    }

    fn has_place(&self, link: usize) -> bool {
        self.places().is_none_or(|(all, _, _)| self.taken(link, false) < all)
    }

    fn has_place_for_local(&self, link: usize, id: usize) -> bool {
        let Packet { source, destination, .. } = self.packets[id];
        let is_contrary = link != self.network.in_order(source, destination);
        let (_, for_contrary, _) = self.places().unwrap();
        self.has_place(link) && (!is_contrary || self.taken(link, true) < for_contrary)
    }

    /// What a wire, named by the lower of its links if it has two, would send.
    fn candidate(&mut self, wire: usize) -> Option<Candidate> {
        let shares = self.spec.machine.link.half_duplex != HalfDuplex::No;
        let ends = if shares { vec![wire, self.network.back(wire)] } else { vec![wire] };
        let is_busy = |&link: &usize| self.links[link].sends.is_some_and(|(_, end)| end > self.now);
        if ends.iter().min() != Some(&wire) || ends.iter().any(is_busy) {
            return None;
        }
        let fronts: Vec<Candidate> =
            ends.into_iter().filter_map(|link| self.first_that_goes(link)).collect();
        fronts.into_iter().min_by_key(|front| (self.packets[front.packet].ready, front.link))
    }

    /// The first packet of a queue that may be sent and has a place.
    fn first_that_goes(&self, link: usize) -> Option<Candidate> {
        let end = self.network.links[link].to;
        let mut passed: Vec<usize> = Vec::new();
        for &id in &self.links[link].queue {
            let packet = &self.packets[id];
            if packet.ready > self.now {
                return None;
            }
            let (overtaking, has_next) = match self.places() {
                Some((_, _, overtaking)) => (overtaking, end != packet.destination),
                None => (false, false),
            };
            let next = has_next.then(|| self.network.in_order(end, packet.destination));
            let has_place = next.is_none_or(|next| self.has_place(next));
            if has_place && !passed.contains(&packet.message) {
                return Some(Candidate { link, packet: id, next });
            }
            if !overtaking {
                return None;
            }
            passed.push(packet.message);
        }
        None
    }

    /// Gives one place in a queue to the next in turn of those that want it.
    fn give_place(&mut self, link: usize, own: Option<usize>, others: &[Candidate]) -> bool {
        let here = self.network.links[link].from;
        let incoming: Vec<usize> =
            (0..self.links.len()).filter(|&at| self.network.links[at].to == here).collect();
        for step in 0..=incoming.len() {
            let turn = (self.links[link].turn + step) % (incoming.len() + 1);
            let next = (turn + 1) % (incoming.len() + 1);
            if turn == 0 {
                let Some(id) = own else { continue };
                self.join(link, id);
            } else {
                let from = incoming[turn - 1];
                let Some(other) = others.iter().find(|c| c.link == from) else { continue };
                self.start(other);
            }
            self.links[link].turn = next;
            return true;
        }
        false
    }

    fn start(&mut self, candidate: &Candidate) {
        let &Candidate { link, packet: id, next } = candidate;
        let now = self.now;
        let before = self.links[link].queue.iter().position(|&other| other == id).unwrap();
        self.links[link].queue.remove(before);
        self.overtaken += u64::from(before > 0);
        let takes = self.packet_ps(self.packets[id].bytes);
        let end = now + takes;
        let (header, wire) = (self.header_ps(), self.wire());
        let goes_on = self.network.links[link].to != self.packets[id].destination;
        let there = if goes_on && self.cuts_through() { now + header + wire } else { end + wire };
        if self.packets[id].hops == 0 {
            self.packets[id].first = now;
            let message = self.packets[id].message;
            let behind = self.packets[id + 1..].iter_mut().find(|packet| packet.message == message);
            if let Some(behind) = behind {
                behind.after = end;
                behind.ready = behind.ready.max(end);
            }
        }
        let packet = &mut self.packets[id];
        let waited = now - packet.ready;
        packet.hops += 1;
        packet.at = At::Way(link, there, next);
        let of_link = &mut self.links[link];
        of_link.tally.waits += u64::from(waited > 0);
        if packet.hops == 1 {
            of_link.tally.wait_throttling_ps += waited;
        } else {
            of_link.tally.wait_internal_ps += waited;
        }
        of_link.used.busy_ps += takes;
        of_link.used.packets += 1;
        of_link.sends = Some((id, end));
    }

    /// Notes what is stored from this instant on.
    fn measure(&mut self) {
        let header = u64::from(self.spec.machine.interface.header_bytes);
        let mut now = vec![[0; 2]; self.network.nodes()];
        for packet in &self.packets {
            let bytes = packet.bytes + header;
            match packet.at {
                At::List | At::Injector(_) => now[packet.source][1] += bytes,
                At::Queue(_) if packet.hops == 0 => now[packet.source][1] += bytes,
                At::Queue(link) => now[self.network.links[link].from][0] += bytes,
                At::Way(link, _, _) => {
                    let to = self.network.links[link].to;
                    if to != packet.destination && !self.cuts_through() {
                        now[to][0] += bytes;
                    }
                }
                At::Delivered(_) => {}
            }
        }
        for owner in 0..2 {
            let sum = now.iter().map(|node| node[owner]).sum();
            self.in_network[owner] = self.in_network[owner].max(sum);
            for (most, now) in self.stored.iter_mut().zip(&now) {
                most[owner] = most[owner].max(now[owner]);
            }
        }
    }

    fn outcome(&self) -> Outcome {
        let mut rows = Vec::new();
        for packet in &self.packets {
            let At::Delivered(delivered) = packet.at else { continue };
            let queued = (packet.sent + self.arbitration()).max(packet.after) - self.arbitration();
            rows.push(PacketRow {
                class: Class::Data,
                message: packet.message as u64,
                source: packet.source as u32,
                destination: packet.destination as u32,
                bytes: packet.bytes as u32,
                hops: packet.hops,
                queued,
                first_sent: packet.first - self.arbitration(),
                first_internal: packet.first,
                delivered,
            });
            assert!(packet.is_last || self.places().is_some());
        }
        rows.sort_by_key(|row| (row.message, row.queued));
        let mut channels = vec![Default::default(); self.network.channels];
        for (link, at) in self.links.iter().zip(&self.network.links) {
            channels[at.number] = (link.used, link.tally);
        }
        Outcome {
            deadlocks: rows.len() < self.packets.len(),
            rows,
            channels,
            stored: self.stored.clone(),
            in_network: self.in_network,
        }
    }
}
