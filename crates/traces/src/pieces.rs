//! Files that are read in pieces, of which thousands may be read at once.

use crate::mistake::Mistake;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// With what some editors begin files of UTF-8; it is no part of the text.
const BYTE_ORDER_MARK: &[u8; 3] = b"\xef\xbb\xbf";

/// The beginning of a file without the mark.
pub fn without_mark(start: &[u8]) -> &[u8] {
    start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start)
}

/// A file of a known length. It is open only while a piece of it is read, unless it is kept open.
#[derive(Debug)]
pub struct Pieces {
    path: Arc<Path>,
    length: u64,
    text_start: u64,
    kept: Option<Mutex<fs::File>>,
}

impl Pieces {
    /// A file that is one of many.
    ///
    /// # Errors
    /// One that is not there, that cannot be read, or that is no file.
    pub fn one_of_many(path: &Path) -> Result<Self, Mistake> {
        let kept = Self::kept_open(path)?;
        Ok(Self { kept: None, ..kept })
    }

    /// A file that is read in many small pieces.
    ///
    /// # Errors
    /// As [`Self::one_of_many`].
    pub fn kept_open(path: &Path) -> Result<Self, Mistake> {
        let opened = fs::File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (about, file) = opened.map_err(|error| Mistake::unreadable(path, &error))?;
        if !about.is_file() {
            return Err(Mistake::new(path, "must be a file"));
        }
        let (mut file, mut start) = (file, [0; BYTE_ORDER_MARK.len()]);
        let there = fill(&mut file, 0, &mut start);
        let there = there.map_err(|error| Mistake::unreadable(path, &error))?;
        let text_start = (there - without_mark(&start[..there]).len()) as u64;
        Ok(Self { text_start, ..Self::of_open(path, file, about.len()) })
    }

    /// A file that is open already, of so many bytes.
    pub fn of_open(path: &Path, file: fs::File, length: u64) -> Self {
        Self { path: path.into(), length, text_start: 0, kept: Some(Mutex::new(file)) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes it had when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Where its text begins: behind a byte-order mark, if there is one.
    pub fn text_start(&self) -> u64 {
        self.text_start
    }

    /// Fills a buffer with what is at a place, and says how much there was.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, Mistake> {
        let filled = match &self.kept {
            Some(kept) => {
                fill(&mut kept.lock().unwrap_or_else(PoisonError::into_inner), at, buffer)
            }
            None => fs::File::open(&self.path).and_then(|mut file| fill(&mut file, at, buffer)),
        };
        filled.map_err(|error| Mistake::unreadable(&self.path, &error))
    }

    /// Fills a buffer with what must be at a place.
    ///
    /// # Errors
    /// A file that ends before; what the system says.
    pub fn exactly(&self, at: u64, buffer: &mut [u8]) -> Result<(), Mistake> {
        let there = self.read(at, buffer)?;
        if there == buffer.len() {
            return Ok(());
        }
        let (end, needed) = (at + there as u64, at + buffer.len() as u64);
        let what = format!("the file ends here; needs {needed} bytes at least: it is cut off");
        Err(Mistake::at_byte(&self.path, end, what))
    }
}

fn fill(file: &mut fs::File, at: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
