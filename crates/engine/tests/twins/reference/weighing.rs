//! Ways compared by load (`ugal_l`, `ugal_g`) on lists of links: every packet that asks at its first switch
//! looks at all that waits, and at all that is behind the links, as if nobody else asked at this instant.

use super::hosts::{Aim, Hosts};
use super::machine::Reference;
use super::network::{Packet, Waiting};
use super::wiring::{End, Wiring};
use std::collections::BTreeMap;
use tailback_engine::rng::{Key, Purpose, Stream};
use tailback_engine::spec::{RoutingSpec, Weighing};

/// Where a packet is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To its destination.
    Direct,
    /// To its destination, unless it decides to go by way of this node.
    Open(usize),
    /// To this node first.
    Round(usize),
    /// To its destination, from one interface of hosts to another.
    Between(usize, usize),
    /// The same, but by which interfaces is open.
    Unchosen,
}

/// How loads are compared, and whether those of all links of a way are.
fn rule(routing: &RoutingSpec) -> Option<(Weighing, bool)> {
    match routing {
        RoutingSpec::UgalL { weighing, .. } => Some((*weighing, false)),
        RoutingSpec::UgalG { weighing, .. } => Some((*weighing, true)),
        _ => None,
    }
}

/// Whether routing compares loads.
pub fn weighs(routing: &RoutingSpec) -> bool {
    rule(routing).is_some()
}

impl Wiring {
    /// The links, as the first group of each, from a switch to that of a node.
    fn links_to(&self, from: usize, node: usize) -> Vec<usize> {
        let (mut at, mut links) = (from, Vec::new());
        while at != self.leaves_by(node) {
            let link = self.listed(at, node);
            links.push(link);
            let End::Switch(next) = self.groups[link].to else { unreachable!("between switches") };
            at = next;
        }
        links
    }

    /// All links of the way round, none if there is no other, or it begins as the direct one and only the
    /// first links are compared.
    fn links_round(&self, here: usize, middle: usize, destination: usize) -> Option<Vec<usize>> {
        let direct = self.links_to(here, destination);
        let there = self.links_to(here, middle);
        let on = self.links_to(self.leaves_by(middle), destination);
        let compares_all = rule(&self.routing).is_some_and(|(_, is_global)| is_global);
        let both = !direct.is_empty() && !there.is_empty();
        let is_other = both && (compares_all || direct[0] != there[0]);
        is_other.then(|| there.into_iter().chain(on).collect())
    }
}

impl Reference {
    /// The way of a new packet.
    pub fn first_way(&self, packet: usize) -> Way {
        if !weighs(&self.wiring.routing) {
            return self.way_of_hosts(packet).unwrap_or(Way::Direct);
        }
        let key = Key::of(self.spec.seed).and(self.packets[packet].drawn_by);
        let nodes = self.wiring.nodes() as u64;
        Way::Open(Stream::keyed(Purpose::Way, key).below(nodes) as usize)
    }

    /// Where a packet is going for now.
    pub fn aim(&self, packet: usize) -> Aim {
        self.aim_by(packet, self.packets[packet].way)
    }

    fn aim_by(&self, packet: usize, way: Way) -> Aim {
        let node = self.packets[packet].destination;
        match way {
            Way::Round(middle) => middle.into(),
            Way::Direct | Way::Open(_) => node.into(),
            Way::Between(from, to) => Aim { node, interfaces: Some((from, to)) },
            Way::Unchosen => self.aim_by(packet, self.open_ways(packet)[0]),
        }
    }

    /// A packet is on its way to a place: if its middle is there it goes on to its destination.
    pub fn is_on_its_way_to(&mut self, packet: usize, place: End) {
        if let Way::Round(middle) = self.packets[packet].way
            && place == End::Switch(self.wiring.home(middle))
        {
            self.packets[packet].way = Way::Direct;
        }
    }

    /// Everywhere that a packet may be going when it leaves a switch.
    pub fn may_aim(&self, packet: usize, switch: usize) -> Vec<Aim> {
        let destination = self.packets[packet].destination;
        match self.packets[packet].way {
            Way::Open(middle) if self.wiring.links_round(switch, middle, destination).is_some() => {
                vec![destination.into(), middle.into()]
            }
            Way::Unchosen if self.chooses_interface(packet, switch) => {
                let ways = self.open_ways(packet).into_iter();
                ways.map(|way| self.aim_by(packet, way)).collect()
            }
            _ => vec![self.aim(packet)],
        }
    }

    /// Everybody who asks at this instant decides, if that is open.
    pub fn weigh_ways(&mut self) {
        let chooses = self.wiring.hosts.as_ref().is_some_and(Hosts::weighs);
        if !weighs(&self.wiring.routing) && !chooses {
            return;
        }
        let asking: Vec<(usize, usize)> = (0..self.channels.len())
            .flat_map(|input| self.have_asked(input).into_iter().map(move |one| (input, one)))
            .filter(|&(_, (_, since))| since == self.now)
            .map(|(input, (packet, _))| (input, packet))
            .collect();
        let decided: Vec<Way> =
            asking.iter().map(|&(input, packet)| self.decided(input, packet)).collect();
        for ((_, packet), way) in asking.into_iter().zip(decided) {
            self.ways_round += usize::from(way != Way::Direct && way != self.packets[packet].way);
            self.packets[packet].way = way;
        }
    }

    /// The packets in the buffer of an input that have asked for outputs, and since when.
    fn have_asked(&self, input: usize) -> Vec<(usize, u64)> {
        let End::Switch(_) = self.wiring.groups[self.wiring.group_of[input]].to else {
            return Vec::new();
        };
        let since = |waiting: &Waiting| {
            if self.has_queues() { waiting.ready } else { self.asked(input, waiting) }
        };
        let all = self.channels[input].buffer.iter();
        let all = all.take(if self.has_queues() { usize::MAX } else { 1 });
        let all = all.filter(|one| one.left.is_none() && since(one) <= self.now);
        all.map(|one| (one.packet, since(one))).collect()
    }

    fn decided(&self, input: usize, packet: usize) -> Way {
        let Packet { way, destination, .. } = self.packets[packet];
        let End::Switch(here) = self.wiring.groups[self.wiring.group_of[input]].to else {
            unreachable!("packets wait at switches")
        };
        if way == Way::Unchosen && self.chooses_interface(packet, here) {
            return self.least_loaded(packet, here);
        }
        let Way::Open(middle) = way else { return way };
        let Some(round) = self.wiring.links_round(here, middle, destination) else {
            return Way::Direct;
        };
        let (weighing, is_global) = rule(&self.wiring.routing).expect("it weighs");
        let direct = self.wiring.links_to(here, destination);
        // The mean load of the links that count.
        let mean = |links: &[usize]| {
            let counted = if is_global { links } else { &links[..1] };
            let sum: u64 = counted.iter().map(|&link| self.load(link, weighing)).sum();
            sum as f64 / counted.len() as f64
        };
        let unseen = |way: &[usize], beside: usize| match self.unseen(here, way, beside, weighing) {
            Some(load) if !is_global && !weighing.doubles => load as f64,
            _ => 0.0,
        };
        let own = mean(&direct).max(unseen(&direct, round[0]));
        let other = mean(&round).max(unseen(&round, direct[0]));
        let [hops, more] = [direct.len() as f64, round.len() as f64];
        let flit = self.spec.machine.link.flit_ps as f64;
        let threshold = f64::from(weighing.threshold) * flit;
        let surplus = if weighing.doubles { own - 2.0 * other } else { hops * own - more * other };
        // What is compared are multiples of 1 / (hops · more) picoseconds, small ones.
        if surplus <= threshold + 1e-6 { Way::Direct } else { Way::Round(middle) }
    }

    /// The way by the interface with the least before it.
    fn least_loaded(&self, packet: usize, here: usize) -> Way {
        let load = |way: &Way| {
            let aim = self.aim_by(packet, *way);
            let link = self.wiring.route(End::Switch(here), aim, None);
            self.load(link, Weighing::default())
        };
        self.open_ways(packet).into_iter().min_by_key(load).expect("a host has interfaces")
    }

    /// Where a way begins with a faster link than the one beside it, and has a slower link further on: how
    /// loaded that is, judged by the links of the switch that are as slow, the one beside it only if
    /// there is no other.
    fn unseen(&self, here: usize, way: &[usize], beside: usize, weighing: Weighing) -> Option<u64> {
        let (groups, machine) = (&self.wiring.groups, &self.spec.machine);
        let time = |link: usize| self.wiring.flit_times(machine, link)[0];
        let slowest = way.iter().map(|&link| time(link)).max()?;
        if time(way[0]) >= time(beside) || time(way[0]) >= slowest {
            return None;
        }
        let of_ports: BTreeMap<_, _> = (0..groups.len())
            .filter(|&link| groups[link].from == End::Switch(here))
            .filter(|&link| matches!(groups[link].to, End::Switch(_)) && time(link) == slowest)
            .map(|link| (groups[link].port, link))
            .collect();
        let others = of_ports.iter().filter(|&(&port, _)| port != groups[beside].port);
        let loads: Vec<u64> = others.map(|(_, &link)| self.load(link, weighing)).collect();
        if loads.is_empty() {
            return Some(self.load(beside, weighing));
        }
        Some(loads.iter().sum::<u64>() / loads.len() as u64)
    }

    /// The time that what is behind a link takes there, and what has waited for it before this instant.
    fn load(&self, link: usize, weighing: Weighing) -> u64 {
        let groups = &self.wiring.groups;
        let is_on_it = |group: usize| {
            (groups[group].from, groups[group].port) == (groups[link].from, groups[link].port)
                && matches!(groups[group].to, End::Switch(_))
        };
        let channels = (0..self.channels.len()).filter(|&c| is_on_it(self.wiring.group_of[c]));
        let mut flits: u64 = channels.map(|c| u64::from(self.channels[c].occupied_tokens)).sum();
        for input in (0..self.channels.len()).filter(|_| !weighing.only_behind) {
            let from = self.wiring.group_of[input];
            for (packet, since) in self.have_asked(input) {
                let to = self.wiring.route(groups[from].to, self.aim(packet), Some(from));
                if since < self.now && is_on_it(to) {
                    flits += u64::from(self.tokens(packet));
                }
            }
        }
        flits * self.wiring.flit_times(&self.spec.machine, link)[0]
    }
}
