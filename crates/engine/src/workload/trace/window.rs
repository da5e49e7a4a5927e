//! What is known of the operations of a rank that are not done, by their numbers.

use std::collections::{BTreeMap, VecDeque};

/// Numbers that are looked up in a list of them, at least.
const LEAST_LISTED: usize = 64;
/// More numbers are listed than this many for each that is there: the earliest move aside.
const MOST_LISTED: usize = 4;

/// What is known of the operations that are not done.
///
/// Most are done in about the order of their numbers: they are in a list from the first one that is
/// not done, so that what follows each other lies together. A few that last long do not keep those
/// after them in the list, but are set aside.
pub struct Window<T> {
    /// The number of the first in the list.
    first: u32,
    /// None of one that is done.
    listed: VecDeque<Option<T>>,
    /// How many of them are not.
    live: usize,
    /// Those before the list.
    aside: BTreeMap<u32, T>,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self { first: 0, listed: VecDeque::new(), live: 0, aside: BTreeMap::new() }
    }
}

impl<T: Copy> Window<T> {
    /// The number of the next operation.
    #[inline]
    pub fn next(&self) -> u32 {
        self.first + self.listed.len() as u32
    }

    /// Whether all are done.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.live == 0 && self.aside.is_empty()
    }

    /// What is known of an operation; none if it is done or has not been read.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        match number.checked_sub(self.first) {
            Some(at) => self.listed.get(at as usize)?.as_ref(),
            None => self.aside.get(&number),
        }
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        match number.checked_sub(self.first) {
            Some(at) => self.listed.get_mut(at as usize)?.as_mut(),
            None => self.aside.get_mut(&number),
        }
    }

    /// The next operation is there.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.listed.len() == self.listed.capacity() {
            // By less than twice: all of a trace may be in flight.
            self.listed.reserve_exact(LEAST_LISTED.max(self.listed.len() / 4));
        }
        self.listed.push_back(Some(item));
        self.live += 1;
    }

    /// An operation is done: what was known of it.
    #[inline]
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let Some(at) = number.checked_sub(self.first) else {
            return self.aside.remove(&number);
        };
        let item = self.listed.get_mut(at as usize)?.take()?;
        self.live -= 1;
        while let Some(None) = self.listed.front() {
            self.advance();
        }
        while self.listed.len() > LEAST_LISTED.max(MOST_LISTED * self.live) {
            self.advance();
        }
        Some(item)
    }

    /// The list begins one later.
    #[inline]
    fn advance(&mut self) {
        if let Some(item) = self.listed.pop_front().flatten() {
            self.aside.insert(self.first, item);
            self.live -= 1;
        }
        self.first += 1;
    }

    /// Those that are not done, in ascending order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let aside = self.aside.iter().map(|(&number, item)| (number, item));
        let listed = (self.first..).zip(&self.listed);
        aside.chain(listed.filter_map(|(number, item)| Some((number, item.as_ref()?))))
    }

    /// How much room it takes.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.listed.len() + self.aside.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_never_done_keeps_nothing() {
        let mut window = Window::default();
        window.push(7);
        window.push(8);
        for number in 2..10_000 {
            window.push(number);
            assert_eq!(window.remove(number), Some(number));
        }
        assert!(window.held() < 100, "{}", window.held());
        assert_eq!((window.next(), window.get(0), window.get(2)), (10_000, Some(&7), None));
        assert_eq!(window.iter().collect::<Vec<_>>(), [(0, &7), (1, &8)]);
        *window.get_mut(1).unwrap() = 9;
        assert_eq!((window.remove(1), window.remove(1)), (Some(9), None));
        assert!(!window.is_empty());
        window.remove(0);
        assert!(window.is_empty());
        assert_eq!((window.get(0), window.get(20_000)), (None, None));
    }
}
