//! Channels as they lie: their numbers, wires, times and routes. Nothing here changes in a run but tables of
//! routing, after faults: what these do to links, and when, is known before.

pub mod avoided;
pub mod cells;
pub mod faults;
pub mod flits;
pub mod integrated;
mod known;
pub mod layout;
pub mod line;
pub mod reroutes;
pub mod shares;
pub mod timing;
pub mod wires;
pub mod wiring;
