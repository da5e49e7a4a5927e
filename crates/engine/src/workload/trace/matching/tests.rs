//! Cases by hand, and random ones against a twin that searches lists from the front.

use super::*;
use crate::rng::{Purpose, Stream};

fn exactly(from: u32, tag: u32) -> Filter {
    Filter { from: Some(from), tag: Some(tag), context: 0 }
}

const ANY: Filter = Filter { from: None, tag: None, context: 0 };

fn to(rank: u32, tag: u32) -> Envelope {
    Envelope { to: rank, bytes: 8, tag, context: 0 }
}

#[test]
fn the_oldest_receive_that_may_takes_a_message() {
    let mut all = Matching::new(2);
    for (number, filter) in
        [exactly(0, 6), ANY, exactly(0, 5), exactly(0, 5)].into_iter().enumerate()
    {
        assert_eq!(all.posts(1, filter, number as u32), None);
    }
    assert_eq!(all.arrives(0, &to(1, 5), 70), Some(1));
    assert_eq!(all.arrives(0, &to(1, 5), 71), Some(2));
    // Another communicator, another rank.
    assert_eq!(all.arrives(0, &Envelope { context: 1, ..to(1, 5) }, 72), None);
    assert_eq!(all.arrives(0, &to(0, 5), 73), None);
    assert_eq!(all.arrives(0, &to(1, 5), 74), Some(3));
    assert_eq!(all.arrives(0, &to(1, 6), 75), Some(0));
    assert_eq!(all.unexpected(1).collect::<Vec<_>>(), [72]);
}

#[test]
fn a_receive_takes_the_oldest_message_that_it_may() {
    let mut all = Matching::new(2);
    for (message, tag) in [4, 5, 6, 5, 4].into_iter().enumerate() {
        assert_eq!(all.arrives(message as u32 % 2, &to(0, tag), message as u32), None);
    }
    assert_eq!(all.posts(0, Filter { tag: Some(5), ..ANY }, 0), Some(1));
    assert_eq!(all.posts(0, Filter { from: Some(1), ..ANY }, 1), Some(3));
    assert_eq!(all.posts(0, exactly(0, 6), 2), Some(2));
    assert_eq!(all.posts(0, ANY, 3), Some(0));
    assert_eq!(all.unexpected(0).collect::<Vec<_>>(), [4]);
    assert_eq!(all.posts(0, Filter { tag: Some(5), ..ANY }, 4), None);
    assert_eq!(all.posts(0, ANY, 5), Some(4));
    assert!(all.unexpected.is_empty() && all.unexpected(0).next().is_none());
}

/// Lists of what waits, the oldest first: who, and what it is known by.
#[derive(Default)]
struct Twin {
    posted: Vec<(u32, Filter, u32)>,
    unexpected: Vec<(u32, Envelope, u32)>,
}

fn takes(filter: Filter, from: u32, message: &Envelope) -> bool {
    filter.context == message.context
        && filter.from.is_none_or(|source| source == from)
        && filter.tag.is_none_or(|tag| tag == message.tag)
}

impl Twin {
    fn arrives(&mut self, from: u32, envelope: Envelope, message: u32) -> Option<u32> {
        let fits = |(rank, filter, _): &(u32, Filter, u32)| {
            *rank == envelope.to && takes(*filter, from, &envelope)
        };
        let Some(at) = self.posted.iter().position(fits) else {
            self.unexpected.push((from, envelope, message));
            return None;
        };
        Some(self.posted.remove(at).2)
    }

    fn posts(&mut self, rank: u32, filter: Filter, receive: u32) -> Option<u32> {
        let fits = |(from, envelope, _): &(u32, Envelope, u32)| {
            envelope.to == rank && takes(filter, *from, envelope)
        };
        let Some(at) = self.unexpected.iter().position(fits) else {
            self.posted.push((rank, filter, receive));
            return None;
        };
        Some(self.unexpected.remove(at).2)
    }
}

#[test]
fn random_receives_and_messages_match_as_those_of_the_twin() {
    for case in 0..100 {
        let mut draw = Stream::new(11, Purpose::Start, case);
        let ranks = 1 + draw.below(3);
        let tags = 1 + draw.below(3);
        let wild = draw.below(3);
        let mut all = Matching::new(ranks as u32);
        let mut twin = Twin::default();
        for number in 0..300 {
            let (from, rank) = (draw.below(ranks) as u32, draw.below(ranks) as u32);
            let (tag, context) = (draw.below(tags) as u32, draw.below(2) as u32);
            let (ours, theirs) = if draw.below(2) == 0 {
                let envelope = Envelope { to: rank, bytes: 1, tag, context };
                (all.arrives(from, &envelope, number), twin.arrives(from, envelope, number))
            } else {
                let mut exact = || draw.below(6) >= wild;
                let (from, tag) = (exact().then_some(from), exact().then_some(tag));
                let filter = Filter { from, tag, context };
                (all.posts(rank, filter, number), twin.posts(rank, filter, number))
            };
            assert_eq!(ours, theirs, "case {case}, step {number}");
            let waiting = twin.unexpected.iter().filter(|(_, envelope, _)| envelope.to == rank);
            assert!(all.unexpected(rank).eq(waiting.map(|&(.., message)| message)), "case {case}");
        }
        assert_eq!(all.messages.len(), twin.unexpected.len());
        assert_eq!(all.receives.len(), twin.posted.len());
    }
}

#[test]
fn thousands_outstanding_are_found_at_once() {
    let mut all = Matching::new(1);
    let count = 50_000;
    for message in 0..count {
        assert_eq!(all.arrives(0, &to(0, message), message), None);
    }
    for tag in (0..count).rev() {
        let by_tag = Filter { tag: Some(tag), ..ANY };
        let filter = if tag % 2 == 0 { exactly(0, tag) } else { by_tag };
        assert_eq!(all.posts(0, filter, tag), Some(tag));
    }
    assert!(all.unexpected.is_empty() && all.posted.is_empty());
}
