//! How long ranks compute.

use super::operation::What;
use crate::error::SpecError;
use crate::rng::{Purpose, Stream};
use crate::spec::Trace;
use crate::time::Time;

/// Longest time that can be computed at once: 53 days.
const MOST_PS: f64 = (1_u64 << 62) as f64;

/// What becomes of recorded computing.
pub struct Pace {
    scale: f64,
    noise: f64,
    flops_per_s: Option<f64>,
    /// By rank; empty: all 1.
    factors: Vec<f64>,
    /// By rank; empty without noise.
    streams: Vec<Stream>,
}

impl Pace {
    /// That of a workload.
    pub fn new(trace: &Trace, seed: u64) -> Self {
        let varying = if trace.compute_noise > 0.0 { trace.nodes.len() as u32 } else { 0 };
        Self {
            scale: trace.compute_scale,
            noise: trace.compute_noise,
            flops_per_s: trace.flops_per_s,
            factors: trace.speed_factors.clone(),
            streams: (0..varying).map(|rank| Stream::new(seed, Purpose::Noise, rank)).collect(),
        }
    }

    /// How long the next computing of a rank takes; none of what is no computing.
    ///
    /// Numbers are drawn in the order in which operations are read.
    ///
    /// # Errors
    /// Floating-point operations without a speed; computing that takes for ever.
    pub fn time(&mut self, rank: u32, what: What) -> Result<Option<Time>, SpecError> {
        let recorded = match (what, self.flops_per_s) {
            (What::Compute(time), _) => time as f64,
            (What::Flops(count), Some(speed)) => count as f64 / speed * 1e12,
            (What::Flops(count), None) => {
                let allowed = "needs the speed of computing: workload.compute_speed";
                return Err(SpecError::new("floating-point operations", count, allowed));
            }
            _ => return Ok(None),
        };
        let noise = self.streams.get_mut(rank as usize);
        let noise = noise.map_or(1.0, |stream| (1.0 + self.noise * stream.normal()).max(0.0));
        let factor = self.factors.get(rank as usize).copied().unwrap_or(1.0);
        let change = self.scale * noise / factor;
        let time = recorded * change;
        if time > MOST_PS {
            let allowed = format!("must be at most {MOST_PS} ps");
            return Err(SpecError::new("computing", format!("{time} ps"), allowed));
        }
        Ok(Some(match what {
            // Not all whole numbers are floating-point numbers.
            What::Compute(time) if change.to_bits() == 1.0_f64.to_bits() => time,
            _ => time.round() as Time,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(change: impl FnOnce(&mut Trace)) -> Pace {
        let mut trace = Trace { nodes: vec![0, 0], ..Trace::default() };
        change(&mut trace);
        Pace::new(&trace, 5)
    }

    #[test]
    fn recorded_times_are_scaled_and_operations_have_a_speed() {
        let exact = (1 << 60) + 1;
        let mut as_recorded = pace(|_| {});
        assert_eq!(as_recorded.time(0, What::Compute(exact)), Ok(Some(exact)));
        assert_eq!(as_recorded.time(0, What::Join), Ok(None));
        let text = as_recorded.time(0, What::Flops(7)).unwrap_err().to_string();
        assert_eq!(
            text,
            "floating-point operations = 7: needs the speed of computing: workload.compute_speed"
        );
        let mut changed = pace(|trace| {
            trace.compute_scale = 3.0;
            trace.flops_per_s = Some(2e9);
            trace.speed_factors = vec![1.0, 2.0];
        });
        assert_eq!(changed.time(0, What::Compute(1001)), Ok(Some(3003)));
        assert_eq!(changed.time(1, What::Compute(1001)), Ok(Some(1502)));
        assert_eq!(changed.time(1, What::Flops(100)), Ok(Some(75_000)));
        assert!(changed.time(0, What::Compute(u64::MAX)).is_err());
        assert_eq!(pace(|trace| trace.compute_scale = 0.0).time(0, What::Compute(9)), Ok(Some(0)));
    }

    #[test]
    fn noise_has_the_given_deviation_and_is_the_rank_s_own() {
        let times = |rank| {
            let mut pace = pace(|trace| trace.compute_noise = 0.1);
            (0..10_000)
                .map(|_| pace.time(rank, What::Compute(1_000_000)).unwrap().unwrap())
                .collect()
        };
        let (one, other): (Vec<Time>, Vec<Time>) = (times(0), times(1));
        assert_ne!(one[..10], other[..10]);
        let mean = one.iter().sum::<u64>() as f64 / 1e4;
        let square = one.iter().map(|&time| (time as f64 - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((mean / 1e6 - 1.0).abs() < 0.004, "{mean}");
        assert!((square.sqrt() / 1e5 - 1.0).abs() < 0.03, "{square}");
        let mut wide = pace(|trace| trace.compute_noise = 10.0);
        let least = (0..100).filter_map(|_| wide.time(0, What::Compute(1000)).unwrap()).min();
        assert_eq!(least, Some(0));
    }
}
