//! Time-independent traces of SimGrid: what each rank does, line by line.

mod actions;
mod arguments;
mod collectives;
mod communicators;
mod datatypes;
mod dealing;
mod files;
mod line;
mod places;
mod rank;
mod requests;

use crate::Source;
use crate::calls::Calls;
use crate::mistake::Mistake;
use crate::words::{shown, whole};
use communicators::Communicators;
use files::Files;
use line::split;
use rank::{Output, Rank};
use std::path::Path;
use tailback_engine::workload::trace::Batch;

pub use files::looks_like;

/// Lines are read until a batch has so many operations.
const BATCH: usize = 128;

/// A trace that is being read.
struct Trace {
    files: Files,
    ranks: Vec<Rank>,
    calls: Calls,
    communicators: Communicators,
    expected: Vec<u64>,
}

/// Opens a list of files, one for each rank, or one file for all.
///
/// # Errors
/// Files that are not there or cannot be read; ranks that are missing.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    let files = files::of_ranks(path)?;
    let count = files.ranks.len() as u32;
    let ranks = (0..count).map(|me| Rank::new(me, count)).collect();
    Ok(Box::new(Trace {
        files,
        ranks,
        calls: Calls::default(),
        communicators: Communicators::default(),
        expected: Vec::new(),
    }))
}

impl Source for Trace {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn next(&mut self, number: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        let (lines, rank) =
            (&mut self.files.ranks[number as usize], &mut self.ranks[number as usize]);
        let before = batch.operations.len();
        let (calls, expected) = (&mut self.calls, &mut self.expected);
        let communicators = &mut self.communicators;
        let mut output = Output { batch, expected, calls, communicators };
        while output.batch.operations.len() < before + BATCH {
            let Some((_, line)) = lines.next()? else { break };
            if let Err(what) = act(rank, number, line, &mut output) {
                return Err(self.files.mistake(number, what));
            }
        }
        Ok(output.batch.operations.len() > before)
    }

    fn calls(&self) -> &[String] {
        self.calls.names()
    }

    fn expected(&self) -> &[u64] {
        &self.expected
    }
}

/// Does what a line says.
fn act(rank: &mut Rank, number: u32, line: &[u8], output: &mut Output<'_>) -> Result<(), String> {
    let Some((first, name, rest)) = split(line) else { return Ok(()) };
    if whole(first) != Some(u64::from(number)) {
        return Err(format!("must begin with rank {number}, not {}", shown(first)));
    }
    if name.is_empty() {
        return Err("has no action after the rank".into());
    }
    rank.act(name, rest, output)
}
