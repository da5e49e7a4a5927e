//! Records by number, all there, or shared by several networks until one of them changes some.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A record for every number below [`Self::len`].
///
/// After [`Self::share`] clones have the records in common, and each has those for itself that it has
/// changed: a network that few packets cross takes little memory, however large it is.
#[derive(Clone)]
pub struct Records<T> {
    /// All records; empty where they are shared, so that looking one up costs nothing more where they
    /// are not.
    own: Vec<T>,
    shared: Option<Box<Shared<T>>>,
}

/// What several networks have in common, and what one of them has changed.
#[derive(Clone)]
struct Shared<T> {
    all: Arc<[T]>,
    /// The records that have been changed, in the order in which they were, and their numbers.
    changed: Vec<T>,
    numbers: Vec<u32>,
    places: Places,
}

impl<T: Clone> Records<T> {
    /// So many that are all alike.
    pub fn of(record: T, count: usize) -> Self {
        Self { own: vec![record; count], shared: None }
    }

    /// Clones have the records as they are now in common.
    pub fn share(&mut self) {
        if self.shared.is_none() {
            let all = std::mem::take(&mut self.own).into();
            let (changed, numbers) = (Vec::new(), Vec::new());
            let shared = Shared { all, changed, numbers, places: Places::default() };
            self.shared = Some(Box::new(shared));
        }
    }

    /// Where they have: all are again as they were when that began.
    pub fn start_over(&mut self) {
        if let Some(shared) = &mut self.shared {
            shared.changed.clear();
            shared.numbers.clear();
            shared.places.clear();
        }
    }

    /// A record is as another list has it; where they are shared, all are as they were at the start.
    pub fn renew(&mut self, like: &Self, number: usize) {
        if self.shared.is_some() {
            self.start_over();
        } else {
            self[number].clone_from(&like[number]);
        }
    }

    /// All, by number.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|number| &self[number])
    }

    /// The records that may differ from those at the start, with their numbers: all, or where they are
    /// shared those that have been changed.
    pub fn changed(&self) -> impl Iterator<Item = (usize, &T)> {
        let (numbers, changed) = match &self.shared {
            Some(shared) => (Some(&shared.numbers), &shared.changed),
            None => (None, &self.own),
        };
        let number = move |place: usize| numbers.map_or(place, |numbers| numbers[place] as usize);
        changed.iter().enumerate().map(move |(place, record)| (number(place), record))
    }

    /// The same, to be changed.
    pub fn changed_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let (numbers, changed) = match &mut self.shared {
            Some(shared) => (Some(&shared.numbers), &mut shared.changed),
            None => (None, &mut self.own),
        };
        let number = move |place: usize| numbers.map_or(place, |numbers| numbers[place] as usize);
        changed.iter_mut().enumerate().map(move |(place, record)| (number(place), record))
    }

    /// All, where none is shared.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        debug_assert!(self.shared.is_none(), "some are shared");
        &mut self.own
    }
}

impl<T> Records<T> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.shared.as_ref().map_or(self.own.len(), |shared| shared.all.len())
    }

    /// A record that is not among those of its own.
    #[cold]
    #[inline(never)]
    fn shared(&self, number: usize) -> &T {
        let Some(shared) = &self.shared else { panic!("there is no record {number}") };
        match shared.places.find(number as u32) {
            Some(place) => &shared.changed[place as usize],
            None => &shared.all[number],
        }
    }
}

impl<T: Clone> Shared<T> {
    /// A record, to be changed.
    #[cold]
    #[inline(never)]
    fn at_mut(&mut self, number: usize) -> &mut T {
        let place = self.places.find(number as u32).unwrap_or_else(|| {
            self.changed.push(self.all[number].clone());
            self.numbers.push(number as u32);
            self.places.insert(&self.numbers)
        });
        &mut self.changed[place as usize]
    }
}

impl<T> Default for Records<T> {
    fn default() -> Self {
        Self { own: Vec::new(), shared: None }
    }
}

impl<T> FromIterator<T> for Records<T> {
    fn from_iter<I: IntoIterator<Item = T>>(records: I) -> Self {
        Self { own: records.into_iter().collect(), shared: None }
    }
}

impl<T> Index<usize> for Records<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: usize) -> &T {
        match self.own.get(number) {
            Some(record) => record,
            None => self.shared(number),
        }
    }
}

impl<T: Clone> IndexMut<usize> for Records<T> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut T {
        match (self.own.get_mut(number), &mut self.shared) {
            (Some(record), _) => record,
            (None, Some(shared)) => shared.at_mut(number),
            (None, None) => panic!("there is no record {number}"),
        }
    }
}

/// Places by number, in a table with open addressing.
#[derive(Clone, Default)]
struct Places {
    /// Number and place, or [`FREE`]; a power of two of them, at most half of which are taken.
    slots: Vec<u64>,
}

/// A slot of that table that is not taken.
const FREE: u64 = u64::MAX;
/// The first table has so many slots.
const FIRST_SLOTS: usize = 16;

impl Places {
    /// The place of a number, if it has one.
    #[inline]
    fn find(&self, number: u32) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = Self::first(number) & mask;
        loop {
            match self.slots[slot] {
                FREE => return None,
                taken if (taken >> 32) as u32 == number => return Some(taken as u32),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The last of these numbers has the last place, which is told; the others have theirs.
    fn insert(&mut self, numbers: &[u32]) -> u32 {
        if 2 * numbers.len() > self.slots.len() {
            self.slots.clear();
            self.slots.resize(FIRST_SLOTS.max(2 * numbers.len().next_power_of_two()), FREE);
            (0..numbers.len()).for_each(|place| self.put(numbers[place], place as u32));
        } else if let Some(&last) = numbers.last() {
            self.put(last, numbers.len() as u32 - 1);
        }
        numbers.len() as u32 - 1
    }

    /// A number that has no place has one.
    fn put(&mut self, number: u32, place: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = Self::first(number) & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = u64::from(number) << 32 | u64::from(place);
    }

    /// No number has a place.
    fn clear(&mut self) {
        self.slots.fill(FREE);
    }

    /// Where a number is looked for first: multiplicative hashing.
    #[inline]
    fn first(number: u32) -> usize {
        (number.wrapping_mul(0x9E37_79B1) >> 16) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Random changes of clones against a plain list each.
    #[test]
    fn clones_are_as_lists_of_their_own() {
        let mut random = Stream::new(1, Purpose::Start, 0);
        let start: Vec<u64> = (0..100_000).collect();
        let mut first: Records<u64> = start.iter().copied().collect();
        first.share();
        let mut clones = vec![(first.clone(), start.clone()); 3];
        for _ in 0..20_000 {
            let (records, list) = &mut clones[random.below(3) as usize];
            let below = if random.below(2) == 0 { 40 } else { 100_000 };
            let number = random.below(below) as usize;
            assert_eq!(records[number], list[number]);
            records[number] += 7;
            list[number] += 7;
            if random.below(5_000) == 0 {
                records.start_over();
                list.clone_from(&start);
            }
        }
        for (records, list) in &clones {
            assert!(records.iter().eq(list));
            let differs = |number: &usize| list[*number] != start[*number];
            let mut changed: Vec<usize> = records.changed().map(|(number, _)| number).collect();
            changed.sort_unstable();
            assert!(changed.into_iter().eq((0..list.len()).filter(differs)));
        }
        assert!(first.iter().eq(&start));
    }

    #[test]
    fn records_that_are_not_shared_are_a_list() {
        let mut records: Records<u32> = (0..5).collect();
        records[3] = 9;
        assert!(records.shared.is_none());
        assert_eq!(records.as_mut_slice(), [0, 1, 2, 9, 4]);
        assert_eq!(
            records.changed_mut().map(|(number, _)| number).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4]
        );
    }
}
