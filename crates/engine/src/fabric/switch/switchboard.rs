//! What is the same in every fidelity: output queues of nodes, requests for
//! outputs, and who is granted next.
//!
//! A fidelity keeps one record per channel with a [`Port`] and a [`PortRest`] in
//! it, so that it decides itself what lies in the same cache line. Groups go by
//! their lead, the lowest-numbered of their channels.

mod allocator;
mod gates;
mod grants;
mod integrated;
mod marked;
mod observe;
mod port;
mod receivers;
mod replies;
mod turns;

pub use allocator::Choices;
pub use gates::Asker;
pub use grants::{Grants, first_flit, sets_out};
pub use integrated::Lists;
pub(in crate::fabric) use port::has_port;
pub use port::{Gate, HasPort, Port, PortRest};
pub use receivers::{Receivers, drained_at};
pub use replies::ReplyPlaces;

use crate::event_queue::{Event, EventQueue};
use crate::fabric::act::Act;
use crate::fabric::network::layout::Group;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::fabric::switch::arbiter::Arbiter;
use crate::fabric::switch::records::Records;
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::{ChannelKind, Class, Measures, Use};
use crate::rare::{rare, rarely};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use marked::Marked;
use std::hint::black_box;
use turns::Turns;

/// More channels than this do not fit a core's own cache.
const MANY_CHANNELS: usize = 1 << 15;

/// A node's output queues, by class; the first serves both without priority.
#[derive(Clone, Copy)]
struct Source {
    queues: [PacketFifo; 2],
    waiting_data: u32,
}

/// All channels, the queues before them, and the groups that must choose.
#[derive(Clone)]
pub struct Switchboard<C> {
    /// By channel number.
    pub channels: Records<C>,
    /// Which waiting input is granted.
    pub arbiter: Arbiter,
    /// By node, and of each by share where shares have groups of channels of their own there.
    sources: Records<Source>,
    /// How many of them a node has.
    sources_of_node: usize,
    /// Where nodes and switches are one.
    pub lists: Lists,
    /// Where nodes do not take everything in at once.
    receivers: Option<Receivers>,
    /// Whether groups have been told what to grant.
    has_gates: bool,
    /// Where nodes have places for so many replies.
    pub replies: Option<Box<ReplyPlaces>>,
    ack_priority: bool,
    /// Where messages of a node take turns.
    turns: Option<Turns>,
    /// Groups that must choose when the events of this instant are done.
    dirty: Marked,
    /// When routes were decided by loads last, and the inputs whose packets' were.
    pub(super) decided: (Time, Vec<ChannelId>),
    /// Where packets ask that have a choice of outputs.
    pub choices: Option<Choices>,
}

/// What has a switchboard.
pub trait HasBoard {
    /// Its record of a channel.
    type Channel: HasPort;
    /// Its channels.
    fn board(&self) -> &Switchboard<Self::Channel>;
    /// The same, to be changed.
    fn board_mut(&mut self) -> &mut Switchboard<Self::Channel>;
}

/// A kernel has a switchboard of channels with these records, in one of its fields.
macro_rules! has_board {
    ($kernel:ident, $channel:ident in $($field:ident).+) => {
        impl $crate::fabric::switch::switchboard::HasBoard for $kernel {
            type Channel = $channel;

            #[inline]
            fn board(&self) -> &$crate::fabric::switch::switchboard::Switchboard<$channel> {
                &self.$($field).+
            }

            #[inline]
            fn board_mut(
                &mut self,
            ) -> &mut $crate::fabric::switch::switchboard::Switchboard<$channel> {
                &mut self.$($field).+
            }
        }
    };
}
pub(in crate::fabric) use has_board;

impl<C: HasPort> Switchboard<C> {
    /// Idle channels; `record` makes one from its group, `port` and `rest`.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        seed: u64,
        record: impl Fn(&Group, Port, PortRest) -> C,
    ) -> Self {
        let chooses = wiring.has_allocators();
        let layout = &wiring.layout;
        let idle = |group: &crate::ids::GroupId| {
            let group = &layout.groups[group.index()];
            let (port, mut rest) = port::idle_port(group);
            if chooses && matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
                rest.lead = layout.allocators[group.from as usize];
            }
            record(group, port, rest)
        };
        Self {
            choices: chooses
                .then(|| Choices::new(machine.routing.selection, layout.channels(), seed)),
            channels: layout.group_of.iter().map(idle).collect(),
            arbiter: Arbiter::new(machine, layout, chooses, seed),
            sources: std::iter::repeat_n(
                Source { queues: [PacketFifo::EMPTY; 2], waiting_data: 0 },
                topology.nodes * layout.node_groups(),
            )
            .collect(),
            sources_of_node: layout.node_groups(),
            lists: Lists::new(wiring),
            receivers: Receivers::new(&machine.interface, topology.nodes),
            has_gates: false,
            replies: None,
            ack_priority: machine.interface.ack_priority,
            turns: Turns::new(&machine.interface),
            dirty: Marked::default(),
            decided: (0, Vec::new()),
        }
    }

    /// The record of a channel.
    #[inline]
    pub fn at(&self, channel: ChannelId) -> &C {
        &self.channels[channel.index()]
    }

    /// The record of a channel.
    #[inline]
    pub fn at_mut(&mut self, channel: ChannelId) -> &mut C {
        &mut self.channels[channel.index()]
    }

    /// Data packets in a node's output queue.
    #[inline]
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        let first = node.index() * self.sources_of_node;
        let sources = first..first + self.sources_of_node;
        sources.map(|source| self.sources[source].waiting_data).sum()
    }

    /// Where a node keeps packets that wait to be sent: a number of the node for each of its groups
    /// of channels; one, that of the node, if there is one group.
    #[inline]
    pub fn source_of(&self, packet: &Packet, wiring: &Wiring) -> u32 {
        match self.sources_of_node {
            1 => packet.source.0,
            sources => packet.source.0 * sources as u32 + wiring.shares.of(packet.traffic()) as u32,
        }
    }

    /// A packet enters its node's output queue, or the list of a node that is one with its
    /// switch.
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
        packet.ready = now + wiring.arbitration_ps;
        let (node, class) = (packet.source, packet.class);
        measures.nodes[node.index()].queues[class as usize].enter(now);
        let source = self.source_of(&packets[id], wiring) as usize;
        self.sources[source].waiting_data += u32::from(class == Class::Data);
        let queue = usize::from(self.ack_priority && class == Class::Ack);
        let lead = wiring.injection_lead(node, packets[id].traffic());
        if let Some(turns) = rare(&mut self.turns)
            && turns.keep(id, packets)
        {
            return;
        }
        if self.lists.has(lead) {
            return self.join_list(lead, id, wiring, packets);
        }
        self.sources[source].queues[queue].push(id, packets);
        self.mark(lead);
    }

    /// The packet a node would send next, with the number of its queue; where it keeps them in
    /// several places ([`Self::source_of`]), that of one.
    #[inline]
    pub fn at_hand(&self, source: u32) -> Option<(usize, PacketId)> {
        let source = &self.sources[source as usize];
        let queue = usize::from(source.queues[1].first.is_some());
        let id = source.queues[queue].first;
        id.is_some().then_some((queue, id))
    }

    /// The packet at hand leaves its queue: it has been granted a channel.
    #[inline]
    pub fn take_at_hand(&mut self, source: u32, queue: usize, act: &mut Act) {
        let id = self.draw_at_hand(source, queue, act.packets);
        self.note_sent(id, act);
        if rarely(self.has_gates) {
            self.sets_out(id, act);
        }
    }

    /// Whether the messages of a node take turns.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        self.turns.is_some()
    }

    /// The packet at hand goes where it waits for its channel: it still counts as queued.
    #[inline]
    pub fn draw_at_hand(
        &mut self,
        source: u32,
        queue: usize,
        packets: &mut PacketPool,
    ) -> PacketId {
        let queue = &mut self.sources[source as usize].queues[queue];
        let id = queue.pop(packets);
        if let Some(turns) = rare(&mut self.turns)
            && let Some(next) = turns.after(id, packets)
        {
            queue.push(next, packets);
        }
        id
    }

    /// A packet that has left its node's queue has been granted a channel.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn note_sent(&mut self, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let node = packet.source.index();
        let source = self.source_of(packet, act.wiring) as usize;
        self.sources[source].waiting_data -= u32::from(packet.class == Class::Data);
        act.measures.nodes[node].queues[packet.class as usize].leave(act.now);
        act.measures.packet_sent(packet.source, packet.class, packet.is_last());
    }

    /// The front packet of the buffer at a channel's end has been granted a channel: the
    /// next is the front.
    // Inlined into its callers, of which one is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn leave(&mut self, input: ChannelId, act: &mut Act) {
        let port = self.at_mut(input).port_mut();
        port.buffer.pop(act.packets);
        let next = port.buffer.first;
        if next.is_some() {
            port.front_output = act.wiring.asks_at(port.switch, &act.packets[next]);
        }
    }

    /// A packet has been granted a channel and joins those on the way to its end.
    // Inlined into its callers, as every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn enter(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        act.measures.counters.packet_hops += 1;
        let packet = act.packets.crosses(id, channel, act.wiring);
        let port = self.at_mut(channel).port_mut();
        let is_at_node = !port.switch.is_some();
        if !is_at_node && !port.buffer.first.is_some() {
            port.front_output = act.wiring.asks_at(port.switch, packet);
        }
        port.buffer.push(id, act.packets);
        if is_at_node && rarely(self.watches_ends()) {
            self.comes_home(channel, id, act);
        }
    }

    /// Whether nodes have receive FIFOs.
    #[inline]
    pub fn has_receivers(&self) -> bool {
        self.receivers.is_some()
    }

    /// A group must choose at the end of this instant.
    #[inline]
    pub fn mark(&mut self, lead: ChannelId) {
        self.mark_if(lead, true);
    }

    /// The same if something is so.
    #[inline]
    fn mark_if(&mut self, lead: ChannelId, must: bool) {
        let output = self.at_mut(lead).port_mut();
        let is_new = must && !output.dirty;
        output.dirty |= must;
        self.dirty.push_if(lead, is_new);
    }

    /// A channel of a group has fallen free: the group must choose, if anybody waits.
    #[inline]
    pub fn falls_free(&mut self, lead: ChannelId) {
        let Port { kind, first_waiting, .. } = *self.at(lead).port();
        let is_source = matches!(kind, ChannelKind::Injection | ChannelKind::Direct);
        self.mark_if(lead, is_source | first_waiting.is_some());
    }

    /// Takes one of the groups that must choose.
    #[inline]
    pub fn next_marked(&mut self) -> Option<(ChannelId, ChannelKind)> {
        let lead = self.dirty.pop()?;
        let output = self.at_mut(lead).port_mut();
        output.dirty = false;
        Some((lead, output.kind))
    }

    /// Those that ask join the queues of their outputs, which must choose; in order of channel
    /// number.
    #[inline]
    pub fn join(&mut self, asking: &mut Vec<ChannelId>, packets: &PacketPool) {
        for channel in asking.drain(..) {
            self.wait(channel, packets);
            self.mark(self.at(channel).port().front_output);
        }
    }

    /// The front packet of a channel's buffer joins those that wait for its output.
    #[inline]
    pub fn wait(&mut self, channel: ChannelId, packets: &PacketPool) {
        let Port { front_output: lead, buffer, .. } = *self.at(channel).port();
        if !self.arbiter.takes_first() {
            let others = waiting(&self.channels, lead);
            let packet = || packets.drawn_by(buffer.first);
            if let Some(place) = self.arbiter.joined(lead, || others.count(), packet) {
                return self.wait_behind(place, lead, channel);
            }
        }
        self.wait_last(lead, channel);
    }

    /// A channel is the last of those that wait at a group or allocator.
    #[inline]
    pub fn wait_last(&mut self, lead: ChannelId, channel: ChannelId) {
        let output = self.at_mut(lead);
        let has_others = output.port().first_waiting.is_some();
        let last = output.rest().last_waiting;
        output.rest_mut().last_waiting = channel;
        if has_others {
            self.at_mut(last).rest_mut().next_waiting = channel;
        } else {
            output.port_mut().first_waiting = channel;
        }
        self.at_mut(channel).rest_mut().next_waiting = ChannelId::NONE;
    }

    /// The same behind so many others.
    #[inline(never)]
    pub fn wait_behind(&mut self, place: usize, allocator: ChannelId, channel: ChannelId) {
        let before = place.checked_sub(1).and_then(|last| self.waiting(allocator).nth(last));
        let next = match before {
            Some(before) => {
                std::mem::replace(&mut self.at_mut(before).rest_mut().next_waiting, channel)
            }
            None => {
                std::mem::replace(&mut self.at_mut(allocator).port_mut().first_waiting, channel)
            }
        };
        self.at_mut(channel).rest_mut().next_waiting = next;
        if !next.is_some() {
            self.at_mut(allocator).rest_mut().last_waiting = channel;
        }
    }

    /// Those that wait at a group or allocator, in their order.
    pub fn waiting(&self, lead: ChannelId) -> impl Iterator<Item = ChannelId> + Clone {
        waiting(&self.channels, lead)
    }

    /// Takes the best request out of a group's list, which must not be empty.
    #[inline]
    pub fn take_best(&mut self, lead: ChannelId, act: &Act) -> ChannelId {
        if !self.arbiter.takes_first() {
            let (channels, packets) = (&self.channels, &act.packets);
            let request = |c: ChannelId| (c, &packets[channels[c.index()].port().buffer.first]);
            let best = self.arbiter.best(lead, waiting(channels, lead).map(request));
            let previous = best.checked_sub(1);
            let before = previous.and_then(|previous| waiting(channels, lead).nth(previous));
            let before = before.unwrap_or(ChannelId::NONE);
            let taken = self.unlink(lead, before);
            let packet = &act.packets[self.at(taken).port().buffer.first];
            self.arbiter.granted(lead, taken, packet);
            return taken;
        }
        self.unlink(lead, ChannelId::NONE)
    }

    /// Removes the request behind `before` (none: the first) from a group's list.
    #[inline]
    pub fn unlink(&mut self, lead: ChannelId, before: ChannelId) -> ChannelId {
        let taken = if before.is_some() {
            self.at(before).rest().next_waiting
        } else {
            self.at(lead).port().first_waiting
        };
        let next = self.at(taken).rest().next_waiting;
        if before.is_some() {
            self.at_mut(before).rest_mut().next_waiting = next;
        } else {
            self.at_mut(lead).port_mut().first_waiting = next;
        }
        if !next.is_some() {
            self.at_mut(lead).rest_mut().last_waiting = before;
        }
        taken
    }

    /// Sees to it that a group looks again, at the latest at `at`.
    #[inline]
    pub fn post_retry(&mut self, lead: ChannelId, at: Time, events: &mut EventQueue) {
        let output = self.at_mut(lead).rest_mut();
        if at < output.retry_at {
            output.retry_at = at;
            events.post(at, Event::Retry(lead.into()));
        }
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(&mut self, lead: ChannelId, now: Time) {
        self.forget_retry(lead, now);
        self.mark(lead);
    }

    /// A group looks again now.
    #[inline]
    pub fn forget_retry(&mut self, lead: ChannelId, now: Time) {
        let output = self.at_mut(lead).rest_mut();
        if output.retry_at <= now {
            output.retry_at = NEVER;
        }
    }

    /// Reads what events will need: channels, then the packets at their fronts
    /// and the outputs these ask for.
    ///
    /// Within each pass no load waits for another, so that the cache misses
    /// overlap. Worth its time only where the channels do not fit the cache.
    pub fn prefetch(&self, events: impl Iterator<Item = Event> + Clone, packets: &PacketPool) {
        if !self.is_large() {
            return;
        }
        let due = events.filter_map(|event| Some((event, self.at(event.subject()?.channel()))));
        for (_, channel) in due.clone() {
            black_box((channel.port().switch, channel.rest().lead));
        }
        for (event, channel) in due {
            let front = channel.port().buffer.first;
            if front.is_some() {
                black_box(packets[front].ready);
                // Where switches have a queue for each output, it may not be known beforehand.
                let output = channel.port().front_output;
                if matches!(event, Event::Request(_)) && output.is_some() {
                    let output = self.at(output);
                    black_box((output.port().switch, output.rest().lead));
                }
            }
        }
    }

    /// The packet that an event delivers to its node, or lets leave it, as far as that is known, where the
    /// channels do not fit the cache.
    #[inline]
    pub fn at_node(&self, event: Event, wiring: &Wiring) -> PacketId {
        match event {
            Event::Tail(of) if self.is_large() => self.at(of.channel()).port().buffer.first,
            Event::Retry(of) if self.is_large() => {
                let lead = of.channel();
                let is_source = self.at(lead).port().kind == ChannelKind::Injection;
                let at_hand = |source: u32| self.at_hand(source).map(|(_, id)| id);
                let node = wiring.layout.sender(lead).0 * self.sources_of_node as u32;
                let first = if is_source { at_hand(node) } else { None };
                first.unwrap_or(PacketId::NONE)
            }
            _ => PacketId::NONE,
        }
    }

    /// Whether the channels do not fit a core's own cache.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.channels.len() >= MANY_CHANNELS
    }

    /// Reads the records of groups that are compared next, so that the cache misses overlap.
    #[inline]
    pub fn prefetch_leads(&self, leads: impl Iterator<Item = ChannelId>) {
        if self.is_large() {
            leads.for_each(|lead| {
                black_box(self.at(lead).port().switch);
            });
        }
    }

    /// Adds what every channel has done in the current window; `overhang` is transmission
    /// already counted that is still to come, by number of the channel.
    pub fn add_used(&self, overhang: impl Iterator<Item = (usize, Time)>, sums: &mut [Use]) {
        self.channels.changed().for_each(|(number, channel)| sums[number].add(channel.carried()));
        overhang.for_each(|(number, ahead)| sums[number].busy_ps -= ahead);
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, overhang: &[(usize, Time)]) {
        self.channels.changed_mut().for_each(|(_, channel)| channel.begin_window(0));
        for &(number, ahead) in overhang.iter().filter(|&&(_, ahead)| ahead > 0) {
            self.channels[number].begin_window(ahead);
        }
    }

    /// Whether no group must choose.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.dirty.is_empty()
    }

    /// A packet's arrival at the node at a channel's end is known: when its header
    /// will be there, and when all of it.
    #[inline]
    pub fn post_header(&mut self, channel: ChannelId, id: PacketId, at: Time, act: &mut Act) {
        if !act.wiring.reports_header(&act.packets[id]) {
            return;
        }
        act.events.post(at, Event::Head(channel.into()));
        let rest = self.at_mut(channel).rest_mut();
        if !rest.heading.is_some() {
            rest.heading = id;
        }
    }

    /// The data packet whose header has reached the node at a channel's end, or whose
    /// message begins now; none if all of it has been taken.
    pub fn take_head(
        &mut self,
        channel: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        now: Time,
    ) -> PacketId {
        if self.lists.are_used() {
            return self.begun(channel, now);
        }
        let rest = self.at_mut(channel).rest_mut();
        let id = rest.heading;
        let mut next = packets[id].next;
        while next.is_some() && !wiring.reports_header(&packets[next]) {
            next = packets[next].next;
        }
        rest.heading = next;
        id
    }

    /// The packet whose last token has reached the node at a channel's end, or that has been
    /// drained there.
    #[inline]
    pub fn take_tail(&mut self, channel: ChannelId, act: &Act) -> PacketId {
        if self.receivers.is_some() {
            self.free_place(channel, act);
        }
        self.at_mut(channel).port_mut().buffer.pop(act.packets)
    }
}

/// Those that wait at a group or allocator, in their order.
#[inline]
fn waiting<C: HasPort>(
    channels: &Records<C>,
    lead: ChannelId,
) -> impl Iterator<Item = ChannelId> + Clone {
    let some = |channel: ChannelId| channel.is_some().then_some(channel);
    let next = move |&channel: &ChannelId| some(channels[channel.index()].rest().next_waiting);
    std::iter::successors(some(channels[lead.index()].port().first_waiting), next)
}
