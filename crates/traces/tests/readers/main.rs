//! What readers make of files, operation by operation, and when ranks end in a run of one.

mod chakra;
mod common;
mod damaged;
mod formats;
mod goal;
mod loggops;
mod mpi;
mod netrace;
mod simgrid;
mod writers;
