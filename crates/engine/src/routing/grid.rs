//! Where nodes lie in a grid, packed into one word each.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;

/// The coordinates of every node of a grid, and of the switch it sits on.
///
/// Coordinates are packed into one word, the dimension routed first in the highest
/// bits: the highest bit in which two words differ lies in the first dimension still
/// to be corrected, and comparing the words compares that coordinate. No loop over
/// dimensions, no division.
pub struct Grid {
    /// Packed coordinates of every switch, and then, unless each has one node of its own number,
    /// of every node.
    pub packed: Vec<u64>,
    /// Where those of the nodes begin.
    pub nodes_from: usize,
    /// By dimension.
    pub lines: Vec<Line>,
    /// The dimension each bit of a packed word belongs to.
    pub dimension_of_bit: [u8; 64],
    /// The lowest bit of every coordinate.
    lowest: u64,
}

/// The lines of switches along one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    shift: u32,
    mask: u64,
    /// Switches on each.
    pub side: u32,
    /// Whether the last and the first are neighbours.
    pub is_ring: bool,
}

/// In which directions a coordinate comes nearer to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is there.
    Arrived,
    /// Downwards.
    Descending,
    /// Upwards.
    Ascending,
    /// Both: half a ring away.
    Either,
}

impl Grid {
    /// The grid of a topology with the dimensions taken in `order` (empty: 0, 1, 2, …).
    ///
    /// # Errors
    /// A topology that is no grid; an order that does not name every dimension once.
    pub fn new(algorithm: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let dims = &topology.dims;
        if dims.is_empty() && topology.switches > 1 {
            let allowed = "needs a topology with dimensions";
            return Err(SpecError::new("machine.routing", algorithm, allowed));
        }
        let order = ordered(order, dims.len())?;
        let mut dimension_of_bit = [0; 64];
        let line = |&side: &u32| {
            let bits = u32::BITS - (side - 1).leading_zeros();
            let is_ring = topology.wraps && side > 2;
            Line { shift: 0, mask: (1 << bits) - 1, side, is_ring }
        };
        let mut lines: Vec<Line> = dims.iter().map(line).collect();
        let (mut shift, mut lowest) = (0, 0);
        for &dimension in order.iter().rev() {
            let line = &mut lines[dimension];
            line.shift = shift;
            let bits = line.mask.count_ones();
            lowest |= u64::from(bits > 0) << shift;
            dimension_of_bit[shift as usize..(shift + bits) as usize].fill(dimension as u8);
            shift += bits;
        }
        let pack = |switch| {
            let coordinates = topology.place(switch);
            let placed =
                coordinates.iter().zip(&lines).map(|(&c, line)| u64::from(c) << line.shift);
            placed.sum()
        };
        let switches = (0..topology.switches).map(SwitchId::from_index);
        let mut packed: Vec<u64> = switches.map(pack).collect();
        let nodes_from = if topology.is_direct() { 0 } else { packed.len() };
        if nodes_from > 0 {
            let homes = topology.attachments.iter().filter_map(|at| at.leaves());
            let of_nodes: Vec<u64> = homes.map(|home| packed[home.index()]).collect();
            packed.extend(of_nodes);
        }
        Ok(Self { packed, nodes_from, lines, dimension_of_bit, lowest })
    }

    /// The same for algorithms that do not know rings.
    ///
    /// # Errors
    /// As [`Self::new`]; a torus with rings.
    pub fn open(algorithm: &str, topology: &Topology) -> Result<Self, SpecError> {
        let grid = Self::new(algorithm, &[], topology)?;
        if grid.has_rings() {
            let allowed = "needs a mesh: on the rings of a torus it can deadlock";
            return Err(SpecError::new("machine.routing", algorithm, allowed));
        }
        Ok(grid)
    }

    /// Whether any dimension has rings.
    pub fn has_rings(&self) -> bool {
        self.lines.iter().any(|line| line.is_ring)
    }

    /// The packed coordinates of a switch and of a destination.
    #[inline]
    pub fn ends(&self, switch: SwitchId, destination: NodeId) -> (u64, u64) {
        (self.packed[switch.index()], self.of_node(destination))
    }

    /// The packed coordinates of the switch a node sits on.
    #[inline]
    pub fn of_node(&self, node: NodeId) -> u64 {
        self.packed[self.nodes_from + node.index()]
    }

    /// The parity of the sum of all coordinates.
    #[inline]
    pub fn parity(&self, place: u64) -> u32 {
        (place & self.lowest).count_ones() & 1
    }

    /// The ports that bring a packet nearer, dimension after dimension.
    #[inline]
    pub fn each_profitable(&self, here: u64, there: u64, mut each: impl FnMut(usize)) {
        for (dimension, line) in self.lines.iter().enumerate() {
            let way = line.way(line.of(here), line.of(there));
            if matches!(way, Way::Descending | Way::Either) {
                each(2 * dimension);
            }
            if matches!(way, Way::Ascending | Way::Either) {
                each(2 * dimension + 1);
            }
        }
    }
}

impl Line {
    /// The coordinate in this dimension.
    #[inline]
    pub fn of(&self, place: u64) -> u32 {
        (place >> self.shift & self.mask) as u32
    }

    /// In which directions `here` comes nearer to `there`.
    #[inline]
    pub fn way(&self, here: u32, there: u32) -> Way {
        if here == there {
            return Way::Arrived;
        }
        match self.rises(here, there) {
            None => Way::Either,
            Some(true) => Way::Ascending,
            Some(false) => Way::Descending,
        }
    }

    /// Whether `here` comes nearer to `there`, which is another, upwards; none if it does both
    /// ways, half a ring away.
    // Upwards or downwards is as good as random: told without a branch.
    #[inline]
    pub fn rises(&self, here: u32, there: u32) -> Option<bool> {
        let is_above = there > here;
        if !self.is_ring {
            return Some(is_above);
        }
        let across = if is_above { 0 } else { self.side };
        let up = there.wrapping_add(across).wrapping_sub(here);
        (2 * up != self.side).then_some(2 * up < self.side)
    }
}

/// An order of dimensions; empty: 0, 1, 2, ….
///
/// # Errors
/// One that does not name every dimension once.
pub fn ordered(order: &[u32], dimensions: usize) -> Result<Vec<usize>, SpecError> {
    let order: Vec<usize> = order.iter().map(|&dimension| dimension as usize).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if order.is_empty() {
        return Ok((0..dimensions).collect());
    }
    if sorted.iter().copied().eq(0..dimensions) {
        return Ok(order);
    }
    Err(SpecError::new(
        "machine.routing.order",
        format!("{order:?}"),
        format!("must name each of the dimensions 0 to {} once", dimensions.saturating_sub(1)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    /// All that routes a mesh or torus routes one with several nodes on every switch.
    #[test]
    fn concentrated_grids_have_no_circle_of_channels() {
        let mut random = cases(75);
        for case in 0..120 {
            let dims = sides(&mut random, 2, 12);
            let nodes_per_switch = 2 + random.below(2) as u32;
            let order = Vec::new();
            let in_order = RoutingSpec::DimensionOrder { order: order.clone(), balanced: false };
            let adaptive = RoutingSpec::MinimalAdaptive { order: order.clone() };
            let two_phase = RoutingSpec::Valiant { order };
            let mut algorithms = vec![(in_order, 2), (adaptive, 3), (two_phase, 4)];
            let grid = if case % 2 == 0 {
                let turns =
                    [RoutingSpec::WestFirst, RoutingSpec::NegativeFirst, RoutingSpec::OddEven];
                algorithms.extend(turns.map(|turns| (turns, 1)));
                TopologySpec::ConcentratedMesh { dims, nodes_per_switch }
            } else {
                TopologySpec::ConcentratedTorus { dims, nodes_per_switch }
            };
            let topology = Topology::new(&grid).unwrap();
            for (algorithm, channels) in algorithms {
                let made = routing(&grid, &algorithm, channels);
                let promise = match algorithm {
                    RoutingSpec::Valiant { .. } => Promise::Arrives,
                    _ => Promise::Minimal,
                };
                check_ways(&topology, &made, promise);
                check_free(&topology, &made);
            }
        }
    }

    #[test]
    fn a_ring_is_left_by_the_shorter_way() {
        let spec = TopologySpec::Torus { dims: vec![6, 2] };
        let grid = Grid::new("adaptive", &[], &Topology::new(&spec).unwrap()).unwrap();
        let ways: Vec<Way> = (0..6).map(|to| grid.lines[0].way(4, to)).collect();
        let expected = {
            use Way::{Arrived, Ascending, Descending, Either};
            [Ascending, Either, Descending, Descending, Arrived, Ascending]
        };
        assert_eq!(ways, expected);
        assert_eq!(grid.lines[1].way(0, 1), Way::Ascending);
    }
}
