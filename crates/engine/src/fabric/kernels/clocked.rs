//! Fidelity `flit` of switches that run by a clock: a pipeline of routing, allocation of virtual
//! channels, allocation of the crossbar, and traversal ([`crate::spec::Pipeline`]).
//!
//! Time passes in cycles. In every cycle flits and credits arrive, nodes send, and switches
//! that have something to decide do so, each by itself: what they decide is seen by nobody in
//! the same cycle. A switch in which nothing can have changed sleeps: allocators move only when
//! they grant (`wavefront`: when somebody asks), so that nothing is lost. The rules are in
//! `docs/model.md`.

mod accepts;
mod gates;
mod lane;
mod nodes;
mod observe;
mod places;
mod room;
mod stages;
mod switches;
mod urgency;
mod wheel;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{AtGate, Kernel, Switched, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::records::Records;
use crate::fabric::switch::switchboard::{Asker, Gate, Switchboard, has_board};
use crate::fabric::switch::weighing;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Use};
use crate::spec::{Machine, Pipeline};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use lane::{Entrance, Lane};
use nodes::Sources;
use places::Side;
use room::{Behind, Room};
use stages::Scratch;
use std::collections::BTreeMap;
use std::sync::Arc;
use switches::{Batches, Switches};
use urgency::Urgency;
use wheel::{What, Wheel};

/// The real network of clocked switches.
#[derive(Clone)]
pub struct ClockedKernel {
    board: Switchboard<Lane>,
    pipeline: Pipeline,
    /// Time of a cycle.
    cycle_ps: Time,
    /// The next cycle to be handled.
    cycle: u64,
    wheel: Wheel,
    inputs: Arc<Side>,
    outputs: Arc<Side>,
    switches: Switches,
    sources: Sources,
    /// By channel: cycles that a flit is on its wire.
    latency: Arc<[u32]>,
    /// Whether flits may queue behind the crossbar.
    has_queues: bool,
    /// By wire, if they do: the first cycle in which another flit can start on it.
    wire_free: Records<u64>,
    /// By wire, with several steps in a cycle: the step behind the one in which the latest credits
    /// came about, and the cycle in which they set out.
    credits_left: Records<(u64, u64)>,
    /// Cycles from when a flit has left a buffer until the credit for it sets out.
    credit_delay: u64,
    /// Flits that a channel may have in the buffer at its end, all that it shares included.
    capacity: u32,
    room: Room,
    urgency: Urgency,
    batches: Batches,
    behind: Behind,
    scratch: Scratch,
    /// How often something has happened at links of nodes.
    changes: u64,
}

impl ClockedKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let Some(pipeline) = machine.switch.pipeline else {
            unreachable!("switches that run by a clock have a pipeline");
        };
        let layout = &wiring.layout;
        let cycle_ps = wiring.link.flit_ps;
        let cycles = |time: Time| (time / cycle_ps) as u32;
        let (own, shared) = (machine.switch.input_buffer(), pipeline.shared_buffer_flits);
        let capacity = own + shared;
        let mut board = Switchboard::new(machine, topology, wiring, seed, |group, port, rest| {
            Lane::idle(port, rest, capacity, group)
        });
        let of_group = |group: &crate::ids::GroupId| {
            let rate = usize::from(layout.groups[group.index()].rate);
            cycles(wiring.timings[rate].wire_ps)
        };
        let latency: Arc<[u32]> = layout.group_of.iter().map(of_group).collect();
        let credit_delay = u64::from(cycles(machine.link.credit_delay_ps));
        let longest = u64::from(latency.iter().copied().max().unwrap_or(0));
        let stages = u64::from(pipeline.route_cycles + pipeline.traversal_cycles);
        let order = (pipeline.port_order, topology.ports);
        let inputs = Side::inputs(layout, topology.switches, order);
        let outputs = Side::outputs(layout, topology.switches, order);
        for (at, lane) in board.channels.changed_mut() {
            let channel = ChannelId::from_index(at);
            let (into, out) = (inputs.of[at], outputs.of[at]);
            let slot = u32::from(into.port) * pipeline.input_speedup
                + u32::from(into.lane) % pipeline.input_speedup;
            let number = inputs.number(channel) as u16;
            lane.entrance = Entrance { number, slot: slot as u16, lane: into.lane };
            lane.exit = (outputs.number(channel) as u16, out.port);
        }
        // Flits may queue behind the crossbar for as long as there are credits, and credits as
        // many as there are places.
        let is_faster =
            pipeline.output_speedup > 1 || pipeline.internal_speedup > pipeline.speedup_cycles;
        // A batch may bring several for one wire.
        let has_queues = is_faster || pipeline.in_batches;
        let places = u64::from(own) * u64::from(inputs.lanes.max(outputs.lanes));
        // Where several networks share a wire, one sends as many as it can in a cycle.
        let steps = u64::from(pipeline.internal_speedup);
        let queued = u64::from(has_queues) * (places + u64::from(shared) + steps);
        Self {
            switches: Switches::new(
                &pipeline,
                machine.switch.arbiter,
                (&inputs, &outputs),
                switches::has_words(&pipeline, layout, &outputs, wiring.routing.chooses()),
            ),
            sources: Sources::new(layout, topology.nodes),
            // A batch may wait for another, as long as a stage takes.
            wheel: Wheel::new(2 * longest + 2 * stages + credit_delay + queued + 4),
            batches: Batches::new(&pipeline, topology.switches),
            behind: Behind::new(&pipeline, layout.channels()),
            has_queues,
            wire_free: Records::of(0, layout.channels()),
            credits_left: Records::of((0, 0), layout.channels()),
            scratch: Scratch::default(),
            changes: 0,
            board,
            pipeline,
            cycle_ps,
            cycle: 0,
            inputs: Arc::new(inputs),
            outputs: Arc::new(outputs),
            latency,
            credit_delay,
            capacity,
            room: Room::new(layout, shared),
            urgency: Urgency::new(machine, cycle_ps),
        }
    }

    /// The cycle that begins at an instant, if one does that has not been handled.
    #[inline]
    fn begins(&self, now: Time) -> Option<u64> {
        let cycle = now / self.cycle_ps;
        (cycle >= self.cycle && cycle * self.cycle_ps == now).then_some(cycle)
    }

    /// The first step of a cycle.
    #[inline]
    fn first_step(&self, cycle: u64) -> u64 {
        let steps = cycle * u64::from(self.pipeline.internal_speedup);
        if self.pipeline.speedup_cycles == 1 {
            return steps;
        }
        steps / u64::from(self.pipeline.speedup_cycles)
    }

    /// Whether a cycle has several steps, or some cycles have.
    #[inline]
    fn has_steps(&self) -> bool {
        self.pipeline.internal_speedup > 1
    }

    /// The cycle of a step.
    #[inline]
    fn cycle_of(&self, step: u64) -> u64 {
        // Mostly there is one step in a cycle, and nothing to divide.
        match (self.pipeline.internal_speedup, self.pipeline.speedup_cycles) {
            (1, 1) => step,
            (steps, 1) => step / u64::from(steps),
            (steps, cycles) => ((step + 1) * u64::from(cycles)).div_ceil(u64::from(steps)) - 1,
        }
    }

    #[inline]
    fn latency(&self, channel: ChannelId) -> u64 {
        self.latency[channel.index()].into()
    }

    /// A flit has left the buffer at a channel's end, in a step.
    #[inline]
    fn give_back(&mut self, channel: ChannelId, step: u64, act: &Act) {
        let mut cycle = self.cycle_of(step);
        if self.has_steps() {
            // All credits of a step go back together, those of one step in a cycle.
            let wire = act.wiring.layout.wire_of[channel.index()].index();
            let (latest, leaves) = &mut self.credits_left[wire];
            if *latest <= step {
                *leaves = cycle.max(*leaves + u64::from(*latest > 0));
                *latest = step + 1;
            }
            cycle = *leaves;
        }
        // A node sees its credits as they come.
        let is_node = self.board.at(channel).port.kind == ChannelKind::Injection;
        let delay = if is_node { 0 } else { self.credit_delay };
        let at = cycle + 1 + self.latency(channel) + delay;
        self.wheel.post(at, What::Credit(channel));
    }

    /// A flit is in the buffer at a channel's end.
    #[inline]
    fn arrives(&mut self, channel: ChannelId, is_header: bool, cycle: u64, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        lane.held += 1;
        if lane.output.is_some() {
            let output = lane.output;
            lane.headers += u16::from(is_header);
            if self.has_room(output) {
                self.is_ready(channel);
            }
        } else if is_header {
            lane.headers += 1;
            if lane.headers == 1 {
                let step = self.first_step(cycle);
                self.is_routed_from(channel, step, act);
            }
        }
    }

    /// The header at the front of a buffer is routed from a step on.
    #[inline]
    fn is_routed_from(&mut self, channel: ChannelId, step: u64, act: &mut Act) {
        let switch = self.board.at(channel).port.switch;
        let due = self.batches.routed(switch, step) + u64::from(self.pipeline.route_cycles);
        self.board.at_mut(channel).due = due;
        let cycle = self.cycle_of(due);
        if cycle * self.cycle_ps > act.now {
            self.wheel.post(cycle, What::Routed(channel));
        } else {
            self.asks(channel, act);
        }
    }

    /// Flits of the packets that ask for a virtual channel of a group.
    fn waiting_flits(&self, lead: ChannelId, act: &Act) -> u32 {
        let switch = act.wiring.layout.group(lead).from;
        let askers = self.switches.askers(switch);
        let ports = askers.map(|number| self.board.at(self.inputs.channel(switch, number)).port);
        let waiting = ports.filter(|port| port.front_output == lead);
        waiting.map(|port| weighing::flits_of(port.buffer.first, act)).sum()
    }

    /// The header at the front of a buffer asks for a virtual channel.
    #[inline]
    fn asks(&mut self, channel: ChannelId, act: &mut Act) {
        if act.wiring.routing.weighs() {
            let port = self.board.at(channel).port;
            let held =
                |of: &mut Self, channel, _: &mut Act| of.capacity - of.board.at(channel).credits;
            let front = (port.switch, port.buffer.first);
            weighing::decide(self, front, act, held, Self::waiting_flits);
        }
        let port = &mut self.board.at_mut(channel).port;
        let switch = port.switch;
        if !act.wiring.routing.chooses() {
            port.front_output =
                act.wiring.first_lead(switch, act.packets[port.buffer.first].header());
        }
        if act.is_observed() {
            self.observe_request(channel, act);
        }
        if self.board.has_reply_places() && self.lacks_reply_place(channel, act) {
            return;
        }
        let number = self.board.at(channel).entrance.number;
        self.changes += 1;
        self.switches.asks(switch.0, number);
    }

    /// The front of a buffer has a flit and a credit.
    #[inline]
    fn is_ready(&mut self, channel: ChannelId) {
        let lane = self.board.at(channel);
        self.changes += u64::from(lane.port.has(gates::GOES_HOME));
        self.switches.ready(lane.port.switch.0, lane.entrance.number);
    }

    /// A channel may send one more flit.
    #[inline]
    fn credit(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        lane.credits += 1;
        let (packet, input, kind) = (lane.packet, lane.input, lane.port.kind);
        self.changes += u64::from(kind != ChannelKind::Internal);
        if self.room.is_shared() && self.room.gives_first(channel, lane.credits) {
            self.others_have_room(channel, act);
        }
        if kind == ChannelKind::Injection {
            self.sources.wake_of(channel);
        } else if packet.is_some() {
            if self.board.at(input).held > 0 {
                self.is_ready(input);
            }
        } else if self.pipeline.atomic || self.pipeline.speculative {
            if self.pipeline.atomic && act.is_observed() {
                self.observe_empty(channel, act);
            }
            let switch = act.wiring.layout.group(channel).from;
            self.note_free(channel, switch);
            self.switches.frees(switch);
        }
    }

    /// Notes whether a virtual channel out of a switch can be granted.
    #[inline]
    fn note_free(&mut self, channel: ChannelId, switch: u32) {
        if self.switches.has_words() {
            let is_free = self.is_free(channel);
            self.switches.set_free(switch, self.board.at(channel).exit.0, is_free);
        }
    }

    /// Whether there is room for a flit in the buffer at a channel's end.
    #[inline]
    pub(super) fn has_room(&self, channel: ChannelId) -> bool {
        self.room.is_there(channel, self.board.at(channel).credits)
    }

    /// Whether a virtual channel can be granted.
    #[inline]
    fn is_free(&self, channel: ChannelId) -> bool {
        let lane = self.board.at(channel);
        !lane.packet.is_some() && (!self.pipeline.atomic || lane.credits == self.capacity)
    }

    /// A packet has been granted a channel: it is on the list of the buffer at its end.
    #[inline]
    fn enter(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        act.measures.counters.packet_hops += 1;
        let packet = act.packets.crosses(id, channel, act.wiring);
        let flits = act.wiring.link.packet_flits(packet.bytes);
        let lane = self.board.at_mut(channel);
        lane.packet = id;
        lane.unsent = flits;
        lane.is_fresh = true;
        lane.packets += 1;
        lane.port.buffer.push(id, act.packets);
    }

    /// A channel sends a flit that starts in a cycle, for which it has a credit; whether it was
    /// the packet's last, and whether there is another credit.
    #[inline]
    fn send(&mut self, channel: ChannelId, start: u64, act: &mut Act) -> (bool, bool) {
        let (at, cycle_ps, latency) = (start * self.cycle_ps, self.cycle_ps, self.latency(channel));
        let first_step = self.first_step(start);
        let lane = self.board.at_mut(channel);
        let (id, kind, is_header) = (lane.packet, lane.port.kind, lane.is_fresh);
        let is_internal = lane.port.switch.is_some();
        lane.is_fresh = false;
        lane.unsent -= 1;
        lane.credits -= 1;
        lane.busy += cycle_ps;
        self.changes += u64::from(kind != ChannelKind::Internal);
        let (is_last, granted, credits) = (lane.unsent == 0, lane.granted, lane.credits);
        if is_last {
            lane.packet = PacketId::NONE;
        }
        if self.room.is_shared() && self.room.takes_last(channel, credits) {
            self.others_lack_room(channel, start, act);
        }
        let sent = (is_last, self.room.is_there(channel, credits));
        let there = start + 1 + latency;
        act.measures.transmits(kind, at, at + cycle_ps);
        if is_header {
            act.observe(Observation::Started { packet: id, channel, start: at });
            let hop = act.wiring.timing(channel).hop_ps;
            crate::fabric::switch::switchboard::sets_out(channel, id, kind, at, hop, act);
        }
        if self.room.is_shared() && sent == (false, false) && act.is_observed() {
            self.observe_full(id, channel, at + cycle_ps, act);
        }
        if is_last {
            let flits = u64::from(act.wiring.link.packet_flits(act.packets[id].bytes));
            act.measures.kept(channel, kind, at + cycle_ps - granted - flits * cycle_ps);
            act.leaves(channel, id, at + cycle_ps);
            if kind == ChannelKind::Injection
                && let Some(replies) = &mut self.board.replies
            {
                let step = first_step;
                replies.left((&act.packets[id], act.measures.mark(id)), step);
            }
        }
        if is_last && act.is_observed() {
            self.observe_tail(channel, start, act);
        }
        if is_internal {
            let what = if is_header { What::Header(channel) } else { What::Flit(channel) };
            self.wheel.post(there, what);
            return sent;
        }
        if is_header {
            self.board.post_header(channel, id, there * cycle_ps, act);
        }
        if is_last {
            act.events.post(there * cycle_ps, crate::event_queue::Event::Tail(channel.into()));
        }
        self.wheel.post(there + 1 + latency + self.credit_delay, What::Credit(channel));
        sent
    }

    /// When the flit starts whose arrival, or whose credit from a node, lies so far ahead.
    fn started(&self, what: What, at: u64) -> Option<(ChannelId, u64)> {
        match what {
            What::Flit(channel) | What::Header(channel) => {
                Some((channel, at - 1 - self.latency(channel)))
            }
            What::Credit(channel) if !self.board.at(channel).port.switch.is_some() => {
                Some((channel, at - 2 - 2 * self.latency(channel) - self.credit_delay))
            }
            What::Credit(_) | What::Routed(_) => None,
        }
    }

    /// How things stand at every channel.
    fn standings(&self) -> Vec<Standing> {
        let mut coming = vec![0_u64; self.board.channels.len()];
        for (_, what) in self.wheel.ahead(self.cycle) {
            if let What::Credit(channel) = what {
                coming[channel.index()] += 1;
            }
        }
        let standing = |(lane, coming): (&Lane, u64)| Standing {
            owner: lane.packet,
            unsent: lane.unsent.into(),
            room: u64::from(lane.credits) + coming,
            shut: self.pipeline.atomic
                && (lane.packet.is_some()
                    || u64::from(lane.credits) + coming < self.capacity.into()),
            output: lane.output,
            front: lane.port.buffer.first,
        };
        self.board.channels.iter().zip(coming).map(standing).collect()
    }
}

has_board!(ClockedKernel, Lane in board);

impl Switched for ClockedKernel {
    /// Nobody waits for a time to come.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn is_settled(&self) -> bool {
        false
    }

    fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.tell_gate(lead, gate);
    }

    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        self.add_askers(lead, wiring, packets, askers);
    }
}

impl Kernel for ClockedKernel {
    const HAS_CLOCK: bool = true;

    /// Headers ask by themselves.
    fn request(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn next_time(&self) -> Time {
        if self.switches.are_awake() || self.sources.are_awake() {
            return self.cycle * self.cycle_ps;
        }
        self.wheel.next(self.cycle).map_or(NEVER, |cycle| cycle * self.cycle_ps)
    }

    /// Flits and credits that arrive in a cycle.
    fn step(&mut self, act: &mut Act) -> u64 {
        let Some(cycle) = self.begins(act.now) else { return 0 };
        let taken = self.wheel.take(cycle);
        for &what in &taken {
            match what {
                What::Flit(channel) => self.arrives(channel, false, cycle, act),
                What::Header(channel) => self.arrives(channel, true, cycle, act),
                What::Credit(channel) => self.credit(channel, act),
                What::Routed(channel) => self.asks(channel, act),
            }
        }
        let count = taken.len() as u64;
        self.wheel.done(taken);
        count
    }

    /// Nodes send, and every switch decides.
    fn arbitrate(&mut self, act: &mut Act) {
        while let Some((lead, _)) = self.board.next_marked() {
            self.sources.wake_node(act.wiring.layout.group(lead).from);
        }
        let Some(cycle) = self.begins(act.now) else {
            // Whoever was woken now acts at the beginning of the next cycle.
            self.cycle = self.cycle.max(act.now.div_ceil(self.cycle_ps));
            return;
        };
        self.cycle = cycle + 1;
        self.nodes_send(cycle, act);
        self.switches_decide(cycle, act);
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        // All that differs from an idle network is in records, or lies in the past.
        self.switches.start_over();
        self.sources.start_over();
        self.room.start_over();
        self.behind.start_over();
        self.wire_free.start_over();
        self.credits_left.start_over();
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn share(&mut self) -> bool {
        self.switches.share();
        self.sources.share();
        self.room.share();
        self.behind.share();
        self.wire_free.share();
        self.credits_left.share();
        self.board.share();
        true
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn gate_cycle(&self) -> Time {
        self.cycle_ps
    }

    fn changes_at_gates(&self) -> u64 {
        self.changes
    }

    fn at_gate(&self, lead: ChannelId, wiring: &Wiring) -> AtGate {
        self.standing_at(lead, wiring)
    }

    fn lets_cross(&mut self, lead: ChannelId, free_from: u64, wiring: &Wiring) {
        self.opens(lead, free_from, wiring);
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let mut ahead = BTreeMap::new();
        for (cycles, what) in self.wheel.ahead(self.cycle) {
            if let Some((channel, start)) = self.started(what, self.cycle + cycles) {
                let end = (start + 1) * self.cycle_ps;
                let left = end.saturating_sub(now).min(self.cycle_ps);
                *ahead.entry(channel.index()).or_default() += left;
            }
        }
        Some(ahead.into_iter())
    }

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let nodes = self.nodes_standing(wiring);
        if self.room.is_shared() {
            return self.deadlock_of_sharers(wiring, packets, &nodes);
        }
        deadlock::find_with_nodes(wiring, packets, (&self.standings(), &nodes), Needs::Flit)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { stretches: true, node_wires: true, ..Traits::default() }
    }
}
