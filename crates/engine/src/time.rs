//! Simulated time: whole picoseconds since the start of the run.
//!
//! Sixty-four bits hold 213 days. Times are plain integers rather than a
//! newtype because they are added, compared and packed everywhere; names that
//! hold one end in `_ps` wherever they cross the engine's border.

/// An instant, or a length of time, in picoseconds.
pub type Time = u64;

/// "Not known yet" or "never": later than every instant a run can reach.
pub const NEVER: Time = u64::MAX;

/// Picoseconds in a microsecond.
pub const MICROSECOND: Time = 1_000_000;
