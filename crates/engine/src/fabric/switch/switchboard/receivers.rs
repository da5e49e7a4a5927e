//! Nodes that take packets in: each may have a receive FIFO with places for so many packets,
//! which are drained one at a time.
//!
//! A packet takes a place when it is granted a channel to its node. As long as there is none, the
//! group of channels there is closed: it grants nothing. The end of a packet (`TAIL`) is when it
//! has been drained; it is known when the end of all before it is, and when all of it will be
//! there.

use super::{HasPort, Switchboard};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Interface;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;
use std::ops::Range;

/// The receive FIFOs of all nodes.
#[derive(Clone)]
pub struct Receivers {
    /// Places of each.
    places: u32,
    nodes: Vec<Receiver>,
}

/// The receive FIFO of a node.
#[derive(Clone, Default)]
struct Receiver {
    /// Packets that have a place.
    held: u32,
    /// When those of them whose end is known will have been drained.
    free_at: Time,
    /// The others, in the order in which they were granted channels.
    coming: VecDeque<Coming>,
}

/// A packet whose end is not known.
#[derive(Clone, Copy)]
struct Coming {
    packet: PacketId,
    channel: ChannelId,
    /// When all of it will be there, or [`NEVER`].
    there: Time,
}

impl Receivers {
    /// Those of a machine's nodes; none if they take everything in at once.
    pub fn new(interface: &Interface, nodes: usize) -> Option<Self> {
        let places = interface.receive_fifo.unwrap_or(u32::MAX);
        let is_used = interface.receive_fifo.is_some() || interface.drain_byte_ps.is_some();
        is_used.then(|| Self { places, nodes: vec![Receiver::default(); nodes] })
    }
}

/// When a packet has been drained that started on the channel to its node at `start` and is
/// `there` then, if those before it have been at `free_at`; and how much sooner it would have
/// been without these.
pub fn drained_at(start: Time, there: Time, takes: Time, free_at: Time) -> (Time, Time) {
    let alone = there.max(start + takes);
    let drained = alone.max(free_at + takes);
    (drained, drained - alone)
}

/// The node at a channel's end.
fn node(channel: ChannelId, act: &Act) -> Option<usize> {
    match act.wiring.layout.group(channel).end {
        End::Node(node) => Some(node.index()),
        End::Switch(_) => None,
    }
}

impl<C: HasPort> Switchboard<C> {
    /// Whether nobody is granted a channel of a group now: there is no place at its node.
    #[inline]
    pub fn is_closed(&self, lead: ChannelId) -> bool {
        self.at(lead).port().is_closed()
    }

    /// The numbers of a group's channels; none if it is closed.
    #[inline]
    pub fn open_channels(&self, lead: ChannelId) -> Range<u32> {
        let port = self.at(lead).port();
        lead.0..lead.0 + if port.is_closed() { 0 } else { u32::from(port.width) }
    }

    /// A packet has been granted a channel to a node, and takes a place there.
    #[cold]
    #[inline(never)]
    pub fn take_place(&mut self, channel: ChannelId, packet: PacketId, act: &Act) {
        let (Some(receivers), Some(node)) = (&mut self.receivers, node(channel, act)) else {
            return;
        };
        let receiver = &mut receivers.nodes[node];
        receiver.held += 1;
        receiver.coming.push_back(Coming { packet, channel, there: NEVER });
        if receiver.held >= receivers.places {
            let lead = act.wiring.layout.group(channel).first;
            self.at_mut(lead).port_mut().set_closed(true);
        }
    }

    /// It is known when all of a packet will be at the node at a channel's end.
    #[inline]
    pub fn post_tail(&mut self, channel: ChannelId, packet: PacketId, there: Time, act: &mut Act) {
        if self.receivers.is_none() {
            act.events.post(there, Event::Tail(channel.into()));
        } else {
            self.will_be_there(channel, packet, there, act);
        }
    }

    /// The same where it is drained then.
    #[cold]
    #[inline(never)]
    fn will_be_there(&mut self, channel: ChannelId, packet: PacketId, there: Time, act: &mut Act) {
        let (Some(receivers), Some(node)) = (&mut self.receivers, node(channel, act)) else {
            return;
        };
        let Receiver { coming, free_at, .. } = &mut receivers.nodes[node];
        if let Some(one) = coming.iter_mut().find(|one| one.packet == packet) {
            one.there = there;
        }
        while let Some(&Coming { packet, channel, there }) = coming.front()
            && there != NEVER
        {
            coming.pop_front();
            let row = &act.packets[packet];
            // A hop before it was last ready.
            let start = row.ready - act.wiring.timing(channel).hop_ps;
            let takes = act.wiring.drain_ps(row.bytes);
            let (drained, behind) = drained_at(start, there, takes, *free_at);
            *free_at = drained;
            act.events.post(drained, Event::Tail(channel.into()));
            let start = drained - takes;
            act.observe(Observation::Drained { packet, start, until: drained, behind });
        }
    }

    /// Of the receive FIFO of a node, if it has one: how many packets have a place, how many places there
    /// are, and when those whose end is known will have been drained.
    pub fn standing_of_receiver(&self, node: NodeId) -> Option<(u32, u32, Time)> {
        let receivers = self.receivers.as_ref()?;
        let Receiver { held, free_at, .. } = receivers.nodes[node.index()];
        Some((held, receivers.places, free_at))
    }

    /// A node will have drained what others have sent it by then.
    pub fn drains_until(&mut self, node: NodeId, at: Time) {
        if let Some(receivers) = &mut self.receivers {
            let free_at = &mut receivers.nodes[node.index()].free_at;
            *free_at = at.max(*free_at);
        }
    }

    /// A packet that came by a channel has been drained: its place is free.
    #[cold]
    #[inline(never)]
    pub(super) fn free_place(&mut self, channel: ChannelId, act: &Act) {
        let (Some(receivers), Some(node)) = (&mut self.receivers, node(channel, act)) else {
            return;
        };
        receivers.nodes[node].held -= 1;
        let lead = act.wiring.layout.group(channel).first;
        if self.is_closed(lead) {
            self.at_mut(lead).port_mut().set_closed(false);
            self.mark(self.at(lead).rest().lead);
        }
    }
}
