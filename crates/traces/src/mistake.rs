//! What is wrong with a file, in one line.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be read as what it should be, or cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub place: Place,
    /// What is wrong, and what is allowed.
    pub what: String,
    /// Of which kind it is.
    pub kind: Kind,
}

/// Kinds of mistakes, of which one can be answered better by who knows other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something in a file of a format that is known, or in reading it.
    Content,
    /// The file has no format that is known. The words of the mistake name those.
    UnknownFormat {
        /// Its first bytes, by which other kinds of files are recognised: 16 at most.
        start: Vec<u8>,
    },
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    File,
    /// In a line, from 1.
    Line(u64),
    /// At a byte, from 0.
    Byte(u64),
}

impl Mistake {
    /// Something about a whole file.
    pub fn new(file: &Path, what: impl Into<String>) -> Self {
        Self { file: file.into(), place: Place::File, what: what.into(), kind: Kind::Content }
    }

    /// Something in a line of it.
    pub fn in_line(file: &Path, line: u64, what: impl Into<String>) -> Self {
        Self { place: Place::Line(line), ..Self::new(file, what) }
    }

    /// Something at a byte of it.
    pub fn at_byte(file: &Path, byte: u64, what: impl Into<String>) -> Self {
        Self { place: Place::Byte(byte), ..Self::new(file, what) }
    }

    /// The same at another byte.
    #[must_use]
    pub fn at(self, byte: u64) -> Self {
        Self { place: Place::Byte(byte), ..self }
    }

    /// What the system said when the file was opened or read.
    pub fn unreadable(file: &Path, error: &io::Error) -> Self {
        Self::new(file, format!("cannot be read: {}", reason(error)))
    }

    /// What the system said when the file was written.
    pub fn unwritable(file: &Path, error: &io::Error) -> Self {
        Self::new(file, format!("cannot be written: {}", reason(error)))
    }
}

/// The words of the system without its number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

impl Mistake {
    /// The file, and where in it.
    pub fn whereabouts(&self) -> String {
        let file = self.file.display();
        match self.place {
            Place::File => file.to_string(),
            Place::Line(line) => format!("{file}: line {line}"),
            Place::Byte(byte) => format!("{file}: byte {byte}"),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.whereabouts(), self.what)
    }
}

impl std::error::Error for Mistake {}
