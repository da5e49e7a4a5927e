//! Ranks that do what was recorded of a program.

use super::costs::Costs;
use crate::error::SpecError;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Ranks that do what was recorded of a program; what that is comes while they run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The node of every rank.
    pub nodes: Vec<u32>,
    /// Longest message that is sent before its receiver is ready for it; absent: any.
    #[serde(default)]
    pub eager_bytes: Option<u64>,
    /// Length of the messages by which sender and receiver of a longer one agree.
    #[serde(default)]
    pub control_bytes: u32,
    /// What recorded computing times are multiplied by.
    #[serde(default = "unchanged")]
    pub compute_scale: f64,
    /// Standard deviation over mean of computing times, from a normal distribution; what is
    /// negative becomes 0.
    #[serde(default)]
    pub compute_noise: f64,
    /// Floating-point operations that a rank computes in a second; absent: no trace may have any.
    #[serde(default)]
    pub flops_per_s: Option<f64>,
    /// How much faster every rank computes than recorded; empty: as recorded.
    #[serde(default)]
    pub speed_factors: Vec<f64>,
    /// What a message between ranks of one node takes.
    #[serde(default)]
    pub memory_latency_ps: Time,
    /// The same for each of its bytes, in femtoseconds.
    #[serde(default)]
    pub memory_byte_fs: Time,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            eager_bytes: None,
            control_bytes: 0,
            compute_scale: unchanged(),
            compute_noise: 0.0,
            flops_per_s: None,
            speed_factors: Vec::new(),
            memory_latency_ps: 0,
            memory_byte_fs: 0,
        }
    }
}

fn unchanged() -> f64 {
    1.0
}

impl Trace {
    /// What a message of so many bytes between ranks of one node takes.
    pub fn memory_ps(&self, bytes: u64) -> Time {
        self.memory_latency_ps + super::costs::of_bytes(self.memory_byte_fs, bytes)
    }

    /// Whether messages between ranks of one node take any time.
    pub fn memory_takes_time(&self) -> bool {
        self.memory_latency_ps > 0 || self.memory_byte_fs > 0
    }

    /// Whether its numbers can be.
    ///
    /// # Errors
    /// Numbers out of their range; not one node and one factor for each rank.
    pub fn check(&self, nodes: usize) -> Result<(), SpecError> {
        let refuse = |key: &str, given: &dyn std::fmt::Display, allowed: String| {
            Err(SpecError::new(format!("workload.{key}"), given, allowed))
        };
        if self.nodes.is_empty() {
            return refuse("nodes", &"none", "must be at least one".into());
        }
        if let Some(rank) = self.nodes.iter().position(|&node| node as usize >= nodes) {
            let allowed = format!("must be a node, 0 to {}", nodes - 1);
            return refuse(&format!("nodes[{rank}]"), &self.nodes[rank], allowed);
        }
        if !self.speed_factors.is_empty() && self.speed_factors.len() != self.nodes.len() {
            let allowed = format!("must be one for each rank: {}", self.nodes.len());
            return refuse("speed_factors", &self.speed_factors.len(), allowed);
        }
        for factor in &self.speed_factors {
            if !(1e-6..=1e6).contains(factor) {
                return refuse("speed_factors", factor, "must be 1e-6 to 1e6".into());
            }
        }
        let flops = self.flops_per_s.unwrap_or(1.0);
        for (key, value, (least, most)) in [
            ("compute_scale", self.compute_scale, (0.0, 1e6)),
            ("compute_noise", self.compute_noise, (0.0, 10.0)),
            ("flops_per_s", flops, (1.0, 1e21)),
        ] {
            if !(least..=most).contains(&value) {
                return refuse(key, &value, format!("must be {least} to {most}"));
            }
        }
        for (key, value, most) in [
            ("memory_latency_ps", self.memory_latency_ps, Costs::MOST_PS),
            ("memory_byte_fs", self.memory_byte_fs, Costs::MOST_PER_BYTE_FS),
        ] {
            if value > most {
                return refuse(key, &value, format!("must be at most {most}"));
            }
        }
        Ok(())
    }
}
