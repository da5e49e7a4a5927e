//! How nodes send: a flit per cycle and wire, the packet at hand on the next virtual channel. Where
//! shares have queues of their own a wire has a packet of each, and they take turns flit by flit.

use super::ClockedKernel;
use crate::fabric::act::Act;
use crate::fabric::deadlock;
use crate::fabric::network::layout::Layout;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::records::Records;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use std::sync::Arc;

/// The wires by which nodes send.
#[derive(Clone)]
pub struct Sources {
    wires: Records<Wire>,
    /// By channel: its wire in `wires`, if it is a node's.
    wire_of: Arc<[u32]>,
    /// By node: its first wire.
    first: Arc<[u32]>,
    awake: Vec<u32>,
    /// Room for them, while those of this cycle send.
    spare: Vec<u32>,
}

#[derive(Clone)]
struct Wire {
    /// Where its node keeps packets that wait to be sent: the first place, and how many there are.
    sources: (u32, u32),
    /// Its virtual channels, and the place where packets wait that may use it.
    lanes: Vec<(ChannelId, u32)>,
    /// The place among them of the one that was used last.
    last: usize,
    /// By place where packets wait: the one that sends a packet from there.
    sends: Vec<ChannelId>,
    is_awake: bool,
}

impl Wire {
    /// The virtual channel that sends a packet of a place, or none.
    #[inline]
    fn sends_from(&self, source: u32) -> ChannelId {
        self.sends[(source - self.sources.0) as usize]
    }
}

impl Sources {
    /// Idle wires.
    pub fn new(layout: &Layout, nodes: usize) -> Self {
        let mut wires: Vec<Wire> = Vec::new();
        let mut wire_of = vec![u32::MAX; layout.channels()];
        let mut first = vec![0; nodes + 1];
        let count = layout.node_groups() as u32;
        let of_nodes = layout.groups.iter().filter(|group| group.kind == ChannelKind::Injection);
        for (group, source) in of_nodes.zip(0..) {
            for channel in group.channels() {
                let wire = layout.wire_of[channel.index()];
                let known = wire_of[wire.index()];
                let place = if known == u32::MAX { wires.len() as u32 } else { known };
                if known == u32::MAX {
                    let (lanes, sends) = (Vec::new(), vec![ChannelId::NONE; count as usize]);
                    let sources = (group.from * count, count);
                    wires.push(Wire { sources, lanes, last: 0, sends, is_awake: false });
                }
                wire_of[channel.index()] = place;
                wires[place as usize].lanes.push((channel, source));
            }
            first[group.from as usize + 1] = wires.len() as u32;
        }
        for wire in &mut wires {
            wire.last = wire.lanes.len() - 1;
        }
        Self {
            wires: wires.into_iter().collect(),
            wire_of: wire_of.into(),
            first: first.into(),
            awake: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Whether any wire may be able to send in the next cycle.
    pub fn are_awake(&self) -> bool {
        !self.awake.is_empty()
    }

    fn wake(&mut self, wire: u32) {
        let is_awake = &mut self.wires[wire as usize].is_awake;
        if !std::mem::replace(is_awake, true) {
            self.awake.push(wire);
        }
    }

    /// Copies have in common what they do not change.
    pub fn share(&mut self) {
        self.wires.share();
    }

    /// Where they have: all is as it was when that began.
    pub fn start_over(&mut self) {
        self.wires.start_over();
    }

    /// A virtual channel has a credit more.
    #[inline]
    pub fn wake_of(&mut self, channel: ChannelId) {
        self.wake(self.wire_of[channel.index()]);
    }

    /// A node has a packet.
    #[inline]
    pub fn wake_node(&mut self, node: u32) {
        for wire in self.first[node as usize]..self.first[node as usize + 1] {
            self.wake(wire);
        }
    }
}

impl ClockedKernel {
    /// Every wire of a node that has something to send does, in order.
    pub(super) fn nodes_send(&mut self, cycle: u64, act: &mut Act) {
        let spare = std::mem::take(&mut self.sources.spare);
        let mut awake = std::mem::replace(&mut self.sources.awake, spare);
        if self.sources.wires.len() >= self.sources.first.len() {
            // Of several wires of a node the first takes the packet at hand.
            awake.sort_unstable();
        }
        for &wire in &awake {
            self.sources.wires[wire as usize].is_awake = false;
            self.wire_sends(wire, cycle, act);
        }
        awake.clear();
        self.sources.spare = awake;
    }

    fn wire_sends(&mut self, wire: u32, cycle: u64, act: &mut Act) {
        let source = &self.sources.wires[wire as usize];
        let channel = match source.sends[..] {
            [channel] if channel.is_some() => channel,
            _ => self.takes_turn(wire, cycle, act),
        };
        if !channel.is_some() || !self.has_room(channel) {
            return;
        }
        let (is_last, _) = self.send(channel, cycle, act);
        let source = &mut self.sources.wires[wire as usize];
        if is_last {
            let sent = source.sends.iter_mut().find(|sends| **sends == channel);
            sent.into_iter().for_each(|sends| *sends = ChannelId::NONE);
        }
        let (sources, is_sending) = (source.sources, source.sends.iter().any(|s| s.is_some()));
        if is_sending || self.has_packet(sources) {
            self.sources.wake(wire);
        }
    }

    /// Whether a packet waits to be sent in any of so many places of a node.
    #[inline]
    fn has_packet(&self, (first, count): (u32, u32)) -> bool {
        (first..first + count).any(|source| self.has_one(source))
    }

    /// The virtual channel of a wire whose turn it is, behind the one that was used last: the first
    /// that has a credit, and sends a packet or is free for one at hand.
    fn takes_turn(&mut self, wire: u32, cycle: u64, act: &mut Act) -> ChannelId {
        let source = &self.sources.wires[wire as usize];
        let count = source.lanes.len();
        let mut places = (1..=count).map(|step| (source.last + step) % count);
        let Some(place) = places.find(|&place| self.can_send(source, place)) else {
            if act.is_observed() {
                self.observe_no_room(wire, act);
            }
            return ChannelId::NONE;
        };
        let (channel, from) = source.lanes[place];
        let sends = source.sends_from(from);
        if act.is_observed() {
            self.observe_no_turn(wire, place, act);
        }
        let source = &mut self.sources.wires[wire as usize];
        source.last = place;
        if sends.is_some() {
            return channel;
        }
        source.sends[(from - source.sources.0) as usize] = channel;
        let Some((queue, id)) = self.board.at_hand(from) else { return ChannelId::NONE };
        act.observe(Observation::Granted { packet: id, channel });
        self.board.take_at_hand(from, queue, act);
        self.enter(channel, id, act);
        self.board.at_mut(channel).granted = cycle * self.cycle_ps;
        channel
    }

    /// Whether the virtual channel at a place of a wire has a flit to send, and a credit for it.
    #[inline]
    fn can_send(&self, source: &Wire, place: usize) -> bool {
        let (channel, from) = source.lanes[place];
        let sends = source.sends_from(from);
        if !self.has_room(channel) || sends.is_some() && sends != channel {
            return false;
        }
        sends.is_some() || self.is_free(channel) && self.grants(channel) && self.has_one(from)
    }

    /// Whether a packet waits to be sent in a place of a node.
    #[inline]
    fn has_one(&self, source: u32) -> bool {
        self.board.at_hand(source).is_some()
    }

    /// Whether a packet at hand can start on a channel of a node's group, if that grants any.
    pub(super) fn can_start(&self, lead: ChannelId, wiring: &Wiring) -> bool {
        let node = wiring.layout.group(lead).from as usize;
        let mut wires = self.sources.first[node]..self.sources.first[node + 1];
        wires.any(|wire| {
            let wire = &self.sources.wires[wire as usize];
            wire.lanes.iter().any(|&(channel, from)| {
                let is_idle = !wire.sends_from(from).is_some() && self.has_one(from);
                is_idle
                    && self.board.at(channel).lead() == lead
                    && self.has_room(channel)
                    && self.is_free(channel)
            })
        })
    }

    /// How things stand at nodes, where they have places for so many replies.
    pub(super) fn nodes_standing(&self, wiring: &Wiring) -> deadlock::Nodes {
        self.board.nodes_standing(wiring, |node, from| {
            let wires = self.sources.first[node as usize]..self.sources.first[node as usize + 1];
            let channels = wires.flat_map(|wire| {
                let wire = &self.sources.wires[wire as usize];
                let sends = wire.sends_from(from);
                let of = wire.lanes.iter().filter(move |&&(channel, place)| {
                    place == from && (!sends.is_some() || sends == channel)
                });
                of.map(|&(channel, _)| channel)
            });
            channels.collect()
        })
    }

    /// No packet at hand finds a virtual channel of a wire of its node.
    #[cold]
    fn observe_no_room(&self, wire: u32, act: &mut Act) {
        let source = &self.sources.wires[wire as usize];
        let count = source.lanes.len();
        let lane = |step: usize| source.lanes[(source.last + step) % count];
        let (first, sources) = source.sources;
        for from in (first..first + sources).filter(|&from| !source.sends_from(from).is_some()) {
            let Some((_, packet)) = self.board.at_hand(from) else { continue };
            let own = (1..=count).map(lane).find(|&(_, of)| of == from);
            if let Some((channel, _)) = own {
                self.observe_full(packet, channel, act.now, act);
            }
        }
    }

    /// The virtual channel at a place of a wire has its turn: packets of other queues that could be
    /// sent wait for the wire.
    #[cold]
    fn observe_no_turn(&self, wire: u32, turn: usize, act: &mut Act) {
        let source = &self.sources.wires[wire as usize];
        let (user, of) = source.lanes[turn];
        let (first, count) = source.sources;
        for from in (first..first + count).filter(|&from| from != of) {
            let places = 0..source.lanes.len();
            let mut own = places.filter(|&place| source.lanes[place].1 == from);
            let Some(place) = own.find(|&place| self.can_send(source, place)) else { continue };
            let (channel, sends) = (source.lanes[place].0, source.sends_from(from));
            let at_hand = self.board.at_hand(from).map(|(_, id)| id);
            let packet = if sends.is_some() { Some(self.board.at(sends).packet) } else { at_hand };
            if let Some(packet) = packet {
                act.observe(Observation::LacksWire { packet, channel, user });
            }
        }
    }
}
