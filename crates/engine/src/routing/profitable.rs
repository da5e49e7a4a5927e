//! Any way that is nearer, at every step.
//!
//! Not free of deadlock where buffers are bounded and packets wait: it is for transports
//! that have something else against it, queues without bounds or priorities.

use super::Header;
use super::algorithm::Algorithm;
use super::nearer::Nearer;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Every profitable port, for one topology.
pub struct Profitable {
    nearer: Nearer,
}

impl Profitable {
    /// Prepares routing on any topology.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Ok(Self { nearer: Nearer::new(name, topology)? })
    }
}

impl Algorithm for Profitable {
    fn is_known_free(&self) -> bool {
        false
    }

    fn chooses(&self) -> bool {
        true
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        self.nearer.each(switch, header.destination, |port| allow(port, 0));
    }
}
