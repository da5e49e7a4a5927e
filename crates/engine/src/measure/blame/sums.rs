//! Sums of charges by key, of bounded size, in equal batches of time.

use super::Cause;
use crate::time::Time;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

    fn add(&mut self, count: u64, value: u64, batch: usize) {
        self.count += count;
        self.batches[batch] += value;
    }

    /// Batches become twice as long.
    fn halve(&mut self) {
        for at in 0..BATCHES {
            let pair = [2 * at, 2 * at + 1];
            self.batches[at] = pair.map(|b| self.batches.get(b).copied().unwrap_or(0)).iter().sum();
        }
    }
}

/// Sums by key, in the order in which the keys came.
#[derive(Clone)]
pub struct Sums {
    places: HashMap<Key, u32, BuildHasherDefault<Mixer>>,
    rows: Vec<(Key, Sum)>,
    most: usize,
}

impl Default for Sums {
    fn default() -> Self {
        Self { places: HashMap::default(), rows: Vec::new(), most: MOST_KEYS }
    }
}

impl Sums {
    /// Sums of so many keys at most.
    pub fn of_at_most(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.places.clear();
        self.rows.clear();
    }

    /// Adds to a key's sum; a table that is full adds new keys to one that stands for the
    /// rest, of each cause.
    pub fn add(&mut self, mut key: Key, count: u64, value: u64, batch: usize) {
        if self.rows.len() >= self.most && !self.places.contains_key(&key) {
            key = Key { channel: REST, victim: REST, culprit: REST, cause: key.cause };
        }
        let next = self.rows.len() as u32;
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.rows.push((key, Sum::default()));
        }
        self.rows[place as usize].1.add(count, value, batch);
    }

    /// Batches become twice as long.
    pub fn halve(&mut self) {
        self.rows.iter_mut().for_each(|(_, sum)| sum.halve());
    }

    /// All sums, by key.
    pub fn sorted(&self) -> Vec<(Key, Sum)> {
        let mut rows = self.rows.clone();
        rows.sort_unstable_by_key(|&(key, _)| key);
        rows
    }
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
    /// The batch an instant lies in; `halve` is called for each time that their length doubles.
    pub fn at(&mut self, now: Time, mut halve: impl FnMut()) -> usize {
        loop {
            let batch = now.saturating_sub(self.begin) / self.length;
            if batch < BATCHES as u64 {
                return batch as usize;
            }
            self.length *= 2;
            halve();
        }
    }
}

/// Mixes numbers by a multiplication by 2^64 over the golden ratio and a shift; nothing depends
/// on the order in which keys lie.
#[derive(Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
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
            sums.add(key(number % 50), 1, 2, 0);
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
            let batch = batches.at(now, || sums.halve());
            sums.add(key(0), 1, 1, batch);
        }
        assert_eq!(batches.length, 80);
        let [(_, sum)] = sums.sorted()[..] else { panic!() };
        assert_eq!((sum.count, sum.total(), sum.batches[0], sum.batches[11]), (180, 180, 16, 4));
    }
}
