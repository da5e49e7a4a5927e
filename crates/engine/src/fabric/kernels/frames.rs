//! Mode `full` of switches that forward frames: each is taken in as a whole, its output is looked
//! up by an engine of the switch, and it stands in the queue of that output until it is sent.
//!
//! Two things happen to a frame at a switch: all of it has come (`REQUEST`), and the channel by
//! which it leaves, or the frame itself, is ready (`RETRY`). An engine takes the same time for
//! every frame, in the order in which they come (of one instant: that of the channels' numbers);
//! so it is known when a frame comes when it will be in its queue, and it can be put there at
//! once, unless others may get there before it: where every input has an engine of its own, or
//! frames have a choice of outputs, another `REQUEST` marks when the engine is done.
//!
//! [`memory`] has what a switch has room for, and who is told to pause.

mod accepts;
mod blame;
mod channel;
mod copies;
mod deadlock;
mod memory;
mod queues;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Asker, Gate, Switchboard, has_board};
use crate::fabric::transit::{PacketFifo, PacketPool, Part};
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Use, Wait};
use crate::routing::Outputs;
use crate::spec::{Engine, Machine};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use channel::Channel;
use memory::Memory;
use queues::Queues;

/// Switches that forward frames.
#[derive(Clone)]
pub struct FramesKernel {
    pub board: Switchboard<Channel>,
    /// Time in which an engine looks up an output.
    forwarding_ps: Time,
    /// Time from then until a frame stands in its queue.
    delay_ps: Time,
    /// Until when the engine of a switch, or that of a channel into it, is busy.
    engines: Vec<Time>,
    /// Whether every channel into a switch has an engine of its own.
    per_port: bool,
    /// Whether frames may get into queues in another order than they come.
    defers: bool,
    /// What frames take in switches, where that matters.
    memory: Option<Memory>,
    queues: Queues,
    /// By packet: when all of it is at a switch, or when its engine is done with it.
    due: Vec<Time>,
    /// What routing allows.
    outputs: Outputs,
    /// Frames with riders, parted by output, and copies that there is room for; empty in between.
    parts: Vec<Part<ChannelId>>,
    copies: Vec<PacketId>,
}

impl FramesKernel {
    /// An empty network of a machine whose switches are as `frames` says.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let Some(frames) = &machine.switch.frames else {
            unreachable!("switches that forward frames say how");
        };
        let layout = &wiring.layout;
        let board = Switchboard::new(machine, topology, wiring, seed, |group, port, rest| {
            let from = match group.kind {
                ChannelKind::Internal | ChannelKind::Ejection => SwitchId(group.from),
                ChannelKind::Injection | ChannelKind::Direct => SwitchId::NONE,
            };
            Channel::idle(port, rest, from, wiring.timings[usize::from(group.rate)].gap_ps)
        });
        let per_port = frames.engine == Engine::PerPort;
        let queues = Queues::new(machine, frames, layout.channels());
        Self {
            board,
            forwarding_ps: frames.forwarding_ps,
            delay_ps: machine.switch.delay_ps,
            engines: vec![0; if per_port { layout.channels() } else { topology.switches }],
            per_port,
            defers: per_port || wiring.routing.chooses() || !queues.is_one(),
            memory: Memory::new(machine, frames, topology, wiring),
            queues,
            due: Vec::new(),
            outputs: Outputs::default(),
            parts: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// When the engine that a frame comes to by a channel at `there` is done with it.
    #[inline]
    fn serve(&mut self, channel: ChannelId, switch: SwitchId, there: Time) -> Time {
        let engine = if self.per_port { channel.index() } else { switch.index() };
        let free_at = &mut self.engines[engine];
        *free_at = there.max(*free_at) + self.forwarding_ps;
        *free_at + self.delay_ps
    }

    /// Notes when something is to happen to a packet.
    #[inline]
    fn set_due(&mut self, id: PacketId, at: Time) {
        if self.due.len() <= id.index() {
            self.due.resize(id.index() + 1, 0);
        }
        self.due[id.index()] = at;
    }

    /// The first packet of a list, if it is due.
    #[inline]
    fn first_due(&self, list: PacketFifo, now: Time) -> Option<PacketId> {
        let first = list.first;
        (first.is_some() && self.due[first.index()] <= now).then_some(first)
    }

    /// All of a frame has come to a switch: it is lost, or goes to the engine.
    #[inline]
    fn take_in(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let switch = self.board.at(channel).port.switch;
        if act.wiring.replicates && act.packets.has_riders(id) {
            return self.take_in_copies((channel, switch), id, act);
        }
        if self.memory.is_some() && !self.keep(switch, id, act) {
            return Self::lose((channel, switch), id, act);
        }
        let done = self.serve(channel, switch, act.now);
        self.is_served(id, (act.now, done), act);
        self.hand_on((channel, switch), id, done, act);
    }

    /// A frame that the engine is done with at `done` gets into a queue then, or at once.
    #[inline]
    fn hand_on(
        &mut self,
        (channel, switch): (ChannelId, SwitchId),
        id: PacketId,
        done: Time,
        act: &mut Act,
    ) {
        if self.defers && done > act.now {
            self.set_due(id, done);
            self.board.at_mut(channel).passing.push(id, act.packets);
            act.events.post(done, Event::Request(channel.into()));
        } else {
            self.line_up(switch, id, done, act);
        }
    }

    /// A frame gets into the queue of the channel by which it leaves, where it stands from `from`
    /// on.
    #[inline]
    fn line_up(&mut self, switch: SwitchId, id: PacketId, from: Time, act: &mut Act) {
        let at = self.output(switch, id, act);
        self.set_due(id, from);
        act.observe(Observation::LinedUp { packet: id, channel: at, from });
        let channel = self.board.at_mut(at);
        channel.waiting += 1;
        let soonest = from.max(channel.free_at);
        let is_first = if self.queues.is_one() {
            let is_first = !channel.queue.first.is_some();
            channel.queue.push(id, act.packets);
            is_first
        } else {
            self.queues.push(at, id, act.packets);
            true
        };
        if !is_first {
            return;
        }
        if soonest <= act.now {
            self.board.mark(at);
        } else {
            self.board.post_retry(at, soonest, act.events);
        }
    }

    /// The channel by which a frame leaves a switch: of those it may take the one with the fewest
    /// frames in its queue or being sent, of equals the lowest.
    #[inline]
    fn output(&mut self, switch: SwitchId, id: PacketId, act: &Act) -> ChannelId {
        let header = act.packets[id].header();
        if !act.wiring.routing.chooses() {
            return act.wiring.first_lead(switch, header);
        }
        let leads = act.wiring.leads(switch, header, &mut self.outputs).map(|(lead, _)| lead);
        let length = |lead: &ChannelId| {
            let channel = self.board.at(*lead);
            (channel.waiting + u32::from(channel.sent_at > act.now), *lead)
        };
        leads.min_by_key(length).unwrap_or(ChannelId::NONE)
    }

    /// A channel sends what it can.
    fn serve_channel(&mut self, at: ChannelId, act: &mut Act) {
        let channel = self.board.at(at);
        let (free_at, from) = (channel.free_at, channel.from);
        if free_at > act.now {
            if self.has_frames(at, act) {
                self.board.post_retry(at, free_at, act.events);
            }
            return;
        }
        if !from.is_some() {
            return self.serve_source(at, act);
        }
        let Some(id) = self.front(at, act) else { return };
        let due = self.due[id.index()];
        if due > act.now {
            return self.board.post_retry(at, due, act.events);
        }
        if self.board.is_closed(at) {
            return;
        }
        self.take_front(at, act);
        self.board.at_mut(at).waiting -= 1;
        let end = self.start(at, id, act);
        if self.memory.is_some() {
            self.leave(from, at, id, end, act);
        }
        let channel = self.board.at(at);
        if channel.waiting > 0 {
            let mut again = channel.free_at;
            if self.queues.is_one() {
                again = again.max(self.due[channel.queue.first.index()]);
            }
            self.board.post_retry(at, again, act.events);
        }
    }

    /// A node sends what it can, the packet at hand first.
    fn serve_source(&mut self, at: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(at).from;
        self.hand_over(node, at, act);
        let Some(id) = self.front_of_source(node, at, act) else { return };
        if self.board.is_closed(at) {
            return;
        }
        if self.queues.keeps_sources() {
            self.take_front(at, act);
            self.board.at_mut(at).waiting -= 1;
            self.board.note_sent(id, act);
        } else if let Some((queue, _)) = self.board.at_hand(node) {
            self.board.take_at_hand(node, queue, act);
        }
        act.packets[id].first_sent = act.now;
        let end = self.start(at, id, act);
        act.leaves(at, id, end);
        if self.has_frames(at, act) {
            let free_at = self.board.at(at).free_at;
            self.board.post_retry(at, free_at, act.events);
        }
    }

    /// A frame starts on a channel; when all of it will have been sent.
    #[inline]
    fn start(&mut self, at: ChannelId, id: PacketId, act: &mut Act) -> Time {
        let (now, link) = (act.now, act.wiring.timing(at));
        let packet = &mut act.packets[id];
        let end = now + link.packet_ps(packet.bytes);
        let channel = self.board.at_mut(at);
        channel.send(now, end);
        let (kind, switch, until) = (channel.port.kind, channel.port.switch, channel.free_at);
        let ready = packet.ready;
        let first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
        let is_throttling = first_internal || packet.hops == 0;
        act.measures.starts(at, kind, (now, end), Wait { time: now - ready, is_throttling });
        if first_internal {
            packet.first_internal = now;
        }
        packet.ready = now + link.hop_ps;
        act.packets.crosses(id, at, act.wiring);
        act.observe(Observation::Sent { packet: id, channel: at, ready, start: now, until });
        if switch.is_some() {
            self.send_off(at, id, end, act);
        } else {
            self.board.post_header(at, id, now + link.header_ps + link.wire_ps, act);
            act.events.post(end + link.wire_ps, Event::Tail(at.into()));
            self.board.at_mut(at).port.buffer.push(id, act.packets);
        }
        end
    }

    /// A frame that will have been sent at `end` is on its way to a switch.
    #[inline]
    fn send_off(&mut self, at: ChannelId, id: PacketId, end: Time, act: &mut Act) {
        let link = act.wiring.timing(at);
        let onward = link.stored_ps(act.packets[id].bytes);
        act.packets[id].ready = act.now + onward;
        act.packets.goes_on_after(id, onward, act.wiring);
        let there = end + link.wire_ps;
        if !self.per_port || self.memory.is_some() || act.wiring.replicates {
            self.set_due(id, there);
            self.board.at_mut(at).arriving.push(id, act.packets);
            return act.events.post(there, Event::Request(at.into()));
        }
        // Nobody can get to the engine before it, and it is not lost there.
        let switch = self.board.at(at).port.switch;
        let done = self.serve(at, switch, there);
        self.is_served(id, (there, done), act);
        self.set_due(id, done);
        self.board.at_mut(at).passing.push(id, act.packets);
        act.events.post(done, Event::Request(at.into()));
    }
}

has_board!(FramesKernel, Channel in board);

impl Switched for FramesKernel {
    /// Every channel has its own queue, whatever choice there was.
    fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.board.set_gate(lead, gate);
        self.board.mark(lead);
    }

    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        let is_source = !self.board.at(lead).from.is_some();
        if is_source && !self.queues.keeps_sources() {
            return self.board.askers(lead, wiring, packets, askers);
        }
        let Some(packet) = self.first_waiting(lead) else { return };
        let since = if is_source { packets[packet].queued } else { self.due[packet.index()] };
        askers.push(Asker { packet, since, by: packets[packet].serial });
    }

    #[inline]
    fn retry(&mut self, of: Subject, act: &mut Act) {
        let at = of.channel();
        if self.memory.is_some() {
            self.settle(at, act);
        }
        self.board.retry(at, act.now);
    }
}

impl Kernel for FramesKernel {
    /// The engine is done with a frame that has come by a channel, or all of one has come.
    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        let channel = of.channel();
        while let Some(id) = self.first_due(self.board.at(channel).passing, act.now) {
            let from = self.board.at_mut(channel);
            from.passing.pop(act.packets);
            let switch = from.port.switch;
            self.line_up(switch, id, act.now, act);
        }
        while let Some(id) = self.first_due(self.board.at(channel).arriving, act.now) {
            self.board.at_mut(channel).arriving.pop(act.packets);
            self.take_in(channel, id, act);
        }
    }

    #[inline]
    fn arbitrate(&mut self, act: &mut Act) {
        while let Some((lead, _)) = self.board.next_marked() {
            self.serve_channel(lead, act);
        }
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        self.board.at(channel).free_at
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead = move |(number, channel): (usize, &Channel)| {
            (number, channel.sent_at.saturating_sub(now))
        };
        Some(self.board.channels.changed().map(ahead))
    }

    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        self.circle(now, wiring, packets)
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        Traits { replicates: wiring.replicates, has_no_buffers: true, ..Traits::default() }
    }

    fn engines(&self, wiring: &Wiring) -> Vec<ChannelId> {
        let layout = &wiring.layout;
        let mut first = vec![ChannelId::NONE; layout.allocators.len()];
        let channels = (0..layout.channels()).map(ChannelId::from_index);
        let engine = |channel: ChannelId| match layout.group(channel).end {
            End::Switch(switch) if !self.per_port => {
                let first = &mut first[switch.index()];
                if !first.is_some() {
                    *first = channel;
                }
                *first
            }
            _ => channel,
        };
        channels.map(engine).collect()
    }
}
