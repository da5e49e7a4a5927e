//! What is measured on every channel.

use super::machine::{Reference, Time};
use tailback_engine::spec::Mode;

/// What one channel did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub packets: u64,
    pub waits: u64,
    /// Waits for it before a packet's first channel or first internal channel.
    pub throttling: Time,
    /// Later waits for it.
    pub internal_contention: Time,
    /// Time it transmitted.
    pub busy: Time,
    /// Time it was kept idle by a granted packet that waited for room.
    pub kept: Time,
}

impl Tally {
    pub fn packet_starts(&mut self, wait: Time, is_throttling: bool) {
        self.packets += 1;
        self.waits += u64::from(wait > 0);
        if is_throttling {
            self.throttling += wait;
        } else {
            self.internal_contention += wait;
        }
    }
}

impl Reference {
    /// Time passes in which nothing changes.
    pub fn pass(&mut self, time: Time) {
        self.circuits_hold(time);
        if self.spec.mode != Mode::Full {
            return;
        }
        for channel in self.channels.iter_mut().filter(|channel| channel.is_busy) {
            channel.tally.busy += time;
        }
        for kept in self.granted.iter().flatten().filter_map(|grant| grant.kept) {
            self.channels[kept].tally.kept += time;
        }
    }
}
