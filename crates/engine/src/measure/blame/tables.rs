//! The tables of a window.

use super::cause::{Cause, Charge};
use super::sums::{Batches, Key, Sums};
use crate::ids::ChannelId;
use crate::time::Time;

/// The tables of a window.
#[derive(Clone)]
pub struct Tables {
    /// By victim and culprit: pieces of waits, and time.
    pub pairs: Sums,
    /// The same by channel waited for.
    pub channels: Sums,
    /// By root channel: pieces of waits, and time.
    pub roots: Sums,
    /// By victim: packets delivered; in batches: messages whose last packet that was.
    pub victims: Sums,
    /// The batches of all of them.
    pub batches: Batches,
    /// Charges that are still to be added: many at once, so that cache misses overlap.
    pending: Vec<Pending>,
}

/// A charge that is to be added to the tables.
#[derive(Clone, Copy)]
struct Pending {
    key: Key,
    root: ChannelId,
    batch: u32,
    time: Time,
}

/// Charges that are added to the tables at once.
const AT_ONCE: usize = 1 << 10;
/// The first batches are this many sample intervals long.
const FIRST_BATCH: Time = 8;

impl Tables {
    /// Nothing is in them; batches begin at `begin`.
    pub fn new(begin: Time, interval: Time) -> Self {
        Self {
            pairs: Sums::default(),
            channels: Sums::default(),
            roots: Sums::default(),
            victims: Sums::default(),
            batches: Batches { begin, length: FIRST_BATCH * interval },
            pending: Vec::with_capacity(2 * AT_ONCE),
        }
    }

    /// A packet of a class has been delivered.
    pub fn add(&mut self, victim: u32, charges: &[Charge], is_message: bool, now: Time) {
        if !self.batches.has(now) {
            self.settle();
            let Self { pairs, channels, roots, victims, batches, .. } = self;
            batches.reach(now, || {
                for sums in [&mut *pairs, channels, roots, victims] {
                    sums.halve();
                }
            });
        }
        let batch = self.batches.at(now);
        let whole = Key { channel: 0, victim, culprit: 0, cause: Cause::Throttling };
        self.victims.add(whole, is_message.into(), batch);
        self.pending.extend(charges.iter().map(
            |&Charge { channel, root, culprit, cause, time }| {
                let key = Key { channel: channel.0, victim, culprit, cause };
                Pending { key, root, batch: batch as u32, time }
            },
        ));
        if self.pending.len() >= AT_ONCE {
            self.settle();
        }
    }

    /// Adds what is still to be added.
    fn settle(&mut self) {
        for &Pending { key, batch, time, .. } in &self.pending {
            self.channels.add(key, time, batch as usize);
        }
        for &Pending { key, batch, time, .. } in &self.pending {
            self.pairs.add(Key { channel: 0, ..key }, time, batch as usize);
        }
        for &Pending { key: Key { cause, .. }, root, batch, time } in &self.pending {
            let key = Key { channel: root.0, victim: 0, culprit: 0, cause };
            self.roots.add(key, time, batch as usize);
        }
        self.pending.clear();
    }

    /// The tables with everything in them.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut tables = self.clone();
        tables.settle();
        tables
    }
}
