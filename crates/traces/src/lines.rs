//! Lines of a file, or of parts of it, with a small buffer.

use crate::mistake::Mistake;
use crate::pieces::Pieces;
use std::path::Path;
use std::sync::Arc;

/// Buffers of all ranks have about so many bytes together, and each has some at least.
pub const ALL_BUFFERS: usize = 64 << 20;
const BUFFERS: (usize, usize) = (4 << 10, 64 << 10);

/// How many bytes are read at once for each of so many ranks.
pub fn piece_of_each(ranks: usize) -> usize {
    (ALL_BUFFERS / ranks).clamp(BUFFERS.0, BUFFERS.1)
}

/// A line may be as long as this.
const LONGEST_LINE: usize = 1 << 28;

/// A part of a file: whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// The number of its first line, from 1.
    pub line: u64,
}

/// Lines one after the other.
#[derive(Debug)]
pub struct Lines {
    file: Arc<Pieces>,
    /// What is to be read after the part that is being read, the next one last.
    parts: Vec<Part>,
    part: Part,
    /// What has been read from the part: `buffer[from..]` is still to come.
    buffer: Vec<u8>,
    from: usize,
    piece: usize,
}

impl Lines {
    /// The lines of a whole file, read in pieces of so many bytes.
    pub fn of_file(file: Arc<Pieces>, piece: usize) -> Self {
        let all = Part { start: file.text_start(), end: file.length(), line: 1 };
        Self::of_parts(file, vec![all], piece)
    }

    /// The lines of parts of a file, in order.
    pub fn of_parts(file: Arc<Pieces>, mut parts: Vec<Part>, piece: usize) -> Self {
        parts.reverse();
        let part = parts.pop().unwrap_or(Part { start: 0, end: 0, line: 1 });
        Self { file, parts, part, buffer: Vec::new(), from: 0, piece }
    }

    /// The number of the line that came last.
    pub fn number(&self) -> u64 {
        self.part.line.saturating_sub(1)
    }

    /// Where the line after the one that came last begins.
    pub fn offset(&self) -> u64 {
        self.part.start - (self.buffer.len() - self.from) as u64
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Something wrong in the line that came last.
    pub fn mistake(&self, what: impl Into<String>) -> Mistake {
        Mistake::in_line(self.path(), self.number(), what)
    }

    /// The number of the next line, and it without its end; none after the last.
    ///
    /// # Errors
    /// What the system says, and lines without end.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, Mistake> {
        let mut seen = 0;
        loop {
            let rest = &self.buffer[self.from + seen..];
            if let Some(length) = memchr::memchr(b'\n', rest) {
                let start = self.from;
                let end = start + seen + length;
                self.from = end + 1;
                self.part.line += 1;
                let line = &self.buffer[start..end];
                return self.checked(line.strip_suffix(b"\r").unwrap_or(line));
            }
            seen = self.buffer.len() - self.from;
            if self.part.start < self.part.end {
                self.refill()?;
            } else if seen > 0 {
                let start = self.from;
                self.from = self.buffer.len();
                self.part.line += 1;
                return self.checked(&self.buffer[start..]);
            } else {
                let Some(part) = self.parts.pop() else { return Ok(None) };
                self.part = part;
            }
        }
    }

    /// A line with its number. All lines would seem one if they ended as on computers of the
    /// last century, by CR alone: the first would be read and the rest left.
    #[inline]
    fn checked<'a>(&self, line: &'a [u8]) -> Result<Option<(u64, &'a [u8])>, Mistake> {
        let number = self.number();
        if number == 1 && memchr::memchr(b'\r', line).is_some() {
            let what = "holds CR, which alone ends no line: LF or CR LF must end lines";
            return Err(self.mistake(what));
        }
        Ok(Some((number, line)))
    }

    /// Reads on: what is left of the buffer is moved to its front.
    fn refill(&mut self) -> Result<(), Mistake> {
        self.buffer.drain(..self.from);
        self.from = 0;
        let kept = self.buffer.len();
        if kept > LONGEST_LINE {
            let what = format!("is longer than {LONGEST_LINE} bytes: this is no text");
            return Err(Mistake::in_line(self.path(), self.part.line, what));
        }
        // Twice as much each time that a line does not end.
        let left = self.part.end - self.part.start;
        let wanted = left.min(self.piece.max(kept) as u64) as usize;
        self.buffer.resize(kept + wanted, 0);
        let there = self.file.read(self.part.start, &mut self.buffer[kept..])?;
        self.buffer.truncate(kept + there);
        if there < wanted {
            let what = "the file has become shorter while it was read";
            return Err(Mistake::at_byte(self.path(), self.part.start + there as u64, what));
        }
        self.part.start += there as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::Folder;

    fn all(mut lines: Lines) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            found.push((number, String::from_utf8(line.to_vec()).unwrap()));
        }
        found
    }

    #[test]
    fn lines_are_the_same_however_small_the_pieces() {
        let folder = Folder::new();
        let path = folder.file("text", b"one\r\n\ntwo and more\nlast");
        let expected = [(1, "one"), (2, ""), (3, "two and more"), (4, "last")];
        for piece in 1..30 {
            let file = Arc::new(Pieces::one_of_many(&path).unwrap());
            let found = all(Lines::of_file(file, piece));
            let found: Vec<_> = found.iter().map(|(n, s)| (*n, s.as_str())).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn lines_that_end_by_cr_alone_are_refused() {
        let folder = Folder::new();
        for text in [&b"0 init\r0 compute 5\r"[..], b"0 init\r0 compute 5\n0 finalize\n"] {
            let path = folder.file("text", text);
            let file = Arc::new(Pieces::one_of_many(&path).unwrap());
            let refused = Lines::of_file(file, 100).next().unwrap_err();
            assert!(refused.to_string().contains("CR LF must end lines"), "{refused}");
        }
    }

    #[test]
    fn parts_are_read_in_order_with_their_numbers() {
        let folder = Folder::new();
        let path = folder.file("text", b"a\nb\nc\nd\n");
        let file = Arc::new(Pieces::kept_open(&path).unwrap());
        let parts = vec![Part { start: 0, end: 2, line: 1 }, Part { start: 4, end: 8, line: 3 }];
        let found = all(Lines::of_parts(file, parts, 3));
        assert_eq!(found, [(1, "a".into()), (3, "c".into()), (4, "d".into())]);
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = Folder::new();
        let refused = Pieces::one_of_many(folder.path()).unwrap_err();
        assert!(refused.what == "must be a file" || refused.what.starts_with("cannot be read"));
        let missing = Pieces::one_of_many(&folder.path().join("not there")).unwrap_err();
        assert_eq!(missing.what, "cannot be read: No such file or directory");
    }
}
