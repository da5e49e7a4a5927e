//! Sums of charges by key, of bounded size, in equal batches of time.

use super::batches::{BATCHES, Batch};
use super::key::{Key, Packed};
use std::hint::black_box;

/// Most keys of a table.
pub const MOST_KEYS: usize = 1 << 18;

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

/// A key and its sums: half a cache line, which is all that adding to it touches.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Entry {
    classes: u64,
    /// The sum in `batch`.
    latest: u64,
    place: u32,
    /// 2^32 pieces are more than a run has.
    count: u32,
    /// The latest of its cells, or [`NONE`].
    cell: u32,
    batch: Batch,
}

impl Entry {
    #[inline]
    fn new(Packed { classes, place }: Packed) -> Self {
        Self { classes, latest: 0, place, count: 0, cell: NONE, batch: Batch::default() }
    }

    #[inline]
    fn packed(&self) -> Packed {
        Packed { classes: self.classes, place: self.place }
    }
}

/// The sum of one key in one batch, once another batch has begun for it: most keys are so
/// rare that they have few.
#[derive(Clone, Copy)]
struct Cell {
    sum: u64,
    /// The one before it of the same key, or [`NONE`].
    before: u32,
    batch: Batch,
}

/// Stands for no cell.
const NONE: u32 = u32::MAX;
/// Bits of a word of the index that hold an entry's place, plus one; 0: no entry. The others
/// hold bits of its key.
const PLACE: u32 = (1 << 20) - 1;

/// Sums by key, in the order in which keys came, with an index that has open addressing.
#[derive(Clone)]
pub struct Sums {
    /// A power of two, at least twice as many as there are keys.
    index: Vec<u32>,
    entries: Vec<Entry>,
    cells: Vec<Cell>,
    /// How often batches have doubled.
    era: u8,
    most: usize,
    /// Whether keys differ by channel and cause only: then these are the place in the index.
    is_direct: bool,
}

impl Default for Sums {
    fn default() -> Self {
        Self::of_at_most(MOST_KEYS)
    }
}

impl Sums {
    /// Sums of so many keys at most; [`MOST_KEYS`], if that is less.
    pub fn of_at_most(most: usize) -> Self {
        let most = most.min(MOST_KEYS);
        let (index, entries, cells) = (vec![0; 64], Vec::new(), Vec::new());
        Self { index, entries, cells, era: 0, most, is_direct: false }
    }

    /// Sums by channel and cause only.
    pub fn by_channel() -> Self {
        Self { is_direct: true, ..Self::default() }
    }

    /// Adds to a key's sum; a table that is full adds new keys to one that stands for the
    /// rest, of each cause. Whether the key has a sum of its own.
    #[inline]
    pub fn add(&mut self, key: Key, value: u64, batch: usize) -> bool {
        self.add_packed(key.into(), value, batch)
    }

    /// The same.
    #[inline]
    pub(super) fn add_packed(&mut self, key: Packed, value: u64, batch: usize) -> bool {
        let place = if self.is_direct { self.direct(key) } else { self.find_or_enter(key) };
        let entry = &mut self.entries[place];
        if entry.batch.at(self.era) != batch {
            if entry.latest > 0 {
                let Entry { batch, latest: sum, cell: before, .. } = *entry;
                entry.cell = self.cells.len() as u32;
                self.cells.push(Cell { sum, before, batch });
            }
            entry.batch = Batch::new(batch, self.era);
            entry.latest = 0;
        }
        entry.count += 1;
        entry.latest += value;
        entry.packed() == key
    }

    /// Adds a whole sum to a key's, likewise.
    pub fn merge(&mut self, key: Key, sum: &Sum) {
        let place = self.find_or_enter(key.into());
        let mut all = self.sum(&self.entries[place]);
        all.count += sum.count;
        for (all, more) in all.batches.iter_mut().zip(sum.batches) {
            *all += more;
        }
        self.entries[place] = rewritten(&self.entries[place], &all, self.era, &mut self.cells);
    }

    /// Whether new keys have no sums of their own.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }

    /// Keeps the larger half of all keys, by their sums, and adds the others up to the rest of their
    /// causes; these. So keys that become large later have sums of their own, too.
    #[cold]
    pub fn shorten(&mut self) -> Vec<(Key, Sum)> {
        let mut rows = self.sorted();
        rows.retain(|(key, _)| *key != Packed::from(*key).rest().key());
        rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total()));
        let small = rows.split_off(rows.len().min(self.most / 2));
        let rests = self.sorted().into_iter();
        let rests = rests.filter(|(key, _)| *key == Packed::from(*key).rest().key());
        let (most, is_direct, era) = (self.most, self.is_direct, self.era);
        let kept: Vec<_> = rests.chain(rows).collect();
        *self = Self { era, is_direct, ..Self::of_at_most(most) };
        for (key, sum) in &kept {
            self.merge(*key, sum);
        }
        for (key, sum) in &small {
            self.merge(Packed::from(*key).rest().key(), sum);
        }
        small
    }

    /// Reads what adding to a key will need, without waiting for it; changes nothing.
    #[inline]
    fn prefetch(&self, key: Packed) -> u32 {
        let word = self.index[key.mixed() as usize & (self.index.len() - 1)];
        let place = (word & PLACE).saturating_sub(1) as usize;
        self.entries.get(place).map_or(0, |entry| entry.count)
    }

    /// The same for several keys.
    #[inline]
    pub(super) fn prefetch_all(&self, keys: impl Iterator<Item = Packed>) {
        black_box(keys.fold(0_u32, |found, key| found.wrapping_add(self.prefetch(key))));
    }

    #[inline]
    fn find_or_enter(&mut self, key: Packed) -> usize {
        match self.find(key) {
            Ok(place) => place,
            Err(at) => self.enter(key, at),
        }
    }

    /// The place of a key's entry where channel and cause are its place in the index.
    #[inline]
    fn direct(&mut self, mut key: Packed) -> usize {
        loop {
            // The rest before all channels.
            let at = key.place.wrapping_add(1 << Packed::CAUSE) as usize;
            match self.index.get(at) {
                Some(&word) if word > 0 => return word as usize - 1,
                _ if self.entries.len() >= self.most && key != key.rest() => key = key.rest(),
                None => self.index.resize((at + 1).next_power_of_two(), 0),
                Some(_) => {
                    self.entries.push(Entry::new(key));
                    self.index[at] = self.entries.len() as u32;
                }
            }
        }
    }

    /// The place of a key's entry, or that in the index where it would be noted.
    #[inline]
    fn find(&self, key: Packed) -> Result<usize, usize> {
        let (mask, mixed) = (self.index.len() - 1, key.mixed());
        let mut at = mixed as usize & mask;
        loop {
            let word = self.index[at];
            if word == 0 {
                return Err(at);
            }
            let place = (word & PLACE) as usize - 1;
            if word & !PLACE == bits(mixed) && self.entries[place].packed() == key {
                return Ok(place);
            }
            at = (at + 1) & mask;
        }
    }

    /// A new key gets an entry, or that of the rest.
    fn enter(&mut self, mut key: Packed, mut at: usize) -> usize {
        if self.entries.len() >= self.most {
            key = key.rest();
            match self.find(key) {
                Ok(place) => return place,
                Err(free) => at = free,
            }
        }
        self.entries.push(Entry::new(key));
        if 2 * self.entries.len() > self.index.len() {
            self.grow();
        } else {
            self.index[at] = self.entries.len() as u32 | bits(key.mixed());
        }
        self.entries.len() - 1
    }

    /// The index becomes larger.
    #[cold]
    fn grow(&mut self) {
        let mask = 4 * self.index.len() - 1;
        self.index = vec![0; mask + 1];
        for (place, entry) in self.entries.iter().enumerate() {
            let mixed = entry.packed().mixed();
            let mut at = mixed as usize & mask;
            while self.index[at] != 0 {
                at = (at + 1) & mask;
            }
            self.index[at] = (place as u32 + 1) | bits(mixed);
        }
    }

    /// Batches become twice as long.
    ///
    /// Those that are of one batch now are joined only if there are many: to do so each time
    /// took 4 % of a run at a high load.
    pub fn halve(&mut self) {
        self.era += 1;
        if self.cells.len() <= BATCHES / 2 * self.entries.len() {
            return;
        }
        let mut cells = Vec::new();
        for place in 0..self.entries.len() {
            let sum = self.sum(&self.entries[place]);
            self.entries[place] = rewritten(&self.entries[place], &sum, self.era, &mut cells);
        }
        self.cells = cells;
    }

    /// The sum of an entry.
    fn sum(&self, entry: &Entry) -> Sum {
        let mut batches = [0; BATCHES];
        batches[entry.batch.at(self.era)] = entry.latest;
        let mut at = entry.cell;
        while at != NONE {
            let Cell { sum, before, batch } = self.cells[at as usize];
            batches[batch.at(self.era)] += sum;
            at = before;
        }
        Sum { count: entry.count.into(), batches }
    }

    /// All sums, by key.
    pub fn sorted(&self) -> Vec<(Key, Sum)> {
        let row = |entry: &Entry| (entry.packed().key(), self.sum(entry));
        let mut rows: Vec<_> = self.entries.iter().map(row).collect();
        rows.sort_unstable_by_key(|&(key, _)| key);
        rows
    }
}

/// An entry with another sum, in new cells: as few as can be.
fn rewritten(entry: &Entry, sum: &Sum, era: u8, cells: &mut Vec<Cell>) -> Entry {
    let (latest, mut cell) = (entry.batch.at(era), NONE);
    for (number, &sum) in sum.batches.iter().enumerate() {
        if sum > 0 && number != latest {
            cells.push(Cell { sum, before: cell, batch: Batch::new(number, era) });
            cell = cells.len() as u32 - 1;
        }
    }
    let (count, batch) = (sum.count as u32, Batch::new(latest, era));
    Entry { count, latest: sum.batches[latest], cell, batch, ..*entry }
}

/// The bits of a mixed key that the index holds.
#[inline]
fn bits(mixed: u64) -> u32 {
    (mixed >> 32) as u32 & !PLACE
}

#[cfg(test)]
mod tests {
    use super::super::{Batches, Cause, REST};
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

    /// The same of keys that have too few cells for these to be joined.
    #[test]
    fn batches_of_rare_keys_double() {
        let mut sums = Sums::default();
        for number in 0..100 {
            sums.add(key(number), 3, 2);
            sums.add(key(number), 4, 13);
        }
        sums.halve();
        sums.add(key(7), 5, 6);
        sums.halve();
        let rows = sums.sorted();
        assert_eq!(rows.len(), 100);
        for (number, (_, sum)) in rows.into_iter().enumerate() {
            let mut batches = [0; BATCHES];
            (batches[0], batches[3]) = (3, if number == 7 { 9 } else { 4 });
            assert_eq!(sum.batches, batches);
        }
    }
}
