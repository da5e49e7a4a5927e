//! The ports that bring a packet nearer to its destination.

use super::distances::{Distances, Links};
use super::grid::Grid;
use super::hyperx::HyperX;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// Which ports are profitable from here to there.
pub enum Nearer {
    /// Known from coordinates.
    Grid(Grid),
    /// The same on a `HyperX`.
    Lines(HyperX),
    /// Known from a table of distances.
    Graph(Distances),
}

impl Nearer {
    /// Prepares the answer for a topology.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Ok(match topology.family {
            _ if topology.has_failed() => Self::Graph(Distances::new(name, topology)?),
            _ if !topology.dims.is_empty() => Self::Grid(Grid::new(name, &[], topology)?),
            Family::HyperX { .. } => Self::Lines(HyperX::new(name, &[], topology)?),
            _ => Self::Graph(Distances::new(name, topology)?),
        })
    }

    /// Names each profitable port; none where the destination is attached.
    #[inline]
    pub fn each(&self, switch: SwitchId, destination: NodeId, each: impl FnMut(usize)) {
        match self {
            Self::Grid(grid) => {
                let (here, there) = grid.ends(switch, destination);
                grid.each_profitable(here, there, each);
            }
            Self::Lines(hyperx) => hyperx.each_profitable(switch, destination, each),
            Self::Graph(distances) => distances.each_profitable(switch, destination, each),
        }
    }

    /// Names each link that is not profitable.
    #[inline]
    pub fn each_other(
        &self,
        links: &Links,
        switch: SwitchId,
        destination: NodeId,
        mut each: impl FnMut(usize),
    ) {
        match self {
            Self::Grid(_) => {
                // A grid has fewer than 64 ports: its coordinates fit one word.
                let mut nearer = 0u64;
                self.each(switch, destination, |port| nearer |= 1 << port);
                let others = links.each(switch).filter(|(port, _)| nearer >> port & 1 == 0);
                others.for_each(|(port, _)| each(port));
            }
            Self::Lines(hyperx) => {
                let is_other = |&(port, _): &(usize, SwitchId)| {
                    let mut is_other = true;
                    hyperx
                        .each_profitable(switch, destination, |nearer| is_other &= nearer != port);
                    is_other
                };
                links.each(switch).filter(is_other).for_each(|(port, _)| each(port));
            }
            Self::Graph(distances) => {
                let here = distances.hops(switch, destination);
                let others = links.each(switch);
                others
                    .filter(|&(_, neighbour)| distances.hops(neighbour, destination) >= here)
                    .for_each(|(port, _)| each(port));
            }
        }
    }
}
