//! Dimension-order ("greedy", e-cube) routing on grids with open ends.
//!
//! A packet corrects one coordinate completely before the next. Free of
//! deadlock: number the channels of the dimension routed last highest, within a
//! dimension and direction in the direction of travel; every packet crosses
//! channels with rising numbers [Dally & Seitz 1987].

use super::algorithm::Algorithm;
use super::grid::Grid;
use super::header::Header;
use super::properties::Properties;
use crate::ids::{NodeId, SwitchId};

/// Dimension-order routing for one grid without rings.
pub struct DimensionOrder {
    /// Packed coordinates of switches and nodes, as in [`Grid`].
    packed: Vec<u64>,
    nodes_from: usize,
    /// The descending port of the dimension each bit of a packed word belongs to.
    port_of_bit: [u8; 64],
}

impl DimensionOrder {
    /// Prepares routing through the dimensions in the order of the grid.
    pub fn new(grid: Grid) -> Self {
        debug_assert!(!grid.has_rings());
        let port_of_bit = grid.dimension_of_bit.map(|dimension| 2 * dimension);
        Self { packed: grid.packed, nodes_from: grid.nodes_from, port_of_bit }
    }

    /// See [`super::Routing::next`].
    #[inline]
    pub fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        self.next_to(switch, header.destination)
    }

    /// The same: nothing else of a packet matters.
    #[inline]
    pub fn next_to(&self, switch: SwitchId, destination: NodeId) -> Option<usize> {
        let (here, there) =
            (self.packed[switch.index()], self.packed[self.nodes_from + destination.index()]);
        if here == there {
            return None;
        }
        let bit = (here ^ there).ilog2();
        Some(usize::from(self.port_of_bit[bit as usize]) + usize::from(there > here))
    }
}

impl Algorithm for DimensionOrder {
    fn properties(&self) -> Properties {
        Properties::one_way(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some(slot) = self.next(switch, header) {
            allow(slot, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, order, refusal, routing, sides,
    };
    use crate::spec::{RoutingSpec, TopologySpec};
    use crate::topology::Topology;

    /// Every packet arrives, in the fewest hops, one dimension after the other.
    #[test]
    fn routes_are_minimal_and_in_order() {
        for (dims, order) in [
            (vec![4, 3], vec![0, 1]),
            (vec![4, 3], vec![1, 0]),
            (vec![2, 5, 3], vec![2, 0, 1]),
            (vec![1, 7], vec![]),
            (vec![2, 2, 2, 2], vec![3, 1, 0, 2]),
        ] {
            let topology = Topology::new(&TopologySpec::Mesh { dims: dims.clone() }).unwrap();
            let grid = Grid::new("dimension_order", &order, &topology).unwrap();
            let routing = DimensionOrder::new(grid);
            let order: Vec<u32> =
                if order.is_empty() { (0..dims.len() as u32).collect() } else { order };
            for from in 0..topology.nodes {
                for to in 0..topology.nodes {
                    check_route(&topology, &routing, &order, from, to);
                }
            }
        }
    }

    fn check_route(t: &Topology, r: &DimensionOrder, order: &[u32], from: usize, to: usize) {
        let to = NodeId::from_index(to);
        let mut at = SwitchId::from_index(from);
        let mut hops = 0;
        let mut stage = 0;
        let header =
            Header { source: NodeId::from_index(from), destination: to, route: 0, traffic: 0 };
        while let Some(port) = r.next(at, header) {
            let place = order.iter().position(|&d| d as usize == port / 2).unwrap();
            assert!(place >= stage, "a dimension is taken up again");
            stage = place;
            at = t.neighbour(at, port);
            assert!(at.is_some(), "leaves the grid");
            hops += 1;
        }
        assert_eq!(at.0, to.0);
        let ends = [t.coordinates(NodeId::from_index(from)), t.coordinates(to)];
        let distance: u32 = ends[0].iter().zip(&ends[1]).map(|(a, b)| a.abs_diff(*b)).sum();
        assert_eq!(hops, distance);
    }

    #[test]
    fn random_meshes_have_no_circle_of_channels() {
        let mut random = cases(1);
        for case in 0..200 {
            let dimensions = 1 + case % 3;
            let dims = sides(&mut random, dimensions, 40);
            let order = order(&mut random, dimensions);
            let mesh = TopologySpec::Mesh { dims };
            let routing =
                routing(&mesh, &RoutingSpec::DimensionOrder { order, balanced: false }, 1);
            let topology = Topology::new(&mesh).unwrap();
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    #[test]
    fn a_wrong_order_is_refused() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        let twice = RoutingSpec::DimensionOrder { order: vec![0, 0], balanced: false };
        assert_eq!(
            refusal(&mesh, &twice, 1),
            "machine.routing.order = [0, 0]: must name each of the dimensions 0 to 1 once"
        );
    }
}
