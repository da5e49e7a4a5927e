//! What is told of waits, where an account is kept of them.
//!
//! Then nothing is deferred: whoever lacks room or a wire is told of at the instant at which it is so,
//! wire by wire. A channel is looked at when it is granted and whenever a flit comes for it, a credit
//! comes back or its wire falls free. If it could send then but for the wire, its packet lacks that. To
//! tell the same again changes nothing, unless another part of the packet has been in somebody's way
//! in between: only then it is told whenever the channel is looked at.

use super::lane::Lane;
use super::wires::Contest;
use super::{FlitsKernel, What};
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::{LineId, Lines, Mark};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Machine;
use crate::time::{NEVER, Time};

/// Room for what happens at an instant.
#[derive(Clone, Default)]
pub struct Observing {
    /// Channels that have been granted to packets since flits started last.
    granted: Vec<ChannelId>,
    /// Wires with somebody who could send.
    contests: Vec<Contest>,
    /// Those who are told that they lack one.
    losers: Vec<ChannelId>,
    /// Channels to which credits have come back at once.
    credited: Vec<ChannelId>,
    /// Where it takes time to grant an output again: channels that have been granted to packets which
    /// may start now.
    again: Option<LineId>,
}

impl Observing {
    /// Nothing has happened.
    pub fn new(machine: &Machine, lines: &mut Lines<What>) -> Self {
        let delay = machine.switch.regrant_delay_ps;
        let again = (delay > 0).then(|| lines.line(delay, What::Regranted));
        Self { again, ..Self::default() }
    }
}

impl FlitsKernel {
    /// What is to be noted of those that ask at this instant.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_requests(&self, act: &mut Act) {
        for &channel in &self.asking {
            self.board.observe_request(channel, act);
        }
    }

    /// A packet has been granted a channel, and leaves the buffer it stands in, if any.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_grant(
        &mut self,
        channel: ChannelId,
        packet: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) {
        act.observe(Observation::Granted { packet, channel });
        if let Some(observing) = &mut self.observing {
            match observing.again {
                Some(line) if self.board.at(channel).starts_from > act.now => {
                    self.lines.post(line, act.now, channel, Mark::default());
                }
                _ => observing.granted.push(channel),
            }
        }
        // What is in the way of the rest of it may not be the last any more.
        if input.is_some() && self.is_watched(input, act.now) {
            let at = self.looked_at(input, act.now);
            self.wires.tell_by(self.board.at(input), at, act.now, act.events);
        }
    }

    /// It is known when the packet that a channel sends has left it.
    #[cold]
    #[inline(never)]
    pub(super) fn observe_end(&self, channel: ChannelId, act: &mut Act) {
        let Lane { input, free_at: at, .. } = *self.board.at(channel);
        act.observe(Observation::Left { channel, at });
        act.observe(Observation::Cleared { buffer: input, at });
    }

    /// All that can start at this instant starts ([`Self::send_round`]), and others are told of.
    // With blame every flit passes here: not rare then.
    #[inline(never)]
    pub(super) fn send_observed(&mut self, act: &mut Act) {
        let Some(observing) = &mut self.observing else { return };
        let mut granted = std::mem::take(&mut observing.granted);
        let mut contests = std::mem::take(&mut observing.contests);
        let mut losers = std::mem::take(&mut observing.losers);
        for channel in granted.drain(..) {
            self.observe_room(channel, act);
        }
        let board = &self.board;
        let continues = |channel| board.at(channel).has_started();
        self.wires.contend(act.now, (&mut contests, &mut losers), continues);
        for contest in &contests {
            if contest.winner.is_some() {
                self.send::<true>(contest.winner, act);
            }
            self.observe_losers(contest.wire, &losers[contest.losers.0..contest.losers.1], act);
        }
        for contest in contests.drain(..) {
            self.watch_losers(&losers[contest.losers.0..contest.losers.1], act);
            self.wires.look_to_tell(contest.wire, act.now, act.events);
        }
        losers.clear();
        self.tell_credited(act);
        if let Some(observing) = &mut self.observing {
            (observing.granted, observing.contests) = (granted, contests);
            observing.losers = losers;
        }
    }

    /// A packet has been granted a channel: if there is no room behind it, it is told.
    fn observe_room(&self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        let is_internal = lane.port.switch.is_some();
        let has_room = self.buffers.has_room(channel, lane, act.now) && !lane.is_stopped();
        if is_internal && !has_room {
            self.board.observe_room(lane.packet, || Some(channel), act);
        }
    }

    /// A channel has been granted to a packet which may start now.
    pub(super) fn may_start(&mut self, channel: ChannelId) {
        if let Some(observing) = &mut self.observing {
            observing.granted.push(channel);
            self.wires.wake(self.board.at(channel).wire);
        }
    }

    /// Those who could send but for the wire are told of, in order of channel number.
    fn observe_losers(&self, wire: u32, losers: &[ChannelId], act: &mut Act) {
        let user = self.wires.last(wire);
        for &channel in losers {
            let packet = self.board.at(channel).packet;
            act.observe(Observation::LacksWire { packet, channel, user });
        }
    }

    /// When they are told of again, if that may change anything.
    fn watch_losers(&mut self, losers: &[ChannelId], act: &mut Act) {
        for &channel in losers {
            if self.is_watched(channel, act.now) {
                let at = self.looked_at(channel, act.now + 1);
                self.wires.tell_by(self.board.at(channel), at, act.now, act.events);
            }
        }
    }

    /// A channel has sent a flit: others are looked at because it comes, or because it has left a buffer.
    pub(super) fn wakes_others(&mut self, channel: ChannelId, act: &mut Act) {
        let &Lane { input, output, free_at, rate, .. } = self.board.at(channel);
        if output.is_some() {
            let there = free_at + self.paces[usize::from(rate)].delay_ps;
            self.is_looked_at(output, there, act);
        }
        if self.gates.is_some() {
            return;
        }
        if input.is_some() && self.credit_ps > 0 {
            self.is_looked_at(input, act.now + self.credit_ps, act);
        } else if input.is_some()
            && let Some(observing) = &mut self.observing
        {
            observing.credited.push(input);
        }
    }

    /// Credits that have come back at once: those who wait for wires are told in the next round.
    fn tell_credited(&mut self, act: &mut Act) {
        let Some(observing) = &mut self.observing else { return };
        let mut credited = std::mem::take(&mut observing.credited);
        for channel in credited.drain(..) {
            self.is_looked_at(channel, act.now, act);
        }
        if let Some(observing) = &mut self.observing {
            observing.credited = credited;
        }
    }

    /// A channel is looked at then: if its packet waits for the wire, it is told.
    fn is_looked_at(&mut self, channel: ChannelId, at: Time, act: &mut Act) {
        if self.is_watched(channel, act.now) {
            self.wires.tell_by(self.board.at(channel), at, act.now, act.events);
        }
    }

    /// Whether a channel's packet, which has started there, lacks nothing but the wire, which another
    /// uses, and is elsewhere, too.
    fn is_watched(&self, channel: ChannelId, now: Time) -> bool {
        let lane = self.board.at(channel);
        let is_part =
            |other: ChannelId| other.is_some() && self.board.at(other).packet == lane.packet;
        lane.has_started()
            && lane.unsent > 0
            && self.wires.waits_for_other(lane, now)
            && (is_part(lane.input) || is_part(lane.output))
    }

    /// When the next flit comes for a channel, or a credit, not before an instant and as far as that is
    /// known.
    fn looked_at(&self, channel: ChannelId, from: Time) -> Time {
        let lane = self.board.at(channel);
        let mut at = NEVER;
        if lane.port.switch.is_some() && self.gates.is_none() {
            at = self.buffers.next_place(channel, lane, from);
        }
        if lane.input.is_some() {
            at = at.min(self.buffers.next_flit(lane.input, self.board.at(lane.input), from));
        }
        at
    }
}
