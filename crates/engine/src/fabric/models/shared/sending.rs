//! Flits that start.

use super::lane::Lane;
use super::{Pace, SharedFabric};
use crate::event_queue::Event;
use crate::fabric::models::flit::lines::Mark;
use crate::fabric::switch::switchboard::{Act, first_flit};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl SharedFabric {
    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    pub(super) fn release(&mut self, channel: ChannelId) {
        let lane = self.board.at_mut(channel);
        lane.packet = PacketId::NONE;
        let (input, lead) = (lane.input, lane.rest.lead);
        if input.is_some() {
            let from = self.board.at_mut(input);
            from.output = ChannelId::NONE;
            if from.headers > 0 {
                self.asking.push(input);
            }
        }
        self.board.mark(lead);
    }

    /// From when on a channel can send the next flit of its packet, if the wire is free;
    /// [`NEVER`] as long as that is not known.
    #[inline]
    pub(super) fn ready_at(&self, channel: ChannelId, lane: &Lane) -> Time {
        if lane.unsent == 0 || lane.used == self.buffers.flits() {
            return NEVER;
        }
        let is_at_node = !lane.port.switch.is_some();
        let credit = if is_at_node { 0 } else { self.buffers.free(channel, lane) };
        let from = if lane.has_started() { 0 } else { lane.free_at };
        let credit = credit.max(from);
        if !lane.input.is_some() {
            return credit;
        }
        let from = self.board.at(lane.input);
        if from.used == 0 { NEVER } else { credit.max(self.buffers.first(lane.input, from)) }
    }

    /// It may be known now from when on a channel can send; its wire is looked at then if
    /// somebody `waits` for that.
    #[inline]
    pub(super) fn may_send(&mut self, channel: ChannelId, waits: bool, act: &mut Act) {
        let lane = &self.board.channels[channel.index()];
        if lane.unsent > 0 {
            let at = self.ready_at(channel, lane);
            if waits {
                self.wires.ready(lane, at, act.now, act.events);
                if at == NEVER && self.is_deferring {
                    // Now it waits for something else.
                    self.wires.wake(lane.wire);
                }
            } else {
                self.wires.set_ready(lane.turn as usize, at);
            }
        }
    }

    /// All that can start at this instant starts, in rounds: what one flit leaves behind may be
    /// a credit at once, with which another can start in the next round. Whether any could.
    #[inline]
    pub(super) fn send_round(&mut self, act: &mut Act) -> bool {
        if self.wires.are_settled() {
            return false;
        }
        let mut chosen = std::mem::take(&mut self.chosen);
        let board = &self.board;
        self.wires
            .choose(act.now, &mut chosen, act.events, |channel| board.at(channel).has_started());
        for &channel in &chosen {
            self.send(channel, act.now, act);
            let wire = self.board.at(channel).wire;
            if self.wires.ending(wire).is_none() {
                let next = self.wires.next_start(wire);
                self.wires.look_next(wire, next, act.events);
            }
        }
        chosen.clear();
        self.chosen = chosen;
        true
    }

    /// A channel starts its packet's next flit at `now`, which may have passed.
    #[inline]
    pub(super) fn send(&mut self, channel: ChannelId, now: Time, act: &mut Act) {
        let lane = &mut self.board.channels[channel.index()];
        let pace = &self.paces[usize::from(lane.rate)];
        let waits = !self.is_deferring || lane.is_awaited();
        lane.set_awaited(false);
        let (id, kind, input) = (lane.packet, lane.port.kind, lane.input);
        lane.unsent -= 1;
        let is_last = lane.unsent == 0;
        debug_assert!(now == act.now || !is_last && lane.header_unsent == 0);
        let mut time = if is_last { pace.last_ps } else { pace.flit_ps };
        let kept = now - lane.free_at;
        if !lane.has_started() {
            lane.set_started(true);
            time = pace.first_ps;
            first_flit(channel, id, kind, now, pace.hop_ps, act);
        }
        let end = now + time;
        lane.free_at = end;
        lane.busy += time;
        let ends_header = lane.header_unsent == 1;
        lane.header_unsent = lane.header_unsent.saturating_sub(1);
        if kept > 0 {
            act.measures.kept(channel, kind, kept);
        }
        act.measures.transmits(kind, now, end);
        if lane.port.switch.is_some() {
            let is_first = lane.used == 0;
            let there = end + pace.delay_ps;
            self.buffers.comes(channel, lane, there);
            let output = lane.output;
            if ends_header {
                act.events.post(there, Event::Request(channel.into()));
            }
            if is_first && output.is_some() {
                self.may_send(output, waits, act);
            }
        } else if is_last || ends_header {
            self.reaches_node(channel, id, (ends_header, is_last), end, act);
        }
        if is_last {
            act.leaves(channel, id, end);
        }
        if input.is_some() {
            self.leaves_buffer(input, now, waits, act);
        }
        let lane = &self.board.channels[channel.index()];
        let next = self.ready_at(channel, lane);
        self.wires.sends(lane, end, next);
        if is_last {
            self.wires.ends(lane, act.events);
        }
    }

    /// The end of a packet's header, or of all of it, is on its way to a node.
    #[inline]
    fn reaches_node(
        &mut self,
        channel: ChannelId,
        id: PacketId,
        (ends_header, is_last): (bool, bool),
        end: Time,
        act: &mut Act,
    ) {
        let Pace { wire_ps, .. } = self.paces[usize::from(self.board.at(channel).rate)];
        if ends_header {
            self.board.post_header(channel, id, end + wire_ps, act);
        }
        if is_last {
            self.board.post_tail(channel, id, end + wire_ps, act);
        }
    }

    /// The first flit leaves the buffer at a channel's end: a credit for the channel.
    #[inline]
    fn leaves_buffer(&mut self, channel: ChannelId, now: Time, waits: bool, act: &mut Act) {
        let lane = &mut self.board.channels[channel.index()];
        let was_full = lane.used == self.buffers.flits();
        self.buffers.leaves(channel, lane, now + self.credit_ps);
        if was_full {
            self.may_send(channel, waits, act);
        }
        if self.room_for_all.is_some() {
            match self.credit {
                Some(line) => self.lines.post(line, act.now, channel, Mark::default()),
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
