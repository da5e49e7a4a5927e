//! Dimension-order routing on tori, with two classes of virtual channels.
//!
//! A packet corrects one coordinate completely before the next, each by the shorter
//! way round its ring. Between the last and the first switch of a ring lies its
//! *dateline*. A packet that has still to cross it in this dimension is in class 0, any
//! other in class 1 [Dally & Seitz 1987]. Both are worked out from where the packet is
//! and where it goes.
//!
//! Free of deadlock: in one ring and direction, number the channels of class 0 in the
//! direction of travel, from the dateline to the link across it, and then those of
//! class 1 likewise. A packet in class 1 never crosses the dateline, and one that has
//! crossed it comes to a channel of class 1, so that numbers rise; dimensions follow
//! each other as on open grids.
//!
//! *Balanced*: class 0 has only packets that cross the dateline, fewer than the others.
//! A packet that never crosses it in this dimension (known from where it comes from) may
//! be in either class, as long as it stays there: it crosses a run of the same rising
//! numbers. It takes class 0 if the sum of its source's coordinates is odd.
//!
//! *Half a ring away* both ways are equally short. This is so only before the first hop
//! in a dimension, where the coordinate is still the source's, so that the choice may
//! depend on it: upwards if it, plus the sum of all coordinates of source and of
//! destination, is even. Of the sources of one ring, or in more dimensions of the pairs
//! that send through it, half go either way.

use super::Header;
use super::grid::{Grid, Line, Way};
use crate::ids::SwitchId;

/// Dimension-order routing for one grid, some dimensions of which are rings.
pub struct RingOrder {
    grid: Grid,
    balanced: bool,
}

/// Class of packets that have still to cross a dateline.
const BEFORE: usize = 0;
/// Class of all others.
const AFTER: usize = 1;

impl RingOrder {
    /// Classes of virtual channels it tells apart.
    pub const CLASSES: usize = 2;

    /// Prepares routing through the dimensions in the order of the grid.
    pub fn new(grid: Grid, balanced: bool) -> Self {
        Self { grid, balanced }
    }

    /// The port and the class by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let (here, there) = self.grid.ends(switch, header.destination);
        if here == there {
            return None;
        }
        let from = self.grid.of_node(header.source);
        let dimension = usize::from(self.grid.dimension_of_bit[(here ^ there).ilog2() as usize]);
        let line = &self.grid.lines[dimension];
        let (at, to) = (line.of(here), line.of(there));
        let rises = match line.way(at, to) {
            Way::Either => {
                (at + self.grid.parity(from) + self.grid.parity(there)).is_multiple_of(2)
            }
            way => way == Way::Ascending,
        };
        let class = self.class(line, from, (at, to), rises);
        Some((2 * dimension + usize::from(rises), class))
    }

    /// The class of a packet between two coordinates of a ring.
    #[inline]
    fn class(&self, line: &Line, from: u64, (at, to): (u32, u32), rises: bool) -> usize {
        let will_cross = if rises { at > to } else { at < to };
        if will_cross {
            return BEFORE;
        }
        let begun = line.of(from);
        let has_crossed = if rises { begun > at } else { begun < at };
        if self.balanced && !has_crossed && self.grid.parity(from) == 1 { BEFORE } else { AFTER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, order, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};
    use crate::topology::Topology;

    #[test]
    fn random_tori_have_no_circle_of_channels() {
        let mut random = cases(2);
        for case in 0..300 {
            let dimensions = 1 + case % 3;
            let dims = sides(&mut random, dimensions, 40);
            let order = order(&mut random, dimensions);
            let torus = TopologySpec::Torus { dims };
            let balanced = case % 2 == 1;
            let routing = routing(&torus, &RoutingSpec::DimensionOrder { order, balanced }, 2);
            let topology = Topology::new(&torus).unwrap();
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    /// How often each channel (switch, port, class) is crossed when every node sends to
    /// every other.
    fn loads(dims: &[u32], balanced: bool) -> Vec<Vec<u32>> {
        let topology = Topology::new(&TopologySpec::Torus { dims: dims.to_vec() }).unwrap();
        let grid = Grid::new("dimension_order", &[], &topology).unwrap();
        let routing = RingOrder::new(grid, balanced);
        let mut loads = vec![vec![0; RingOrder::CLASSES]; topology.neighbours.len()];
        let nodes = || (0..topology.nodes).map(NodeId::from_index);
        for (source, destination) in nodes().flat_map(|s| nodes().map(move |d| (s, d))) {
            let mut at = SwitchId(source.0);
            let header = Header { source, destination, route: 0 };
            while let Some((port, class)) = routing.step(at, header) {
                loads[at.index() * topology.ports + port][class] += 1;
                at = topology.neighbour(at, port);
            }
        }
        loads
    }

    /// Packets half a ring away go both ways so that all links are used alike.
    #[test]
    fn ties_are_fair() {
        for dims in [&[4, 4][..], &[6, 4], &[8, 2], &[4, 4, 2]] {
            let links: Vec<u32> =
                loads(dims, false).iter().map(|classes| classes.iter().sum()).collect();
            for dimension in 0..dims.len() {
                let of_dimension = |link: &usize| link % (2 * dims.len()) / 2 == dimension;
                let used: Vec<u32> = (0..links.len())
                    .filter(of_dimension)
                    .map(|link| links[link])
                    .filter(|&load| load > 0)
                    .collect();
                assert!(used.iter().all(|&load| load == used[0]), "{dims:?}: {used:?}");
            }
        }
    }

    #[test]
    fn balanced_classes_are_nearer_to_each_other() {
        let spread = |balanced| {
            let difference = |classes: &Vec<u32>| classes[0].abs_diff(classes[1]);
            loads(&[8, 8], balanced).iter().map(difference).sum::<u32>()
        };
        assert!(5 * spread(true) < 3 * spread(false), "{} {}", spread(true), spread(false));
    }
}
