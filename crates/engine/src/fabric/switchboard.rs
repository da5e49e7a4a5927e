//! What is the same in every fidelity: output queues of nodes, requests for
//! outputs, and who is granted next.
//!
//! A fidelity keeps one record per channel with a [`Port`] and a [`PortRest`] in
//! it, so that it decides itself what lies in the same cache line. Groups go by
//! their lead, the lowest-numbered of their channels.

use super::Wiring;
use super::layout::{End, Group};
use super::policy::Arbiter;
use super::selection::{Free, Selector};
use super::transit::{PacketFifo, PacketPool};
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::measure::{ChannelKind, Class, Measures, Use, Wait};
use crate::routing::Outputs;
use crate::spec::{Machine, Selection};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use std::hint::black_box;

/// More channels than this do not fit a core's own cache.
const MANY_CHANNELS: usize = 1 << 15;

/// What every channel has, and is looked at with every packet.
#[derive(Clone, Copy)]
pub struct Port {
    /// Packets in the buffer at its end, or on the way there, that have not been
    /// granted their next channel.
    pub buffer: PacketFifo,
    /// The switch at its end; none at a node, which always accepts.
    pub switch: SwitchId,
    /// Where the front packet of the buffer asks: the lead of the group it leaves by, or
    /// the desk of the switch.
    pub front_output: ChannelId,
    /// Group or desk: the first of the requests in order, as the channels whose front packets ask.
    pub first_waiting: ChannelId,
    /// Group: how many channels it has.
    pub width: u8,
    /// Where it lies.
    pub kind: ChannelKind,
    /// Group: whether it must choose at the end of this instant.
    pub dirty: bool,
    /// Free for the fidelity.
    pub own: u8,
}

impl Port {
    /// Whether a bit of `own` is set.
    #[inline]
    pub fn has(&self, bit: u8) -> bool {
        self.own & bit != 0
    }

    /// Sets or clears a bit of `own`.
    #[inline]
    pub fn set(&mut self, bit: u8, on: bool) {
        self.own = self.own & !bit | if on { bit } else { 0 };
    }
}

/// What every channel has, and is looked at when packets wait or are delivered.
#[derive(Clone, Copy)]
pub struct PortRest {
    /// Group: the earliest retry posted, or [`NEVER`].
    pub retry_at: Time,
    /// Group: the last of the requests.
    pub last_waiting: ChannelId,
    /// The channel whose request came next to this one's at the same output.
    pub next_waiting: ChannelId,
    /// At a node: the first packet whose header has not been reported.
    pub heading: PacketId,
    /// Who is told when it falls free: the lead of its group, or the desk of the switch
    /// it comes from.
    pub lead: ChannelId,
    /// Free for the fidelity.
    pub own: [u32; 2],
}

/// A channel's record, as a fidelity keeps it.
pub trait HasPort {
    /// Its first half.
    fn port(&self) -> &Port;
    /// Its first half.
    fn port_mut(&mut self) -> &mut Port;
    /// Its other half.
    fn rest(&self) -> &PortRest;
    /// Its other half.
    fn rest_mut(&mut self) -> &mut PortRest;
    /// What it has carried in the window, transmission still to come included.
    fn carried(&self) -> Use;
    /// A new window begins, in which it goes on transmitting for so long.
    fn begin_window(&mut self, ahead: Time);
}

/// Implements [`HasPort`] for a record with the fields `port`, `rest` and `busy` (time it
/// transmits), which counts packets in the field named.
macro_rules! has_port {
    ($record:ty, packets in $($packets:tt)+) => {
        impl $crate::fabric::switchboard::HasPort for $record {
            #[inline]
            fn port(&self) -> &$crate::fabric::switchboard::Port {
                &self.port
            }

            #[inline]
            fn port_mut(&mut self) -> &mut $crate::fabric::switchboard::Port {
                &mut self.port
            }

            #[inline]
            fn rest(&self) -> &$crate::fabric::switchboard::PortRest {
                &self.rest
            }

            #[inline]
            fn rest_mut(&mut self) -> &mut $crate::fabric::switchboard::PortRest {
                &mut self.rest
            }

            fn carried(&self) -> $crate::measure::Use {
                $crate::measure::Use { busy_ps: self.busy, packets: self.$($packets)+ }
            }

            fn begin_window(&mut self, ahead: $crate::time::Time) {
                self.busy = ahead;
                self.$($packets)+ = 0;
            }
        }
    };
}
pub(super) use has_port;

/// A node's output queues, by class; the first serves both without priority.
#[derive(Clone, Copy)]
struct Source {
    queues: [PacketFifo; 2],
    waiting_data: u32,
}

/// Everything of a run that changes while the network acts.
pub struct Act<'a> {
    /// The instant.
    pub now: Time,
    /// Channels and routes.
    pub wiring: &'a Wiring,
    /// Packets in flight.
    pub packets: &'a mut PacketPool,
    /// Future events.
    pub events: &'a mut EventQueue,
    /// What is measured.
    pub measures: &'a mut Measures,
}

/// All channels, the queues before them, and the groups that must choose.
pub struct Switchboard<C> {
    /// By channel number.
    pub channels: Vec<C>,
    /// Which waiting input is granted.
    pub arbiter: Arbiter,
    sources: Vec<Source>,
    ack_priority: bool,
    /// Groups that must choose when the events of this instant are done.
    dirty: Vec<ChannelId>,
    /// Where packets ask that have a choice of outputs.
    pub choices: Option<Choices>,
}

/// What is needed where packets have a choice: they ask at the *desk* of their switch,
/// the lead of one of its groups, which is told whenever any output falls free.
pub struct Choices {
    /// Which of several free outputs is taken.
    pub selector: Selector,
    /// Those a packet may take.
    pub outputs: Outputs,
    /// Those that ask at a desk, the one to be served first at the front.
    asking: Vec<ChannelId>,
    /// By channel: when a packet in the buffer at its end was last granted its next
    /// channel; empty unless the selection counts those that wait.
    left_at: Vec<Time>,
}

impl<C: HasPort> Switchboard<C> {
    /// Idle channels; `record` makes one from its group, `port` and `rest`.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        seed: u64,
        record: impl Fn(&Group, Port, PortRest) -> C,
    ) -> Self {
        let chooses = wiring.has_desks();
        let layout = &wiring.layout;
        let idle = |group: &crate::ids::GroupId| {
            let group = &layout.groups[group.index()];
            let (port, mut rest) = idle_port(group);
            if chooses && matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
                rest.lead = layout.desks[group.from as usize];
            }
            record(group, port, rest)
        };
        let counts = machine.switch.selection == Selection::FewestWaiting;
        let choices = || Choices {
            selector: Selector::new(machine.switch.selection, topology.switches, seed),
            outputs: Outputs::default(),
            asking: Vec::new(),
            left_at: vec![NEVER; if counts { layout.channels() } else { 0 }],
        };
        let places = if chooses { topology.switches } else { layout.groups.len() };
        Self {
            choices: chooses.then(choices),
            channels: layout.group_of.iter().map(idle).collect(),
            arbiter: Arbiter::new(&machine.switch, places, chooses, seed),
            sources: vec![
                Source { queues: [PacketFifo::EMPTY; 2], waiting_data: 0 };
                topology.nodes
            ],
            ack_priority: machine.node.ack_priority,
            dirty: Vec::new(),
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

    /// The packet a node would send next, with the number of its queue.
    #[inline]
    pub fn at_hand(&self, node: u32) -> Option<(usize, PacketId)> {
        let source = &self.sources[node as usize];
        let queue = usize::from(source.queues[1].first.is_some());
        let id = source.queues[queue].first;
        id.is_some().then_some((queue, id))
    }

    /// The packet at hand leaves its queue: it has been granted a channel.
    #[inline]
    pub fn take_at_hand(&mut self, node: u32, queue: usize, act: &mut Act) {
        let source = &mut self.sources[node as usize];
        let id = source.queues[queue].pop(act.packets);
        let packet = &act.packets[id];
        source.waiting_data -= u32::from(packet.class == Class::Data);
        act.measures.nodes[node as usize].queues[packet.class as usize].leave(act.now);
        act.measures.packet_sent(packet.source, packet.class, packet.last);
    }

    /// The front packet of the buffer at a channel's end has been granted a channel: the
    /// next is the front.
    #[inline]
    pub fn leave(&mut self, input: ChannelId, act: &mut Act) {
        let port = self.at_mut(input).port_mut();
        port.buffer.pop(act.packets);
        let next = port.buffer.first;
        if next.is_some() {
            port.front_output = act.wiring.asks_at(port.switch, &act.packets[next]);
        }
    }

    /// A packet in the buffer at a channel's end is granted its next channel.
    #[inline]
    pub fn note_leaving(&mut self, input: ChannelId, now: Time) {
        if let Some(choices) = &mut self.choices
            && let Some(left_at) = choices.left_at.get_mut(input.index())
        {
            *left_at = now;
        }
    }

    /// A packet has been granted a channel and joins those on the way to its end.
    #[inline]
    pub fn enter(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        act.measures.counters.packet_hops += 1;
        let (packet, crossing) = act.packets.with_crossing(id);
        crossing.note(packet, channel, act.wiring);
        let port = self.at_mut(channel).port_mut();
        if port.switch.is_some() && !port.buffer.first.is_some() {
            port.front_output = act.wiring.asks_at(port.switch, packet);
        }
        port.buffer.push(id, act.packets);
    }

    /// A group must choose at the end of this instant.
    #[inline]
    pub fn mark(&mut self, lead: ChannelId) {
        let output = self.at_mut(lead).port_mut();
        if !output.dirty {
            output.dirty = true;
            self.dirty.push(lead);
        }
    }

    /// Takes one of the groups that must choose.
    #[inline]
    pub fn next_marked(&mut self) -> Option<(ChannelId, ChannelKind)> {
        let lead = self.dirty.pop()?;
        let output = self.at_mut(lead).port_mut();
        output.dirty = false;
        Some((lead, output.kind))
    }

    /// The front packet of a channel's buffer joins those that wait for its output.
    #[inline]
    pub fn wait(&mut self, channel: ChannelId) {
        let lead = self.at(channel).port().front_output;
        if self.arbiter.draws_places() {
            return self.wait_anywhere(lead, channel);
        }
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

    /// The same at a place that is drawn.
    #[inline(never)]
    fn wait_anywhere(&mut self, desk: ChannelId, channel: ChannelId) {
        let switch = self.at(channel).port().switch;
        let place = self.arbiter.place(switch, self.waiting(desk).count());
        let before = place.checked_sub(1).and_then(|last| self.waiting(desk).nth(last));
        let next = match before {
            Some(before) => {
                std::mem::replace(&mut self.at_mut(before).rest_mut().next_waiting, channel)
            }
            None => std::mem::replace(&mut self.at_mut(desk).port_mut().first_waiting, channel),
        };
        self.at_mut(channel).rest_mut().next_waiting = next;
        if !next.is_some() {
            self.at_mut(desk).rest_mut().last_waiting = channel;
        }
    }

    /// Those that wait at a group or desk, in their order.
    fn waiting(&self, lead: ChannelId) -> impl Iterator<Item = ChannelId> + Clone {
        let some = |channel: ChannelId| channel.is_some().then_some(channel);
        let next = move |&channel: &ChannelId| some(self.at(channel).rest().next_waiting);
        std::iter::successors(some(self.at(lead).port().first_waiting), next)
    }

    /// Takes the best request out of a group's list, which must not be empty.
    #[inline]
    pub fn take_best(&mut self, lead: ChannelId, act: &Act) -> ChannelId {
        let mut before = ChannelId::NONE;
        if !self.arbiter.takes_first() {
            let (channels, packets) = (&self.channels, &act.packets);
            let following = |channel: &ChannelId| {
                Some(channels[channel.index()].rest().next_waiting).filter(|next| next.is_some())
            };
            let first = channels[lead.index()].port().first_waiting;
            let waiting = std::iter::successors(Some(first), following);
            let asking = waiting.clone().map(|c| &packets[channels[c.index()].port().buffer.first]);
            let group = act.wiring.layout.group_of[lead.index()];
            let best = self.arbiter.best(group, asking);
            before = best.checked_sub(1).map_or(ChannelId::NONE, |previous| {
                waiting.clone().nth(previous).unwrap_or(ChannelId::NONE)
            });
        }
        self.unlink(lead, before)
    }

    /// Puts those that ask at a desk in order of service.
    pub fn list_asking(&mut self, desk: ChannelId, act: &Act) {
        let Some(mut choices) = self.choices.take() else { return };
        choices.asking.clear();
        choices.asking.extend(self.waiting(desk));
        if !self.arbiter.takes_first() {
            let packet = |c: ChannelId| &act.packets[self.at(c).port().buffer.first];
            self.arbiter.put_in_order(&mut choices.asking, packet);
        }
        self.choices = Some(choices);
    }

    /// Moves some of them to the end of that order.
    pub fn put_last(&mut self, is_last: impl Fn(&C) -> bool) {
        let Some(choices) = &mut self.choices else { return };
        choices.asking.sort_by_key(|&channel| is_last(&self.channels[channel.index()]));
    }

    /// The one at a place of that order asks no more.
    pub fn served(&mut self, place: usize) {
        if let Some(choices) = &mut self.choices {
            choices.asking.remove(place);
        }
    }

    /// The channel at a place of that order.
    pub fn asking(&self, place: usize) -> Option<ChannelId> {
        self.choices.as_ref()?.asking.get(place).copied()
    }

    /// Takes the list of those that ask at a desk, in that order.
    pub fn take_asking(&mut self, desk: ChannelId, act: &Act) -> Vec<ChannelId> {
        self.list_asking(desk, act);
        self.choices.as_mut().map(|choices| std::mem::take(&mut choices.asking)).unwrap_or_default()
    }

    /// Puts the list back, so that its storage is used again.
    pub fn put_asking(&mut self, list: Vec<ChannelId>) {
        if let Some(choices) = &mut self.choices {
            choices.asking = list;
        }
    }

    /// Whether anybody asks at a desk.
    pub fn asks(&self, desk: ChannelId) -> bool {
        self.at(desk).port().first_waiting.is_some()
    }

    /// Removes a request from a desk's list.
    pub fn withdraw(&mut self, desk: ChannelId, input: ChannelId) {
        let before = self.waiting(desk).take_while(|&channel| channel != input).last();
        self.unlink(desk, before.unwrap_or(ChannelId::NONE));
    }

    /// Packets in the buffer at a channel's end, or on the way there, that were not granted
    /// their next channel before `now`; 0 where nobody needs to know.
    ///
    /// Those granted it at this instant count: in which order switches choose must not matter.
    fn waiting_at(&self, channel: ChannelId, packets: &PacketPool, now: Time) -> u32 {
        let left_at = self.choices.as_ref().and_then(|c| c.left_at.get(channel.index()));
        let Some(&left_at) = left_at else { return 0 };
        let mut waiting = u32::from(left_at == now);
        let mut id = self.at(channel).port().buffer.first;
        while id.is_some() {
            waiting += 1;
            id = packets[id].next;
        }
        waiting
    }

    /// What was made once to list the outputs a packet may take.
    #[inline]
    pub fn take_outputs(&mut self) -> Outputs {
        self.choices
            .as_mut()
            .map(|choices| std::mem::take(&mut choices.outputs))
            .unwrap_or_default()
    }

    /// An output that a packet may take is free: it would get this channel.
    pub fn offer(&mut self, channel: ChannelId, room: u32, act: &Act) {
        let waiting = self.waiting_at(channel, act.packets, act.now);
        if let Some(choices) = &mut self.choices {
            choices.selector.free.push(Free { channel, waiting, room });
        }
    }

    /// Selects one of those offered at a switch; `outputs` are not needed any more.
    pub fn select(&mut self, switch: SwitchId, outputs: Outputs) -> Option<ChannelId> {
        let choices = self.choices.as_mut()?;
        choices.outputs = outputs;
        choices.selector.take(switch)
    }

    /// Removes the request behind `before` (none: the first) from a group's list.
    #[inline]
    fn unlink(&mut self, lead: ChannelId, before: ChannelId) -> ChannelId {
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
            events.post(at, Kind::Retry, lead.0);
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
    pub fn touch(&self, events: impl Iterator<Item = (Kind, u32)> + Clone, packets: &PacketPool) {
        if self.channels.len() < MANY_CHANNELS {
            return;
        }
        let is_about_channel =
            |kind| matches!(kind, Kind::Request | Kind::Retry | Kind::Tail | Kind::Head);
        let due = events
            .filter(|&(kind, _)| is_about_channel(kind))
            .map(|(kind, number)| (kind, &self.channels[number as usize]));
        for (_, channel) in due.clone() {
            black_box((channel.port().switch, channel.rest().lead));
        }
        for (kind, channel) in due {
            let front = channel.port().buffer.first;
            if front.is_some() {
                black_box(packets[front].ready);
                if kind == Kind::Request {
                    let output = self.at(channel.port().front_output);
                    black_box((output.port().switch, output.rest().lead));
                }
            }
        }
    }

    /// What every channel has done in the current window; `overhang` is transmission
    /// already counted that is still to come.
    pub fn used(&self, overhang: impl Iterator<Item = Time>) -> Vec<Use> {
        let past = |(channel, ahead): (&C, Time)| {
            let carried = channel.carried();
            Use { busy_ps: carried.busy_ps - ahead, ..carried }
        };
        self.channels.iter().zip(overhang).map(past).collect()
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, overhang: &[Time]) {
        for (channel, &ahead) in self.channels.iter_mut().zip(overhang) {
            channel.begin_window(ahead);
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
        act.events.post(at, Kind::Head, channel.0);
        let rest = self.at_mut(channel).rest_mut();
        if !rest.heading.is_some() {
            rest.heading = id;
        }
    }

    /// The data packet whose header has reached the node at a channel's end.
    pub fn take_head(
        &mut self,
        channel: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId {
        let rest = self.at_mut(channel).rest_mut();
        let id = rest.heading;
        let mut next = packets[id].next;
        while next.is_some() && !wiring.reports_header(&packets[next]) {
            next = packets[next].next;
        }
        rest.heading = next;
        id
    }

    /// The packet whose last token has reached the node at a channel's end.
    pub fn take_tail(&mut self, channel: ChannelId, packets: &PacketPool) -> PacketId {
        self.at_mut(channel).port_mut().buffer.pop(packets)
    }
}

/// A fidelity in which a packet is granted an idle channel whatever room there is, and
/// waits on it.
pub trait Grants {
    /// Its record of a channel.
    type Channel: HasPort;
    /// Its channels.
    fn board(&mut self) -> &mut Switchboard<Self::Channel>;
    /// The channel of a group that a packet is granted now, if one is idle.
    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId>;
    /// The channel of a group that a packet with a choice would be granted now, if one is free.
    #[inline]
    fn free_channel(&mut self, lead: ChannelId, _: PacketId, act: &mut Act) -> Option<ChannelId> {
        self.idle_channel(lead, act)
    }
    /// Tokens that may start on a channel now, as far as the buffer at its end goes;
    /// as many as there are at a node.
    fn room(&self, channel: ChannelId, now: Time) -> u32;
    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act);

    /// A group grants what it can.
    #[inline]
    fn serve(&mut self, lead: ChannelId, kind: ChannelKind, act: &mut Act) {
        match kind {
            ChannelKind::Injection | ChannelKind::Direct => self.grant_source(lead, act),
            ChannelKind::Internal | ChannelKind::Ejection => {
                if self.board().choices.is_some() {
                    self.grant_choices(lead, act);
                } else {
                    self.grant_output(lead, act);
                }
            }
        }
    }

    /// Those that ask at a desk, the best first, each get a free output if there is one
    /// for them.
    #[inline(never)]
    fn grant_choices(&mut self, desk: ChannelId, act: &mut Act) {
        self.board().list_asking(desk, act);
        let mut place = 0;
        while let Some(input) = self.board().asking(place) {
            place += 1;
            let id = self.board().at(input).port().buffer.first;
            if let Some(channel) = self.free_output(input, id, act) {
                self.board().withdraw(desk, input);
                self.board().note_leaving(input, act.now);
                self.grant(channel, id, input, act);
            }
        }
    }

    /// The output that the front packet of `input` takes, if one is free.
    fn free_output(&mut self, input: ChannelId, id: PacketId, act: &mut Act) -> Option<ChannelId> {
        let switch = self.board().at(input).port().switch;
        let mut outputs = self.board().take_outputs();
        let mut best = u8::MAX;
        let (wiring, header) = (act.wiring, act.packets[id].header());
        for (lead, tier) in wiring.leads(switch, header, &mut outputs) {
            if tier > best {
                break;
            }
            let Some(channel) = self.free_channel(lead, id, act) else { continue };
            best = tier;
            let room = self.room(channel, act.now);
            self.board().offer(channel, room, act);
        }
        self.board().select(switch, outputs)
    }

    /// A node's packets go out, the packet at hand first.
    fn grant_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(lead).from;
        while let Some((queue, id)) = self.board().at_hand(node) {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            self.board().take_at_hand(node, queue, act);
            self.grant(channel, id, ChannelId::NONE, act);
        }
    }

    /// A switch output grants waiting inputs, the best first.
    fn grant_output(&mut self, lead: ChannelId, act: &mut Act) {
        while self.board().at(lead).port().first_waiting.is_some() {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            let input = self.board().take_best(lead, act);
            let id = self.board().at(input).port().buffer.first;
            self.grant(channel, id, input, act);
        }
    }
}

/// The first flit of a packet starts on a channel at `start`, where a hop takes `hop`.
// Inlined into its caller in each fidelity: 1 % fewer instructions flit by flit.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn first_flit(
    channel: ChannelId,
    id: PacketId,
    kind: ChannelKind,
    start: Time,
    hop: Time,
    act: &mut Act,
) {
    if let Some(blame) = &mut act.measures.blame {
        blame.starts(id, channel, act.packets[id].ready, start);
    }
    sets_out(channel, id, kind, start, hop, act);
}

/// The same where it has been noted whom it waited for.
#[inline]
pub fn sets_out(
    channel: ChannelId,
    id: PacketId,
    kind: ChannelKind,
    start: Time,
    hop: Time,
    act: &mut Act,
) {
    let packet = &mut act.packets[id];
    let is_first = packet.first_sent == NEVER;
    let is_first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
    let wait = Wait { time: start - packet.ready, is_throttling: is_first || is_first_internal };
    act.measures.waited(channel, wait);
    if is_first {
        packet.first_sent = start;
    }
    if is_first_internal {
        packet.first_internal = start;
    }
    packet.ready = start + hop;
}

fn idle_port(group: &Group) -> (Port, PortRest) {
    let port = Port {
        buffer: PacketFifo::EMPTY,
        switch: match group.end {
            End::Switch(switch) => switch,
            End::Node(_) => SwitchId::NONE,
        },
        front_output: ChannelId::NONE,
        first_waiting: ChannelId::NONE,
        width: group.width as u8,
        kind: group.kind,
        dirty: false,
        own: 0,
    };
    let rest = PortRest {
        retry_at: NEVER,
        last_waiting: ChannelId::NONE,
        next_waiting: ChannelId::NONE,
        heading: PacketId::NONE,
        lead: group.first,
        own: [0; 2],
    };
    (port, rest)
}
