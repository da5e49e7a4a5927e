//! Who passes a message to several processes on to whom, and where it has been.

use crate::ids::{MessageId, NodeId};
use crate::spec::{self, Machine};

/// How a message gets to several processes, and who passes it on.
pub(super) struct Multicasts {
    pub(super) by: spec::Multicast,
    /// By message: those that its receiver passes on, in order; empty where nobody does.
    pub(super) behind: Vec<Vec<MessageId>>,
    /// By node: the latest multicast that goes there.
    pub(super) reached: Vec<u64>,
    pub(super) count: u64,
}

/// The place of who sends to a place of a binomial tree, whose root is place 0.
pub(super) fn parent(place: usize) -> usize {
    place & (place - 1)
}

/// The places that one of `count` sends to, the largest part of the tree first.
pub(super) fn children(place: usize, count: usize) -> impl Iterator<Item = usize> {
    let bits = if place == 0 { usize::BITS } else { place.trailing_zeros() };
    (0..bits)
        .rev()
        .filter_map(move |bit| place.checked_add(1 << bit))
        .filter(move |&child| child < count)
}

impl Multicasts {
    /// Those of a machine; none yet.
    pub(super) fn new(machine: &Machine) -> Self {
        let by = machine.interface.multicast;
        Self { by, behind: Vec::new(), reached: Vec::new(), count: 0 }
    }

    /// Whether receivers pass messages on.
    pub(super) fn are_passed_on(&self) -> bool {
        self.by == spec::Multicast::Tree
    }

    /// Receivers of a tree pass messages on, the first of which is at place 1.
    pub(super) fn note(&mut self, ids: &[MessageId]) {
        let most = ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
        if self.behind.len() < most {
            self.behind.resize_with(most, Vec::new);
        }
        for (place, id) in ids.iter().enumerate() {
            let below = children(place + 1, ids.len() + 1).map(|child| ids[child - 1]);
            self.behind[id.index()].extend(below);
        }
    }

    /// Whether a multicast goes to a node for the first time.
    pub(super) fn reaches(&mut self, node: NodeId) -> bool {
        if self.reached.len() <= node.index() {
            self.reached.resize(node.index() + 1, 0);
        }
        std::mem::replace(&mut self.reached[node.index()], self.count) != self.count
    }
}

#[cfg(test)]
mod tests {
    use super::{children, parent};

    #[test]
    fn a_binomial_tree_reaches_every_place_once() {
        assert_eq!(children(0, 8).collect::<Vec<_>>(), [4, 2, 1]);
        assert_eq!(children(4, 8).collect::<Vec<_>>(), [6, 5]);
        for count in 1..40 {
            let mut reached = vec![0; count];
            for place in 0..count {
                for child in children(place, count) {
                    assert_eq!(parent(child), place);
                    reached[child] += 1;
                }
            }
            assert!(reached[1..].iter().all(|&times| times == 1) && reached[0] == 0);
        }
    }
}
