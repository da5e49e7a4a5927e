//! Nodes that take in requests only while they have places for the replies.
//!
//! A request gets a place of its node when it is first to ask for the channel there, before any of
//! its message's packets is granted it; the place is free when the tail of the reply leaves the
//! node. In between are the message, what the node makes of it, and the reply.

use super::RouterFabric;
use crate::fabric::deadlock;
use crate::fabric::network::layout::End;
use crate::fabric::switch::switchboard::Act;
use crate::fabric::{Packet, Wiring};
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Class;
use crate::measure::blame::Observation;

/// The places of all nodes.
pub struct ReplyPlaces {
    /// Of each.
    limit: u32,
    /// By traffic class: the class that answers it, if one does.
    answered_by: Vec<Option<u32>>,
    /// By traffic class: whether it answers another.
    answers: Vec<bool>,
    nodes: Vec<AtNode>,
    /// The nodes at which requests wait for places, in any order.
    wanted: Vec<u32>,
}

/// Those of a node.
#[derive(Clone, Default)]
struct AtNode {
    taken: u32,
    /// Messages that have a place and have not been received, with their traffic classes.
    coming: Vec<(MessageId, u8)>,
    /// Requests without one: since which step each has asked, at the end of which channel. In the
    /// order in which they get places.
    waiting: Vec<(u64, ChannelId)>,
}

impl ReplyPlaces {
    /// So many free places of each node; by traffic class the one that answers it.
    pub fn new(limit: u32, answered_by: &[Option<u32>], nodes: usize) -> Self {
        let mut answers = vec![false; answered_by.len()];
        for &answer in answered_by.iter().flatten() {
            answers[answer as usize] = true;
        }
        Self {
            limit,
            answered_by: answered_by.to_vec(),
            answers,
            nodes: vec![AtNode::default(); nodes],
            wanted: Vec::new(),
        }
    }

    /// A message has been received: none of its packets comes any more.
    pub fn received(&mut self, message: MessageId, node: NodeId) {
        self.nodes[node.index()].coming.retain(|&(other, _)| other != message);
    }

    /// The tail of a packet has left its node.
    pub fn left(&mut self, packet: &Packet) {
        let is_reply = self.answers[usize::from(packet.traffic())] && packet.class == Class::Data;
        if is_reply && packet.is_last() {
            self.nodes[packet.source.index()].taken -= 1;
        }
    }

    fn is_request(&self, packet: &Packet) -> bool {
        packet.class == Class::Data && self.answered_by[usize::from(packet.traffic())].is_some()
    }
}

impl RouterFabric {
    /// Whether the header at the front of a buffer asks for the channel to a node that has no place
    /// for the reply to it: then it is on the list there.
    #[cold]
    pub(super) fn lacks_reply_place(&mut self, channel: ChannelId, act: &Act) -> bool {
        let Some(places) = &mut self.replies else { return false };
        let lane = self.board.at(channel);
        let packet = &act.packets[lane.port.buffer.first];
        if !places.is_request(packet) {
            return false;
        }
        let lead = act.wiring.first_lead(lane.port.switch, packet.header());
        let End::Node(node) = act.wiring.layout.group(lead).end else { return false };
        let at = &mut places.nodes[node.index()];
        if at.has_place(packet) {
            return false;
        }
        let turn = (lane.due, channel);
        if at.waiting.is_empty() {
            places.wanted.push(node.0);
        }
        at.waiting.insert(at.waiting.partition_point(|&other| other < turn), turn);
        true
    }

    /// Requests that wait for places get those that are free in a step, and ask for their channels.
    pub(super) fn give_places(&mut self, step: u64, act: &mut Act) {
        let Some(mut places) = self.replies.take() else { return };
        let ReplyPlaces { limit, nodes, wanted, .. } = &mut places;
        wanted.retain(|&node| {
            let at = &mut nodes[node as usize];
            let mut waiting = std::mem::take(&mut at.waiting);
            waiting.retain(|&(due, channel)| {
                let lane = self.board.at(channel);
                let packet = &act.packets[lane.port.buffer.first];
                let is_known = at.has_place(packet);
                if due > step || !is_known && at.taken == *limit {
                    return true;
                }
                if !is_known {
                    at.taken += 1;
                    at.coming.push((packet.message, packet.traffic()));
                }
                self.switches.asks(lane.port.switch.0, lane.entrance.number);
                false
            });
            at.waiting = waiting;
            !at.waiting.is_empty()
        });
        self.replies = Some(places);
        if act.is_observed() {
            self.observe_no_places(step, act);
        }
    }

    /// Some requests go on waiting for places.
    #[cold]
    fn observe_no_places(&self, step: u64, act: &mut Act) {
        let Some(places) = &self.replies else { return };
        for &node in &places.wanted {
            let by = self.before_replies(node, places, act.wiring);
            for &(due, channel) in &places.nodes[node as usize].waiting {
                let packet = self.board.at(channel).port.buffer.first;
                if due <= step {
                    let at = self.granted_in(step);
                    act.observe_at(Observation::LacksReplyPlace { packet, by }, at);
                }
            }
        }
    }
}

impl AtNode {
    /// Whether the message of a packet has a place.
    fn has_place(&self, packet: &Packet) -> bool {
        self.coming.iter().any(|&(message, _)| message == packet.message)
    }
}

impl RouterFabric {
    /// The packet that replies of a node wait for to leave it: the first in their queue, or one that
    /// is being sent; none if there is none.
    fn before_replies(&self, node: u32, replies: &ReplyPlaces, wiring: &Wiring) -> PacketId {
        let sources = replies.sources_of_replies(node, wiring);
        let at_hand = |source: usize| self.board.at_hand(source as u32).map(|(_, id)| id);
        sources.into_iter().find_map(at_hand).unwrap_or(PacketId::NONE)
    }
}

impl ReplyPlaces {
    /// Where a node keeps what a class sends.
    fn source(node: u32, class: u32, wiring: &Wiring) -> usize {
        let count = wiring.layout.node_groups();
        let share = if count == 1 { 0 } else { wiring.shares.of(class as u8) };
        node as usize * count + share
    }

    /// Where a node keeps replies.
    fn sources_of_replies(&self, node: u32, wiring: &Wiring) -> Vec<usize> {
        let classes = self.answered_by.iter().flatten();
        let mut sources: Vec<usize> =
            classes.map(|&class| Self::source(node, class, wiring)).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// By traffic class: whether its messages are replies.
    pub(super) fn answers(&self) -> Vec<bool> {
        self.answers.clone()
    }

    /// How things stand at nodes at which requests wait for places.
    pub(super) fn standing(&self, wiring: &Wiring) -> Vec<deadlock::Full> {
        let full =
            self.wanted.iter().filter(|&&node| self.nodes[node as usize].taken == self.limit);
        full.map(|&node| self.standing_at(node, wiring)).collect()
    }

    fn standing_at(&self, node: u32, wiring: &Wiring) -> deadlock::Full {
        let AtNode { taken, coming, waiting } = &self.nodes[node as usize];
        let source = |class: u8| {
            let reply = self.answered_by[usize::from(class)].unwrap_or(0);
            Self::source(node, reply, wiring)
        };
        deadlock::Full {
            node: NodeId(node),
            waiting: waiting.iter().map(|&(_, channel)| channel).collect(),
            coming: coming.iter().map(|&(id, class)| (id, source(class))).collect(),
            others: (*taken as usize - coming.len(), self.sources_of_replies(node, wiring)),
        }
    }
}
