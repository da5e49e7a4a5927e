//! The times of a packet's flits on one channel, from those they depend on.

use super::super::switchboard::Act;
use super::stretches::{Ring, Stretch, is_reached};
use super::{Rate, WormFabric};
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::time::Time;

/// Flits that may not start before times of equal spacing.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    /// The first of these times.
    pub(super) at: Time,
    spacing: Time,
    /// For how many flits.
    count: u32,
}

impl Bound {
    /// No bound, for so many flits.
    const NONE: Self = Self { at: 0, spacing: 0, count: u32::MAX };
}

/// A packet on a channel, while its times are worked out.
struct Work {
    id: ChannelId,
    kind: ChannelKind,
    input: ChannelId,
    rate: Rate,
    /// From a flit's start on the channel before until it is there.
    arrives_after: Time,
    /// The same of the last flit.
    last_arrives_after: Time,
    /// Number on this channel of the flit at hand.
    number: u32,
    /// Its number on the channel before.
    number_before: u32,
    /// When the flit before it has been sent.
    own: Time,
    busy: Time,
    kept: Time,
}

impl WormFabric {
    /// Works out the owner's flits up to number `known` of the packet, if it is under way and
    /// its own record and those beside it show that it stays straight: most steps do.
    #[inline]
    pub(super) fn stays_straight(&mut self, id: ChannelId, known: u32, act: &mut Act) -> bool {
        let channel = &self.board.channels[id.index()];
        if channel.known == 0 || !channel.is_straight() {
            return false;
        }
        let (flit, last) = (self.rates[0].flit, self.rates[0].last);
        let more = known - channel.known;
        let gone = channel.next_flit().wrapping_sub(channel.straight_first());
        let start = channel.straight_from + flit * u64::from(gone);
        let ahead = flit * u64::from(more - 1);
        if channel.port.switch.is_some() {
            let first = channel.next_flit().wrapping_sub(self.buffer);
            let first = first.wrapping_sub(channel.left_first());
            let last_back = channel.left_from + flit * u64::from(first.wrapping_add(more - 1));
            // All of one packet, which leaves the next buffer straight and in time.
            if !channel.left_straight() || (first as i32) < 0 || last_back > start + ahead {
                return false;
            }
        }
        let (input, kind) = (channel.input, channel.port.kind);
        if input.is_some() {
            let from = &mut self.board.channels[input.index()];
            let first = from.departed.wrapping_sub(from.straight_first());
            let there = from.straight_from + flit * u64::from(first.wrapping_add(more));
            if !from.is_straight()
                || (first as i32) < 0
                || there + self.rates[0].delay > start + ahead
            {
                return false;
            }
            from.departed = from.departed.wrapping_add(more);
        }
        let channel = &mut self.board.channels[id.index()];
        let takes = ahead + if known == channel.flits { last } else { flit };
        channel.known = known;
        channel.busy += takes;
        act.measures.transmits(kind, start, start + takes);
        true
    }

    /// Works out the owner's flits up to number `known` of the packet, if they follow
    /// those known without a gap; false if they do not, or if that takes more than a look.
    #[inline(never)]
    pub(super) fn flows_on(&mut self, id: ChannelId, known: u32, act: &mut Act) -> bool {
        if !self.rate_of.is_empty() {
            return false;
        }
        let rate = self.rates[0];
        let channel = &self.board.channels[id.index()];
        let (before, input, kind) = (channel.known, channel.input, channel.port.kind);
        let more = known - before;
        let own = if before == 0 {
            channel.since
        } else {
            self.start(id, channel.next_flit().wrapping_sub(1)) + rate.flit
        };
        let start = self.next_start(id, own);
        let ahead = rate.flit * u64::from(more - 1);
        if self.are_held_up(id, more, start, start + ahead) {
            return false;
        }
        let channel = &mut self.board.channels[id.index()];
        let first = channel.next_flit();
        let takes = ahead + if known == channel.flits { rate.last } else { rate.flit };
        channel.known = known;
        channel.busy += takes;
        act.measures.transmits(kind, start, start + takes);
        if start > own {
            act.measures.kept(id, kind, start - own);
        }
        let channel = &self.board.channels[id.index()];
        if !channel.is_straight() || start > own {
            self.turn(id, first, start, act);
        }
        if input.is_some() {
            let from = &mut self.board.channels[input.index()];
            from.departed = from.departed.wrapping_add(more);
        }
        true
    }

    /// From flit number `first` on a channel's owner goes straight, starting at `start`.
    fn turn(&mut self, id: ChannelId, first: u32, start: Time, act: &Act) {
        if self.board.channels[id.index()].is_straight() {
            self.keep_straight_starts(id, act.now);
        }
        let channel = &mut self.board.channels[id.index()];
        channel.go_straight(first, start);
        let input = channel.input;
        if input.is_some() {
            if self.board.channels[input.index()].left_straight() {
                self.keep_straight_credits(input);
            }
            let from = &mut self.board.channels[input.index()];
            from.leave_straight(from.departed, start + self.credit_delay);
        }
    }

    /// When the next flit of a channel's owner can start, not before `own`.
    #[inline]
    fn next_start(&self, id: ChannelId, own: Time) -> Time {
        let channel = &self.board.channels[id.index()];
        let mut start = own;
        if channel.input.is_some() {
            let first = self.board.channels[channel.input.index()].departed;
            let rate = &self.rates[0];
            let sent = if channel.known + 1 == channel.flits { rate.last } else { rate.flit };
            start = start.max(self.start(channel.input, first) + sent + rate.delay);
        }
        if channel.port.switch.is_some() {
            let place = channel.next_flit().wrapping_sub(self.buffer);
            start = start.max(self.credit_back(id, place));
        }
        start
    }

    /// Whether any of the next `more` flits of a channel's owner cannot start in time, if
    /// the first is to start at `start` and the last at `end`.
    ///
    /// Bounds on flits of one packet are at least a flit apart: what does not hold up the
    /// last does not hold up the others. Credits of two packets may be closer.
    #[inline]
    fn are_held_up(&self, id: ChannelId, more: u32, start: Time, end: Time) -> bool {
        let channel = &self.board.channels[id.index()];
        if channel.port.switch.is_some() {
            let first = channel.next_flit().wrapping_sub(self.buffer);
            let last_back = self.credit_back(id, first.wrapping_add(more - 1));
            if last_back > end
                || last_back > start
                    && self.rates[0].last < self.rates[0].flit
                    && !(channel.left_straight() && is_reached(channel.left_first(), first))
            {
                return true;
            }
        }
        if !channel.input.is_some() {
            return false;
        }
        let from = &self.board.channels[channel.input.index()];
        let last = from.departed.wrapping_add(more - 1);
        self.start(channel.input, last) + self.rates[0].flit + self.rates[0].delay > end
    }

    /// Works out the owner's flits up to number `known` of the packet.
    #[inline(never)]
    pub(super) fn evaluate(&mut self, id: ChannelId, known: u32, act: &mut Act) {
        if self.board.at(id).is_straight() {
            self.keep_straight_starts(id, act.now);
        }
        let input = self.board.at(id).input;
        if input.is_some() && self.board.at(input).left_straight() {
            self.keep_straight_credits(input);
        }
        let channel = *self.board.at(id);
        let before = channel.known;
        let mut work = self.work(id);
        let is_end = known == channel.flits;
        let body_end = if is_end { known - 1 } else { known };
        if body_end > before {
            self.body(&mut work, body_end - before, act);
        }
        if is_end {
            self.last(&mut work, act);
        }
        let channel = self.board.at_mut(id);
        channel.known = known;
        channel.busy += work.busy;
        if work.input.is_some() {
            let input = self.board.at_mut(work.input);
            input.departed = input.departed.wrapping_add(known - before);
        }
        if work.kept > 0 {
            act.measures.kept(id, work.kind, work.kept);
        }
    }

    fn work(&mut self, id: ChannelId) -> Work {
        let channel = *self.board.at(id);
        let rate = *self.rate(id);
        let number = channel.next_flit();
        let mut work = Work {
            id,
            kind: channel.port.kind,
            input: channel.input,
            rate,
            arrives_after: 0,
            last_arrives_after: 0,
            number,
            number_before: 0,
            own: channel.since,
            busy: 0,
            kept: 0,
        };
        if channel.known > 0 {
            work.own = self.start(id, number.wrapping_sub(1)) + rate.flit;
        }
        if channel.input.is_some() {
            let before = self.rate(channel.input);
            work.arrives_after = before.flit + before.delay;
            work.last_arrives_after = before.last + before.delay;
            work.number_before = self.board.at(channel.input).departed;
        }
        work
    }

    /// Works out `count` flits, none of them the packet's last.
    fn body(&mut self, work: &mut Work, mut count: u32, act: &mut Act) {
        while count > 0 {
            let arrival = self.arrival(work, work.arrives_after);
            let credit = self.credit(work);
            let flit = work.rate.flit;
            let at = work.own.max(arrival.at).max(credit.at);
            let mut spacing = flit;
            for bound in [arrival, credit] {
                if bound.at == at {
                    spacing = spacing.max(bound.spacing);
                }
            }
            let mut run = count.min(arrival.count).min(credit.count);
            for bound in [arrival, credit] {
                if bound.spacing > spacing {
                    // It overtakes: the first flit that it alone decides is another stretch's.
                    let steps = (at - bound.at) / (bound.spacing - spacing) + 1;
                    run = run.min(u32::try_from(steps).unwrap_or(u32::MAX));
                }
            }
            self.add(work, (at, spacing, run), act.now);
            let last = at + spacing * u64::from(run - 1);
            self.transmit(work, (at, spacing, run), flit, act);
            work.kept += at - work.own + (spacing - flit) * u64::from(run - 1);
            work.own = last + flit;
            count -= run;
        }
    }

    /// Works out the packet's last flit.
    fn last(&mut self, work: &mut Work, act: &mut Act) {
        let arrival = self.arrival(work, work.last_arrives_after);
        let credit = self.credit(work);
        let at = work.own.max(arrival.at).max(credit.at);
        self.add(work, (at, work.rate.flit, 1), act.now);
        self.transmit(work, (at, work.rate.flit, 1), work.rate.last, act);
        work.kept += at - work.own;
    }

    /// When flits from the one at hand on are there.
    #[inline]
    fn arrival(&self, work: &Work, after: Time) -> Bound {
        if !work.input.is_some() {
            return Bound::NONE;
        }
        let bound = self.starts(work.input, work.number_before);
        Bound { at: bound.at + after, ..bound }
    }

    /// When flits from the one at hand on have a credit.
    #[inline]
    fn credit(&self, work: &Work) -> Bound {
        if self.board.at(work.id).port.switch.is_some() {
            self.credits(work.id, work.number.wrapping_sub(self.buffer))
        } else {
            Bound::NONE
        }
    }

    /// When a flit, whose time is known, starts on a channel; 0 if that is past and of
    /// no consequence.
    #[inline]
    pub(super) fn start(&self, id: ChannelId, number: u32) -> Time {
        let channel = &self.board.channels[id.index()];
        let after = number.wrapping_sub(channel.straight_first());
        if channel.is_straight() && after as i32 >= 0 {
            return channel.straight_from + self.rates[0].flit * u64::from(after);
        }
        if channel.keeps_starts() { self.starts(id, number).at } else { 0 }
    }

    /// The same of flits from `number` on.
    fn starts(&self, id: ChannelId, number: u32) -> Bound {
        let channel = self.board.at(id);
        let straight = channel.is_straight().then(|| Stretch {
            at: channel.straight_from,
            first: channel.straight_first(),
            spacing: self.rate(id).flit as u32,
        });
        self.bound(self.rings[id.index()].starts, straight, number)
    }

    /// When the place of a flit, which has left the buffer at a channel's end, may be
    /// used again; 0 if that is past and of no consequence.
    #[inline]
    pub(super) fn credit_back(&self, id: ChannelId, number: u32) -> Time {
        let channel = &self.board.channels[id.index()];
        let after = number.wrapping_sub(channel.left_first());
        if channel.left_straight() && after as i32 >= 0 {
            return channel.left_from + self.rates[0].flit * u64::from(after);
        }
        if channel.keeps_credits() { self.credits(id, number).at } else { 0 }
    }

    /// The same of flits from `number` on.
    fn credits(&self, id: ChannelId, number: u32) -> Bound {
        let channel = self.board.at(id);
        let straight = channel.left_straight().then(|| Stretch {
            at: channel.left_from,
            first: channel.left_first(),
            spacing: self.rates[0].flit as u32,
        });
        self.bound(self.rings[id.index()].credits, straight, number)
    }

    /// The stretch that flit `number` is in: of the packet that goes straight, which
    /// comes after all those of the ring; or of the ring; or past.
    #[inline]
    fn bound(&self, ring: Ring, straight: Option<Stretch>, number: u32) -> Bound {
        let within = |stretch: Stretch, count: u32| Bound {
            at: stretch.time(number),
            spacing: stretch.spacing.into(),
            count,
        };
        if let Some(stretch) = straight
            && is_reached(stretch.first, number)
        {
            return within(stretch, u32::MAX);
        }
        if ring.len() > 0 && straight.is_none() {
            let last = self.stretches.last(ring);
            if is_reached(last.first, number) {
                return within(last, u32::MAX);
            }
        }
        let begun = self.stretches.begun(ring, number);
        let next = if begun < ring.len() {
            Some(self.stretches.get(ring, begun).first)
        } else {
            straight.map(|stretch| stretch.first)
        };
        let count = next.map_or(u32::MAX, |next| next.wrapping_sub(number));
        match begun.checked_sub(1) {
            Some(index) => within(self.stretches.get(ring, index), count),
            None => Bound { at: 0, spacing: 0, count },
        }
    }

    /// So many flits start at equal distances.
    #[inline]
    fn add(&mut self, work: &mut Work, (at, spacing, count): (Time, Time, u32), now: Time) {
        let stretch = Stretch { at, first: work.number, spacing: spacing as u32 };
        self.keep_start(work.id, stretch, now);
        if work.input.is_some() {
            let first = work.number_before;
            let stretch = Stretch { at: at + self.credit_delay, first, ..stretch };
            self.keep_credit(work.input, stretch);
        }
        work.number = work.number.wrapping_add(count);
        work.number_before = work.number_before.wrapping_add(count);
    }

    #[inline]
    fn transmit(
        &self,
        work: &mut Work,
        (at, spacing, count): (Time, Time, u32),
        each: Time,
        act: &mut Act,
    ) {
        work.busy += each * u64::from(count);
        if spacing == each || count == 1 {
            let end = at + spacing * u64::from(count - 1) + each;
            act.measures.transmits(work.kind, at, end);
        } else {
            for flit in 0..u64::from(count) {
                let start = at + spacing * flit;
                act.measures.transmits(work.kind, start, start + each);
            }
        }
    }
}
