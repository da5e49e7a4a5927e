//! Dimension-order ("greedy", e-cube) routing on grids with open ends.
//!
//! A packet corrects one coordinate completely before the next. Free of
//! deadlock: number the channels of the dimension routed last highest, within a
//! dimension and direction in the direction of travel; every packet crosses
//! channels with rising numbers [Dally & Seitz 1987].

use super::Header;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;

/// Dimension-order routing for one grid.
///
/// The coordinates of a node are packed into one word, the dimension routed
/// first in the highest bits. The highest bit in which two words differ lies in
/// the first dimension still to be corrected, and comparing the words compares
/// that coordinate: no loop over dimensions, no division.
pub struct DimensionOrder {
    /// Packed coordinates of every node, and of the switch it sits on.
    packed: Vec<u64>,
    /// The descending port of the dimension each bit of a packed word belongs to.
    port_of_bit: [u8; 64],
}

impl DimensionOrder {
    /// Prepares routing through the dimensions in `order` (empty: 0, 1, 2, …).
    pub fn new(order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let dims = &topology.dims;
        if dims.is_empty() && topology.switches > 1 {
            return Err(SpecError::new(
                "machine.routing",
                "dimension_order",
                "needs a topology with dimensions",
            ));
        }
        if topology.wraps {
            return Err(SpecError::new(
                "machine.topology",
                "torus",
                "dimension-order routing on a torus needs virtual channels to be free of \
                 deadlock, which are not available yet; use a mesh",
            ));
        }
        let order: Vec<usize> = if order.is_empty() {
            (0..dims.len()).collect()
        } else {
            order.iter().map(|&d| d as usize).collect()
        };
        check_order(&order, dims.len())?;
        let mut port_of_bit = [0; 64];
        let mut shift_of = vec![0; dims.len()];
        let mut shift = 0;
        for &dimension in order.iter().rev() {
            shift_of[dimension] = shift;
            let bits = (u32::BITS - (dims[dimension] - 1).leading_zeros()) as usize;
            port_of_bit[shift..shift + bits].fill(2 * dimension as u8);
            shift += bits;
        }
        let pack = |node| {
            let coordinates = topology.coordinates(NodeId::from_index(node));
            let placed = coordinates.iter().zip(&shift_of).map(|(&c, &s)| u64::from(c) << s);
            placed.sum()
        };
        Ok(Self { packed: (0..topology.nodes).map(pack).collect(), port_of_bit })
    }

    /// See [`super::Routing::next`].
    #[inline]
    pub fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let (here, there) = (self.packed[switch.index()], self.packed[header.destination.index()]);
        if here == there {
            return None;
        }
        let bit = (here ^ there).ilog2();
        Some(usize::from(self.port_of_bit[bit as usize]) + usize::from(there > here))
    }
}

fn check_order(order: &[usize], dimensions: usize) -> Result<(), SpecError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.iter().copied().eq(0..dimensions) {
        return Ok(());
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
    use crate::spec::TopologySpec;

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
            let routing = DimensionOrder::new(&order, &topology).unwrap();
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
        let header = Header { source: NodeId::from_index(from), destination: to, route: 0 };
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
    fn a_wrong_order_is_refused() {
        let topology = Topology::new(&TopologySpec::Mesh { dims: vec![4, 4] }).unwrap();
        let error = DimensionOrder::new(&[0, 0], &topology).err().unwrap();
        assert_eq!(
            error.to_string(),
            "machine.routing.order = [0, 0]: must name each of the dimensions 0 to 1 once"
        );
    }
}
