//! Writing our own form.

use super::{BEGIN, END, VERSION, checksum, coding};
use crate::bytes::push_varint;
use std::io::{self, Write};
use tailback_engine::workload::trace::Batch;

/// A piece of a rank is written when it has so many bytes.
const PIECE: usize = 1 << 14;

/// Batches of ranks, in any order of the ranks.
pub struct Writer<W> {
    file: W,
    at: u64,
    ranks: Vec<Vec<u8>>,
    index: Vec<u8>,
    pieces: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file of so many ranks.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(mut file: W, ranks: u32) -> io::Result<Self> {
        file.write_all(BEGIN)?;
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&ranks.to_le_bytes())?;
        let ranks = vec![Vec::new(); ranks as usize];
        Ok(Self { file, at: super::HEAD, ranks, index: Vec::new(), pieces: 0 })
    }

    /// Writes the next batch of a rank, and what its receives expect.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, rank: u32, batch: &Batch, expected: &[u64]) -> io::Result<()> {
        let bytes = &mut self.ranks[rank as usize];
        coding::push(bytes, batch, expected);
        if bytes.len() >= PIECE { self.flush(rank) } else { Ok(()) }
    }

    fn flush(&mut self, rank: u32) -> io::Result<()> {
        let bytes = &mut self.ranks[rank as usize];
        self.file.write_all(bytes)?;
        let numbers = [u64::from(rank), self.at, bytes.len() as u64, u64::from(checksum(bytes))];
        numbers.iter().for_each(|&number| push_varint(&mut self.index, number));
        self.at += bytes.len() as u64;
        self.pieces += 1;
        bytes.clear();
        Ok(())
    }

    /// Ends the file, with the names of calls.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self, calls: &[String]) -> io::Result<W> {
        for rank in 0..self.ranks.len() {
            if !self.ranks[rank].is_empty() {
                self.flush(rank as u32)?;
            }
        }
        let mut index = Vec::new();
        push_varint(&mut index, self.ranks.len() as u64);
        push_varint(&mut index, self.pieces);
        index.append(&mut self.index);
        push_varint(&mut index, calls.len() as u64);
        for call in calls {
            push_varint(&mut index, call.len() as u64);
            index.extend(call.as_bytes());
        }
        self.file.write_all(&index)?;
        self.file.write_all(&self.at.to_le_bytes())?;
        self.file.write_all(&(index.len() as u64).to_le_bytes())?;
        self.file.write_all(&checksum(&index).to_le_bytes())?;
        self.file.write_all(END)?;
        Ok(self.file)
    }
}
