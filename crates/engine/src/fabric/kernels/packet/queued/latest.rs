//! Which packets of one input wait for the same output, where all who wait for it stand in one queue.
//!
//! Of each output that packets of an input wait for, the last of them is on a list of the input. A place looks
//! when the first packet of an input joins a queue, not with every further one.

use crate::ids::{ChannelId, PacketId};

/// A packet that waits.
#[derive(Clone, Copy)]
struct Waiting {
    /// The output it waits for.
    lead: ChannelId,
    /// If it is the last of its input there: the next such packet of the input.
    next: PacketId,
    /// Whether another of its input waits behind it.
    has_behind: bool,
}

/// By place in the pool of packets, those that wait.
#[derive(Clone, Default)]
pub struct Latest {
    all: Vec<Waiting>,
}

impl Latest {
    /// A packet waits for an output; `first`: the first on the list of its input. Whether no other of its input
    /// does.
    #[inline]
    pub fn join(&mut self, first: &mut PacketId, id: PacketId, lead: ChannelId) -> bool {
        if self.all.len() <= id.index() {
            let nothing = Waiting { lead, next: PacketId::NONE, has_behind: false };
            self.all.resize(id.index() + 1, nothing);
        }
        let (mut before, mut at) = (PacketId::NONE, *first);
        while at.is_some() && self.all[at.index()].lead != lead {
            (before, at) = (at, self.all[at.index()].next);
        }
        let is_new = !at.is_some();
        let next = if is_new { *first } else { self.all[at.index()].next };
        self.all[id.index()] = Waiting { lead, next, has_behind: false };
        if !is_new {
            self.all[at.index()].has_behind = true;
        }
        if before.is_some() && !is_new {
            self.all[before.index()].next = id;
        } else {
            *first = id;
        }
        is_new
    }

    /// The first packet of an input that waits for an output leaves it; whether another does.
    #[inline]
    pub fn leave(&mut self, first: &mut PacketId, id: PacketId) -> bool {
        let Waiting { next, has_behind, .. } = self.all[id.index()];
        if has_behind {
            return true;
        }
        if *first == id {
            *first = next;
            return false;
        }
        let mut before = *first;
        while before.is_some() && self.all[before.index()].next != id {
            before = self.all[before.index()].next;
        }
        if before.is_some() {
            self.all[before.index()].next = next;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_who_is_the_first_and_the_last_of_its_input() {
        let mut latest = Latest::default();
        let mut first = PacketId::NONE;
        let joins = [(0, 5), (1, 6), (2, 5), (3, 7), (4, 6), (5, 6)];
        let new = joins.map(|(id, lead)| latest.join(&mut first, PacketId(id), ChannelId(lead)));
        assert_eq!(new, [true, true, false, true, false, false]);
        let more = [1, 0, 3, 4, 2, 5].map(|id| latest.leave(&mut first, PacketId(id)));
        assert_eq!(more, [true, true, false, true, false, false]);
        assert!(!first.is_some());
    }
}
