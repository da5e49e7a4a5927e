//! The times that are known and may still matter: when flits start on a channel, and
//! when the places of flits that have left a buffer may be used again.

use super::WormKernel;
use super::stretches::{Ring, Stretch, is_reached};
use crate::ids::ChannelId;
use crate::time::Time;

/// Flits that may not start before times of equal spacing.
#[derive(Clone, Copy)]
pub struct Bound {
    /// The first of these times.
    pub at: Time,
    pub spacing: Time,
    /// For how many flits.
    pub count: u32,
}

impl Bound {
    /// No bound, for so many flits.
    pub const NONE: Self = Self { at: 0, spacing: 0, count: u32::MAX };
}

impl WormKernel {
    /// A channel is to be granted again: its packets so far have been sent. Their times
    /// matter no more, unless their last flits are still on the way.
    // Inlined into its caller, as every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn forget_starts(&mut self, id: ChannelId, now: Time) {
        let delay = self.rate(id).asks_after_ps();
        let channel = &mut self.board.channels[id.index()];
        if channel.since + delay > now {
            if channel.is_straight() {
                self.keep_straight_starts(id, now);
            }
        } else if channel.keeps_starts() {
            channel.set_keeps_starts(false);
            self.rings[id.index()].starts.clear();
        }
        self.board.channels[id.index()].set_straight(false);
    }

    /// The next packet begins to leave a buffer: those before it have left. Their
    /// credits matter no more, unless they are still on the way.
    // Inlined into its callers, of which one is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn forget_credits(&mut self, id: ChannelId, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        if channel.front_free + self.credit_delay > now {
            if channel.left_straight() {
                self.keep_straight_credits(id);
            }
        } else if channel.keeps_credits() {
            channel.set_keeps_credits(false);
            self.rings[id.index()].credits.clear();
        }
        self.board.channels[id.index()].set_left_straight(false);
    }

    /// The latest flits of a channel go straight no more: their times are kept apart.
    pub(super) fn keep_straight_starts(&mut self, id: ChannelId, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        let (at, first) = (channel.straight_from, channel.straight_first());
        channel.set_straight(false);
        self.keep_start(id, Stretch { at, first, spacing: self.main.flit_ps as u32 }, now);
    }

    /// The same of the flits that left the buffer at its end last, and their credits.
    pub(super) fn keep_straight_credits(&mut self, id: ChannelId) {
        let channel = &mut self.board.channels[id.index()];
        let (at, first) = (channel.left_from, channel.left_first());
        channel.set_left_straight(false);
        self.keep_credit(id, Stretch { at, first, spacing: self.main.flit_ps as u32 });
    }

    /// Flits start on a channel at the times of a stretch.
    ///
    /// Earlier stretches are dropped that are past, and of flits whose next channel's
    /// times are known.
    pub(super) fn keep_start(&mut self, id: ChannelId, stretch: Stretch, now: Time) {
        let channel = &mut self.board.channels[id.index()];
        channel.set_keeps_starts(true);
        let (departed, is_at_node) = (channel.departed, !channel.port.switch.is_some());
        let ring = &mut self.rings[id.index()].starts;
        let is_used = |next: Stretch| is_at_node || is_reached(next.first, departed);
        self.stretches.drop_while(ring, |next| next.at <= now && is_used(next));
        self.stretches.push(ring, stretch);
    }

    /// Credits of a channel come back at the times of a stretch.
    ///
    /// Earlier stretches are dropped that are of credits used already; where loads are compared,
    /// of those used before the latest packet, which may use others later.
    pub(super) fn keep_credit(&mut self, id: ChannelId, stretch: Stretch) {
        let channel = &mut self.board.channels[id.index()];
        channel.set_keeps_credits(true);
        let next = if self.weighs { channel.base } else { channel.next_flit() };
        let place = next.wrapping_sub(self.buffer);
        let ring = &mut self.rings[id.index()].credits;
        self.stretches.drop_while(ring, |next| is_reached(next.first, place));
        self.stretches.push(ring, stretch);
    }

    /// When a flit, whose time is known, starts on a channel; 0 if that is past and of
    /// no consequence.
    #[inline]
    pub(super) fn start(&self, id: ChannelId, number: u32) -> Time {
        let channel = &self.board.channels[id.index()];
        if channel.is_straight() && is_reached(channel.straight_first(), number) {
            let after = number.wrapping_sub(channel.straight_first());
            return channel.straight_from + self.main.flit_ps * u64::from(after);
        }
        if channel.keeps_starts() { self.starts(id, number).at } else { 0 }
    }

    /// The same of flits from `number` on.
    pub(super) fn starts(&self, id: ChannelId, number: u32) -> Bound {
        let channel = self.board.at(id);
        let straight = channel.is_straight().then(|| Stretch {
            at: channel.straight_from,
            first: channel.straight_first(),
            spacing: self.rate(id).flit_ps as u32,
        });
        self.bound(self.rings[id.index()].starts, straight, number)
    }

    /// When the place of a flit, which has left the buffer at a channel's end, may be
    /// used again; 0 if that is past and of no consequence.
    // Inlined into its callers, of which one is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn credit_back(&self, id: ChannelId, number: u32) -> Time {
        let channel = &self.board.channels[id.index()];
        if channel.left_straight() && is_reached(channel.left_first(), number) {
            let after = number.wrapping_sub(channel.left_first());
            return channel.left_from + self.main.flit_ps * u64::from(after);
        }
        if channel.keeps_credits() { self.credits(id, number).at } else { 0 }
    }

    /// The same of flits from `number` on.
    pub(super) fn credits(&self, id: ChannelId, number: u32) -> Bound {
        let channel = self.board.at(id);
        let straight = channel.left_straight().then(|| Stretch {
            at: channel.left_from,
            first: channel.left_first(),
            spacing: self.main.flit_ps as u32,
        });
        self.bound(self.rings[id.index()].credits, straight, number)
    }

    /// Places for a flit, and for those behind it, whose credits have come back.
    pub(super) fn credits_before(&self, id: ChannelId, number: u32, now: Time) -> u32 {
        let first = number.wrapping_sub(self.buffer);
        least_not(self.buffer, |place| self.credit_counts(id, first.wrapping_add(place), now))
    }

    /// Flits that have started on a channel before now and whose credits have not come back.
    pub(super) fn held(&self, id: ChannelId, now: Time) -> u32 {
        let channel = self.board.at(id);
        // Others were sent before the latest packet was granted the channel.
        let first = channel.base;
        let started =
            least_not(channel.known, |flit| self.start(id, first.wrapping_add(flit)) < now);
        self.buffer - self.credits_before(id, first.wrapping_add(started), now)
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
}

/// The least number for which something is not so that is so up to there; at most `end`.
fn least_not(end: u32, is_so: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
