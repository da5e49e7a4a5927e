//! Networks whose nodes and switches are one, transport by transport: against slow simulators
//! written from `docs/model.md`, and what can be worked out by hand.

mod circuit;
pub mod stored;
