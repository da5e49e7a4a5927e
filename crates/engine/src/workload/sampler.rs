//! Random variates of one process.

use crate::error::SpecError;
use crate::rng::{Purpose, Stream};
use crate::spec::{Distribution, Shape};

/// One distribution, with a stream of its own for every process.
pub struct Sampler {
    distribution: Distribution,
    /// Of slots: [`failing`].
    failing: f64,
    /// Empty for a constant, which draws nothing.
    streams: Vec<Stream>,
    /// By process: what its values are multiplied by; empty: nothing.
    factors: Vec<f64>,
}

impl Sampler {
    /// A sampler for processes `0..processes`.
    ///
    /// # Errors
    /// A standard deviation that is negative, too large or not a number; a slot longer
    /// than the mean; bursts shorter than one value or slower than the mean.
    pub fn new(
        field: &str,
        distribution: Distribution,
        purpose: Purpose,
        processes: usize,
        seed: u64,
    ) -> Result<Self, SpecError> {
        check(field, &distribution)?;
        let failing = match distribution.shape {
            Shape::Geometric { slot } => failing(slot, distribution.mean),
            _ => 0.0,
        };
        let streams = if distribution.shape == Shape::Constant { 0 } else { processes as u32 };
        let streams = (0..streams).map(|process| Stream::new(seed, purpose, process)).collect();
        Ok(Self { distribution, failing, streams, factors: Vec::new() })
    }

    /// The same with values of each process multiplied by its factor, and rounded; if all factors are
    /// 1, they are not.
    #[must_use]
    pub fn multiplied(self, factors: impl Iterator<Item = f64>) -> Self {
        let factors: Vec<_> = factors.collect();
        let is_any = factors.iter().any(|&factor| (factor - 1.0).abs() > 0.0);
        Self { factors: if is_any { factors } else { Vec::new() }, ..self }
    }

    /// The next value of a process.
    #[inline]
    pub fn draw(&mut self, process: usize) -> u64 {
        match self.factors.get(process).copied() {
            None => self.drawn(process),
            Some(factor) => nearest(factor * self.drawn(process) as f64),
        }
    }

    fn drawn(&mut self, process: usize) -> u64 {
        if self.streams.is_empty() {
            return self.distribution.mean;
        }
        let stream = &mut self.streams[process];
        match self.distribution.shape {
            // A logarithm less for every value.
            Shape::Geometric { slot } => slot * slots(self.failing, stream),
            _ => draw(&self.distribution, stream),
        }
    }
}

/// Checks a distribution.
pub fn check(field: &str, distribution: &Distribution) -> Result<(), SpecError> {
    let sigma = distribution.relative_sigma;
    if !(0.0..=10.0).contains(&sigma) {
        return Err(SpecError::new(format!("{field}.relative_sigma"), sigma, "must be 0 to 10"));
    }
    match distribution.shape {
        Shape::Constant | Shape::Normal | Shape::Exponential => Ok(()),
        Shape::Geometric { slot } => {
            if (1..=distribution.mean).contains(&slot) {
                return Ok(());
            }
            let allowed = format!("must be 1 to {}, the mean", distribution.mean);
            Err(SpecError::new(format!("{field}.shape.slot"), slot, allowed))
        }
        Shape::Modulated { slot, turn_on, turn_off } => {
            for (name, value) in [("turn_on", turn_on), ("turn_off", turn_off)] {
                if !(value > 0.0 && value <= 1.0) {
                    let field = format!("{field}.shape.{name}");
                    return Err(SpecError::new(field, value, "must be above 0, at most 1"));
                }
            }
            let most = distribution.mean as f64 * turn_on / (turn_on + turn_off);
            if slot > 0 && slot as f64 <= most * (1.0 + 1e-9) {
                return Ok(());
            }
            let allowed = format!("must be 1 to {most:.0}, the mean gap while a source is on");
            Err(SpecError::new(format!("{field}.shape.slot"), slot, allowed))
        }
        Shape::OnOff { burst, peak } => {
            for (name, value) in [("burst", burst), ("peak", peak)] {
                if !(1.0..=1e6).contains(&value) {
                    let field = format!("{field}.shape.{name}");
                    return Err(SpecError::new(field, value, "must be 1 to 1000000"));
                }
            }
            Ok(())
        }
    }
}

/// One value: rounded to a whole number, negative ones become 0.
pub fn draw(distribution: &Distribution, stream: &mut Stream) -> u64 {
    let mean = distribution.mean as f64;
    let value = match distribution.shape {
        Shape::Constant => return distribution.mean,
        Shape::Normal => mean * (1.0 + distribution.relative_sigma * stream.normal()),
        Shape::Exponential => return stream.exponential_as(|drawn| nearest(mean * drawn)),
        Shape::Geometric { slot } => return slot * slots(failing(slot, distribution.mean), stream),
        Shape::OnOff { burst, peak } => return on_off(distribution.mean, burst, peak, stream),
        Shape::Modulated { slot, turn_on, turn_off } => {
            return slot * modulated(slot as f64 / mean, turn_on, turn_off, stream);
        }
    };
    nearest(value)
}

/// Minus the logarithm of the probability that a slot fails.
fn failing(slot: u64, mean: u64) -> f64 {
    // Infinity if none does: no slot is passed over.
    -libm::log1p(-(slot as f64 / mean as f64))
}

/// Slots up to and with the first that succeeds, by inversion.
fn slots(failing: f64, stream: &mut Stream) -> u64 {
    stream.exponential_as(|drawn| (drawn / failing) as u64) + 1
}

/// A gap within a burst, or with probability 1 / burst, after the last of one, that and
/// an idle time. Its mean is such that the mean of all is exact, whatever the gap is
/// rounded to: gap + idle / burst.
fn on_off(mean: u64, burst: f64, peak: f64, stream: &mut Stream) -> u64 {
    let gap = nearest(mean as f64 / peak);
    if burst * stream.unit() >= 1.0 {
        return gap;
    }
    let idle = burst * (mean - gap) as f64;
    gap + stream.exponential_as(|drawn| nearest(idle * drawn))
}

/// Slots from one in which a source sends to the next, at a rate in sends per slot.
///
/// In every slot it first turns on or off, then sends if it is on, with the probability that makes
/// up for the slots in which it is off.
fn modulated(rate: f64, turn_on: f64, turn_off: f64, stream: &mut Stream) -> u64 {
    let sends = (rate * (turn_on + turn_off) / turn_on).min(1.0);
    // While it is on, something ends that in a slot: it turns off, or it sends.
    let stays_and_sends = (1.0 - turn_off) * sends;
    let ends = turn_off + stays_and_sends;
    let mut passed = 0;
    loop {
        passed += slots(-libm::log1p(-ends), stream);
        if stream.unit() * ends < stays_and_sends {
            return passed;
        }
        passed += slots(-libm::log1p(-turn_on), stream);
        if stream.unit() < sends {
            return passed;
        }
    }
}

/// The nearest whole number, halves upwards; 0 for negative values.
#[inline]
fn nearest(value: f64) -> u64 {
    let whole = value as u64;
    whole + u64::from(value - whole as f64 >= 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    const MEAN: u64 = 1_000_000;

    fn values(shape: Shape, mean: u64) -> Vec<f64> {
        let distribution = Distribution { shape, mean, relative_sigma: 0.0 };
        let mut sampler = Sampler::new("c", distribution, Purpose::Compute, 2, 11).unwrap();
        (0..400_000).map(|_| sampler.draw(1) as f64).collect()
    }

    /// Mean and variance of many values are those of theory, to five standard errors of the
    /// mean, and to a few percent.
    fn has_moments(values: &[f64], mean: f64, variance: f64) {
        let n = values.len() as f64;
        let found = values.iter().sum::<f64>() / n;
        assert!((found - mean).abs() <= 5.0 * (variance / n).sqrt(), "mean {found}, {mean}");
        let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        assert!((spread - variance).abs() <= 0.04 * variance, "variance {spread}, {variance}");
    }

    /// Trials that succeed with p = slot / mean: mean 1/p slots, variance (1 - p) / p².
    #[test]
    fn slots_up_to_a_success() {
        for slot in [MEAN, 900_000, MEAN / 2, MEAN / 100, 1] {
            let values = values(Shape::Geometric { slot }, MEAN);
            let whole = |v: &f64| (*v as u64).is_multiple_of(slot) && *v > 0.0;
            assert!(values.iter().all(whole), "{slot}");
            let p = slot as f64 / MEAN as f64;
            has_moments(&values, MEAN as f64, (1.0 - p) * (MEAN as f64).powi(2));
        }
        // Probabilities of 1, 2, 3, ... slots: p, p (1 - p), ...
        let values = values(Shape::Geometric { slot: 4 }, 10);
        for (slots, expected) in [(1, 0.4), (2, 0.24), (3, 0.144), (4, 0.0864)] {
            let count = values.iter().filter(|&&v| v as u64 == 4 * slots).count();
            let share = count as f64 / values.len() as f64;
            assert!((share - expected).abs() < 0.004, "{slots}: {share}");
        }
    }

    /// A source that is on after it has sent stays on with probability 7/8, and then sends with
    /// r = 1/6 · (1/4 + 1/8) / (1/4) = 1/4; off, it turns on with probability 1/4. Shares of gaps of
    /// one and two slots: 7/8 r, and 7/8 (1 - r) 7/8 r + 1/8 · 1/4 r.
    #[test]
    fn sources_that_are_on_or_off() {
        let values = values(Shape::Modulated { slot: 2, turn_on: 0.25, turn_off: 0.125 }, 12);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((mean - 12.0).abs() < 0.1, "{mean}");
        for (slots, expected) in [(1, 0.218_75), (2, 0.151_367)] {
            let count = values.iter().filter(|&&v| v as u64 == 2 * slots).count();
            let share = count as f64 / values.len() as f64;
            assert!((share - expected).abs() < 0.004, "{slots}: {share}");
        }
    }

    /// The gap g = mean / peak, and with probability 1/b an idle time of mean b (mean - g):
    /// mean as given, variance (2b - 1)(mean - g)².
    #[test]
    fn bursts_and_idle_times() {
        for (burst, peak) in [(1.0, 1.0), (1.0, 4.0), (2.5, 1.5), (8.0, 4.0), (20.0, 1e3)] {
            let values = values(Shape::OnOff { burst, peak }, MEAN);
            let gap = (MEAN as f64 / peak).round();
            let variance = (2.0 * burst - 1.0) * (MEAN as f64 - gap).powi(2);
            has_moments(&values, MEAN as f64, variance);
            let within = values.iter().filter(|&&v| v > gap).count() as f64 / 400_000.0;
            let expected = if peak > 1.0 { 1.0 / burst } else { 0.0 };
            assert!((within - expected).abs() < 0.005, "{within}, {expected}");
            assert!(values.iter().all(|&v| v >= gap));
        }
        // What the gap is rounded to does not change the mean: 2 instead of 7/3.
        let rounded = values(Shape::OnOff { burst: 4.0, peak: 3.0 }, 7);
        has_moments(&rounded, 7.0, 7.0 * 25.0);
    }

    #[test]
    fn impossible_distributions_are_named() {
        let refusal = |shape| {
            let distribution = Distribution { shape, mean: 10, relative_sigma: 0.0 };
            check("workload.compute", &distribution).unwrap_err().to_string()
        };
        for slot in [0, 11] {
            assert_eq!(
                refusal(Shape::Geometric { slot }),
                format!("workload.compute.shape.slot = {slot}: must be 1 to 10, the mean")
            );
        }
        assert_eq!(
            refusal(Shape::OnOff { burst: 0.5, peak: 2.0 }),
            "workload.compute.shape.burst = 0.5: must be 1 to 1000000"
        );
        assert!(refusal(Shape::OnOff { burst: 2.0, peak: f64::NAN }).contains("shape.peak"));
        let modulated = |slot, turn_on, turn_off| Shape::Modulated { slot, turn_on, turn_off };
        assert!(
            refusal(modulated(1, 0.0, 0.5)).contains("turn_on = 0: must be above 0, at most 1")
        );
        assert!(refusal(modulated(1, 0.5, 1.5)).contains("turn_off = 1.5"));
        // On in a third of all slots, it cannot send in half of them.
        assert!(refusal(modulated(5, 0.25, 0.5)).contains("slot = 5: must be 1 to 3"));
    }
}
