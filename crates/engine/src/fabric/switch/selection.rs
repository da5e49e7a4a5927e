//! Which of several free outputs a packet takes.
//!
//! Routing says which outputs are allowed, in tiers; the fidelity says which of them are
//! free. Of the free ones in the best tier one is selected here.

use crate::ids::{ChannelId, SwitchId};
use crate::rng::{Key, Purpose, Stream};
use crate::spec::Selection;

/// A free output.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    /// The channel the packet would get.
    pub channel: ChannelId,
    /// Packets in the buffer at its end, or on the way there, that have not been granted
    /// their next channel.
    pub waiting: u32,
    /// Tokens that may still start, as far as that buffer goes.
    pub room: u32,
}

/// The selection of all switches.
#[derive(Clone)]
pub struct Selector {
    selection: Selection,
    seed: Key,
    /// The free outputs at hand, in the order in which routing names them.
    free: Vec<Free>,
}

impl Selector {
    /// The selector of a machine.
    pub fn new(selection: Selection, seed: u64) -> Self {
        Self { selection, seed: Key::of(seed), free: Vec::new() }
    }

    /// Whether it matters how many packets wait behind an output, or how much room there is.
    #[inline]
    pub fn compares(&self) -> bool {
        matches!(self.selection, Selection::FewestWaiting | Selection::MostCredit)
    }

    /// A further output is free. Whether it is taken, whatever others are: then no more is to be
    /// offered, or taken.
    #[inline]
    pub fn offer(&mut self, free: Free) -> bool {
        if self.selection == Selection::First && free.room > 0 {
            self.free.clear();
            return true;
        }
        self.free.push(free);
        false
    }

    /// Takes one of the free outputs: of equally good ones the first. Outputs without
    /// room are taken only if none has any. `packet`: what the packet draws by
    /// ([`PacketPool::drawn_by`](crate::fabric::transit::PacketPool::drawn_by)).
    pub fn take(&mut self, switch: SwitchId, packet: impl FnOnce() -> u64) -> Option<ChannelId> {
        if self.free.iter().any(|free| free.room > 0) {
            self.free.retain(|free| free.room > 0);
        }
        let free = &self.free;
        let best = match self.selection {
            Selection::First => free.first(),
            Selection::Random if free.is_empty() => None,
            Selection::Random => {
                let key = self.seed.and(switch.0.into()).and(packet());
                let place = Stream::keyed(Purpose::Selection, key).below(free.len() as u64);
                free.get(place as usize)
            }
            Selection::FewestWaiting => free.iter().min_by_key(|free| free.waiting),
            // The last of the largest would be taken: reversed, it is the first.
            Selection::MostCredit => free.iter().rev().max_by_key(|free| free.room),
        };
        let taken = best.map(|free| free.channel);
        self.free.clear();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(selection: Selection, outputs: &[(u32, u32)]) -> Option<u32> {
        let mut selector = Selector::new(selection, 7);
        let free = |(number, &(waiting, room)): (usize, &(u32, u32))| Free {
            channel: ChannelId(number as u32),
            waiting,
            room,
        };
        selector.free.extend(outputs.iter().enumerate().map(free));
        selector.take(SwitchId(0), || 1).map(|channel| channel.0)
    }

    /// What a packet takes of five at each of two switches, and after a further hop: all equally
    /// likely, and independent of each other.
    #[test]
    fn free_outputs_are_equally_likely_at_every_place() {
        let mut selector = Selector::new(Selection::Random, 7);
        let mut taken = |switch, packet: u64, hops: u64| {
            let free =
                (0..5).map(|channel| Free { channel: ChannelId(channel), waiting: 0, room: 1 });
            selector.free.extend(free);
            selector.take(SwitchId(switch), || packet << 16 | hops).unwrap().0 as usize
        };
        let mut pairs = [[0_u32; 25]; 2];
        for packet in 0..25_000 {
            let first = 5 * taken(0, packet, 2);
            pairs[0][first + taken(1, packet, 2)] += 1;
            pairs[1][first + taken(0, packet, 3)] += 1;
        }
        for pairs in pairs {
            // Of 24 degrees of freedom: mean 24, standard deviation 6.9.
            let chi: f64 = pairs.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
            assert!((5.0..60.0).contains(&chi), "{chi}: {pairs:?}");
        }
    }

    #[test]
    fn the_best_is_taken_and_of_equals_the_first() {
        let outputs = [(3, 0), (2, 5), (1, 9), (1, 9), (0, 0)];
        assert_eq!(taken(Selection::First, &outputs), Some(1));
        assert_eq!(taken(Selection::FewestWaiting, &outputs), Some(2));
        assert_eq!(taken(Selection::MostCredit, &outputs), Some(2));
        assert!((1..=3).contains(&taken(Selection::Random, &outputs).unwrap()));
        assert_eq!(taken(Selection::First, &[(3, 0), (2, 0)]), Some(0));
        assert_eq!(taken(Selection::Random, &[]), None);
    }
}
