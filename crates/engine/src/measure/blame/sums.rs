//! Sums of charges by key, of bounded size, in equal batches of time.

use super::batches::{BATCHES, Batch};
use super::key::{Key, Packed};
use std::cmp::Reverse;
use std::collections::BTreeMap;
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
        Self { index, entries, cells, era: 0, most }
    }

    /// Adds to a key's sum; a table that is full adds new keys to ones that stand for the
    /// rest, of each cause. Whether the key has a sum of its own.
    #[inline]
    pub fn add(&mut self, key: Key, value: u64, batch: usize) -> bool {
        self.add_packed(key.into(), value, batch)
    }

    /// The same.
    #[inline]
    pub(super) fn add_packed(&mut self, key: Packed, value: u64, batch: usize) -> bool {
        let place = self.find_or_enter(key);
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
    fn merge(&mut self, key: Packed, sum: &Sum) {
        let place = self.find_or_enter(key);
        let mut all = self.sum(&self.entries[place]);
        add(&mut all, sum);
        self.entries[place] = rewritten(&self.entries[place], &all, self.era, &mut self.cells);
    }

    /// Whether new keys have no sums of their own.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }

    /// Adds many sums to those of their keys, likewise; a table that is full is shortened.
    pub fn merge_all(&mut self, rows: impl Iterator<Item = (Packed, Sum)>) {
        let mut open = Open::default();
        for (key, more) in rows {
            if self.is_full() {
                self.close(&mut open);
                self.shorten(|_, _| ());
            }
            let place = self.find_or_enter(key);
            add(open.of(place, || self.sum(&self.entries[place])), &more);
        }
        self.close(&mut open);
    }

    /// Sums that were added to become those of their entries.
    fn close(&mut self, open: &mut Open) {
        for (place, sum) in open.sums.drain(..) {
            self.entries[place] = rewritten(&self.entries[place], &sum, self.era, &mut self.cells);
        }
        open.places.clear();
    }

    /// Keeps the larger half of all keys, by their sums, and adds the others up: `each` of these. So keys that
    /// become large later have sums of their own, too.
    ///
    /// Others are added up to the rest of their causes at each channel, or if even these are many, at all channels.
    #[cold]
    pub fn shorten(&mut self, mut each: impl FnMut(Packed, &Sum)) {
        let mut order: Vec<_> = (0..self.entries.len()).filter_map(|at| self.rank(at)).collect();
        let keeps = self.most / 2;
        let mut small = Vec::new();
        if order.len() > keeps {
            order.select_nth_unstable(keeps);
            small = order.split_off(keeps);
            small.sort_unstable();
        }
        let mut is_small = vec![false; self.entries.len()];
        let mut rests: BTreeMap<u32, Sum> = BTreeMap::new();
        let mut rest = |entry: &Entry, sum: &Sum| {
            add(rests.entry(entry.packed().rest_there().place).or_default(), sum);
        };
        for Rank { at, .. } in small {
            is_small[at as usize] = true;
            let entry = &self.entries[at as usize];
            let sum = self.sum(entry);
            each(entry.packed(), &sum);
            rest(entry, &sum);
        }
        for (entry, is_small) in self.entries.iter().zip(&mut is_small) {
            if entry.packed().is_rest() {
                *is_small = true;
                rest(entry, &self.sum(entry));
            }
        }
        if rests.len() > self.most / 4 {
            let there = std::mem::take(&mut rests);
            for (place, sum) in there {
                let anywhere = Packed { classes: u64::MAX, place }.rest().place;
                add(rests.entry(anywhere).or_default(), &sum);
            }
        }
        let mut cells = Vec::new();
        let mut entries = Vec::with_capacity(keeps + rests.len());
        for (entry, _) in self.entries.iter().zip(is_small).filter(|&(_, is_small)| !is_small) {
            entries.push(rewritten(entry, &self.sum(entry), self.era, &mut cells));
        }
        (self.entries, self.cells) = (entries, cells);
        self.note_all(self.index.len());
        for (place, sum) in rests {
            let classes = u64::MAX;
            self.merge(Packed { classes, place }, &sum);
        }
    }

    /// How large an entry is, unless it stands for the rest.
    fn rank(&self, at: usize) -> Option<Rank> {
        let entry = &self.entries[at];
        let key = entry.packed();
        let mut total = entry.latest;
        let mut cell = entry.cell;
        while cell != NONE {
            let Cell { sum, before, .. } = self.cells[cell as usize];
            total += sum;
            cell = before;
        }
        let (channel, cause) = (key.place >> Packed::CAUSE, key.place & ((1 << Packed::CAUSE) - 1));
        let classes = key.classes;
        let rank = Rank { total: Reverse(total), channel, classes, cause, at: at as u32 };
        (!key.is_rest()).then_some(rank)
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

    /// A new key gets an entry, or that of the rest at its channel, if there is one, or of all the rest.
    fn enter(&mut self, mut key: Packed, mut at: usize) -> usize {
        if self.entries.len() >= self.most {
            if let Ok(place) = self.find(key.rest_there()) {
                return place;
            }
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
        self.note_all(4 * self.index.len());
    }

    /// All entries are noted in an index of a length.
    fn note_all(&mut self, length: usize) {
        let mask = length - 1;
        self.index.clear();
        self.index.resize(length, 0);
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

/// Adds a sum to another.
fn add(all: &mut Sum, more: &Sum) {
    all.count += more.count;
    for (all, more) in all.batches.iter_mut().zip(more.batches) {
        *all += more;
    }
}

/// How large a sum is: the largest first, those of equal sums in the order of their keys.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    total: Reverse<u64>,
    channel: u32,
    classes: u64,
    cause: u32,
    /// The place of its entry.
    at: u32,
}

/// Entries that many sums are added to, whose batches are all there meanwhile.
#[derive(Default)]
struct Open {
    /// By entry: its place among these, and one; 0: it is not among them.
    places: Vec<u32>,
    sums: Vec<(usize, Sum)>,
}

impl Open {
    /// The sum of an entry; if it has not been added to, `sum` is it.
    fn of(&mut self, at: usize, sum: impl FnOnce() -> Sum) -> &mut Sum {
        if self.places.len() <= at {
            self.places.resize(at + 1, 0);
        }
        if self.places[at] == 0 {
            self.sums.push((at, sum()));
            self.places[at] = self.sums.len() as u32;
        }
        &mut self.sums[self.places[at] as usize - 1].1
    }
}

/// The bits of a mixed key that the index holds.
#[inline]
fn bits(mixed: u64) -> u32 {
    (mixed >> 32) as u32 & !PLACE
}

#[cfg(test)]
mod tests {
    use super::super::{Batches, REST};
    use super::*;

    fn key(victim: u32) -> Key {
        Key { channel: 3, victim, culprit: 1, cause: 4 }
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
        assert_eq!((last.victim, last.cause, rest.count), (REST, 4, 800));
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
