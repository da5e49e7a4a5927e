//! Readers and writers of program traces.
//!
//! [`open`] finds out which format a file has and gives a [`Source`], of which the operations of
//! each rank are asked for batch by batch, in the form that the engine runs
//! ([`tailback_engine::workload::trace`]). What is wrong with a file is a [`Mistake`].
//!
//! Sources hold little: where ranks lie in files, a small buffer for each, and of formats whose
//! operations come in any order the ranks that have been begun.
//!
//! ```
//! use std::path::Path;
//! use tailback_engine::workload::trace::Batch;
//! use tailback_traces::{Options, open};
//!
//! let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces");
//! let mut trace = open(&traces.join("goal/incast_3.goal"), &Options::default())?;
//! let mut operations = vec![0; trace.ranks() as usize];
//! let mut batch = Batch::default();
//! for rank in 0..trace.ranks() {
//!     while trace.next(rank, &mut batch)? {
//!         operations[rank as usize] += batch.operations.len();
//!         batch.clear();
//!     }
//! }
//! assert_eq!(operations, [3, 1, 1, 1]);
//! # Ok::<(), tailback_traces::Mistake>(())
//! ```

mod bytes;
mod calls;
mod chakra;
mod communicator;
mod expand;
pub mod format;
mod goal;
mod graph;
mod lines;
mod mistake;
mod mpi;
mod netrace;
mod pieces;
mod scratch;
mod sequence;
mod siblings;
mod stored;
mod ti;
mod words;
pub mod writers;

#[cfg(test)]
mod test_files;

pub use format::{Format, Options};
pub use mistake::{Kind, Mistake, Place};

use std::path::Path;
use tailback_engine::workload::trace::Batch;

/// What the ranks of a program do, as it is read from files.
pub trait Source: Send {
    /// How many ranks there are.
    fn ranks(&self) -> u32;

    /// Appends the next batch of a rank; false if it has ended.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn next(&mut self, rank: u32, batch: &mut Batch) -> Result<bool, Mistake>;

    /// The names of places in the program, to which operations refer; grows while it is read.
    fn calls(&self) -> &[String] {
        &[]
    }

    /// How many bytes each receive of the batch given last expects, in order; empty if the trace
    /// does not say.
    fn expected(&self) -> &[u64] {
        &[]
    }

    /// What of the file has no effect, or is not as it was recorded, in words.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Opens a file as what it is, or as what it should be.
///
/// # Errors
/// A file that is not there, cannot be read, or is no trace of a format that is known.
pub fn open(path: &Path, options: &Options) -> Result<Box<dyn Source>, Mistake> {
    let format = match options.format {
        Some(format) => format,
        None => format::guess(path)?,
    };
    match format {
        Format::Goal => goal::text::open(path),
        Format::GoalBinary => goal::binary::open(path),
        Format::Ti => ti::open(path),
        Format::Chakra => chakra::open(path, options),
        Format::Netrace => netrace::open(path, options),
        Format::Dumpi => mpi::dumpi::open(path),
        Format::Liballprof => mpi::liballprof::open(path),
        Format::Stored => stored::reading::open(path),
    }
}
