//! Collectives: which messages they consist of, and how members carry them out.
//!
//! [`Plan`] is a pure function: from an operation, an algorithm, the group and the lengths to the
//! moves of one member, round by round. A member sends all that it sends in a round, then waits
//! for what it receives in it; for what it sent it waits at the end of the collective only. The
//! algorithms are those of [Thakur et al. 2005], [Rabenseifner 2004], [Bruck et al. 1997] and
//! [Patarasuk & Yuan 2009].

mod agreement;
mod choice;
mod data;
mod group;
mod members;
mod moves;
mod open_mpi;
mod phase;
mod plan;
mod price;
mod teams;
#[cfg(test)]
mod tests;
mod tree;

pub use data::Data;
pub use members::{Collectives, Next};
pub use moves::{Move, Moves};
pub use plan::{Amount, Plan};
pub use teams::{Made, Part, Teams};
