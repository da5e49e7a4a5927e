//! Whose waits are charged: everybody's, or those of a share of all packets.

use crate::ids::NodeId;
use crate::measure::packet::Class;
use crate::rng::mix;

/// Which packets are victims. Whether one is depends on its node and its number there only: it is
/// in every mode, and however the run is cut into calls.
#[derive(Default)]
pub struct Victims {
    /// So many of 2^32; none: all.
    share: Option<u32>,
    seed: u64,
    /// Whether sums are those of groups of packets, and not of batches of time.
    are_grouped: bool,
    /// By node and class of packets: how many have been queued.
    queued: Vec<[u64; 2]>,
}

impl Victims {
    /// A share of the packets of a run with a seed.
    pub fn new(share: Option<u32>, seed: u64, are_grouped: bool) -> Self {
        Self { share, seed, are_grouped, ..Self::default() }
    }

    /// Whether sums are those of groups of packets: so it is known how uncertain a share is of a run
    /// that is finite, whose batches of time are no samples of anything.
    pub fn are_grouped(&self) -> bool {
        self.are_grouped
    }

    /// Whether all packets are victims.
    #[inline]
    pub fn are_all(&self) -> bool {
        self.share.is_none()
    }

    /// Whether the next packet of a class that a node queues is one.
    #[inline]
    pub fn has_next(&mut self, node: NodeId, class: Class) -> bool {
        let Some(share) = self.share else { return true };
        if self.queued.len() <= node.index() {
            self.grow(node);
        }
        let counts = &mut self.queued[node.index()];
        let count = &mut counts[class as usize];
        let number = *count << 1 | class as u64;
        *count += 1;
        let key = self.seed ^ mix(u64::from(node.0) ^ mix(number));
        ((mix(key) >> 32) as u32) < share
    }

    /// Packets of a node are counted, too.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, node: NodeId) {
        self.queued.resize(node.index() + 1, [0; 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100,000 packets a tenth, to four standard deviations, and not the same with another seed.
    #[test]
    fn a_share_of_all_packets_are_victims() {
        let chosen = |seed| -> Vec<bool> {
            let mut victims = Victims::new(Some(u32::MAX / 10), seed, false);
            let packets = (0..100_000).map(|number| NodeId(number % 64));
            packets.map(|node| victims.has_next(node, Class::Data)).collect()
        };
        let (one, other) = (chosen(1), chosen(2));
        let count = one.iter().filter(|&&is| is).count();
        assert!(count.abs_diff(10_000) < 380, "{count}");
        let both = one.iter().zip(&other).filter(|&(&a, &b)| a && b).count();
        assert!(both.abs_diff(1_000) < 130, "{both}");
    }
}
