//! Mode `full`, fidelity `packet`: a packet starts on a channel when the buffer
//! at its end has room for all of it, and then runs through.
//!
//! When a transmission starts, three instants are known: when the channel will
//! be free, when the buffer the packet leaves will have its room back, and when
//! the packet's header will be ready to ask at the other end. No event marks the
//! first two unless somebody waits for them ([`Kind::Retry`]).

use super::layout::{End, Group, Layout};
use super::policy::Arbiter;
use super::pool::{PacketFifo, PacketPool};
use super::{Timing, Wiring};
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, GroupId, NodeId, PacketId};
use crate::measure::{ChannelKind, Class, Measures, Wait};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use std::hint::black_box;

/// The real network, packet by packet.
pub struct PacketFabric {
    channels: Vec<Channel>,
    outputs: Vec<Output>,
    sources: Vec<Source>,
    arbiter: Arbiter,
    ack_priority: bool,
    /// Tokens an input buffer holds.
    capacity: u32,
    /// Outputs that must choose when the events of this instant are done.
    dirty: Vec<GroupId>,
}

/// A channel and the input buffer at its end: one cache line.
#[repr(align(64))]
pub(super) struct Channel {
    /// When the last token of the latest packet has left the sending side.
    pub free_at: Time,
    /// When the buffer's front falls free: the latest departure from it.
    leaving_at: Time,
    /// Tokens of packets in the buffer or on the way to it, the departing one included.
    occupied: u32,
    /// Tokens of the packet that departs or departed last.
    leaving: u32,
    /// Packets in the buffer that have not started to leave.
    buffer: PacketFifo,
    /// At a node: the first packet whose header has not been reported.
    heading: PacketId,
    /// The channel whose request came next to this one's at the same output.
    next_waiting: ChannelId,
    group: GroupId,
    end: End,
    /// Whether the group waits for the buffer's front to start leaving.
    room_wanted: bool,
}

/// A hunt group at work: one cache line.
#[repr(align(64))]
struct Output {
    first: ChannelId,
    width: u16,
    kind: ChannelKind,
    dirty: bool,
    /// The switch or node it belongs to.
    from: u32,
    /// Requests in order: the channels whose front packets ask.
    first_waiting: ChannelId,
    last_waiting: ChannelId,
    /// The request that has been granted and waits for room.
    granted: ChannelId,
    granted_at: Time,
    /// The idle channel it keeps, while it waits for room.
    held: ChannelId,
    /// The earliest retry posted, or [`NEVER`].
    retry_at: Time,
    /// When the first of its channels is or was free.
    idle_from: Time,
}

/// A node's output queues, by class; the first serves both without priority.
struct Source {
    queues: [PacketFifo; 2],
    waiting_data: u32,
}

/// Everything of a run that changes while the network acts.
struct Act<'a> {
    now: Time,
    link: &'a Timing,
    packets: &'a mut PacketPool,
    events: &'a mut EventQueue,
    measures: &'a mut Measures,
}

impl PacketFabric {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, layout: &Layout, seed: u64) -> Self {
        let channel = |&group: &GroupId| Channel {
            free_at: 0,
            leaving_at: 0,
            occupied: 0,
            leaving: 0,
            buffer: PacketFifo::EMPTY,
            heading: PacketId::NONE,
            next_waiting: ChannelId::NONE,
            group,
            end: layout.groups[group.index()].end,
            room_wanted: false,
        };
        let output = |&group: &Group| Output {
            first: group.first,
            width: group.width,
            kind: group.kind,
            from: group.from,
            dirty: false,
            first_waiting: ChannelId::NONE,
            last_waiting: ChannelId::NONE,
            granted: ChannelId::NONE,
            granted_at: 0,
            held: ChannelId::NONE,
            retry_at: NEVER,
            idle_from: 0,
        };
        let source = || Source { queues: [PacketFifo::EMPTY; 2], waiting_data: 0 };
        Self {
            channels: layout.group_of.iter().map(channel).collect(),
            outputs: layout.groups.iter().map(output).collect(),
            sources: std::iter::repeat_with(source).take(topology.nodes).collect(),
            arbiter: Arbiter::new(&machine.switch, layout.groups.len(), seed),
            ack_priority: machine.node.ack_priority,
            capacity: machine.switch.input_buffer_tokens,
            dirty: Vec::new(),
        }
    }
}

impl PacketFabric {
    /// The state of every channel.
    pub(super) fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Data packets in a node's output queue.
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        self.sources[node.index()].waiting_data
    }

    /// A packet enters its node's output queue.
    pub fn queue(
        &mut self,
        id: PacketId,
        packets: &mut PacketPool,
        now: Time,
        measures: &mut Measures,
    ) {
        let packet = &mut packets[id];
        packet.queued = now;
        packet.ready = now;
        let (node, class) = (packet.source, packet.class);
        measures.nodes[node.index()].queues[class as usize].enter(now);
        let source = &mut self.sources[node.index()];
        source.waiting_data += u32::from(class == Class::Data);
        let queue = usize::from(self.ack_priority && class == Class::Ack);
        source.queues[queue].push(id, packets);
        self.mark(Layout::injection(node));
    }

    /// The front packet of a channel's buffer asks for its output.
    #[inline]
    pub fn request(
        &mut self,
        channel: ChannelId,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) {
        let asking = &mut self.channels[channel.index()];
        let End::Switch(switch) = asking.end else { return };
        let group = wiring.output(switch, packets[asking.buffer.first].destination);
        let output = &mut self.outputs[group.index()];
        if output.is_idle(now) && self.arbiter.takes_first() {
            // Requests of one instant come in order of channel number: this is the best.
            output.granted = channel;
            output.granted_at = now;
            self.mark(group);
            return;
        }
        asking.next_waiting = ChannelId::NONE;
        let last = output.last_waiting;
        output.last_waiting = channel;
        if output.first_waiting.is_some() {
            self.channels[last.index()].next_waiting = channel;
        } else {
            output.first_waiting = channel;
        }
        self.mark(group);
    }

    /// Reads what a request will need.
    #[inline]
    pub fn touch_request(&self, channel: ChannelId, wiring: &Wiring, packets: &PacketPool) {
        let asking = &self.channels[channel.index()];
        if let End::Switch(switch) = asking.end
            && asking.buffer.first.is_some()
        {
            let packet = &packets[asking.buffer.first];
            let group = wiring.output(switch, packet.destination);
            let output = &self.outputs[group.index()];
            black_box(self.channels[output.first.index()].free_at);
        }
    }

    /// Reads what a retry will need.
    #[inline]
    pub fn touch_retry(&self, group: GroupId) {
        let output = &self.outputs[group.index()];
        black_box(self.channels[output.first.index()].free_at);
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(&mut self, group: GroupId, now: Time) {
        let output = &mut self.outputs[group.index()];
        if output.retry_at <= now {
            output.retry_at = NEVER;
        }
        self.mark(group);
    }

    /// The data packet whose header has reached the node at a channel's end.
    pub fn take_head(&mut self, channel: ChannelId, packets: &PacketPool) -> PacketId {
        let channel = &mut self.channels[channel.index()];
        let id = channel.heading;
        let mut next = packets[id].next;
        while next.is_some() && packets[next].class == Class::Ack {
            next = packets[next].next;
        }
        channel.heading = next;
        id
    }

    /// The packet whose last token has reached the node at a channel's end.
    pub fn take_tail(&mut self, channel: ChannelId, packets: &PacketPool) -> PacketId {
        self.channels[channel.index()].buffer.pop(packets)
    }

    /// Every output marked at this instant chooses.
    #[inline]
    pub fn arbitrate(
        &mut self,
        link: &Timing,
        packets: &mut PacketPool,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let mut act = Act { now, link, packets, events, measures };
        while let Some(group) = self.dirty.pop() {
            let output = &mut self.outputs[group.index()];
            output.dirty = false;
            match output.kind {
                ChannelKind::Injection | ChannelKind::Direct => self.serve_source(group, &mut act),
                ChannelKind::Internal | ChannelKind::Ejection => self.serve_output(group, &mut act),
            }
        }
    }

    #[inline]
    fn mark(&mut self, group: GroupId) {
        let output = &mut self.outputs[group.index()];
        if !output.dirty {
            output.dirty = true;
            self.dirty.push(group);
        }
    }

    /// A node sends what it can, the packet at hand first.
    fn serve_source(&mut self, group: GroupId, act: &mut Act) {
        let node = self.outputs[group.index()].from as usize;
        loop {
            let source = &self.sources[node];
            let queue = usize::from(source.queues[1].first.is_some());
            let id = source.queues[queue].first;
            if !id.is_some() {
                return;
            }
            let tokens = act.link.packet_tokens(act.packets[id].bytes);
            let Some(channel) = self.find_channel(group, tokens, act) else {
                return;
            };
            let source = &mut self.sources[node];
            source.queues[queue].pop(act.packets);
            let packet = &mut act.packets[id];
            packet.first_sent = act.now;
            let (from, class, last) = (packet.source, packet.class, packet.last);
            source.waiting_data -= u32::from(class == Class::Data);
            act.measures.nodes[node].queues[class as usize].leave(act.now);
            act.measures.packet_sent(from, class, last);
            self.start(group, channel, id, act);
        }
    }

    /// A switch output grants and starts what it can.
    #[inline]
    fn serve_output(&mut self, group: GroupId, act: &mut Act) {
        loop {
            if !self.grant(group, act) {
                return;
            }
            let input = self.outputs[group.index()].granted;
            let id = self.channels[input.index()].buffer.first;
            let tokens = act.link.packet_tokens(act.packets[id].bytes);
            let Some(channel) = self.find_channel(group, tokens, act) else {
                return;
            };
            self.channels[input.index()].buffer.pop(act.packets);
            let output = &mut self.outputs[group.index()];
            output.granted = ChannelId::NONE;
            let waited = act.now - output.granted_at;
            if waited > 0 {
                act.measures.kept(output.held, output.kind, waited);
            }
            let end = self.start(group, channel, id, act);
            self.leave(input, tokens, end, act);
        }
    }

    /// Makes sure that a request is granted, if there is one and a channel is idle.
    #[inline]
    fn grant(&mut self, group: GroupId, act: &mut Act) -> bool {
        let output = &self.outputs[group.index()];
        if output.granted.is_some() {
            return true;
        }
        if !output.first_waiting.is_some() {
            return false;
        }
        if output.idle_from > act.now {
            self.post_retry(group, output.idle_from, act);
            return false;
        }
        let input = self.take_best(group, act.packets);
        let output = &mut self.outputs[group.index()];
        output.granted = input;
        output.granted_at = act.now;
        true
    }

    /// Takes the best request out of a group's list.
    #[inline]
    fn take_best(&mut self, group: GroupId, packets: &PacketPool) -> ChannelId {
        let first = self.outputs[group.index()].first_waiting;
        let mut before = ChannelId::NONE;
        if !self.arbiter.takes_first() {
            let channels = &self.channels;
            let following = |channel: &ChannelId| {
                Some(channels[channel.index()].next_waiting).filter(|next| next.is_some())
            };
            let waiting = std::iter::successors(Some(first), following);
            let asking = waiting.clone().map(|c| &packets[channels[c.index()].buffer.first]);
            let best = self.arbiter.best(group, asking);
            before = best.checked_sub(1).map_or(ChannelId::NONE, |previous| {
                waiting.clone().nth(previous).unwrap_or(ChannelId::NONE)
            });
        }
        self.unlink(group, before)
    }

    /// Removes the request behind `before` (none: the first) from a group's list.
    #[inline]
    fn unlink(&mut self, group: GroupId, before: ChannelId) -> ChannelId {
        let output = &mut self.outputs[group.index()];
        let taken = if before.is_some() {
            self.channels[before.index()].next_waiting
        } else {
            output.first_waiting
        };
        let next = self.channels[taken.index()].next_waiting;
        if before.is_some() {
            self.channels[before.index()].next_waiting = next;
        } else {
            output.first_waiting = next;
        }
        if !next.is_some() {
            output.last_waiting = before;
        }
        taken
    }

    /// The lowest-numbered idle channel of a group whose buffer has room for a
    /// packet. If there is none, sees to it that the group looks again in time.
    #[inline]
    fn find_channel(&mut self, group: GroupId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let output = &self.outputs[group.index()];
        let first = &self.channels[output.first.index()];
        if first.free_at <= act.now && first.has_room(tokens, self.capacity, act.now) {
            return Some(output.first);
        }
        self.find_other(group, tokens, act)
    }

    /// The rest of [`Self::find_channel`], when it is not the first channel.
    #[inline(never)]
    fn find_other(&mut self, group: GroupId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let channels = self.outputs[group.index()].channels();
        let mut again = NEVER;
        let mut held = ChannelId::NONE;
        for candidate in channels {
            let channel = &mut self.channels[candidate.index()];
            if channel.free_at > act.now {
                again = again.min(channel.free_at);
            } else if channel.has_room(tokens, self.capacity, act.now) {
                return Some(candidate);
            } else if channel.leaving_at > act.now {
                again = again.min(channel.leaving_at);
            } else {
                channel.room_wanted = true;
            }
            if held == ChannelId::NONE && channel.free_at <= act.now {
                held = candidate;
            }
        }
        let output = &mut self.outputs[group.index()];
        if output.granted_at == act.now {
            output.held = held;
        }
        if again != NEVER {
            self.post_retry(group, again, act);
        }
        None
    }

    #[inline]
    fn post_retry(&mut self, group: GroupId, at: Time, act: &mut Act) {
        let output = &mut self.outputs[group.index()];
        if at < output.retry_at {
            output.retry_at = at;
            act.events.post(at, Kind::Retry, group.0);
        }
    }

    /// A packet starts on a channel; when it will have left the sending side.
    // Inlined into both its callers: 3 % fewer instructions in all.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn start(&mut self, group: GroupId, id: ChannelId, packet_id: PacketId, act: &mut Act) -> Time {
        let (now, link) = (act.now, act.link);
        let packet = &mut act.packets[packet_id];
        let end = now + link.packet_ps(packet.bytes);
        let tokens = link.packet_tokens(packet.bytes);
        let channel = &mut self.channels[id.index()];
        let output = &mut self.outputs[group.index()];
        let kind = output.kind;
        let first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
        let wait =
            Wait { time: now - packet.ready, is_throttling: first_internal || packet.hops == 0 };
        act.measures.starts(id, kind, (now, end), wait);
        if first_internal {
            packet.first_internal = now;
        }
        packet.hops += 1;
        channel.free_at = end;
        match channel.end {
            End::Switch(_) => {
                packet.ready = now + link.hop_ps;
                if !channel.buffer.first.is_some() {
                    let at = packet.ready.max(channel.leaving_at);
                    act.events.post(at, Kind::Request, id.0);
                }
                channel.occupied += tokens;
            }
            End::Node(_) => {
                if packet.class == Class::Data {
                    let head = now + link.header_ps + link.wire_ps;
                    act.events.post(head, Kind::Head, id.0);
                    if !channel.heading.is_some() {
                        channel.heading = packet_id;
                    }
                }
                act.events.post(end + link.wire_ps, Kind::Tail, id.0);
            }
        }
        channel.buffer.push(packet_id, act.packets);
        output.idle_from = end;
        if output.width > 1 {
            let free_at = |channel: ChannelId| self.channels[channel.index()].free_at;
            output.idle_from = output.channels().map(free_at).min().unwrap_or(end);
        }
        end
    }

    /// The front packet of a buffer departs; its last token leaves at `end`.
    #[inline]
    fn leave(&mut self, id: ChannelId, tokens: u32, end: Time, act: &mut Act) {
        let channel = &mut self.channels[id.index()];
        channel.occupied = channel.occupied_at(act.now);
        channel.leaving = tokens;
        channel.leaving_at = end;
        if channel.buffer.first.is_some() {
            let ready = act.packets[channel.buffer.first].ready;
            act.events.post(ready.max(end), Kind::Request, id.0);
        }
        if channel.room_wanted {
            channel.room_wanted = false;
            let group = channel.group;
            self.post_retry(group, end, act);
        }
    }
}

impl Output {
    /// Its channels, lowest number first.
    #[inline]
    fn channels(&self) -> impl Iterator<Item = ChannelId> + use<> {
        (self.first.0..self.first.0 + u32::from(self.width)).map(ChannelId)
    }

    /// Whether nobody asks and a channel is free.
    #[inline]
    fn is_idle(&self, now: Time) -> bool {
        !self.granted.is_some() && !self.first_waiting.is_some() && self.idle_from <= now
    }
}

impl Channel {
    /// Whether a packet can start now as far as the buffer at the end goes;
    /// nodes always accept.
    #[inline]
    fn has_room(&self, tokens: u32, capacity: u32, now: Time) -> bool {
        matches!(self.end, End::Node(_)) || self.occupied_at(now) + tokens <= capacity
    }

    /// Tokens that occupy the buffer at `now`.
    #[inline]
    fn occupied_at(&self, now: Time) -> u32 {
        if self.leaving_at <= now { self.occupied - self.leaving } else { self.occupied }
    }
}
