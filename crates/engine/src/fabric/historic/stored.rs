//! Mode `full` of integrated nodes that keep whole packets in queues at outgoing channels:
//! datagrams, with and without cut-through, and packets of fixed size with places for few
//! [Buzzard & Mudge 1988].
//!
//! A packet that has come to a node stands in the queue of the channel by which it leaves.
//! Two events mark a hop: when it has come (`REQUEST`), and when its channel, or a place in a
//! full queue, falls free (`RETRY`). Everything else of an instant happens in rounds
//! ([`StoredKernel::arbitrate`]): in each, everybody who can send asks, and then those who are
//! given what they ask for start; so no result depends on the order in which channels are
//! looked at.

mod blame;
mod channel;
mod deadlock;
mod injector;
mod places;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::stored::Owner;
use crate::measure::{ChannelKind, Wait};
use crate::routing::Outputs;
use crate::spec::{HalfDuplex, Machine, Switching};
use crate::time::Time;
use crate::topology::Topology;
use channel::{Channel, SHARED};
use places::Places;

/// The real network, with queues at outgoing channels.
#[derive(Clone)]
pub struct StoredKernel {
    pub board: Switchboard<Channel>,
    /// From when a packet is in a node until it can be granted a channel.
    arbitration_ps: Time,
    /// Whether packets go on when their header is there.
    cuts_through: bool,
    /// Where both directions of a link share its wire: by channel the other one; else empty.
    opposite: Vec<ChannelId>,
    /// Where queues have places for few packets.
    places: Option<Places>,
    /// What routing allows.
    outputs: Outputs,
    /// Nodes whose own messages are to move, in this round.
    sources: Vec<NodeId>,
    /// Wires that may send, in this round.
    senders: Vec<ChannelId>,
}

/// A packet that a channel can send now.
#[derive(Clone, Copy)]
struct Candidate {
    /// The channel.
    channel: ChannelId,
    /// The packet.
    id: PacketId,
    /// The packet before it in the channel's queue, or none.
    before: PacketId,
    /// The channel in whose queue it needs a place, or none.
    next: ChannelId,
    /// Since when it has been ready.
    ready: Time,
}

/// What a channel that falls free finds in its queue.
#[derive(Clone)]
enum Front {
    /// Nothing, or nothing that has a place.
    Nothing,
    /// A packet that can be granted the channel from then on.
    Later(Time),
    /// A packet that can be sent.
    Now(Candidate),
}

impl StoredKernel {
    /// An empty network of a machine whose nodes are its switches.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let board = Switchboard::new(machine, topology, wiring, seed, |group, port, rest| {
            Channel::idle(port, rest, (NodeId(group.from), group.slot.unwrap_or(0)))
        });
        let shares = machine.link.half_duplex != HalfDuplex::No;
        Self {
            board,
            arbitration_ps: machine.switch.delay_ps,
            cuts_through: machine.switch.switching == Switching::CutThrough,
            opposite: if shares { wiring.layout.opposite() } else { Vec::new() },
            places: Places::new(&machine.switch, topology, wiring),
            outputs: Outputs::default(),
            sources: Vec::new(),
            senders: Vec::new(),
        }
    }

    /// Takes up who has been marked.
    fn gather(&mut self, act: &mut Act) {
        while let Some((lead, kind)) = self.board.next_marked() {
            if kind != ChannelKind::Internal {
                self.sources.push(NodeId(act.wiring.layout.group(lead).from));
                continue;
            }
            for channel in self.sharing(lead) {
                if self.board.at_mut(channel).settle(act.now) {
                    self.tell_of_place(channel, act);
                }
            }
            self.senders.push(lead);
        }
    }

    /// Every free wire names the packet it would send.
    fn ask(&mut self, act: &mut Act) {
        let mut senders = std::mem::take(&mut self.senders);
        for wire in senders.drain(..) {
            let free_at = self.wire_free_at(wire);
            if free_at > act.now {
                self.look_again(wire, free_at, act);
                continue;
            }
            let Some(candidate) = self.candidate(wire, act) else { continue };
            if candidate.next.is_some() {
                self.ask_for_place(wire, candidate);
            } else {
                self.start(candidate, act);
            }
        }
        self.senders = senders;
    }

    /// The packet a free wire would send: of the two directions' the one that has been ready
    /// longer, of equals that on the lower-numbered channel.
    fn candidate(&mut self, wire: ChannelId, act: &mut Act) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for channel in self.sharing(wire) {
            match self.front(channel, act) {
                Front::Nothing => {}
                Front::Later(at) => self.board.post_retry(wire, at, act.events),
                Front::Now(candidate) => {
                    if best.is_none_or(|best| candidate.ready < best.ready) {
                        best = Some(candidate);
                    }
                }
            }
        }
        best
    }

    /// What a channel can send: the first packet of its queue, or where they may be overtaken
    /// the first that has a place.
    #[inline]
    fn front(&mut self, channel: ChannelId, act: &mut Act) -> Front {
        let mut id = self.board.at(channel).queue.first;
        let mut before = PacketId::NONE;
        let mut lacked = 0;
        let found = loop {
            if !id.is_some() {
                break Front::Nothing;
            }
            let ready = act.packets[id].ready;
            if ready > act.now {
                break Front::Later(ready);
            }
            let Some(places) = &self.places else {
                let next = ChannelId::NONE;
                break Front::Now(Candidate { channel, id, before, next, ready });
            };
            let (next, overtaking) = (places.next(id), places.overtaking);
            let bit = if next.is_some() { self.board.at(next).bit } else { 0 };
            let is_lacked =
                lacked & bit & !SHARED != 0 || next.is_some() && !self.has_place(next, act);
            if !is_lacked {
                break Front::Now(Candidate { channel, id, before, next, ready });
            }
            lacked |= bit;
            self.observe_place(id, next, act);
            if !overtaking {
                break Front::Nothing;
            }
            (before, id) = (id, act.packets[id].next);
        };
        self.board.at_mut(channel).lacked = lacked;
        found
    }

    /// A packet leaves a channel's queue and is sent.
    fn start(&mut self, candidate: Candidate, act: &mut Act) {
        let Candidate { channel: at, id, before, ready, .. } = candidate;
        let (now, link) = (act.now, act.wiring.link);
        let is_contrary = self.is_contrary(at, id, act);
        let end = now + link.packet_ps(act.packets[id].bytes);
        let channel = self.board.at_mut(at);
        channel.queue.take_behind(before, act.packets);
        channel.send(is_contrary, (now, end));
        let (from, switch) = (channel.from, channel.port.switch);
        act.observe(Observation::Sent { packet: id, channel: at, ready, start: now, until: end });
        let is_first = act.packets[id].hops == 0;
        let wait = Wait { time: now - ready, is_throttling: is_first };
        act.measures.starts(at, ChannelKind::Internal, (now, end), wait);
        let packet = act.packets.crosses(id, at, act.wiring);
        let is_there = switch.0 == packet.destination.0;
        if let Some(stored) = &mut act.measures.stored {
            let bytes = act.wiring.bytes_in_node(packet);
            stored.goes(from, if is_first { Owner::Local } else { Owner::Transit }, bytes);
            if !is_there && !self.cuts_through {
                stored.comes(NodeId(switch.0), Owner::Transit, bytes);
            }
        }
        if is_first {
            packet.first_internal = now;
            packet.first_sent = now - self.arbitration_ps;
            self.board.note_sent(id, act);
            act.leaves(at, id, end);
            self.follow(id, end, act);
        }
        self.send_off(at, id, (is_there, end), act);
        if self.sharing(at).any(|channel| self.board.at(channel).is_wanted()) {
            let wire = act.wiring.layout.wire_of[at.index()];
            self.board.post_retry(wire, end, act.events);
        }
    }

    /// A packet has started on a channel, and will have been sent at `end`: it is delivered at
    /// the end of that, or goes on.
    fn send_off(
        &mut self,
        at: ChannelId,
        id: PacketId,
        (is_there, end): (bool, Time),
        act: &mut Act,
    ) {
        let (now, link) = (act.now, act.wiring.link);
        let delivered = end + link.wire_ps;
        if is_there {
            let integrated_timing = act.wiring.integrated_timing;
            let early = integrated_timing
                .and_then(|integrated_timing| integrated_timing.early_ps(act.packets[id].bytes));
            let early = early.unwrap_or(0);
            self.board.post_header(at, id, delivered - early, act);
            act.events.post(delivered, Event::Tail(at.into()));
            self.board.at_mut(at).port.buffer.push(id, act.packets);
            return;
        }
        let header = now + link.header_ps + link.wire_ps;
        let there = if self.cuts_through { header } else { delivered };
        act.packets[id].ready = there + self.arbitration_ps;
        self.board.at_mut(at).passing.push(id, act.packets);
        act.events.post(there, Event::Request(at.into()));
    }

    /// A packet that is in its node, and has a place, joins the queue of a channel.
    fn join(&mut self, at: ChannelId, id: PacketId, act: &mut Act) {
        self.board.at_mut(at).queue.push(id, act.packets);
        let from = act.packets[id].ready.max(act.now);
        act.observe(Observation::LinedUp { packet: id, channel: at, from });
        if self.places.is_some() {
            self.find_next(at, id, act);
        }
        self.board.mark(act.wiring.layout.wire_of[at.index()]);
    }

    /// The channel by which a packet leaves a switch: of those it may take the one with the
    /// fewest packets waiting or being sent, of equals the lowest.
    fn shortest(&mut self, switch: SwitchId, id: PacketId, act: &Act) -> ChannelId {
        let header = act.packets[id].header();
        if !act.wiring.routing.chooses() {
            return act.wiring.first_lead(switch, header);
        }
        let leads = act.wiring.leads(switch, header, &mut self.outputs).map(|(lead, _)| lead);
        let length = |lead: &ChannelId| (self.board.at(*lead).taken_at(act.now), *lead);
        leads.min_by_key(length).unwrap_or(ChannelId::NONE)
    }

    /// The channels that share a wire, given one of them, lowest number first.
    #[inline]
    fn sharing(&self, channel: ChannelId) -> impl Iterator<Item = ChannelId> + use<> {
        let other = self.opposite.get(channel.index()).copied();
        let (low, high) = match other {
            Some(other) => (channel.min(other), Some(channel.max(other))),
            None => (channel, None),
        };
        std::iter::once(low).chain(high)
    }

    /// When a wire is free.
    #[inline]
    fn wire_free_at(&self, wire: ChannelId) -> Time {
        let free_at = self.sharing(wire).map(|channel| self.board.at(channel).free_at);
        free_at.max().unwrap_or(0)
    }

    /// Sees to it that a wire which is free at `at` is looked at then, if anybody wants it.
    #[inline]
    fn look_again(&mut self, wire: ChannelId, at: Time, act: &mut Act) {
        if self.sharing(wire).any(|channel| self.board.at(channel).is_wanted()) {
            self.board.post_retry(wire, at, act.events);
        }
    }
}

has_board!(StoredKernel, Channel in board);

impl Switched for StoredKernel {
    /// Whether nothing is left to be done at this instant.
    #[inline]
    fn is_settled(&self) -> bool {
        self.board.is_settled() && self.places.as_ref().is_none_or(Places::is_settled)
    }
}

impl Kernel for StoredKernel {
    /// A packet sent on a channel has come to the node at its end and goes on from there.
    fn request(&mut self, of: Subject, act: &mut Act) {
        let channel = of.channel();
        let from = self.board.at_mut(channel);
        let (switch, id) = (from.port.switch, from.passing.pop(act.packets));
        let next = match &self.places {
            Some(places) => places.next(id),
            None => self.shortest(switch, id, act),
        };
        if self.places.is_none() {
            self.board.at_mut(next).take_place(false);
        }
        if self.cuts_through
            && let Some(stored) = &mut act.measures.stored
        {
            let bytes = act.wiring.bytes_in_node(&act.packets[id]);
            stored.comes(NodeId(switch.0), Owner::Transit, bytes);
        }
        self.join(next, id, act);
    }

    /// What has to be done at this instant, round by round.
    ///
    /// In a round nodes first move their own messages. Then every wire that is free names the
    /// packet that it would send: it starts if it needs no place, else it asks for one where
    /// one is free; so do injectors. Then every queue that is asked gives one place, to the
    /// next in turn, who takes it at once. What has got into a queue in a round may be sent in
    /// the next one; there is none if nobody has got anything.
    fn arbitrate(&mut self, act: &mut Act) {
        while !self.is_settled() {
            self.gather(act);
            self.move_messages(act);
            self.gather(act);
            self.ask(act);
            self.give_places(act);
        }
        if let Some(stored) = &mut act.measures.stored {
            stored.settle();
        }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead = move |(number, channel): (usize, &Channel)| {
            (number, channel.free_at.saturating_sub(now))
        };
        Some(self.board.channels.changed().map(ahead))
    }

    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        self.circle(now, wiring, packets)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { stores: true, ..Traits::default() }
    }
}
