//! Draws for random cases.

use tailback_engine::rng::{Purpose, Stream};

/// What a random case is made from: the same of the same number.
#[derive(Clone)]
pub struct Dice(Stream);

impl Dice {
    pub fn new(case: u64) -> Self {
        // No process has this number: what processes draw is independent of this.
        Self(Stream::new(case, Purpose::Start, u32::MAX - 1))
    }

    /// A number from `least` to `most`, both included.
    pub fn number(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
