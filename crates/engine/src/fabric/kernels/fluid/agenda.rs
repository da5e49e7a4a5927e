//! When something next happens to each of many: a tree of which every node is the earlier of two.

use crate::time::{NEVER, Time};

/// An instant for each slot, the earliest of which is at hand.
///
/// Changing one costs the logarithm of the number of slots; of equal instants the lowest slot
/// comes first.
#[derive(Clone)]
pub struct Agenda {
    /// From 1 on: the earlier of the two at twice the place; from `slots` on the slots' own.
    times: Vec<Time>,
    slots: usize,
}

impl Agenda {
    /// Nothing happens to anybody.
    pub fn new() -> Self {
        Self { times: vec![NEVER; 2], slots: 1 }
    }

    /// The earliest instant, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        self.times[1]
    }

    /// The lowest slot whose instant that is.
    pub fn first(&self) -> u32 {
        let mut place = 1;
        while place < self.slots {
            place = 2 * place + usize::from(self.times[2 * place] > self.times[1]);
        }
        (place - self.slots) as u32
    }

    /// A slot has another instant.
    pub fn set(&mut self, slot: u32, time: Time) {
        while self.slots <= slot as usize {
            self.grow();
        }
        let mut place = self.slots + slot as usize;
        self.times[place] = time;
        while place > 1 {
            place /= 2;
            let earlier = self.times[2 * place].min(self.times[2 * place + 1]);
            if self.times[place] == earlier {
                return;
            }
            self.times[place] = earlier;
        }
    }

    /// Twice as many slots.
    fn grow(&mut self) {
        let own = self.times.split_off(self.slots);
        self.slots *= 2;
        self.times = vec![NEVER; 2 * self.slots];
        self.times[self.slots..self.slots + own.len()].copy_from_slice(&own);
        for place in (1..self.slots).rev() {
            self.times[place] = self.times[2 * place].min(self.times[2 * place + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn agrees_with_a_search() {
        let mut random = Stream::new(1, Purpose::Start, 0);
        let (mut agenda, mut plain) = (Agenda::new(), vec![NEVER; 70]);
        for _ in 0..20_000 {
            let slot = random.below(70);
            let time = [NEVER, random.below(50)][random.below(2) as usize];
            agenda.set(slot as u32, time);
            plain[slot as usize] = time;
            let first = plain.iter().min().unwrap();
            assert_eq!(agenda.next_time(), *first);
            if *first < NEVER {
                let place = plain.iter().position(|time| time == first);
                assert_eq!(Some(agenda.first() as usize), place);
            }
        }
    }
}
