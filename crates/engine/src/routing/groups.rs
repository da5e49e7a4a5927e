//! Ways from group to group of a dragonfly or dragonfly+.

use super::distances::Links;
use super::dragonfly::{Dragonfly, Split};
use super::header::Header;
use super::leaf_spine::LeafSpine;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// The groups of either kind.
pub enum Groups {
    Dragonfly(Dragonfly),
    LeafSpine(LeafSpine),
}

impl Groups {
    /// Those of a topology.
    ///
    /// # Errors
    /// One that has none.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Ok(match topology.family {
            Family::DragonflyPlus(_) => Self::LeafSpine(LeafSpine::new(name, topology)?),
            _ => Self::Dragonfly(Dragonfly::new(name, Split::Parity, topology)?),
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Dragonfly(fly) => fly.groups(),
            Self::LeafSpine(fly) => fly.groups,
        }
    }

    /// The group of a switch.
    #[inline]
    pub fn of(&self, switch: SwitchId) -> usize {
        match self {
            Self::Dragonfly(fly) => fly.group(switch),
            Self::LeafSpine(fly) => switch.index() / (fly.leaves + fly.spines),
        }
    }

    /// Whether a port leads to another switch of a group that packets to a destination have to
    /// leave.
    #[inline]
    pub fn stays(&self, links: &Links, switch: SwitchId, port: usize, destination: NodeId) -> bool {
        let here = self.of(switch);
        here == self.of(links.around(switch)[port]) && here != self.of(links.home(destination))
    }

    /// The port by which a packet leaves a switch for its destination.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<usize> {
        match self {
            Self::Dragonfly(fly) => fly.step(switch, header).map(|(port, _)| port),
            Self::LeafSpine(fly) => fly.step(switch, header),
        }
    }

    /// The port by which it leaves it for another group.
    #[inline]
    pub fn toward(&self, switch: SwitchId, group: usize, header: Header) -> usize {
        match self {
            Self::Dragonfly(fly) => fly.toward(switch, group, header),
            Self::LeafSpine(fly) => fly.toward(switch, group, header),
        }
    }
}
