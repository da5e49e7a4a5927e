//! Destination-tag routing on butterflies [Dally & Towles 2004, section 8.4.1].
//!
//! Stage i is left by the port that is digit i of the destination: the only way there is.
//! Free of deadlock: every hop leads to the next stage.

use super::algorithm::Algorithm;
use super::header::Header;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{Family, Topology};

/// Destination-tag routing for one butterfly.
pub struct DestinationTag {
    arity: usize,
    /// Switches of a stage.
    words: usize,
    /// By stage: what its digit weighs in a node's number.
    weights: Vec<usize>,
}

impl DestinationTag {
    /// Prepares routing on a k-ary n-fly.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let Family::Butterfly { arity, stages } = topology.family else {
            return Err(SpecError::new("machine.routing", name, "needs a butterfly"));
        };
        let arity = arity as usize;
        let weights: Vec<usize> = (0..stages).rev().map(|place| arity.pow(place)).collect();
        Ok(Self { arity, words: topology.nodes / arity, weights })
    }
}

impl Algorithm for DestinationTag {
    fn properties(&self) -> Properties {
        Properties::one_way(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let weight = self.weights[switch.index() / self.words];
        // The last stage is left for the node.
        if weight > 1 {
            allow(header.destination.index() / weight % self.arity, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, check_free, check_ways, refusal, routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn butterflies_have_no_circle_of_channels() {
        let shapes = (2..7).flat_map(|arity| (1..6).map(move |stages| (arity, stages)));
        for (arity, stages) in shapes.filter(|&(arity, stages): &(u32, u32)| arity.pow(stages) < 99)
        {
            let fly = TopologySpec::Butterfly { arity, stages };
            let topology = Topology::new(&fly).unwrap();
            let routing = routing(&fly, &RoutingSpec::DestinationTag, 1);
            assert_eq!(check_ways(&topology, &routing, Promise::Minimal), stages - 1);
            check_free(&topology, &routing);
        }
    }

    #[test]
    fn other_topologies_are_refused() {
        let star = TopologySpec::Star { nodes: 4 };
        assert_eq!(
            refusal(&star, &RoutingSpec::DestinationTag, 1),
            "machine.routing = destination_tag: needs a butterfly"
        );
        let fly = TopologySpec::Butterfly { arity: 2, stages: 3 };
        assert_eq!(
            refusal(&fly, &RoutingSpec::Valiant { order: vec![] }, 2),
            "machine.routing = valiant: needs nodes that enter and leave the network at the \
             same switch"
        );
    }
}
