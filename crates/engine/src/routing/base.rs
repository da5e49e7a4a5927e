//! What other algorithms stand on: one way from anywhere to anywhere.

use super::Header;
use super::dimension_order::DimensionOrder;
use super::grid::Grid;
use super::ring_order::RingOrder;
use super::table::Table;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// A minimal algorithm that gives one answer and remembers nothing.
pub enum Base {
    /// Dimension order on an open grid.
    Open(DimensionOrder),
    /// Dimension order on a grid with rings.
    Rings(RingOrder),
    /// Shortest paths of any graph.
    Paths(Table),
}

impl Base {
    /// Dimension order on a grid.
    ///
    /// # Errors
    /// A topology that is no grid; an order that does not name every dimension once.
    pub fn grid(algorithm: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let grid = Grid::new(algorithm, order, topology)?;
        Ok(if grid.has_rings() {
            Self::Rings(RingOrder::new(grid, false))
        } else {
            Self::Open(DimensionOrder::new(grid))
        })
    }

    /// Classes of virtual channels it tells apart.
    pub fn classes(&self) -> usize {
        match self {
            Self::Open(_) => 1,
            Self::Rings(_) => RingOrder::CLASSES,
            Self::Paths(table) => table.classes(),
        }
    }

    /// Whether it is free of deadlock on this topology by its own argument.
    pub fn is_known_free(&self) -> bool {
        !matches!(self, Self::Paths(_))
    }

    /// The port and the class by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        match self {
            Self::Open(routing) => routing.next(switch, header).map(|port| (port, 0)),
            Self::Rings(routing) => routing.step(switch, header),
            Self::Paths(routing) => routing.step(switch, header.destination),
        }
    }
}
