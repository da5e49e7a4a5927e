//! Fidelity `token`: every token is simulated on every channel, with flow-control tokens in band.
//!
//! One event per token and channel: its end, which is usually its arrival as well. Packets leave a
//! switch through output buffers (`buffered.rs`). The rules are in `docs/model.md`.

mod accepts;
mod buffered;
mod lane;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::check::TOKENS_PER_GRANT;
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::kernels::lines::{LineId, Lines, Mark};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Switchboard, first_flit, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use lane::Lane;

/// The real network, token by token.
#[derive(Clone)]
pub struct TokensKernel {
    pub board: Switchboard<Lane>,
    lines: Lines<What>,
    rates: Vec<Rate>,
    /// By channel: its place in `rates`; empty where they are all the same.
    rate_of: Vec<u16>,
    /// By channel: the one of the other direction.
    opposite: Vec<ChannelId>,
    /// Places of an output buffer.
    output_buffer: u32,
    /// Channels that may be able to send at this instant.
    awake: Vec<ChannelId>,
    /// Channels whose front packets ask at this instant.
    asking: Vec<ChannelId>,
    /// Channels whose buffers' fronts have fallen free at this instant.
    freed: Vec<ChannelId>,
    /// Nodes that may be able to send, as their injection groups.
    nodes: Vec<ChannelId>,
    /// Whether input buffers have no bounds.
    is_unbounded: bool,
}

/// What happens a fixed time after it was caused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A token has been sent and is there.
    SentAndArrived,
    /// A token has been sent.
    Sent,
    /// A token is there.
    Arrived,
    /// A flow-control token has been sent and is there.
    ControlSentAndArrived,
    /// A flow-control token has been sent.
    ControlSent,
    /// A flow-control token is there.
    ControlArrived,
}

/// What a token starts on a channel of one rate.
#[derive(Clone)]
struct Rate {
    /// A packet's first token, those in its middle, its last.
    first: Journey,
    flit: Journey,
    last: Journey,
    control: Journey,
    /// From the start of a packet until the switch at the end may be asked.
    hop_ps: Time,
    /// Time a token is on the wire.
    wire_ps: Time,
}

/// How long a token takes, and where the end of that is noted.
#[derive(Clone, Copy)]
struct Journey {
    time: Time,
    sent: LineId,
    /// A line of its own for the arrival, if it is later.
    arrived: Option<LineId>,
}

impl TokensKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let capacity = machine.switch.input_buffer();
        let room = capacity % TOKENS_PER_GRANT;
        let credits = capacity - room;
        let layout = &wiring.layout;
        let board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| {
            Lane::idle(port, rest, credits, room)
        });
        let mut lines = Lines::new();
        let rates = wiring.timings.iter().map(|timing| Rate::new(timing, &mut lines)).collect();
        let rate_of = layout.group_of.iter().map(|group| layout.groups[group.index()].rate);
        Self {
            board,
            lines,
            rates,
            rate_of: if wiring.is_uniform() { Vec::new() } else { rate_of.collect() },
            opposite: layout.opposite(),
            output_buffer: machine.switch.output_buffer_flits,
            awake: Vec::new(),
            asking: Vec::new(),
            freed: Vec::new(),
            nodes: Vec::new(),
            is_unbounded: machine.switch.is_unbounded(),
        }
    }

    #[inline]
    fn rate(&self, channel: ChannelId) -> &Rate {
        &self.rates[self.rate_of.get(channel.index()).map_or(0, |&rate| usize::from(rate))]
    }

    /// A channel may be able to send: it is looked at before this instant ends.
    #[inline]
    fn wake(&mut self, channel: ChannelId) {
        if self.board.at_mut(channel).awakes() {
            self.awake.push(channel);
        }
    }

    /// A channel may send so many more tokens.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn credit(&mut self, channel: ChannelId, tokens: u32) {
        self.board.at_mut(channel).credits += tokens;
        self.wake(channel);
    }

    /// A token is in the buffer at a channel's end.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn arrived(&mut self, channel: ChannelId, mark: Mark) {
        let lane = self.board.at_mut(channel);
        if !lane.port.switch.is_some() {
            return self.makes_room(channel, 1);
        }
        lane.held += 1;
        let output = lane.output;
        if mark.ends_header {
            self.may_ask(channel);
        }
        if output.is_some() {
            self.move_tokens(output);
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

    /// The packet that left the buffer at a channel's end is out of it: the next may ask.
    #[inline]
    fn front_falls_free(&mut self, channel: ChannelId) {
        if channel.is_some() {
            let lane = self.board.at_mut(channel);
            lane.output = ChannelId::NONE;
            self.freed.push(channel);
            let lane = self.board.at(channel);
            if lane.headers > 0 {
                self.asking.push(channel);
            }
        }
    }

    /// Those that ask at this instant join the queues, in order of channel number.
    fn note_requests(&mut self, act: &mut Act) {
        self.asking.sort_unstable();
        if act.is_observed() {
            self.observe_requests(act);
        }
        if self.board.has_reply_places() {
            self.only_with_places(act);
        }
        self.freed.clear();
        self.board.join(&mut self.asking, act.packets);
    }

    /// Of those that ask at this instant those stand back whose nodes have no places for replies; those
    /// for which there are some now ask behind the others.
    #[cold]
    #[inline(never)]
    fn only_with_places(&mut self, act: &mut Act) {
        let (board, asking) = (&mut self.board, &mut self.asking);
        asking.retain(|&channel| !board.lacks_reply_place(channel, act.now, act));
        board.give_places((act.now, act.now), act, |_, channel| asking.push(channel));
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

    /// The front packet of `input` (none: the node's packet at hand) is to take a channel.
    fn assign(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        if input.is_some() {
            self.board.leave(input, act);
            let from = self.board.at_mut(input);
            from.headers -= 1;
            from.output = channel;
        }
        let lane = self.board.at_mut(channel);
        lane.input = input;
        lane.rest.own[0] += 1;
        self.board.enter(channel, id, act);
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
    fn happens(&mut self, what: What, channel: ChannelId, mark: Mark) {
        match what {
            What::SentAndArrived => {
                self.place_falls_free(channel);
                self.arrived(channel, mark);
            }
            What::Sent => self.place_falls_free(channel),
            What::Arrived => self.arrived(channel, mark),
            What::ControlSentAndArrived => {
                self.wake(channel);
                self.control_arrived(channel);
            }
            What::ControlSent => self.wake(channel),
            What::ControlArrived => self.control_arrived(channel),
        }
    }

    /// A token starts on a channel.
    #[inline]
    fn start(&mut self, channel: ChannelId, act: &mut Act) {
        let place = self.rate_of.get(channel.index()).map_or(0, |&rate| usize::from(rate));
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
        lane.credits -= 1;
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
                // The buffer it left has long fallen free.
                let at = self.board.at(channel).free_at;
                act.observe(Observation::Left { channel, at });
            }
        }
        let mark = Mark { ends_header, is_last, number: 0 };
        self.lines.post(journey.sent, act.now, channel, mark);
        if let Some(line) = journey.arrived {
            self.lines.post(line, act.now, channel, mark);
        }
    }
}

has_board!(TokensKernel, Lane in board);

impl Switched for TokensKernel {
    /// Nobody waits for a time to come.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    /// Its channels know.
    #[inline]
    fn is_settled(&self) -> bool {
        false
    }
}

impl Kernel for TokensKernel {
    const HAS_CLOCK: bool = true;

    /// Headers that have come ask by themselves ([`Self::step`]).
    fn request(&mut self, _: Subject, _: &mut Act) {}

    /// It is not known.
    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let receives = self.board.has_receivers();
        Traits { stretches: true, receives, in_order: true, ..Traits::default() }
    }

    /// When the next token has been sent or is there, or [`NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        self.lines.next_time()
    }

    /// Everything that happens to tokens at one instant; how many events that was.
    #[inline]
    fn step(&mut self, act: &mut Act) -> u64 {
        if self.lines.next_time() != act.now {
            return 0;
        }
        let (mut count, mut from) = (0, 0);
        while let Some((line, what)) = self.lines.due(from, act.now) {
            while let Some((channel, mark)) = self.lines.take(line, act.now) {
                count += 1;
                self.happens(what, channel, mark);
            }
            from = line + 1;
        }
        self.lines.all_taken();
        count
    }

    /// Requests, grants, and every channel that can send starts to.
    fn arbitrate(&mut self, act: &mut Act) {
        self.choose_buffered(act);
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

impl Rate {
    /// The rate of a channel with such times.
    fn new(timing: &Timing, lines: &mut Lines<What>) -> Self {
        let delay = timing.delay_ps();
        let mut journey = |time, together, sent, arrived, delay: Time| Journey {
            time,
            sent: lines.line(time, if delay == 0 { together } else { sent }),
            arrived: (delay > 0).then(|| lines.line(time + delay, arrived)),
        };
        let mut flit = |time| journey(time, What::SentAndArrived, What::Sent, What::Arrived, delay);
        let [first, body, last] = [timing.first_ps, timing.flit_ps, timing.last_ps].map(&mut flit);
        // A flow-control token is no packet's: no switch has to look at it.
        let (together, sent) = (What::ControlSentAndArrived, What::ControlSent);
        let control =
            journey(timing.control_ps, together, sent, What::ControlArrived, timing.wire_ps);
        Self { first, flit: body, last, control, hop_ps: timing.hop_ps, wire_ps: timing.wire_ps }
    }
}
