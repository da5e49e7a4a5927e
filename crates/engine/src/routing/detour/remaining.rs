//! Groups between which only some links are left.

use super::route::{HOP, HOPS, MIDDLE, OPEN, SECOND};
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::routing::distances::Links;
use crate::routing::groups::Groups;
use crate::routing::header::Header;
use crate::routing::outputs::MOST_CLASSES;
use crate::routing::remaining;
use crate::routing::table::Table;
use crate::topology::Topology;
use std::collections::BTreeSet;

/// From group to group, where links have failed.
pub struct Remaining {
    /// Which group a switch is in.
    pub groups: Groups,
    /// By group, as many bits as there are: whether a link to each other is left.
    joined: Vec<Vec<u64>>,
    /// Classes of hops before it is decided which way a packet goes: as many as direct ways have at
    /// most within their first group.
    open: usize,
    /// To the nearest switch of a group, in the first phase.
    toward: Table,
    /// To a node, in the second.
    onward: Table,
}

impl Remaining {
    /// What is left of a dragonfly or dragonfly+; `is_progressive`: whether packets may turn away
    /// from their direct way anywhere in their first group.
    ///
    /// # Errors
    /// A topology too large for tables; ways too long for their classes.
    pub fn new(name: &str, is_progressive: bool, topology: &Topology) -> Result<Self, SpecError> {
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
        let mut left = Self { groups, joined, open: 0, toward, onward };
        if is_progressive {
            left.open = left.longest_in_first_group(topology);
        }
        if left.classes() > MOST_CLASSES {
            let allowed = format!(
                "needs {} virtual channels with the links that have failed, and a link has \
                 {MOST_CLASSES} at most",
                left.classes()
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        Ok(left)
    }

    /// Classes of virtual channels it tells apart.
    pub fn classes(&self) -> usize {
        self.open + self.toward.classes() + self.onward.classes()
    }

    /// Whether packets are asked again after their first hop.
    #[inline]
    pub fn asks_again(&self) -> bool {
        self.open > 0
    }

    /// The most hops that a direct way to another group has within its first.
    fn longest_in_first_group(&self, topology: &Topology) -> usize {
        let links = Links::of(topology);
        let hops = |from: SwitchId, to: NodeId| {
            let (mut at, mut hops) = (from, 0);
            while let Some((port, _)) = self.onward.step(at, to)
                && self.groups.stays(&links, at, port, to)
            {
                at = links.around(at)[port];
                hops += 1;
            }
            hops
        };
        let firsts: BTreeSet<SwitchId> =
            topology.attachments.iter().filter_map(|at| at.enters()).collect();
        let nodes = || (0..topology.nodes).map(NodeId::from_index);
        let pairs = firsts.iter().flat_map(|&from| nodes().map(move |to| (from, to)));
        pairs.map(|(from, to)| hops(from, to)).max().unwrap_or(0)
    }

    /// The port and the class by which a packet leaves a switch; what is open goes directly.
    pub fn step(&self, links: &Links, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let is_open = header.route & OPEN != 0;
        if !is_open && header.route & SECOND == 0 {
            let step = self.toward.step(switch, NodeId(header.route & MIDDLE));
            return step.map(|(port, class)| (port, self.open + class));
        }
        let (port, class) = self.onward.step(switch, header.destination)?;
        let is_asked_again = is_open
            && self.asks_again()
            && self.groups.stays(links, switch, port, header.destination);
        if is_asked_again {
            return Some((port, ((header.route & HOPS) / HOP) as usize));
        }
        Some((port, self.open + self.toward.classes() + class))
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
