//! Why everybody could go on: the critical path of a program, and where the time of processes went.
//!
//! Whenever a process, or a message, can go on, an [`Instant`] is made that stands on the one
//! instant it waited for: it has computed, a message has come that was sent then, the last of a
//! group has come. So they are a [`Forest`] whose leaves are the present, and what no leaf stands
//! on is forgotten. When the last process has ended, its branch is the critical path
//! ([`Causes::path`]). Nodes tell what happens; that nothing costs more than a branch as long as it
//! is not kept is theirs to see to. The rules are in `docs/critical-path.md`.

mod clocks;
mod desk;
mod edges;
mod ending;
mod forest;
mod hand;
mod messages;
mod path;
mod piece;
mod processes;
mod rows;
mod slack;
mod state;
mod way;

pub use clocks::Crossing;
pub use forest::{Computed, Forest, Instant, Leg, Segment};
pub use path::{Kind, Step};
pub use piece::{Blamed, Part, Parts, Piece, Who};
pub use rows::{Activity, Doing, Rows, Transfer};
pub use slack::Slack;
pub use state::Causes;
pub use way::Opened;
