//! Networks whose nodes and switches are one, transport by transport: against slow simulators
//! written from `docs/model.md`, and what can be worked out by hand.
//!
//! `TAILBACK_CASES=1 cargo test --test transports` tries all random cases, 10 ten times as many.

mod common;
#[path = "common/parts.rs"]
mod parts;
#[path = "common/random.rs"]
mod random;

#[path = "transports/circuit.rs"]
mod circuit;
#[path = "transports/stored.rs"]
mod stored;
