//! One dimension after the other on a `HyperX` [Ahn et al. 2009]: one hop for each in which a packet's
//! coordinate is not its destination's.
//!
//! Free of deadlock: a packet never goes back to a dimension, and has one hop in each. Minimal.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// Where switches lie in a `HyperX`, and one way between any two.
pub struct HyperX {
    /// Nodes on a switch.
    nodes_per_switch: usize,
    /// In the order in which they are routed.
    pub dimensions: Vec<Dimension>,
}

/// One dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Switches along it.
    pub side: usize,
    /// Between the numbers of two neighbours.
    pub stride: usize,
    /// The port to coordinate 0.
    pub port: usize,
}

impl Dimension {
    /// The coordinate of a switch.
    #[inline]
    pub fn of(&self, switch: SwitchId) -> usize {
        switch.index() / self.stride % self.side
    }
}

impl HyperX {
    /// Prepares routing through the dimensions in `order` (empty: 0, 1, 2, …).
    ///
    /// # Errors
    /// Another topology; an order that does not name every dimension once.
    pub fn new(name: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let Family::HyperX { dims, nodes_per_switch, .. } = &topology.family else {
            return Err(SpecError::new("machine.routing", name, "needs a HyperX"));
        };
        let order = super::grid::ordered(order, dims.len())?;
        let (mut stride, mut port) = (1, 0);
        let mut dimensions = Vec::new();
        for side in dims.iter().map(|&side| side as usize) {
            dimensions.push(Dimension { side, stride, port });
            stride *= side;
            port += side;
        }
        let dimensions = order.into_iter().map(|dimension| dimensions[dimension]).collect();
        Ok(Self { nodes_per_switch: *nodes_per_switch as usize, dimensions })
    }

    /// The switch of a node.
    #[inline]
    pub fn home(&self, node: NodeId) -> SwitchId {
        SwitchId::from_index(node.index() / self.nodes_per_switch)
    }

    /// The port by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, destination: NodeId) -> Option<usize> {
        let home = self.home(destination);
        let differing = self.dimensions.iter().find(|line| line.of(switch) != line.of(home));
        differing.map(|line| line.port + line.of(home))
    }

    /// Names each port that brings a packet nearer, dimension after dimension.
    #[inline]
    pub fn each_profitable(
        &self,
        switch: SwitchId,
        destination: NodeId,
        mut each: impl FnMut(usize),
    ) {
        let home = self.home(destination);
        let differing = self.dimensions.iter().filter(|line| line.of(switch) != line.of(home));
        differing.for_each(|line| each(line.port + line.of(home)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, order, refusal, routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_hyperx_have_no_circle_of_channels() {
        let mut random = cases(72);
        for case in 0..300 {
            let dimensions = 1 + case % 3;
            let dims: Vec<u32> = (0..dimensions).map(|_| 2 + random.below(4) as u32).collect();
            let nodes_per_switch = 1 + random.below(3) as u32;
            if dims.iter().product::<u32>() * nodes_per_switch > 60 {
                continue;
            }
            let hyperx =
                TopologySpec::HyperX { dims, widths: vec![], nodes_per_switch, by_distance: false };
            let topology = Topology::new(&hyperx).unwrap();
            let order = order(&mut random, dimensions);
            let ordered = RoutingSpec::DimensionOrder { order: order.clone(), balanced: false };
            let fixed = routing(&hyperx, &ordered, 1);
            assert_eq!(check_ways(&topology, &fixed, Promise::Minimal), dimensions as u32);
            check_free(&topology, &fixed);
            if topology.nodes < 20 {
                let two_phase = routing(&hyperx, &RoutingSpec::Valiant { order }, 2);
                let longest = check_ways(&topology, &two_phase, Promise::Arrives);
                assert_eq!(longest, 2 * dimensions as u32);
                check_free(&topology, &two_phase);
            }
        }
    }

    #[test]
    fn an_order_must_name_all_dimensions() {
        let hyperx = TopologySpec::HyperX {
            dims: vec![3, 4],
            widths: vec![],
            nodes_per_switch: 1,
            by_distance: false,
        };
        let ordered = RoutingSpec::DimensionOrder { order: vec![1], balanced: false };
        assert_eq!(
            refusal(&hyperx, &ordered, 1),
            "machine.routing.order = [1]: must name each of the dimensions 0 to 1 once"
        );
    }
}
