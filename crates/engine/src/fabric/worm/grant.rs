//! A packet gets a channel; in the common case that settles all of its times there.

use super::super::switchboard::{Act, first_flit};
use super::WormFabric;
use super::stretches::is_reached;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

impl WormFabric {
    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    #[inline]
    pub(super) fn grant(
        &mut self,
        id: ChannelId,
        packet_id: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) {
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
        channel.flits = self.main.empty_flits + bytes;
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
        if !self.stale.is_empty() {
            self.advance_all(act);
        }
    }

    /// The front packet of a buffer is granted `output`.
    #[inline]
    pub(super) fn begins_to_leave(&mut self, id: ChannelId, output: ChannelId, act: &mut Act) {
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

    /// The common case, worked out at once: nothing stands in the way of any flit of
    /// the packet that a channel has just been granted to. False if something may.
    #[inline]
    pub(super) fn run_through(&mut self, id: ChannelId, owner: PacketId, act: &mut Act) -> bool {
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
        self.header_is_known(id, owner, act.now + rate.hop, act);
        self.end_is_known(id, released, act);
        if input.is_some() && self.board.channels[input.index()].owner.is_some() {
            self.stale.push(input);
        }
        true
    }

    /// Whether every flit of a packet in the buffer of `input` is there in time if the
    /// packet starts now.
    #[inline]
    pub(super) fn all_are_there(&self, owner: PacketId, input: ChannelId, now: Time) -> bool {
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
            all_straight || from.since + self.main.delay <= now
        } else {
            // The latest packet was granted the channel when this one had been sent.
            let latest = if from.is_straight() { from.straight_from } else { from.since };
            self.main.delay == 0 || latest + self.main.delay <= now
        }
    }

    /// Whether the credits of all flits of a channel's owner have come back.
    #[inline]
    pub(super) fn all_have_credits(&self, id: ChannelId, now: Time) -> bool {
        let channel = &self.board.channels[id.index()];
        let last = channel.base.wrapping_add(channel.flits - 1).wrapping_sub(self.buffer);
        !is_reached(channel.departed, last) && self.credit_back(id, last) <= now
    }
}
