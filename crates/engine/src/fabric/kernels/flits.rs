//! Fidelity `flit` where virtual channels share wires, which flits cross in turn, or have wires of
//! their own and credits take time.
//!
//! The rules are those of `tokens.rs`, which also knows wires that both directions share, flow
//! control in band and integrated nodes. Here the only event of a flit is its start on a
//! channel: buffers have the times at which their flits arrive and their places can be used
//! again (`buffers.rs`), and every wire knows when one of its channels can send (`wires.rs`).

mod accepts;
mod buffers;
mod deferring;
mod lane;
mod observing;
mod pace;
mod quiet;
mod regrant;
mod running;
mod sending;
mod wires;

pub use accepts::{accepts, accepts_marks, accepts_network, accepts_signals};

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Accounts, Kernel, Switched, Traits};
use crate::fabric::kernels::lines::{LineId, Lines, What};
use crate::fabric::network::wires::most_on_a_wire;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Grants, Switchboard, has_board};
use crate::fabric::switch::weighing;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::rare::rare;
use crate::routing::Properties;
use crate::spec::{FlowControl, Machine};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use buffers::Buffers;
use lane::Lane;
use observing::Observing;
use pace::Pace;
use quiet::Quiet;
use regrant::Regrant;
use std::hint::black_box;
use wires::Wires;

/// The real network, flit by flit, where channels share wires.
#[derive(Clone)]
pub struct FlitsKernel {
    board: Switchboard<Lane>,
    buffers: Buffers,
    wires: Wires,
    paces: Vec<Pace>,
    quiet: Quiet,
    /// Time from when a flit leaves a buffer until another can start for its place.
    credit_ps: Time,
    /// Whether what is sent need not be known at once: credits take time, and nobody waits for
    /// room behind idle channels.
    is_deferring: bool,
    /// Whether it is known when the last flit has come, and the last credit.
    is_exact: bool,
    /// The least time of a flit.
    least_ps: Time,
    /// The least time from the start of a flit until it is at the switch at the end.
    ahead_ps: Time,
    /// Where routing has an escape and credits take time: those that come back.
    lines: Lines,
    credit: Option<LineId>,
    /// Channels whose front packets ask at this instant.
    asking: Vec<ChannelId>,
    /// Room for those that send at this instant.
    chosen: Vec<ChannelId>,
    /// Where an account is kept of waits.
    observing: Option<Box<Observing>>,
    /// Where routing has an escape: what a buffer holds. With it, a channel counts as free
    /// for a packet only if the buffer at its end is empty or has room for all of it.
    room_for_all: Option<u32>,
    /// Where it takes time to grant an output again.
    regrant: Option<Regrant>,
    /// Whether input buffers have no bounds.
    is_unbounded: bool,
}

/// More channels than this do not fit a core's own cache.
const MANY_CHANNELS: usize = 1 << 12;

/// Fewer flits of the longest packets are not deferred where every channel has a wire of its own.
const LEAST_FLITS: u32 = 8;

impl FlitsKernel {
    /// Whether this is what a machine needs.
    pub fn is_for(machine: &Machine, wiring: &Wiring, accounts: Accounts) -> bool {
        let layout = &wiring.layout;
        let in_rounds = wiring.routing.properties().escapes > 0;
        let take_turns = in_rounds || layout.has_shared_wires();
        machine.link.flow_control == FlowControl::OutOfBand
            && wiring.integrated_timing.is_none()
            && (take_turns || Self::is_for_wires_of_one(machine, wiring, accounts))
    }

    /// The same where no channels share a wire. Charges of flits depend on the order of channels within
    /// an instant there, and when nothing moves any more is known of single flits only. In networks full
    /// of short packets somebody waits for nearly every flit, so that nothing is gained.
    fn is_for_wires_of_one(machine: &Machine, wiring: &Wiring, accounts: Accounts) -> bool {
        accounts == Accounts::None
            && wiring.link.packet_flits(machine.interface.packet_bytes) >= LEAST_FLITS
            && machine.link.credit_delay_ps > 0
            && machine.interface.reply_queue.is_none()
            && !machine.routing.allow_deadlock
    }

    /// An empty network.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        accounts: Accounts,
        seed: u64,
    ) -> Self {
        let (layout, capacity) = (&wiring.layout, machine.switch.input_buffer());
        let &Properties { escapes, weighs, .. } = wiring.routing.properties();
        let escapes = escapes > 0;
        let mut board = Switchboard::new(machine, topology, wiring, seed, |group, port, rest| {
            Lane::idle(port, rest, group.rate)
        });
        let mut lines = Lines::new();
        let credit_ps = machine.link.credit_delay_ps;
        let paces: Vec<Pace> = wiring.timings.iter().map(Pace::of).collect();
        let credit = (escapes && credit_ps > 0).then(|| lines.line(credit_ps, What::Credit));
        let mut wires = Wires::new(layout, machine.link.sharing, &mut board);
        let is_observed = accounts == Accounts::OfWaits;
        if is_observed {
            wires.tell_losers();
        }
        // Runs have distances in 32 bits, and wires know who sends in 64.
        let has_runs = most_on_a_wire(layout) <= wires::MOST_DEFERRED
            && wiring.timings.iter().all(|timing| u32::try_from(timing.flit_ps).is_ok());
        // Who keeps an account of waits, or has places for replies, needs every flit at its time.
        let is_exact = is_observed || machine.interface.reply_queue.is_some();
        Self {
            buffers: Buffers::new(layout.channels(), capacity),
            wires,
            ahead_ps: paces.iter().map(|pace| pace.least_ps + pace.delay_ps).min().unwrap_or(0),
            least_ps: paces.iter().map(|pace| pace.least_ps).min().unwrap_or(1),
            paces,
            quiet: Quiet::new(if weighs { layout.channels() } else { 0 }),
            board,
            credit_ps,
            is_exact,
            is_deferring: !is_exact && credit_ps > 0 && !escapes && has_runs,
            lines,
            credit,
            asking: Vec::new(),
            chosen: Vec::new(),
            observing: is_observed.then(Box::default),
            room_for_all: escapes.then_some(capacity),
            regrant: Regrant::new(machine, wiring),
            is_unbounded: machine.switch.is_unbounded(),
        }
    }

    /// Those that ask at this instant join the queues, in order of channel number.
    fn note_requests(&mut self, act: &mut Act) {
        self.asking.sort_unstable();
        if act.wiring.routing.weighs() {
            for place in 0..self.asking.len() {
                let port = self.board.at(self.asking[place]).port;
                weighing::decide(port.switch, port.buffer.first, act, |channel, act| {
                    self.held(channel, act)
                });
            }
            for &channel in &self.asking {
                self.board.redirect(channel, act);
            }
        }
        if self.board.has_reply_places() {
            self.only_with_places(act);
        }
        if act.is_observed() {
            self.observe_requests(act);
        }
        if let Some(regrant) = rare(&mut self.regrant) {
            regrant.ask(&self.asking, act.now);
        }
        self.board.join(&mut self.asking, act.packets);
    }

    /// Of those that ask at this instant those stand back whose nodes have no places for replies; those
    /// for which there are some now ask behind the others.
    #[cold]
    #[inline(never)]
    fn only_with_places(&mut self, act: &Act) {
        let (board, asking) = (&mut self.board, &mut self.asking);
        asking.retain(|&channel| !board.lacks_reply_place(channel, act.now, act));
        board.give_places(act.now, act, |_, channel| asking.push(channel));
    }
}

has_board!(FlitsKernel, Lane in board);

impl Switched for FlitsKernel {
    /// A wire, named by the first of its channels, may have something to send.
    #[inline]
    fn retry(&mut self, of: Subject, act: &mut Act) {
        let wire = self.board.at(of.channel()).wire;
        if !self.is_deferring {
            let ended = match self.observing {
                None => self.wires.look(wire, act.now),
                Some(_) => self.wires.look_and_tell(wire, act.now),
            };
            if let Some(channel) = ended {
                self.release(channel);
            }
        } else if self.wires.is_looked_at(wire, act.now) {
            self.release_wanted(wire, act);
            self.wires.wake(wire);
        }
    }

    #[inline]
    fn is_settled(&self) -> bool {
        self.board.is_settled()
            && self.asking.is_empty()
            && self.wires.are_settled()
            && !self.board.has_reply_places()
    }
}

impl Kernel for FlitsKernel {
    const HAS_CLOCK: bool = true;

    /// A header is at the switch at a channel's end.
    #[inline]
    fn request(&mut self, from: Subject, act: &mut Act) {
        let channel = from.channel();
        let lane = self.board.at_mut(channel);
        lane.headers += 1;
        let (is_first, output) = (lane.headers == 1, lane.output);
        if is_first && !output.is_some() {
            self.asking.push(channel);
        } else if is_first && self.is_deferring && !self.has_ended(output, act) {
            self.want(output);
        }
    }

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        // A channel that has sent all of a packet may not have been told that it is free.
        let has_sent = |lane: &Lane| self.is_deferring && lane.unsent == 0;
        let goes_by = |output: ChannelId| {
            let is_left = output.is_some() && !has_sent(self.board.at(output));
            if is_left { output } else { ChannelId::NONE }
        };
        let standing = |lane: &Lane| Standing {
            owner: if has_sent(lane) { PacketId::NONE } else { lane.packet },
            unsent: lane.unsent.into(),
            room: u64::from(self.buffers.flits() - lane.used),
            shut: false,
            output: goes_by(lane.output),
            front: lane.port.buffer.first,
        };
        let standings: Vec<_> = self.board.channels.iter().map(standing).collect();
        let nodes = self.board.nodes_with_groups(wiring);
        let needs = Needs::of_flits(self.room_for_all);
        deadlock::find_with_nodes(wiring, packets, (&standings, &nodes), needs)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let receives = self.board.has_receivers();
        Traits { stretches: true, receives, in_order: true, ..Traits::default() }
    }

    /// When the next credit comes back that somebody may wait for, or [`crate::time::NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        self.lines.next_time()
    }

    /// Credits that come back; how many.
    fn step(&mut self, act: &mut Act) -> u64 {
        let mut count = 0;
        if let Some(line) = self.credit {
            while let Some((channel, _)) = self.lines.take(line, act.now) {
                count += 1;
                self.mark_idle(channel);
            }
            self.lines.all_taken();
        }
        count
    }

    /// Requests, grants, and every channel that can send starts to.
    fn arbitrate(&mut self, act: &mut Act) {
        if !self.asking.is_empty() || self.board.has_reply_places() {
            self.note_requests(act);
        }
        loop {
            while let Some((lead, kind)) = self.board.next_marked() {
                self.serve(lead, kind, act);
            }
            if self.is_deferring {
                return self.send_all(act);
            }
            if !self.send_round(act) {
                return;
            }
        }
    }

    /// What is deferred has no end that is known.
    fn at_rest(&self, now: Time) -> Time {
        if !self.is_exact {
            return now;
        }
        let channels = (0..).map(ChannelId).zip(&self.board.channels);
        let ends =
            channels.map(|(channel, lane)| lane.free_at.max(self.buffers.latest(channel, lane)));
        ends.fold(now, Time::max)
    }

    fn catch_up(&mut self, act: &mut Act) {
        if self.is_deferring {
            (0..self.wires.count()).for_each(|wire| self.send_until(wire, act.now, act));
        }
    }

    /// Channels and wires, then the packets at their fronts, what is in buffers, and the outputs
    /// asked for: within each pass no load waits for another.
    fn prefetch(&self, events: impl Iterator<Item = Event> + Clone, packets: &PacketPool) {
        if self.board.channels.len() < MANY_CHANNELS {
            return;
        }
        let due = events.filter_map(|event| Some(event.subject()?.channel()));
        for channel in due.clone() {
            let lane = self.board.at(channel);
            black_box((lane.port.switch, lane.headers));
        }
        let asked = due.filter_map(|channel| {
            let port = &self.board.at(channel).port;
            let asks = port.front_output.is_some() && port.buffer.first.is_some();
            asks.then_some((channel, port.front_output, port.buffer.first))
        });
        for (channel, output, front) in asked.clone() {
            let lane = self.board.at(channel);
            let output = self.board.at(output);
            black_box((self.buffers.flits_there(channel, lane).count, packets[front].ready));
            black_box((output.wire, output.turn));
        }
        for (_, output, _) in asked {
            let lane = self.board.at(output);
            let place = self.buffers.places_free(output, lane).count;
            black_box((place, self.wires.free_at(lane.wire)));
        }
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        let lane = self.board.at(channel);
        if lane.packet.is_some() && lane.unsent > 0 { NEVER } else { lane.free_at }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = Time>> {
        Some(self.board.channels.iter().map(move |lane| lane.free_at.saturating_sub(now)))
    }
}

impl Grants for FlitsKernel {
    #[inline]
    fn is_idle(channel: &Lane, _: Time) -> bool {
        !channel.packet.is_some()
    }

    #[inline]
    fn room_for_all(&self) -> Option<u32> {
        self.room_for_all
    }

    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        let width = self.board.open_channels(lead).len() as u32;
        if self.is_deferring && width > 0 && !self.find_idle(lead, width, act) {
            return None;
        }
        self.lowest_idle(lead, act)
    }

    fn room(&self, channel: ChannelId, now: Time) -> u32 {
        let lane = self.board.at(channel);
        let is_at_node = !lane.port.switch.is_some();
        if is_at_node { u32::MAX } else { self.buffers.room(channel, lane, now) }
    }

    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        let starts_from = self.starts_from(channel, id, input, act);
        if input.is_some() {
            self.board.leave(input, act);
            let from = self.board.at_mut(input);
            from.headers -= 1;
            from.output = channel;
        }
        let is_full = input.is_some() && self.is_full(input);
        self.quiet.ends(channel);
        self.board.enter(channel, id, act);
        let link = &act.wiring.link;
        let (flits, header) = (link.packet_flits(act.packets[id].bytes), link.header_flits);
        let lane = self.board.at_mut(channel);
        lane.input = input;
        lane.rest.own[0] += 1;
        lane.packet = id;
        lane.unsent = flits;
        lane.header_unsent = header;
        (lane.free_at, lane.starts_from) = (act.now, starts_from);
        lane.set_started(false);
        // Somebody may have waited since there was no packet that could leave the buffer.
        lane.set_awaited(is_full && self.is_deferring);
        let wire = lane.wire;
        self.wires.begins(lane, act.now);
        if self.is_deferring && self.wires.free_at(wire) > act.now {
            self.take_back(wire, act);
        }
        self.wires.wake(wire);
        if self.is_unbounded {
            self.has_room_for(channel, id, flits, act);
        }
        if !self.is_deferring {
            if act.is_observed() {
                self.observe_grant(channel, id, input, act);
            }
            self.may_send(channel, act);
        } else if input.is_some() && self.board.at(input).headers > 0 {
            self.want(channel);
        }
    }
}
