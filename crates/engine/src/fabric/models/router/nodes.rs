//! How nodes send: a flit per cycle and wire, the packet at hand on the next virtual channel.

use super::RouterFabric;
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::switchboard::Act;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;

/// The wires by which nodes send.
pub struct Sources {
    wires: Vec<Wire>,
    /// By channel: its wire in `wires`, if it is a node's.
    wire_of: Vec<u32>,
    /// By node: its first wire.
    first: Vec<u32>,
    awake: Vec<u32>,
    /// Room for them, while those of this cycle send.
    spare: Vec<u32>,
}

struct Wire {
    /// Where its node keeps packets that wait to be sent: the first place, and how many there are.
    sources: (u32, u32),
    /// Its virtual channels, and the place where packets wait that may use it.
    lanes: Vec<(ChannelId, u32)>,
    /// The place among them of the one that was used last.
    last: usize,
    /// The one that sends a packet.
    sends: ChannelId,
    is_awake: bool,
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
                    let (lanes, sends) = (Vec::new(), ChannelId::NONE);
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
        Self { wires, wire_of, first, awake: Vec::new(), spare: Vec::new() }
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

impl RouterFabric {
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
        let sends = self.sources.wires[wire as usize].sends;
        let channel = if sends.is_some() { sends } else { self.takes_packet(wire, cycle, act) };
        if !channel.is_some() || !self.has_room(channel) {
            return;
        }
        let (is_last, _) = self.send(channel, cycle, act);
        let source = &mut self.sources.wires[wire as usize];
        source.sends = if is_last { ChannelId::NONE } else { channel };
        let sources = source.sources;
        if !is_last || self.has_packet(sources) {
            self.sources.wake(wire);
        }
    }

    /// Whether a packet waits to be sent in any of so many places of a node.
    #[inline]
    fn has_packet(&self, (first, count): (u32, u32)) -> bool {
        (first..first + count).any(|source| self.board.at_hand(source).is_some())
    }

    /// A wire takes a packet at hand, if there is one and a virtual channel for it: the
    /// first that is free and has room, behind the one that was used last.
    fn takes_packet(&mut self, wire: u32, cycle: u64, act: &mut Act) -> ChannelId {
        let source = &self.sources.wires[wire as usize];
        if !self.has_packet(source.sources) {
            return ChannelId::NONE;
        }
        let count = source.lanes.len();
        let places = (1..=count).map(|step| (source.last + step) % count);
        let mut taken = None;
        for place in places {
            let (channel, from) = source.lanes[place];
            let Some((queue, id)) = self.board.at_hand(from) else { continue };
            if self.is_free(channel) && self.has_room(channel) {
                taken = Some((place, from, queue, id));
                break;
            }
        }
        let Some((place, from, queue, id)) = taken else {
            if act.is_observed() {
                self.observe_no_room(wire, act);
            }
            return ChannelId::NONE;
        };
        let (channel, _) = source.lanes[place];
        act.observe(Observation::Granted { packet: id, channel });
        self.sources.wires[wire as usize].last = place;
        self.board.take_at_hand(from, queue, act);
        self.enter(channel, id, act);
        self.board.at_mut(channel).granted = cycle * self.cycle_ps;
        channel
    }

    /// No packet at hand finds a virtual channel of a wire of its node.
    #[cold]
    fn observe_no_room(&self, wire: u32, act: &mut Act) {
        let source = &self.sources.wires[wire as usize];
        let count = source.lanes.len();
        let lane = |step: usize| source.lanes[(source.last + step) % count];
        let (first, sources) = source.sources;
        for from in first..first + sources {
            let Some((_, packet)) = self.board.at_hand(from) else { continue };
            let own = (1..=count).map(lane).find(|&(_, of)| of == from);
            if let Some((channel, _)) = own {
                self.observe_full(packet, channel, act.now, act);
            }
        }
    }
}
