//! Reading our own form.

use super::coding::Taker;
use super::{BEGIN, END, HEAD, TAIL, VERSION, checksum};
use crate::Source;
use crate::bytes::{u32_at, u64_at, varint};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use std::collections::VecDeque;
use std::path::Path;
use tailback_engine::workload::trace::Batch;

/// Where a piece is.
struct Piece {
    start: u64,
    length: u64,
    checksum: u32,
}

/// A rank: pieces to come, the one that is being read, how far, and how many operations came.
#[derive(Default)]
struct Rank {
    pieces: VecDeque<Piece>,
    bytes: Vec<u8>,
    start: u64,
    at: usize,
    given: u64,
}

/// A file that is read.
struct Stored {
    file: Pieces,
    ranks: Vec<Rank>,
    calls: Vec<String>,
    expected: Vec<u64>,
}

/// Opens a trace.
///
/// # Errors
/// A file that cannot be read, is cut off, damaged, or of a later version.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    let file = Pieces::kept_open(path)?;
    let mut head = [0; HEAD as usize];
    file.exactly(0, &mut head)?;
    if !head.starts_with(BEGIN) {
        return Err(Mistake::at_byte(path, 0, "is no stored trace of Tailback"));
    }
    let version = u32_at(&head, 8);
    if version != VERSION {
        let what = format!("has version {version}; this Tailback reads version {VERSION}");
        return Err(Mistake::at_byte(path, 8, what));
    }
    let cut = || Mistake::new(path, "does not end as it should: it is cut off, or not yet written");
    let at = file.length().checked_sub(TAIL).filter(|&at| at >= HEAD).ok_or_else(cut)?;
    let mut tail = [0; TAIL as usize];
    file.exactly(at, &mut tail)?;
    if !tail.ends_with(END) {
        return Err(cut());
    }
    let (start, length) = (u64_at(&tail, 0), u64_at(&tail, 8));
    if start < HEAD || start.checked_add(length) != Some(at) {
        return Err(Mistake::at_byte(
            path,
            at,
            "the index is not where it should be: it is damaged",
        ));
    }
    let mut index = vec![0; length as usize];
    file.exactly(start, &mut index)?;
    let damaged = || Mistake::at_byte(path, start, "the index is damaged");
    if checksum(&index) != u32_at(&tail, 16) {
        return Err(damaged());
    }
    let ranks = u32_at(&head, 12);
    let (ranks, calls) = parts(&index, ranks, start).ok_or_else(damaged)?;
    Ok(Box::new(Stored { file, ranks, calls, expected: Vec::new() }))
}

/// What an index says; none if it cannot be one.
fn parts(mut index: &[u8], count: u32, end: u64) -> Option<(Vec<Rank>, Vec<String>)> {
    const MOST_RANKS: u32 = 1 << 24;
    let is_count = varint(&mut index)? == u64::from(count) && (1..=MOST_RANKS).contains(&count);
    is_count.then_some(())?;
    let mut ranks: Vec<Rank> = (0..count).map(|_| Rank::default()).collect();
    for _ in 0..varint(&mut index)? {
        let rank = ranks.get_mut(usize::try_from(varint(&mut index)?).ok()?)?;
        let (start, length) = (varint(&mut index)?, varint(&mut index)?);
        let checksum = u32::try_from(varint(&mut index)?).ok()?;
        (start >= HEAD && start.checked_add(length)? <= end).then_some(())?;
        rank.pieces.push_back(Piece { start, length, checksum });
    }
    let mut calls = Vec::new();
    for _ in 0..varint(&mut index)? {
        let length = usize::try_from(varint(&mut index)?).ok()?;
        let (name, rest) = index.split_at_checked(length)?;
        calls.push(String::from_utf8(name.to_vec()).ok()?);
        index = rest;
    }
    index.is_empty().then_some((ranks, calls))
}

impl Source for Stored {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn next(&mut self, rank: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        let (count, calls) = (self.ranks.len() as u32, self.calls.len() as u32);
        let rank = &mut self.ranks[rank as usize];
        if rank.at == rank.bytes.len() {
            let Some(piece) = rank.pieces.pop_front() else {
                rank.bytes = Vec::new();
                rank.at = 0;
                return Ok(false);
            };
            rank.bytes.resize(piece.length as usize, 0);
            self.file.exactly(piece.start, &mut rank.bytes)?;
            if checksum(&rank.bytes) != piece.checksum {
                return Err(Mistake::at_byte(
                    self.file.path(),
                    piece.start,
                    "is damaged from here on",
                ));
            }
            (rank.at, rank.start) = (0, piece.start);
        }
        let bytes = &rank.bytes[rank.at..];
        let mut taker = Taker { bytes, ranks: count, calls, given: rank.given };
        if taker.take(batch, &mut self.expected).is_none() {
            let at = rank.start + rank.at as u64;
            return Err(Mistake::at_byte(self.file.path(), at, "is no batch of operations"));
        }
        (rank.at, rank.given) = (rank.bytes.len() - taker.bytes.len(), taker.given);
        Ok(true)
    }

    fn calls(&self) -> &[String] {
        &self.calls
    }

    fn expected(&self) -> &[u64] {
        &self.expected
    }
}
