//! Our own form of traces: batches of ranks as they are, in checked pieces, with an index at the end.
//!
//! `TBTRACE\n`, a version of four bytes, the number of ranks; pieces; the index; and at the end
//! its place and length, its checksum, and `TBTREND\n`. A piece is batches of one rank. The index
//! has the rank, place, length and checksum of each piece, and the names of calls.

mod coding;
pub mod reading;
pub mod writing;

/// What it begins with.
pub const BEGIN: &[u8; 8] = b"TBTRACE\n";
/// What it ends with.
const END: &[u8; 8] = b"TBTREND\n";
/// Raised when what is written changes.
const VERSION: u32 = 1;
/// Length of what comes before the pieces.
const HEAD: u64 = 16;
/// Length of what comes after the index.
const TAIL: u64 = 28;

/// A checksum: CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}
