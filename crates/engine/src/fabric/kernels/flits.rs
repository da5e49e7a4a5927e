//! Fidelity `flit`: every flit is simulated on every channel, whether it has a wire of its own,
//! shares one with other channels, or with those of the other direction.
//!
//! The only event of a flit is its start on a channel, and that of few: buffers have the times at
//! which their flits arrive and their places can be used again (`buffers.rs`), every wire knows when
//! one of its channels can send (`wires.rs`), and what nobody has to know yet is worked out later
//! (`deferring.rs`). Flow control is by credits or by STOP and GO (`stop_go.rs`); `integrated.rs` is
//! for nodes that are one with their switches, `granting.rs` says who is granted an output, and from
//! when on where that takes time. The rules are in `docs/model.md`.

mod accepts;
mod buffers;
mod deferring;
mod granting;
mod integrated;
mod lane;
mod observing;
mod running;
mod sending;
mod stop_go;
mod wires;

pub use accepts::{accepts, accepts_marks, accepts_network, accepts_signals};

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Accounts, Kernel, Switched, Traits};
use crate::fabric::kernels::lines::{LineId, Lines, Mark};
use crate::fabric::network::wires::most_on_a_wire;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Grants, Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::Use;
use crate::rare::rarely;
use crate::routing::Properties;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use buffers::{Buffers, Quiet};
use granting::Regrant;
use integrated::Integrated;
use lane::{Lane, Pace};
use observing::Observing;
use std::hint::black_box;
use stop_go::Gates;
use wires::Wires;

/// The real network, flit by flit.
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
    /// The least time of a flit.
    least_ps: Time,
    /// How long it is certain what a flit does that has started, whoever else begins to send: until it is
    /// at the switch at the end, or for good where nobody shares a wire.
    ahead_ps: Time,
    /// Where routing has an escape and credits take time: those that come back.
    lines: Lines<What>,
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
    /// Where flow control is STOP and GO.
    gates: Option<Gates>,
    /// Where nodes and switches are one.
    integrated: Option<Integrated>,
}

/// What happens a fixed time after it was caused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A credit has come back.
    Credit,
    /// A flit begins to arrive.
    Enters,
    /// A STOP is there.
    Stop,
    /// A GO is there.
    Go,
    /// A packet may start on the output it was granted after it had waited for it.
    Regranted,
    /// The last flit of a packet has been sent.
    Sent,
    /// A flit of a packet that ends at the switch it goes to is there.
    Came,
}

/// More channels than this do not fit a core's own cache.
const MANY_CHANNELS: usize = 1 << 12;

impl FlitsKernel {
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
        let gates = Gates::new(machine, wiring, &mut lines);
        // With STOP and GO places are there again as soon as flits have left.
        let credit_ps = if gates.is_none() { machine.link.credit_delay_ps } else { 0 };
        let places = gates.as_ref().map_or(capacity, |gates| gates.most_flits(wiring));
        let paces: Vec<Pace> = wiring.timings.iter().map(Pace::of).collect();
        let credit = (escapes && credit_ps > 0).then(|| lines.line(credit_ps, What::Credit));
        let integrated = Integrated::new(wiring, &paces, &mut lines);
        let mut wires = Wires::new(layout, machine.link.sharing, &mut board);
        let is_observed = accounts != Accounts::None;
        let observing = is_observed.then(|| Box::new(Observing::new(machine, &mut lines)));
        if is_observed {
            wires.tell_losers();
        }
        // Runs have distances in 32 bits, and wires know who sends in 64.
        let has_runs = most_on_a_wire(layout) <= wires::MOST_DEFERRED
            && wiring.timings.iter().all(|timing| u32::try_from(timing.flit_ps).is_ok());
        // Who keeps an account of waits, or has places for replies, needs every flit at its time, and so
        // does who tells since when nothing moves.
        let is_exact = is_observed
            || machine.interface.reply_queue.is_some()
            || machine.routing.allow_deadlock && !escapes && !layout.has_shared_wires();
        Self {
            buffers: Buffers::new(layout.channels(), places),
            wires,
            ahead_ps: if layout.has_shared_wires() {
                paces.iter().map(|pace| pace.least_ps + pace.delay_ps).min().unwrap_or(0)
            } else {
                NEVER
            },
            least_ps: paces.iter().map(|pace| pace.least_ps).min().unwrap_or(1),
            paces,
            quiet: Quiet::new(if weighs { layout.channels() } else { 0 }),
            board,
            credit_ps,
            is_deferring: !is_exact
                && gates.is_none()
                && (credit_ps > 0 || !layout.has_shared_wires())
                && !escapes
                && has_runs
                && integrated.is_none(),
            lines,
            credit,
            asking: Vec::new(),
            chosen: Vec::new(),
            observing,
            room_for_all: escapes.then_some(capacity),
            regrant: Regrant::new(machine, wiring),
            is_unbounded: machine.switch.is_unbounded(),
            gates,
            integrated,
        }
    }

    /// What is on lines for this instant; how much that is.
    #[inline(never)]
    fn take_from_lines(&mut self, act: &mut Act) -> u64 {
        let (mut count, mut from) = (0, 0);
        while let Some((line, what)) = self.lines.due(from, act.now) {
            while let Some((channel, mark)) = self.lines.take(line, act.now) {
                count += 1;
                self.happens(what, channel, mark, act);
            }
            from = line + 1;
        }
        self.lines.all_taken();
        count
    }

    /// What a line has for a channel at this instant.
    #[inline]
    fn happens(&mut self, what: What, channel: ChannelId, mark: Mark, act: &mut Act) {
        match what {
            What::Credit => self.mark_idle(channel),
            What::Enters => self.enters(channel, mark.number, act.now),
            What::Stop => self.stops(channel),
            What::Go => self.goes(channel, act),
            What::Regranted => self.may_start(channel),
            What::Sent => self.release(channel, act),
            What::Came => self.came(channel, act),
        }
    }
}

has_board!(FlitsKernel, Lane in board);

impl Switched for FlitsKernel {
    /// One of a list may ask when it is at its front.
    #[inline]
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.board.queue(id, act.wiring, act.packets, act.now, act.measures);
        self.may_ask_from_list(id, act);
    }

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
                self.release(channel, act);
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

    #[inline]
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        let channel = of.channel();
        match self.integrated {
            None => self.board.take_tail(channel, act),
            Some(_) => self.take_out(channel, act),
        }
    }
}

impl Kernel for FlitsKernel {
    const HAS_CLOCK: bool = true;

    /// A header is at the switch at a channel's end.
    #[inline]
    fn request(&mut self, from: Subject, act: &mut Act) {
        let channel = from.channel();
        if self.board.lists.has(channel) {
            return self.list_asks(channel, act);
        }
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
        let room = |channel: ChannelId, lane: &Lane| match &self.gates {
            Some(gates) => gates.room(channel),
            None => self.buffers.flits() - lane.used,
        };
        let standing = |(channel, lane): (ChannelId, &Lane)| Standing {
            owner: if has_sent(lane) { PacketId::NONE } else { lane.packet },
            unsent: lane.unsent.into(),
            room: room(channel, lane).into(),
            shut: false,
            output: goes_by(lane.output),
            front: lane.port.buffer.first,
        };
        let lanes = (0..).map(ChannelId).zip(self.board.channels.iter());
        let standings: Vec<_> = lanes.map(standing).collect();
        let nodes = self.board.nodes_with_groups(wiring);
        let needs = Needs::of_flits(self.room_for_all);
        deadlock::find_with_nodes(wiring, packets, (&standings, &nodes), needs)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let (lists, receives) = (self.board.lists.end(), self.board.has_receivers());
        let in_order = lists == 0;
        Traits { stretches: true, lists, receives, in_order, ..Traits::default() }
    }

    /// When something next happens that is on a line, or [`crate::time::NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        self.lines.next_time()
    }

    /// What is on lines for this instant; how much that is.
    #[inline]
    fn step(&mut self, act: &mut Act) -> u64 {
        if self.lines.next_time() == act.now { self.take_from_lines(act) } else { 0 }
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
            if rarely(self.integrated.is_some()) && !self.asking.is_empty() {
                // They have come to the front of their nodes' lists by this.
                self.note_requests(act);
                continue;
            }
            if !self.send_round(act) {
                return;
            }
        }
    }

    /// What is deferred has no end that is known.
    fn at_rest(&self, now: Time) -> Time {
        if self.is_deferring {
            return now;
        }
        let channels = (0..).map(ChannelId).zip(self.board.channels.iter());
        let ends = channels.map(|(channel, lane)| {
            lane.free_at.max(lane.starts_from).max(self.buffers.latest(channel, lane))
        });
        ends.fold(now, Time::max)
    }

    fn catch_up(&mut self, act: &mut Act) {
        if self.is_deferring {
            (0..self.wires.count()).for_each(|wire| self.send_until(wire, act.now, act));
        }
    }

    /// Channels and wires, then the packets at their fronts, what is in buffers, and the outputs
    /// asked for: within each pass no load waits for another.
    fn prefetch(
        &self,
        events: impl Iterator<Item = Event> + Clone,
        packets: &PacketPool,
        _: &Wiring,
    ) {
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

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        for &channel in crossed {
            debug_assert_eq!(self.board.at(channel).used, 0, "{channel:?}");
            self.wires.renew(&like.wires, self.board.at(channel).wire);
        }
        self.buffers.start_over();
        self.gates.is_none()
            && self.integrated.is_none()
            && self.board.renew(&like.board, crossed, past, act.wiring)
    }

    /// Lanes and wires are copied: a flit asks for many of them.
    fn share(&mut self) -> bool {
        self.buffers.share();
        false
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        let lane = self.board.at(channel);
        if lane.packet.is_some() && lane.unsent > 0 { NEVER } else { lane.free_at }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead =
            move |(number, lane): (usize, &Lane)| (number, lane.free_at.saturating_sub(now));
        Some(self.board.channels.changed().map(ahead))
    }
}
