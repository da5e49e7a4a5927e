//! Flits that start when they can, each an event; and packets that have been sent.

use super::FlitsKernel;
use super::lane::Lane;
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::Mark;
use crate::fabric::switch::switchboard::Grants;
use crate::ids::{ChannelId, PacketId};
use crate::rare::rarely;
use crate::time::{NEVER, Time};

impl FlitsKernel {
    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    pub(super) fn release(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        lane.packet = PacketId::NONE;
        let (input, lead) = (lane.input, lane.rest.lead);
        if lane.is_wanted() {
            lane.set_wanted(false);
            self.wires.is_free(lane);
        }
        if rarely(self.integrated.is_some()) {
            self.next_leaves(input, act);
        } else {
            self.front_falls_free(input);
        }
        self.board.mark(lead);
    }

    /// The packet that left the buffer at a channel's end, if any, is out of it: the next may ask.
    #[inline]
    pub(super) fn front_falls_free(&mut self, channel: ChannelId) {
        if channel.is_some() {
            let from = self.board.at_mut(channel);
            from.output = ChannelId::NONE;
            if from.headers > 0 {
                self.asking.push(channel);
            }
        }
    }

    /// From when on a channel can send the next flit of its packet, if the wire is free;
    /// [`NEVER`] as long as that is not known.
    #[inline]
    pub(super) fn ready_at(&self, channel: ChannelId, lane: &Lane) -> Time {
        if lane.unsent == 0 || lane.used == self.buffers.flits() || lane.is_stopped() {
            return NEVER;
        }
        let is_at_node = !lane.port.switch.is_some();
        let credit = if is_at_node { 0 } else { self.buffers.places_free(channel, lane).first };
        let from = if lane.has_started() { 0 } else { lane.starts_from };
        let credit = credit.max(from);
        if !lane.input.is_some() {
            return credit;
        }
        let from = self.board.at(lane.input);
        if from.used == 0 {
            NEVER
        } else {
            credit.max(self.buffers.flits_there(lane.input, from).first)
        }
    }

    /// A packet has been granted a channel with a buffer without bounds: if there is no room for it, the
    /// run cannot go on.
    #[inline(never)]
    pub(super) fn has_room_for(
        &mut self,
        channel: ChannelId,
        packet: PacketId,
        flits: u32,
        act: &mut Act,
    ) {
        self.find_room(channel, act);
        if self.room(channel, act.now) < flits {
            act.packets.overfills(packet, channel);
        }
    }

    /// Whether all places of the buffer at a channel's end are taken.
    #[inline]
    pub(super) fn is_full(&self, channel: ChannelId) -> bool {
        self.board.at(channel).used == self.buffers.flits()
    }

    /// It may be known now from when on a channel can send; its wire is looked at then.
    #[inline]
    pub(super) fn may_send(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = &self.board.channels[channel.index()];
        if lane.unsent > 0 {
            let at = self.ready_at(channel, lane);
            self.wires.ready(lane, at, act.now, act.events);
        }
    }

    /// All that can start at this instant starts, in rounds: what one flit leaves behind may be
    /// a credit at once, with which another can start in the next round. Whether any could.
    #[inline]
    pub(super) fn send_round(&mut self, act: &mut Act) -> bool {
        if self.wires.are_settled() {
            return false;
        }
        if rarely(self.observing.is_some()) {
            self.send_observed(act);
            return true;
        }
        let mut chosen = std::mem::take(&mut self.chosen);
        let board = &self.board;
        self.wires
            .choose(act.now, &mut chosen, act.events, |channel| board.at(channel).has_started());
        for &channel in &chosen {
            self.send::<false>(channel, act);
        }
        chosen.clear();
        self.chosen = chosen;
        true
    }

    /// A channel starts its packet's next flit now, and others are told what follows. If it is told who
    /// has to wait, the wire is looked at by whoever calls.
    #[inline]
    pub(super) fn send<const TELLS: bool>(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        let (input, output, wire) = (lane.input, lane.output, lane.wire);
        let (was_empty, is_last) = (lane.used == 0, lane.unsent == 1);
        let is_first = !lane.has_started();
        let was_full = input.is_some() && self.is_full(input);
        self.send_run(channel, (act.now, 0), 1, act);
        if was_empty && output.is_some() {
            self.may_send(output, act);
        }
        if rarely(self.gates.is_some()) {
            self.counts(channel, input, act);
        }
        let is_integrated = rarely(self.integrated.is_some());
        if is_integrated {
            self.is_under_way(channel, (is_first, is_last), act);
        }
        if input.is_some() {
            self.has_left(input, (1, was_full), act);
        }
        let tells_end = is_last && !is_integrated;
        let lane = self.board.at(channel);
        let next = self.ready_at(channel, lane);
        self.wires.set_ready(lane.turn as usize, next);
        if TELLS {
            self.wires.set_told(lane.turn as usize, next);
            if tells_end {
                self.wires.ends_and_tells(lane);
            }
            return self.wakes_others(channel, act);
        }
        if tells_end {
            self.wires.ends(lane, act.events);
        }
        if self.wires.ending(wire).is_none() {
            let next = self.wires.next_start(wire);
            self.wires.look_next(wire, next, act.events);
        }
    }

    /// So many flits have left the buffer at a channel's end, which was full or not: somebody may wait
    /// for their places.
    #[inline]
    pub(super) fn has_left(
        &mut self,
        channel: ChannelId,
        (count, was_full): (u32, bool),
        act: &mut Act,
    ) {
        if was_full {
            self.may_send(channel, act);
        }
        if self.room_for_all.is_some() {
            match self.credit {
                Some(line) => {
                    (0..count).for_each(|_| {
                        self.lines.post(line, act.now, channel, Mark::default());
                    });
                }
                None => self.mark_idle(channel),
            }
        }
    }

    /// Somebody may wait for the room behind an idle channel.
    pub(super) fn mark_idle(&mut self, channel: ChannelId) {
        let lane = self.board.at(channel);
        if !lane.packet.is_some() {
            self.board.mark(lane.rest.lead);
        }
    }
}
