//! The files of the ranks of a Chakra trace, and the messages in them.

use super::node::is_metadata;
use crate::expand::Expanded;
use crate::mistake::Mistake;
use crate::siblings::{Numbered, siblings};
use std::path::{Path, PathBuf};

/// A message has at most so many bytes.
const LONGEST: u64 = 1 << 28;

/// The files of all ranks: those whose names differ from the given one in the number before `.et`
/// alone, from 0. A file without a number is one rank.
///
/// # Errors
/// Numbers that are left out.
pub fn of_ranks(path: &Path) -> Result<Vec<PathBuf>, Mistake> {
    let files = siblings(path, numbered)?;
    if let Some(missing) = (0..).zip(&files).find(|(expected, file)| *expected != file.0) {
        let (missing, last) = (missing.0, files[files.len() - 1].0);
        let what = format!("has files of ranks up to {last}, but none of rank {missing}");
        return Err(Mistake::new(path, what));
    }
    Ok(files.into_iter().map(|(_, file)| file).collect())
}

/// A name cut at its number: `name.`, `3`, `.et`.
fn numbered(name: &str) -> Option<Numbered<'_>> {
    let end = name.rfind(".et")?;
    let digits =
        name[..end].len() - name[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (before, number) = name[..end].split_at(end - digits);
    let number: u32 = number.parse().ok().filter(|n: &u32| n.to_string() == number)?;
    before.ends_with('.').then_some((before, number.into(), &name[end..]))
}

/// Messages one after the other, each behind its length.
pub struct Messages {
    file: Expanded,
    message: Vec<u8>,
    /// Where the last one begins.
    pub at: u64,
}

impl Messages {
    /// Those of a file, behind the metadata.
    ///
    /// # Errors
    /// What is no such file.
    pub fn new(path: &Path, most: u64) -> Result<Self, Mistake> {
        let file = Expanded::new(path, most)?;
        let mut messages = Self { file, message: Vec::new(), at: 0 };
        match messages.next()?.map(is_metadata) {
            Some(true) => Ok(messages),
            _ => Err(messages.mistake("does not begin with the metadata of a Chakra trace")),
        }
    }

    /// The next one; none at the end.
    ///
    /// # Errors
    /// Files that are cut off, and other content.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Mistake> {
        self.at = self.file.at();
        let mut length = 0u64;
        for shift in (0..35).step_by(7) {
            let mut byte = [0];
            if self.file.fill(&mut byte)? == 0 {
                if shift == 0 {
                    return Ok(None);
                }
                return Err(self.mistake("ends within the length of a message: it is cut off"));
            }
            length |= u64::from(byte[0] & 127) << shift;
            if byte[0] < 128 {
                break;
            }
        }
        if length > LONGEST {
            return Err(
                self.mistake(format!("a message of {length} bytes: this is no Chakra trace"))
            );
        }
        self.message.resize(length as usize, 0);
        self.file.exactly(&mut self.message)?;
        Ok(Some(&self.message))
    }

    /// Something wrong with the last one.
    pub fn mistake(&self, what: impl Into<String>) -> Mistake {
        self.file.mistake(self.at, what)
    }
}

/// Whether a file is called like that of a rank, whatever is in it: it may have been cut off.
pub fn is_called_so(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| numbered(name).is_some())
}

/// Whether a file begins like a trace.
pub fn looks_like(path: &Path) -> bool {
    let Ok(mut messages) = Messages::new(path, 1 << 24) else { return false };
    match messages.next() {
        Ok(None) => true,
        Ok(Some(message)) => super::node::node(message).is_ok(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn names_are_cut_at_the_number_of_the_rank() {
        assert_eq!(numbered("a.b.12.et"), Some(("a.b.", 12, ".et")));
        assert_eq!(numbered("a.0.et.gz"), Some(("a.", 0, ".et.gz")));
        assert_eq!((numbered("a.et"), numbered("a12.et"), numbered("a.01.et")), (None, None, None));
    }
}
