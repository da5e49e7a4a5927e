//! The engine against slow simulators that share nothing with it, with random cases.
//!
//! `TAILBACK_CASES=1 cargo test --test twins reference::` tries all random cases of one of them,
//! 10 ten times as many.

#[path = "../common/mod.rs"]
mod common;

mod blame;
mod causes;
mod cells;
mod cycles;
mod flits;
mod fluid;
mod frames;
mod line;
mod private;
mod reference;
mod router;
mod stop_go;
mod stream;
mod transports;
