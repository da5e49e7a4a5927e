//! Messages of ranks that are under way, and in which order their receivers see them.

use super::operation::Envelope;
use super::slab::{NOWHERE, Slab};
use crate::mixed::Mixed;
use std::ops::{Index, IndexMut};

/// Messages that have been sent and are not done with, each at a place.
///
/// What a rank sends to another within a communicator that one sees in the order of sending: what
/// has overtaken others on its way waits until they are there.
#[derive(Default)]
pub struct Letters {
    letters: Slab<Letter>,
    /// Those of a pair of ranks that their receiver has not seen.
    unseen: Mixed<Pair, Unseen>,
}

/// A message under way.
#[derive(Clone, Copy)]
pub struct Letter {
    /// The rank that sends it.
    pub from: u32,
    /// What it is known by.
    pub envelope: Envelope,
    /// How far it has come.
    pub stage: Stage,
    /// The operation that sends it, and the one that receives it.
    pub send: u32,
    pub receive: u32,
    /// Whether it is at its receiver, who has not seen it.
    is_there: bool,
    /// Whether one of its two ends is done with it.
    is_half_done: bool,
    /// The one sent after it by the same rank to the same.
    next: u32,
}

/// What of a message is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// All of it.
    Eager,
    /// The question whether it may be sent.
    Asks,
    /// The answer.
    Cleared,
    /// Its data, which its receiver is ready for.
    Data,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    from: u32,
    to: u32,
    context: u32,
}

#[derive(Clone, Copy)]
struct Unseen {
    first: u32,
    last: u32,
}

impl Letter {
    fn pair(&self) -> Pair {
        Pair { from: self.from, to: self.envelope.to, context: self.envelope.context }
    }
}

impl Letters {
    /// A rank sends a message by an operation; its place.
    pub fn send(&mut self, from: u32, envelope: Envelope, send: u32, stage: Stage) -> u32 {
        let letter = Letter {
            from,
            envelope,
            stage,
            send,
            receive: NOWHERE,
            is_there: false,
            is_half_done: false,
            next: NOWHERE,
        };
        let place = self.letters.insert(letter);
        let mut behind = NOWHERE;
        let unseen = self.unseen.entry(letter.pair());
        unseen
            .and_modify(|unseen| behind = std::mem::replace(&mut unseen.last, place))
            .or_insert(Unseen { first: place, last: place });
        if behind != NOWHERE {
            self.letters[behind].next = place;
        }
        place
    }

    /// A message is at its receiver: appends to `seen` those that the receiver now sees, in the
    /// order of sending.
    pub fn comes(&mut self, place: u32, seen: &mut Vec<u32>) {
        self.letters[place].is_there = true;
        let pair = self.letters[place].pair();
        let Some(unseen) = self.unseen.get_mut(&pair) else { return };
        while unseen.first != NOWHERE && self.letters[unseen.first].is_there {
            seen.push(unseen.first);
            unseen.first = self.letters[unseen.first].next;
        }
        if unseen.first == NOWHERE {
            self.unseen.remove(&pair);
        }
    }

    /// Both ends of a message are done with it.
    pub fn remove(&mut self, place: u32) {
        self.letters.remove(place);
    }

    /// One end of a message is done with it.
    pub fn is_done_at_an_end(&mut self, place: u32) {
        if std::mem::replace(&mut self.letters[place].is_half_done, true) {
            self.letters.remove(place);
        }
    }
}

impl Index<u32> for Letters {
    type Output = Letter;

    #[inline]
    fn index(&self, place: u32) -> &Letter {
        &self.letters[place]
    }
}

impl IndexMut<u32> for Letters {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut Letter {
        &mut self.letters[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_pair_are_seen_in_the_order_of_sending() {
        let mut letters = Letters::default();
        let to = |to, context| Envelope { to, bytes: 1, tag: 0, context };
        let mut send = |envelope| letters.send(0, envelope, 0, Stage::Eager);
        let [a, b, c] = [send(to(1, 0)), send(to(1, 0)), send(to(1, 0))];
        let (other_rank, other_context) = (send(to(2, 0)), send(to(1, 1)));
        let mut comes = |place| {
            let mut seen = Vec::new();
            letters.comes(place, &mut seen);
            seen
        };
        assert_eq!((comes(c), comes(other_rank)), (vec![], vec![other_rank]));
        assert_eq!(comes(a), [a]);
        assert_eq!((comes(other_context), comes(b)), (vec![other_context], vec![b, c]));
        assert!(letters.unseen.is_empty());
    }
}
