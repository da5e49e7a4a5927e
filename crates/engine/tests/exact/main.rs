//! Cases worked out by hand, and what always holds exactly.

#[path = "../common/mod.rs"]
mod common;

mod by_hand;
mod conservation;
mod costs;
mod faults;
mod local;
mod multicast;
mod routing;
mod switching;
mod windows;
