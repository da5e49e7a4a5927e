//! What readers make of files, operation by operation.

mod chakra;
mod common;
mod damaged;
mod goal;
mod mpi;
mod netrace;
mod simgrid;
mod writers;
