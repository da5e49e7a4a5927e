//! To which blocks something happens.

use super::bits::{WORD, places};
use std::ops::Range;

/// Some blocks, by number, as bits.
#[derive(Clone, Default)]
pub struct Active(Vec<u64>);

impl Active {
    /// None of so many.
    pub fn new(blocks: usize) -> Self {
        Self(vec![0; blocks.div_ceil(WORD)])
    }

    /// Something happens to a block.
    #[inline]
    pub fn wake(&mut self, number: usize) {
        self.0[number / WORD] |= 1 << (number % WORD);
    }

    /// Nothing happens to a block any more.
    #[inline]
    pub fn rest(&mut self, number: usize) {
        self.0[number / WORD] &= !(1 << (number % WORD));
    }

    /// Its words.
    pub fn words(&self) -> Range<usize> {
        0..self.0.len()
    }

    /// The blocks of a word, as they are now: others may wake meanwhile.
    #[inline]
    pub fn of(&self, word: usize) -> impl Iterator<Item = usize> + use<> {
        places(self.0[word]).map(move |bit| word * WORD + bit)
    }
}
