//! Whose turn it is, of those that one side of an allocator may choose.

use super::{after, behind};

/// By chooser: who comes first of equals.
#[derive(Clone)]
pub enum Turns {
    /// The first at or behind a pointer, which goes behind whoever was chosen.
    RoundRobin {
        /// By chooser: the pointer.
        from: Vec<u32>,
        /// How many there are to choose from.
        count: u32,
    },
    /// Who was chosen least recently: what a matrix arbiter does [Dally & Towles 2004, chapter 18].
    LeastRecent {
        /// By chooser, then by number: how many come before it.
        ranks: Vec<u16>,
        /// How many there are to choose from.
        count: u32,
    },
}

impl Turns {
    /// Of so many choosers, each among so many.
    pub fn new(least_recent: bool, choosers: usize, count: usize) -> Self {
        if least_recent {
            let ranks = (0..choosers).flat_map(|_| 0..count as u16).collect();
            return Self::LeastRecent { ranks, count: count as u32 };
        }
        Self::RoundRobin { from: vec![0; choosers], count: count as u32 }
    }

    /// How many come before a number.
    #[inline]
    pub fn rank(&self, chooser: u32, number: u32) -> u32 {
        match self {
            Self::RoundRobin { from, count } => behind(from[chooser as usize], number, *count),
            Self::LeastRecent { ranks, count } => ranks[(chooser * count + number) as usize].into(),
        }
    }

    /// A number was chosen: all others come before it.
    #[inline]
    pub fn chosen(&mut self, chooser: u32, number: u32) {
        if let Self::RoundRobin { count, .. } = self {
            let next = after(number, *count);
            return self.chosen_before(chooser, number, next);
        }
        self.chosen_before(chooser, number, number);
    }

    /// The same, where those of whom the chooser chooses are not all numbers: the pointer goes to
    /// `next`.
    #[inline]
    pub fn chosen_before(&mut self, chooser: u32, number: u32, next: u32) {
        match self {
            Self::RoundRobin { from, .. } => from[chooser as usize] = next,
            Self::LeastRecent { ranks, count } => {
                let first = (chooser * *count) as usize;
                let ranks = &mut ranks[first..first + *count as usize];
                let rank = ranks[number as usize];
                for other in ranks.iter_mut().filter(|other| **other > rank) {
                    *other -= 1;
                }
                ranks[number as usize] = *count as u16 - 1;
            }
        }
    }
}
