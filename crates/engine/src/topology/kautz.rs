//! The Kautz graph K(d, k): links lead one way, and nobody is more than k links from anybody
//! [Kautz 1968].
//!
//! Switches are words of k letters out of d + 1, no two neighbours equal: there are (d + 1) d^(k-1).
//! From a word a link leads to each of the d words that have it without its first letter, and one
//! more at the end. The number of a word has a digit for each letter, the first weighing most: the
//! first letter itself, every other by its place among those that may follow the one before it.
//! Port t leads to the word whose last digit is t. Node i is on switch i / p, where p is the number
//! of nodes on a switch.
//!
//! The shortest way is the only one of its length: letter by letter what the destination's word has
//! behind the longest end of this word that it begins with.

use super::base::{Attachment, Topology};
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// K(d, k) with so many nodes on every switch.
pub(super) fn build(
    degree: u32,
    diameter: u32,
    nodes_per_switch: u32,
) -> Result<Topology, SpecError> {
    check_range("links_per_switch", degree, 2..=1024)?;
    check_range("diameter", diameter, 1..=19)?;
    check_range("nodes_per_switch", nodes_per_switch, 1..=MOST_ON_A_SWITCH)?;
    let words = u64::from(degree).checked_pow(diameter - 1);
    let switches = words.and_then(|words| words.checked_mul(u64::from(degree) + 1));
    let nodes = switches.and_then(|switches| switches.checked_mul(nodes_per_switch.into()));
    let ports = switches.and_then(|switches| switches.checked_mul(degree.into()));
    check_size("diameter", diameter, nodes, ports)?;
    let (switches, nodes) = (switches.unwrap_or(0) as u32, nodes.unwrap_or(0) as u32);
    let words = |switch| (0..degree).map(move |digit| next(switch, digit, degree, diameter));
    Ok(Topology {
        nodes: nodes as usize,
        switches: switches as usize,
        ports: degree as usize,
        neighbours: (0..switches).flat_map(words).map(SwitchId).collect(),
        attachments: (0..nodes)
            .map(|node| Attachment::Switch(SwitchId(node / nodes_per_switch)))
            .collect(),
        ..Topology::default()
    })
}

/// The word that comes of another without its first letter and with one more digit.
fn next(word: u32, digit: u32, degree: u32, length: u32) -> u32 {
    let mut letters = letters(word, degree, length);
    let last = letters[length as usize - 1];
    letters.push(digit + u32::from(digit >= last));
    number(&letters[1..], degree)
}

/// The letters of a word.
fn letters(word: u32, degree: u32, length: u32) -> Vec<u32> {
    let mut letters: Vec<u32> = Vec::with_capacity(length as usize + 1);
    for place in (0..length).rev() {
        let digit = word / degree.pow(place) % if letters.is_empty() { u32::MAX } else { degree };
        letters.push(match letters.last() {
            Some(&before) => digit + u32::from(digit >= before),
            None => digit,
        });
    }
    letters
}

/// The number of a word.
fn number(letters: &[u32], degree: u32) -> u32 {
    let mut pairs = letters.windows(2);
    pairs
        .by_ref()
        .fold(letters[0], |number, pair| number * degree + pair[1] - u32::from(pair[1] > pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links from every switch to one.
    fn hops_to(kautz: &Topology, target: SwitchId) -> Vec<u32> {
        let mut hops = vec![u32::MAX; kautz.switches];
        hops[target.index()] = 0;
        for distance in 0..kautz.switches as u32 {
            for from in (0..kautz.switches).map(SwitchId::from_index) {
                let is_next = kautz.links(from).any(|(_, to)| hops[to.index()] == distance);
                if hops[from.index()] == u32::MAX && is_next {
                    hops[from.index()] = distance + 1;
                }
            }
        }
        hops
    }

    /// Nodes, links, and the most links from switch to switch.
    #[test]
    fn sizes() {
        for (degree, diameter, on_switch, expected) in [
            (2, 1, 1, (3, 6, 1)),
            (2, 2, 1, (6, 12, 2)),
            (2, 3, 2, (24, 24, 3)),
            (3, 3, 1, (36, 108, 3)),
            (4, 2, 1, (20, 80, 2)),
        ] {
            let kautz = build(degree, diameter, on_switch).unwrap();
            let links = kautz.neighbours.iter().filter(|n| n.is_some()).count();
            let targets = (0..kautz.switches).map(SwitchId::from_index);
            let farthest = targets.flat_map(|target| hops_to(&kautz, target)).max().unwrap();
            assert_eq!((kautz.nodes, links, farthest), expected, "K({degree}, {diameter})");
            assert!(!kautz.is_symmetric() || diameter == 1);
        }
    }

    #[test]
    fn words_are_numbered_in_alphabetical_order() {
        let mut all: Vec<Vec<u32>> = (0..12).map(|word| letters(word, 2, 3)).collect();
        assert_eq!(all[..4], [[0, 1, 0], [0, 1, 2], [0, 2, 0], [0, 2, 1]]);
        assert!(all.is_sorted());
        assert!(all.iter().enumerate().all(|(word, of)| number(of, 2) == word as u32));
        all.dedup();
        assert_eq!(all.len(), 12);
        let kautz = build(2, 3, 1).unwrap();
        // From 012 to 120 and 121.
        assert_eq!(kautz.links(SwitchId(1)).map(|(_, to)| to.0).collect::<Vec<_>>(), [6, 7]);
        assert_eq!([6, 7].map(|word| letters(word, 2, 3)), [[1, 2, 0], [1, 2, 1]]);
    }

    /// As many links as letters are missing behind the longest overlap, and no other way as short.
    #[test]
    fn the_shortest_way_follows_from_the_labels() {
        for (degree, length) in [(2, 4), (3, 3), (5, 2)] {
            let kautz = build(degree, length, 1).unwrap();
            for to in (0..kautz.switches).map(SwitchId::from_index) {
                let (hops, end) = (hops_to(&kautz, to), letters(to.0, degree, length));
                for from in (0..kautz.switches).map(SwitchId::from_index) {
                    let start = letters(from.0, degree, length);
                    let missing = (0..=length as usize)
                        .find(|&missing| start[missing..] == end[..length as usize - missing]);
                    assert_eq!(hops[from.index()], missing.unwrap() as u32, "{start:?} {end:?}");
                    let nearer = kautz
                        .links(from)
                        .filter(|(_, next)| hops[next.index()] + 1 == hops[from.index()]);
                    assert_eq!(nearer.count(), usize::from(from != to));
                }
            }
        }
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(1, 3, 1).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.links_per_switch = 1: must be 2 to 1024");
        assert!(build(2, 20, 1).unwrap_err().allowed.contains("1 to 19"));
        assert!(build(1024, 3, 1).unwrap_err().allowed.contains("at most 1048576 nodes"));
        assert!(build(2, 3, 0).unwrap_err().field.contains("nodes_per_switch"));
    }
}
