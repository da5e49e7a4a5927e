//! What wires send is worked out when somebody has to know, not when they send it.
//!
//! Others are told of few flits of a packet on a channel: of the one that completes its header, of
//! the last if somebody waits for the channel or it goes to a node, and of one that such a flit
//! waits for. All others may stay unknown until a wire is looked at because of one of these, or
//! somebody asks for what a flit causes: that it has arrived, or has left room. Then all is
//! worked out up to then, in order of time, and what it follows from first: earlier flits of
//! other wires. Where channels share wires it must follow from earlier ones, so that credits must
//! take time. On a wire of its own a channel sends as soon as it can, whatever others do at that
//! instant: a flit may also follow from one that starts with it further on.

use super::FlitsKernel;
use super::lane::Lane;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::Grants;
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};
use std::cmp::Ordering;

/// A packet that has so many flits left on a channel and waits is not looked at again and again; nor is
/// one that stands still.
const FEW_FLITS: u32 = 1;

/// Whether a packet stands still is looked for along so many channels at most.
const MOST_BLOCKED: u32 = 64;

/// What wires send is worked out for so many flit times at most, where it is not known for longer:
/// what it follows from is worked out within, so this is how deep it goes.
const STEP_FLITS: Time = 512;

impl FlitsKernel {
    /// What wires have to send at this instant, they do.
    pub(super) fn send_all(&mut self, act: &mut Act) {
        while let Some(wire) = self.wires.next_due() {
            if self.wires.may_send_until(wire, act.now) {
                self.send_in_steps(wire, act.now, self.ahead_ps, act);
            }
            self.look_again(wire, act);
        }
    }

    /// All that a wire sends up to an instant.
    #[inline]
    pub(super) fn send_until(&mut self, wire: u32, until: Time, act: &mut Act) {
        if self.wires.may_send_until(wire, until) {
            self.send_in_steps(wire, until, 0, act);
        }
    }

    fn send_in_steps(&mut self, wire: u32, until: Time, ahead: Time, act: &mut Act) {
        let step = STEP_FLITS * self.least_ps;
        let mut known = self.wires.known_until(wire);
        while until - known > step {
            let free_at = self.wires.free_at(wire);
            known += step;
            self.send_due(wire, known, 0, act);
            if self.wires.free_at(wire) == free_at {
                break;
            }
        }
        self.send_due(wire, until, ahead, act);
        self.wires.is_done(wire, until + 1);
    }

    /// The same at once; and if a packet starts and is alone on its wire, what it sends behind its
    /// header so much later.
    fn send_due(&mut self, wire: u32, until: Time, ahead: Time, act: &mut Act) {
        loop {
            let sending = self.wires.sending(wire);
            if sending == 0 {
                return;
            }
            if sending & (sending - 1) != 0 {
                let Some(turn) = self.next_turn(wire, until, act) else { return };
                self.send_run(turn.channel, (turn.until, 0), turn.most, act);
                continue;
            }
            let channel = self.wires.channel_at(wire, sending.trailing_zeros());
            let mut ready = self.ready_at(channel, self.board.at(channel));
            if ready == NEVER {
                ready = self.find_out(channel, until, act);
            }
            if ready.max(self.wires.free_at(wire)) > until {
                return;
            }
            self.send_run(channel, (until, ahead), u32::MAX, act);
        }
    }

    /// Who sends next on a wire of several that have something to send, if not after an instant.
    fn next_turn(&mut self, wire: u32, until: Time, act: &mut Act) -> Option<Turn> {
        'again: loop {
            let free_at = self.wires.free_at(wire);
            let mut first = Starts { at: NEVER, by: 0, then: NEVER };
            let mut left = self.wires.sending(wire);
            while left != 0 {
                let place = left.trailing_zeros();
                left &= left - 1;
                let channel = self.wires.channel_at(wire, place);
                let mut ready = self.ready_at(channel, self.board.at(channel));
                if ready == NEVER {
                    ready = self.find_out(channel, until, act);
                    // What this wire sends may have been needed for that.
                    if self.wires.free_at(wire) != free_at {
                        continue 'again;
                    }
                }
                first.add(ready.max(free_at), place);
            }
            return (first.at <= until).then(|| self.turn(wire, &first, until));
        }
    }

    /// Who sends of those that can start first.
    #[inline]
    fn turn(&self, wire: u32, first: &Starts, until: Time) -> Turn {
        if first.by.is_power_of_two() {
            // Alone until the next of the others can start.
            let channel = self.wires.channel_at(wire, first.by.trailing_zeros());
            return Turn { channel, until: until.min(first.then - 1), most: u32::MAX };
        }
        let continues = |channel| self.board.at(channel).has_started();
        let place = self.wires.choose_among(wire, first.by, continues);
        Turn { channel: self.wires.channel_at(wire, place), until, most: 1 }
    }

    /// From when on a channel can send, if that is not after an instant; else it may remain
    /// unknown.
    fn find_out(&mut self, channel: ChannelId, until: Time, act: &mut Act) -> Time {
        let mut waited_for = ChannelId::NONE;
        // It may wait for room first, and then for a flit.
        while let Some((on, least)) = self.waits_for(channel)
            && on != waited_for
            && until >= least
        {
            waited_for = on;
            self.send_until(self.board.at(on).wire, until - least, act);
            let ready = self.ready_at(channel, self.board.at(channel));
            if ready != NEVER {
                return ready;
            }
        }
        NEVER
    }

    /// The channel on whose next flit it depends when a channel can send, and how long after
    /// its start that will be at least.
    fn waits_for(&self, channel: ChannelId) -> Option<(ChannelId, Time)> {
        let lane = self.board.at(channel);
        if self.is_full(channel) {
            let output = lane.output;
            let moves = output.is_some() && self.board.at(output).unsent > 0;
            return moves.then_some((output, self.credit_ps));
        }
        if !lane.input.is_some() {
            return None;
        }
        let from = self.board.at(lane.input);
        let pace = &self.paces[usize::from(from.rate)];
        Some((lane.input, pace.least_ps + pace.delay_ps))
    }

    /// A wire is looked at again when something has to be known.
    fn look_again(&mut self, wire: u32, act: &mut Act) {
        let mut told = 0_u64;
        let mut left = self.wires.sending(wire) | self.wires.wanted(wire);
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let channel = self.wires.channel_at(wire, place);
            let lane = self.board.at(channel);
            if lane.is_urgent() || lane.is_wanted() || tells_end(lane, act) {
                told |= 1 << place;
                self.await_flits(channel, act);
            }
        }
        let mut look_at = NEVER;
        while told != 0 {
            let channel = self.wires.channel_at(wire, told.trailing_zeros());
            told &= told - 1;
            look_at = look_at.min(self.known_before(channel, act));
        }
        self.wires.look_next(wire, look_at, act.events);
    }

    /// When a channel is to be looked at again of which somebody is told.
    fn known_before(&self, channel: ChannelId, act: &Act) -> Time {
        let lane = self.board.at(channel);
        if lane.unsent == 0 {
            return if lane.is_wanted() { lane.free_at } else { NEVER };
        }
        let ready = self.ready_at(channel, lane);
        if ready == NEVER && self.waits_urgently(channel, act) {
            return NEVER;
        }
        let free_at = self.wires.free_at(lane.wire);
        let next = free_at.max(if ready == NEVER { act.now } else { ready });
        if lane.is_urgent() {
            return next;
        }
        // The last flit comes behind all others.
        let least = self.paces[usize::from(lane.rate)].least_ps;
        let flits = if tells_end(lane, act) { lane.unsent - 1 } else { lane.unsent };
        next + Time::from(flits) * least
    }

    /// Works out how much room there is behind a channel now.
    pub(super) fn find_room(&mut self, channel: ChannelId, act: &mut Act) {
        let (output, credit_ps) = (self.board.at(channel).output, self.credit_ps.max(1));
        if self.is_deferring && output.is_some() && act.now >= credit_ps {
            self.send_until(self.board.at(output).wire, act.now - credit_ps, act);
        }
    }

    /// Flits that have started on a channel before now and whose places cannot be used again.
    #[inline]
    pub(super) fn held(&mut self, channel: ChannelId, act: &mut Act) -> u32 {
        if self.quiet.is(channel) { 0 } else { self.find_held(channel, act) }
    }

    fn find_held(&mut self, channel: ChannelId, act: &mut Act) -> u32 {
        if self.is_deferring && act.now > 0 {
            self.send_until(self.board.at(channel).wire, act.now - 1, act);
        }
        self.find_room(channel, act);
        let coming = self.coming(channel, act.now);
        let all = self.buffers.flits();
        let held = all - self.room(channel, act.now).min(all) - coming;
        // What has started before now is never taken back.
        if held == 0 && coming == 0 && self.board.at(channel).unsent == 0 {
            self.quiet.falls(channel);
        }
        held
    }

    /// How many flits that are worked out will not have started on a channel before an instant.
    fn coming(&self, channel: ChannelId, now: Time) -> u32 {
        let lane = self.board.at(channel);
        if !self.is_deferring || self.wires.last(lane.wire) != channel {
            return 0;
        }
        let flit_ps = self.paces[usize::from(lane.rate)].flit_ps;
        let flits = lane.free_at.saturating_sub(now) / flit_ps;
        self.wires.ahead(lane.wire).min(flits as u32)
    }

    /// If a channel cannot send and it is not known from when on it can, its wire is told.
    fn await_flits(&mut self, channel: ChannelId, act: &mut Act) {
        loop {
            let lane = self.board.at(channel);
            if lane.unsent == 0
                || self.ready_at(channel, lane) != NEVER
                || !self.waits_urgently(channel, act)
            {
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

    /// Whether a channel is told when it can send, if that is not known; else it is looked at again.
    fn waits_urgently(&self, channel: ChannelId, act: &Act) -> bool {
        let lane = self.board.at(channel);
        let is_told = lane.is_wanted() || tells_end(lane, act);
        lane.is_urgent() || is_told && (lane.unsent <= FEW_FLITS || self.is_blocked(channel))
    }

    /// Whether nothing is sent on a channel until a packet is granted another one: the first in the
    /// buffer at its end, or in one that this one's flits wait for.
    fn is_blocked(&self, mut channel: ChannelId) -> bool {
        for _ in 0..MOST_BLOCKED {
            if !self.is_full(channel) {
                return false;
            }
            channel = self.board.at(channel).output;
            if !channel.is_some() {
                return true;
            }
        }
        false
    }

    /// Whether a channel of a group is idle now, and how much room there is if that matters. If
    /// none is, somebody waits until one falls free.
    pub(super) fn find_idle(&mut self, lead: ChannelId, width: u32, act: &mut Act) -> bool {
        let channels = (lead.0..lead.0 + width).map(ChannelId);
        let mut is_any = false;
        for channel in channels.clone() {
            is_any |= !self.board.at(channel).packet.is_some() || self.has_ended(channel, act);
        }
        if !is_any {
            channels.for_each(|channel| self.want(channel));
        } else if width > 1 || self.board.choices.is_some() {
            channels.for_each(|channel| self.find_room(channel, act));
        }
        is_any
    }

    /// Whether a channel with a packet has sent all of it: it falls free, if nobody has cared.
    pub(super) fn has_ended(&mut self, channel: ChannelId, act: &mut Act) -> bool {
        let Some(past) = act.now.checked_sub(1) else { return false };
        let lane = self.board.at(channel);
        if lane.unsent > 0 {
            self.send_until(lane.wire, past, act);
        }
        let lane = self.board.at(channel);
        let has_ended = lane.unsent == 0 && lane.free_at <= act.now;
        if has_ended {
            self.release(channel, act);
        }
        has_ended
    }

    /// Somebody waits until a channel falls free.
    pub(super) fn want(&mut self, channel: ChannelId) {
        let lane = self.board.at_mut(channel);
        if !lane.is_wanted() {
            lane.set_wanted(true);
            self.wires.want(lane);
            let wire = lane.wire;
            self.wires.wake(wire);
        }
    }

    /// Channels of a wire that somebody waits for and that have sent a packet fall free.
    pub(super) fn release_wanted(&mut self, wire: u32, act: &mut Act) {
        let mut left = self.wires.wanted(wire);
        while left != 0 {
            let channel = self.wires.channel_at(wire, left.trailing_zeros());
            self.has_ended(channel, act);
            left &= left - 1;
        }
    }
}

/// Who can start first on a wire.
#[derive(Clone)]
struct Starts {
    at: Time,
    /// Their places.
    by: u64,
    /// When the next of the others can.
    then: Time,
}

impl Starts {
    /// Another one can start then.
    #[inline]
    fn add(&mut self, at: Time, place: u32) {
        match at.cmp(&self.at) {
            Ordering::Less => *self = Self { at, by: 1 << place, then: self.at },
            Ordering::Equal => self.by |= 1 << place,
            Ordering::Greater => self.then = self.then.min(at),
        }
    }
}

/// Who sends next on a wire: flits that start up to an instant, and at most so many.
#[derive(Clone)]
struct Turn {
    channel: ChannelId,
    until: Time,
    most: u32,
}

/// Whether somebody is told of the end of a packet as soon as it starts.
#[inline]
pub fn tells_end(lane: &Lane, act: &Act) -> bool {
    !lane.port.switch.is_some() || !lane.input.is_some() && act.packets.tells_departures()
}
