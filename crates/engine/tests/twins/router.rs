//! Switches that run by a clock, against a twin that goes cycle by cycle and against what can be
//! worked out on paper.

mod agreement;
mod allocators;
pub mod cases;
mod classes;
mod endpoints;
mod escapes;
mod hand;
mod ports;
mod refusals;
mod replies;
mod settings;
mod sums;
mod switches;
mod twin;
