//! Distributions of what many packets, or messages, took.

use super::histogram::Histogram;
use super::moments::Moments;

/// A distribution: moments and histogram of one variable.
#[derive(Clone, Default)]
pub struct Distribution {
    /// Exact sums.
    pub moments: Moments,
    /// Counts by value.
    pub histogram: Histogram,
}

impl Distribution {
    // One piece of code for all: what a run goes through hardly fits a core's cache of instructions.
    #[inline(never)]
    pub(super) fn add(&mut self, value: u64) {
        self.moments.add(value);
        self.histogram.add(value);
    }
}

/// Distributions over the delivered packets of one class.
#[derive(Clone, Default)]
pub struct PacketDistributions {
    /// From queued to delivered.
    pub lifetime: Distribution,
    /// From the first transmission to delivered.
    pub network_lifetime: Distribution,
    /// From the first internal transmission to delivered.
    pub routed_lifetime: Distribution,
    /// Channels crossed.
    pub hops: Distribution,
}
