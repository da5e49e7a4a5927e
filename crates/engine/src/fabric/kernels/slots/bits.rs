//! Some flows of a block, as bits.

use std::ops::{
    Add, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr, Sub,
};
use wide::u64x2;

/// Words of a block: two, which every processor of today works on at once.
const WORDS: usize = 2;

/// Flows of a word: those of a wire do not go beyond.
pub const WORD: usize = u64::BITS as usize;

/// Flows of a block.
pub const FLOWS: usize = WORDS * WORD;

/// Some flows of a block, by their places in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits(u64x2);

impl Bits {
    /// Those whose bits are set in a number, in every word.
    #[inline]
    pub fn of_each_word(word: u64) -> Self {
        Self(u64x2::splat(word))
    }

    /// Its words.
    #[inline]
    pub fn words(self) -> [u64; WORDS] {
        self.0.to_array()
    }

    /// The word of a flow.
    #[inline]
    pub fn word_mut(&mut self, flow: usize) -> &mut u64 {
        &mut self.0.as_mut_array()[flow / WORD]
    }

    /// Whether a flow is among them.
    #[inline]
    pub fn has(self, flow: usize) -> bool {
        self.0.as_array()[flow / WORD] >> (flow % WORD) & 1 != 0
    }

    /// A flow is among them, or not.
    #[inline]
    pub fn put(&mut self, flow: usize, on: bool) {
        let (word, bit) = (self.word_mut(flow), flow % WORD);
        *word = *word & !(1 << bit) | u64::from(on) << bit;
    }

    /// A flow is among them.
    #[inline]
    pub fn insert(&mut self, flow: usize) {
        *self.word_mut(flow) |= 1 << (flow % WORD);
    }

    /// A flow is not among them.
    #[inline]
    pub fn remove(&mut self, flow: usize) {
        *self.word_mut(flow) &= !(1 << (flow % WORD));
    }

    /// A flow is among them if it was not.
    #[inline]
    pub fn toggle(&mut self, flow: usize) {
        *self.word_mut(flow) ^= 1 << (flow % WORD);
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words().iter().fold(0, |any, word| any | word) == 0
    }

    /// How many there are.
    #[inline]
    pub fn count(self) -> u64 {
        self.words().iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Their places, the lowest first.
    // In one loop over both words: who has few places leaves it once, which processors seldom foresee.
    #[inline]
    pub fn for_each(self, mut act: impl FnMut(usize)) {
        let [low, high] = self.words();
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

/// An operator, word by word.
macro_rules! by_words {
    ($operator:ident, $operate:ident) => {
        impl $operator for Bits {
            type Output = Self;

            #[inline]
            fn $operate(self, other: Self) -> Self {
                Self(self.0.$operate(other.0))
            }
        }
    };
}

by_words!(Add, add);
by_words!(BitAnd, bitand);
by_words!(BitOr, bitor);
by_words!(BitXor, bitxor);
by_words!(Sub, sub);

/// The assignment of an operator.
macro_rules! by_assigning {
    ($assignment:ident, $assign:ident, $operate:ident) => {
        impl $assignment for Bits {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = self.$operate(other);
            }
        }
    };
}

by_assigning!(BitAndAssign, bitand_assign, bitand);
by_assigning!(BitOrAssign, bitor_assign, bitor);
by_assigning!(BitXorAssign, bitxor_assign, bitxor);

/// A shift of every word.
macro_rules! by_shifting {
    ($operator:ident, $operate:ident) => {
        impl $operator<u32> for Bits {
            type Output = Self;

            #[inline]
            fn $operate(self, by: u32) -> Self {
                Self(self.0.$operate(by))
            }
        }
    };
}

by_shifting!(Shl, shl);
by_shifting!(Shr, shr);

impl Not for Bits {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}
