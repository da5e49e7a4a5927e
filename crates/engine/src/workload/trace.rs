//! Ranks that do what was recorded of a program, or written down as one.

mod cpus;
mod dependencies;
mod ending;
mod feeding;
mod letters;
mod loggops;
mod matching;
mod mixer;
mod operation;
mod pace;
mod ranks;
mod slab;
mod window;

pub use dependencies::Dependencies;
pub use loggops::{LogGops, Reached};
pub use matching::Matching;
pub use operation::{After, Batch, Envelope, Filter, Operation, What};
pub use ranks::Ranks;
