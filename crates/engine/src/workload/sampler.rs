//! Random variates of one process.

use crate::error::SpecError;
use crate::rng::{Purpose, Stream};
use crate::spec::{Distribution, Shape};

/// One distribution, with a stream of its own for every process.
pub struct Sampler {
    distribution: Distribution,
    /// Empty for a constant, which draws nothing.
    streams: Vec<Stream>,
}

impl Sampler {
    /// A sampler for processes `0..processes`.
    ///
    /// # Errors
    /// A standard deviation that is negative, too large or not a number.
    pub fn new(
        field: &str,
        distribution: Distribution,
        purpose: Purpose,
        processes: usize,
        seed: u64,
    ) -> Result<Self, SpecError> {
        check(field, &distribution)?;
        let streams = if distribution.shape == Shape::Constant { 0 } else { processes as u32 };
        let streams = (0..streams).map(|process| Stream::new(seed, purpose, process)).collect();
        Ok(Self { distribution, streams })
    }

    /// The next value of a process.
    pub fn draw(&mut self, process: usize) -> u64 {
        if self.streams.is_empty() {
            return self.distribution.mean;
        }
        draw(&self.distribution, &mut self.streams[process])
    }
}

/// Checks a distribution.
pub fn check(field: &str, distribution: &Distribution) -> Result<(), SpecError> {
    let sigma = distribution.relative_sigma;
    if !(0.0..=10.0).contains(&sigma) {
        return Err(SpecError::new(format!("{field}.relative_sigma"), sigma, "must be 0 to 10"));
    }
    Ok(())
}

/// One value: rounded to a whole number, negative ones become 0.
pub fn draw(distribution: &Distribution, stream: &mut Stream) -> u64 {
    let mean = distribution.mean as f64;
    let value = match distribution.shape {
        Shape::Constant => return distribution.mean,
        Shape::Normal => mean * (1.0 + distribution.relative_sigma * stream.normal()),
        Shape::Exponential => mean * stream.exponential(),
    };
    nearest(value)
}

/// The nearest whole number, halves upwards; 0 for negative values.
#[inline]
fn nearest(value: f64) -> u64 {
    let whole = value as u64;
    whole + u64::from(value - whole as f64 >= 0.5)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn whole_numbers_are_the_nearest() {
        for (value, whole) in
            [(-7.0, 0), (-0.5, 0), (0.0, 0), (0.499_999_999_999_999_94, 0), (0.5, 1)]
        {
            assert_eq!(nearest(value), whole, "{value}");
        }
        for value in [1.5, 2.5, 1e6 + 0.25, 4e15 + 0.5, 9e15, 1e18] {
            assert_eq!(nearest(value), f64::round(value) as u64, "{value}");
        }
    }
}
