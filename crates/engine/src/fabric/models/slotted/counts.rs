//! A number for each flow of every block, kept by their binary digits: a word for each digit of
//! 64 flows, so that those of a block are counted up or down together.

use super::block::FLOWS;

/// Numbers from 0 up to a largest one, by place.
pub struct Counts {
    /// By block, the lowest digit first.
    digits: Vec<u64>,
    /// Digits of a number.
    length: usize,
}

impl Counts {
    /// None yet; none will be above `most`.
    pub fn up_to(most: u32) -> Self {
        Self { digits: Vec::new(), length: (u32::BITS - most.leading_zeros()).max(1) as usize }
    }

    /// There is a block more; its numbers are 0.
    pub fn add_block(&mut self) {
        self.digits.resize(self.digits.len() + self.length, 0);
    }

    #[inline]
    fn block_mut(&mut self, block: usize) -> &mut [u64] {
        &mut self.digits[block * self.length..][..self.length]
    }

    /// Adds 1 to those of some flows of a block.
    #[inline]
    pub fn count_up(&mut self, block: usize, flows: u64) {
        let mut carry = flows;
        for digit in self.block_mut(block) {
            let sum = *digit ^ carry;
            carry &= *digit;
            *digit = sum;
        }
        debug_assert_eq!(carry, 0, "a number grows above what was said");
    }

    /// Takes 1 from those of some flows of a block, which are not 0; all that are 0, and all that
    /// are 1, then.
    #[inline]
    pub fn count_down(&mut self, block: usize, flows: u64) -> (u64, u64) {
        let (mut borrow, mut higher) = (flows, 0);
        let digits = self.block_mut(block);
        for digit in &mut *digits {
            let difference = *digit ^ borrow;
            borrow &= !*digit;
            *digit = difference;
            higher |= difference;
        }
        debug_assert_eq!(borrow, 0, "a number falls below 0");
        let above_one = digits[1..].iter().fold(0, |any, digit| any | digit);
        (!higher, digits[0] & !above_one)
    }

    /// The number at a place.
    #[inline]
    pub fn at(&self, place: u32) -> u32 {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        let digits = self.digits[block * self.length..][..self.length].iter();
        digits.rev().fold(0, |number, digit| number << 1 | (digit >> bit & 1) as u32)
    }

    /// Sets the number at a place.
    #[inline]
    pub fn set(&mut self, place: u32, number: u32) {
        let (block, bit) = (place as usize / FLOWS, place as usize % FLOWS);
        for (at, digit) in self.block_mut(block).iter_mut().enumerate() {
            *digit = *digit & !(1 << bit) | u64::from(number >> at & 1) << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn numbers_are_counted_as_one_by_one() {
        let mut random = Stream::new(3, Purpose::Compute, 0);
        for most in [1, 2, 3, 8, 70, 65_535] {
            let mut counts = Counts::up_to(most);
            (0..2).for_each(|_| counts.add_block());
            let mut known: Vec<u32> =
                (0..2 * FLOWS as u64).map(|_| random.below(u64::from(most) + 1) as u32).collect();
            for (place, &number) in known.iter().enumerate() {
                counts.set(place as u32, number);
            }
            for _ in 0..200 {
                let block = random.below(2) as usize;
                let drawn = random.below(1 << 32) << 32 | random.below(1 << 32);
                let mut those = |may: &dyn Fn(u32) -> bool, change: &dyn Fn(u32) -> u32| {
                    let mut flows = 0;
                    for (bit, number) in known[block * FLOWS..][..FLOWS].iter_mut().enumerate() {
                        if drawn >> bit & 1 == 1 && may(*number) {
                            flows |= 1 << bit;
                            *number = change(*number);
                        }
                    }
                    flows
                };
                if random.below(2) == 0 {
                    counts.count_up(block, those(&|number| number < most, &|number| number + 1));
                } else {
                    let flows = those(&|number| number > 0, &|number| number - 1);
                    let with = |wanted: u32| {
                        let all = known[block * FLOWS..][..FLOWS].iter().enumerate();
                        all.fold(0, |any, (bit, &number)| any | u64::from(number == wanted) << bit)
                    };
                    assert_eq!(counts.count_down(block, flows), (with(0), with(1)));
                }
                let all: Vec<u32> = (0..2 * FLOWS as u32).map(|place| counts.at(place)).collect();
                assert_eq!(all, known);
            }
        }
    }
}
