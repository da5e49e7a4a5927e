//! Statements of GOAL text, one after the other.

use super::labels::Label;
use super::node::{ANY, Kind, Node};
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::{LONGEST, shown, whole};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// `num_ranks N`.
    Ranks(u32),
    /// `rank r {`.
    Open(u32),
    /// `}`.
    Close,
    /// A send, receive or computation, with its label if it has one.
    Operation(Option<Label<'a>>, Node),
    /// The first waits for the second: until it is done, or has begun only.
    Dependency(Label<'a>, Label<'a>, bool),
}

/// How closely operations and dependencies are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// They are passed over.
    Skim,
    /// They are read.
    Read,
}

/// Where in a text the next statement is looked for.
#[derive(Debug)]
pub struct Statements {
    lines: Lines,
    /// The line that is being read, and where it begins in the file.
    line: Vec<u8>,
    start: u64,
    at: usize,
    in_comment: bool,
}

impl Statements {
    /// Those of lines.
    pub fn new(lines: Lines) -> Self {
        Self { lines, line: Vec::new(), start: 0, at: 0, in_comment: false }
    }

    /// Something wrong in the line of the last statement.
    pub fn mistake(&self, what: impl Into<String>) -> Mistake {
        self.lines.mistake(what)
    }

    /// The number of the line of the last statement.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Where what follows the last statement begins.
    pub fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    /// The next statement; none at the end. Those that are skimmed are not given.
    ///
    /// # Errors
    /// What is no statement.
    pub fn next(&mut self, look: Look) -> Result<Option<Statement<'_>>, Mistake> {
        if !self.find(look)? {
            return Ok(None);
        }
        match parse(&self.line[self.at..]) {
            Ok((statement, length)) => {
                self.at += length;
                Ok(Some(statement))
            }
            Err(what) => Err(self.lines.mistake(what)),
        }
    }

    /// Goes to the first letter of a statement; whether there is one.
    fn find(&mut self, look: Look) -> Result<bool, Mistake> {
        loop {
            if self.in_comment {
                let rest = &self.line[self.at..];
                let end = memchr::memmem::find(rest, b"*/");
                self.at = end.map_or(self.line.len(), |end| self.at + end + 2);
                self.in_comment = end.is_none();
            }
            let rest = &self.line[self.at..];
            let blank = rest.iter().position(|letter| !letter.is_ascii_whitespace());
            let Some(blank) = blank else {
                if !self.read_line()? {
                    return Ok(false);
                }
                continue;
            };
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with(b"//") {
                self.at = self.line.len();
            } else if rest.starts_with(b"/*") {
                self.at += 2;
                self.in_comment = true;
            } else if look == Look::Skim && !is_frame(rest) {
                let end = memchr::memchr2(b'/', b'}', rest).unwrap_or(rest.len());
                if end == 0 {
                    return Ok(true);
                }
                self.at += end;
            } else {
                return Ok(true);
            }
        }
    }

    fn read_line(&mut self) -> Result<bool, Mistake> {
        self.line.clear();
        self.at = 0;
        self.start = self.lines.offset();
        let Some((_, line)) = self.lines.next()? else {
            if self.in_comment {
                return Err(self.lines.mistake("a comment begins with /* and does not end"));
            }
            return Ok(false);
        };
        self.line.extend_from_slice(line);
        self.line.push(b'\n');
        Ok(true)
    }
}

/// Whether a statement is one of those around the operations.
fn is_frame(rest: &[u8]) -> bool {
    let is = |word: &[u8]| {
        rest.starts_with(word) && rest.get(word.len()).is_some_and(u8::is_ascii_whitespace)
    };
    rest[0] == b'}' || is(b"rank") || is(b"num_ranks")
}

/// What is left of a line while a statement is taken from it.
struct Rest<'a> {
    line: &'a [u8],
    at: usize,
}

type Parsed<T> = Result<T, String>;

/// The statement at the beginning of a line, and its length.
fn parse(line: &[u8]) -> Parsed<(Statement<'_>, usize)> {
    let mut rest = Rest { line, at: 0 };
    if line[0] == b'}' {
        return Ok((Statement::Close, 1));
    }
    let word = rest.word();
    let statement = match word {
        b"num_ranks" => Statement::Ranks(rest.number32("num_ranks")?),
        b"rank" => {
            let rank = rest.number32("rank")?;
            rest.blanks();
            if line.get(rest.at) != Some(&b'{') {
                return Err(format!("rank {rank} must be followed by {{"));
            }
            rest.at += 1;
            return Ok((Statement::Open(rank), rest.at));
        }
        b"send" | b"recv" | b"calc" => Statement::Operation(None, rest.operation(word)?),
        _ => rest.labelled(word)?,
    };
    rest.end()?;
    Ok((statement, rest.at))
}

impl<'a> Rest<'a> {
    fn blanks(&mut self) {
        let rest = &self.line[self.at..];
        let blanks = rest.iter().position(|letter| !letter.is_ascii_whitespace());
        self.at += blanks.unwrap_or(rest.len());
    }

    /// Letters, digits, `_` and `-`; empty if there are none.
    fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let rest = &self.line[self.at..];
        let belongs = |letter: &u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-');
        let end = rest.iter().position(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The word that comes next, for a message.
    fn found(&mut self) -> String {
        self.blanks();
        let rest = &self.line[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if end == 0 { "the end of the line".into() } else { shown(&rest[..end]) }
    }

    fn number32(&mut self, what: &str) -> Parsed<u32> {
        let word = self.word();
        let number = whole(word).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| {
            format!("{what} must be a whole number up to {}, not {}", u32::MAX, shown_or_end(word))
        })
    }

    /// Goes past a word if it comes next.
    fn takes(&mut self, word: &[u8]) -> bool {
        let start = self.at;
        if self.word() == word {
            return true;
        }
        self.at = start;
        false
    }

    fn needs(&mut self, word: &str) -> Parsed<()> {
        if self.takes(word.as_bytes()) {
            return Ok(());
        }
        Err(format!("expected {word}, found {}", self.found()))
    }

    /// Bytes: the unit may touch the number.
    fn bytes(&mut self) -> Parsed<u64> {
        let word = self.word();
        let digits = word.strip_suffix(b"b");
        let bytes = whole(digits.unwrap_or(word));
        let bytes = bytes.filter(|&bytes| bytes <= LONGEST);
        let Some(bytes) = bytes else {
            let word = shown_or_end(word);
            return Err(format!("a length must be 0 to {LONGEST} bytes, not {word}"));
        };
        if digits.is_none() {
            self.needs("b")?;
        }
        Ok(bytes)
    }

    /// A rank or tag, or any where that is allowed.
    fn whom(&mut self, what: &str, may_be_any: bool) -> Parsed<u32> {
        let word = self.word();
        let is_any = matches!(word, b"-1" | b"4294967295" | b"18446744073709551615");
        if is_any && may_be_any {
            return Ok(ANY);
        }
        let number = whole(word).and_then(|number| u32::try_from(number).ok());
        number.filter(|&number| number != ANY).ok_or_else(|| {
            let any = if may_be_any { ", or -1 for any" } else { "" };
            let word = shown_or_end(word);
            format!("{what} must be a whole number below {ANY}{any}, not {word}")
        })
    }

    fn small(&mut self, what: &str) -> Parsed<u8> {
        if !self.takes(what.as_bytes()) {
            return Ok(0);
        }
        let word = self.word();
        let number = whole(word).and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| format!("{what} must be 0 to 255, not {}", shown_or_end(word)))
    }

    fn operation(&mut self, word: &[u8]) -> Parsed<Node> {
        if word == b"calc" {
            let word = self.word();
            let amount = whole(word).filter(|&time| time <= u64::MAX / 1000);
            let amount = amount.ok_or_else(|| {
                let most = u64::MAX / 1000;
                format!("a time must be 0 to {most} ns, not {}", shown_or_end(word))
            })?;
            let cpu = self.small("cpu")?;
            return Ok(Node { amount, peer: 0, tag: 0, kind: Kind::Compute, cpu, nic: 0 });
        }
        let is_send = word == b"send";
        let amount = self.bytes()?.max(1);
        self.needs(if is_send { "to" } else { "from" })?;
        let peer = self.whom("a rank", !is_send)?;
        let tag = if self.takes(b"tag") { self.whom("a tag", !is_send)? } else { 0 };
        let (cpu, nic) = (self.small("cpu")?, self.small("nic")?);
        let kind = if is_send { Kind::Send } else { Kind::Receive };
        Ok(Node { amount, peer, tag, kind, cpu, nic })
    }

    /// An operation with a label, or a dependency.
    fn labelled(&mut self, word: &'a [u8]) -> Parsed<Statement<'a>> {
        let Some(label) = Label::new(word) else {
            self.at = 0;
            return Err(format!("no statement of GOAL begins with {}", self.found()));
        };
        self.blanks();
        if self.line.get(self.at) == Some(&b':') {
            self.at += 1;
            let word = self.word();
            if !matches!(word, b"send" | b"recv" | b"calc") {
                let word = shown_or_end(word);
                return Err(format!("{} must be a send, recv or calc, not {word}", label.text()));
            }
            return Ok(Statement::Operation(Some(label), self.operation(word)?));
        }
        let begun = match self.word() {
            b"requires" => false,
            b"irequires" => true,
            b"put" | b"get" | b"append" | b"test" | b"calcgem5" => {
                return Err("operations of Portals are not simulated".into());
            }
            other => return Err(unknown(word, other)),
        };
        let before = self.word();
        let before = Label::new(before)
            .ok_or_else(|| format!("expected a label, found {}", shown_or_end(before)))?;
        Ok(Statement::Dependency(label, before, begun))
    }

    /// Nothing may follow but another line, a comment or a brace.
    fn end(&mut self) -> Parsed<()> {
        self.blanks();
        let rest = &self.line[self.at..];
        let is_end = rest.is_empty() || rest[0] == b'}';
        if is_end || rest.starts_with(b"//") || rest.starts_with(b"/*") {
            return Ok(());
        }
        let order = "; the order is tag, cpu, nic";
        Err(format!("expected the end of the line, found {}{order}", self.found()))
    }
}

fn shown_or_end(word: &[u8]) -> String {
    if word.is_empty() { "nothing".into() } else { shown(word) }
}

/// Words that no statement has.
fn unknown(first: &[u8], second: &[u8]) -> String {
    if matches!(first, b"put" | b"get" | b"append" | b"test" | b"calcgem5") {
        return format!("{}: operations of Portals are not simulated", shown(first));
    }
    let (first, second) = (shown(first), shown_or_end(second));
    format!("expected : or requires or irequires after {first}, found {second}")
}
