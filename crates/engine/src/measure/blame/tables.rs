//! The tables of a window.

use super::batches::Batches;
use super::cause::{Cause, Charge};
use super::key::{Key, Packed, REST};
use super::sums::Sums;
use crate::ids::ChannelId;
use crate::time::Time;

/// The tables of a window.
#[derive(Clone)]
pub struct Tables {
    /// By victim and culprit: pieces of waits, and time. Until [`Self::settled`] only of those
    /// that `channels` has no room for: the others follow from it.
    pub pairs: Sums,
    /// The same by channel waited for.
    pub channels: Sums,
    /// By root channel: pieces of waits, and time.
    pub roots: Sums,
    /// By victim: packets delivered; in batches: messages whose last packet that was.
    pub victims: Sums,
    /// The batches of all of them.
    pub batches: Batches,
    /// The batch of charges that are still to be added.
    batch: usize,
    /// These: many at once, so that cache misses overlap.
    pending: Vec<Pending>,
    /// Of these, those that `channels` has no room for.
    left: Vec<(Packed, Time)>,
}

/// A charge that is to be added to the tables.
#[derive(Clone, Copy)]
struct Pending {
    time: Time,
    key: Packed,
    root: ChannelId,
}

/// Charges that are added to the tables at once.
const AT_ONCE: usize = 1 << 10;
/// Of these, those of which what they need is read beforehand.
const AHEAD: usize = 32;
/// The first batches are this many sample intervals long.
const FIRST_BATCH: Time = 8;

impl Tables {
    /// Nothing is in them; batches begin at `begin`.
    pub fn new(begin: Time, interval: Time) -> Self {
        Self {
            pairs: Sums::default(),
            channels: Sums::default(),
            roots: Sums::by_channel(),
            victims: Sums::default(),
            batches: Batches { begin, length: FIRST_BATCH * interval },
            batch: 0,
            pending: Vec::with_capacity(2 * AT_ONCE),
            left: Vec::with_capacity(AHEAD),
        }
    }

    /// A packet of a class has been delivered.
    pub fn add(&mut self, victim: u32, charges: &[Charge], is_message: bool, now: Time) {
        let mut batch = self.batches.at(now);
        if batch != self.batch {
            self.settle();
            let Self { pairs, channels, roots, victims, batches, .. } = self;
            batches.reach(now, || {
                for sums in [&mut *pairs, channels, roots, victims] {
                    sums.halve();
                }
            });
            batch = batches.at(now);
            self.batch = batch;
        }
        let whole = Key { channel: 0, victim, culprit: 0, cause: Cause::Throttling };
        self.victims.add(whole, is_message.into(), batch);
        self.pending.extend(charges.iter().map(
            |&Charge { channel, root, culprit, cause, time }| {
                let key = Key { channel: channel.0, victim, culprit, cause }.into();
                Pending { time, key, root }
            },
        ));
        if self.pending.len() >= AT_ONCE {
            self.settle();
        }
    }

    /// Adds what is still to be added.
    fn settle(&mut self) {
        let batch = self.batch;
        for some in self.pending.chunks(AHEAD) {
            self.channels.prefetch_all(some.iter().map(|pending| pending.key));
            self.left.clear();
            for &Pending { time, key, root } in some {
                if !self.channels.add_packed(key, time, batch) {
                    self.left.push((key.anywhere(), time));
                }
                self.roots.add_packed(key.of_all(root), time, batch);
            }
            self.pairs.prefetch_all(self.left.iter().map(|&(key, _)| key));
            for &(key, time) in &self.left {
                self.pairs.add_packed(key, time, batch);
            }
        }
        self.pending.clear();
    }

    /// The tables with everything in them.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut tables = self.clone();
        tables.settle();
        for (key, sum) in tables.channels.sorted() {
            if key.channel != REST {
                tables.pairs.merge(Key { channel: 0, ..key }, &sum);
            }
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs are known although the table by channel has room for two of four channels only.
    #[test]
    fn pairs_are_whole_when_channels_are_not() {
        let mut tables = Tables::new(0, 10);
        tables.channels = Sums::of_at_most(2);
        for number in 0..40 {
            let charge = Charge {
                channel: ChannelId(number % 4),
                root: ChannelId(0),
                culprit: 5,
                cause: Cause::OutputBusy,
                time: 3,
            };
            tables.add(number % 2, &[charge], true, u64::from(number) * 100);
        }
        let settled = tables.settled();
        let pairs = settled.pairs.sorted();
        let known: Vec<_> = pairs.iter().map(|(key, sum)| (key.victim, sum.total())).collect();
        assert_eq!(known, [(0, 60), (1, 60)]);
        let [.., (last, rest)] = settled.channels.sorted()[..] else { panic!() };
        assert_eq!((last.channel, rest.total(), rest.count), (REST, 60, 20));
        assert_eq!(settled.roots.sorted()[0].1.total(), 120);
        assert_eq!(settled.victims.sorted().len(), 2);
    }
}
