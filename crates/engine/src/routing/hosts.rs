//! Hosts with several interfaces: by which of them a packet leaves its host, and to which it goes.
//!
//! Between two interfaces a packet goes as the algorithm of the network says, which knows of no
//! hosts: so no packet passes a host on its way. A packet from one host to another leaves by an
//! interface that the rule names, for one of the other host: with `own` and `rail` that of the
//! receiving node, else the one of the same place (modulo how many there are). A packet between nodes
//! of one host does not leave its switch.
//!
//! Free of deadlock if the algorithm is: links from hosts come first and links to hosts last on every
//! way, so neither is on a circle.
//!
//! Where the place is not known from the ends, it is in the highest bits of the route, above that of
//! the algorithm: as drawn, counted or hashed from the beginning, or [`OPEN`] until the packet leaves
//! its host. Searches for circles, and predictions, look at open packets, which may leave by any.

use super::algorithm::Algorithm;
use super::header::Header;
use super::loads::Loads;
use super::properties::{Otherwise, Properties};
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::{Key, Stream, mix};
use crate::spec::{Flow, InterfaceRule, Turn};
use crate::topology;
use std::ops::Range;

/// Bits of a route for that of the algorithm, where there is a place above.
const INNER_BITS: u32 = 28;
const INNER: u32 = (1 << INNER_BITS) - 1;
/// The place is not known yet.
const OPEN: u32 = 15;

/// The interfaces of hosts, with the algorithm between them.
pub struct Hosts<A> {
    algorithm: A,
    hosts: topology::Hosts,
    /// Whether routes have a place.
    has_places: bool,
    /// A multiple of how many interfaces each host has.
    period: u32,
    /// Classes of the algorithm, and how many of them, the first, are its way out.
    classes: usize,
    escapes: usize,
}

impl<A: Algorithm> Hosts<A> {
    /// Puts an algorithm of the network between hosts.
    ///
    /// # Errors
    /// One whose packets may not wait, or that remembers too much beside the interface.
    pub fn new(name: &str, algorithm: A, hosts: &topology::Hosts) -> Result<Self, SpecError> {
        let has_places = !matches!(hosts.rule, InterfaceRule::Own | InterfaceRule::Rail);
        let mut made =
            Self { algorithm, hosts: hosts.clone(), has_places, period: 1, classes: 1, escapes: 0 };
        made.count_classes();
        made.check(name)?;
        if has_places {
            made.period = made.period()?;
        }
        Ok(made)
    }

    /// The algorithm between interfaces.
    pub fn algorithm(&self) -> &A {
        &self.algorithm
    }

    fn inner(&self) -> Properties {
        self.algorithm.properties()
    }

    fn count_classes(&mut self) {
        let inner = self.inner();
        (self.classes, self.escapes) = (inner.classes, inner.escapes);
    }

    fn check(&self, name: &str) -> Result<(), SpecError> {
        let refuse = |allowed: String| Err(SpecError::new("machine.routing", name, allowed));
        if self.inner().otherwise != Otherwise::Wait {
            return refuse("must be one whose packets wait, with machine.hosts".into());
        }
        let bits = self.algorithm.route_bits();
        if self.has_places && bits > INNER_BITS {
            let rule = self.hosts.rule.name();
            return refuse(format!(
                "remembers too much of a packet beside its interface; with machine.hosts.rule = \
                 {rule} it must be ecmp, spray, shortest, hop_classes, up_down, table or of fat trees"
            ));
        }
        if self.hosts.rule == InterfaceRule::LeastQueued && self.inner().weighs {
            return refuse("must not weigh loads, with machine.hosts.rule = least_queued".into());
        }
        Ok(())
    }

    /// The least number that is a multiple of how many interfaces each host has.
    fn period(&self) -> Result<u32, SpecError> {
        let mut period = 1;
        for (interfaces, _) in &self.hosts.hosts {
            let count = interfaces.len() as u32;
            period = period / gcd(period, count) * count;
            if period >= OPEN {
                let most = OPEN - 1;
                let allowed = format!(
                    "must be own or rail where hosts have {count} interfaces, or as many as have no \
                     common multiple of at most {most}"
                );
                return Err(SpecError::new("machine.hosts.rule", self.hosts.rule.name(), allowed));
            }
        }
        Ok(period)
    }

    /// The place with which packets begin whose flow has one.
    fn first_place(&self, source: NodeId, destination: NodeId, of_flow: u32) -> u32 {
        match self.hosts.rule {
            InterfaceRule::LeastQueued if self.hosts.hosts[self.host(source)].1.is_some() => OPEN,
            // Its only interface.
            InterfaceRule::LeastQueued => 0,
            InterfaceRule::FlowHash { flow: Flow::Pair, seed } => {
                let pair = u64::from(source.0) << 32 | u64::from(destination.0);
                (mix(mix(seed) ^ pair) >> 32) as u32 % self.period
            }
            _ => of_flow,
        }
    }

    #[inline]
    fn with_place(&self, place: u32, inner: u32) -> u32 {
        if self.has_places { place << INNER_BITS | inner & INNER } else { inner }
    }

    #[inline]
    fn place(&self, route: u32) -> u32 {
        if self.has_places { route >> INNER_BITS } else { 0 }
    }

    #[inline]
    fn inner_route(&self, route: u32) -> u32 {
        if self.has_places { route & INNER } else { route }
    }

    /// The number of a node's host.
    #[inline]
    fn host(&self, node: NodeId) -> usize {
        self.hosts.places[self.hosts.own[node.index()] as usize].0 as usize
    }

    /// Whether a packet stays in its host.
    fn is_within(&self, header: Header) -> bool {
        self.host(header.source) == self.host(header.destination)
    }

    /// Whether a switch is that of a host.
    #[inline]
    fn is_host(&self, switch: SwitchId) -> bool {
        switch.index() >= self.hosts.network.switches
    }

    /// The packet as the algorithm sees it: from one interface to another.
    #[inline]
    fn between(&self, header: Header) -> Header {
        let own = |node: NodeId| self.hosts.own[node.index()];
        let all = |node| self.hosts.hosts[self.host(node)].0.as_slice();
        let at = |interfaces: &[u32], place: u32| interfaces[place as usize % interfaces.len()];
        let (source, destination) = (own(header.source), own(header.destination));
        let place = self.place(header.route);
        let (from, to) = match self.hosts.rule {
            InterfaceRule::Own => (source, destination),
            InterfaceRule::Rail => {
                let place = self.hosts.places[destination as usize].1;
                (at(all(header.source), place), destination)
            }
            _ if place == OPEN => (source, destination),
            _ => (at(all(header.source), place), at(all(header.destination), place)),
        };
        let route = self.inner_route(header.route);
        Header { source: NodeId(from), destination: NodeId(to), route, ..header }
    }

    /// The route of a packet that takes the interface of a place.
    fn taking(&self, header: Header, place: u32) -> u32 {
        if self.place(header.route) != OPEN || !self.has_places {
            return header.route;
        }
        let route = self.with_place(place, self.inner_route(header.route));
        let inner = self.inner();
        if inner.varies || inner.draws {
            return route;
        }
        // What it begins with follows from the interfaces.
        let Header { source, destination, .. } = self.between(Header { route, ..header });
        let begin = self.algorithm.beginnings(source, destination).start;
        self.with_place(place, begin)
    }

    /// The places of the interfaces of a packet's host, that of its own node first.
    fn places(&self, header: Header) -> impl Iterator<Item = u32> + '_ {
        let count = self.hosts.hosts[self.host(header.source)].0.len() as u32;
        let own = self.hosts.places[self.hosts.own[header.source.index()] as usize].1;
        (0..count).map(move |place| (own + place) % count)
    }

    /// Allows the slots of a port that leads from a host or to one: those of the way out last.
    fn allow_port(&self, port: usize, mut allow: impl FnMut(usize, u8)) {
        if self.escapes > 0 {
            allow(port * self.classes + self.escapes, 0);
            allow(port * self.classes, 1);
        } else {
            allow(port * self.classes, 0);
        }
    }

    /// Whether an open packet may leave by any interface, as all of its kind do.
    fn names_all(&self, header: Header) -> bool {
        self.has_places
            && self.place(header.route) == OPEN
            && self.hosts.rule != InterfaceRule::LeastQueued
    }
}

fn gcd(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { gcd(other, one % other) }
}

impl<A: Algorithm> Algorithm for Hosts<A> {
    fn fold(&mut self) {
        self.algorithm.fold();
        self.count_classes();
    }

    fn properties(&self) -> Properties {
        let (inner, rule) = (self.inner(), self.hosts.rule);
        let takes_turns = matches!(rule, InterfaceRule::RoundRobin { .. });
        let is_least = rule == InterfaceRule::LeastQueued;
        let by_pair = matches!(rule, InterfaceRule::FlowHash { flow: Flow::Pair, .. });
        Properties {
            remembers: inner.remembers || self.has_places,
            varies: inner.varies || self.has_places && !by_pair && !is_least,
            chooses_late: inner.chooses_late || takes_turns || is_least,
            weighs: inner.weighs || is_least,
            counts_waiting: inner.counts_waiting || is_least,
            are_equally_long: inner.are_equally_long && !self.has_places,
            ..inner
        }
    }

    fn flow(&self, ends: (ProcessId, ProcessId), before: (u32, u32)) -> u32 {
        let pair = Key::of(u64::from(ends.0.0) << 32 | u64::from(ends.1.0));
        let hashed = |seed, key: Key| (mix(seed ^ u64::from(key.short())) >> 32) as u32;
        let number = match self.hosts.rule {
            InterfaceRule::FlowHash { flow: Flow::ProcessPair, seed } => hashed(seed, pair),
            InterfaceRule::FlowHash { flow: Flow::Message, seed } => {
                hashed(seed, pair.and(before.0.into()))
            }
            InterfaceRule::RoundRobin { turn: Turn::Message } => before.0,
            InterfaceRule::RoundRobin { turn: Turn::Packet } => before.1,
            _ => 0,
        };
        self.with_place(number % self.period, self.algorithm.flow(ends, before))
    }

    fn begin_flow(
        &self,
        (source, destination): (NodeId, NodeId),
        flow: u32,
        way: Option<&mut Stream>,
    ) -> u32 {
        let place = self.first_place(source, destination, self.place(flow));
        let header = Header { source, destination, route: self.with_place(place, 0), traffic: 0 };
        if self.is_within(header) {
            return header.route;
        }
        let Header { source, destination, .. } = self.between(header);
        let ends = (source, destination);
        self.with_place(place, self.algorithm.begin_flow(ends, self.inner_route(flow), way))
    }

    fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        let place = self.first_place(source, destination, OPEN);
        let header = Header { source, destination, route: self.with_place(place, 0), traffic: 0 };
        if self.is_within(header) {
            return header.route..header.route + 1;
        }
        let Header { source, destination, .. } = self.between(header);
        let inner = self.algorithm.beginnings(source, destination);
        self.with_place(place, inner.start)..self.with_place(place, inner.end - 1) + 1
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        if !self.is_host(switch) {
            let place = self.place(header.route);
            let each = |route| each(self.with_place(place, route));
            return self.algorithm.alternatives(switch, self.between(header), each);
        }
        let is_open = self.has_places && self.place(header.route) == OPEN;
        if self.is_within(header) || !is_open || self.names_all(header) {
            return each(header.route);
        }
        self.places(header).for_each(|place| each(self.taking(header, place)));
    }

    fn decide(&self, switch: SwitchId, header: Header, mut loads: impl Loads) -> u32 {
        if !self.is_host(switch) {
            let inner = self.algorithm.decide(switch, self.between(header), loads);
            return self.with_place(self.place(header.route), inner);
        }
        let is_open = self.has_places && self.place(header.route) == OPEN;
        if self.is_within(header) || !is_open {
            return header.route;
        }
        let mut queued = |place: &u32| -> u64 {
            let port = self.hosts.network.ports + *place as usize;
            (0..self.classes).map(|class| loads.load(switch, port * self.classes + class)).sum()
        };
        let least = self.places(header).min_by_key(|place| queued(place));
        least.map_or(header.route, |place| self.taking(header, place))
    }

    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let ports = self.hosts.network.ports;
        if self.is_host(switch) {
            let home = self.hosts.hosts[self.host(header.destination)].1;
            if switch == home {
                return;
            }
            if self.names_all(header) {
                let all = self.places(header);
                return all.for_each(|place| self.allow_port(ports + place as usize, &mut allow));
            }
            let Header { source, .. } = self.between(header);
            let place = self.hosts.places[source.index()].1 as usize;
            return self.allow_port(ports + place, allow);
        }
        let (mut goes_on, between) = (false, self.between(header));
        self.algorithm.allow(switch, between, |slot, tier| {
            goes_on = true;
            allow(slot, tier);
        });
        let interface = between.destination.index();
        let is_there = || self.hosts.network.attachments[interface].leaves() == Some(switch);
        if let (false, Some(exit)) = (goes_on, self.hosts.exits[interface])
            && is_there()
        {
            self.allow_port(exit, allow);
        }
    }

    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        if self.is_host(switch) {
            return header.route;
        }
        let port = slot.map(|slot| slot / self.classes);
        let from_host = port.and_then(|port| port.checked_sub(self.hosts.network.ports));
        let route = from_host.map_or(header.route, |place| self.taking(header, place as u32));
        let between = self.between(Header { route, ..header });
        let slot = slot.filter(|_| from_host.is_none());
        let inner = self.algorithm.passed(switch, between, slot);
        self.with_place(self.place(route), inner)
    }
}

#[cfg(test)]
mod tests;
