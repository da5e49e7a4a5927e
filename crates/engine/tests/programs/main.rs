//! What processes and nodes ask of the network, when they are done, and what is refused.

#[path = "../common/mod.rs"]
mod common;

mod collectives;
mod completion;
mod external;
mod facts;
mod jobs;
mod patterns;
mod refusals;
mod trace;
mod traffic;
