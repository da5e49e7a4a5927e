//! The lines of a file, and whose they are.

use crate::words::{first_word, shown, whole};

/// A trace has at most so many ranks.
pub const MOST_RANKS: u64 = 1 << 24;

/// The rank, the action and the rest of a line; none if there is nothing but a comment.
pub fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let (first, rest) = first_word(&line[..end]);
    let (name, rest) = first_word(rest);
    (!first.is_empty()).then_some((first, name, rest))
}

/// The rank whose line it is; none if there is nothing but a comment.
pub fn rank_of(line: &[u8]) -> Result<Option<usize>, String> {
    let Some((first, _, _)) = split(line) else { return Ok(None) };
    match whole(first).filter(|&rank| rank < MOST_RANKS) {
        Some(rank) => Ok(Some(rank as usize)),
        None => Err(format!("must begin with a rank below {MOST_RANKS}, not {}", shown(first))),
    }
}
