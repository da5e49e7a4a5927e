//! Waiting that goes through nodes: for places for replies, and for replies to leave.
//!
//! Besides the buffers there are, numbered behind the channels: the *sources* in which nodes keep
//! what they are to send; the *places* of each node at which a request waits for one; and the
//! *messages* because of which they are not free. These are requests that have not come as a whole:
//! all their packets must come, and the reply must leave. And replies that have not left as a whole:
//! what is at the node must leave, or if packets are queued only when others have been delivered,
//! any of those must be.

use super::{Needs, View};
use crate::error::{Blocked, Lack};
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Class;
use std::collections::BTreeMap;

/// How things stand at nodes.
#[derive(Debug, Default)]
pub struct Nodes {
    /// Those at which requests wait for places.
    pub full: Vec<Full>,
    /// By number of sources: how they stand; none where nodes take in whatever comes.
    pub sources: Vec<Source>,
    /// By traffic class: whether its messages are replies.
    pub answers: Vec<bool>,
}

/// A node that takes in no request.
#[derive(Debug)]
pub struct Full {
    /// It.
    pub node: NodeId,
    /// The channels at whose ends requests wait for places.
    pub waiting: Vec<ChannelId>,
    /// Messages with a place that have not been received, each with the source of its reply.
    pub coming: Vec<(MessageId, usize)>,
    /// How many places others have, and the sources of their replies.
    pub others: (usize, Vec<usize>),
}

/// Where a node keeps packets that wait to be sent.
#[derive(Debug)]
pub struct Source {
    /// The node.
    pub node: u32,
    /// The first of them, if there is any.
    pub first: PacketId,
    /// Channels by which it may go, or another goes already.
    pub channels: Vec<ChannelId>,
}

/// What there is beyond the buffers.
pub struct Beyond<'a> {
    view: &'a View<'a>,
    nodes: &'a Nodes,
    /// By message that is under way: where its packets stand, channels before sources.
    under_way: BTreeMap<MessageId, Vec<(usize, PacketId)>>,
    /// Behind the sources and the places.
    messages: Vec<Message>,
}

/// A message because of which a place is not free.
struct Message {
    /// The node of the place.
    node: NodeId,
    /// A packet of it that is under way.
    packet: PacketId,
    /// What is told of it.
    lack: Lack,
}

impl<'a> Beyond<'a> {
    /// All of it; what it waits for joins `targets`, and so does that buffers wait for it.
    pub fn new(view: &'a View<'a>, nodes: &'a Nodes, targets: &mut Vec<Vec<ChannelId>>) -> Self {
        let mut new = Self { view, nodes, under_way: BTreeMap::new(), messages: Vec::new() };
        if nodes.full.is_empty() {
            return new;
        }
        new.find_packets();
        targets.extend(nodes.sources.iter().map(|source| source.channels.clone()));
        let places = targets.len();
        targets.resize(places + nodes.full.len(), Vec::new());
        for (number, full) in nodes.full.iter().enumerate() {
            let place = ChannelId::from_index(places + number);
            for waiting in &full.waiting {
                targets[waiting.index()] = vec![place];
            }
            let mut because = Vec::new();
            for (message, waits) in new.coming(full).into_iter().chain(new.leaving(full)) {
                because.push(ChannelId::from_index(targets.len()));
                targets.push(waits);
                new.messages.push(message);
            }
            if because.len() < full.coming.len() + full.others.0 {
                // Replies that are not sent yet wait for what is before them.
                because.extend(full.others.1.iter().map(|&source| new.source(source)));
            }
            targets[place.index()] = because;
        }
        new
    }

    /// Notes where data packets stand that have not come to their nodes.
    fn find_packets(&mut self) {
        let View { packets, standings, .. } = self.view;
        let channels = standings.iter().enumerate().map(|(at, standing)| (at, standing.front));
        let sources = self.nodes.sources.iter().map(|source| source.first);
        for (at, first) in channels.chain((standings.len()..).zip(sources)) {
            let mut id = first;
            while id.is_some() {
                if packets[id].class == Class::Data {
                    self.under_way.entry(packets[id].message).or_default().push((at, id));
                }
                id = packets[id].next;
            }
        }
    }

    fn source(&self, number: usize) -> ChannelId {
        ChannelId::from_index(self.view.standings.len() + number)
    }

    /// Whether a thing is a source, or a buffer that a packet leaves for another.
    fn is_on_way(&self, at: usize) -> bool {
        at >= self.view.standings.len() || self.view.goes_on(at)
    }

    /// Requests that have places at a node, each with all that they wait for.
    fn coming(&self, full: &Full) -> Vec<(Message, Vec<ChannelId>)> {
        let message = |&(id, reply): &(MessageId, usize)| {
            let packets = self.under_way.get(&id).into_iter().flatten();
            let on_way: Vec<_> = packets.filter(|(at, _)| self.is_on_way(*at)).collect();
            let packet = on_way.first().map_or(PacketId::NONE, |(_, id)| *id);
            let places = on_way.iter().map(|(at, _)| ChannelId::from_index(*at));
            let waits = places.chain([self.source(reply)]).collect();
            (Message { node: full.node, packet, lack: Lack::RestComes }, waits)
        };
        full.coming.iter().map(message).collect()
    }

    /// Replies that have not left a node as a whole, each with what it waits for.
    fn leaving(&self, full: &Full) -> Vec<(Message, Vec<ChannelId>)> {
        let channels = self.view.standings.len();
        let mut found = Vec::new();
        for packets in self.under_way.values() {
            let first = &self.view.packets[packets[0].1];
            if first.source != full.node || !self.nodes.answers[usize::from(first.traffic())] {
                continue;
            }
            let sent_by = |id: PacketId| self.view.sent_by(id, full.node);
            let is_waited_for = |&(at, id): &(usize, PacketId)| {
                self.view.goes_on(at) && !self.view.packets[id].is_last()
            };
            let mut being_sent = packets.iter().filter_map(|&(_, id)| Some((id, sent_by(id)?)));
            let queued = packets.iter().find(|&&(at, _)| at >= channels);
            let (packet, lack, waits) = if let Some((packet, channel)) = being_sent.next() {
                (packet, Lack::ReplyIsSent, vec![channel])
            } else if let Some(&(at, packet)) = queued {
                (packet, Lack::ReplyLeaves, vec![ChannelId::from_index(at)])
            } else if packets.iter().all(is_waited_for) {
                let waits = packets.iter().map(|&(at, _)| ChannelId::from_index(at)).collect();
                (packets[0].1, Lack::RestLeaves, waits)
            } else {
                continue;
            };
            found.push((Message { node: full.node, packet, lack }, waits));
        }
        found
    }

    /// Whether a thing waits for all that is told of it.
    pub fn needs_all(&self, at: usize) -> bool {
        self.message(at).is_some_and(|message| message.lack == Lack::RestComes)
    }

    fn message(&self, at: usize) -> Option<&Message> {
        let before = self.view.standings.len() + self.nodes.sources.len() + self.nodes.full.len();
        self.messages.get(at.checked_sub(before)?)
    }

    /// Whether something can go on from a thing, or leave a buffer, by a channel even if nothing
    /// leaves the buffer at its end. Of the things these are sources, and replies being sent.
    pub fn takes(&self, at: usize, channel: ChannelId) -> bool {
        let channels = self.view.standings.len();
        if channel.index() >= channels {
            return false;
        }
        if at < channels {
            return self.view.takes(at, channel);
        }
        let is_source = at < channels + self.nodes.sources.len();
        let is_leaving = |message: &Message| message.lack == Lack::ReplyIsSent;
        if !is_source && !self.message(at).is_some_and(is_leaving) {
            return false;
        }
        let there = &self.view.standings[channel.index()];
        if self.view.needs == Needs::Packet {
            let first = self.nodes.sources.get(at - channels).map(|source| source.first);
            there.room >= first.filter(|id| id.is_some()).map_or(1, |id| self.view.tokens(id))
        } else if there.owner.is_some() {
            there.room >= there.unsent
        } else {
            there.room > 0 && !there.shut
        }
    }

    /// What is told of a thing on a circle, and of the next; nothing where that says it.
    pub fn blocked(&self, at: usize, next: ChannelId) -> Option<Blocked> {
        let channels = self.view.standings.len();
        if at < channels {
            return Some(self.asks_for_place(at));
        }
        if let Some(source) = self.nodes.sources.get(at - channels) {
            return self.sends_first(source, next);
        }
        let &Message { node, packet, lack } = self.message(at)?;
        if next.index() < channels {
            return Some(Blocked { lack, ..self.told(packet, self.view.place(next)) });
        }
        let source = &self.nodes.sources[next.index() - channels];
        let lack = match lack {
            Lack::RestComes => Lack::RestIsQueued,
            lack => lack,
        };
        // That its reply waits behind others is told of these.
        let is_its_own = lack == Lack::ReplyLeaves || source.node != node.0;
        let first = source.channels.first().filter(|_| is_its_own)?;
        Some(Blocked { lack, ..self.told(packet, self.view.place(*first)) })
    }

    /// A request waits for a place.
    fn asks_for_place(&self, at: usize) -> Blocked {
        let id = self.view.standings[at].front;
        let packet = &self.view.packets[id];
        let lead = self.view.wiring.ejection_lead(packet.destination, packet.traffic());
        let holds = self.view.held(at, id);
        let told = self.told(id, self.view.place(lead));
        Blocked { holds, lack: Lack::ReplyPlace, ..told }
    }

    /// What waits in a source waits for the first there, which is to go by a channel.
    fn sends_first(&self, source: &Source, channel: ChannelId) -> Option<Blocked> {
        let there = &self.view.standings[channel.index()];
        let owner = there.owner;
        // Where nothing is to be sent yet it would wait for who is before it.
        let mut known = [source.first, owner, there.front].into_iter();
        let id = known.find(|id| id.is_some())?;
        let held_by = (owner.is_some() && owner != id).then(|| self.view.packets[owner].serial);
        let told = self.told(id, self.view.place(channel));
        Some(Blocked { held_by, lack: Lack::FirstInQueue, source: source.node, ..told })
    }

    fn told(&self, id: PacketId, waits_for: crate::error::Place) -> Blocked {
        let packet = &self.view.packets[id];
        Blocked {
            packet: packet.serial,
            source: packet.source.0,
            destination: packet.destination.0,
            holds: Vec::new(),
            waits_for,
            held_by: None,
            lack: Lack::Channel,
            traffic: packet.traffic(),
            class: None,
        }
    }
}
