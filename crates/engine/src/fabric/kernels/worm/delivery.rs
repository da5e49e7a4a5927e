//! Where nodes and switches are one: packets leave their node's list, and others leave the
//! network out of the buffer they come to the front of.
//!
//! A flit that ends in a buffer leaves it when it is there, or when the packet before its own
//! has left, if that is later. So these times follow from those of its channel, and are
//! known as soon as they are.

use super::WormKernel;
use super::stretches::{Stretch, is_reached};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// Flits of a packet that leave the buffer they end in.
#[derive(Clone, Copy)]
struct Leaving {
    /// The number of the first on its channel.
    first: u32,
    /// How many.
    count: u32,
    /// Whether the last of them is the packet's last.
    is_all: bool,
}

impl WormKernel {
    /// The first packet of a node's list has been granted a channel.
    #[inline(never)]
    pub(super) fn leave_list(&mut self, list: ChannelId, act: &mut Act) {
        let Some(next) = self.board.leave_list(list, act) else { return };
        let ready = act.packets[next].ready;
        if ready > act.now {
            act.events.post(ready, Event::Request(list.into()));
        } else {
            // Marked only so that this instant is not over.
            self.board.mark(list);
            self.heads.push(list);
        }
    }

    /// The packet at the front of a node's list asks for its output.
    #[inline(never)]
    pub(super) fn list_asks(&mut self, list: ChannelId, act: &mut Act) {
        self.asks(list, act);
    }

    /// A packet has been granted a channel: whether it ends there and is the first in the
    /// buffer, and so is delivered as it comes.
    #[inline(never)]
    pub(super) fn comes_home(&mut self, id: ChannelId, act: &Act) -> bool {
        let channel = self.board.at(id);
        let ends = !channel.output.is_some()
            && channel.port.buffer.first == channel.owner
            && self.board.front_ends(id);
        if ends {
            self.begin_delivery(id, act);
        }
        ends
    }

    /// The packet at the front of a channel's buffer is delivered from when that fell free.
    #[inline(never)]
    pub(super) fn begin_delivery(&mut self, id: ChannelId, act: &Act) {
        self.forget_credits(id, act.now);
        let channel = self.board.at_mut(id);
        channel.output = channel.port.front_output;
        channel.set_delivering(true);
    }

    /// Works out when the flits leave that are known to come to the buffer at a channel's end.
    #[inline(never)]
    pub(super) fn deliver(&mut self, id: ChannelId, act: &mut Act) {
        let channel = self.board.at(id);
        let packet = channel.port.buffer.first;
        let flits = self.main.packet_flits(act.packets[packet].bytes);
        let first = channel.departed;
        // Of one with others behind it, all is known and nothing has left.
        let is_latest = !act.packets[packet].next.is_some();
        let (before, count) = if is_latest {
            (first.wrapping_sub(channel.base), channel.next_flit().wrapping_sub(first))
        } else {
            (0, flits)
        };
        if count == 0 {
            return;
        }
        let leaving = Leaving { first, count, is_all: before + count == flits };
        let early = self.board.lists.early_flits(packet, act);
        if let Some(early) = early.filter(|&early| before < early && early <= before + count) {
            let number = first.wrapping_add(early - 1 - before);
            let at = self.delivered(id, number, self.rate(id).flit_ps);
            self.board.lists.begin(id, at);
            act.events.post(at, Event::Head(id.into()));
        }
        if !self.leave_straight(id, leaving) {
            self.leave(id, leaving);
        }
        let last = first.wrapping_add(count - 1);
        let channel = self.board.at_mut(id);
        channel.departed = last.wrapping_add(1);
        if leaving.is_all {
            channel.set_delivering(false);
            let at = self.delivered(id, last, self.rate(id).last_ps);
            act.events.post(at, Event::Tail(id.into()));
        }
        if self.board.at(id).owner.is_some() {
            // It may have lacked room.
            self.stale.push(id);
        }
    }

    /// When a flit that ends in the buffer at a channel's end, and takes so long, leaves it.
    #[inline]
    fn delivered(&self, id: ChannelId, number: u32, takes: Time) -> Time {
        let there = self.start(id, number) + takes + self.rate(id).delay_ps();
        there.max(self.board.at(id).front_free)
    }

    /// Notes when the places of flits may be used again, if they leave without a gap; false
    /// if they do not, or if that takes more than a look.
    #[inline]
    fn leave_straight(&mut self, id: ChannelId, leaving: Leaving) -> bool {
        let Leaving { first, is_all, .. } = leaving;
        let (channel, rate) = (self.board.at(id), &self.main);
        if !channel.is_straight()
            || !is_reached(channel.straight_first(), first)
            || is_all && rate.last_ps < rate.flit_ps
        {
            return false;
        }
        let there = self.start(id, first) + rate.flit_ps + rate.delay_ps();
        if there < channel.front_free {
            return false;
        }
        let back = there + self.credit_delay;
        if channel.left_straight() {
            if self.credit_back(id, first) == back {
                return true;
            }
            self.keep_straight_credits(id);
        }
        self.board.at_mut(id).leave_straight(first, back);
        true
    }

    /// Notes when the places of flits may be used again.
    #[inline(never)]
    fn leave(&mut self, id: ChannelId, Leaving { first, count, is_all }: Leaving) {
        if self.board.at(id).left_straight() {
            self.keep_straight_credits(id);
        }
        let (free, rate) = (self.board.at(id).front_free, *self.rate(id));
        let flit = rate.flit_ps;
        let mut number = first;
        let mut left = count - u32::from(is_all);
        while left > 0 {
            let bound = self.starts(id, number);
            let mut at = bound.at + flit + rate.delay_ps();
            let (mut spacing, mut run) = (bound.spacing, left.min(bound.count));
            if at < free {
                // Those that are there by then leave together.
                let together = (free - at).checked_div(spacing).map_or(u64::MAX, |more| more + 1);
                run = run.min(u32::try_from(together).unwrap_or(u32::MAX));
                (at, spacing) = (free, 0);
            }
            let back = at + self.credit_delay;
            self.keep_credit(id, Stretch { at: back, first: number, spacing: spacing as u32 });
            number = number.wrapping_add(run);
            left -= run;
        }
        if is_all {
            let at = self.delivered(id, number, rate.last_ps) + self.credit_delay;
            self.keep_credit(id, Stretch { at, first: number, spacing: flit as u32 });
        }
    }

    /// Takes the packet whose last flit has been delivered out of the buffer it ended in; the
    /// next there is the front.
    #[inline(never)]
    pub(super) fn take_out(&mut self, id: ChannelId, act: &mut Act) -> PacketId {
        let packet = self.board.take_delivered(id, act);
        self.front_falls_free(id, act.now, act);
        self.advance_all(act);
        packet
    }
}
