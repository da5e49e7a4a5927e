//! Those who ask and may have got a chance at this instant, in their order.

use crate::ids::PacketId;
use crate::time::Time;

/// One who asks, by its place in the order: whether others have priority, when it asked (0 where
/// that does not count), then when it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Whether it is data, where acknowledgements have priority.
    pub gives_way: bool,
    /// When it asked.
    pub asked: Time,
    /// When it was queued.
    pub queued: Time,
    /// How many packets were queued before it.
    pub serial: u32,
    /// The packet.
    pub id: PacketId,
}

/// The list; nobody is in it twice.
#[derive(Clone, Default)]
pub struct Agenda {
    /// The first at the end.
    entries: Vec<Entry>,
}

impl Agenda {
    /// Whether nobody is to be looked at.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds one, if it is not there.
    #[inline]
    pub fn add(&mut self, entry: Entry) {
        let place = self.entries.partition_point(|other| *other > entry);
        if self.entries.get(place) != Some(&entry) {
            self.entries.insert(place, entry);
        }
    }

    /// Takes one out, if it is there.
    pub fn remove(&mut self, entry: Entry) {
        self.entries.retain(|other| *other != entry);
    }

    /// Takes out the first.
    #[inline]
    pub fn take_first(&mut self) -> Option<PacketId> {
        self.entries.pop().map(|entry| entry.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_asked_first_come_first_and_of_those_the_oldest() {
        let entry = |asked, queued, serial| {
            let gives_way = serial == 9;
            Entry { gives_way, asked, queued, serial, id: PacketId(serial) }
        };
        let mut agenda = Agenda::default();
        for (asked, queued, serial) in
            [(7, 3, 1), (5, 4, 2), (5, 4, 8), (1, 1, 9), (5, 2, 5), (7, 3, 1)]
        {
            agenda.add(entry(asked, queued, serial));
        }
        agenda.remove(entry(5, 4, 8));
        let order: Vec<_> = std::iter::from_fn(|| agenda.take_first()).map(|id| id.0).collect();
        assert_eq!(order, [5, 2, 1, 9]);
    }
}
