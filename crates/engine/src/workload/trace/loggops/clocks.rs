//! When the CPUs and network interfaces of ranks are free.

use crate::time::Time;

/// Clocks of all ranks, each of which has as many as the highest number that was asked for.
pub struct Clocks {
    times: Vec<Time>,
    ranks: usize,
    /// How many each rank has.
    each: usize,
}

impl Clocks {
    /// One for each rank, at 0.
    pub fn new(ranks: u32) -> Self {
        Self { times: vec![0; ranks as usize], ranks: ranks as usize, each: 1 }
    }

    /// Sees to it that every rank has a clock of this number.
    #[inline]
    pub fn reach(&mut self, number: u8) {
        if usize::from(number) >= self.each {
            self.widen(usize::from(number) + 1);
        }
    }

    #[cold]
    fn widen(&mut self, each: usize) {
        let mut times = vec![0; self.ranks * each];
        for (new, old) in times.chunks_mut(each).zip(self.times.chunks(self.each)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.times, self.each) = (times, each);
    }

    /// A clock of a rank.
    #[inline]
    pub fn of(&mut self, rank: u32, number: u8) -> &mut Time {
        &mut self.times[rank as usize * self.each + usize::from(number)]
    }

    /// The latest clock of a rank.
    pub fn latest(&self, rank: u32) -> Time {
        let first = rank as usize * self.each;
        self.times[first..first + self.each].iter().copied().max().unwrap_or(0)
    }
}
