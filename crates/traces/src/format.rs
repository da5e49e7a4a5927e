//! Formats, and which one a file has.

use crate::bytes::u32_at;
use crate::expand::Expanded;
use crate::mistake::{Kind, Mistake};
use crate::mpi::{dumpi, liballprof};
use crate::pieces::{Pieces, without_mark};
use crate::{chakra, goal, netrace, stored, ti};
use std::path::{Path, PathBuf};

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// GOAL as text.
    Goal,
    /// GOAL as LogGOPSim reads it.
    GoalBinary,
    /// A time-independent trace of SimGrid: the list of its files, or one file for all ranks.
    Ti,
    /// Execution traces of Chakra: one of the files of the ranks.
    Chakra,
    /// netrace.
    Netrace,
    /// DUMPI as text: one of the files of the ranks.
    Dumpi,
    /// liballprof: one of the files of the ranks.
    Liballprof,
    /// Our own form.
    Stored,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Goal,
        Self::GoalBinary,
        Self::Ti,
        Self::Chakra,
        Self::Netrace,
        Self::Dumpi,
        Self::Liballprof,
        Self::Stored,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::GoalBinary => "goal_binary",
            Self::Ti => "simgrid_ti",
            Self::Chakra => "chakra",
            Self::Netrace => "netrace",
            Self::Dumpi => "dumpi",
            Self::Liballprof => "liballprof",
            Self::Stored => "tailback",
        }
    }
}

/// How a file is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Its format; none: what it looks like.
    pub format: Option<Format>,
    /// To how many bytes a compressed file may expand.
    pub most_bytes: u64,
    /// netrace: the length of a cycle, in picoseconds.
    pub cycle_ps: u64,
    /// Chakra: a file with the ranks of each group.
    pub groups: Option<PathBuf>,
    /// Chakra: operations in a second at most; none: computations last as recorded.
    pub peak_flops: Option<f64>,
    /// Chakra: bytes to and from memory in a second at most.
    pub memory_bytes_per_s: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            most_bytes: 16 << 30,
            cycle_ps: 1000,
            groups: None,
            peak_flops: None,
            memory_bytes_per_s: None,
        }
    }
}

impl Options {
    /// As a format, whatever it looks like.
    pub fn of(format: Format) -> Self {
        Self { format: Some(format), ..Self::default() }
    }
}

/// So much of a file is looked at.
const LOOKED_AT: usize = 1 << 16;
/// So much of one that has none of the formats is told.
const SIGN: usize = 16;

/// What a file looks like, by what is in it.
///
/// # Errors
/// A file that is not there, cannot be read, or looks like nothing that is known.
pub fn guess(path: &Path) -> Result<Format, Mistake> {
    let file = Pieces::one_of_many(path)?;
    let mut start = vec![0; LOOKED_AT.min(file.length() as usize)];
    let there = file.read(0, &mut start)?;
    start.truncate(there);
    let found = by_number(path, &start)?.or_else(|| by_text(path, without_mark(&start)));
    let called = || chakra::is_called_so(path).then_some(Format::Chakra);
    found.or_else(called).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let what = format!("has none of the formats that are known: {}", names.join(", "));
        start.truncate(SIGN);
        Mistake { kind: Kind::UnknownFormat { start }, ..Mistake::new(path, what) }
    })
}

fn by_number(path: &Path, start: &[u8]) -> Result<Option<Format>, Mistake> {
    let Some(Ok(eight)) = start.get(..8).map(<[u8; 8]>::try_from) else { return Ok(None) };
    let number = u64::from_le_bytes(eight);
    if matches!(number, goal::binary::MAGIC | goal::binary::SPOILED) {
        return Ok(Some(Format::GoalBinary));
    }
    if start.starts_with(stored::BEGIN) {
        return Ok(Some(Format::Stored));
    }
    // One that is compressed and cannot be expanded is nothing else.
    let (mut four, mut file) = ([0; 4], Expanded::new(path, LOOKED_AT as u64)?);
    if file.fill(&mut four)? == four.len() && u32_at(&four, 0) == netrace::MAGIC {
        return Ok(Some(Format::Netrace));
    }
    Ok(chakra::looks_like(path).then_some(Format::Chakra))
}

fn by_text(path: &Path, start: &[u8]) -> Option<Format> {
    if goal::text::looks_like(start) {
        return Some(Format::Goal);
    }
    if dumpi::looks_like(start) {
        return Some(Format::Dumpi);
    }
    if liballprof::looks_like(start) {
        return Some(Format::Liballprof);
    }
    ti::looks_like(path, start).then_some(Format::Ti)
}
