//! Times of consecutive flits as stretches of equal spacing, in rings that share
//! one allocation.

use crate::time::Time;

/// Flits from number `first` on start at `at`, `at + spacing`, ….
///
/// How many they are follows from where the next stretch begins. Numbers wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// When its first flit starts.
    pub at: Time,
    /// The number of its first flit.
    pub first: u32,
    /// The time between two of its flits.
    pub spacing: u32,
}

impl Stretch {
    /// The time of a flit.
    #[inline]
    pub fn time(&self, number: u32) -> Time {
        self.at + u64::from(self.spacing) * u64::from(number.wrapping_sub(self.first))
    }
}

/// A queue of stretches, by flit number; its contents lie in [`Stretches`].
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Block of 2^[`LOG2_SMALLEST`] places it begins at, and log2 of its places.
    block: u32,
    head: u32,
    len: u32,
}

const LOG2_BITS: u32 = 5;
const LOG2_SMALLEST: u32 = 2;
/// The block of a ring that has never held anything.
const NO_BLOCK: u32 = u32::MAX;

impl Default for Ring {
    fn default() -> Self {
        Self { block: NO_BLOCK, head: 0, len: 0 }
    }
}

impl Ring {
    #[inline]
    fn log2(self) -> u32 {
        self.block & ((1 << LOG2_BITS) - 1)
    }

    #[inline]
    fn capacity(self) -> usize {
        if self.block == NO_BLOCK { 0 } else { 1 << self.log2() }
    }

    #[inline]
    fn mask(self) -> usize {
        (1 << self.log2()) - 1
    }

    #[inline]
    fn place(self, index: usize) -> usize {
        let start = (self.block >> LOG2_BITS << LOG2_SMALLEST) as usize;
        start + ((self.head as usize + index) & self.mask())
    }

    /// How many stretches it holds.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Drops all stretches.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

/// The contents of all rings.
#[derive(Clone, Default)]
pub struct Stretches {
    places: Vec<Stretch>,
    /// Blocks that rings have outgrown, by log2 of their places.
    outgrown: [Vec<u32>; 32],
}

impl Stretches {
    /// One of a ring's stretches.
    #[inline]
    pub fn get(&self, ring: Ring, index: usize) -> Stretch {
        self.places[ring.place(index)]
    }

    /// The last of a ring's stretches, which must not be empty.
    #[inline]
    pub fn last(&self, ring: Ring) -> Stretch {
        self.get(ring, ring.len() - 1)
    }

    /// Adds a stretch; if it goes on as the last one does, that one becomes longer.
    #[inline]
    pub fn push(&mut self, ring: &mut Ring, stretch: Stretch) {
        if ring.len > 0 {
            let last = self.last(*ring);
            if last.spacing == stretch.spacing && last.time(stretch.first) == stretch.at {
                return;
            }
        }
        if ring.len() == ring.capacity() {
            self.grow(ring);
        }
        ring.len += 1;
        let place = ring.place(ring.len() - 1);
        self.places[place] = stretch;
    }

    /// How many stretches begin at or before flit `number`.
    #[inline]
    pub fn begun(&self, ring: Ring, number: u32) -> usize {
        let mut count = 0;
        while count < ring.len() && is_reached(self.get(ring, count).first, number) {
            count += 1;
        }
        count
    }

    /// Drops stretches from the front as long as the one behind allows it.
    #[inline]
    pub fn drop_while(&self, ring: &mut Ring, is_enough: impl Fn(Stretch) -> bool) {
        while ring.len() > 1 && is_enough(self.get(*ring, 1)) {
            ring.head = ((ring.head as usize + 1) & ring.mask()) as u32;
            ring.len -= 1;
        }
    }

    #[cold]
    fn grow(&mut self, ring: &mut Ring) {
        if ring.block == NO_BLOCK {
            ring.block = self.block(LOG2_SMALLEST);
            return;
        }
        let log2 = ring.log2();
        let mut larger = Ring { block: self.block(log2 + 1), head: 0, len: ring.len };
        for index in 0..ring.len() {
            let place = larger.place(index);
            self.places[place] = self.get(*ring, index);
        }
        self.outgrown[log2 as usize].push(ring.block);
        std::mem::swap(ring, &mut larger);
    }

    /// A block of 2^`log2` places.
    fn block(&mut self, log2: u32) -> u32 {
        self.outgrown[log2 as usize].pop().unwrap_or_else(|| {
            let start = self.places.len();
            self.places.resize(start + (1 << log2), Stretch::default());
            ((start >> LOG2_SMALLEST) as u32) << LOG2_BITS | log2
        })
    }
}

/// Whether flit `number` is at or after flit `first`; numbers wrap around.
#[inline]
pub fn is_reached(first: u32, number: u32) -> bool {
    number.wrapping_sub(first).cast_signed() >= 0
}
