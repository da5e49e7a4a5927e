//! How long messages are.

use crate::error::SpecError;
use crate::rng::{Purpose, Stream};
use crate::spec::{self, Portion};
use crate::workload::sampler::Sampler;

/// The lengths of the messages of every process.
pub enum Lengths {
    /// Those of one distribution.
    Distributed(Sampler),
    /// A few, each by its weight.
    Mixed {
        /// Each length, and the sum of weights up to and with its own.
        portions: Vec<(u64, u64)>,
        /// Per process.
        streams: Vec<Stream>,
    },
}

impl Lengths {
    /// For processes `0..processes`.
    ///
    /// # Errors
    /// A distribution that is none; weights that add up to nothing.
    pub fn new(spec: &spec::Synthetic, processes: usize, seed: u64) -> Result<Self, SpecError> {
        if spec.mix.is_empty() {
            let length = ("workload.bytes", spec.bytes, Purpose::Length);
            let sampler = Sampler::new(length.0, length.1, length.2, processes, seed)?;
            return Ok(Self::Distributed(sampler));
        }
        let mut sum = 0;
        let add = |portion: &Portion| {
            sum += u64::from(portion.weight);
            (portion.bytes, sum)
        };
        let portions = spec.mix.iter().map(add).collect();
        if sum == 0 {
            let allowed = "must not be 0 for all lengths";
            return Err(SpecError::new("workload.mix.weight", 0, allowed));
        }
        let stream = |process| Stream::new(seed, Purpose::Length, process);
        Ok(Self::Mixed { portions, streams: (0..processes as u32).map(stream).collect() })
    }

    /// That of the next message of a process.
    #[inline]
    pub fn draw(&mut self, process: usize) -> u64 {
        self.draw_portion(process).0
    }

    /// The same, and which of those mixed it is.
    #[inline]
    pub fn draw_portion(&mut self, process: usize) -> (u64, usize) {
        match self {
            Self::Distributed(sampler) => (sampler.draw(process), 0),
            Self::Mixed { portions, streams } => {
                let (_, all) = portions[portions.len() - 1];
                let drawn = streams[process].below(all);
                let portion = portions.partition_point(|&(_, up_to)| up_to <= drawn);
                (portions[portion].0, portion)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(mix: &[(u32, u32)]) -> spec::Synthetic {
        let mix: Vec<_> = mix
            .iter()
            .map(|(bytes, weight)| serde_json::json!({ "bytes": bytes, "weight": weight }))
            .collect();
        serde_json::from_value(serde_json::json!({
            "processes_per_node": 1, "compute": { "shape": "constant", "mean": 1 },
            "messages": 1, "bytes": { "shape": "constant", "mean": 3 }, "mix": mix,
            "sync": "asynchronous", "throttle": { "kind": "outstanding", "limit": 1 },
            "start": "together",
        }))
        .unwrap()
    }

    #[test]
    fn lengths_are_mixed_by_their_weights() {
        let mut lengths = Lengths::new(&spec(&[(8, 1), (5, 0), (40, 3)]), 2, 7).unwrap();
        let mut long = 0;
        for _ in 0..10_000 {
            let drawn = lengths.draw(1);
            assert!(drawn == 8 || drawn == 40);
            long += u32::from(drawn == 40);
        }
        assert!((7_300..7_700).contains(&long), "{long}");
        let mut constant = Lengths::new(&spec(&[]), 2, 7).unwrap();
        assert_eq!(constant.draw(0), 3);
    }

    #[test]
    fn weights_must_be_something() {
        let error = Lengths::new(&spec(&[(8, 0)]), 1, 7).err().unwrap();
        let expected = "workload.mix.weight = 0: must not be 0 for all lengths";
        assert_eq!(error.to_string(), expected);
    }
}
