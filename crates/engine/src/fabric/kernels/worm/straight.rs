//! Steps in which a packet's flits follow each other without a gap: nearly all.
//!
//! Only where all rates are the same; else, and where there is a gap within a step,
//! `recurrence.rs` works the flits out.

use super::WormKernel;
use super::stretches::is_reached;
use crate::fabric::act::Act;
use crate::ids::ChannelId;
use crate::time::Time;

impl WormKernel {
    /// Works out the owner's flits up to number `known` of the packet, if it is under way and
    /// its own record and those beside it show that it stays straight: most steps do.
    #[inline]
    pub(super) fn stays_straight(&mut self, id: ChannelId, known: u32, act: &mut Act) -> bool {
        let channel = &self.board.channels[id.index()];
        if channel.known == 0 || !channel.is_straight() {
            return false;
        }
        let (flit, last) = (self.main.flit_ps, self.main.last_ps);
        let more = known - channel.known;
        let gone = channel.next_flit().wrapping_sub(channel.straight_first());
        let start = channel.straight_from + flit * u64::from(gone);
        let ahead = flit * u64::from(more - 1);
        if channel.port.switch.is_some() {
            let place = channel.next_flit().wrapping_sub(self.buffer);
            let last = place.wrapping_sub(channel.left_first()).wrapping_add(more - 1);
            // All of one packet, which leaves the next buffer straight and in time.
            if !channel.left_straight()
                || !is_reached(channel.left_first(), place)
                || channel.left_from + flit * u64::from(last) > start + ahead
            {
                return false;
            }
        }
        let (input, kind) = (channel.input, channel.port.kind);
        if input.is_some() {
            let from = &mut self.board.channels[input.index()];
            let first = from.departed.wrapping_sub(from.straight_first());
            let there = from.straight_from + flit * u64::from(first.wrapping_add(more));
            if !from.is_straight()
                || !is_reached(from.straight_first(), from.departed)
                || there + self.main.delay_ps() > start + ahead
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
        let rate = self.main;
        let channel = &self.board.channels[id.index()];
        let (before, input, kind) = (channel.known, channel.input, channel.port.kind);
        let more = known - before;
        let own = if before == 0 {
            channel.since
        } else {
            self.start(id, channel.next_flit().wrapping_sub(1)) + rate.flit_ps
        };
        let start = self.next_start(id, own);
        let ahead = rate.flit_ps * u64::from(more - 1);
        if self.are_held_up(id, more, start, start + ahead) {
            return false;
        }
        let channel = &mut self.board.channels[id.index()];
        let first = channel.next_flit();
        let takes = ahead + if known == channel.flits { rate.last_ps } else { rate.flit_ps };
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
            let rate = &self.main;
            let sent = if channel.known + 1 == channel.flits { rate.last_ps } else { rate.flit_ps };
            start = start.max(self.start(channel.input, first) + sent + rate.delay_ps());
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
    /// last does not hold up the others. Credits of two packets may be closer, and those of
    /// one that is delivered.
    #[inline]
    fn are_held_up(&self, id: ChannelId, more: u32, start: Time, end: Time) -> bool {
        let channel = &self.board.channels[id.index()];
        if channel.port.switch.is_some() {
            let first = channel.next_flit().wrapping_sub(self.buffer);
            let last_back = self.credit_back(id, first.wrapping_add(more - 1));
            if last_back > end
                || last_back > start
                    && self.credits_crowd
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
        self.start(channel.input, last) + self.main.flit_ps + self.main.delay_ps() > end
    }
}
