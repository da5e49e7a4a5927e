//! Fat trees some links of which have failed: up to a switch from which the destination can still
//! be reached by going down, then down.
//!
//! Of all ways up and then down a packet takes a shortest; up it may have a choice. Once it has gone
//! down it cannot have a shorter way up again: from there on the levels in between are its hops.

use super::distances::{Links, NO_WAY, check_pairs};
use super::header::Header;
use super::up_down::search;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;

/// What is left of a fat tree.
pub struct RemainingTree {
    links: Links,
    /// By switch: the level, the highest first.
    depths: Vec<u32>,
    /// By destination switch, then by switch: hops up and then down.
    free: Vec<u16>,
    /// The same, down alone.
    bound: Vec<u16>,
}

impl RemainingTree {
    /// Prepares ways on a fat tree whose switches have these depths below the highest level.
    ///
    /// # Errors
    /// A tree too large for tables; two nodes that no way up and then down is left between.
    pub fn new(name: &str, depths: Vec<u32>, topology: &Topology) -> Result<Self, SpecError> {
        check_pairs(name, topology)?;
        let links = Links::of(topology);
        let all = links.switches;
        let (mut free, mut bound) = (vec![NO_WAY; all * all], vec![NO_WAY; all * all]);
        let rows = free.chunks_mut(all.max(1)).zip(bound.chunks_mut(all.max(1)));
        for (target, (free, bound)) in rows.enumerate() {
            search(&links, &depths, SwitchId::from_index(target), free, bound);
        }
        let tree = Self { links, depths, free, bound };
        for (source, attachment) in topology.attachments.iter().enumerate() {
            let Some(enters) = attachment.enters() else { continue };
            let mut nodes = (0..topology.nodes).map(NodeId::from_index);
            if let Some(node) =
                nodes.find(|&node| tree.row(&tree.free, node)[enters.index()] == NO_WAY)
            {
                let allowed = format!(
                    "no way up and then down is left from node {source} to node {}; use hop_classes \
                     or up_down",
                    node.0
                );
                return Err(SpecError::new("machine.routing", name, allowed));
            }
        }
        Ok(tree)
    }

    fn row<'a>(&'a self, hops: &'a [u16], destination: NodeId) -> &'a [u16] {
        let switches = self.links.switches;
        &hops[self.links.home(destination).index() * switches..][..switches]
    }

    /// Names the ports by which a packet may leave a switch: one down, or some up.
    #[inline]
    pub fn each(&self, switch: SwitchId, destination: NodeId, mut each: impl FnMut(usize)) {
        let (free, bound) = (self.row(&self.free, destination), self.row(&self.bound, destination));
        let here = free[switch.index()];
        for (port, neighbour) in self.links.each(switch) {
            let is_down = self.depths[neighbour.index()] > self.depths[switch.index()];
            let there = if is_down { bound[neighbour.index()] } else { free[neighbour.index()] };
            if there < here {
                each(port);
            }
        }
    }

    /// Of them the first from `usual` on, or else the first.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header, usual: usize) -> Option<usize> {
        let (mut first, mut next) = (None, None);
        self.each(switch, header.destination, |port| {
            first.get_or_insert(port);
            if port >= usual {
                next.get_or_insert(port);
            }
        });
        next.or(first)
    }
}
