//! The lines of a file, and whose they are.

use crate::words::{shown, whole};

/// A trace has at most so many ranks.
pub const MOST_RANKS: u64 = 1 << 24;

/// The rank, the action and the rest of a line; none if there is nothing but a comment.
pub fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    let (first, rest) = word(line);
    let (name, rest) = word(rest.trim_ascii_start());
    (!first.is_empty()).then_some((first, name, rest))
}

fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    line.split_at(end)
}

/// The rank whose line it is; none if there is nothing but a comment.
pub fn rank_of(line: &[u8]) -> Result<Option<usize>, String> {
    let Some((first, _, _)) = split(line) else { return Ok(None) };
    match whole(first).filter(|&rank| rank < MOST_RANKS) {
        Some(rank) => Ok(Some(rank as usize)),
        None => Err(format!("must begin with a rank below {MOST_RANKS}, not {}", shown(first))),
    }
}
