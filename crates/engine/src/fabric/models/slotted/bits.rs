//! Some flows of a block, as bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// Words of a block: two, which most processors work on at once.
const WORDS: usize = 2;

/// Flows of a word: those of a wire do not go beyond.
pub const WORD: usize = u64::BITS as usize;

/// Flows of a block.
pub const FLOWS: usize = WORDS * WORD;

/// Some flows of a block, by their places in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits(pub [u64; WORDS]);

impl Bits {
    /// Whether a flow is among them.
    #[inline]
    pub fn has(self, flow: usize) -> bool {
        self.0[flow / WORD] >> (flow % WORD) & 1 != 0
    }

    /// A flow is among them, or not.
    #[inline]
    pub fn put(&mut self, flow: usize, on: bool) {
        let (word, bit) = (&mut self.0[flow / WORD], flow % WORD);
        *word = *word & !(1 << bit) | u64::from(on) << bit;
    }

    /// A flow is among them.
    #[inline]
    pub fn insert(&mut self, flow: usize) {
        self.0[flow / WORD] |= 1 << (flow % WORD);
    }

    /// A flow is not among them.
    #[inline]
    pub fn remove(&mut self, flow: usize) {
        self.0[flow / WORD] &= !(1 << (flow % WORD));
    }

    /// A flow is among them if it was not.
    #[inline]
    pub fn toggle(&mut self, flow: usize) {
        self.0[flow / WORD] ^= 1 << (flow % WORD);
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    /// How many there are.
    #[inline]
    pub fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Those that a function makes of each word.
    #[inline]
    pub fn map(self, change: impl FnMut(u64) -> u64) -> Self {
        Self(self.0.map(change))
    }

    /// Those that a function makes of each word of two.
    #[inline]
    pub fn zip(self, other: Self, mut join: impl FnMut(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }

    /// Their places, the lowest first.
    // In one loop over both words: who has few places leaves it once, which processors seldom foresee.
    #[inline]
    pub fn for_each(self, mut act: impl FnMut(usize)) {
        let [low, high] = self.0;
        let mut bits = u128::from(high) << WORD | u128::from(low);
        while bits != 0 {
            act(bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

/// The places of the bits of a word, the lowest first.
#[inline]
pub fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let place = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            place
        })
    })
}

/// An operator, word by word, and its assignment.
macro_rules! by_words {
    ($operator:ident, $operate:ident, $assignment:ident, $assign:ident) => {
        impl $operator for Bits {
            type Output = Self;

            #[inline]
            fn $operate(self, other: Self) -> Self {
                self.zip(other, $operator::$operate)
            }
        }

        impl $assignment for Bits {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = self.$operate(other);
            }
        }
    };
}

by_words!(BitAnd, bitand, BitAndAssign, bitand_assign);
by_words!(BitOr, bitor, BitOrAssign, bitor_assign);
by_words!(BitXor, bitxor, BitXorAssign, bitxor_assign);

impl Not for Bits {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        self.map(|word| !word)
    }
}
