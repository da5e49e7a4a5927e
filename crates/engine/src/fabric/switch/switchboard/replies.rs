//! Nodes that take in requests only while they have places for the replies.
//!
//! A request gets a place of its node before any of its message's packets is granted the channel
//! there; until then it stands on the list of the node, and asks for no channel. The place is free
//! when the tail of the reply leaves the node. In between are the message, what the node makes of it,
//! and the reply. When things happen is a number that grows: an instant, or a step of switches that run
//! by a clock.

use super::{HasPort, Port, Switchboard};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::deadlock;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::late::Mark;
use crate::measure::{ChannelKind, Class};
use crate::rare::rarely;
use crate::time::Time;

/// The places of all nodes.
#[derive(Clone)]
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
    /// When those of them will be free of which that is known, and by the reply that leaves its place then.
    free_at: Vec<(u64, Mark)>,
    /// Messages that have a place and have not been received, with their traffic classes.
    coming: Vec<(MessageId, u8)>,
    /// Requests without one: since when each has asked, at the end of which channel. In the order in
    /// which they get places.
    waiting: Vec<(u64, ChannelId)>,
}

impl AtNode {
    /// Whether the message of a packet has a place.
    fn has_place(&self, packet: &Packet) -> bool {
        self.coming.iter().any(|&(message, _)| message == packet.message)
    }

    /// Whether the message of a packet has a place, or gets one.
    fn gives_place(&mut self, packet: &Packet, limit: u32) -> bool {
        if self.has_place(packet) {
            return true;
        }
        let is_free = self.taken < limit;
        if is_free {
            self.taken += 1;
            self.coming.push((packet.message, packet.traffic()));
        }
        is_free
    }

    /// Places that have fallen free by now are; by which replies.
    fn forget_left(&mut self, now: u64) -> impl Iterator<Item = Mark> + use<> {
        let freed: Vec<_> = self.free_at.extract_if(.., |&mut (at, _)| at <= now).collect();
        self.taken -= freed.len() as u32;
        freed.into_iter().map(|(_, by)| by)
    }
}

impl ReplyPlaces {
    /// So many free places of each node; by traffic class the one that answers it.
    fn new(limit: u32, answered_by: &[Option<u32>], nodes: usize) -> Self {
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

    /// The tail of a packet leaves its node, so that a place is free then; whether it is a reply's.
    pub fn left(&mut self, (packet, by): (&Packet, Mark), at: u64) -> bool {
        let is_reply = packet.class == Class::Data && self.answers[usize::from(packet.traffic())];
        let is_last = is_reply && packet.is_last();
        if is_last {
            self.nodes[packet.source.index()].free_at.push((at, by));
        }
        is_last
    }

    fn is_request(&self, packet: &Packet) -> bool {
        packet.class == Class::Data && self.answered_by[usize::from(packet.traffic())].is_some()
    }

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

    /// How things stand at nodes at which requests wait for places, of which none will be free.
    fn standing(&self, wiring: &Wiring) -> Vec<deadlock::Full> {
        let is_full = |node: &&u32| {
            let AtNode { taken, free_at, .. } = &self.nodes[**node as usize];
            *taken as usize - free_at.len() == self.limit as usize
        };
        let full = self.wanted.iter().filter(is_full);
        full.map(|&node| self.standing_at(node, wiring)).collect()
    }

    fn standing_at(&self, node: u32, wiring: &Wiring) -> deadlock::Full {
        let AtNode { coming, waiting, .. } = &self.nodes[node as usize];
        let source = |class: u8| {
            let reply = self.answered_by[usize::from(class)].unwrap_or(0);
            Self::source(node, reply, wiring)
        };
        deadlock::Full {
            node: NodeId(node),
            waiting: waiting.iter().map(|&(_, channel)| channel).collect(),
            coming: coming.iter().map(|&(id, class)| (id, source(class))).collect(),
            others: (self.limit as usize - coming.len(), self.sources_of_replies(node, wiring)),
        }
    }
}

impl<C: HasPort> Switchboard<C> {
    /// Nodes have places for so many replies to requests; by traffic class the one that answers it.
    pub fn limit_replies(&mut self, limit: u32, answered_by: &[Option<u32>]) {
        let nodes = self.sources.len() / self.sources_of_node;
        self.replies = Some(Box::new(ReplyPlaces::new(limit, answered_by, nodes)));
        // Who asks first may have to wait for a place all the same.
        self.arbiter.compares_all();
    }

    /// Whether nodes have places for so many replies.
    #[inline]
    pub fn has_reply_places(&self) -> bool {
        rarely(self.replies.is_some())
    }

    /// Where they have: a node has received all of a message, of which nothing comes any more.
    pub fn received(&mut self, message: MessageId, node: NodeId) {
        if let Some(replies) = &mut self.replies {
            replies.nodes[node.index()].coming.retain(|&(other, _)| other != message);
        }
    }

    /// Whether the packet at the front of a buffer, which asks from `since` on, goes to a node that may
    /// have no place for the reply to it: then it is on the list there, and asks when it has one.
    #[cold]
    #[inline(never)]
    pub fn lacks_reply_place(&mut self, channel: ChannelId, since: u64, act: &Act) -> bool {
        let Some(replies) = &mut self.replies else { return false };
        let Port { buffer, switch, .. } = *self.channels[channel.index()].port();
        let packet = &act.packets[buffer.first];
        if !replies.is_request(packet) {
            return false;
        }
        let lead = act.wiring.first_lead(switch, packet.header());
        let End::Node(node) = act.wiring.layout.group(lead).end else { return false };
        let at = &mut replies.nodes[node.index()];
        if at.has_place(packet) {
            return false;
        }
        let turn = (since, channel);
        if at.waiting.is_empty() {
            replies.wanted.push(node.0);
        }
        at.waiting.insert(at.waiting.partition_point(|&other| other < turn), turn);
        true
    }

    /// Requests that wait for places get those that are free, and are told one by one; at an instant, if
    /// when things happen is another number.
    #[cold]
    #[inline(never)]
    pub fn give_places(
        &mut self,
        (now, instant): (u64, Time),
        act: &mut Act,
        mut each: impl FnMut(&mut Self, ChannelId),
    ) {
        let Some(mut replies) = self.replies.take() else { return };
        let ReplyPlaces { limit, nodes, wanted, .. } = &mut *replies;
        wanted.retain(|&node| {
            let at = &mut nodes[node as usize];
            let mut freed = at.forget_left(now);
            let mut waiting = std::mem::take(&mut at.waiting);
            waiting.retain(|&(since, channel)| {
                let id = self.at(channel).port().buffer.first;
                let goes_on = since <= now && at.gives_place(&act.packets[id], *limit);
                if goes_on {
                    if since < now
                        && let Some(by) = freed.next()
                        && let Some(late) = &mut act.measures.late
                    {
                        late.gets_place(id, by, instant);
                    }
                    each(self, channel);
                }
                !goes_on
            });
            at.waiting = waiting;
            !at.waiting.is_empty()
        });
        self.replies = Some(replies);
        if act.measures.blame.is_some() {
            self.observe_no_places(now, instant, act);
        }
    }

    /// Some requests go on waiting for places.
    #[cold]
    fn observe_no_places(&self, now: u64, instant: Time, act: &mut Act) {
        let Some(replies) = &self.replies else { return };
        for &node in &replies.wanted {
            let by = self.before_replies(node, act.wiring);
            for &(since, channel) in &replies.nodes[node as usize].waiting {
                let packet = self.at(channel).port().buffer.first;
                if since <= now {
                    act.observe_at(Observation::LacksReplyPlace { packet, by }, instant);
                }
            }
        }
    }

    /// The same in the order of nodes where they ask for their channels at once, in queues.
    #[cold]
    #[inline(never)]
    pub fn ask_with_places(&mut self, act: &mut Act) {
        if let Some(replies) = &mut self.replies {
            replies.wanted.sort_unstable();
        }
        let mut given = Vec::new();
        self.give_places((act.now, act.now), act, |_, channel| given.push(channel));
        for channel in given {
            self.wait(channel, act.packets);
            self.mark(self.at(channel).port().front_output);
        }
    }

    /// The tail of a packet leaves a channel at `at`: the same as [`Act::leaves`] where with it may go a
    /// reply, whose place is free then.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn leaves(&mut self, channel: ChannelId, id: PacketId, at: Time, act: &mut Act) {
        if act.packets.tells_departures() {
            self.tell_departure(channel, id, at, act);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_departure(&mut self, channel: ChannelId, id: PacketId, at: Time, act: &mut Act) {
        act.tell_departure(channel, id, at);
        let Some(replies) = &mut self.replies else { return };
        let packet = &act.packets[id];
        if self.channels[channel.index()].port().kind == ChannelKind::Injection
            && replies.left((packet, act.measures.mark(id)), at)
        {
            // Whoever waits for it looks then.
            let lead = act.wiring.layout.ejection_lead(packet.source);
            act.events.post(at, Event::Retry(self.at(lead).rest().lead.into()));
        }
    }

    /// The packet that replies of a node wait for to leave it: the first in their queue, or one that
    /// is being sent; none if there is none.
    pub fn before_replies(&self, node: u32, wiring: &Wiring) -> PacketId {
        let sources = self.replies.as_ref().map(|replies| replies.sources_of_replies(node, wiring));
        let at_hand = |source: usize| self.at_hand(source as u32).map(|(_, id)| id);
        sources.into_iter().flatten().find_map(at_hand).unwrap_or(PacketId::NONE)
    }

    /// How things stand at nodes, where they have places for so many replies; `channels`: those by
    /// which what a node keeps at a place may go, or another from there goes already.
    pub fn nodes_standing(
        &self,
        wiring: &Wiring,
        channels: impl Fn(u32, u32) -> Vec<ChannelId>,
    ) -> deadlock::Nodes {
        let Some(replies) = &self.replies else { return deadlock::Nodes::default() };
        let source = |from: u32| {
            let node = from / self.sources_of_node as u32;
            let first = self.at_hand(from).map_or(PacketId::NONE, |(_, id)| id);
            deadlock::Source { node, first, channels: channels(node, from) }
        };
        let sources = (0..self.sources.len() as u32).map(source).collect();
        deadlock::Nodes {
            full: replies.standing(wiring),
            sources,
            answers: replies.answers.clone(),
        }
    }

    /// The same where a node has one group of channels, and its packets go by any of them.
    pub fn nodes_with_groups(&self, wiring: &Wiring) -> deadlock::Nodes {
        self.nodes_standing(wiring, |node, _| {
            wiring.layout.injection(NodeId(node)).channels().collect()
        })
    }
}
