//! What becomes known of a packet on a channel, and what follows from that.

use super::WormKernel;
use super::channel::Channel;
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::timing::Timing;
use crate::fabric::switch::switchboard::first_flit;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::time::Time;

impl WormKernel {
    /// Works out everything that has become known.
    #[inline(never)]
    pub(super) fn advance_all(&mut self, act: &mut Act) {
        while let Some(stale) = self.stale.pop() {
            self.advance(stale, act);
        }
    }

    /// Works out what has become known of a channel's owner.
    #[inline]
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
        if before < self.main.header_flits {
            self.beginning_is_known(id, before, known, act);
        }
        if known == flits {
            let last = self.board.at(id).next_flit().wrapping_sub(1);
            let released = self.start(id, last) + self.rate(id).last_ps;
            if act.is_observed() {
                let buffer = self.board.at(id).input;
                act.observe(Observation::Left { channel: id, at: released });
                act.observe(Observation::Cleared { buffer, at: released });
            }
            self.board.leaves(id, owner, released, act);
            self.end_is_known(id, released, act);
        }
        self.tell_dependants(id, owner, before);
        if self.board.at(id).is_delivering() {
            self.deliver(id, act);
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

    /// Flits from number `before` on up to `known` of a channel's owner are known, the first
    /// of them part of its header.
    fn beginning_is_known(&mut self, id: ChannelId, before: u32, known: u32, act: &mut Act) {
        let rate = *self.rate(id);
        let channel = self.board.at(id);
        let (owner, base, flits) = (channel.owner, channel.base, channel.flits);
        if before == 0 {
            let (kind, start) = (channel.port.kind, self.start(id, base));
            first_flit(id, owner, kind, start, rate.hop_ps, act);
        }
        if rate.header_flits <= known {
            let there = self.header_there(id, base, flits, &rate);
            self.header_is_known(id, owner, there, act);
        }
    }

    /// It is known when the whole header of a channel's owner will be at its end.
    #[inline]
    pub(super) fn header_is_known(
        &mut self,
        id: ChannelId,
        owner: PacketId,
        there: Time,
        act: &mut Act,
    ) {
        let channel = &self.board.channels[id.index()];
        if !channel.port.switch.is_some() {
            let rate = self.rate(id);
            let (delay, wire) = (rate.asks_after_ps(), rate.wire_ps);
            self.board.post_header(id, owner, there - delay + wire, act);
        } else if channel.port.buffer.first == owner && !channel.output.is_some() {
            act.events.post(there.max(channel.front_free), Event::Request(id.into()));
        }
    }

    /// When the header of a packet is at the switch at a channel's end.
    #[inline]
    fn header_there(&self, id: ChannelId, base: u32, flits: u32, rate: &Timing) -> Time {
        let end = base.wrapping_add(rate.header_flits - 1);
        let sent = if rate.header_flits == flits { rate.last_ps } else { rate.flit_ps };
        self.start(id, end) + sent + rate.asks_after_ps()
    }

    /// All times of a channel's owner are known.
    #[inline]
    pub(super) fn end_is_known(&mut self, id: ChannelId, released: Time, act: &mut Act) {
        let channel = self.board.at_mut(id);
        let owner = std::mem::replace(&mut channel.owner, PacketId::NONE);
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
            let wire = self.rate(id).wire_ps;
            self.board.post_tail(id, owner, released + wire, act);
        }
        if input.is_some() {
            self.front_falls_free(input, released, act);
        }
    }

    /// The packet that leaves the buffer at a channel's end will be out of it: the next
    /// may ask as soon as its header is there.
    // Inlined into its callers, of which one is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn front_falls_free(&mut self, id: ChannelId, at: Time, act: &mut Act) {
        let channel = self.board.at_mut(id);
        channel.output = ChannelId::NONE;
        channel.front_free = at;
        let channel = self.board.at(id);
        let front = channel.port.buffer.first;
        if !front.is_some() {
            return;
        }
        if self.board.front_ends(id) {
            self.begin_delivery(id, act);
            return self.deliver(id, act);
        }
        let rate = *self.rate(id);
        if channel.owner == front && channel.known < rate.header_flits {
            return;
        }
        let flits = rate.packet_flits(act.packets[front].bytes);
        let there = self.header_there(id, channel.departed, flits, &rate);
        act.events.post(there.max(at), Event::Request(id.into()));
    }
}
