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

/// A number of every flow of a block: their binary digits, the lowest first.
#[derive(Clone, Default)]
pub struct Counter([[Bits; CHUNK]; CHUNKS]);

/// How many chunks of digits numbers have that are not above a common limit.
pub fn chunks_up_to(most: u32) -> usize {
    ((u32::BITS - most.leading_zeros()) as usize).div_ceil(CHUNK)
}

impl Counter {
    /// The number of a flow, in so many chunks.
    #[inline]
    pub fn get(&self, chunks: usize, flow: usize) -> u32 {
        let of_chunk = |chunk: &[Bits; CHUNK]| {
            let [one, two, four, eight] = chunk.each_ref().map(|digit| u32::from(digit.has(flow)));
            one | two << 1 | four << 2 | eight << 3
        };
        let chunks = self.0.iter().take(chunks).zip(0..);
        chunks.fold(0, |number, (chunk, place)| number | of_chunk(chunk) << (CHUNK * place))
    }

    /// Sets the number of a flow, in so many chunks.
    #[inline]
    pub fn set(&mut self, chunks: usize, flow: usize, number: u32) {
        let mut left = number as usize;
        for chunk in self.0.iter_mut().take(chunks) {
            let masks = &MASKS[left % MASKS.len()];
            let bit = 1 << (flow % WORD);
            for (digit, mask) in chunk.iter_mut().zip(masks) {
                let digit = digit.word_mut(flow);
                *digit ^= (*digit ^ mask) & bit;
            }
            left /= MASKS.len();
        }
    }

    /// Of some flows numbers of so many chunks are one more, of some one less; those of which they
    /// are not 0 then.
    #[inline]
    pub fn change(&mut self, chunks: usize, more: Bits, less: Bits) -> Bits {
        // A digit that changes changes the next one too if it was 1 and there is one more, or 0 and one less.
        let mut changes = more ^ less;
        let mut any = Bits::default();
        for chunk in self.0.iter_mut().take(chunks) {
            for digit in chunk {
                let goes_on = *digit ^ less;
                *digit ^= changes;
                any |= *digit;
                changes &= goes_on;
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
            let mut counter = Counter::default();
            let mut numbers = [0; FLOWS];
            for (flow, number) in numbers.iter_mut().enumerate() {
                *number = random.below(u64::from(most) + 1) as u32;
                counter.set(chunks, flow, *number);
            }
            for _ in 0..200 {
                let (mut more, mut less) = (Bits::default(), Bits::default());
                for (flow, number) in numbers.iter_mut().enumerate() {
                    let up = random.below(2) == 0 && *number < most;
                    let down = random.below(2) == 0 && *number > 0;
                    more.put(flow, up);
                    less.put(flow, down);
                    *number = *number + u32::from(up) - u32::from(down);
                }
                let any = counter.change(chunks, more, less);
                for (flow, &number) in numbers.iter().enumerate() {
                    assert_eq!(counter.get(chunks, flow), number);
                    assert_eq!(any.has(flow), number > 0);
                }
            }
        }
    }
}
