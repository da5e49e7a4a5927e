//! Groups between which only some links are left.

use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::rng::Stream;
use crate::routing::groups::Groups;
use crate::routing::remaining;
use crate::routing::table::Table;
use crate::topology::Topology;

/// From group to group, where links have failed.
pub struct Remaining {
    /// Which group a switch is in.
    pub groups: Groups,
    /// By group, as many bits as there are: whether a link to each other is left.
    joined: Vec<Vec<u64>>,
    /// To the nearest switch of a group, in the first phase.
    pub toward: Table,
    /// To a node, in the second.
    pub onward: Table,
}

impl Remaining {
    /// What is left of a dragonfly or dragonfly+.
    ///
    /// # Errors
    /// A topology too large for tables.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let groups = Groups::new(name, topology)?;
        let mut joined = vec![vec![0; groups.count().div_ceil(64)]; groups.count()];
        for from in (0..topology.switches).map(SwitchId::from_index) {
            for (_, to) in topology.links(from) {
                let to = groups.of(to);
                joined[groups.of(from)][to / 64] |= 1 << (to % 64);
            }
        }
        let toward = remaining::to_groups(name, topology, groups.count(), |at| groups.of(at))?;
        let onward = remaining::ways(name, &[], topology)?;
        Ok(Self { groups, joined, toward, onward })
    }

    /// A group, neither of these, that links to both are left from; all equally likely.
    pub fn draw(&self, from: usize, to: usize, way: &mut Stream) -> Option<usize> {
        let ends = |word: usize| {
            let bit = |group: usize| if group / 64 == word { 1 << (group % 64) } else { 0 };
            bit(from) | bit(to)
        };
        let words = self.joined[from].iter().zip(&self.joined[to]).enumerate();
        let words = words.map(|(word, (one, other))| one & other & !ends(word));
        let count: u32 = words.clone().map(u64::count_ones).sum();
        let mut drawn = way.below(count.into()) as u32;
        for (word, mut bits) in words.enumerate() {
            if drawn >= bits.count_ones() {
                drawn -= bits.count_ones();
                continue;
            }
            (0..drawn).for_each(|_| bits &= bits - 1);
            return Some(64 * word + bits.trailing_zeros() as usize);
        }
        None
    }
}
