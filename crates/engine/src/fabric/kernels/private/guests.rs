//! Messages that have a copy together, as they meet nowhere in it.
//!
//! Where the way of a message is known when it is queued, a copy takes one message after the other
//! whose way has no link, and no node at the same end, in common with that of any before. What
//! happens to one is then what would happen without the others, and a large network needs far
//! fewer copies than it has messages on their way. A copy that all have left begins anew. Where switches
//! have allocators, the ways have no switch in common either.

use crate::fabric::act::Act;
use crate::fabric::network::layout::{End, Layout};
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, MessageId, PacketId};
use crate::spec::{FlowControl, Machine};
use std::collections::HashMap;

/// A message that has a copy, maybe with others.
#[derive(Clone, Copy)]
pub struct Guest {
    pub message: MessageId,
    /// Its packets that have not been delivered.
    pub live: u32,
    /// Data packets whose acknowledgements have not been queued.
    pub unanswered: i32,
    /// Whether the last of its data packets has been queued.
    pub has_last: bool,
}

/// What the ways of messages share: links, and nodes that send or are sent to.
#[derive(Clone)]
pub struct Ways {
    nodes: u32,
    /// Whether switches are parts of ways, as those who pass one share more of it than links.
    by_switch: bool,
    /// By channel: the first of those with the same ends, or on the same wires. They may share more
    /// than wires: an input of a crossbar.
    link_of: Vec<ChannelId>,
    /// The parts of the way at hand.
    found: Vec<u32>,
    /// The copies that take messages.
    pub open: Vec<u32>,
}

/// So many copies, the latest, are asked whether they take a message.
const MOST_ASKED: usize = 64;

impl Guest {
    /// A message before any of its packets is queued.
    pub fn new(message: MessageId) -> Self {
        Self { message, live: 0, unanswered: 0, has_last: false }
    }
}

impl Ways {
    /// Those in a machine, if messages can have copies together whose kernel has nothing but links and
    /// nodes that those who pass share: if ways are fixed, and nobody goes back.
    pub fn new(
        machine: &Machine,
        wiring: &Wiring,
        (nodes, by_switch): (usize, bool),
    ) -> Option<Self> {
        let are_apart = wiring.integrated_timing.is_none()
            && !machine.interface.acknowledges
            && !wiring.replicates
            // Tokens for what came by one wire of a link go by the other.
            && machine.link.flow_control != FlowControl::InBand
            && wiring.has_fixed_ways();
        are_apart.then(|| Self {
            nodes: nodes as u32,
            by_switch,
            link_of: links(&wiring.layout),
            found: Vec::new(),
            open: Vec::new(),
        })
    }

    /// Looks for the way of a packet that is about to be queued.
    pub fn find(&mut self, id: PacketId, act: &Act) {
        let (wiring, packet) = (act.wiring, &act.packets[id]);
        let mut header = packet.header();
        let mut lead = wiring.injection_lead(header.source, header.traffic);
        self.found.clear();
        let channels = self.link_of.len() as u32;
        self.found.push(channels + header.source.0);
        self.found.push(channels + self.nodes + header.destination.0);
        loop {
            let group = wiring.layout.group(lead);
            self.found.extend(group.channels().map(|channel| self.link_of[channel.index()].0));
            let End::Switch(switch) = group.end else { break };
            if self.by_switch {
                self.found.push(channels + 2 * self.nodes + switch.0);
            }
            header.route = wiring.passed(group, header);
            lead = wiring.first_lead(switch, header);
        }
    }

    /// The first of these copies in which nobody has had any part of that way, of those that have not chosen
    /// at this instant (`has_chosen`); `taken` are the parts that messages have had in each.
    pub fn first_free<'a>(
        &self,
        has_chosen: impl Fn(u32) -> bool,
        taken: impl Fn(u32) -> &'a [u64],
    ) -> Option<u32> {
        let asked = self.open.iter().rev().take(MOST_ASKED).copied();
        asked.filter(|&copy| !has_chosen(copy)).find(|&copy| {
            let taken = taken(copy);
            self.found.iter().all(|&part| {
                let word = taken.get(part as usize / 64).copied().unwrap_or(0);
                word >> (part % 64) & 1 == 0
            })
        })
    }

    /// Somebody has that way in a copy from now on.
    pub fn take(&self, taken: &mut Vec<u64>) {
        for &part in &self.found {
            let words = (part as usize / 64 + 1).max(taken.len());
            taken.resize(words, 0);
            taken[part as usize / 64] |= 1 << (part % 64);
        }
    }
}

/// By channel: the first of those with the same ends, or on the same wires.
fn links(layout: &Layout) -> Vec<ChannelId> {
    let mut first = HashMap::new();
    let mut link_of: Vec<ChannelId> = (0..layout.channels()).map(ChannelId::from_index).collect();
    for group in &layout.groups {
        let (kind, end) = match group.end {
            End::Switch(switch) => (group.kind as u8, switch.0),
            End::Node(node) => (group.kind as u8, node.0),
        };
        for channel in group.channels() {
            let wire = link_of[layout.wire_of[channel.index()].index()];
            link_of[channel.index()] = *first.entry((kind, group.from, end)).or_insert(wire);
        }
    }
    link_of
}
