//! The same where switches keep a queue for each output (`switch.queueing` `voq` and `output`).
//!
//! A packet that is ready joins the queue of its output, whoever stands before it in its buffer; an input
//! sends several packets at a time, to different outputs. Who is best at an output and lacks room there keeps
//! all others from it, but only while its input may send; it holds nothing.

mod asking;
mod channel;
mod latest;
mod lines;
mod places;
mod rerouted;
mod rounds;
mod turns;

use super::{UNBOUNDED, comes_to_node, sets_off};
use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Front, Needs, Standing};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::wires::Wires;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::arbiter::Arbiter;
use crate::fabric::switch::switchboard::{Asker, Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Use};
use crate::spec::{Machine, Queueing};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use channel::Channel;
use latest::Latest;
use lines::Lines;
use rounds::Named;
use std::hint::black_box;
pub use turns::speedups;

/// The real network, packet by packet, with a queue for each output.
#[derive(Clone)]
pub struct QueuedKernel {
    board: Switchboard<Channel>,
    /// Tokens an input buffer holds.
    capacity: u32,
    /// Where channels share wires.
    wires: Option<Wires>,
    /// Whether all who wait for an output stand in one queue, in the order in which they became ready: its
    /// lead's. Where outputs share a wire, those with packets waiting are on the list of requests of their
    /// place, in the order of their first packets.
    in_queues: bool,
    /// Whether inputs send so many packets at a time, and not any number.
    has_rounds: bool,
    /// There: which of them came by the same input, where outputs share a wire.
    latest: Latest,
    /// Elsewhere: the packets that wait, by input and output.
    lines: Lines,
    /// Those that places name in a round; scratch.
    named: Vec<Named>,
    /// Leads at which a packet lacks room, or that are busy; scratch.
    claimed: Vec<ChannelId>,
}

impl QueuedKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let layout = &wiring.layout;
        let switch = &machine.switch;
        let speedups = speedups(machine, wiring);
        let shares_wires = layout.has_shared_wires();
        let places = asking::places(layout);
        let mut board = Switchboard::new(machine, topology, wiring, seed, |group, port, rest| {
            let mut idle = Channel::idle(port, rest, 1);
            idle.rest.lead = places[group.first.index()];
            idle
        });
        for (channel, speedup) in board.channels.as_mut_slice().iter_mut().zip(speedups) {
            channel.speedup = speedup;
        }
        board.arbiter = Arbiter::new(machine, layout, false, seed);
        let takes_all = switch.queueing == Queueing::Output;
        Self {
            in_queues: takes_all && board.arbiter.takes_first(),
            has_rounds: !takes_all,
            board,
            capacity: switch.input_buffer_flits.unwrap_or(UNBOUNDED),
            wires: shares_wires.then(|| Wires::new(layout)),
            latest: Latest::default(),
            lines: Lines::new(),
            named: Vec::new(),
            claimed: Vec::new(),
        }
    }

    /// A node sends what it can, the packet at hand first.
    fn serve_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.sender(lead).0;
        while !self.board.is_closed(lead)
            && let Some((queue, id)) = self.board.at_hand(node)
        {
            if let Some(until) = act.in_vain_until(id) {
                return self.board.post_retry(lead, until, act.events);
            }
            let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
            let mut again = NEVER;
            let Some(channel) = self.find_channel(lead, tokens, &mut again, act).ok() else {
                if again != NEVER {
                    self.board.post_retry(lead, again, act.events);
                }
                if act.is_observed() {
                    self.observe_room(lead, id, act);
                }
                return;
            };
            if let Some(at) = act.fails_under(channel, id) {
                self.is_cut_off(channel, ChannelId::NONE, at, act);
                return self.board.post_retry(lead, at, act.events);
            }
            self.board.take_at_hand(node, queue, act);
            act.packets[id].first_sent = act.now;
            let end = self.start(channel, id, (ChannelId::NONE, tokens), act);
            self.board.leaves(channel, id, end, act);
        }
    }

    /// A packet starts on a channel, out of the buffer of an input (none: its node's queue); when it will
    /// have left the sending side.
    #[inline]
    fn start(
        &mut self,
        id: ChannelId,
        packet_id: PacketId,
        (input, tokens): (ChannelId, u32),
        act: &mut Act,
    ) -> Time {
        let (end, ready) = sets_off(id, packet_id, &self.board.at(id).port, act);
        self.takes_turn(id, (input, tokens), end, act.now);
        let channel = self.board.at_mut(id);
        channel.packets += 1;
        channel.busy += end - act.now;
        if channel.port.switch.is_some() {
            channel.occupied = channel.occupied.wrapping_add(tokens);
            channel.waiting += 1;
            if !channel.port.buffer.first.is_some() {
                act.events.post(ready, Event::Request(id.into()));
                self.notes_output(id, packet_id, act);
            }
        } else {
            comes_to_node(&mut self.board, id, packet_id, end, act);
        }
        self.board.at_mut(id).port.buffer.push(packet_id, act.packets);
        if input.is_some() && self.board.at(input).waits_for_room() {
            let place = self.board.at(input).rest.lead;
            self.board.post_retry(place, end, act.events);
        }
        end
    }

    /// Reads what a place will look at: its wire, and the packet that waits for it first.
    #[inline]
    fn prefetch_waiting(&self, place: ChannelId, packets: &PacketPool) {
        let mut lead = place;
        if let Some(wires) = &self.wires {
            wires.prefetch(place);
            lead = self.board.at(place).port.first_waiting;
        }
        if lead.is_some() {
            let first = self.board.at(lead).queue.first;
            if first.is_some() {
                black_box(packets[first].ready);
            }
        }
    }

    /// Reads what the start of a packet on an output will change: its wire, and the input that sent to it
    /// last.
    #[inline]
    fn prefetch_output(&self, output: ChannelId, wiring: &Wiring) {
        if wiring.routing.remembers() {
            black_box(wiring.layout.group(output).slot);
        }
        if let Some(wires) = &self.wires {
            wires.prefetch(output);
        }
        let from = self.board.at(output).from;
        if from.is_some() {
            let from = self.board.at(from);
            black_box((from.port.switch, from.rest.lead));
        }
    }

    /// A packet might start on an idle channel of a group, had that room.
    #[cold]
    #[inline(never)]
    fn observe_room(&self, lead: ChannelId, packet: PacketId, act: &mut Act) {
        let keeps = ChannelId::NONE;
        let group = act.wiring.layout.group(lead);
        if act.notes_room(packet, keeps)
            && let Some(channel) = group.channels().find(|&c| self.wire_free_at(c) <= act.now)
        {
            act.observe(Observation::LacksRoom { packet, channel, keeps });
        }
    }

    /// How things stand at every channel, and who waits in its buffer. A packet on its way through finishes.
    fn standings(&self, wiring: &Wiring, packets: &PacketPool) -> (Vec<Standing>, Vec<Vec<Front>>) {
        let mut fronts = vec![Vec::new(); self.board.channels.len()];
        for (channel, fronts) in self.board.channels.iter().zip(&mut fronts) {
            let lines = self.lines.of_input(channel.lines);
            fronts.extend(lines.map(|line| (self.lines.front(line), self.lines.at(line).lead)));
            if channel.port.switch.is_some() && channel.port.buffer.first.is_some() {
                fronts.push((channel.port.buffer.first, ChannelId::NONE));
            }
        }
        for (id, input, lead) in self.waiting_in_queues(wiring, packets) {
            fronts[input.index()].push((id, lead));
        }
        let standing = |number: usize| Standing {
            owner: PacketId::NONE,
            unsent: 0,
            room: match self.capacity {
                UNBOUNDED => u64::MAX,
                capacity => {
                    let stays = self.occupied_but(ChannelId::from_index(number), |_| true);
                    u64::from(capacity - stays)
                }
            },
            shut: false,
            output: ChannelId::NONE,
            front: fronts[number].first().map_or(PacketId::NONE, |&(id, _)| id),
        };
        ((0..self.board.channels.len()).map(standing).collect(), fronts)
    }
}

has_board!(QueuedKernel, Channel in board);

impl Switched for QueuedKernel {
    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        match self.board.at(lead).port.kind {
            ChannelKind::Injection | ChannelKind::Direct => {
                self.board.askers(lead, wiring, packets, askers);
            }
            ChannelKind::Internal | ChannelKind::Ejection => {
                let asker = |packet: PacketId, by: ChannelId| Asker {
                    packet,
                    since: packets[packet].ready,
                    by: by.0,
                };
                let first = self.board.at(lead).queue.first;
                if first.is_some() {
                    askers.push(asker(first, packets.came_by(first)));
                }
                let place = self.board.at(self.board.at(lead).rest.lead);
                let lines = self.lines.at_place(place.ends[0]);
                let lines = lines.filter(|&line| self.lines.at(line).lead == lead);
                askers.extend(
                    lines.map(|line| asker(self.lines.front(line), self.lines.at(line).input)),
                );
            }
        }
    }
}

impl Kernel for QueuedKernel {
    #[inline]
    fn prefetch(
        &self,
        events: impl Iterator<Item = Event> + Clone,
        packets: &PacketPool,
        wiring: &Wiring,
    ) {
        self.board.prefetch(events.clone(), packets);
        if self.board.is_large() {
            for event in events {
                match event {
                    Event::Retry(of) => self.prefetch_waiting(of.channel(), packets),
                    Event::Request(of) => {
                        let output = self.board.at(of.channel()).port.front_output;
                        if output.is_some() {
                            self.prefetch_output(output, wiring);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    #[inline]
    fn at_node(&self, event: Event, wiring: &Wiring) -> PacketId {
        self.board.at_node(event, wiring)
    }

    /// The first of those on their way to a buffer is ready.
    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        self.becomes_ready(of.channel(), act);
    }

    fn rerouted(&mut self, act: &mut Act) {
        self.goes_by_new_tables(act);
    }

    #[inline]
    fn arbitrate(&mut self, act: &mut Act) {
        if self.has_rounds {
            return self.act_in_rounds(act);
        }
        while let Some((lead, kind)) = self.board.next_marked() {
            match kind {
                ChannelKind::Injection | ChannelKind::Direct => self.serve_source(lead, act),
                ChannelKind::Internal | ChannelKind::Ejection => match &self.wires {
                    None if self.in_queues => self.serve_queue(lead, act),
                    Some(_) if self.in_queues => self.serve_wire(lead, act),
                    _ => self.serve_place(lead, act),
                },
            }
        }
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        for &channel in crossed {
            self.board.at_mut(channel).last = ChannelId::NONE;
        }
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn share(&mut self) -> bool {
        self.board.share();
        true
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        self.wire_free_at(channel)
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead = move |(number, channel): (usize, &Channel)| {
            (number, channel.free_at.saturating_sub(now))
        };
        Some(self.board.channels.changed().map(ahead))
    }

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let (standings, fronts) = self.standings(wiring, packets);
        deadlock::find_of_many(wiring, packets, (&standings, &fronts), Needs::Packet)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let receives = self.board.has_receivers();
        Traits { stretches: receives, receives, queues_by_output: true, ..Traits::default() }
    }
}
