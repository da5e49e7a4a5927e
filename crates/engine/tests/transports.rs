//! Networks whose nodes and switches are one, transport by transport: against slow simulators
//! written from `docs/model.md`, and what can be worked out by hand.
//!
//! `TAILBACK_CASES=10 cargo test --test transports` tries ten times as many random cases.

mod common;
#[path = "common/parts.rs"]
mod parts;

#[path = "transports/circuit.rs"]
mod circuit;
#[path = "transports/stored.rs"]
mod stored;
