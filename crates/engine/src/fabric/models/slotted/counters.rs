//! Small numbers of 64 flows each, digit by digit: those of a block change together.

use super::block::FLOWS;

/// Digits that are worked on at once.
const CHUNK: usize = 4;

/// So many numbers of every flow, none above a common limit.
pub struct Counters<const NUMBERS: usize> {
    /// Binary digits of the flows of a block, the lowest first, block after block.
    digits: Vec<[u64; NUMBERS]>,
    /// Digits of a number: a multiple of [`CHUNK`].
    each: usize,
}

impl<const NUMBERS: usize> Counters<NUMBERS> {
    /// Those of no flows yet, up to `most`.
    pub fn new(most: u32) -> Self {
        let digits = (u32::BITS - most.leading_zeros()) as usize;
        Self { digits: Vec::new(), each: digits.next_multiple_of(CHUNK) }
    }

    /// Adds the flows of a block, with 0 each.
    pub fn add_block(&mut self) {
        self.digits.resize(self.digits.len() + self.each, [0; NUMBERS]);
    }

    #[inline]
    fn of(&mut self, block: usize) -> &mut [[[u64; NUMBERS]; CHUNK]] {
        self.digits[block * self.each..][..self.each].as_chunks_mut().0
    }

    /// A number of the flow at a place.
    #[inline]
    pub fn get(&self, place: u32, which: usize) -> u32 {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        let digits = &self.digits[block * self.each..][..self.each];
        digits.iter().rev().fold(0, |number, digit| number << 1 | (digit[which] >> bit & 1) as u32)
    }

    /// Sets a number of the flow at a place.
    #[inline]
    pub fn set(&mut self, place: u32, which: usize, number: u32) {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        let mut left = u64::from(number);
        for chunk in self.of(block) {
            for digit in chunk {
                digit[which] = digit[which] & !(1 << bit) | (left & 1) << bit;
                left >>= 1;
            }
        }
    }

    /// Of some flows of a block numbers are one more, of some one less; those of which they are not 0
    /// then.
    #[inline]
    pub fn change(
        &mut self,
        block: usize,
        more: [u64; NUMBERS],
        less: [u64; NUMBERS],
    ) -> [u64; NUMBERS] {
        let mut carry: [u64; NUMBERS] = std::array::from_fn(|which| more[which] & !less[which]);
        let mut borrow: [u64; NUMBERS] = std::array::from_fn(|which| less[which] & !more[which]);
        let mut any = [0; NUMBERS];
        for chunk in self.of(block) {
            for digit in chunk {
                for which in 0..NUMBERS {
                    let was = digit[which];
                    let is = was ^ (carry[which] | borrow[which]);
                    digit[which] = is;
                    carry[which] &= was;
                    borrow[which] &= is;
                    any[which] |= is;
                }
            }
        }
        any
    }
}

impl Counters<1> {
    /// Of some flows of a block the number is one less; all those of which it is 1 then.
    #[inline]
    pub fn lower(&mut self, block: usize, less: u64) -> u64 {
        let (mut borrow, mut above, mut is_lowest) = (less, 0, true);
        let mut lowest = 0;
        for chunk in self.of(block) {
            for [digit] in chunk {
                *digit ^= borrow;
                borrow &= *digit;
                if is_lowest {
                    lowest = *digit;
                } else {
                    above |= *digit;
                }
                is_lowest = false;
            }
        }
        lowest & !above
    }
}
