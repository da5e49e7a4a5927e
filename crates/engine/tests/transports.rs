//! Transports of machines whose nodes and switches are one: against slow simulators of the same
//! rules, and against what can be worked out on paper.
//!
//! `TAILBACK_CASES=10 cargo test --test transports` tries ten times as many random cases.

mod common;
#[path = "transports/stored.rs"]
mod stored;
