//! DUMPI, as `dumpi2ascii` prints it: a file for each rank, a few lines for each call.

use super::files;
use super::program::Program;
use super::record::{Call, Dialect, Parsed};
use crate::Source;
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::{clock_ps, first_word, shown};
use std::path::Path;

/// What binary files begin with.
pub const BINARY: &[u8; 8] = b"\xff\xaa\xddDUMPI";

/// Opens the program of which a file is one rank.
///
/// # Errors
/// Files that cannot be read, or are binary; ranks that are missing.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    let mut start = [0; 512];
    let there = crate::pieces::Pieces::one_of_many(path)?.read(0, &mut start)?;
    let start = &start[..there];
    let is = if start.starts_with(&BINARY[..3]) { "is binary" } else { "is about binary files" };
    if is_binary(start) {
        let how = "print each file with `dumpi2ascii FILE.bin > FILE.txt` and give one text";
        return Err(Mistake::new(path, format!("{is}; {how}")));
    }
    Ok(Box::new(Program::<Dumpi>::new(files::of_ranks(path)?)))
}

/// Whether a file is binary, or lists such files.
fn is_binary(start: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(start, key).is_some();
    start.starts_with(&BINARY[..3]) || has(b"\nnumprocs=") && has(b"\nfileprefix=")
}

/// Whether a file begins with comments and the first line of a call.
pub fn looks_like(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    is_binary(start)
        || lines.find(|line| says_something(line)).is_some_and(|line| entering(line).is_some())
}

/// Whether a line without blanks around it is more than a comment.
fn says_something(line: &[u8]) -> bool {
    line.first().is_some_and(|&first| first != b'#')
}

struct Dumpi;

/// The name of a call that begins in a line, and when.
fn entering(line: &[u8]) -> Option<(&[u8], &[u8])> {
    stamp(line, b"entering")
}

fn returning(line: &[u8]) -> Option<(&[u8], &[u8])> {
    stamp(line, b"returning")
}

/// `MPI_Send entering at walltime 8.5, cputime ...`: the first word, and what stands before the comma.
fn stamp<'a>(line: &'a [u8], verb: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (name, mut rest) = first_word(line);
    for expected in [verb, b"at", b"walltime"] {
        let (word, behind) = first_word(rest);
        if word != expected {
            return None;
        }
        rest = behind;
    }
    let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
    Some((name, rest[..end].trim_ascii()))
}

/// When a call was entered, or returned, by the clock on the wall.
fn walltime(text: &[u8]) -> Parsed<u64> {
    let wrong = || format!("walltime must be a number of seconds, not {}", shown(text));
    clock_ps(text, SECOND_DIGITS).ok_or_else(wrong)
}

/// A second is so many powers of ten of a picosecond.
const SECOND_DIGITS: u32 = 12;

impl Dialect for Dumpi {
    fn read(lines: &mut Lines, call: &mut Call) -> Result<bool, Mistake> {
        loop {
            let Some((number, line)) = lines.next()? else { return Ok(false) };
            let line = line.trim_ascii();
            if !says_something(line) {
                continue;
            }
            let Some((name, begun)) = entering(line) else {
                let what = format!("expected a call that is entered, found {}", shown(line));
                return Err(lines.mistake(what));
            };
            call.begin(name, number);
            let begun = walltime(begun);
            call.begun = Some(begun.map_err(|what| lines.mistake(what))?);
            break;
        }
        loop {
            let Some((_, line)) = lines.next()? else {
                return Err(
                    lines.mistake(format!("{} does not return: the file is cut off", call.name))
                );
            };
            let line = line.trim_ascii();
            if let Some((name, done)) = returning(line) {
                if name != call.name.as_bytes() {
                    let what = format!("{} returns within {}", shown(name), call.name);
                    return Err(lines.mistake(what));
                }
                let done = walltime(done);
                call.done = Some(done.map_err(|what| lines.mistake(what))?);
                return Ok(true);
            }
            // `MPI_Request requests[2]=[8, 9]`: the name is behind the type.
            if let Some(equals) = line.iter().position(|&c| c == b'=') {
                let before = line[..equals].trim_ascii_end();
                let name = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or(before);
                let end = name.iter().position(|&c| c == b'[').unwrap_or(name.len());
                call.add(&name[..end], line[equals + 1..].trim_ascii_start());
            }
        }
    }
}
