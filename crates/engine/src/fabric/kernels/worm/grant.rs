//! A packet gets a channel; in the common case that settles all of its times there.

use super::WormKernel;
use super::channel::Channel;
use super::stretches::is_reached;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::{Grants, sets_out};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::time::{NEVER, Time};

impl WormKernel {
    /// A packet gets a channel and leaves `input` (none: its node's queue). `INTEGRATED`: nodes
    /// and switches are one, so that it may leave a list or end there.
    // Two functions, as every hop passes here: that with nodes at switches asks nothing more.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn assign<const INTEGRATED: bool>(
        &mut self,
        id: ChannelId,
        packet_id: PacketId,
        mut input: ChannelId,
        act: &mut Act,
    ) {
        if INTEGRATED && self.board.lists.has(input) {
            self.leave_list(input, act);
            input = ChannelId::NONE;
        }
        if input.is_some() {
            self.forget_credits(input, act.now);
            self.board.leave(input, act);
            self.board.at_mut(input).output = id;
        }
        self.forget_starts(id, act.now);
        let flits = self.main.packet_flits(act.packets[packet_id].bytes);
        let channel = self.board.at_mut(id);
        channel.base = channel.base.wrapping_add(channel.flits);
        channel.flits = flits;
        channel.known = 0;
        channel.owner = packet_id;
        channel.input = input;
        channel.since = act.now;
        channel.packets += 1;
        self.board.enter(id, packet_id, act);
        let ends = INTEGRATED && self.comes_home(id, act);
        if !self.run_through(id, packet_id, act) {
            if self.is_unbounded {
                self.note_overfull(id, packet_id, act);
            }
            if act.is_observed() {
                self.observe_grant(id, packet_id, act);
            }
            self.stale.push(id);
        } else if ends {
            self.deliver(id, act);
        }
        if !self.stale.is_empty() {
            self.advance_all(act);
        }
    }

    /// With a packet it has been granted to, a channel may have sent more flits that have not
    /// left the buffer at its end than that can hold for want of numbers.
    #[inline(never)]
    fn note_overfull(&self, id: ChannelId, packet_id: PacketId, act: &mut Act) {
        let channel = self.board.at(id);
        let there = channel.base.wrapping_add(channel.flits).wrapping_sub(channel.departed);
        if channel.port.switch.is_some() && there > self.buffer {
            act.packets.overfills(packet_id, id);
        }
    }

    /// The same where nodes and switches are one.
    #[inline(never)]
    fn assign_integrated(
        &mut self,
        id: ChannelId,
        packet_id: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) {
        self.assign::<true>(id, packet_id, input, act);
    }

    /// The common case, worked out at once: nothing stands in the way of any flit of
    /// the packet that a channel has just been granted to. False if something may.
    // Inlined into its caller, as every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
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
        let rate = self.main;
        let released = act.now + rate.flit_ps * u64::from(flits - 1) + rate.last_ps;
        act.observe(Observation::RunsThrough { packet: owner, channel: id, until: released });
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
        sets_out(id, owner, kind, act.now, rate.hop_ps, act);
        self.board.leaves(id, owner, released, act);
        self.header_is_known(id, owner, act.now + rate.hop_ps, act);
        self.end_is_known(id, released, act);
        if input.is_some() && self.board.channels[input.index()].owner.is_some() {
            self.stale.push(input);
        }
        true
    }

    /// A packet has been granted a channel, and may lack a credit for its first flit.
    #[cold]
    #[inline(never)]
    fn observe_grant(&self, id: ChannelId, packet: PacketId, act: &mut Act) {
        act.observe(Observation::Granted { packet, channel: id });
        if !self.has_credit(id, act.now) {
            self.board.observe_room(packet, || Some(id), act);
        }
    }

    /// Whether every flit of a packet in the buffer of `input` is there in time if the
    /// packet starts now.
    #[allow(clippy::inline_always)]
    #[inline(always)]
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
            all_straight || from.since + self.main.delay_ps() <= now
        } else {
            // The latest packet was granted the channel when this one had been sent.
            let latest = if from.is_straight() { from.straight_from } else { from.since };
            self.main.delay_ps() == 0 || latest + self.main.delay_ps() <= now
        }
    }

    /// Whether the credits of all flits of a channel's owner have come back.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn all_have_credits(&self, id: ChannelId, now: Time) -> bool {
        let channel = &self.board.channels[id.index()];
        let last = channel.base.wrapping_add(channel.flits - 1).wrapping_sub(self.buffer);
        !is_reached(channel.departed, last) && self.credit_back(id, last) <= now
    }
}

impl Grants for WormKernel {
    #[inline]
    fn is_idle(channel: &Channel, now: Time) -> bool {
        channel.is_idle(now)
    }

    /// The lowest-numbered idle channel of a group that has a credit, else the
    /// lowest-numbered idle one. If there is none, sees to it that the group looks
    /// again as soon as one is known to be.
    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        let output = &self.board.at(lead).port;
        if output.is_closed() {
            return None;
        }
        let width = u32::from(output.width);
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
            self.board.post_retry(self.board.at(lead).rest.lead, again, act.events);
        }
        idle
    }

    /// Places of the buffer at a channel's end whose credits have come back.
    fn room(&self, id: ChannelId, now: Time) -> u32 {
        let channel = self.board.at(id);
        if !channel.port.switch.is_some() {
            return u32::MAX;
        }
        self.credits_before(id, channel.next_flit(), now)
    }

    #[inline]
    fn grant(&mut self, id: ChannelId, packet_id: PacketId, input: ChannelId, act: &mut Act) {
        if self.board.lists.are_used() {
            self.assign_integrated(id, packet_id, input, act);
        } else {
            self.assign::<false>(id, packet_id, input, act);
        }
    }
}
