//! The arguments of an action.

use super::datatypes;
use crate::words::{counted, real, shown, signed, words};

/// What is wrong with an action.
pub type Parsed<T> = Result<T, String>;

/// Any source and any tag, as SimGrid and as MPI libraries write them.
const ANY_SOURCE: [i64; 2] = [-555, -1];
const ANY_TAG: [i64; 2] = [-444, -1];
/// A type that the program made: SMPI counts bytes of it.
const DERIVED: i64 = -1;

/// Words after the name of an action, taken one by one.
pub struct Arguments<'a> {
    words: Vec<&'a [u8]>,
    taken: usize,
    /// How many ranks there are.
    pub ranks: u32,
    /// The length of an element where the action does not say.
    pub element: u64,
}

impl<'a> Arguments<'a> {
    /// Those of a line from which the name has been taken.
    pub fn new(line: &'a [u8], ranks: u32, element: u64) -> Self {
        Self { words: words(line).collect(), taken: 0, ranks, element }
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.words.len().saturating_sub(self.taken)
    }

    fn word(&mut self, what: &str) -> Parsed<&'a [u8]> {
        let word = self.words.get(self.taken).ok_or_else(|| format!("{what} is missing"))?;
        self.taken += 1;
        Ok(word)
    }

    /// A number from 0.
    pub fn real(&mut self, what: &str) -> Parsed<f64> {
        let word = self.word(what)?;
        real(word).ok_or_else(|| format!("{what} must be a number from 0, not {}", shown(word)))
    }

    /// A count: what is not whole is cut.
    pub fn count(&mut self, what: &str) -> Parsed<u64> {
        let number = self.real(what)?;
        // As large as any length, and far from the largest whole number.
        if number < 1e18 {
            Ok(number as u64)
        } else {
            Err(format!("{what} is too large: {number}"))
        }
    }

    /// A count, or none where it is below 0: it is not known beforehand.
    pub fn perhaps_count(&mut self, what: &str) -> Parsed<Option<u64>> {
        let is_negative = self.words.get(self.taken).is_some_and(|word| word.starts_with(b"-"));
        if !is_negative {
            return self.count(what).map(Some);
        }
        let word = self.word(what)?;
        real(&word[1..]).ok_or_else(|| format!("{what} must be a number, not {}", shown(word)))?;
        Ok(None)
    }

    /// A count for each rank.
    pub fn counts(&mut self, what: &str) -> Parsed<Vec<u64>> {
        let (ranks, left) = (self.ranks as usize, self.left());
        if left < ranks {
            let ranks = counted(self.ranks, "rank");
            return Err(format!("{what} are needed for each of {ranks}; there are {left}"));
        }
        (0..ranks).map(|_| self.count(what)).collect()
    }

    fn whole(&mut self, what: &str) -> Parsed<i64> {
        let word = self.word(what)?;
        let whole = signed(word).or_else(|| real(word).map(|number| number as i64));
        whole.ok_or_else(|| format!("{what} must be a whole number, not {}", shown(word)))
    }

    /// A rank that is there.
    pub fn rank(&mut self, what: &str) -> Parsed<u32> {
        let number = self.whole(what)?;
        self.checked(what, number)
    }

    fn checked(&self, what: &str, number: i64) -> Parsed<u32> {
        let ranks = self.ranks;
        let rank = u32::try_from(number).ok().filter(|&rank| rank < ranks);
        rank.ok_or_else(|| format!("{what} must be a rank, 0 to {}, not {number}", ranks - 1))
    }

    /// A rank, or none for any.
    pub fn source(&mut self, what: &str) -> Parsed<Option<u32>> {
        let number = self.whole(what)?;
        if ANY_SOURCE.contains(&number) {
            return Ok(None);
        }
        self.checked(what, number).map(Some)
    }

    /// A tag, or none for any.
    pub fn tag(&mut self) -> Parsed<Option<u32>> {
        let number = self.whole("the tag")?;
        if ANY_TAG.contains(&number) {
            return Ok(None);
        }
        let tag = u32::try_from(number).ok();
        tag.map(Some).ok_or_else(|| format!("the tag must be a whole number from 0, not {number}"))
    }

    /// The root, if it is given: else rank 0.
    pub fn root(&mut self) -> Parsed<u32> {
        if self.left() == 0 { Ok(0) } else { self.rank("the root") }
    }

    /// The length of an element, if its type is given: else the usual one.
    pub fn element(&mut self) -> Parsed<u64> {
        if self.left() == 0 {
            return Ok(self.element);
        }
        let number = self.whole("the datatype")?;
        if number == DERIVED {
            return Ok(1);
        }
        let length = u64::try_from(number).ok().and_then(datatypes::length);
        length.ok_or_else(|| format!("the datatype must be 0 to 54, not {number}"))
    }

    /// Nothing may be left.
    pub fn end(&self, action: &str) -> Parsed<()> {
        match self.words.get(self.taken) {
            None => Ok(()),
            Some(word) => Err(format!("{action} has an argument too many: {}", shown(word))),
        }
    }
}
