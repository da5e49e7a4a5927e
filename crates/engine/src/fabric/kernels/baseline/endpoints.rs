//! Mode `endpoints`: queues at the channels between nodes and switches, and nowhere else.
//!
//! A packet asks for one of the channels of its node when it is queued, and for one of those to
//! its destination when its header has arrived at the last switch. Whoever asks first has the
//! first channel that falls free, so it is known at once which that is and when: the channel is
//! taken then, and at its start the packet looks no further than to the next queue.

use super::{BaselineKernel, Start};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::network::timing::Running;
use crate::fabric::switch::switchboard::drained_at;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::Class;
use crate::measure::blame::Observation;
use crate::spec::Interface;
use crate::time::Time;
use std::collections::VecDeque;

/// What the queues at the ends of the network need, besides the times of their channels.
#[derive(Clone)]
pub(super) struct Endpoints {
    /// By node: when its data packets start, those that have started long ago left out.
    data_starts: Vec<VecDeque<Time>>,
    /// By packet.
    packets: Vec<OnWay>,
    /// By node, where they have receive FIFOs: when the latest packets will have been drained, as
    /// many as there are places, or one where any number has a place.
    drained: Vec<VecDeque<Time>>,
    /// Places of each, if it is a number.
    places: Option<usize>,
}

/// What is known of a packet on its way.
#[derive(Clone, Copy)]
struct OnWay {
    /// The channel it waits for.
    channel: ChannelId,
    /// How far its last flits are behind its header.
    running: Running,
    /// When it will have been drained, where its node has a receive FIFO.
    drained: Time,
}

impl Endpoints {
    /// No packet on its way.
    pub(super) fn new(interface: &Interface, nodes: usize) -> Self {
        let places = interface.receive_fifo.map(|places| places as usize);
        let has_fifos = places.is_some() || interface.drain_byte_ps.is_some();
        Self {
            data_starts: vec![VecDeque::new(); nodes],
            packets: Vec::new(),
            drained: vec![VecDeque::new(); if has_fifos { nodes } else { 0 }],
            places,
        }
    }

    /// Whether nodes have receive FIFOs.
    pub(super) fn has_fifos(&self) -> bool {
        !self.drained.is_empty()
    }

    /// From when on there is a place for a packet at a node.
    fn place_from(&self, node: NodeId) -> Time {
        let fifo = self.drained.get(node.index());
        let full = fifo.filter(|fifo| Some(fifo.len()) == self.places);
        full.and_then(VecDeque::front).copied().unwrap_or(0)
    }

    /// A packet is to start on the channel to its node at `start` and is `there` then; it takes
    /// so long to be drained. When it has been, and how much sooner it would have been without
    /// those before it.
    fn drain(&mut self, node: NodeId, (start, there): (Time, Time), takes: Time) -> (Time, Time) {
        let Some(fifo) = self.drained.get_mut(node.index()) else { return (there, 0) };
        let free_at = fifo.back().copied().unwrap_or(0);
        let (drained, behind) = drained_at(start, there, takes, free_at);
        if fifo.len() == self.places.unwrap_or(1) {
            fifo.pop_front();
        }
        fifo.push_back(drained);
        (drained, behind)
    }

    /// When a packet will have been drained that is on the channel to its node; none where
    /// nodes take everything in at once.
    pub(super) fn drained(&self, id: PacketId) -> Option<Time> {
        self.has_fifos().then(|| self.packets[id.index()].drained)
    }

    /// The channel that a packet has taken last.
    pub(super) fn channel(&self, id: PacketId) -> ChannelId {
        self.packets[id.index()].channel
    }

    /// Data packets of a node that have not started by `now`, or start just then.
    pub(super) fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        let starts = &self.data_starts[node.index()];
        (starts.len() - starts.partition_point(|&start| start < now)) as u32
    }

    /// A data packet of a node starts at `start`, not before those queued before it.
    fn data_starts(&mut self, node: NodeId, start: Time, now: Time) {
        let starts = &mut self.data_starts[node.index()];
        while starts.front().is_some_and(|&start| start < now) {
            starts.pop_front();
        }
        starts.push_back(start);
    }

    fn of(&mut self, id: PacketId) -> &mut OnWay {
        if self.packets.len() <= id.index() {
            let channel = ChannelId::NONE;
            let nowhere = OnWay { channel, running: Running::default(), drained: 0 };
            self.packets.resize(id.index() + 1, nowhere);
        }
        &mut self.packets[id.index()]
    }
}

impl BaselineKernel {
    /// A packet joins the queue of a group of channels, behind all who have before.
    pub(super) fn join(&mut self, id: PacketId, lead: ChannelId, act: &mut Act) {
        let layout = &act.wiring.layout;
        let group = layout.group(lead);
        let to = match group.end {
            End::Node(node) => Some(node),
            End::Switch(_) => None,
        };
        let place_from = |endpoints: &Endpoints| to.map_or(0, |node| endpoints.place_from(node));
        let ready = self.endpoints.as_ref().map_or(0, place_from).max(act.now);
        let (channel, mut start) = self.turn(group, ready, layout);
        if act.packets[id].hops > 0 {
            start += self.regrant_after(start - act.now);
        }
        let Some(endpoints) = &mut self.endpoints else { return };
        let packet = &mut act.packets[id];
        packet.ready = act.now;
        let way = endpoints.of(id);
        if packet.hops == 0 {
            way.running = Running::default();
        }
        way.channel = channel;
        let timing = &act.wiring.timings[usize::from(group.rate)];
        let end = act.wiring.undisturbed(packet.bytes, start, timing, &mut way.running.clone());
        self.free_at[layout.wire_of[channel.index()].index()] = end + timing.gap_ps;
        let takes = act.wiring.drain_ps(packet.bytes);
        if let Some(node) = to {
            let (drained, behind) = endpoints.drain(node, (start, end + timing.wire_ps), takes);
            endpoints.of(id).drained = drained;
            let start = drained - takes;
            act.observe(Observation::Drained { packet: id, start, until: drained, behind });
        }
        let packet = &act.packets[id];
        if packet.hops == 0 && packet.class == Class::Data {
            endpoints.data_starts(packet.source, start, act.now);
        }
        if start == act.now {
            self.starts(id, act);
        } else {
            act.events.post(start, Event::Retry(id.into()));
        }
    }

    /// `RETRY`: the turn of a packet has come.
    pub fn starts(&mut self, id: PacketId, act: &mut Act) {
        let Some(endpoints) = &mut self.endpoints else { return };
        let OnWay { channel, mut running, .. } = *endpoints.of(id);
        if act.packets[id].hops == 0 {
            return self.set_out(id, channel, act);
        }
        let start = Start { channel, ready: act.packets[id].ready, at: act.now };
        let end = self.crosses(id, start, &mut running, act);
        self.arrives(id, (start, end), act);
    }

    /// The header of a packet will be at its last switch at `ready`.
    pub(super) fn heads_for(&mut self, id: PacketId, ready: Time, running: Running, act: &mut Act) {
        let Some(endpoints) = &mut self.endpoints else { return };
        endpoints.of(id).running = running;
        act.events.post(ready, Event::Request(id.into()));
    }

    /// The header of a packet is at its last switch. Those of one instant must come in the order
    /// of their serial numbers.
    pub(super) fn is_at_last_switch(&mut self, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let lead = act.wiring.ejection_lead(packet.destination, packet.traffic());
        self.join(id, lead, act);
    }
}
