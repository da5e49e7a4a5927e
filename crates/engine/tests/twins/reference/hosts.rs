//! Hosts with several interfaces, as `docs/model.md` says.

use super::machine::Reference;
use super::network::Packet;
use super::weighing::Way;
use super::wiring::{End, Group, Wiring};
use crate::common::random::Dice;
use tailback_engine::rng::Key;
use tailback_engine::spec::{
    self, Flow, InterfaceRule, LinkClass, Machine, RoutingSpec, TopologySpec, Turn,
};

/// Where a packet is going: to a node, and between hosts from one interface to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    pub node: usize,
    pub interfaces: Option<(usize, usize)>,
}

impl From<usize> for Aim {
    fn from(node: usize) -> Self {
        Self { node, interfaces: None }
    }
}

/// The network that nodes are on, or behind the hosts of nodes.
pub fn network(topology: &TopologySpec) -> &TopologySpec {
    match topology {
        TopologySpec::Hosts { of, .. } => of,
        of => of,
    }
}

/// Switches of a network that is a list of links.
pub fn switches(topology: &TopologySpec) -> u32 {
    let TopologySpec::Graph { switches, .. } = topology else { unreachable!("it is a list") };
    *switches
}

pub struct Hosts {
    described: spec::Hosts,
    /// By host its switch: none if it has one interface and one node.
    switches: Vec<Option<usize>>,
}

impl Hosts {
    /// Those of a topology; `first`: the number of the first switch behind those of the network.
    pub fn of(topology: &TopologySpec, first: usize) -> Option<Self> {
        let TopologySpec::Hosts { hosts, .. } = topology else { return None };
        let mut found = Self { described: hosts.clone(), switches: Vec::new() };
        let mut next = first..;
        let nodes = hosts.own.len();
        for (host, interfaces) in hosts.interfaces.iter().enumerate() {
            let own = (0..nodes).filter(|&node| found.host(node) == host);
            let is_plain = interfaces.len() == 1 && own.count() == 1;
            let switch = if is_plain { None } else { next.next() };
            found.switches.push(switch);
        }
        Some(found)
    }

    /// Their switches.
    pub fn switches(&self) -> impl Iterator<Item = usize> {
        self.switches.iter().flatten().copied()
    }

    pub fn nodes(&self) -> usize {
        self.described.own.len()
    }

    pub fn delay_ps(&self) -> u64 {
        self.described.delay_ps
    }

    pub fn own(&self, node: usize) -> usize {
        self.described.own[node] as usize
    }

    fn host(&self, node: usize) -> usize {
        self.host_of(self.own(node))
    }

    fn host_of(&self, interface: usize) -> usize {
        let mut hosts = self.described.interfaces.iter();
        hosts.position(|all| all.contains(&(interface as u32))).expect("it is of a host")
    }

    /// The switch of a node's host, and of an interface's.
    pub fn switch(&self, node: usize) -> Option<usize> {
        self.switches[self.host(node)]
    }

    fn switch_of(&self, interface: usize) -> Option<usize> {
        self.switches[self.host_of(interface)]
    }

    /// All interfaces, host by host.
    fn interfaces(&self) -> impl Iterator<Item = usize> {
        self.described.interfaces.iter().flatten().map(|&interface| interface as usize)
    }

    /// The interface of a node's host at a place, modulo how many there are.
    fn at(&self, node: usize, place: usize) -> usize {
        let all = &self.described.interfaces[self.host(node)];
        all[place % all.len()] as usize
    }

    fn place(&self, interface: usize) -> usize {
        let all = &self.described.interfaces[self.host_of(interface)];
        all.iter().position(|&one| one as usize == interface).expect("it is one of them")
    }

    /// What differs on the links of a node.
    pub fn inside(&self, node: usize, usual: LinkClass) -> LinkClass {
        if self.switch(node).is_none() {
            return usual;
        }
        let own = self.described.inside;
        LinkClass {
            flit_ps: own.flit_ps.or(usual.flit_ps),
            control_ps: own.control_ps.or(usual.control_ps),
            delay_ps: own.delay_ps.or(usual.delay_ps),
            ..usual
        }
    }

    /// Whether packets choose interfaces by what waits.
    pub fn weighs(&self) -> bool {
        self.described.rule == InterfaceRule::LeastQueued
    }

    /// The least number that is a multiple of how many interfaces each host has.
    fn period(&self) -> u32 {
        let counts = || self.described.interfaces.iter().map(|all| all.len() as u32);
        (1..15).find(|period| counts().all(|count| period % count == 0)).expect("there is one")
    }

    /// The interfaces that a packet goes by, or that these are open; `before`: the messages and packets of its
    /// process before it, `processes`: from which to which it is sent.
    fn way(&self, packet: &Packet, processes: (usize, usize)) -> Way {
        let (source, destination) = (packet.source, packet.destination);
        if self.host(source) == self.host(destination) {
            return Way::Direct;
        }
        let own = |node| self.own(node);
        let pair = |one: usize, other: usize| (one as u64) << 32 | other as u64;
        let hash = |seed: u64, key: Key| mix(seed ^ u64::from(key.short())) >> 32;
        let key = Key::of(pair(processes.0, processes.1));
        let (messages, packets) = packet.before;
        let number = match self.described.rule {
            InterfaceRule::Own => return Way::Between(own(source), own(destination)),
            InterfaceRule::Rail => {
                let to = own(destination);
                return Way::Between(self.at(source, self.place(to)), to);
            }
            InterfaceRule::LeastQueued => return Way::Unchosen,
            InterfaceRule::FlowHash { flow, seed } => match flow {
                Flow::Pair => mix(mix(seed) ^ pair(source, destination)) >> 32,
                Flow::ProcessPair => hash(seed, key),
                Flow::Message => hash(seed, key.and(messages)),
            },
            InterfaceRule::RoundRobin { turn: Turn::Message } => messages,
            InterfaceRule::RoundRobin { turn: Turn::Packet } => packets,
        };
        self.by((source, destination), number as usize % self.period() as usize)
    }

    /// By the interfaces of a place.
    fn by(&self, (source, destination): (usize, usize), place: usize) -> Way {
        Way::Between(self.at(source, place), self.at(destination, place))
    }

    /// All ways that are open, that by the node's own interface first.
    fn open(&self, (source, destination): (usize, usize)) -> Vec<Way> {
        let all = self.described.interfaces[self.host(source)].len();
        let own = self.place(self.own(source));
        (0..all).map(|more| self.by((source, destination), (own + more) % all)).collect()
    }
}

/// The finaliser of `SplitMix64`.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Ports of links between hosts and the network lie behind those of the network.
const FIRST: usize = 1_000;

impl Wiring {
    /// Whether it is the switch of a host.
    pub fn is_host(&self, switch: usize) -> bool {
        let hosts = self.hosts.as_ref();
        hosts.is_some_and(|hosts| hosts.switches().any(|host| host == switch))
    }

    /// Whether channels are between switches of the network.
    pub fn is_inside(&self, group: &Group) -> bool {
        let is_inside = |end| matches!(end, End::Switch(switch) if !self.is_host(switch));
        is_inside(group.from) && is_inside(group.to)
    }

    /// The links of a switch of the network to hosts, or all of a host's: in the order of interfaces.
    pub fn add_interfaces(&mut self, switch: usize, machine: &Machine) {
        let Some(hosts) = &self.hosts else { return };
        let mut links = Vec::new();
        for interface in hosts.interfaces() {
            let Some(host) = hosts.switch_of(interface) else { continue };
            if host == switch {
                links.push((interface, self.network_enters(interface)));
            } else if self.leaves_by(interface) == switch {
                links.push((interface, host));
            }
        }
        let own = machine.link_classes.get("interfaces").copied().unwrap_or_default();
        let width = own.width.unwrap_or(machine.link.width);
        for (interface, to) in links {
            let first = self.groups.len();
            self.add_link(End::Switch(switch), End::Switch(to), width, machine);
            for group in &mut self.groups[first..] {
                (group.port, group.own) = (FIRST + interface, own);
            }
        }
    }

    /// The link of an interface out of a switch: its first class, or the others before that if it is a way out.
    pub fn by_interface(&self, switch: usize, interface: usize) -> Vec<(usize, u8)> {
        let is_its = |&group: &usize| {
            let group = &self.groups[group];
            group.from == End::Switch(switch) && group.port == FIRST + interface && group.share == 0
        };
        let classes: Vec<usize> = (0..self.groups.len()).filter(is_its).collect();
        if self.escapes() { vec![(classes[1], 0), (classes[0], 1)] } else { vec![(classes[0], 0)] }
    }
}

impl Reference {
    /// Between hosts: the interfaces by which a new packet goes, or that these are open.
    pub fn way_of_hosts(&self, packet: usize) -> Option<Way> {
        let packet = &self.packets[packet];
        let message = &self.messages[packet.message];
        let ends = (message.from, message.to);
        let ends = if packet.is_ack { (ends.1, ends.0) } else { ends };
        Some(self.wiring.hosts.as_ref()?.way(packet, ends))
    }

    /// All ways of a packet for which these are open.
    pub fn open_ways(&self, packet: usize) -> Vec<Way> {
        let Packet { source, destination, .. } = self.packets[packet];
        self.wiring.hosts.as_ref().expect("hosts").open((source, destination))
    }

    /// Whether a packet for which interfaces are open chooses one at a switch.
    pub fn chooses_interface(&self, packet: usize, switch: usize) -> bool {
        let hosts = self.wiring.hosts.as_ref().expect("hosts");
        hosts.switch(self.packets[packet].source) == Some(switch)
    }
}

/// Nodes of any network become interfaces of hosts with any number of nodes, on links of any rate.
pub fn some(dice: &mut Dice, machine: &mut Machine) {
    if machine.topology == TopologySpec::Pair {
        machine.topology = TopologySpec::Star { nodes: dice.number(2, 6) as u32 };
    }
    let count = super::cases::nodes(machine) as u32;
    let mut all: Vec<u32> = (0..count).collect();
    for i in 1..all.len() {
        all.swap(i, dice.number(0, i as u64) as usize);
    }
    let (mut interfaces, mut own) = (Vec::new(), Vec::new());
    while !all.is_empty() {
        let many = dice.number(1, 3).min(all.len() as u64) as usize;
        let of_host: Vec<u32> = all.drain(..many).collect();
        for _ in 0..dice.one_of(&[1, 1, many as u64, 2]) {
            own.push(dice.one_of(&of_host));
        }
        interfaces.push(of_host);
    }
    if own.len() < 2 {
        own.push(own[0]);
    }
    for i in 1..own.len() {
        own.swap(i, dice.number(0, i as u64) as usize);
    }
    let mut rule = rule(dice);
    if !leaves_room(&machine.routing.algorithm) {
        rule = dice.one_of(&[InterfaceRule::Own, InterfaceRule::Rail]);
    }
    let flit_ps = machine.link.flit_ps;
    let inside = LinkClass {
        flit_ps: dice.one_of(&[None, None, Some(flit_ps / 4 + 1), Some(2 * flit_ps)]),
        delay_ps: dice.one_of(&[None, None, Some(3 * flit_ps)]),
        ..LinkClass::default()
    };
    let delay_ps = dice.one_of(&[0, machine.switch.delay_ps, 2 * flit_ps]);
    let hosts = spec::Hosts { interfaces, own, rule, inside, delay_ps };
    let of = Box::new(machine.topology.clone());
    machine.topology = TopologySpec::Hosts { of, hosts };
    if dice.chance(30) {
        let flit_ps = Some(dice.one_of(&[flit_ps, flit_ps / 2 + 1, 3 * flit_ps]));
        let width = dice.one_of(&[None, None, Some(1), Some(3)]);
        let own = LinkClass { flit_ps, width, ..LinkClass::default() };
        machine.link_classes.insert("interfaces".into(), own);
    }
}

fn rule(dice: &mut Dice) -> InterfaceRule {
    match dice.number(0, 5) {
        0 => InterfaceRule::Own,
        1 => InterfaceRule::Rail,
        2 => {
            let flow = dice.one_of(&[Flow::Pair, Flow::ProcessPair, Flow::Message]);
            InterfaceRule::FlowHash { flow, seed: dice.number(0, 9) }
        }
        3 => InterfaceRule::RoundRobin { turn: Turn::Message },
        4 => InterfaceRule::RoundRobin { turn: Turn::Packet },
        _ => InterfaceRule::LeastQueued,
    }
}

/// Whether there is room for a place beside what routing remembers of a packet.
fn leaves_room(routing: &RoutingSpec) -> bool {
    !matches!(routing, RoutingSpec::OddEven | RoutingSpec::WestFirst | RoutingSpec::NegativeFirst)
}
