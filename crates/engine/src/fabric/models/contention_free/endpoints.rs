//! Mode `endpoints`: queues at the channels between nodes and switches, and nowhere else.
//!
//! A packet asks for one of the channels of its node when it is queued, and for one of those to
//! its destination when its header has arrived at the last switch. Whoever asks first has the
//! first channel that falls free, so it is known at once which that is and when: the channel is
//! taken then, and at its start the packet looks no further than to the next queue.

use super::{ContentionFree, Start, arrives};
use crate::event_queue::Event;
use crate::fabric::network::timing::Running;
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::Class;
use crate::time::Time;
use std::collections::VecDeque;

/// What the queues at the ends of the network need, besides the times of their channels.
pub(super) struct Endpoints {
    /// By node: when its data packets start, those that have started long ago left out.
    data_starts: Vec<VecDeque<Time>>,
    /// By packet.
    packets: Vec<OnWay>,
}

/// What is known of a packet on its way.
#[derive(Clone, Copy)]
struct OnWay {
    /// The channel it waits for.
    channel: ChannelId,
    /// How far its last flits are behind its header.
    running: Running,
}

impl Endpoints {
    /// No packet on its way.
    pub(super) fn new(nodes: usize) -> Self {
        Self { data_starts: vec![VecDeque::new(); nodes], packets: Vec::new() }
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
            let nowhere = OnWay { channel: ChannelId::NONE, running: Running::default() };
            self.packets.resize(id.index() + 1, nowhere);
        }
        &mut self.packets[id.index()]
    }
}

impl ContentionFree {
    /// A packet joins the queue of a group of channels, behind all who have before.
    pub(super) fn join(&mut self, id: PacketId, lead: ChannelId, act: &mut Act) {
        let layout = &act.wiring.layout;
        let group = layout.group(lead);
        let (channel, start) = self.turn(group, act.now, layout);
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
        self.free_at[layout.wire_of[channel.index()].index()] = end;
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
        let OnWay { channel, mut running } = *endpoints.of(id);
        if act.packets[id].hops == 0 {
            return self.set_out(id, channel, act);
        }
        let start = Start { channel, ready: act.packets[id].ready, at: act.now };
        let end = self.crosses(id, start, &mut running, act);
        arrives(id, (start, end), act);
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
        let lead = act.wiring.layout.ejection_lead(act.packets[id].destination);
        self.join(id, lead, act);
    }
}
