//! Requests of a rank that are still open.

use std::collections::VecDeque;

/// By what a request is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The sender; none: any.
    pub source: Option<u32>,
    /// The receiver.
    pub destination: u32,
    /// The tag; none: any.
    pub tag: Option<u32>,
}

impl Key {
    /// Whether it may be another one that says more.
    fn may_be(self, other: Self) -> bool {
        let fits = |mine: Option<u32>, theirs| mine.is_none() || theirs == mine;
        self.destination == other.destination
            && fits(self.source, other.source)
            && fits(self.tag, other.tag)
    }
}

/// Open requests, the oldest first, and the numbers of their operations.
#[derive(Debug, Default)]
pub struct Requests {
    open: VecDeque<(Key, u64)>,
}

impl Requests {
    /// A request is made.
    pub fn add(&mut self, key: Key, number: u64) {
        self.open.push_back((key, number));
    }

    /// The oldest with a key, which is not open from now on; else the oldest receive that may take
    /// such a message.
    pub fn take(&mut self, key: Key) -> Option<u64> {
        let place = self.open.iter().position(|(open, _)| *open == key);
        let place = place.or_else(|| self.open.iter().position(|(open, _)| open.may_be(key)))?;
        self.open.remove(place).map(|(_, number)| number)
    }

    /// All of them, which are not open from now on.
    pub fn take_all(&mut self) -> Vec<u64> {
        self.open.drain(..).map(|(_, number)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_request_with_a_key_is_waited_for() {
        let key = |source, tag| Key { source, destination: 0, tag };
        let mut requests = Requests::default();
        requests.add(key(None, None), 1);
        requests.add(key(Some(2), Some(7)), 2);
        requests.add(key(Some(2), Some(7)), 3);
        assert_eq!(requests.take(key(Some(2), Some(7))), Some(2));
        assert_eq!(requests.take(key(Some(2), Some(7))), Some(3));
        assert_eq!(requests.take(Key { destination: 1, ..key(Some(2), Some(7)) }), None);
        assert_eq!(requests.take(key(Some(2), Some(7))), Some(1));
        assert_eq!(requests.take(key(Some(2), Some(7))), None);
        requests.add(key(Some(4), None), 4);
        assert_eq!(requests.take_all(), [4]);
        assert_eq!(requests.take_all(), []);
    }
}
