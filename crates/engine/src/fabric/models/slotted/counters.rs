//! Small numbers of flows, digit by digit: those of a block change together.

use super::bits::{Bits, WORD};

/// Digits that are worked on at once.
const CHUNK: usize = 4;

/// Chunks of a number: it has 16 binary digits.
const CHUNKS: usize = 4;

/// The digits of a chunk of every value, each as that of all flows.
const MASKS: [[u64; CHUNK]; 1 << CHUNK] = {
    let mut masks = [[0; CHUNK]; 1 << CHUNK];
    let mut place = 0;
    while place < CHUNK << CHUNK {
        let (value, digit) = (place / CHUNK, place % CHUNK);
        masks[value][digit] = if value >> digit & 1 == 0 { 0 } else { u64::MAX };
        place += 1;
    }
    masks
};

/// So many numbers of every flow of a block: their binary digits, the lowest first.
pub struct Counters<const NUMBERS: usize>([[[Bits; NUMBERS]; CHUNK]; CHUNKS]);

impl<const NUMBERS: usize> Default for Counters<NUMBERS> {
    fn default() -> Self {
        Self([[[Bits::default(); NUMBERS]; CHUNK]; CHUNKS])
    }
}

/// How many chunks of digits numbers have that are not above a common limit.
pub fn chunks_up_to(most: u32) -> usize {
    ((u32::BITS - most.leading_zeros()) as usize).div_ceil(CHUNK)
}

impl<const NUMBERS: usize> Counters<NUMBERS> {
    /// A number of a flow, in so many chunks.
    #[inline]
    pub fn get(&self, chunks: usize, flow: usize, which: usize) -> u32 {
        let (word, bit) = (flow / WORD, flow % WORD);
        let mut number = 0;
        for chunk in self.0.iter().take(chunks).rev() {
            for digit in chunk.iter().rev() {
                number = number << 1 | (digit[which].0[word] >> bit & 1) as u32;
            }
        }
        number
    }

    /// Sets a number of a flow, in so many chunks.
    #[inline]
    pub fn set(&mut self, chunks: usize, flow: usize, which: usize, number: u32) {
        let mut left = number as usize;
        for chunk in self.0.iter_mut().take(chunks) {
            let masks = &MASKS[left % MASKS.len()];
            let (word, bit) = (flow / WORD, 1 << (flow % WORD));
            for (digit, mask) in chunk.iter_mut().zip(masks) {
                let digit = &mut digit[which].0[word];
                *digit ^= (*digit ^ mask) & bit;
            }
            left /= MASKS.len();
        }
    }

    /// Of some flows numbers of so many chunks are one more, of some one less; those of which they
    /// are not 0 then.
    #[inline]
    pub fn change(
        &mut self,
        chunks: usize,
        more: [Bits; NUMBERS],
        less: [Bits; NUMBERS],
    ) -> [Bits; NUMBERS] {
        let mut carry: [Bits; NUMBERS] = std::array::from_fn(|which| more[which] & !less[which]);
        let mut borrow: [Bits; NUMBERS] = std::array::from_fn(|which| less[which] & !more[which]);
        let mut any = [Bits::default(); NUMBERS];
        for chunk in self.0.iter_mut().take(chunks) {
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

#[cfg(test)]
mod tests {
    use super::super::bits::FLOWS;
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn numbers_of_all_flows_change_as_one_by_one() {
        let mut random = Stream::new(3, Purpose::Compute, 0);
        for most in [1, 15, 16, 70, 4095, 65_534] {
            let chunks = chunks_up_to(most);
            let mut counters = Counters::<2>::default();
            let mut numbers = [[0; FLOWS]; 2];
            for (flow, number) in numbers[1].iter_mut().enumerate() {
                *number = random.below(u64::from(most) + 1) as u32;
                counters.set(chunks, flow, 1, *number);
            }
            for _ in 0..200 {
                let (mut more, mut less) = ([Bits::default(); 2], [Bits::default(); 2]);
                for (which, numbers) in numbers.iter_mut().enumerate() {
                    for (flow, number) in numbers.iter_mut().enumerate() {
                        let up = random.below(2) == 0 && *number < most;
                        let down = random.below(2) == 0 && *number > 0;
                        more[which].put(flow, up);
                        less[which].put(flow, down);
                        *number = *number + u32::from(up) - u32::from(down);
                    }
                }
                let any = counters.change(chunks, more, less);
                for (which, numbers) in numbers.iter().enumerate() {
                    for (flow, &number) in numbers.iter().enumerate() {
                        assert_eq!(counters.get(chunks, flow, which), number);
                        assert_eq!(any[which].has(flow), number > 0);
                    }
                }
            }
        }
    }
}
