//! The channels that a packet has crossed, beside what else is kept of it.
//!
//! A log of turns is larger than a cache: whoever follows a packet should not have to look for its hops elsewhere.

use crate::ids::ChannelId;
use std::ops::Index;

/// A channel that has been crossed, and the number of the turn there.
pub type Crossed = (ChannelId, u32);

/// So many hops are kept beside the packet, those of longer routes elsewhere.
const NEAR: usize = 8;

/// The channels that a packet has crossed, in order.
#[derive(Clone, Debug)]
pub struct Hops {
    count: u32,
    near: [Crossed; NEAR],
    /// Those after the first.
    others: Option<Box<Others>>,
}

/// The hops of a long route.
#[derive(Clone, Debug, Default)]
struct Others(Vec<Crossed>);

impl Default for Hops {
    fn default() -> Self {
        Self { count: 0, near: [(ChannelId::NONE, 0); NEAR], others: None }
    }
}

impl Hops {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// None has been crossed any more.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
        if let Some(others) = &mut self.others {
            others.0.clear();
        }
    }

    /// Another one has been crossed.
    #[inline]
    pub fn push(&mut self, crossed: Crossed) {
        if let Some(near) = self.near.get_mut(self.count as usize) {
            *near = crossed;
        } else {
            self.others.get_or_insert_default().0.push(crossed);
        }
        self.count += 1;
    }

    /// The one of a number.
    #[inline]
    pub fn get(&self, hop: usize) -> Option<&Crossed> {
        if hop >= self.count as usize {
            return None;
        }
        match self.near.get(hop) {
            Some(near) => Some(near),
            None => self.others.as_ref()?.0.get(hop - NEAR),
        }
    }

    /// The first.
    #[inline]
    pub fn first(&self) -> Option<&Crossed> {
        self.get(0)
    }

    /// The last.
    #[inline]
    pub fn last(&self) -> Option<&Crossed> {
        self.get(self.len().wrapping_sub(1))
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Crossed> {
        let near = self.near[..self.len().min(NEAR)].iter();
        near.chain(self.others.iter().flat_map(|others| &others.0))
    }
}

impl Index<usize> for Hops {
    type Output = Crossed;

    #[inline]
    fn index(&self, hop: usize) -> &Crossed {
        self.get(hop).expect("a hop of the packet")
    }
}

#[cfg(test)]
mod tests {
    use super::{ChannelId, Hops, NEAR};

    #[test]
    fn hops_of_a_long_route_are_in_their_order() {
        let mut hops = Hops::default();
        for count in [3, NEAR, 3 * NEAR, 1] {
            hops.clear();
            assert_eq!((hops.len(), hops.first(), hops.last()), (0, None, None));
            let all: Vec<_> = (0..count as u32).map(|hop| (ChannelId(hop), 7 * hop)).collect();
            all.iter().for_each(|&hop| hops.push(hop));
            assert_eq!(hops.iter().copied().collect::<Vec<_>>(), all);
            assert!(hops.iter().rev().eq(all.iter().rev()));
            assert_eq!((hops.len(), hops.first(), hops.last()), (count, all.first(), all.last()));
            assert!((0..=count).all(|hop| hops.get(hop) == all.get(hop)));
            assert_eq!(hops[count - 1], all[count - 1]);
        }
    }
}
