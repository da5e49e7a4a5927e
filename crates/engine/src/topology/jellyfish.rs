//! The Jellyfish of [Singla et al. 2012]: a random graph in which every switch has as many links.
//!
//! Node i is on switch `i / p`, with p nodes on a switch. The ports of a switch lead to its
//! neighbours in ascending order. The graph is a function of its sizes and seed alone: links are
//! drawn as published, between switches that have ports left and are not joined yet; where none can
//! be, one that is there gives way to two. A graph in pieces is drawn anew.

use super::base::{Attachment, Topology};
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::rng::{Purpose, Stream};
use std::collections::BTreeSet;

/// How many graphs are drawn until one is in one piece.
const MOST_ATTEMPTS: usize = 100;

/// A random graph of so many switches with so many links each, and p nodes on a switch.
pub(super) fn build(switches: u32, links: u32, p: u32, seed: u64) -> Result<Topology, SpecError> {
    check_range("switches", switches, 2..=1 << 20)?;
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    check_range("links_per_switch", links, 1..=(switches - 1).min(1 << 12))?;
    let refuse =
        |allowed: &str| Err(SpecError::new("machine.topology.links_per_switch", links, allowed));
    if switches % 2 == 1 && links % 2 == 1 {
        return refuse("must be even with an odd number of switches: a link has two ends");
    }
    let nodes = u64::from(switches) * u64::from(p);
    check_size("switches", switches, Some(nodes), Some(u64::from(switches) * u64::from(links)))?;
    let mut random = Stream::new(seed, Purpose::Wiring, 0);
    let drawn = (0..MOST_ATTEMPTS)
        .map(|_| Drawing::new(switches, links).finish(&mut random))
        .find(|around| is_connected(around));
    let Some(around) = drawn else {
        return refuse("gives graphs in pieces: needs more links, or fewer switches");
    };
    Ok(Topology {
        nodes: nodes as usize,
        switches: switches as usize,
        ports: links as usize,
        neighbours: around.into_iter().flatten().map(SwitchId).collect(),
        attachments: (0..nodes as u32).map(|node| Attachment::Switch(SwitchId(node / p))).collect(),
        ..Topology::default()
    })
}

/// A graph while its links are drawn.
struct Drawing {
    links: usize,
    around: Vec<BTreeSet<u32>>,
    /// Switches with ports left.
    open: Vec<u32>,
}

impl Drawing {
    fn new(switches: u32, links: u32) -> Self {
        Self {
            links: links as usize,
            around: vec![BTreeSet::new(); switches as usize],
            open: (0..switches).collect(),
        }
    }

    fn finish(mut self, random: &mut Stream) -> Vec<BTreeSet<u32>> {
        loop {
            self.open.retain(|&switch| self.around[switch as usize].len() < self.links);
            if self.open.is_empty() {
                return self.around;
            }
            match self.pair(random) {
                Some((one, other)) => self.join(one, other),
                None => self.give_way(random),
            }
        }
    }

    fn join(&mut self, one: u32, other: u32) {
        self.around[one as usize].insert(other);
        self.around[other as usize].insert(one);
    }

    fn is_joined(&self, one: u32, other: u32) -> bool {
        self.around[one as usize].contains(&other)
    }

    /// Two switches with ports left that are not joined, if there are any.
    fn pair(&self, random: &mut Stream) -> Option<(u32, u32)> {
        let fits = |one: u32, other: u32| one != other && !self.is_joined(one, other);
        for _ in 0..32 {
            let mut draw = || self.open[random.below(self.open.len() as u64) as usize];
            let (one, other) = (draw(), draw());
            if fits(one, other) {
                return Some((one, other));
            }
        }
        let all = self.open.iter().flat_map(|&one| self.open.iter().map(move |&two| (one, two)));
        let left: Vec<_> = all.filter(|&(one, other)| fits(one, other)).collect();
        (!left.is_empty()).then(|| left[random.below(left.len() as u64) as usize])
    }

    /// A link x–y gives way to x–one and y–other, of two ports that are left.
    fn give_way(&mut self, random: &mut Stream) {
        let one = self.open[0];
        let other = self.open.get(1).copied().unwrap_or(one);
        loop {
            let x = random.below(self.around.len() as u64) as u32;
            let place = random.below(self.around[x as usize].len().max(1) as u64) as usize;
            let Some(&y) = self.around[x as usize].iter().nth(place) else { continue };
            let is_new = |end: u32, port: u32| end != port && !self.is_joined(end, port);
            if is_new(x, one) && is_new(y, other) {
                self.around[x as usize].remove(&y);
                self.around[y as usize].remove(&x);
                self.join(x, one);
                self.join(y, other);
                return;
            }
            // Neither may fit anywhere in a nearly complete graph: then one more gives way.
            if random.below(64) == 0 && !self.around[one as usize].is_empty() {
                let Some(&away) = self.around[one as usize].first() else { continue };
                self.around[one as usize].remove(&away);
                self.around[away as usize].remove(&one);
                if !self.open.contains(&away) {
                    self.open.push(away);
                }
                return;
            }
        }
    }
}

fn is_connected(around: &[BTreeSet<u32>]) -> bool {
    let mut is_reached = vec![false; around.len()];
    is_reached[0] = true;
    let mut left = vec![0];
    while let Some(switch) = left.pop() {
        for &next in &around[switch] {
            if !std::mem::replace(&mut is_reached[next as usize], true) {
                left.push(next as usize);
            }
        }
    }
    is_reached.iter().all(|&reached| reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_regular(fish: &Topology, links: u32) {
        assert!(fish.neighbours.iter().all(|neighbour| neighbour.is_some()));
        for switch in (0..fish.switches).map(SwitchId::from_index) {
            let around: BTreeSet<_> = fish.links(switch).map(|(_, to)| to).collect();
            assert_eq!(around.len() as u32, links, "no two links lead to the same switch");
            assert!(!around.contains(&switch));
            assert!(around.iter().all(|&to| fish.links(to).any(|(_, back)| back == switch)));
        }
    }

    #[test]
    fn all_sizes_are_regular_and_in_one_piece() {
        for switches in 2..14 {
            for links in 1..switches {
                let fish = build(switches, links, 1, u64::from(switches * 20 + links));
                match fish {
                    Ok(fish) => check_regular(&fish, links),
                    // Pairs, and what would leave a port.
                    Err(_) => assert!(links == 1 || switches % 2 == 1 && links % 2 == 1),
                }
            }
        }
        check_regular(&build(300, 12, 4, 7).unwrap(), 12);
    }

    #[test]
    fn the_seed_says_which_graph_it_is() {
        let of = |seed| build(50, 5, 1, seed).unwrap();
        assert_eq!(of(3), of(3));
        assert_ne!(of(3).neighbours, of(4).neighbours);
        // Kept, so that it stays the same on all platforms and in all versions.
        let row: Vec<u32> = of(1).neighbours[..5].iter().map(|to| to.0).collect();
        assert_eq!(row, KEPT);
    }

    const KEPT: [u32; 5] = [2, 10, 25, 39, 45];

    #[test]
    fn impossible_sizes_are_named() {
        let refusal = |switches, links| build(switches, links, 1, 1).unwrap_err().to_string();
        assert_eq!(
            refusal(7, 3),
            "machine.topology.links_per_switch = 3: must be even with an odd number of switches: a \
             link has two ends"
        );
        assert_eq!(
            refusal(8, 1),
            "machine.topology.links_per_switch = 1: gives graphs in pieces: needs more links, or \
             fewer switches"
        );
        assert_eq!(refusal(8, 8), "machine.topology.links_per_switch = 8: must be 1 to 7");
    }
}
