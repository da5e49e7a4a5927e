//! Sums of charges by key, of bounded size, in equal batches of time.

use super::Cause;
use crate::time::Time;

/// Batches of time in which sums are kept apart, at most.
pub const BATCHES: usize = 16;

/// Stands for all keys that came when a table was full.
pub const REST: u32 = u32::MAX;

/// Most keys of a table.
pub const MOST_KEYS: usize = 1 << 18;

/// What is summed up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The channel, where the table has one.
    pub channel: u32,
    /// The class of those that waited.
    pub victim: u32,
    /// The class of those that were in their way.
    pub culprit: u32,
    /// How.
    pub cause: Cause,
}

/// A sum in batches of time, and how many it is made up of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// By batch.
    pub batches: [u64; BATCHES],
}

impl Sum {
    /// The sum over all batches.
    pub fn total(&self) -> u64 {
        self.batches.iter().sum()
    }
}

/// A key's place: half a cache line, which is all that adding to it touches.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Slot {
    channel: u32,
    victim: u32,
    culprit: u32,
    cause: Cause,
    /// The batch that `latest` is of.
    batch: u8,
    /// 0: no key's place.
    count: u32,
    /// Where the sums of earlier batches are.
    row: u32,
    latest: u64,
}

const FREE: Slot = Slot {
    channel: 0,
    victim: 0,
    culprit: 0,
    cause: Cause::Throttling,
    batch: 0,
    count: 0,
    row: 0,
    latest: 0,
};

impl Slot {
    fn key(&self) -> Key {
        let Self { channel, victim, culprit, cause, .. } = *self;
        Key { channel, victim, culprit, cause }
    }
}

/// Sums by key, in a table with open addressing.
#[derive(Clone)]
pub struct Sums {
    /// A power of two, at least twice as many as there are keys.
    slots: Vec<Slot>,
    /// Sums of batches but for the latest of each key, in the order in which keys came.
    rows: Vec<[u64; BATCHES]>,
    most: usize,
}

impl Default for Sums {
    fn default() -> Self {
        Self::of_at_most(MOST_KEYS)
    }
}

impl Sums {
    /// Sums of so many keys at most.
    pub fn of_at_most(most: usize) -> Self {
        Self { slots: vec![FREE; 64], rows: Vec::new(), most }
    }

    /// Adds to a key's sum; a table that is full adds new keys to one that stands for the
    /// rest, of each cause.
    #[inline]
    pub fn add(&mut self, key: Key, value: u64, batch: usize) {
        let mut at = self.place(key);
        if self.slots[at].count == 0 {
            at = self.enter(key, at);
        }
        let slot = &mut self.slots[at];
        if usize::from(slot.batch) != batch {
            self.rows[slot.row as usize][usize::from(slot.batch)] += slot.latest;
            slot.batch = batch as u8;
            slot.latest = 0;
        }
        slot.count += 1;
        slot.latest += value;
    }

    /// The slot of a key, or the free one that would be.
    #[inline]
    fn place(&self, key: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = mixed(key) as usize & mask;
        while self.slots[at].count > 0 && self.slots[at].key() != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// A new key gets a slot, or that of the rest.
    #[cold]
    fn enter(&mut self, mut key: Key, mut at: usize) -> usize {
        if self.rows.len() >= self.most {
            key = Key { channel: REST, victim: REST, culprit: REST, cause: key.cause };
            at = self.place(key);
            if self.slots[at].count > 0 {
                return at;
            }
        }
        if 2 * (self.rows.len() + 1) > self.slots.len() {
            let larger = vec![FREE; 2 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.count > 0 {
                    let at = self.place(slot.key());
                    self.slots[at] = slot;
                }
            }
            at = self.place(key);
        }
        let Key { channel, victim, culprit, cause } = key;
        let row = self.rows.len() as u32;
        self.slots[at] = Slot { channel, victim, culprit, cause, row, ..FREE };
        self.rows.push([0; BATCHES]);
        at
    }

    /// Batches become twice as long.
    pub fn halve(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.count > 0) {
            let sums = &mut self.rows[slot.row as usize];
            sums[usize::from(slot.batch)] += std::mem::take(&mut slot.latest);
            slot.batch = 0;
            for at in 0..BATCHES {
                let pair = [2 * at, 2 * at + 1].map(|b| sums.get(b).copied().unwrap_or(0));
                sums[at] = pair.iter().sum();
            }
        }
    }

    /// All sums, by key.
    pub fn sorted(&self) -> Vec<(Key, Sum)> {
        let whole = |slot: &Slot| {
            let mut batches = self.rows[slot.row as usize];
            batches[usize::from(slot.batch)] += slot.latest;
            (slot.key(), Sum { count: slot.count.into(), batches })
        };
        let used = self.slots.iter().filter(|slot| slot.count > 0);
        let mut rows: Vec<_> = used.map(whole).collect();
        rows.sort_unstable_by_key(|&(key, _)| key);
        rows
    }
}

/// A key as a number whose low bits depend on all of it: by multiplications with 2^64 over
/// the golden ratio. No result depends on where keys lie.
#[inline]
fn mixed(key: Key) -> u64 {
    const RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
    let classes = u64::from(key.victim) << 32 | u64::from(key.culprit);
    let place = u64::from(key.channel) << 3 | key.cause as u64;
    let both = (classes.wrapping_mul(RATIO).rotate_left(32) ^ place).wrapping_mul(RATIO);
    both ^ both >> 32
}

/// Batches of time of equal length, which doubles when more are needed.
#[derive(Clone, Copy, Debug)]
pub struct Batches {
    /// When the first begins.
    pub begin: Time,
    /// How long each is.
    pub length: Time,
}

impl Batches {
    /// The batch an instant lies in.
    pub fn at(&self, now: Time) -> usize {
        (now.saturating_sub(self.begin) / self.length) as usize
    }

    /// Whether an instant lies in any.
    pub fn has(&self, now: Time) -> bool {
        self.at(now) < BATCHES
    }

    /// Makes them so long that an instant lies in one; `halve` is called each time that
    /// their length doubles.
    pub fn reach(&mut self, now: Time, mut halve: impl FnMut()) {
        while !self.has(now) {
            self.length *= 2;
            halve();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(victim: u32) -> Key {
        Key { channel: 3, victim, culprit: 1, cause: Cause::HeadOfLine }
    }

    #[test]
    fn a_full_table_keeps_the_sum() {
        let mut sums = Sums::of_at_most(10);
        for number in 0..1000 {
            sums.add(key(number % 50), 2, 0);
        }
        let rows = sums.sorted();
        assert_eq!(rows.len(), 11);
        assert_eq!(rows.iter().map(|(_, sum)| sum.total()).sum::<u64>(), 2000);
        let (last, rest) = rows[10];
        assert_eq!((last.victim, last.cause, rest.count), (REST, Cause::HeadOfLine, 800));
    }

    #[test]
    fn batches_double_and_nothing_is_lost() {
        let (mut sums, mut batches) = (Sums::default(), Batches { begin: 100, length: 10 });
        for now in (100..1000).step_by(5) {
            batches.reach(now, || sums.halve());
            sums.add(key(0), 1, batches.at(now));
        }
        assert_eq!(batches.length, 80);
        let [(_, sum)] = sums.sorted()[..] else { panic!() };
        assert_eq!((sum.count, sum.total(), sum.batches[0], sum.batches[11]), (180, 180, 16, 4));
    }
}
