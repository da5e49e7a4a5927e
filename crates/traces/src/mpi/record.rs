//! A call of MPI as it was recorded.

use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::{shown, signed};

/// How calls are written down.
pub trait Dialect: Send {
    /// Reads the next call of a rank; false if there is none.
    ///
    /// # Errors
    /// What is no call, and what the system says.
    fn read(lines: &mut Lines, call: &mut Call) -> Result<bool, Mistake>;
}

/// What is wrong with a call.
pub type Parsed<T> = Result<T, String>;

/// A call; its buffers are used again for the next one.
#[derive(Debug, Default)]
pub struct Call {
    /// `MPI_Send` and the like.
    pub name: String,
    /// The line in which it begins.
    pub line: u64,
    /// When it began, if that is known, in picoseconds.
    pub begun: Option<u64>,
    /// When it was done.
    pub done: Option<u64>,
    /// Whether handles of types and communicators stand with what they are, requests are known by
    /// where they lie, and what a call gives back is not known.
    pub is_described: bool,
    /// Its arguments: names and values as texts, one behind the other.
    text: Vec<u8>,
    arguments: Vec<(usize, usize, usize)>,
}

impl Call {
    /// A call without arguments.
    pub fn begin(&mut self, name: &[u8], line: u64) {
        self.name.clear();
        self.name.push_str(&String::from_utf8_lossy(name));
        self.line = line;
        (self.begun, self.done) = (None, None);
        self.text.clear();
        self.arguments.clear();
    }

    /// Adds an argument.
    pub fn add(&mut self, name: &[u8], value: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        let middle = self.text.len();
        self.text.extend_from_slice(value);
        self.arguments.push((start, middle, self.text.len()));
    }

    /// The value of an argument, under any of some names.
    pub fn find(&self, names: &[&str]) -> Option<&[u8]> {
        let found = self.arguments.iter().find(|&&(start, middle, _)| {
            names.iter().any(|name| name.as_bytes() == &self.text[start..middle])
        });
        found.map(|&(_, middle, end)| &self.text[middle..end])
    }

    /// A value that must be there.
    pub fn value(&self, names: &[&str]) -> Parsed<&[u8]> {
        self.find(names).ok_or_else(|| format!("{} is missing", names[0]))
    }

    /// A number that must be there: what follows it in the line is a comment.
    pub fn number(&self, names: &[&str]) -> Parsed<i64> {
        let value = self.value(names)?;
        let digits = value.iter().position(|c| !matches!(c, b'0'..=b'9' | b'-' | b'+'));
        let word = value[..digits.unwrap_or(value.len())].trim_ascii();
        let name = names[0];
        signed(word).ok_or_else(|| format!("{name} must be a whole number, not {}", shown(value)))
    }

    /// A count from 0.
    pub fn count(&self, names: &[&str]) -> Parsed<u64> {
        let number = self.number(names)?;
        u64::try_from(number).map_err(|_| format!("{} must be 0 or more, not {number}", names[0]))
    }

    /// A list of numbers: in brackets, or one alone.
    pub fn numbers(&self, names: &[&str]) -> Parsed<Vec<i64>> {
        let value = self.value(names)?;
        let wrong = || format!("{} must be a list of numbers, not {}", names[0], shown(value));
        let inside = value.strip_prefix(b"[").unwrap_or(value);
        let end = inside.iter().position(|&c| c == b']').unwrap_or(inside.len());
        let words = inside[..end].split(|&c| c == b',').map(<[u8]>::trim_ascii);
        let words = words.filter(|word| !word.is_empty());
        let first = |word: &[u8]| {
            // A comment may follow, as after a number alone.
            let end = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
            signed(&word[..end]).ok_or_else(wrong)
        };
        words.map(first).collect()
    }
}
