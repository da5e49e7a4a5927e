//! The times of a packet's flits on one channel, from those they depend on.

use super::WormKernel;
use super::known::Bound;
use super::stretches::Stretch;
use crate::fabric::act::Act;
use crate::fabric::network::timing::Timing;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::time::Time;

/// A packet on a channel, while its times are worked out.
#[derive(Clone)]
struct Work {
    id: ChannelId,
    kind: ChannelKind,
    input: ChannelId,
    rate: Timing,
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

impl WormKernel {
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
            work.own = self.start(id, number.wrapping_sub(1)) + rate.flit_ps;
        }
        if channel.input.is_some() {
            let before = self.rate(channel.input);
            work.arrives_after = before.flit_ps + before.delay_ps();
            work.last_arrives_after = before.last_ps + before.delay_ps();
            work.number_before = self.board.at(channel.input).departed;
        }
        work
    }

    /// Works out `count` flits, none of them the packet's last.
    fn body(&mut self, work: &mut Work, mut count: u32, act: &mut Act) {
        while count > 0 {
            let arrival = self.arrival(work, work.arrives_after);
            let credit = self.credit(work);
            let flit = work.rate.flit_ps;
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
            transmit(work, (at, spacing, run), flit, act);
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
        self.add(work, (at, work.rate.flit_ps, 1), act.now);
        transmit(work, (at, work.rate.flit_ps, 1), work.rate.last_ps, act);
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
}

/// So many flits, `each` of which takes so long, are sent at equal distances.
fn transmit(work: &mut Work, (at, spacing, count): (Time, Time, u32), each: Time, act: &mut Act) {
    work.busy += each * u64::from(count);
    if spacing == each || count == 1 {
        let end = at + spacing * u64::from(count - 1) + each;
        act.measures.transmits(work.kind, at, end);
        return;
    }
    for flit in 0..u64::from(count) {
        let start = at + spacing * flit;
        act.measures.transmits(work.kind, start, start + each);
    }
}
