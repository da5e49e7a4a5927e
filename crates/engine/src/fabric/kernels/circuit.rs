//! Mode `full`, switching `circuit`: a packet's header gets the channels of its way one by
//! one and keeps them; its data follow when it has them all, and then all fall free at once.
//! Mode `endpoints` is the same, but messages do not keep each other from channels between switches
//! (`open`).
//!
//! A circuit is a chain of channels, from the last back to the first. Whoever asks for a
//! channel at a node is listed there; when a channel falls free those who may take it come on
//! the *agenda* of the instant, which is gone through in their order. So nobody is looked at
//! who cannot have got a chance, and the outcome is that of: as long as anybody who asks can
//! have a channel, the first of them gets it.

mod accepts;
mod agenda;
mod channel;
mod holding;
mod nodes;
mod open;
mod rule;

pub use accepts::accepts_network;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::integrated::IntegratedTiming;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::fabric::switch::switchboard::{Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Class, Use};
use crate::routing::Outputs;
use crate::spec::Machine;
use crate::time::Time;
use crate::topology::Topology;
use agenda::{Agenda, Entry};
use channel::Channel;
use open::Open;
use rule::Rule;

/// The real network of circuits.
#[derive(Clone)]
pub struct CircuitKernel {
    pub board: Switchboard<Channel>,
    /// How messages pass where nodes and switches are one; else none.
    integrated_timing: Option<IntegratedTiming>,
    rule: Rule,
    /// By packet: how far it has come.
    circuits: Vec<Circuit>,
    /// By node: those whose headers ask for a channel there.
    asking: Vec<Vec<PacketId>>,
    /// By node that is its own switch: the head of its list, if that has come forward.
    heads: Vec<PacketId>,
    agenda: Agenda,
    /// Whether packets may have a choice.
    chooses: bool,
    outputs: Outputs,
    /// Mode `endpoints`: who uses the channels between switches.
    open: Option<Open>,
}

/// How far a packet has come.
#[derive(Clone, Copy)]
struct Circuit {
    /// When its header asks, or asked last.
    asks_from: Time,
    /// The last channel it holds, or none.
    last: ChannelId,
    /// The lead of the group it asks for, where it has no choice.
    lead: ChannelId,
    /// Where its header is, or is on its way to.
    at: SwitchId,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its header is on its way, or has not been there for long enough to be granted a channel.
    Comes,
    /// Its header may be granted a channel.
    Asks,
    /// It has all channels of its way: it is in the process of transmitting.
    Sends,
}

impl Circuit {
    /// A packet at its source, which asks, or has asked, from an instant on.
    fn new(source: SwitchId, asks_from: Time) -> Self {
        let none = ChannelId::NONE;
        Self { asks_from, last: none, lead: none, at: source, state: State::Comes }
    }
}

impl CircuitKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let mut board = Switchboard::new(machine, topology, wiring, seed, Channel::idle);
        for (channel, &wire) in wiring.layout.wire_of.iter().enumerate() {
            if wire.index() != channel {
                let channel = ChannelId::from_index(channel);
                board.at_mut(channel).opposite = wire;
                board.at_mut(wire).opposite = channel;
            }
        }
        Self {
            board,
            integrated_timing: wiring.integrated_timing,
            rule: Rule::new(machine, topology, wiring),
            circuits: Vec::new(),
            asking: vec![Vec::new(); topology.switches],
            heads: vec![PacketId::NONE; topology.nodes],
            agenda: Agenda::default(),
            chooses: wiring.routing.chooses(),
            outputs: Outputs::default(),
            open: None,
        }
    }

    /// The same where nobody waits for channels between switches.
    pub fn endpoints(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let open = Some(Open::new(&wiring.layout));
        Self { open, ..Self::new(machine, topology, wiring, seed) }
    }

    /// A header asks at an instant to come, or now.
    #[inline]
    fn ask_from(&mut self, id: PacketId, at: Time, act: &mut Act) {
        let circuit = &mut self.circuits[id.index()];
        circuit.state = State::Comes;
        circuit.asks_from = at;
        if at > act.now {
            act.events.post(at, Event::Request(id.into()));
        } else {
            self.ask(id, act);
        }
    }

    /// A header asks.
    #[inline]
    fn ask(&mut self, id: PacketId, act: &mut Act) {
        let circuit = &mut self.circuits[id.index()];
        circuit.state = State::Asks;
        if !self.chooses {
            circuit.lead = act.wiring.first_lead(circuit.at, act.packets[id].header());
        }
        self.asking[circuit.at.index()].push(id);
        self.agenda.add(self.entry(id, act.packets));
        if act.is_observed() {
            let at = self.circuits[id.index()].at;
            let output = act.wiring.first_lead(at, act.packets[id].header());
            act.observe(Observation::HeaderAsks { packet: id, output });
        }
    }

    /// A packet's place among those who ask.
    #[inline]
    fn entry(&self, id: PacketId, packets: &PacketPool) -> Entry {
        let asked = if self.rule.oldest_first { 0 } else { self.circuits[id.index()].asks_from };
        let Packet { queued, serial, class, .. } = packets[id];
        let gives_way = self.rule.ack_priority && class == Class::Data;
        Entry { gives_way, asked, queued, serial, id }
    }

    /// A header that asks gets a channel, if there is one for it.
    fn serve(&mut self, id: PacketId, act: &mut Act) {
        let (at, lead) = (self.circuits[id.index()].at, self.circuits[id.index()].lead);
        if !self.chooses {
            let channels = act.wiring.layout.group(lead).channels();
            return self.take_one(id, channels, act);
        }
        let mut outputs = std::mem::take(&mut self.outputs);
        let wiring = act.wiring;
        let leads = wiring.leads(at, act.packets[id].header(), &mut outputs);
        let channels = leads.flat_map(|(lead, _)| wiring.layout.group(lead).channels());
        self.take_one(id, channels, act);
        self.outputs = outputs;
    }

    /// It takes the first of some channels that is free, or else the first that it may take
    /// from another.
    fn take_one(
        &mut self,
        id: PacketId,
        mut channels: impl Iterator<Item = ChannelId> + Clone,
        act: &mut Act,
    ) {
        let (wire_of, message) = (&act.wiring.layout.wire_of, act.packets[id].message);
        let is_free = |channel: &ChannelId| match &self.open {
            Some(open) if self.board.at(*channel).port.kind == ChannelKind::Internal => {
                !open.is_used(wire_of[channel.index()], message)
            }
            _ => self.held_as(*channel).is_none(),
        };
        if let Some(free) = channels.clone().find(is_free) {
            self.leave_node(id, act);
            return self.grant(free, id, act);
        }
        if !self.rule.breaks {
            return;
        }
        let yields = |channel: &ChannelId| {
            self.held_as(*channel).is_some_and(|held| self.yields(held, id, act.packets))
        };
        if let Some(channel) = channels.find(yields)
            && let Some(held) = self.held_as(channel)
        {
            self.leave_node(id, act);
            self.lose(held, id, act);
            self.grant(channel, id, act);
        }
    }

    /// The channel by which the wire of a channel is held, if it is: itself, or the one of the
    /// other direction.
    #[inline]
    fn held_as(&self, channel: ChannelId) -> Option<ChannelId> {
        let record = self.board.at(channel);
        if record.holder.is_some() {
            return Some(channel);
        }
        let opposite = record.opposite;
        (opposite.is_some() && self.board.at(opposite).holder.is_some()).then_some(opposite)
    }

    /// Whether who holds a channel has to leave it to another: it is not transmitting, and
    /// was created later.
    fn yields(&self, held: ChannelId, to: PacketId, packets: &PacketPool) -> bool {
        let holder = self.board.at(held).holder;
        let age = |id: PacketId| (packets[id].queued, packets[id].serial);
        self.circuits[holder.index()].state != State::Sends && age(holder) > age(to)
    }

    /// How things stand at every channel. What transmits finishes.
    fn standings(&self) -> Vec<Standing> {
        let standing = |channel| self.standing(ChannelId::from_index(channel));
        (0..self.board.channels.len()).map(standing).collect()
    }

    fn standing(&self, channel: ChannelId) -> Standing {
        let none = (PacketId::NONE, ChannelId::NONE);
        let mut standing = Standing {
            owner: none.0,
            unsent: 0,
            room: 1,
            shut: false,
            output: none.1,
            front: none.0,
        };
        let Some(held) = self.held_as(channel) else { return standing };
        let holder = self.board.at(held).holder;
        let circuit = &self.circuits[holder.index()];
        if circuit.state == State::Sends {
            return standing;
        }
        standing.owner = holder;
        standing.room = 0;
        if held != channel {
            // What holds the other direction goes on from there.
            standing.output = held;
        } else if circuit.last == channel {
            standing.front = holder;
        } else {
            standing.output = self.after(channel, circuit.last);
        }
        standing
    }

    /// The channel that follows one in the chain that ends with `last`.
    fn after(&self, channel: ChannelId, last: ChannelId) -> ChannelId {
        let mut at = last;
        while at.is_some() && self.board.at(at).before != channel {
            at = self.board.at(at).before;
        }
        at
    }
}

has_board!(CircuitKernel, Channel in board);

impl Switched for CircuitKernel {
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.board.queue(id, act.wiring, act.packets, act.now, act.measures);
        if self.integrated_timing.is_none() {
            let output = act.wiring.layout.injection_lead(act.packets[id].source);
            act.observe(Observation::HeaderAsks { packet: id, output });
        }
    }

    #[inline]
    fn is_settled(&self) -> bool {
        self.board.is_settled() && self.agenda.is_empty()
    }

    /// Nobody waits for a time to come.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    /// All channels of its circuit fall free.
    #[inline]
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        let channel = of.channel();
        let id = self.board.take_tail(channel, act);
        self.deliver(channel, id, act);
        id
    }

    fn add_used(&self, now: Time, sums: &mut [Use]) {
        let channels = self.board.channels.iter();
        sums.iter_mut().zip(channels).for_each(|(sum, channel)| sum.add(channel.used(now)));
        if let Some(open) = &self.open {
            open.add_used(sums, now);
        }
    }

    fn begin_window(&mut self, now: Time) {
        self.board.channels.changed_mut().for_each(|(_, channel)| channel.begin_window_at(now));
        if let Some(open) = &mut self.open {
            open.begin_window(now);
        }
    }
}

impl Kernel for CircuitKernel {
    /// A header may be granted a channel from now on; unless it has lost channels since it was
    /// to ask.
    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        let id = of.packet();
        let circuit = &self.circuits[id.index()];
        if circuit.state == State::Comes && circuit.asks_from == act.now {
            self.ask(id, act);
        }
    }

    /// Everybody who asks, and may have got a chance, gets a channel if there is one.
    fn arbitrate(&mut self, act: &mut Act) {
        loop {
            while let Some((lead, _)) = self.board.next_marked() {
                match self.integrated_timing {
                    Some(integrated_timing) => {
                        self.come_forward(lead, integrated_timing.arbitration_ps, act);
                    }
                    None => self.leave_nodes(lead, act),
                }
            }
            let Some(id) = self.agenda.take_first() else { return };
            self.serve(id, act);
        }
    }

    /// Time that is counted ahead of the clock: none.
    fn overhang(&self, _: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        Some(std::iter::empty())
    }

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        deadlock::find(wiring, packets, &self.standings(), Needs::Flit)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { holds_channels: true, ..Traits::default() }
    }
}
