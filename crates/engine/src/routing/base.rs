//! What other algorithms stand on: one way from anywhere to anywhere.

use super::ancestor::{Ancestor, Up};
use super::dimension_order::DimensionOrder;
use super::dragonfly::{self, Dragonfly};
use super::grid::Grid;
use super::header::Header;
use super::hyperx::HyperX;
use super::leaf_spine::LeafSpine;
use super::rails::Rails;
use super::remaining;
use super::ring_order::{RingOrder, Split};
use super::table::Table;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// A minimal algorithm that gives one answer and remembers nothing.
pub enum Base {
    /// Dimension order on an open grid.
    Open(DimensionOrder),
    /// Dimension order on a grid with rings.
    Rings(RingOrder),
    /// Up a fat tree by the destination's digits, then down.
    Tree(Ancestor),
    /// One dimension after the other of a `HyperX`.
    Lines(HyperX),
    /// From group to group of a dragonfly.
    Groups(Dragonfly),
    /// From group to group of a dragonfly+.
    Spines(LeafSpine),
    /// Between islands.
    Rails(Rails),
    /// A table for any graph.
    Paths(Table),
}

impl Base {
    /// The usual one of a topology: dimension order in `order` on grids and `HyperX`, those of fat
    /// trees, dragonflies and islands, else shortest paths; where links have failed the ways left.
    ///
    /// # Errors
    /// An order that does not name every dimension once; a graph in pieces or too large for
    /// tables.
    pub fn usual(algorithm: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        match topology.family {
            Family::FatTree { .. } | Family::Xgft { .. } => {
                Ancestor::new(algorithm, Up::Destination, topology).map(Self::Tree)
            }
            _ if topology.has_failed() => {
                remaining::ways(algorithm, order, topology).map(Self::Paths)
            }
            _ if !topology.dims.is_empty() => Self::grid(algorithm, order, topology),
            Family::HyperX { .. } => HyperX::new(algorithm, order, topology).map(Self::Lines),
            Family::Dragonfly { .. } | Family::DragonflyPlus(_) | Family::Islands { .. } => {
                Self::minimal(algorithm, topology)
            }
            _ => Table::shortest(algorithm, topology).map(Self::Paths),
        }
    }

    /// Between groups, or islands, directly.
    ///
    /// # Errors
    /// A topology that has none.
    pub fn minimal(algorithm: &str, topology: &Topology) -> Result<Self, SpecError> {
        match topology.family {
            Family::Dragonfly { .. } | Family::DragonflyPlus(_) | Family::Islands { .. }
                if topology.has_failed() =>
            {
                remaining::ways(algorithm, &[], topology).map(Self::Paths)
            }
            Family::Dragonfly { .. } => {
                Dragonfly::new(algorithm, dragonfly::Split::Parity, topology).map(Self::Groups)
            }
            Family::DragonflyPlus(_) => LeafSpine::new(algorithm, topology).map(Self::Spines),
            Family::Islands { .. } => Rails::new(algorithm, topology).map(Self::Rails),
            _ => {
                let allowed = "needs a dragonfly, a dragonfly+ or islands";
                Err(SpecError::new("machine.routing", algorithm, allowed))
            }
        }
    }

    /// The same on a dragonfly, in the classes of [Jiang et al. 2013].
    ///
    /// # Errors
    /// Another topology; links that have failed, whose ways round have classes of their own.
    pub fn minimal_by_crossing(algorithm: &str, topology: &Topology) -> Result<Self, SpecError> {
        if topology.has_failed() {
            let allowed =
                "must be parity where links have failed: ways round have classes of their own";
            return Err(SpecError::new("machine.routing.group_classes", "crossing", allowed));
        }
        Dragonfly::new(algorithm, dragonfly::Split::Crossing, topology).map(Self::Groups)
    }

    /// Dimension order on a grid.
    ///
    /// # Errors
    /// A topology that is no grid; an order that does not name every dimension once.
    pub fn grid(algorithm: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let grid = Grid::new(algorithm, order, topology)?;
        Ok(if grid.has_rings() {
            Self::Rings(RingOrder::new(grid, Split::Dateline))
        } else {
            Self::Open(DimensionOrder::new(grid))
        })
    }

    /// Classes of virtual channels it tells apart.
    pub fn classes(&self) -> usize {
        match self {
            Self::Open(_) | Self::Tree(_) | Self::Lines(_) | Self::Spines(_) | Self::Rails(_) => 1,
            Self::Groups(_) => Dragonfly::CLASSES,
            Self::Rings(_) => RingOrder::CLASSES,
            Self::Paths(table) => table.classes(),
        }
    }

    /// How many routes a packet may have, of which one is drawn for it.
    pub fn routes(&self) -> u32 {
        if let Self::Rings(routing) = self { routing.routes() } else { 1 }
    }

    /// Whether it never goes by a link that has failed.
    pub fn avoids_failed(&self) -> bool {
        matches!(self, Self::Tree(_) | Self::Paths(_))
    }

    /// Whether it is free of deadlock on this topology by its own argument.
    pub fn is_known_free(&self) -> bool {
        match self {
            Self::Paths(table) => table.is_known_free(),
            _ => true,
        }
    }

    /// Whether its packets can wait for each other in a circle on this topology, if they are in one class.
    pub fn closes_circle(&self, topology: &Topology) -> bool {
        match self {
            Self::Paths(table) => !table.is_known_free() && table.closes_circle(topology),
            _ => false,
        }
    }

    /// Whether neither sources nor routes of packets make a difference at some switches, and it
    /// takes longer to work a way out than to look it up.
    pub fn has_known_ways(&self) -> bool {
        matches!(self, Self::Rings(routing) if routing.has_known_ways())
    }

    /// Whether all packets to a destination leave a switch by the same way, where that is so at
    /// some ([`Self::has_known_ways`]).
    pub fn is_known(&self, switch: SwitchId, destination: NodeId) -> bool {
        matches!(self, Self::Rings(routing) if routing.is_known(switch, destination))
    }

    /// Whether all packets to a destination leave a switch by the same way, as far as that is told.
    pub fn is_one_way(&self, switch: SwitchId, destination: NodeId) -> bool {
        match self {
            Self::Open(_) | Self::Lines(_) | Self::Rails(_) | Self::Paths(_) => true,
            _ => self.is_known(switch, destination),
        }
    }

    /// The port and the class by which a packet leaves a switch.
    // Inlined into its callers, of which one is called with every hop on a torus.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        // What most machines have that come here stands in line, all else behind a call.
        match self {
            Self::Rings(routing) => routing.step(switch, header),
            _ => self.step_of_others(switch, header),
        }
    }

    #[inline(never)]
    fn step_of_others(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        match self {
            Self::Open(routing) => routing.next(switch, header).map(|port| (port, 0)),
            Self::Rings(routing) => routing.step(switch, header),
            Self::Tree(routing) => routing.step(switch, header).map(|port| (port, 0)),
            Self::Lines(routing) => routing.step(switch, header.destination).map(|port| (port, 0)),
            Self::Groups(routing) => routing.step(switch, header),
            Self::Spines(routing) => routing.step(switch, header).map(|port| (port, 0)),
            Self::Rails(routing) => routing.step(switch, header.destination).map(|port| (port, 0)),
            Self::Paths(routing) => routing.step(switch, header.destination),
        }
    }
}
