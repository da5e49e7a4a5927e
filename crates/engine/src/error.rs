//! What can go wrong, as values.
//!
//! [`SpecError`]: found before the first event; nothing has run. [`RunError`]:
//! found while running. Saturation is a result, not an error.

use crate::time::Time;
use std::fmt;

/// The description of the machine or workload cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Path of the field as the user wrote it: `machine.topology.dims`.
    pub field: String,
    /// The value given, as text.
    pub given: String,
    /// What is allowed, as text.
    pub allowed: String,
}

impl SpecError {
    pub(crate) fn new(
        field: impl Into<String>,
        given: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        Self { field: field.into(), given: given.to_string(), allowed: allowed.into() }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.field, self.given, self.allowed)
    }
}

impl std::error::Error for SpecError {}

/// The run cannot go on. What was measured until then stays valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// Nothing will ever happen again, yet processes wait or packets are undelivered.
    Deadlock {
        /// When the last thing happened.
        at: Time,
        /// Who waits for what, processes first.
        waiting: Vec<Waiting>,
    },
    /// More than `limit` events at one instant: the clock stands still.
    ///
    /// For example processes that compute for no time on a network without cost.
    ClockStuck {
        /// The instant.
        at: Time,
        /// The largest number of events at one instant.
        limit: u64,
    },
}

/// Somebody who waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The process or packet: `process 3 on node 1`.
    pub who: String,
    /// What it waits for: `a message on socket 0`.
    pub what: String,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Named in the one-line text; all are in [`RunError::Deadlock`].
        const SHOWN: usize = 8;
        match self {
            Self::Deadlock { at, waiting } => {
                write!(f, "deadlock at {} ns: ", *at as f64 / 1e3)?;
                for (i, w) in waiting.iter().take(SHOWN).enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{} waits for {}", w.who, w.what)?;
                }
                if waiting.len() > SHOWN {
                    write!(f, "; and {} more", waiting.len() - SHOWN)?;
                }
                Ok(())
            }
            Self::ClockStuck { at, limit } => write!(
                f,
                "the clock stands still at {} ns: more than {limit} events at one instant",
                *at as f64 / 1e3
            ),
        }
    }
}

impl std::error::Error for RunError {}
