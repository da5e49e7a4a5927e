//! What the data of a circuit find: channels without buffers, as if they were one wire.

use crate::fabric::network::timing::Timing;
use crate::time::Time;

/// The channels of a circuit together. Every flit takes as long as on the slowest of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    flit_ps: Time,
    end_ps: Time,
    delay_ps: Time,
}

impl Line {
    /// One channel more, which data cross with so much delay.
    #[inline]
    pub fn add(&mut self, timing: &Timing, delay: Time) {
        self.flit_ps = self.flit_ps.max(timing.flit_ps);
        self.end_ps = self.end_ps.max(timing.end_ps());
        self.delay_ps += delay;
    }

    /// From when so many data flits set out until all of them, and the end token, are there.
    #[inline]
    pub fn takes_ps(&self, flits: u32) -> Time {
        self.flit_ps * Time::from(flits) + self.end_ps + self.delay_ps
    }
}
