//! Fidelity `worm`: the times of `flit`, packet by packet.
//!
//! The time of a flit on a channel depends on three earlier ones: the flit before
//! it, its own on the channel before, and that of the flit whose place in the next
//! buffer it takes. A packet's times on a channel are worked out as far as those
//! are known ([`WormFabric::advance`]), and further whenever one of them becomes known;
//! most packets take one step per channel. A time once known never changes.
//!
//! `recurrence.rs` evaluates the times; the rules are in `docs/model.md`.

mod channel;
mod recurrence;
mod stretches;

use super::Wiring;
use super::switchboard::{Act, Switchboard, first_flit};
use crate::error::SpecError;
use crate::event_queue::Kind;
use crate::ids::{ChannelId, PacketId};
use crate::measure::{ChannelKind, Use};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use channel::Channel;
use stretches::{Ring, Stretch, Stretches, is_reached};

/// The real network, worm by worm.
pub struct WormFabric {
    pub board: Switchboard<Channel>,
    stretches: Stretches,
    /// By channel: times of flits that do not follow from its record.
    rings: Vec<Rings>,
    rates: Vec<Rate>,
    /// By channel: its place in `rates`; empty where there is only one, and the last
    /// flit of a packet is not longer than others.
    rate_of: Vec<u8>,
    /// Flits of a packet's header.
    header_flits: u32,
    /// Flits an input buffer holds.
    buffer: u32,
    credit_delay: Time,
    /// Channels whose owner may know more.
    stale: Vec<ChannelId>,
}

/// Times of flits that are not those of a packet that goes straight.
///
/// Of packets before the latest, only times that may still lie ahead are kept.
#[derive(Clone, Copy, Default)]
struct Rings {
    /// When flits start on the channel.
    starts: Ring,
    /// When the places of flits in the buffer at its end may be used again.
    credits: Ring,
}

/// The times of flits on channels of one rate.
#[derive(Clone, Copy)]
struct Rate {
    flit: Time,
    last: Time,
    /// From when a flit has been sent until it is at the switch at the end.
    delay: Time,
    hop: Time,
    wire: Time,
    header_flits: u32,
    empty_flits: u32,
}

impl WormFabric {
    /// An empty network.
    ///
    /// # Errors
    /// Flits too long for the way times are kept.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let buffer = machine.switch.input_buffer_tokens;
        let rates: Vec<Rate> = wiring.timings.iter().map(Rate::new).collect();
        check(&rates)?;
        let layout = &wiring.layout;
        let board = Switchboard::new(machine, topology, layout, seed, |_, port, rest| {
            Channel::idle(port, rest, buffer)
        });
        let rate_of = layout.group_of.iter().map(|group| layout.groups[group.index()].rate);
        let is_simple = wiring.is_uniform() && rates[0].last <= rates[0].flit;
        Ok(Self {
            rings: vec![Rings::default(); board.channels.len()],
            board,
            stretches: Stretches::default(),
            rates,
            rate_of: if is_simple { Vec::new() } else { rate_of.collect() },
            header_flits: machine.link.header_bytes,
            buffer,
            credit_delay: machine.link.credit_delay_ps,
            stale: Vec::new(),
        })
    }

    #[inline]
    fn rate(&self, channel: ChannelId) -> &Rate {
        let place = self.rate_of.get(channel.index()).map_or(0, |&rate| usize::from(rate));
        &self.rates[place]
    }

    /// The front packet of a channel's buffer asks for its output.
    #[inline]
    pub fn request(&mut self, channel: ChannelId, act: &mut Act) {
        let lead = self.board.at(channel).port.front_output;
        let output = self.board.at(lead);
        let (is_alone, is_idle) = (output.port.width == 1, output.is_idle(act.now));
        if is_alone
            && is_idle
            && !output.port.first_waiting.is_some()
            && self.board.arbiter.takes_first()
        {
            // Requests of one instant come in order of channel number: this is the best.
            let id = self.board.at(channel).port.buffer.first;
            return self.grant(lead, id, channel, act);
        }
        let (is_released, at) = (!output.owner.is_some(), output.since);
        self.board.wait(channel);
        if !is_alone || is_idle {
            self.board.mark(lead);
        } else if is_released {
            self.board.post_retry(lead, at, act.events);
        }
    }

    /// A group that had to wait looks again: every request of this instant is known.
    #[inline]
    pub fn retry(&mut self, lead: ChannelId, act: &mut Act) {
        self.board.forget_retry(lead, act.now);
        let kind = self.board.at(lead).port.kind;
        self.serve(lead, kind, act);
    }

    /// Every group marked at this instant grants what it can.
    #[inline]
    pub fn arbitrate(&mut self, act: &mut Act) {
        while let Some((lead, kind)) = self.board.next_marked() {
            self.serve(lead, kind, act);
        }
    }

    #[inline]
    fn serve(&mut self, lead: ChannelId, kind: ChannelKind, act: &mut Act) {
        match kind {
            ChannelKind::Injection | ChannelKind::Direct => self.grant_source(lead, act),
            ChannelKind::Internal | ChannelKind::Ejection => self.grant_output(lead, act),
        }
    }

    fn grant_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(lead).from;
        while let Some((queue, id)) = self.board.at_hand(node) {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            self.board.take_at_hand(node, queue, act);
            self.grant(channel, id, ChannelId::NONE, act);
        }
    }

    fn grant_output(&mut self, lead: ChannelId, act: &mut Act) {
        while self.board.at(lead).port.first_waiting.is_some() {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            let input = self.board.take_best(lead, act);
            let id = self.board.at(input).port.buffer.first;
            self.grant(channel, id, input, act);
        }
    }

    /// The lowest-numbered idle channel of a group that has a credit, else the
    /// lowest-numbered idle one. If there is none, sees to it that the group looks
    /// again as soon as one is known to be.
    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        let width = u32::from(self.board.at(lead).port.width);
        let mut idle = None;
        let mut again = NEVER;
        for candidate in (lead.0..lead.0 + width).map(ChannelId) {
            let channel = self.board.at(candidate);
            if channel.is_idle(act.now) {
                if width == 1 || self.has_credit(candidate, act.now) {
                    return Some(candidate);
                }
                idle = idle.or(Some(candidate));
            } else if !channel.owner.is_some() {
                again = again.min(channel.since);
            }
        }
        if idle.is_none() && again != NEVER {
            self.board.post_retry(lead, again, act.events);
        }
        idle
    }

    /// Whether a credit for the next flit was made before this instant and is there.
    fn has_credit(&self, id: ChannelId, now: Time) -> bool {
        let channel = self.board.at(id);
        if !channel.port.switch.is_some() {
            return true;
        }
        let place = channel.next_flit().wrapping_sub(self.buffer);
        if is_reached(channel.departed, place) {
            return false;
        }
        let back = self.credit_back(id, place);
        back < now || back == now && self.credit_delay > 0
    }

    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    #[inline]
    fn grant(&mut self, id: ChannelId, packet_id: PacketId, input: ChannelId, act: &mut Act) {
        if input.is_some() {
            self.begins_to_leave(input, id, act);
        }
        act.measures.counters.packet_hops += 1;
        let packet = &mut act.packets[packet_id];
        packet.hops += 1;
        let (destination, bytes) = (packet.destination, packet.bytes);
        self.forget_starts(id, act.now);
        let channel = &mut self.board.channels[id.index()];
        channel.base = channel.base.wrapping_add(channel.flits);
        channel.flits = self.rates[0].empty_flits + bytes;
        channel.known = 0;
        channel.owner = packet_id;
        channel.input = input;
        channel.since = act.now;
        channel.packets += 1;
        if channel.port.switch.is_some() && !channel.port.buffer.first.is_some() {
            channel.port.front_output = act.wiring.output_lead(channel.port.switch, destination);
        }
        channel.port.buffer.push(packet_id, act.packets);
        if !self.run_through(id, packet_id, act) {
            self.stale.push(id);
        }
        while let Some(stale) = self.stale.pop() {
            self.advance(stale, act);
        }
    }

    /// The front packet of a buffer is granted `output`.
    #[inline]
    fn begins_to_leave(&mut self, id: ChannelId, output: ChannelId, act: &mut Act) {
        self.forget_credits(id, act.now);
        let channel = &mut self.board.channels[id.index()];
        channel.port.buffer.pop(act.packets);
        channel.output = output;
        let next = channel.port.buffer.first;
        if next.is_some() {
            channel.port.front_output =
                act.wiring.output_lead(channel.port.switch, act.packets[next].destination);
        }
    }

    /// A channel is to be granted again: its packets so far have been sent. Their times
    /// matter no more, unless their last flits are still on the way.
    #[inline]
    fn forget_starts(&mut self, id: ChannelId, now: Time) {
        let delay = self.rate(id).delay;
        let channel = &mut self.board.channels[id.index()];
        if channel.since + delay > now {
            if channel.is_straight() {
                self.keep_straight_starts(id, now);
            }
        } else if channel.keeps_starts() {
            channel.set_keeps_starts(false);
            self.rings[id.index()].starts.clear();
        }
        self.board.channels[id.index()].set_straight(false);
    }

    /// The next packet begins to leave a buffer: those before it have left. Their
    /// credits matter no more, unless they are still on the way.
    #[inline]
    fn forget_credits(&mut self, id: ChannelId, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        if channel.front_free + self.credit_delay > now {
            if channel.left_straight() {
                self.keep_straight_credits(id);
            }
        } else if channel.keeps_credits() {
            channel.set_keeps_credits(false);
            self.rings[id.index()].credits.clear();
        }
        self.board.channels[id.index()].set_left_straight(false);
    }

    /// The latest flits of a channel go straight no more: their times are kept apart.
    fn keep_straight_starts(&mut self, id: ChannelId, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        let (at, first) = (channel.straight_from, channel.straight_first());
        channel.set_straight(false);
        self.keep_start(id, Stretch { at, first, spacing: self.rates[0].flit as u32 }, now);
    }

    /// The same of the flits that left the buffer at its end last, and their credits.
    fn keep_straight_credits(&mut self, id: ChannelId) {
        let channel = &mut self.board.channels[id.index()];
        let (at, first) = (channel.left_from, channel.left_first());
        channel.set_left_straight(false);
        self.keep_credit(id, Stretch { at, first, spacing: self.rates[0].flit as u32 });
    }

    /// Flits start on a channel at the times of a stretch.
    ///
    /// Earlier stretches are dropped that are past, and of flits whose next channel's
    /// times are known.
    fn keep_start(&mut self, id: ChannelId, stretch: Stretch, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        channel.set_keeps_starts(true);
        let (departed, is_at_node) = (channel.departed, !channel.port.switch.is_some());
        let ring = &mut self.rings[id.index()].starts;
        let is_used = |next: Stretch| is_at_node || is_reached(next.first, departed);
        self.stretches.drop_while(ring, |next| next.at <= now && is_used(next));
        self.stretches.push(ring, stretch);
    }

    /// Credits of a channel come back at the times of a stretch.
    ///
    /// Earlier stretches are dropped that are of credits used already.
    fn keep_credit(&mut self, id: ChannelId, stretch: Stretch) {
        let channel = &mut self.board.channels[id.index()];
        channel.set_keeps_credits(true);
        let place = channel.next_flit().wrapping_sub(self.buffer);
        let ring = &mut self.rings[id.index()].credits;
        self.stretches.drop_while(ring, |next| is_reached(next.first, place));
        self.stretches.push(ring, stretch);
    }

    /// The common case, worked out at once: nothing stands in the way of any flit of
    /// the packet that a channel has just been granted to. False if something may.
    #[inline]
    fn run_through(&mut self, id: ChannelId, owner: PacketId, act: &mut Act) -> bool {
        let channel = &self.board.channels[id.index()];
        let (input, flits, is_at_node) =
            (channel.input, channel.flits, !channel.port.switch.is_some());
        if !self.rate_of.is_empty()
            || !self.all_are_there(owner, input, act.now)
            || !is_at_node && !self.all_have_credits(id, act.now)
        {
            return false;
        }
        let rate = self.rates[0];
        let released = act.now + rate.flit * u64::from(flits - 1) + rate.last;
        let channel = &mut self.board.channels[id.index()];
        channel.known = flits;
        channel.go_straight(channel.base, act.now);
        channel.busy += released - act.now;
        let kind = channel.port.kind;
        act.measures.transmits(kind, act.now, released);
        if input.is_some() {
            let from = &mut self.board.channels[input.index()];
            from.leave_straight(from.departed, act.now + self.credit_delay);
            from.departed = from.departed.wrapping_add(flits);
        }
        first_flit(id, owner, kind, act.now, rate.hop, act);
        self.header_is_known(id, owner, act.now + rate.hop, &rate, act);
        self.end_is_known(id, released, &rate, act);
        if input.is_some() && self.board.channels[input.index()].owner.is_some() {
            self.stale.push(input);
        }
        true
    }

    /// Whether every flit of a packet in the buffer of `input` is there in time if the
    /// packet starts now.
    #[inline]
    fn all_are_there(&self, owner: PacketId, input: ChannelId, now: Time) -> bool {
        if !input.is_some() {
            return true;
        }
        let from = &self.board.channels[input.index()];
        if from.owner == owner {
            return false;
        }
        // Its number of the packet's first flit is that of the first not departed.
        if from.departed == from.base {
            let all_straight = from.is_straight() && from.straight_first() == from.base;
            all_straight || from.since + self.rates[0].delay <= now
        } else {
            // The latest packet was granted the channel when this one had been sent.
            let latest = if from.is_straight() { from.straight_from } else { from.since };
            self.rates[0].delay == 0 || latest + self.rates[0].delay <= now
        }
    }

    /// Whether the credits of all flits of a channel's owner have come back.
    #[inline]
    fn all_have_credits(&self, id: ChannelId, now: Time) -> bool {
        let channel = &self.board.channels[id.index()];
        let last = channel.base.wrapping_add(channel.flits - 1).wrapping_sub(self.buffer);
        !is_reached(channel.departed, last) && self.credit_back(id, last) <= now
    }

    /// Works out what has become known of a channel's owner.
    fn advance(&mut self, id: ChannelId, act: &mut Act) {
        let channel = self.board.at(id);
        let owner = channel.owner;
        if !owner.is_some() {
            return;
        }
        let (before, flits) = (channel.known, channel.flits);
        let known = self.within_reach(channel);
        if known <= before {
            return;
        }
        if !self.stays_straight(id, known, act) && !self.flows_on(id, known, act) {
            self.evaluate(id, known, act);
        }
        if before < self.header_flits {
            self.beginning_is_known(id, before, known, act);
        }
        if known == flits {
            let rate = *self.rate(id);
            let last = self.board.at(id).next_flit().wrapping_sub(1);
            self.end_is_known(id, self.start(id, last) + rate.last, &rate, act);
        }
        self.tell_dependants(id, owner, before);
    }

    /// Flits from number `before` on up to `known` of a channel's owner are known, the first
    /// of them part of its header.
    fn beginning_is_known(&mut self, id: ChannelId, before: u32, known: u32, act: &mut Act) {
        let rate = *self.rate(id);
        let channel = self.board.at(id);
        let (owner, base, flits) = (channel.owner, channel.base, channel.flits);
        if before == 0 {
            let (kind, start) = (channel.port.kind, self.start(id, base));
            first_flit(id, owner, kind, start, rate.hop, act);
        }
        if rate.header_flits <= known {
            let there = self.header_there(id, base, flits, &rate);
            self.header_is_known(id, owner, there, &rate, act);
        }
    }

    /// The channels whose owners may now know more than before the last step from `before`
    /// on: the one the packet goes on by, if it lacked these flits, and the one whose packets
    /// wait for room in the buffer it leaves, if they lacked that room.
    #[inline]
    fn tell_dependants(&mut self, id: ChannelId, owner: PacketId, before: u32) {
        let channel = &self.board.channels[id.index()];
        let (input, more) = (channel.input, channel.known - before);
        if channel.output.is_some() {
            let output = &self.board.channels[channel.output.index()];
            if output.owner == owner && output.known == before {
                self.stale.push(channel.output);
            }
        }
        if input.is_some() {
            let from = &self.board.channels[input.index()];
            let room = from.departed.wrapping_sub(more).wrapping_add(self.buffer);
            if from.owner.is_some() && from.next_flit() == room {
                self.stale.push(input);
            }
        }
    }

    /// How many of the owner's flits can be worked out.
    #[inline]
    fn within_reach(&self, channel: &Channel) -> u32 {
        let mut reach = channel.flits;
        if channel.input.is_some() {
            let input = self.board.at(channel.input);
            if input.owner == channel.owner {
                reach = reach.min(input.known);
            }
        }
        if channel.port.switch.is_some() {
            let room = channel.departed.wrapping_add(self.buffer).wrapping_sub(channel.base);
            reach = reach.min(room);
        }
        reach
    }

    /// It is known when the whole header of a channel's owner will be at its end.
    #[inline]
    fn header_is_known(
        &mut self,
        id: ChannelId,
        owner: PacketId,
        there: Time,
        rate: &Rate,
        act: &mut Act,
    ) {
        let channel = &self.board.channels[id.index()];
        if !channel.port.switch.is_some() {
            self.board.post_header(id, owner, there - rate.delay + rate.wire, act);
        } else if channel.port.buffer.first == owner && !channel.output.is_some() {
            act.events.post(there.max(channel.front_free), Kind::Request, id.0);
        }
    }

    /// When the header of a packet is at the switch at a channel's end.
    #[inline]
    fn header_there(&self, id: ChannelId, base: u32, flits: u32, rate: &Rate) -> Time {
        let end = base.wrapping_add(rate.header_flits - 1);
        let sent = if rate.header_flits == flits { rate.last } else { rate.flit };
        self.start(id, end) + sent + rate.delay
    }

    /// All times of a channel's owner are known.
    #[inline]
    fn end_is_known(&mut self, id: ChannelId, released: Time, rate: &Rate, act: &mut Act) {
        let channel = self.board.at_mut(id);
        channel.owner = PacketId::NONE;
        channel.since = released;
        let (input, lead) = (channel.input, channel.rest.lead);
        let is_asked = match channel.port.kind {
            ChannelKind::Injection | ChannelKind::Direct => {
                self.board.at_hand(act.wiring.layout.group(lead).from).is_some()
            }
            _ => self.board.at(lead).port.first_waiting.is_some(),
        };
        if is_asked {
            self.board.post_retry(lead, released, act.events);
        }
        if !self.board.at(id).port.switch.is_some() {
            act.events.post(released + rate.wire, Kind::Tail, id.0);
        }
        if input.is_some() {
            self.front_falls_free(input, released, act);
        }
    }

    /// The packet that leaves the buffer at a channel's end will be out of it: the next
    /// may ask as soon as its header is there.
    #[inline]
    fn front_falls_free(&mut self, id: ChannelId, at: Time, act: &mut Act) {
        let channel = self.board.at_mut(id);
        channel.output = ChannelId::NONE;
        channel.front_free = at;
        let channel = self.board.at(id);
        let front = channel.port.buffer.first;
        if !front.is_some() {
            return;
        }
        let rate = *self.rate(id);
        if channel.owner == front && channel.known < rate.header_flits {
            return;
        }
        let flits = rate.empty_flits + act.packets[front].bytes;
        let there = self.header_there(id, channel.departed, flits, &rate);
        act.events.post(there.max(at), Kind::Request, id.0);
    }

    /// What every channel has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Vec<Use> {
        let past = |(channel, ahead): (&Channel, Time)| Use {
            busy_ps: channel.busy - ahead,
            packets: channel.packets,
        };
        self.board.channels.iter().zip(self.overhang(now)).map(past).collect()
    }

    /// For every channel, transmission already counted that lies after `now`: of its
    /// latest packet, as no other is granted before that has been sent.
    pub fn overhang(&self, now: Time) -> impl Iterator<Item = Time> {
        let ids = (0..self.board.channels.len()).map(ChannelId::from_index);
        ids.map(move |id| self.ahead(id, now))
    }

    fn ahead(&self, id: ChannelId, now: Time) -> Time {
        let (channel, rate) = (self.board.at(id), self.rate(id));
        let flits = (0..channel.known).rev();
        let ahead = flits.map(|flit| {
            let start = self.start(id, channel.base.wrapping_add(flit));
            let takes = if flit + 1 == channel.flits { rate.last } else { rate.flit };
            (start + takes).saturating_sub(now).min(takes)
        });
        ahead.take_while(|&time| time > 0).sum()
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        for id in (0..self.board.channels.len()).map(ChannelId::from_index) {
            let ahead = self.ahead(id, now);
            let channel = self.board.at_mut(id);
            channel.busy = ahead;
            channel.packets = 0;
        }
    }
}

impl Rate {
    fn new(timing: &super::Timing) -> Self {
        Self {
            flit: timing.flit_ps,
            last: timing.last_ps,
            delay: timing.delay_ps(),
            hop: timing.hop_ps,
            wire: timing.wire_ps,
            header_flits: timing.header_tokens,
            empty_flits: timing.packet_tokens(0),
        }
    }
}

/// Refuses what does not fit the way times are kept.
fn check(rates: &[Rate]) -> Result<(), SpecError> {
    for rate in rates {
        if u32::try_from(rate.flit).is_err() {
            let allowed = "must give flits of at most 4 ms with fidelity worm; use flit";
            return Err(SpecError::new("machine.link.bit_ps", rate.flit, allowed));
        }
    }
    Ok(())
}
