//! What wires send is worked out when somebody has to know, not when they send it.
//!
//! Others are told of three flits of a packet on a channel: of the one that completes its
//! header, of the last, and of one that somebody waits for. All others may stay unknown until a
//! wire is looked at because of one of these, or somebody asks for what a flit causes: that it
//! has arrived, or has left room. Then all is worked out up to then, in order of time, and what
//! it follows from first: earlier flits of other wires. It must follow from earlier ones, so
//! that credits must take time.

use super::SharedFabric;
use super::lane::Lane;
use crate::fabric::switch::switchboard::Act;
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

/// A packet that has so many flits left on a channel and waits is not looked at again and again.
const FEW_FLITS: u32 = 4;

impl SharedFabric {
    /// What wires have to send at this instant, they do.
    pub(super) fn send_all(&mut self, act: &mut Act) {
        while let Some(wire) = self.wires.next_due() {
            self.send_until(wire, act.now, act);
            self.look_again(wire, act);
        }
    }

    /// All that a wire sends up to an instant.
    pub(super) fn send_until(&mut self, wire: u32, until: Time, act: &mut Act) {
        if self.wires.done(wire) > until || self.wires.free_at(wire) > until {
            return;
        }
        self.send_alone(wire, until, act);
        while let Some(start) = self.next_start(wire, until, act) {
            let board = &self.board;
            let continues = |channel: ChannelId| board.at(channel).has_started();
            if let Some(channel) = self.wires.take_turn(wire, start, continues) {
                self.send(channel, start, act);
            }
            self.send_alone(wire, until, act);
        }
        self.wires.is_done(wire, until + 1);
    }

    /// The one packet that a wire has to send.
    fn alone(&self, wire: u32) -> Option<usize> {
        let mut sending = self.wires.turns(wire);
        let sends = |&turn: &usize| self.board.at(self.wires.channel(turn)).unsent > 0;
        let alone = sending.find(sends)?;
        sending.all(|turn| !sends(&turn)).then_some(alone)
    }

    /// Flits in the middle of a packet that has a wire for itself, as far as is known when they
    /// can start, up to an instant.
    #[inline]
    fn send_alone(&mut self, wire: u32, until: Time, act: &mut Act) {
        let Some(turn) = self.alone(wire) else { return };
        let channel = self.wires.channel(turn);
        let mut lane = *self.board.at(channel);
        if lane.is_urgent() || !lane.has_started() {
            return;
        }
        let (flit_ps, delay_ps) = {
            let pace = &self.paces[usize::from(lane.rate)];
            (pace.flit_ps, pace.delay_ps)
        };
        let (places, input, before) = (self.buffers.flits(), lane.input, lane);
        let (kind, is_internal) = (lane.port.kind, lane.port.switch.is_some());
        let mut from = if input.is_some() { *self.board.at(input) } else { lane };
        let was_full = from.used == places;
        let (mut kept, mut free_at) = (0, self.wires.free_at(wire));
        while lane.unsent > 1 {
            let mut start = free_at;
            if is_internal {
                if lane.used == places {
                    break;
                }
                start = start.max(self.buffers.free(channel, &lane));
            }
            if input.is_some() {
                if from.used == 0 {
                    break;
                }
                start = start.max(self.buffers.first(input, &from));
            }
            if start > until {
                break;
            }
            kept += start - lane.free_at;
            free_at = start + flit_ps;
            (lane.free_at, lane.unsent) = (free_at, lane.unsent - 1);
            act.measures.transmits(kind, start, free_at);
            if is_internal {
                self.buffers.comes(channel, &mut lane, free_at + delay_ps);
            }
            if input.is_some() {
                self.buffers.leaves(input, &mut from, start + self.credit_ps);
            }
        }
        let count = before.unsent - lane.unsent;
        if count == 0 {
            return;
        }
        lane.busy += Time::from(count) * flit_ps;
        act.measures.kept(channel, kind, kept);
        *self.board.at_mut(channel) = lane;
        if input.is_some() {
            *self.board.at_mut(input) = from;
            if was_full {
                self.may_send(input, false, act);
            }
        }
        if is_internal && before.used == 0 && lane.output.is_some() {
            self.may_send(lane.output, false, act);
        }
        let next = self.ready_at(channel, &lane);
        self.wires.sends(&lane, free_at, next);
        self.wires.took_turn(&lane);
    }

    /// When a wire sends next, if not after an instant.
    fn next_start(&mut self, wire: u32, until: Time, act: &mut Act) -> Option<Time> {
        loop {
            let start = self.wires.next_start(wire);
            let is_new = self.find_out(wire, start.min(until), act);
            // What this wire sends may have been needed for that, too.
            if !is_new && start == self.wires.next_start(wire) {
                return (start <= until).then_some(start);
            }
        }
    }

    /// Works out what is needed to know which channels of a wire can send at an instant; whether
    /// anything is new.
    #[inline]
    fn find_out(&mut self, wire: u32, at: Time, act: &mut Act) -> bool {
        let mut is_new = false;
        for turn in self.wires.turns(wire) {
            if self.wires.ready_at(turn) == NEVER {
                let channel = self.wires.channel(turn);
                if self.board.at(channel).unsent > 0 {
                    is_new |= self.find_out_of(channel, turn, at, act);
                }
            }
        }
        is_new
    }

    /// The same of one channel.
    fn find_out_of(&mut self, channel: ChannelId, turn: usize, at: Time, act: &mut Act) -> bool {
        let mut waited_for = ChannelId::NONE;
        // It may wait for room first, and then for a flit.
        while let Some((on, least)) = self.waits_for(channel)
            && on != waited_for
            && at >= least
        {
            waited_for = on;
            self.send_until(self.board.at(on).wire, at - least, act);
            let ready = self.ready_at(channel, self.board.at(channel));
            self.wires.set_ready(turn, ready);
            if ready != NEVER {
                return true;
            }
        }
        false
    }

    /// The channel on whose next flit it depends when a channel can send, and how long after
    /// its start that will be at least.
    fn waits_for(&self, channel: ChannelId) -> Option<(ChannelId, Time)> {
        let lane = self.board.at(channel);
        if lane.used == self.buffers.flits() {
            let output = lane.output;
            let moves = output.is_some() && self.board.at(output).unsent > 0;
            return moves.then_some((output, self.credit_ps));
        }
        let from = self.board.at(lane.input);
        let pace = &self.paces[usize::from(from.rate)];
        Some((lane.input, pace.least_ps + pace.delay_ps))
    }

    /// A wire is looked at again when something has to be known.
    fn look_again(&mut self, wire: u32, act: &mut Act) {
        if let Some(end) = self.wires.ending(wire) {
            return self.wires.look_next(wire, end, act.events);
        }
        for turn in self.wires.turns(wire) {
            if self.wires.ready_at(turn) == NEVER {
                self.await_flits(turn, act);
            }
        }
        let free_at = self.wires.free_at(wire);
        let known = |turn| self.known_before(turn, free_at, act.now);
        let look_at = self.wires.turns(wire).map(known).min().unwrap_or(NEVER);
        self.wires.look_next(wire, look_at, act.events);
    }

    /// When a channel is to be looked at again, if its wire is free at an instant.
    #[inline]
    fn known_before(&self, turn: usize, free_at: Time, now: Time) -> Time {
        let lane = self.board.at(self.wires.channel(turn));
        let ready = self.wires.ready_at(turn);
        if lane.unsent == 0 || ready == NEVER && waits_urgently(lane) {
            return NEVER;
        }
        let next = if ready == NEVER { free_at.max(now) } else { free_at.max(ready) };
        if lane.is_urgent() {
            return next;
        }
        // The last flit comes behind all others.
        let least = self.paces[usize::from(lane.rate)].least_ps;
        next + Time::from(lane.unsent - 1) * least
    }

    /// Works out how much room there is behind each channel of a group now.
    pub(super) fn find_rooms(&mut self, lead: ChannelId, act: &mut Act) {
        for channel in act.wiring.layout.group(lead).channels() {
            let output = self.board.at(channel).output;
            if output.is_some() && act.now >= self.credit_ps {
                self.send_until(self.board.at(output).wire, act.now - self.credit_ps, act);
            }
        }
    }

    /// If a channel cannot send and it is not known from when on it can, its wire is told.
    fn await_flits(&mut self, turn: usize, act: &mut Act) {
        let channel = self.wires.channel(turn);
        loop {
            let lane = self.board.at(channel);
            let is_known = lane.unsent == 0 || self.wires.ready_at(turn) != NEVER;
            if is_known || !waits_urgently(lane) {
                return;
            }
            let Some((on, _)) = self.waits_for(channel) else { return };
            let awaited = self.board.at_mut(on);
            if awaited.is_awaited() {
                return;
            }
            awaited.set_awaited(true);
            let wire = awaited.wire;
            self.send_until(wire, act.now, act);
            self.look_again(wire, act);
        }
    }
}

/// Whether a channel is told when it can send, if that is not known; else it is looked at again.
#[inline]
fn waits_urgently(lane: &Lane) -> bool {
    lane.is_urgent() || lane.unsent <= FEW_FLITS
}
