//! Fidelities `flit` and `token`: every flit is simulated on every channel.
//!
//! One event per flit and channel: its end, which is usually its arrival as well.
//! What differs is how a flit leaves a switch and how the sender learns of room:
//! `direct.rs` (fidelity `flit`: straight from the input buffer, flow control out of
//! band, by credits or, `stop_go.rs`, by STOP and GO) and `buffered.rs` (fidelity `token`:
//! through an output buffer, with flow-control tokens in band). `integrated.rs` is for nodes
//! that are one with their switches, `regrant.rs` for switches that take time to grant an
//! output again. The rules are in `docs/model.md`.

mod accepts;
mod buffered;
mod direct;
mod integrated;
mod lane;
mod regrant;
mod shared;
mod stop_go;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::check::TOKENS_PER_GRANT;
use crate::fabric::deadlock::{self, Needs};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::kernels::lines::{LineId, Lines, Mark, What};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Switchboard, first_flit, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::Use;
use crate::measure::blame::Observation;
use crate::spec::{Fidelity, FlowControl, Machine};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use integrated::Integrated;
use lane::Lane;
use regrant::Regrant;
use shared::Shared;
use stop_go::Gates;

/// The real network, flit by flit.
#[derive(Clone)]
pub struct TokensKernel {
    pub board: Switchboard<Lane>,
    lines: Lines,
    rates: Vec<Rate>,
    /// By channel: its place in `rates`; empty where they are all the same. Where nodes and
    /// switches are one, that of the packet it sends.
    rate_of: Vec<u16>,
    control: Control,
    /// Channels that may be able to send at this instant.
    awake: Vec<ChannelId>,
    /// Channels whose front packets ask at this instant.
    asking: Vec<ChannelId>,
    /// In band: channels whose buffers' fronts have fallen free at this instant.
    freed: Vec<ChannelId>,
    /// In band: nodes that may be able to send, as their injection groups.
    nodes: Vec<ChannelId>,
    /// Where channels share wires.
    shared: Option<Shared>,
    /// Where routing has an escape: what a buffer holds. With it, a channel counts as free
    /// for a packet only if the buffer at its end is empty or has room for all of it.
    room_for_all: Option<u32>,
    /// Flits an input buffer holds.
    capacity: u32,
    /// Where nodes and switches are one.
    integrated: Option<Integrated>,
    /// Where it takes time to grant an output again.
    regrant: Option<Regrant>,
    /// Whether input buffers have no bounds.
    is_unbounded: bool,
}

/// Flow control, and with it how switches are built.
#[derive(Clone)]
enum Control {
    /// Credits of single flits come back on this line; at once without a delay.
    OutOfBand { credit: Option<LineId> },
    /// STOP and GO.
    StopGo(Gates),
    /// Flow-control tokens.
    InBand {
        /// By channel: the one of the other direction.
        opposite: Vec<ChannelId>,
        /// Places of an output buffer.
        output_buffer: u32,
    },
}

/// What a flit starts on a channel of one rate.
#[derive(Clone)]
pub struct Rate {
    /// A packet's first flit, those in its middle, its last.
    pub first: Journey,
    pub flit: Journey,
    pub last: Journey,
    control: Journey,
    /// From the start of a packet until the switch at the end may be asked.
    pub hop_ps: Time,
    /// Time a flit is on the wire.
    pub wire_ps: Time,
}

/// How long a flit takes, and where the end of that is noted.
#[derive(Clone, Copy)]
pub struct Journey {
    pub time: Time,
    pub sent: LineId,
    /// A line of its own for the arrival, if it is later.
    pub arrived: Option<LineId>,
}

impl TokensKernel {
    /// An empty network.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        fidelity: Fidelity,
        seed: u64,
    ) -> Self {
        let capacity = machine.switch.input_buffer();
        let is_in_band = fidelity == Fidelity::Token;
        let is_stop_go = matches!(machine.link.flow_control, FlowControl::StopGo(_));
        let (mut credits, mut room) = (capacity, 0);
        if is_in_band {
            room = capacity % TOKENS_PER_GRANT;
            credits -= room;
        }
        if is_stop_go {
            credits = stop_go::GO;
        }
        let layout = &wiring.layout;
        let escapes = wiring.routing.properties().escapes > 0;
        let board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| {
            Lane::idle(port, rest, credits, room)
        });
        let mut lines = Lines::new();
        let control = if let FlowControl::StopGo(marks) = machine.link.flow_control {
            Control::StopGo(Gates::new(marks, capacity, wiring, &mut lines))
        } else if is_in_band {
            let output_buffer = machine.switch.output_buffer_flits;
            Control::InBand { opposite: layout.opposite(), output_buffer }
        } else {
            let delay = machine.link.credit_delay_ps;
            Control::OutOfBand { credit: (delay > 0).then(|| lines.line(delay, What::Credit)) }
        };
        let rate = |timing| Rate::new(timing, &mut lines, What::SentAndArrived, What::Arrived);
        let mut rates: Vec<Rate> = wiring.timings.iter().map(rate).collect();
        let rate_of = layout.group_of.iter().map(|group| layout.groups[group.index()].rate);
        let mut rate_of: Vec<u16> =
            if wiring.is_uniform() { Vec::new() } else { rate_of.collect() };
        let integrated = board.lists.are_used().then(|| {
            let both =
                wiring.timings.iter().flat_map(|timing| integrated::rates(timing, &mut lines));
            rates = both.collect();
            rate_of = vec![0; board.channels.len()];
            Integrated::new(wiring, &mut lines)
        });
        let regrant = Regrant::new(machine, wiring, &mut lines);
        Self {
            board,
            lines,
            rates,
            rate_of,
            control,
            awake: Vec::new(),
            asking: Vec::new(),
            freed: Vec::new(),
            nodes: Vec::new(),
            shared: Shared::new(layout, machine.link.sharing, escapes),
            room_for_all: escapes.then_some(capacity),
            capacity,
            integrated,
            regrant,
            is_unbounded: machine.switch.is_unbounded(),
        }
    }

    #[inline]
    fn rate(&self, channel: ChannelId) -> &Rate {
        &self.rates[self.rate_place(channel)]
    }

    /// The place of a channel's rate in `rates`.
    #[inline]
    fn rate_place(&self, channel: ChannelId) -> usize {
        self.rate_of.get(channel.index()).map_or(0, |&rate| usize::from(rate))
    }

    /// A channel may be able to send: it is looked at before this instant ends.
    #[inline]
    fn wake(&mut self, channel: ChannelId) {
        if self.board.at_mut(channel).awakes() {
            self.awake.push(channel);
        }
    }

    /// A channel may send so many more flits.
    // Inlined into its caller, like what else happens once per flit: 8 % fewer instructions.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn credit(&mut self, channel: ChannelId, flits: u32) {
        self.board.at_mut(channel).credits += flits;
        if self.room_for_all.is_some() {
            self.mark_idle(channel);
        }
        self.wake(channel);
    }

    /// Somebody may wait for the room behind an idle channel.
    #[inline(never)]
    fn mark_idle(&mut self, channel: ChannelId) {
        let lane = self.board.at(channel);
        if !lane.packet.is_some() {
            self.board.mark(lane.rest.lead);
        }
    }

    /// A flit has been sent completely.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn sent(&mut self, channel: ChannelId, mark: Mark, act: &mut Act) {
        if self.shared.is_some() {
            self.wake_sharing(channel);
        }
        match self.control {
            Control::InBand { .. } => self.place_falls_free(channel),
            _ if mark.is_last => self.release(channel, act),
            _ => self.wake(channel),
        }
    }

    /// A flit is in the buffer at a channel's end.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn arrived(&mut self, channel: ChannelId, mark: Mark, act: &Act) {
        let lane = self.board.at_mut(channel);
        if !lane.port.switch.is_some() {
            return self.consumed(channel);
        }
        lane.held += 1;
        let output = lane.output;
        if mark.ends_header {
            match self.integrated.as_ref().and_then(|integrated| integrated.arbitrates) {
                Some(line) => self.lines.post(line, act.now, channel, Mark::default()),
                None => self.may_ask(channel),
            }
        }
        if output.is_some() {
            self.goes_on(output);
        }
    }

    /// The header of a packet is there, in the buffer at a channel's end.
    #[inline]
    fn may_ask(&mut self, channel: ChannelId) {
        let lane = self.board.at_mut(channel);
        lane.headers += 1;
        if !lane.output.is_some() && lane.headers == 1 {
            self.asking.push(channel);
        }
    }

    /// The front packet of the buffer at a channel's end has a flit for its output.
    #[inline]
    fn goes_on(&mut self, output: ChannelId) {
        match self.control {
            Control::InBand { .. } => self.move_tokens(output),
            _ => self.wake(output),
        }
    }

    /// The packet that left the buffer at a channel's end is out of it: the next may ask.
    #[inline]
    fn front_falls_free(&mut self, channel: ChannelId) {
        if channel.is_some() {
            let lane = self.board.at_mut(channel);
            lane.output = ChannelId::NONE;
            if matches!(self.control, Control::InBand { .. }) {
                self.freed.push(channel);
            }
            let lane = self.board.at(channel);
            if lane.headers > 0 {
                self.asking.push(channel);
            }
        }
    }

    /// Those that ask at this instant join the queues, in order of channel number.
    fn note_requests(&mut self, act: &mut Act) {
        self.asking.sort_unstable();
        if act.wiring.routing.weighs() {
            for &channel in &self.asking {
                let held = |channel| self.capacity - self.board.at(channel).credits;
                self.board.decide(channel, act, held);
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
        self.freed.clear();
        if let Some(regrant) = &mut self.regrant {
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

    /// What is to be noted of those that ask at this instant.
    #[cold]
    #[inline(never)]
    fn observe_requests(&self, act: &mut Act) {
        for &buffer in &self.freed {
            act.observe(Observation::Cleared { buffer, at: act.now });
        }
        for &channel in &self.asking {
            self.board.observe_request(channel, act);
        }
    }

    /// It is known when the packet that a channel sends has left it.
    #[cold]
    #[inline(never)]
    fn observe_end(&self, channel: ChannelId, act: &mut Act) {
        let Lane { input, free_at: at, .. } = *self.board.at(channel);
        act.observe(Observation::Left { channel, at });
        if !matches!(self.control, Control::InBand { .. }) {
            // In band the buffer it left has long fallen free.
            act.observe(Observation::Cleared { buffer: input, at });
        }
    }

    /// The front packet of `input` (none: the node's packet at hand) is to take a channel.
    fn assign(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        let mut input = input;
        if self.board.lists.has(input) {
            self.leave_list(input, act);
            input = ChannelId::NONE;
        } else if input.is_some() {
            self.board.leave(input, act);
            let from = self.board.at_mut(input);
            from.headers -= 1;
            from.output = channel;
        }
        let lane = self.board.at_mut(channel);
        lane.input = input;
        lane.rest.own[0] += 1;
        self.board.enter(channel, id, act);
        if self.integrated.is_some() {
            self.may_come_home(channel, id, act);
        }
        act.observe(Observation::Granted { packet: id, channel });
    }

    /// A packet begins to be sent by a channel.
    #[inline]
    fn begin(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let link = &act.wiring.link;
        let (flits, header) = (link.packet_flits(act.packets[id].bytes), link.header_flits);
        let lane = self.board.at_mut(channel);
        lane.packet = id;
        lane.unsent = flits;
        lane.header_unsent = header;
        lane.set_started(false);
        if self.is_unbounded && lane.credits < flits {
            act.packets.overfills(id, channel);
        }
    }

    /// What a line has for a channel at this instant.
    // Inlined into its only caller, once for all lines.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn happens(&mut self, what: What, channel: ChannelId, mark: Mark, act: &mut Act) {
        match what {
            What::SentAndArrived => {
                self.sent(channel, mark, act);
                self.arrived(channel, mark, act);
            }
            What::Sent => self.sent(channel, mark, act),
            What::Arrived => self.arrived(channel, mark, act),
            What::SentAndCame => {
                self.sent(channel, mark, act);
                self.came(channel, act);
            }
            What::Came => self.came(channel, act),
            What::MayAsk if self.board.lists.has(channel) => self.list_asks(channel, act),
            What::MayAsk => self.may_ask(channel),
            What::Credit => self.credit(channel, 1),
            What::Enters => self.enters(channel, mark.number, act.now),
            What::Stop => self.stops(channel),
            What::Go => self.goes(channel),
            What::Regranted => self.may_start(channel),
            What::ControlSentAndArrived => {
                self.wake(channel);
                self.control_arrived(channel);
            }
            What::ControlSent => self.wake(channel),
            What::ControlArrived => self.control_arrived(channel),
        }
    }

    /// A flit starts on a channel.
    #[inline]
    fn start(&mut self, channel: ChannelId, act: &mut Act) {
        let place = self.rate_place(channel);
        let rate = &self.rates[place];
        let lane = self.board.at_mut(channel);
        let is_last = lane.unsent == 1;
        let mut journey = if is_last { rate.last } else { rate.flit };
        if !lane.has_started() {
            lane.set_started(true);
            journey = rate.first;
            first_flit(channel, lane.packet, lane.port.kind, act.now, rate.hop_ps, act);
        }
        let ends_header = lane.header_unsent == 1;
        lane.header_unsent = lane.header_unsent.saturating_sub(1);
        lane.unsent -= 1;
        lane.free_at = act.now + journey.time;
        lane.busy += journey.time;
        if lane.stalled_from != NEVER {
            let stalled = act.now - std::mem::replace(&mut lane.stalled_from, NEVER);
            act.measures.kept(channel, lane.port.kind, stalled);
        }
        act.measures.transmits(lane.port.kind, act.now, lane.free_at);
        let is_at_node = !lane.port.switch.is_some();
        let is_in_band = matches!(self.control, Control::InBand { .. });
        let enters = match &mut self.control {
            Control::StopGo(_) if is_at_node => None,
            Control::StopGo(gates) => gates.starts(channel, place),
            _ => {
                if is_in_band || !is_at_node {
                    lane.credits -= 1;
                }
                None
            }
        };
        let (id, there) = (lane.packet, lane.free_at + rate.wire_ps);
        if is_at_node && ends_header {
            self.board.post_header(channel, id, there, act);
        }
        if is_at_node && is_last {
            self.board.post_tail(channel, id, there, act);
        }
        if is_last {
            self.board.leaves(channel, id, self.board.at(channel).free_at, act);
            if act.is_observed() {
                self.observe_end(channel, act);
            }
        }
        if let Some((line, number)) = enters {
            self.lines.post(line, act.now, channel, Mark { number, ..Mark::default() });
        }
        let mark = Mark { ends_header, is_last, number: 0 };
        self.lines.post(journey.sent, act.now, channel, mark);
        if let Some(line) = journey.arrived
            && (is_in_band || !is_at_node)
        {
            self.lines.post(line, act.now, channel, mark);
        }
    }
}

has_board!(TokensKernel, Lane in board);

impl Switched for TokensKernel {
    /// One of a list may ask when it is at its front.
    #[inline]
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.board.queue(id, act.wiring, act.packets, act.now, act.measures);
        self.may_ask_from_list(id, act);
    }

    /// Nobody waits for a time to come.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    /// Its channels know.
    #[inline]
    fn is_settled(&self) -> bool {
        false
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

impl Kernel for TokensKernel {
    const HAS_CLOCK: bool = true;

    /// Headers that have come ask by themselves ([`Self::step`]).
    fn request(&mut self, _: Subject, _: &mut Act) {}

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let nodes = self.board.nodes_with_groups(wiring);
        let needs = Needs::of_flits(self.room_for_all);
        let find = |standings: Vec<_>| {
            deadlock::find_with_nodes(wiring, packets, (&standings, &nodes), needs)
        };
        self.standings().map(find).unwrap_or_default()
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let (lists, receives) = (self.board.lists.end(), self.board.has_receivers());
        let in_order = lists == 0;
        Traits { stretches: true, lists, receives, in_order, ..Traits::default() }
    }

    /// When the next flit has been sent or is there, or [`NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        self.lines.next_time()
    }

    /// Everything that happens to flits at one instant; how many events that was.
    #[inline]
    fn step(&mut self, act: &mut Act) -> u64 {
        if self.lines.next_time() != act.now {
            return 0;
        }
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

    /// Requests, grants, and every channel that can send starts to.
    fn arbitrate(&mut self, act: &mut Act) {
        match self.control {
            Control::InBand { .. } => self.choose_buffered(act),
            _ => self.choose_direct(act),
        }
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        if let (Some(shared), Some(as_in)) = (&mut self.shared, &like.shared) {
            shared.renew(as_in, crossed);
        }
        // A receiver in band has told of room when packets have come: not as at the start.
        let is_as_before = !matches!(self.control, Control::InBand { .. });
        is_as_before
            && self.regrant.is_none()
            && self.board.renew(&like.board, crossed, past, act.wiring)
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

impl Rate {
    /// The rate of a channel whose flits have been `sent`, are `there`, or both `together`.
    pub fn new(
        timing: &crate::fabric::network::timing::Timing,
        lines: &mut Lines,
        together: What,
        there: What,
    ) -> Self {
        let delay = timing.delay_ps();
        let mut journey = |time, together, sent, arrived, delay: Time| Journey {
            time,
            sent: lines.line(time, if delay == 0 { together } else { sent }),
            arrived: (delay > 0).then(|| lines.line(time + delay, arrived)),
        };
        let mut flit = |time| journey(time, together, What::Sent, there, delay);
        let [first, body, last] = [timing.first_ps, timing.flit_ps, timing.last_ps].map(&mut flit);
        // A flow-control token is no packet's: no switch has to look at it.
        let (together, sent) = (What::ControlSentAndArrived, What::ControlSent);
        let control =
            journey(timing.control_ps, together, sent, What::ControlArrived, timing.wire_ps);
        Self { first, flit: body, last, control, hop_ps: timing.hop_ps, wire_ps: timing.wire_ps }
    }
}
