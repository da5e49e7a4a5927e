//! How long flits take.

use crate::fabric::network::timing::Timing;
use crate::time::Time;

/// How long flits take on the channels of one rate.
#[derive(Clone, Copy)]
pub struct Pace {
    /// A packet's first flit, those in its middle, its last.
    pub first_ps: Time,
    pub flit_ps: Time,
    pub last_ps: Time,
    /// The least of these.
    pub least_ps: Time,
    /// From when a flit has been sent until it is at the switch at the end.
    pub delay_ps: Time,
    /// From the start of a packet until the switch at the end may be asked.
    pub hop_ps: Time,
    /// Time a flit is on the wire.
    pub wire_ps: Time,
    /// Whether all flits take the same time.
    pub is_even: bool,
}

impl Pace {
    /// That of channels with such times.
    pub fn of(timing: &Timing) -> Self {
        let Timing { first_ps, flit_ps, last_ps, hop_ps, wire_ps, .. } = *timing;
        let (least_ps, delay_ps) = (first_ps.min(flit_ps).min(last_ps), timing.delay_ps());
        let is_even = first_ps == flit_ps && last_ps == flit_ps;
        Self { first_ps, flit_ps, last_ps, least_ps, delay_ps, hop_ps, wire_ps, is_even }
    }
}
