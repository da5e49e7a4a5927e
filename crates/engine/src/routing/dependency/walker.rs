//! All ways of all packets.

use crate::ids::{NodeId, SwitchId};
use crate::routing::header::Header;
use crate::routing::outputs::Outputs;
use crate::routing::prepared::Routing;
use crate::topology::Topology;
use std::collections::{BTreeSet, HashSet};
use std::fmt;

/// The most outputs looked at: enough for the pairs of a thousand nodes some fifty hops
/// apart, in a few seconds.
pub const MOST_STEPS: u64 = 50_000_000;

/// One class of virtual channels at one port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The switch it comes from.
    pub switch: SwitchId,
    /// The port there.
    pub port: usize,
    /// The class.
    pub class: usize,
    /// The switch it leads to.
    pub to: SwitchId,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "channel {}->{}", self.switch.0, self.to.0)?;
        if self.class > 0 { write!(f, " (class {})", self.class) } else { Ok(()) }
    }
}

/// Walks all ways of all packets.
pub(super) struct Walker<'a> {
    routing: &'a Routing,
    topology: &'a Topology,
    pub(super) classes: usize,
    outputs: Outputs,
    /// Outputs looked at.
    steps: u64,
    seen: Seen,
}

/// A packet on a channel: the channel, and the route it then has.
type State = (u32, u32);

/// Where one packet has been.
enum Seen {
    /// It has no choice: what it comes to is new.
    OneWay,
    /// Each channel is a state: the last packet that has been there.
    Channels { by: Vec<u32>, packet: u32 },
    /// By channel and route.
    States(HashSet<State>),
}

impl Seen {
    /// For another packet.
    fn clear(&mut self) {
        match self {
            Self::OneWay => {}
            Self::Channels { packet, .. } => *packet += 1,
            Self::States(states) => states.clear(),
        }
    }

    /// Whether the packet has not been there; now it has.
    fn is_new(&mut self, state: State) -> bool {
        match self {
            Self::OneWay => true,
            Self::Channels { by, packet } => {
                std::mem::replace(&mut by[state.0 as usize], *packet) != *packet
            }
            Self::States(states) => states.insert(state),
        }
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(routing: &'a Routing, topology: &'a Topology) -> Self {
        let classes = routing.classes().len();
        let channels = topology.neighbours.len() * classes;
        let properties = routing.properties();
        let seen = if !properties.chooses && !properties.weighs && !properties.varies {
            Seen::OneWay
        } else if routing.remembers() {
            Seen::States(HashSet::new())
        } else {
            Seen::Channels { by: vec![0; channels], packet: 0 }
        };
        Self { routing, topology, classes, outputs: Outputs::default(), steps: 0, seen }
    }

    /// How many channels there are, used or not.
    pub(super) fn channels(&self) -> usize {
        self.topology.neighbours.len() * self.classes
    }

    /// The link a channel is on, and its class.
    pub(super) fn link(&self, channel: u32) -> Link {
        let (at, class) = (channel as usize / self.classes, channel as usize % self.classes);
        let switch = SwitchId::from_index(at / self.topology.ports);
        let to = self.topology.neighbours[at];
        Link { switch, port: at % self.topology.ports, class, to }
    }

    /// Tells of every dependency of every packet; whether there was time for all.
    pub(super) fn walk(&mut self, mut each: impl FnMut(Header, u32, u32)) -> bool {
        self.steps = 0;
        let nodes = || (0..self.topology.nodes).map(NodeId::from_index);
        for source in nodes() {
            let Some(enters) = self.topology.attachments[source.index()].enters() else { continue };
            for destination in nodes().filter(|&node| node != source) {
                for route in self.routing.beginnings(source, destination) {
                    let header = Header { source, destination, route, traffic: 0 };
                    self.follow(enters, header, |from, to| each(header, from, to));
                    if self.steps > MOST_STEPS {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Tells of every dependency of one packet.
    pub(super) fn follow(
        &mut self,
        enters: SwitchId,
        header: Header,
        mut each: impl FnMut(u32, u32),
    ) {
        let escapes = self.routing.properties().escapes;
        let route = self.routing.passed(enters, header, None);
        self.seen.clear();
        let mut next = Vec::new();
        self.states_after(enters, Header { route, ..header }, &mut next);
        while let Some((channel, route)) = next.pop() {
            if !self.seen.is_new((channel, route)) {
                continue;
            }
            let class = channel as usize % self.classes;
            let header = Header { route, ..header };
            if escapes > 0 && class < escapes {
                self.flood((channel, route), header, escapes, |to| each(channel, to));
            }
            let begin = next.len();
            self.states_after(self.link(channel).to, header, &mut next);
            if escapes == 0 {
                next[begin..].iter().for_each(|&(to, _)| each(channel, to));
            }
        }
    }

    /// Names every channel of the way out that can be asked for from a state over adaptive
    /// channels alone.
    pub(super) fn flood(
        &mut self,
        from: State,
        header: Header,
        escapes: usize,
        mut each: impl FnMut(u32),
    ) {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        let mut next = Vec::new();
        while let Some((channel, route)) = open.pop() {
            next.clear();
            self.states_after(self.link(channel).to, Header { route, ..header }, &mut next);
            for &(to, route) in &next {
                if to as usize % self.classes < escapes {
                    each(to);
                } else if seen.insert((to, route)) {
                    open.push((to, route));
                }
            }
        }
    }

    /// Adds the states that follow when a packet leaves a switch.
    pub(super) fn states_after(
        &mut self,
        switch: SwitchId,
        header: Header,
        states: &mut Vec<State>,
    ) {
        let routing = self.routing;
        routing.alternatives(switch, header, |route| {
            let header = Header { route, ..header };
            self.outputs.clear();
            routing.outputs(switch, header, &mut self.outputs);
            for (slot, _) in self.outputs.iter() {
                self.steps += 1;
                let channel = (switch.index() * self.topology.ports * self.classes + slot) as u32;
                let to = self.topology.neighbour(switch, slot / self.classes);
                states.push((channel, routing.passed(to, header, Some(slot))));
            }
        });
    }
}
