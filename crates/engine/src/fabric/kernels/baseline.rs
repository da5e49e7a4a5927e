//! Modes with little contention, or none: the way of a packet follows from when it starts.
//!
//! In `free` no packet waits. In `throttled` packets wait for their first internal channel
//! only, and have it in the order in which they start. In `endpoints` they wait for the
//! channels between nodes and switches only ([`endpoints`]). Where several packets of a message
//! can be in flight, a `REQUEST` marks when each starts.

mod circuits;
mod endpoints;
pub mod following;
mod passing;
mod replicating;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Queues, Traits};
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::network::timing::Running;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::{PacketPool, Part};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Class, Use, Wait};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use endpoints::Endpoints;
use following::Following;

/// The network without contention, or with queues in one kind of place only.
#[derive(Clone)]
pub struct BaselineKernel {
    /// When each wire, as its first channel, is free for the next packet of its queue;
    /// empty where nobody waits.
    free_at: Vec<Time>,
    /// In `endpoints`: what else its queues need.
    endpoints: Option<Endpoints>,
    /// How much later a packet starts on a channel out of a switch that had to wait for it.
    regrant_ps: Time,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// Where several packets of a message can be in flight.
    following: Option<Following>,
    /// The channels that a packet takes, where nodes and switches are one.
    way: Vec<ChannelId>,
    /// The starts of a packet that makes a circuit.
    starts: Vec<Start>,
    /// The parts of packets with riders that have not run on.
    parts: Vec<Part<ChannelId>>,
}

/// A packet's start on a channel.
#[derive(Clone, Copy)]
struct Start {
    channel: ChannelId,
    /// Since when it could have started, had nobody been before it.
    ready: Time,
    at: Time,
}

impl BaselineKernel {
    /// Mode `throttled`.
    pub fn throttled(machine: &Machine, layout: &Layout) -> Self {
        Self { free_at: vec![0; layout.channels()], ..Self::free(machine, layout) }
    }

    /// Mode `endpoints`, of a machine whose nodes are attached to switches or to each other.
    pub fn endpoints(machine: &Machine, layout: &Layout, nodes: usize) -> Self {
        let endpoints = Some(Endpoints::new(&machine.interface, nodes));
        Self { endpoints, following: None, ..Self::throttled(machine, layout) }
    }

    /// Mode `free`.
    pub fn free(machine: &Machine, layout: &Layout) -> Self {
        Self {
            free_at: Vec::new(),
            endpoints: None,
            regrant_ps: machine.switch.regrant_delay_ps,
            used: vec![Use::default(); layout.channels()],
            following: Following::new(machine, layout),
            way: Vec::new(),
            starts: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Sends a packet now, and posts its arrival.
    fn send(&mut self, id: PacketId, act: &mut Act) {
        act.packets[id].queued = act.now;
        let packet = &act.packets[id];
        let lead = act.wiring.injection_lead(packet.source, packet.traffic());
        self.set_out(id, lead, act);
    }

    /// A packet starts on the channel by which it leaves its node, and runs on until it has
    /// been delivered, or joins the next queue.
    fn set_out(&mut self, id: PacketId, channel: ChannelId, act: &mut Act) {
        let packet = &mut act.packets[id];
        packet.first_sent = act.now;
        act.measures.packet_sent(packet.source, packet.class, packet.is_last());
        let start = Start { channel, ready: packet.queued, at: act.now };
        self.runs_on(id, start, Running::default(), act);
    }

    /// A packet that starts on a channel runs on from there.
    fn runs_on(&mut self, id: PacketId, mut start: Start, mut running: Running, act: &mut Act) {
        let wiring = act.wiring;
        loop {
            let end = self.crosses(id, start, &mut running, act);
            act.leaves(start.channel, id, end);
            let group = wiring.layout.group(start.channel);
            let End::Switch(switch) = group.end else {
                return self.arrives(id, (start, end), act);
            };
            if act.packets.has_riders(id) {
                return self.fans_out(id, switch, start, running, act);
            }
            let lead = wiring.first_lead(switch, act.packets[id].header());
            let ready = start.at + goes_on_after(id, group, lead, act);
            start = Start { channel: lead, ready, at: ready };
            match wiring.layout.group(lead).kind {
                ChannelKind::Internal => self.begins_internal(id, &mut start, act),
                _ if self.endpoints.is_some() => return self.heads_for(id, ready, running, act),
                _ => {}
            }
        }
    }

    /// A packet that is about to start on an internal channel waits for it, if it is its first
    /// and that has a queue.
    fn begins_internal(&self, id: PacketId, start: &mut Start, act: &mut Act) {
        let packet = &mut act.packets[id];
        if packet.first_internal != NEVER {
            return;
        }
        if self.endpoints.is_none() {
            let layout = &act.wiring.layout;
            (start.channel, start.at) = self.turn(layout.group(start.channel), start.ready, layout);
            start.at += self.regrant_after(start.at - start.ready);
        }
        packet.first_internal = start.at;
    }

    /// A packet takes its turn on a channel; when it will have been sent.
    fn crosses(
        &mut self,
        id: PacketId,
        Start { channel, ready, at }: Start,
        running: &mut Running,
        act: &mut Act,
    ) -> Time {
        let wiring = act.wiring;
        let group = wiring.layout.group(channel);
        let timing = &wiring.timings[usize::from(group.rate)];
        let packet = &mut act.packets[id];
        let end = wiring.undisturbed(packet.bytes, at, timing, running);
        let is_first_internal = group.kind == ChannelKind::Internal && packet.first_internal == at;
        let has_queue = match self.endpoints {
            Some(_) => group.kind != ChannelKind::Internal,
            None => is_first_internal && !self.free_at.is_empty(),
        };
        if has_queue && self.endpoints.is_none() {
            let free_at = end + timing.gap_ps;
            self.free_at[wiring.layout.wire_of[channel.index()].index()] = free_at;
        }
        let used = &mut self.used[channel.index()];
        used.packets += 1;
        used.busy_ps += end - at;
        let is_throttling = group.kind != ChannelKind::Ejection;
        act.measures.starts(
            channel,
            group.kind,
            (at, end),
            Wait { time: at - ready, is_throttling },
        );
        act.packets.crosses(id, channel, wiring);
        if has_queue {
            if !is_throttling {
                // It stands in the queue of its channel, behind nobody's buffer.
                act.observe(Observation::LinedUp { packet: id, channel, from: at });
            }
            let regrant = self.regrant_after(at - ready);
            if regrant > 0 && matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
                let regranted = Observation::Regranted { packet: id, channel, asked: ready };
                act.observe_at(regranted, at - regrant);
            }
            let until = end + timing.gap_ps;
            act.observe(Observation::Sent { packet: id, channel, ready, start: at, until });
        }
        end
    }

    /// How much later a packet starts that had to wait so long at a switch.
    fn regrant_after(&self, wait: Time) -> Time {
        if wait > 0 { self.regrant_ps } else { 0 }
    }

    /// A packet has started on the channel to its destination: its arrival is posted.
    fn arrives(&self, id: PacketId, (start, end): (Start, Time), act: &mut Act) {
        let wiring = act.wiring;
        let group = wiring.layout.group(start.channel);
        let timing = &wiring.timings[usize::from(group.rate)];
        let packet = &mut act.packets[id];
        packet.ready = start.at + timing.hop_ps;
        let drained = match &self.endpoints {
            Some(endpoints) => endpoints.drained(id),
            // Behind nobody.
            None => Some(start.at + wiring.drain_ps(packet.bytes)),
        };
        if wiring.reports_header(packet) {
            let head = start.at + timing.header_ps + timing.wire_ps;
            act.events.post(head, Event::Head(id.into()));
        }
        let there = end + timing.wire_ps;
        act.events.post(there.max(drained.unwrap_or(0)), Event::Tail(id.into()));
    }

    /// The channel of a group that is the first to be free for a packet, the lowest-numbered
    /// of several, and from when.
    fn turn(&self, group: &Group, ready: Time, layout: &Layout) -> (ChannelId, Time) {
        if self.free_at.is_empty() {
            return (group.first, ready);
        }
        let wire = |channel: &ChannelId| layout.wire_of[channel.index()];
        let start = |channel: &ChannelId| self.free_at[wire(channel).index()].max(ready);
        let channel = group.channels().min_by_key(start).unwrap_or(group.first);
        (channel, start(&channel))
    }
}

impl Queues for BaselineKernel {
    /// A packet enters its node's output queue: it starts at once, when it can follow those of
    /// its message before it, or in its turn.
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        if let Some(integrated_timing) = act.wiring.integrated_timing {
            return self.pass(id, &integrated_timing, act);
        }
        if act.wiring.makes_circuits_of_all() {
            return self.queue_circuit(id, act);
        }
        if self.endpoints.is_some() {
            act.packets[id].queued = act.now;
            let packet = &act.packets[id];
            let lead = act.wiring.injection_lead(packet.source, packet.traffic());
            return self.join(id, lead, act);
        }
        let Some(following) = &mut self.following else { return self.send(id, act) };
        let packet = &act.packets[id];
        let mut start = act.now;
        if packet.class == Class::Data {
            let place = act.wiring.layout.injection(packet.source);
            let takes = act.wiring.timings[usize::from(place.rate)].occupied_ps(packet.bytes);
            let wires = usize::from(place.width);
            start = start.max(following.from(packet.message, wires));
            following.send(packet.message, wires, start + takes);
            if packet.is_last() {
                following.end(packet.message);
            }
        }
        act.events.post(start, Event::Request(id.into()));
    }

    fn retry(&mut self, of: Subject, act: &mut Act) {
        self.starts(of.packet(), act);
    }

    #[inline]
    fn is_settled(&self) -> bool {
        true
    }

    #[inline]
    fn take_head(&mut self, of: Subject, _: Time, _: &Wiring, _: &PacketPool) -> PacketId {
        of.packet()
    }

    #[inline]
    fn take_tail(&mut self, of: Subject, _: &mut Act) -> PacketId {
        of.packet()
    }

    /// Those that have not started by `now`, or start just then.
    fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        self.endpoints.as_ref().map_or(0, |endpoints| endpoints.waiting_data(node, now))
    }

    fn used(&self, _: Time) -> Vec<Use> {
        self.used.clone()
    }

    fn begin_window(&mut self, _: Time) {
        self.used.fill(Use::default());
    }
}

impl Kernel for BaselineKernel {
    const NUMBERS_PACKETS: bool = true;

    fn request(&mut self, of: Subject, act: &mut Act) {
        let id = of.packet();
        match self.endpoints {
            _ if act.wiring.makes_circuits_of_all() => self.make_circuit(id, act),
            Some(_) => self.is_at_last_switch(id, act),
            None => self.send(id, act),
        }
    }

    fn arbitrate(&mut self, _: &mut Act) {}

    fn overhang(&self, _: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        None::<std::iter::Empty<(usize, Time)>>
    }

    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        let receives = self.endpoints.as_ref().is_some_and(Endpoints::has_fifos);
        let stretches = receives || !wiring.is_even();
        let replicates = wiring.replicates;
        Traits { stretches, receives, replicates, ..Traits::default() }
    }

    /// In `endpoints` it may have waited behind others there, when it was on it.
    fn last_channel(&self, of: Subject) -> Option<ChannelId> {
        self.endpoints.as_ref().map(|endpoints| endpoints.channel(of.packet()))
    }
}

/// From when a packet starts on a channel of a group until it may start on one of the next.
fn goes_on_after(id: PacketId, group: &Group, next: ChannelId, act: &mut Act) -> Time {
    let (wiring, timing) = (act.wiring, &act.wiring.timings[usize::from(group.rate)]);
    let after = wiring.onward_ps(timing, wiring.timing(next), act.packets[id].bytes);
    if !wiring.goes_on_behind_header() {
        act.packets.goes_on_after(id, after, wiring);
    }
    after
}
