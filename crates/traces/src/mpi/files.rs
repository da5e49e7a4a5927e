//! The files of the ranks of a program: names that differ in one number.

use crate::lines::{Lines, piece_of_each};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use crate::siblings::{Numbered, siblings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The lines of each rank: of the files whose names differ from the given one in the last number
/// alone, from 0. A file without a number is the only rank.
///
/// # Errors
/// Numbers that are left out; files that cannot be read.
pub fn of_ranks(path: &Path) -> Result<Vec<Lines>, Mistake> {
    if Pieces::one_of_many(path)?.length() == 0 {
        return Err(Mistake::new(path, "is empty: it has no calls"));
    }
    let files = named(path)?;
    let piece = piece_of_each(files.len());
    let lines = |path: &PathBuf| Ok(Lines::of_file(Arc::new(Pieces::one_of_many(path)?), piece));
    files.iter().map(lines).collect()
}

fn named(path: &Path) -> Result<Vec<PathBuf>, Mistake> {
    let files = siblings(path, numbered)?;
    for (expected, (number, _)) in (0..).zip(&files) {
        if expected != *number {
            let last = files[files.len() - 1].0;
            let what =
                format!("has files of ranks up to {last}, but none of rank {expected}, or two");
            return Err(Mistake::new(path, what));
        }
    }
    Ok(files.into_iter().map(|(_, file)| file).collect())
}

/// A name cut at its last number.
fn numbered(name: &str) -> Option<Numbered<'_>> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |place| place + 1);
    Some((&name[..start], name[start..end].parse().ok()?, &name[end..]))
}
