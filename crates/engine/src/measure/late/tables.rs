//! Charges of messages, added up over the messages of a window.

use super::charges::Why;
use crate::measure::blame::{BATCHES, Batches, FIRST_BATCH, Key, Pairs, Sums, Victims};
use crate::measure::distribution::Distribution;
use crate::time::Time;

/// A slowdown of one, as it is counted: in millionths.
const ONE: u64 = 1_000_000;

/// How many times as long as alone, in millionths; none of what takes no time alone.
fn slowdown(latency: Time, alone: Time) -> Option<u64> {
    match latency.checked_mul(ONE) {
        Some(latency) => latency.checked_div(alone),
        None => (u128::from(latency) * u128::from(ONE)).checked_div(alone.into()).map(|n| n as u64),
    }
}

/// Charges that are added to the tables at once.
const AT_ONCE: usize = 1 << 8;

/// The tables of a window.
#[derive(Clone)]
pub struct Tables {
    /// How late messages were, by victim, culprit, root channel and kind.
    pub charges: Pairs,
    /// Charges that are still to be added to these, with their batches: many at once, so that cache misses overlap.
    pending: Vec<(Key, Time, usize)>,
    /// By victim: messages, and by batch.
    pub victims: Sums,
    /// The batches.
    pub batches: Batches,
    /// From the first packet queued to the last delivered.
    pub latency: Distribution,
    /// The same of messages alone.
    pub alone: Distribution,
    /// How much longer they took than alone; those that took less count as 0.
    pub late: Distribution,
    /// How many times as long they took as alone, in millionths.
    pub slowdown: Distribution,
    /// Messages that took less than alone, and how much less in all.
    pub early: (u64, Time),
    /// How late messages were for which nobody is charged, as not all is known that they waited for.
    pub unattributed: Time,
    /// What the chains of messages waited for, part of which cost them nothing.
    pub waited: Time,
    /// Whether batches are no spans of time, but groups of messages.
    are_groups: bool,
    batch: usize,
}

impl Tables {
    /// Nothing is in them; batches begin at `begin`.
    pub fn new(begin: Time, interval: Time, victims: &Victims) -> Self {
        Self {
            charges: Pairs::default(),
            pending: Vec::with_capacity(2 * AT_ONCE),
            victims: Sums::default(),
            batches: Batches { begin, length: FIRST_BATCH * interval },
            latency: Distribution::default(),
            alone: Distribution::default(),
            late: Distribution::default(),
            slowdown: Distribution::default(),
            early: (0, 0),
            unattributed: 0,
            waited: 0,
            are_groups: victims.are_grouped(),
            batch: 0,
        }
    }

    /// A message of a class; whether it was followed who made it wait. Labels of culprits become classes.
    pub fn add(
        &mut self,
        victim: u32,
        why: &Why,
        is_followed: bool,
        class_of: impl Fn(u32) -> u32,
    ) {
        let (queued, delivered) = why.span;
        self.begin_batch(delivered);
        let latency = delivered - queued;
        let late = latency.saturating_sub(why.alone);
        self.latency.add(latency);
        self.alone.add(why.alone);
        self.late.add(late);
        if let Some(slowdown) = slowdown(latency, why.alone) {
            self.slowdown.add(slowdown);
        }
        if latency < why.alone {
            self.early.0 += 1;
            self.early.1 += why.alone - latency;
        }
        let whole = Key { channel: 0, victim, culprit: 0, cause: 0 };
        self.victims.add(whole, 1, self.batch);
        self.waited += why.charges.iter().map(|charge| charge.waited).sum::<Time>();
        let mut left = late;
        for charge in why.charges.iter().filter(|charge| charge.late > 0) {
            left -= charge.late;
            let culprit = class_of(charge.culprit);
            let cause = charge.kind as u8;
            let key = Key { channel: charge.channel.0, victim, culprit, cause };
            self.pending.push((key, charge.late, self.batch));
        }
        if self.pending.len() >= AT_ONCE {
            self.add_pending();
        }
        self.unattributed += if is_followed { left } else { 0 };
    }

    /// Charges are of the batch of an instant, or of the next group.
    fn begin_batch(&mut self, now: Time) {
        if self.are_groups {
            self.batch = (self.batch + 1) % BATCHES;
            return;
        }
        let Self { charges, pending, victims, batches, .. } = self;
        batches.reach(now, || {
            charges.add_all(pending);
            pending.clear();
            charges.halve();
            victims.halve();
        });
        self.batch = batches.at(now);
    }

    /// Adds the charges that are still to be added.
    fn add_pending(&mut self) {
        self.charges.add_all(&self.pending);
        self.pending.clear();
    }

    /// The tables with everything in them.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut tables = self.clone();
        tables.add_pending();
        tables.charges.settle();
        tables
    }
}
