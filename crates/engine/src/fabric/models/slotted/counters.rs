//! Small numbers of 64 flows each, digit by digit: those of a block change together.

use super::block::FLOWS;

/// A number of every flow, none above a common limit.
pub struct Counters {
    /// Binary digits of the flows of a block, the lowest first, block after block.
    digits: Vec<u64>,
    /// Digits of a number.
    each: usize,
}

impl Counters {
    /// Those of no flows yet, up to `most`.
    pub fn new(most: u32) -> Self {
        Self { digits: Vec::new(), each: (u32::BITS - most.leading_zeros()) as usize }
    }

    /// Adds the flows of a block, with 0 each.
    pub fn add_block(&mut self) {
        self.digits.resize(self.digits.len() + self.each, 0);
    }

    #[inline]
    fn of(&mut self, block: usize) -> &mut [u64] {
        &mut self.digits[block * self.each..][..self.each]
    }

    /// The number of the flow at a place.
    #[inline]
    pub fn get(&self, place: u32) -> u32 {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        let digits = &self.digits[block * self.each..][..self.each];
        digits.iter().rev().fold(0, |number, digit| number << 1 | (digit >> bit & 1) as u32)
    }

    /// Sets the number of the flow at a place.
    #[inline]
    pub fn set(&mut self, place: u32, number: u32) {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        let mut left = u64::from(number);
        for digit in self.of(block) {
            *digit = *digit & !(1 << bit) | (left & 1) << bit;
            left >>= 1;
        }
    }

    /// Some flows of a block have one more, some one less; those that do not have 0 then.
    #[inline]
    pub fn change(&mut self, block: usize, more: u64, less: u64) -> u64 {
        let (mut carry, mut borrow, mut any) = (more & !less, less & !more, 0);
        for digit in self.of(block) {
            let was = *digit;
            *digit = was ^ (carry | borrow);
            carry &= was;
            borrow &= !was;
            any |= *digit;
        }
        any
    }

    /// Some flows of a block have one less; all those that have 1 then.
    #[inline]
    pub fn lower(&mut self, block: usize, less: u64) -> u64 {
        let (mut borrow, mut above) = (less, 0);
        let digits = self.of(block);
        for digit in digits.iter_mut() {
            let was = *digit;
            *digit = was ^ borrow;
            borrow &= !was;
        }
        digits[1..].iter().for_each(|digit| above |= digit);
        digits[0] & !above
    }
}
