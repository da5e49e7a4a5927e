//! Ranks that do what was recorded of a program, or written down as one.

mod batches;
mod cpus;
mod dependencies;
mod ending;
mod feeding;
mod letters;
mod loggops;
mod machine;
mod matching;
mod operation;
mod pace;
mod ranks;
mod slab;
mod window;

pub use dependencies::Dependencies;
pub use loggops::Reached;
pub use machine::LogGops;
pub use matching::Matching;
pub use operation::{After, Batch, Envelope, Filter, Operation, What};
pub use ranks::Ranks;
