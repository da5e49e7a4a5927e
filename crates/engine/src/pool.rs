//! Storage whose places are reused.

use crate::ids::Id;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Things that come and go, each at a place named by an id while it is there.
///
/// The place left last is reused first: it is likely to be in the cache.
pub struct Pool<I, T> {
    items: Vec<T>,
    free: Vec<I>,
    inserted: u64,
    ids: PhantomData<I>,
}

impl<I, T> Default for Pool<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: Vec::new(), inserted: 0, ids: PhantomData }
    }
}

impl<I: Id, T: Copy> Pool<I, T> {
    /// Stores what `make` makes of its serial number: how many came before it.
    #[inline]
    pub fn insert(&mut self, make: impl FnOnce(u64) -> T) -> I {
        let item = make(self.inserted);
        self.inserted += 1;
        if let Some(id) = self.free.pop() {
            self[id] = item;
            id
        } else {
            self.items.push(item);
            I::from_index(self.items.len() - 1)
        }
    }

    /// Takes out what is stored at a place.
    #[inline]
    pub fn remove(&mut self, id: I) -> T {
        self.free.push(id);
        self[id]
    }

    /// How many are stored now.
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// Whether none is stored now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every place, those included whose contents have been taken out.
    pub fn places(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Index<I> for Pool<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Pool<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PacketId;

    #[test]
    fn places_are_reused_and_serial_numbers_are_not() {
        let mut pool: Pool<PacketId, u64> = Pool::default();
        let first = pool.insert(|serial| serial);
        let second = pool.insert(|serial| serial);
        assert_eq!((pool[first], pool[second], pool.len()), (0, 1, 2));
        assert_eq!(pool.remove(first), 0);
        assert_eq!(pool.len(), 1);
        assert_eq!(pool.insert(|serial| serial), first);
        assert_eq!((pool[first], pool.places()), (2, &[2, 1][..]));
    }
}
