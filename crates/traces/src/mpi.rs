//! Programs as the calls of MPI that their ranks were seen to make: what DUMPI and liballprof have
//! in common.

mod collectives;
mod communicators;
pub mod dumpi;
mod files;
pub mod liballprof;
mod output;
mod program;
mod rank;
mod record;
mod splits;
mod types;
