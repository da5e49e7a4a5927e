//! Pauses.
