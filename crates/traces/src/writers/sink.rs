//! What takes the operations of a program, and what it may refuse.

use std::io;
use tailback_engine::workload::trace::{After, Batch, Operation};

/// Takes the operations of one rank after the other.
pub trait Sink {
    /// The next operation of a rank, and what it is after.
    fn take(&mut self, step: &Step<'_>) -> Result<(), Refusal>;

    /// No further operation of a rank comes.
    fn end(&mut self, rank: u32) -> Result<(), Refusal>;

    /// No further rank comes.
    fn finish(&mut self, calls: &[String]) -> Result<(), Refusal>;

    /// What is not as it was.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An operation on its way to a file.
pub struct Step<'a> {
    pub rank: u32,
    /// How many of its rank came before.
    pub number: u64,
    pub operation: Operation,
    pub after: &'a [After],
    /// Bytes that a receive expects; 0: not known.
    pub expected: u64,
    pub batch: &'a Batch,
}

/// Why something is not written.
pub enum Refusal {
    /// The form has no such thing.
    Form(String),
    /// The system does not allow it.
    System(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// What came of taking something.
pub type Taken = Result<(), Refusal>;

/// Something is not written, because of what.
pub fn refuse(what: impl Into<String>) -> Taken {
    Err(Refusal::Form(what.into()))
}

/// How a program is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Writing {
    /// Operations in a second, where work becomes time.
    pub flops: Option<f64>,
}

/// Work as time, in picoseconds.
pub fn time_of(flops: u64, writing: Writing) -> Result<u64, Refusal> {
    let needed = "its work is in operations; say how many a second there are";
    let speed = writing.flops.ok_or_else(|| Refusal::Form(needed.into()))?;
    let time = flops as f64 / speed * 1e12;
    if time < 1e19 {
        Ok(time.round() as u64)
    } else {
        Err(Refusal::Form("it lasts too long".into()))
    }
}
