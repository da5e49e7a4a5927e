//! How nodes send: a flit per cycle and wire, the packet at hand on the next virtual channel.

use super::RouterFabric;
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::switchboard::Act;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;

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
    node: u32,
    /// Its virtual channels.
    lanes: Vec<ChannelId>,
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
        for group in layout.groups.iter().filter(|group| group.kind == ChannelKind::Injection) {
            for channel in group.channels() {
                let wire = layout.wire_of[channel.index()];
                let known = wire_of[wire.index()];
                let place = if known == u32::MAX { wires.len() as u32 } else { known };
                if known == u32::MAX {
                    let (lanes, sends) = (Vec::new(), ChannelId::NONE);
                    wires.push(Wire { node: group.from, lanes, last: 0, sends, is_awake: false });
                }
                wire_of[channel.index()] = place;
                wires[place as usize].lanes.push(channel);
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
        if !channel.is_some() || self.board.at(channel).credits == 0 {
            return;
        }
        let (is_last, _) = self.send(channel, cycle, act);
        let source = &mut self.sources.wires[wire as usize];
        source.sends = if is_last { ChannelId::NONE } else { channel };
        if !is_last || self.board.at_hand(source.node).is_some() {
            self.sources.wake(wire);
        }
    }

    /// A wire takes the packet at hand, if there is one and a virtual channel for it: the
    /// first that is free and has room, behind the one that was used last.
    fn takes_packet(&mut self, wire: u32, cycle: u64, act: &mut Act) -> ChannelId {
        let source = &self.sources.wires[wire as usize];
        let Some((queue, id)) = self.board.at_hand(source.node) else { return ChannelId::NONE };
        let (node, count) = (source.node, source.lanes.len());
        let places = (1..=count).map(|step| (source.last + step) % count);
        let has_room = |&place: &usize| {
            let channel = source.lanes[place];
            self.is_free(channel) && self.board.at(channel).credits > 0
        };
        let Some(place) = places.clone().find(has_room) else { return ChannelId::NONE };
        let channel = source.lanes[place];
        self.sources.wires[wire as usize].last = place;
        self.board.take_at_hand(node, queue, act);
        self.enter(channel, id, act);
        self.board.at_mut(channel).granted = cycle * self.cycle_ps;
        channel
    }
}
