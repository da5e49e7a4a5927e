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
//! *By wrapping* [Jiang et al. 2013]: a packet's class is settled by its whole way in a dimension,
//! and kept there. Upwards those that cross the dateline are in class 1, all others in class 0;
//! downwards it is the other way round. Free of deadlock: packets that do not cross it never ask
//! for the channel across it, so that theirs close no ring. Those of a ring of k switches that do
//! are all on that channel within their at most k/2 hops, before and behind which they use at most
//! k/2 - 1 others each in all: the channel opposite the dateline, upwards the one out of switch
//! ⌈k/2⌉ - 1, is never asked for, and theirs close no ring either. Half a ring away a packet goes
//! by a bit of its own for each dimension, drawn when it is made; with the other two by its ends:
//!
//! *One way*: as by the dateline, but half a ring away all packets go in the same direction.
//!
//! *Half a ring away* both ways are equally short. This is so only before the first hop
//! in a dimension, where the coordinate is still the source's, so that the choice may
//! depend on it: upwards if it, plus the sum of all coordinates of source and of
//! destination, is even. Of the sources of one ring, or in more dimensions of the pairs
//! that send through it, half go either way.

use super::grid::{Grid, Line};
use super::header::Header;
use crate::ids::{NodeId, SwitchId};

/// Dimension-order routing for one grid, some dimensions of which are rings.
pub struct RingOrder {
    grid: Grid,
    split: Split,
}

/// Which class packets of a ring are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// By whether they have still to cross its dateline.
    Dateline,
    /// The same, but some that never cross it are in the other.
    Balanced,
    /// By whether they cross it at all.
    Wrapping,
    /// As [`Self::Dateline`]; half a ring away all packets go upwards, or all downwards.
    OneWay { rises: bool },
}

/// Class of packets that have still to cross a dateline.
const BEFORE: usize = 0;
/// Class of all others.
const AFTER: usize = 1;
/// Of packets that wrap round upwards, or downwards do not.
const UPPER: usize = 1;
/// Of all others.
const LOWER: usize = 0;

impl RingOrder {
    /// Classes of virtual channels it tells apart.
    pub const CLASSES: usize = 2;

    /// Prepares routing through the dimensions in the order of the grid.
    pub fn new(grid: Grid, split: Split) -> Self {
        Self { grid, split }
    }

    /// How many routes a packet may have: one for each choice of directions half a ring away.
    pub fn routes(&self) -> u32 {
        if self.split == Split::Wrapping { 1 << self.grid.lines.len() } else { 1 }
    }

    /// Whether neither the source of a packet nor its route make a difference, but for half a ring
    /// away.
    pub fn has_known_ways(&self) -> bool {
        matches!(self.split, Split::Dateline | Split::OneWay { .. })
    }

    /// Whether they make none at a switch, where that is so.
    pub fn is_known(&self, switch: SwitchId, destination: NodeId) -> bool {
        let (here, there) = self.grid.ends(switch, destination);
        if here == there || matches!(self.split, Split::OneWay { .. }) {
            return true;
        }
        let line = &self.grid.lines[self.dimension(here, there)];
        line.rises(line.of(here), line.of(there)).is_some()
    }

    /// The dimension in which a packet goes on.
    #[inline]
    fn dimension(&self, here: u64, there: u64) -> usize {
        usize::from(self.grid.dimension_of_bit[(here ^ there).ilog2() as usize])
    }

    /// The port and the class by which a packet leaves a switch.
    // Inlined into its callers, of which one is called with every hop on a torus.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let (here, there) = self.grid.ends(switch, header.destination);
        if here == there {
            return None;
        }
        let dimension = self.dimension(here, there);
        let line = &self.grid.lines[dimension];
        let (at, to) = (line.of(here), line.of(there));
        let rises = line.rises(at, to).unwrap_or_else(|| match self.split {
            Split::Wrapping => header.route >> dimension & 1 == 1,
            Split::OneWay { rises } => rises,
            Split::Dateline | Split::Balanced => {
                let from = self.grid.of_node(header.source);
                (at + self.grid.parity(from) + self.grid.parity(there)).is_multiple_of(2)
            }
        });
        let will_cross = (at > to) == rises;
        let class = match self.split {
            Split::Dateline | Split::OneWay { .. } if will_cross => BEFORE,
            Split::Dateline | Split::OneWay { .. } => AFTER,
            Split::Balanced => self.balanced(line, header, at, (rises, will_cross)),
            Split::Wrapping => self.by_wrapping(line, header, to, rises),
        };
        Some((2 * dimension + usize::from(rises), class))
    }

    /// The class of a packet that has still to cross the dateline, or not, where some others are
    /// in the same.
    fn balanced(&self, line: &Line, header: Header, at: u32, way: (bool, bool)) -> usize {
        let (rises, will_cross) = way;
        let from = self.grid.of_node(header.source);
        let begun = line.of(from);
        let has_crossed = if rises { begun > at } else { begun < at };
        let is_free = !has_crossed && self.grid.parity(from) == 1;
        if will_cross || is_free { BEFORE } else { AFTER }
    }

    /// The class of a packet to a coordinate of a ring by its whole way there.
    fn by_wrapping(&self, line: &Line, header: Header, to: u32, rises: bool) -> usize {
        let begun = line.of(self.grid.of_node(header.source));
        let wraps = if rises { begun > to } else { begun < to };
        if wraps == rises { UPPER } else { LOWER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let algorithm = match case % 5 {
                4 => RoutingSpec::DimensionOrderOneWay { order, rises: case % 2 == 1 },
                3 => RoutingSpec::DimensionOrderByWrapping { order },
                odd => RoutingSpec::DimensionOrder { order, balanced: odd == 1 },
            };
            let routing = routing(&torus, &algorithm, 2);
            let topology = Topology::new(&torus).unwrap();
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    /// How often each channel (switch, port, class) is crossed when every node sends to
    /// every other.
    fn loads(dims: &[u32], split: Split) -> Vec<Vec<u32>> {
        let topology = Topology::new(&TopologySpec::Torus { dims: dims.to_vec() }).unwrap();
        let grid = Grid::new("dimension_order", &[], &topology).unwrap();
        let routing = RingOrder::new(grid, split);
        let mut loads = vec![vec![0; RingOrder::CLASSES]; topology.neighbours.len()];
        let nodes = || (0..topology.nodes).map(NodeId::from_index);
        for (source, destination) in nodes().flat_map(|s| nodes().map(move |d| (s, d))) {
            let mut at = SwitchId(source.0);
            let header = Header { source, destination, route: 0, traffic: 0 };
            while let Some((port, class)) = routing.step(at, header) {
                loads[at.index() * topology.ports + port][class] += 1;
                at = topology.neighbour(at, port);
            }
        }
        loads
    }

    /// Half a ring away: of eight switches, from 6 to 2.
    #[test]
    fn ties_may_go_one_way() {
        let spec = TopologySpec::Torus { dims: vec![8] };
        for (rises, port) in [(false, 0), (true, 1)] {
            let algorithm = RoutingSpec::DimensionOrderOneWay { order: vec![], rises };
            let routing = routing(&spec, &algorithm, 2);
            let port_to = |to| {
                let (source, destination) = (NodeId(6), NodeId(to));
                let header = Header { source, destination, route: 0, traffic: 0 };
                routing.next(SwitchId(6), header).unwrap() / 2
            };
            assert_eq!([2, 3, 1, 7, 5].map(port_to), [port, 0, 1, 1, 0]);
        }
    }

    /// Packets half a ring away go both ways so that all links are used alike.
    #[test]
    fn ties_are_fair() {
        for dims in [&[4, 4][..], &[6, 4], &[8, 2], &[4, 4, 2]] {
            let links: Vec<u32> =
                loads(dims, Split::Dateline).iter().map(|classes| classes.iter().sum()).collect();
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
        let spread = |split| {
            let difference = |classes: &Vec<u32>| classes[0].abs_diff(classes[1]);
            loads(&[8, 8], split).iter().map(difference).sum::<u32>()
        };
        let (balanced, not) = (spread(Split::Balanced), spread(Split::Dateline));
        assert!(5 * balanced < 3 * not, "{balanced} {not}");
    }

    /// On a ring of eight: the port (1: upwards) and the class of every hop.
    #[test]
    fn classes_by_wrapping_are_kept_in_a_dimension() {
        let spec = TopologySpec::Torus { dims: vec![8] };
        let topology = Topology::new(&spec).unwrap();
        let algorithm = RoutingSpec::DimensionOrderByWrapping { order: vec![] };
        let routing = routing(&spec, &algorithm, 2);
        let hops = |source, destination, route| {
            let header = Header {
                source: NodeId(source),
                destination: NodeId(destination),
                route,
                traffic: 0,
            };
            let (mut at, mut hops) = (SwitchId(source), Vec::new());
            while let Some(slot) = routing.next(at, header) {
                hops.push((slot / 2, slot % 2));
                at = topology.neighbour(at, slot / 2);
            }
            hops
        };
        assert_eq!(hops(6, 1, 0), [(1, 1); 3], "upwards, wrapping");
        assert_eq!(hops(2, 5, 0), [(1, 0); 3], "upwards, not wrapping");
        assert_eq!(hops(1, 6, 0), [(0, 0); 3], "downwards, wrapping");
        assert_eq!(hops(5, 2, 0), [(0, 1); 3], "downwards, not wrapping");
        assert_eq!((hops(5, 1, 0), hops(5, 1, 1)), (vec![(0, 1); 4], vec![(1, 1); 4]), "half");
    }
}
