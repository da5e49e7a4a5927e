//! Turns in a ring: taken out at the front, put in at the back.

use super::turn::Turn;

/// Turns in order. Two words and a half, so that it fits a line with the turn after them.
#[derive(Clone, Default)]
pub struct Ring {
    /// As many places as a power of two, or none.
    turns: Box<[Turn]>,
    first: u32,
    count: u32,
}

impl Ring {
    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        (self.first as usize + number) & (self.turns.len() - 1)
    }

    /// One of them; 0 is the oldest.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&Turn> {
        (number < self.count()).then(|| &self.turns[self.place(number)])
    }

    /// One of them.
    #[inline]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Turn> {
        let place = (number < self.count()).then(|| self.place(number))?;
        Some(&mut self.turns[place])
    }

    /// All of them, the latest first.
    #[inline]
    pub fn newest_first(&self) -> impl Iterator<Item = &Turn> {
        (0..self.count()).rev().map(|number| &self.turns[self.place(number)])
    }

    /// Forgets the oldest, if there is one.
    #[inline]
    pub fn pop_front(&mut self) {
        if self.count > 0 {
            self.first = self.place(1) as u32;
            self.count -= 1;
        }
    }

    /// Adds one.
    #[inline]
    pub fn push_back(&mut self, turn: Turn) {
        if self.count() == self.turns.len() {
            self.grow(turn);
        }
        self.count += 1;
        let last = self.place(self.count() - 1);
        self.turns[last] = turn;
    }

    /// Twice as many places, all that are new with the same in them.
    #[cold]
    fn grow(&mut self, any: Turn) {
        let mut turns: Vec<Turn> = self.newest_first().copied().collect();
        turns.reverse();
        turns.resize((2 * turns.len()).max(4), any);
        self.turns = turns.into();
        self.first = 0;
    }
}
