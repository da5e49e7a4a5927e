//! Labels of operations in GOAL text.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A label: letters, and perhaps a number at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    letters: &'a [u8],
    /// None: `u32::MAX`.
    number: u32,
}

impl<'a> Label<'a> {
    /// A word as a label; none if it cannot be one.
    pub fn new(word: &'a [u8]) -> Option<Self> {
        let is_label = word.first()?.is_ascii_alphabetic() && !word.contains(&b'-');
        let digits = word.iter().rev().take_while(|letter| letter.is_ascii_digit()).count();
        let (letters, digits) = word.split_at(word.len() - digits);
        let has_number = !digits.is_empty() && digits.len() < 10;
        let number = if has_number && (digits[0] != b'0' || digits.len() == 1) {
            digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'))
        } else {
            return is_label.then_some(Self { letters: word, number: u32::MAX });
        };
        is_label.then_some(Self { letters, number })
    }

    /// It as it was written.
    pub fn text(&self) -> String {
        let letters = String::from_utf8_lossy(self.letters);
        if self.number == u32::MAX { letters.into() } else { format!("{letters}{}", self.number) }
    }
}

/// The operations that labels of a rank stand for.
#[derive(Default)]
pub struct Labels {
    /// Numbers of the letters.
    letters: HashMap<Vec<u8>, u32>,
    latest: (Vec<u8>, u32),
    operations: HashMap<u64, u32, BuildHasherDefault<Mix>>,
}

impl Labels {
    /// A label stands for an operation, unless it stands for one already.
    pub fn define(&mut self, label: Label<'_>, operation: u32) {
        let known = self.number(label.letters);
        let letters = known.unwrap_or_else(|| {
            let number = self.letters.len() as u32;
            self.letters.insert(label.letters.into(), number);
            number
        });
        self.operations.entry(key(letters, label.number)).or_insert(operation);
    }

    /// The operation that a label stands for.
    pub fn find(&mut self, label: Label<'_>) -> Option<u32> {
        let letters = self.number(label.letters)?;
        self.operations.get(&key(letters, label.number)).copied()
    }

    /// The number of letters; most labels have the same as the one before.
    fn number(&mut self, letters: &[u8]) -> Option<u32> {
        if self.latest.0 == letters && !letters.is_empty() {
            return Some(self.latest.1);
        }
        let number = *self.letters.get(letters)?;
        self.latest.0.clear();
        self.latest.0.extend_from_slice(letters);
        self.latest.1 = number;
        Some(number)
    }
}

fn key(letters: u32, number: u32) -> u64 {
    u64::from(letters) << 32 | u64::from(number)
}

/// A hash of one number: enough for keys that nobody chooses to collide at a cost to others.
#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_differ_if_their_texts_do() {
        let texts = ["l1", "l01", "l1a", "l", "l10", "k1", "l0", "l00", "l4294967296", "a_1"];
        let mut labels = Labels::default();
        for (number, text) in texts.iter().enumerate() {
            labels.define(Label::new(text.as_bytes()).unwrap(), number as u32);
        }
        for (number, text) in texts.iter().enumerate() {
            let label = Label::new(text.as_bytes()).unwrap();
            assert_eq!((label.text().as_str(), labels.find(label)), (*text, Some(number as u32)));
        }
        assert_eq!(labels.find(Label::new(b"l2").unwrap()), None);
        assert_eq!(labels.find(Label::new(b"x2").unwrap()), None);
        assert!(Label::new(b"1l").is_none() && Label::new(b"").is_none());
    }

    #[test]
    fn the_first_of_equal_labels_holds() {
        let mut labels = Labels::default();
        let label = Label::new(b"l1").unwrap();
        labels.define(label, 3);
        labels.define(label, 4);
        assert_eq!(labels.find(label), Some(3));
    }
}
