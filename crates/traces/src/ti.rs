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
use crate::words::{real, shown, whole, words};
use communicators::Communicators;
use files::Files;
use line::split;
use rank::{Output, Rank};
use std::path::{Path, PathBuf};
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
    path: PathBuf,
    /// Whether `gatherv` and `scatterv` have lengths at their roots alone; none: it has not mattered.
    at_root_alone: Option<bool>,
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
        path: path.into(),
        at_root_alone: None,
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
        let at_root_alone = self.at_root_alone.unwrap_or(false);
        let mut output = Output { batch, expected, calls, communicators, at_root_alone };
        while output.batch.operations.len() < before + BATCH {
            let Some((_, line)) = lines.next()? else { break };
            if self.at_root_alone.is_none() && is_of_each(line) {
                let found = has_lengths_at_roots_alone(&self.path)?;
                self.at_root_alone = Some(found);
                output.at_root_alone = found;
            }
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

fn is_of_each(line: &[u8]) -> bool {
    split(line).is_some_and(|(_, name, _)| {
        [&b"gatherv"[..], b"scatterv"].iter().any(|known| known.eq_ignore_ascii_case(name))
    })
}

/// Whether some rank says of `gatherv` or `scatterv` that all lengths are 0, and has a block of its
/// own: so SMPI records them at ranks that are not the root.
fn has_lengths_at_roots_alone(path: &Path) -> Result<bool, Mistake> {
    let mut files = files::of_ranks(path)?;
    let count = files.ranks.len();
    for lines in &mut files.ranks {
        while let Some((_, line)) = lines.next()? {
            if !is_of_each(line) {
                continue;
            }
            let Some((_, name, rest)) = split(line) else { continue };
            let numbers: Vec<_> = words(rest).map(|word| real(word).unwrap_or(0.0)).collect();
            let is_gather = name.first().is_some_and(|letter| letter.eq_ignore_ascii_case(&b'g'));
            let (own, lengths) = match numbers.len().checked_sub(count + 1) {
                Some(_) if is_gather => (numbers[0], &numbers[1..=count]),
                Some(_) => (numbers[count], &numbers[..count]),
                None => continue,
            };
            if own > 0.0 && lengths.iter().all(|&length| length <= 0.0) {
                return Ok(true);
            }
        }
    }
    Ok(false)
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
