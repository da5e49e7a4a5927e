//! Storage in pieces, whose places are reused.

use std::ops::{Index, IndexMut};

/// Places in a piece, as a power of two.
const PIECE_BITS: u32 = 12;
/// Names no place.
pub const NOWHERE: u32 = u32::MAX;

/// Things that come and go, each at a place while it is there.
///
/// Unlike a [`Pool`](crate::pool::Pool) it grows by pieces of equal size: it never needs the old and
/// the new storage at a time, nor has as much room to spare as it holds. A trace with all of its
/// operations in flight is as large as memory allows.
pub struct Slab<T> {
    pieces: Vec<Vec<T>>,
    free: Vec<u32>,
    /// Places that have been made.
    made: u32,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), free: Vec::new(), made: 0 }
    }
}

impl<T: Copy> Slab<T> {
    /// Stores something; its place.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self[place] = item;
            return place;
        }
        let place = self.made;
        if place.trailing_zeros() >= PIECE_BITS {
            self.pieces.push(Vec::with_capacity(1 << PIECE_BITS));
        }
        self.pieces[(place >> PIECE_BITS) as usize].push(item);
        self.made += 1;
        place
    }

    /// Takes out what is stored at a place.
    #[inline]
    pub fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self[place]
    }

    /// How many are stored now.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.made as usize - self.free.len()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.pieces[(place >> PIECE_BITS) as usize][(place & ((1 << PIECE_BITS) - 1)) as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.pieces[(place >> PIECE_BITS) as usize][(place & ((1 << PIECE_BITS) - 1)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_reused_and_more_are_made_when_none_is_free() {
        let mut slab = Slab::default();
        let count = 3 << PIECE_BITS;
        for item in 0..count {
            assert_eq!(slab.insert(item), item);
        }
        assert_eq!((slab.remove(7), slab.remove(5000)), (7, 5000));
        assert_eq!(slab.len(), count as usize - 2);
        assert_eq!((slab.insert(1), slab.insert(2), slab.insert(3)), (5000, 7, count));
        assert_eq!((slab[5000], slab[7], slab[count], slab[8]), (1, 2, 3, 8));
    }
}
