//! Between which nodes messages go: how many pairs, and some messages that stand for all.

use crate::ids::NodeId;

/// Different pairs of nodes, counted.
#[derive(Default)]
pub struct Pairs {
    /// Sorted and different up to `known`, then as they came.
    keys: Vec<u64>,
    known: usize,
}

/// Keys that are kept before repetitions are looked for.
const MANY: usize = 1 << 20;

impl Pairs {
    /// Counts a pair, if it is a new one.
    pub fn note(&mut self, from: NodeId, to: NodeId) {
        self.keys.push(u64::from(from.0) << 32 | u64::from(to.0));
        if self.keys.len() >= MANY.max(2 * self.known) {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
        self.known = self.keys.len();
    }

    /// How many different pairs there were.
    pub fn count(mut self) -> u64 {
        self.merge();
        self.known as u64
    }
}

/// Messages between nodes, and how many each stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Who sends.
    pub source: Vec<u32>,
    /// Who receives.
    pub destination: Vec<u32>,
    /// How many messages, or what share of them.
    pub weight: Vec<f64>,
    /// Messages so far, and how many of them are left out after each that is kept.
    seen: u64,
    skipped: u64,
}

/// Messages kept at most.
const MOST: usize = 64;

impl Sample {
    /// Adds a message, if its turn has come; every second is dropped where there are too many.
    pub fn note(&mut self, from: NodeId, to: NodeId, weight: f64) {
        let is_kept = self.seen.is_multiple_of(self.skipped + 1);
        self.seen += 1;
        if !is_kept {
            return;
        }
        if self.source.len() == MOST {
            halve(&mut self.source);
            halve(&mut self.destination);
            halve(&mut self.weight);
            self.skipped = 2 * self.skipped + 1;
        }
        self.source.push(from.0);
        self.destination.push(to.0);
        self.weight.push(weight);
    }
}

fn halve<T>(values: &mut Vec<T>) {
    let mut number = 0;
    values.retain(|_| {
        number += 1;
        number % 2 == 1
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_counts_once() {
        let mut pairs = Pairs::default();
        for number in 0..3 * MANY as u32 {
            pairs.note(NodeId(number % 7), NodeId(number % 11));
        }
        assert_eq!(pairs.count(), 77);
    }

    /// Of 1,000 messages every 16th: 63.
    #[test]
    fn a_sample_is_evenly_spread() {
        let mut sample = Sample::default();
        (0..1000).for_each(|number| sample.note(NodeId(number), NodeId(number + 1), 1.0));
        assert_eq!(sample.source, (0..1000).step_by(16).collect::<Vec<u32>>());
        assert_eq!(sample.destination.len(), sample.weight.len());
    }
}
