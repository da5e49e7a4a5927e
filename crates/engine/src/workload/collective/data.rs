//! What the messages of a collective carry.

use std::ops::Range;

/// What a message carries; how long it is follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// So many parts of what the collective is about, from one on; the first follows the last.
    Parts {
        /// The first part.
        first: u32,
        /// Their number.
        count: u32,
    },
    /// The block of one member for another.
    Block {
        /// Whose it is.
        from: u32,
        /// Whom it is for.
        to: u32,
    },
    /// The blocks that a member has for those whose distance from where the blocks come from
    /// has this bit [Bruck et al. 1997].
    Distances(u32),
}

/// Lengths of the blocks of one member of an all-to-all: sent to each member, and got from each.
pub type Rows = (Vec<u64>, Vec<u64>);

/// How what a collective is about is cut into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// So many bytes in equal parts, whole bytes each; the last may be shorter, or empty.
    Even {
        /// All of them.
        bytes: u64,
        /// The parts.
        parts: u32,
    },
    /// Parts of equal length.
    Equal {
        /// The bytes of each.
        bytes: u64,
        /// The parts.
        parts: u32,
    },
    /// Parts of any length: the bytes before each, and all.
    Each(Vec<u64>),
}

impl Layout {
    /// Parts of these lengths.
    pub fn each(sizes: &[u64]) -> Self {
        let mut before = 0;
        let sums = sizes.iter().map(|&size| {
            before += size;
            before
        });
        Self::Each(std::iter::once(0).chain(sums.collect::<Vec<_>>()).collect())
    }

    /// How many parts there are.
    pub fn parts(&self) -> u32 {
        match self {
            Self::Even { parts, .. } | Self::Equal { parts, .. } => *parts,
            Self::Each(before) => before.len() as u32 - 1,
        }
    }

    /// All parts.
    pub fn whole(&self) -> Data {
        Data::Parts { first: 0, count: self.parts() }
    }

    /// Bytes before a part.
    fn before(&self, part: u32) -> u64 {
        let place = u64::from(part);
        match self {
            Self::Even { bytes, parts } => {
                (bytes.div_ceil((*parts).into()).saturating_mul(place)).min(*bytes)
            }
            Self::Equal { bytes, .. } => bytes.saturating_mul(place),
            Self::Each(before) => before[part as usize],
        }
    }

    /// Bytes of so many parts from one on.
    pub fn bytes(&self, first: u32, count: u32) -> u64 {
        let (last, parts) = (first + count, self.parts());
        let range = |Range { start, end }: Range<u32>| self.before(end) - self.before(start);
        if last <= parts {
            range(first..last)
        } else {
            range(first..parts) + range(0..last - parts)
        }
    }
}

/// Those of the numbers from 1 to `n` - 1 that have a bit.
pub fn with_bit(n: u32, bit: u32) -> impl Iterator<Item = u32> {
    (1..n).filter(move |distance| distance >> bit & 1 == 1)
}
