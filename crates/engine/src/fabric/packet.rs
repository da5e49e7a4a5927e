//! Mode `full`, fidelity `packet`: a packet starts on a channel when the buffer
//! at its end has room for all of it, and then runs through.
//!
//! When a transmission starts, three instants are known: when the channel will
//! be free, when the buffer the packet leaves will have its room back, and when
//! the packet's header will be ready to ask at the other end. No event marks the
//! first two unless somebody waits for them ([`Kind::Retry`]).

mod state;

use super::Wiring;
use super::layout::Layout;
use super::policy::Arbiter;
use super::transit::PacketPool;
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::{ChannelKind, Class, Measures, Use, Wait};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use state::{Channel, Source};
use std::hint::black_box;

/// More channels than this do not fit a core's own cache.
const MANY_CHANNELS: usize = 1 << 15;

/// The real network, packet by packet. Groups go by their lead.
pub struct PacketFabric {
    channels: Vec<Channel>,
    sources: Vec<Source>,
    arbiter: Arbiter,
    ack_priority: bool,
    /// Tokens an input buffer holds.
    capacity: u32,
    /// Groups that must choose when the events of this instant are done.
    dirty: Vec<ChannelId>,
}

/// Everything of a run that changes while the network acts.
struct Act<'a> {
    now: Time,
    wiring: &'a Wiring,
    packets: &'a mut PacketPool,
    events: &'a mut EventQueue,
    measures: &'a mut Measures,
}

impl PacketFabric {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, layout: &Layout, seed: u64) -> Self {
        Self {
            channels: Channel::all(layout),
            sources: vec![Source::EMPTY; topology.nodes],
            arbiter: Arbiter::new(&machine.switch, layout.groups.len(), seed),
            ack_priority: machine.node.ack_priority,
            capacity: machine.switch.input_buffer_tokens,
            dirty: Vec::new(),
        }
    }

    /// For every channel, transmission already counted that lies after `now`.
    pub fn overhang(&self, now: Time) -> impl Iterator<Item = Time> {
        self.channels.iter().map(move |channel| channel.free_at.saturating_sub(now))
    }

    /// What every channel has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Vec<Use> {
        let past = |(channel, ahead): (&Channel, Time)| Use {
            busy_ps: channel.busy - ahead,
            packets: channel.packets,
        };
        self.channels.iter().zip(self.overhang(now)).map(past).collect()
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        for channel in &mut self.channels {
            channel.busy = channel.free_at.saturating_sub(now);
            channel.packets = 0;
        }
    }

    /// Data packets in a node's output queue.
    #[inline]
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        self.sources[node.index()].waiting_data
    }

    /// A packet enters its node's output queue.
    pub fn queue(
        &mut self,
        id: PacketId,
        wiring: &Wiring,
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
        self.mark(wiring.layout.injection_lead(node));
    }

    /// The front packet of a channel's buffer asks for its output.
    #[inline]
    pub fn request(&mut self, channel: ChannelId, now: Time) {
        let lead = self.channels[channel.index()].front_output;
        let is_idle = self.is_idle(lead, now);
        let output = &mut self.channels[lead.index()];
        if is_idle && self.arbiter.takes_first() {
            // Requests of one instant come in order of channel number: this is the best.
            output.granted = channel;
        } else {
            let last = output.last_waiting;
            output.last_waiting = channel;
            if output.first_waiting.is_some() {
                self.channels[last.index()].next_waiting = channel;
            } else {
                output.first_waiting = channel;
            }
            self.channels[channel.index()].next_waiting = ChannelId::NONE;
        }
        self.mark(lead);
    }

    /// Whether nobody asks at a group and a channel of it is free.
    #[inline]
    fn is_idle(&self, lead: ChannelId, now: Time) -> bool {
        let output = &self.channels[lead.index()];
        !output.granted.is_some()
            && !output.first_waiting.is_some()
            && self.idle_from(lead, now) <= now
    }

    /// When the first channel of a group will be free, or some instant up to now.
    #[inline]
    fn idle_from(&self, lead: ChannelId, now: Time) -> Time {
        let output = &self.channels[lead.index()];
        if output.width == 1 || output.free_at <= now {
            return output.free_at;
        }
        let group = lead.index()..lead.index() + usize::from(output.width);
        let free_at = self.channels[group].iter().map(|channel| channel.free_at);
        free_at.min().unwrap_or(NEVER)
    }

    /// Reads what events will need: channels, then the packets at their fronts
    /// and the outputs these ask for.
    ///
    /// Within each pass no load waits for another, so that the cache misses
    /// overlap. Worth its time only where the channels do not fit the cache.
    pub fn touch(&self, events: impl Iterator<Item = (Kind, u32)> + Clone, packets: &PacketPool) {
        if self.channels.len() < MANY_CHANNELS {
            return;
        }
        let is_about_channel =
            |kind| matches!(kind, Kind::Request | Kind::Retry | Kind::Tail | Kind::Head);
        let channels = events
            .filter(|&(kind, _)| is_about_channel(kind))
            .map(|(kind, number)| (kind, &self.channels[number as usize]));
        for (_, channel) in channels.clone() {
            black_box(channel.switch);
        }
        for (kind, channel) in channels {
            if channel.buffer.first.is_some() {
                black_box(packets[channel.buffer.first].ready);
                if kind == Kind::Request {
                    black_box(self.channels[channel.front_output.index()].free_at);
                }
            }
        }
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(&mut self, lead: ChannelId, now: Time) {
        let output = &mut self.channels[lead.index()];
        if output.retry_at <= now {
            output.retry_at = NEVER;
        }
        self.mark(lead);
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

    /// Every group marked at this instant chooses.
    #[inline]
    pub fn arbitrate(
        &mut self,
        wiring: &Wiring,
        packets: &mut PacketPool,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        if self.dirty.is_empty() {
            return;
        }
        let mut act = Act { now, wiring, packets, events, measures };
        while let Some(lead) = self.dirty.pop() {
            let output = &mut self.channels[lead.index()];
            output.dirty = false;
            match output.kind {
                ChannelKind::Injection | ChannelKind::Direct => self.serve_source(lead, &mut act),
                ChannelKind::Internal | ChannelKind::Ejection => self.serve_output(lead, &mut act),
            }
        }
    }

    #[inline]
    fn mark(&mut self, lead: ChannelId) {
        let output = &mut self.channels[lead.index()];
        if !output.dirty {
            output.dirty = true;
            self.dirty.push(lead);
        }
    }

    /// A node sends what it can, the packet at hand first.
    fn serve_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = self.channels[lead.index()].from as usize;
        loop {
            let source = &self.sources[node];
            let queue = usize::from(source.queues[1].first.is_some());
            let id = source.queues[queue].first;
            if !id.is_some() {
                return;
            }
            let tokens = act.wiring.link.packet_tokens(act.packets[id].bytes);
            let Some(channel) = self.find_channel(lead, tokens, act) else {
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
            self.start(channel, id, act);
        }
    }

    /// A switch output grants and starts what it can.
    #[inline]
    fn serve_output(&mut self, lead: ChannelId, act: &mut Act) {
        loop {
            if !self.grant(lead, act) {
                return;
            }
            let input = self.channels[lead.index()].granted;
            let id = self.channels[input.index()].buffer.first;
            let tokens = act.wiring.link.packet_tokens(act.packets[id].bytes);
            let Some(channel) = self.find_channel(lead, tokens, act) else {
                return;
            };
            self.channels[input.index()].buffer.pop(act.packets);
            let output = &mut self.channels[lead.index()];
            output.granted = ChannelId::NONE;
            if output.waits.keeps() {
                output.waits.set_keeps(false);
                act.measures.kept(output.kept, output.kind, act.now - output.kept_from);
            }
            let end = self.start(channel, id, act);
            self.leave(input, tokens, end, act);
        }
    }

    /// Makes sure that a request is granted, if there is one and a channel is idle.
    #[inline]
    fn grant(&mut self, lead: ChannelId, act: &mut Act) -> bool {
        let output = &self.channels[lead.index()];
        if output.granted.is_some() {
            return true;
        }
        if !output.first_waiting.is_some() {
            return false;
        }
        let idle_from = self.idle_from(lead, act.now);
        if idle_from > act.now {
            self.post_retry(lead, idle_from, act);
            return false;
        }
        let input = self.take_best(lead, act);
        self.channels[lead.index()].granted = input;
        true
    }

    /// Takes the best request out of a group's list.
    #[inline]
    fn take_best(&mut self, lead: ChannelId, act: &Act) -> ChannelId {
        let mut before = ChannelId::NONE;
        if !self.arbiter.takes_first() {
            let (channels, packets) = (&self.channels, &act.packets);
            let following = |channel: &ChannelId| {
                Some(channels[channel.index()].next_waiting).filter(|next| next.is_some())
            };
            let first = channels[lead.index()].first_waiting;
            let waiting = std::iter::successors(Some(first), following);
            let asking = waiting.clone().map(|c| &packets[channels[c.index()].buffer.first]);
            let group = act.wiring.layout.group_of[lead.index()];
            let best = self.arbiter.best(group, asking);
            before = best.checked_sub(1).map_or(ChannelId::NONE, |previous| {
                waiting.clone().nth(previous).unwrap_or(ChannelId::NONE)
            });
        }
        self.unlink(lead, before)
    }

    /// Removes the request behind `before` (none: the first) from a group's list.
    #[inline]
    fn unlink(&mut self, lead: ChannelId, before: ChannelId) -> ChannelId {
        let taken = if before.is_some() {
            self.channels[before.index()].next_waiting
        } else {
            self.channels[lead.index()].first_waiting
        };
        let next = self.channels[taken.index()].next_waiting;
        if before.is_some() {
            self.channels[before.index()].next_waiting = next;
        } else {
            self.channels[lead.index()].first_waiting = next;
        }
        if !next.is_some() {
            self.channels[lead.index()].last_waiting = before;
        }
        taken
    }

    /// The lowest-numbered idle channel of a group whose buffer has room for a
    /// packet. If there is none, sees to it that the group looks again in time.
    #[inline]
    fn find_channel(&mut self, lead: ChannelId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let first = &self.channels[lead.index()];
        if first.free_at <= act.now && first.has_room(tokens, self.capacity, act.now) {
            return Some(lead);
        }
        self.find_other(lead, tokens, act)
    }

    /// The rest of [`Self::find_channel`], when it is not the first channel.
    #[inline(never)]
    fn find_other(&mut self, lead: ChannelId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let width = u32::from(self.channels[lead.index()].width);
        let mut again = NEVER;
        let mut kept = ChannelId::NONE;
        for candidate in (lead.0..lead.0 + width).map(ChannelId) {
            let channel = &mut self.channels[candidate.index()];
            if channel.free_at > act.now {
                again = again.min(channel.free_at);
                continue;
            }
            if channel.has_room(tokens, self.capacity, act.now) {
                return Some(candidate);
            }
            if channel.leaving_at > act.now {
                again = again.min(channel.leaving_at);
            } else {
                channel.waits.set_for_room();
            }
            if !kept.is_some() {
                kept = candidate;
            }
        }
        let output = &mut self.channels[lead.index()];
        if output.granted.is_some() && !output.waits.keeps() {
            output.waits.set_keeps(true);
            output.kept = kept;
            output.kept_from = act.now;
        }
        if again != NEVER {
            self.post_retry(lead, again, act);
        }
        None
    }

    #[inline]
    fn post_retry(&mut self, lead: ChannelId, at: Time, act: &mut Act) {
        let output = &mut self.channels[lead.index()];
        if at < output.retry_at {
            output.retry_at = at;
            act.events.post(at, Kind::Retry, lead.0);
        }
    }

    /// A packet starts on a channel; when it will have left the sending side.
    // Inlined into both its callers: 3 % fewer instructions in all.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn start(&mut self, id: ChannelId, packet_id: PacketId, act: &mut Act) -> Time {
        let (now, link) = (act.now, &act.wiring.link);
        let packet = &mut act.packets[packet_id];
        let end = now + link.packet_ps(packet.bytes);
        let channel = &mut self.channels[id.index()];
        let kind = channel.kind;
        let first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
        let wait =
            Wait { time: now - packet.ready, is_throttling: first_internal || packet.hops == 0 };
        act.measures.starts(id, kind, (now, end), wait);
        if first_internal {
            packet.first_internal = now;
        }
        packet.hops += 1;
        channel.packets += 1;
        channel.busy += end - now;
        channel.free_at = end;
        if channel.switch.is_some() {
            packet.ready = now + link.hop_ps;
            if !channel.buffer.first.is_some() {
                channel.front_output = act.wiring.output_lead(channel.switch, packet.destination);
                let at = packet.ready.max(channel.leaving_at);
                act.events.post(at, Kind::Request, id.0);
            }
            channel.occupied += link.packet_tokens(packet.bytes);
        } else {
            if packet.class == Class::Data {
                let head = now + link.header_ps + link.wire_ps;
                act.events.post(head, Kind::Head, id.0);
                if !channel.heading.is_some() {
                    channel.heading = packet_id;
                }
            }
            act.events.post(end + link.wire_ps, Kind::Tail, id.0);
        }
        channel.buffer.push(packet_id, act.packets);
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
            let front = &act.packets[channel.buffer.first];
            channel.front_output = act.wiring.output_lead(channel.switch, front.destination);
            act.events.post(front.ready.max(end), Kind::Request, id.0);
        }
        if channel.waits.take_for_room() {
            let lead = channel.lead;
            self.post_retry(lead, end, act);
        }
    }
}
