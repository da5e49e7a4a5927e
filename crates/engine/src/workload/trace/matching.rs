//! Which receive takes which message: by source, tag and communicator, the oldest first.
//!
//! A receive takes the oldest message that it may, a message goes to the oldest receive that may
//! take it. What waits is found by what it is known by, however much of it there is: a receive is
//! kept under its filter, of which four kinds may take a given message. A message is kept under its
//! exact source and tag, and under the other three kinds of filters as soon as its receiver has
//! posted a receive of that kind. So nothing is ever searched.

use super::operation::{Envelope, Filter};
use super::slab::{NOWHERE, Slab};
use crate::mixed::Mixed;

/// Kinds of filters: by source and tag, by tag, by source, by neither.
const KINDS: usize = 4;
/// The list of all messages of a rank, among the lists that a message is in.
const ALL: usize = KINDS;

/// The posted receives and the unexpected messages of all ranks.
///
/// Receives and messages are known by numbers that their owner gives them.
pub struct Matching {
    receives: Slab<Posted>,
    /// By what they are kept under: posted receives, and unexpected messages.
    posted: Lists,
    unexpected: Lists,
    messages: Slab<Unexpected>,
    /// By rank.
    receivers: Vec<Receiver>,
    /// Receives posted so far.
    count: u64,
}

type Lists = Mixed<Key, List>;

/// What receives and messages are kept under.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    rank: u32,
    filter: Filter,
}

/// The first and the last of a list.
#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

/// What is known of a rank.
#[derive(Clone, Copy)]
struct Receiver {
    /// Its posted receives with wildcards.
    wild: u32,
    /// Kinds of filters under which its messages are kept: one bit each.
    kinds: u8,
    /// Its unexpected messages.
    all: List,
}

#[derive(Clone, Copy)]
struct Posted {
    receive: u32,
    /// The one posted after it that is kept under the same filter.
    next: u32,
    order: u64,
}

#[derive(Clone, Copy)]
struct Unexpected {
    message: u32,
    from: u32,
    tag: u32,
    context: u32,
    /// Its neighbours in the list of each kind, and in that of all.
    links: [Link; KINDS + 1],
}

#[derive(Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
}

impl Matching {
    /// Of so many ranks, with nothing posted and nothing there.
    pub fn new(ranks: u32) -> Self {
        let receiver = Receiver { wild: 0, kinds: 1, all: List::EMPTY };
        Self {
            receives: Slab::default(),
            posted: Lists::default(),
            unexpected: Lists::default(),
            messages: Slab::default(),
            receivers: vec![receiver; ranks as usize],
            count: 0,
        }
    }

    /// A message is there: the receive that takes it; without one it waits.
    pub fn arrives(&mut self, from: u32, envelope: &Envelope, message: u32) -> Option<u32> {
        let &Envelope { to: rank, tag, context, .. } = envelope;
        let kinds = if self.receivers[rank as usize].wild == 0 { 1 } else { KINDS };
        let keys = (0..kinds).map(|kind| Key { rank, filter: filter(kind, from, tag, context) });
        let oldest = keys.filter_map(|key| Some((self.posted.get(&key)?.first, key)));
        if let Some((place, key)) = oldest.min_by_key(|&(place, _)| self.receives[place].order) {
            return Some(self.take_receive(place, key));
        }
        let links = [Link { before: NOWHERE, after: NOWHERE }; KINDS + 1];
        let place = self.messages.insert(Unexpected { message, from, tag, context, links });
        self.messages.append(&mut self.receivers[rank as usize].all, place, ALL);
        for kind in 0..KINDS {
            if self.receivers[rank as usize].kinds & 1 << kind != 0 {
                self.enlist(rank, place, kind);
            }
        }
        None
    }

    /// A receive is posted: the message that it takes; without one it waits.
    pub fn posts(&mut self, rank: u32, filter: Filter, receive: u32) -> Option<u32> {
        let key = Key { rank, filter };
        let kind = kind(filter);
        if self.receivers[rank as usize].kinds & 1 << kind == 0 {
            self.sort_by(rank, kind);
        }
        if let Some(&List { first, .. }) = self.unexpected.get(&key) {
            return Some(self.take_message(rank, first));
        }
        self.count += 1;
        let posted = Posted { receive, next: NOWHERE, order: self.count };
        let place = self.receives.insert(posted);
        let list = self.posted.entry(key).or_insert(List::EMPTY);
        let before = std::mem::replace(&mut list.last, place);
        if before == NOWHERE {
            list.first = place;
        } else {
            self.receives[before].next = place;
        }
        self.receivers[rank as usize].wild += u32::from(kind != 0);
        None
    }

    /// The unexpected messages of a rank, in the order in which they came.
    pub fn unexpected(&self, rank: u32) -> impl Iterator<Item = u32> {
        let there = |place: u32| (place != NOWHERE).then_some(place);
        let first = there(self.receivers[rank as usize].all.first);
        let places = std::iter::successors(first, move |&place| {
            there(self.messages[place].links[ALL].after)
        });
        places.map(|place| self.messages[place].message)
    }

    /// Takes the first receive that is kept under a key.
    fn take_receive(&mut self, place: u32, key: Key) -> u32 {
        let Posted { receive, next, .. } = self.receives.remove(place);
        if next == NOWHERE {
            self.posted.remove(&key);
        } else if let Some(list) = self.posted.get_mut(&key) {
            list.first = next;
        }
        self.receivers[key.rank as usize].wild -= u32::from(kind(key.filter) != 0);
        receive
    }

    /// Takes a message out of all lists that it is in.
    fn take_message(&mut self, rank: u32, place: u32) -> u32 {
        let Unexpected { message, from, tag, context, .. } = self.messages[place];
        self.messages.unlink(&mut self.receivers[rank as usize].all, place, ALL);
        for kind in 0..KINDS {
            if self.receivers[rank as usize].kinds & 1 << kind == 0 {
                continue;
            }
            let key = Key { rank, filter: filter(kind, from, tag, context) };
            let Some(list) = self.unexpected.get_mut(&key) else { continue };
            self.messages.unlink(list, place, kind);
            if list.first == NOWHERE {
                self.unexpected.remove(&key);
            }
        }
        self.messages.remove(place);
        message
    }

    /// From now on messages of a rank are kept under a kind of filter, too.
    #[cold]
    fn sort_by(&mut self, rank: u32, kind: usize) {
        self.receivers[rank as usize].kinds |= 1 << kind;
        let mut place = self.receivers[rank as usize].all.first;
        while place != NOWHERE {
            self.enlist(rank, place, kind);
            place = self.messages[place].links[ALL].after;
        }
    }

    fn enlist(&mut self, rank: u32, place: u32, kind: usize) {
        let Unexpected { from, tag, context, .. } = self.messages[place];
        let key = Key { rank, filter: filter(kind, from, tag, context) };
        let list = self.unexpected.entry(key).or_insert(List::EMPTY);
        self.messages.append(list, place, kind);
    }
}

/// The filter of a kind that takes a message.
#[inline]
fn filter(kind: usize, from: u32, tag: u32, context: u32) -> Filter {
    let (by_source, by_tag) = (kind & 1 == 0, kind & 2 == 0);
    Filter { from: by_source.then_some(from), tag: by_tag.then_some(tag), context }
}

/// Of which kind a filter is.
#[inline]
fn kind(filter: Filter) -> usize {
    usize::from(filter.from.is_none()) | usize::from(filter.tag.is_none()) << 1
}

impl List {
    const EMPTY: Self = Self { first: NOWHERE, last: NOWHERE };
}

impl Slab<Unexpected> {
    /// Puts a message at the end of a list, whose neighbours are at `link`.
    fn append(&mut self, list: &mut List, place: u32, link: usize) {
        self[place].links[link] = Link { before: list.last, after: NOWHERE };
        if list.last == NOWHERE {
            list.first = place;
        } else {
            self[list.last].links[link].after = place;
        }
        list.last = place;
    }

    /// Takes a message out of a list.
    fn unlink(&mut self, list: &mut List, place: u32, link: usize) {
        let Link { before, after } = self[place].links[link];
        if before == NOWHERE {
            list.first = after;
        } else {
            self[before].links[link].after = after;
        }
        if after == NOWHERE {
            list.last = before;
        } else {
            self[after].links[link].before = before;
        }
    }
}

#[cfg(test)]
mod tests;
