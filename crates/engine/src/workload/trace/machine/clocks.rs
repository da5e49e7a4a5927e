//! What is known of the CPUs and network interfaces of ranks, such as when they are free.

/// Clocks of all ranks, each of which has as many as the highest number that was asked for.
pub struct Clocks<T> {
    all: Vec<T>,
    /// What is known of one of which nobody has asked.
    unused: T,
    ranks: usize,
    /// How many each rank has.
    each: usize,
}

impl<T: Copy> Clocks<T> {
    /// One for each rank, unused.
    pub fn new(ranks: u32, unused: T) -> Self {
        Self { all: vec![unused; ranks as usize], unused, ranks: ranks as usize, each: 1 }
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
        let mut all = vec![self.unused; self.ranks * each];
        for (new, old) in all.chunks_mut(each).zip(self.all.chunks(self.each)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.all, self.each) = (all, each);
    }

    /// A clock of a rank.
    #[inline]
    pub fn of(&mut self, rank: u32, number: u8) -> &mut T {
        &mut self.all[rank as usize * self.each + usize::from(number)]
    }

    /// All of a rank.
    pub fn all(&self, rank: u32) -> &[T] {
        let first = rank as usize * self.each;
        &self.all[first..first + self.each]
    }
}
