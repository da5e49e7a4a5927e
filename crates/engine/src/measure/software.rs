//! What messages cost in software: time of processors, and what latencies consist of.

use super::binned::Binned;
use crate::time::Time;

/// What is measured where messages cost something in software.
#[derive(Clone, Debug)]
pub struct InSoftware {
    /// Time processors prepare messages.
    pub sending: Binned,
    /// Time processors take messages in.
    pub receiving: Binned,
    /// What the lifetime of the packet consists of that has been delivered last.
    pub delivered: Parts,
}

/// What a time between sending and receiving consists of; all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// What it would be if nobody was in the way.
    pub wire: Time,
    /// Waiting for the first channel or the first between switches, or for leave to send.
    pub throttling: Time,
    /// Waiting later.
    pub contention: Time,
}

impl InSoftware {
    /// Nothing yet, in sample intervals of such a length.
    pub fn new(interval: Time) -> Self {
        let (sending, receiving) = (Binned::new(interval), Binned::new(interval));
        Self { sending, receiving, delivered: Parts::default() }
    }
}

impl Parts {
    /// Those of a lifetime, of which so much is neither waiting nor made up for.
    pub fn of(lifetime: Time, undisturbed: Time, throttling: Time) -> Self {
        let waits = lifetime - undisturbed;
        // While a header waited to leave, the rest of its packet may have caught up.
        let throttling = throttling.min(waits);
        Self { wire: undisturbed, throttling, contention: waits - throttling }
    }

    /// All of it.
    pub fn sum(&self) -> Time {
        self.wire + self.throttling + self.contention
    }
}
