//! Any way that is nearer at the first step, then dimension order
//! ("quasi-adaptive" [Buzzard & Mudge 1988]).
//!
//! The first of the outputs of a first step is that of dimension order; one who takes
//! another is *contrary*. Contrary packets can close circles: that they do not stay closed is
//! the matter of the switch, which keeps a place in every buffer from them.

use super::algorithm::Algorithm;
use super::base::Base;
use super::header::Header;
use super::nearer::Nearer;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{Attachment, Topology};

/// Routing with a free first step, for one grid without rings.
pub struct FirstHop {
    nearer: Nearer,
    then: Base,
    /// Per node: the switch its packets set out from.
    homes: Vec<SwitchId>,
}

impl FirstHop {
    /// Prepares routing on a grid, which takes the dimensions in `order`.
    pub fn new(name: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let then = Base::grid(name, order, topology)?;
        if then.classes() > 1 {
            let allowed = "needs a grid without rings: a mesh or a hypercube";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let home = |at: &Attachment| at.enters().unwrap_or(SwitchId::NONE);
        let homes = topology.attachments.iter().map(home).collect();
        Ok(Self { nearer: Nearer::new(name, topology)?, then, homes })
    }
}

impl Algorithm for FirstHop {
    fn properties(&self) -> Properties {
        Properties {
            chooses_late: false,
            // The switch keeps a place free for packets that are not contrary.
            depends_on_order: false,
            ..Properties::choosing(false)
        }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let Some((own, _)) = self.then.step(switch, header) else { return };
        allow(own, 0);
        if self.homes[header.source.index()] == switch {
            let others = |port| {
                if port != own {
                    allow(port, 0);
                }
            };
            self.nearer.each(switch, header.destination, others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::dependency::{Search, find_cycle, find_cycle_among};
    use crate::routing::walk::{Promise, cases, check_ways, machine, order, refusal, sides};
    use crate::routing::{Outputs, Routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    fn routing(topology: &Topology, order: Vec<u32>) -> Routing {
        let machine = machine(&TopologySpec::Pair, &RoutingSpec::FirstHop { order }, 1);
        Routing::new(&crate::routing::walk::allowed(machine), topology, 1).unwrap()
    }

    /// Hypercubes up to six dimensions and random meshes.
    fn shapes() -> Vec<(Topology, Vec<u32>)> {
        let mut random = cases(22);
        let mut shapes: Vec<TopologySpec> =
            (1..=6).map(|dimensions| TopologySpec::Hypercube { dimensions }).collect();
        for case in 0..210 {
            shapes.push(TopologySpec::Mesh { dims: sides(&mut random, 1 + case % 4, 32) });
        }
        let shape = |shape: &TopologySpec| {
            let topology = Topology::new(shape).unwrap();
            let order = order(&mut random, topology.dims.len());
            (topology, order)
        };
        shapes.iter().map(shape).collect()
    }

    /// Every way is minimal; at the first step every nearer one is allowed, dimension order
    /// first, and later that alone.
    #[test]
    fn only_the_first_step_is_free() {
        for (topology, order) in shapes() {
            let routing = routing(&topology, order);
            check_ways(&topology, &routing, Promise::Minimal);
        }
        let cube = Topology::new(&TopologySpec::Hypercube { dimensions: 3 }).unwrap();
        let routing = routing(&cube, vec![1, 0, 2]);
        let header = Header { source: NodeId(0), destination: NodeId(7), route: 0, traffic: 0 };
        let ports = |switch| {
            let mut outputs = Outputs::default();
            routing.outputs(switch, header, &mut outputs);
            outputs.iter().map(|(slot, _)| slot / 2).collect::<Vec<_>>()
        };
        assert_eq!(ports(SwitchId(0)), [1, 0, 2]);
        let after = |port: usize| cube.neighbour(SwitchId(0), 2 * port + 1);
        assert_eq!(
            (ports(after(0)), ports(after(1)), ports(after(2))),
            (vec![1], vec![0], vec![1])
        );
    }

    /// Nothing but the place kept from contrary packets is against circles.
    ///
    /// A contrary packet is in a queue that is not the first of its way in order, and asks for a
    /// place in the next. It is the only one to make a dependency against the order; so with
    /// it there are circles of queues on all shapes with room for one.
    #[test]
    fn without_the_place_there_are_circles() {
        for (topology, order) in shapes() {
            let long = topology.dims.iter().filter(|&&side| side > 1).count();
            let search = find_cycle(&routing(&topology, order), &topology);
            assert_eq!(matches!(search, Search::Cycle(_)), long > 1, "{:?}", topology.dims);
        }
        let cube = TopologySpec::Hypercube { dimensions: 3 };
        let refused = refusal(&cube, &RoutingSpec::FirstHop { order: Vec::new() }, 1);
        assert!(refused.contains("can deadlock"), "{refused}");
    }

    /// With the place there are none among the places kept, which is enough: a packet that
    /// holds a kept place is not contrary, and may take a kept place in every queue on the
    /// rest of its way.
    ///
    /// A queue has two classes of places, *common* and *kept*. A contrary packet may take
    /// common ones only; it is contrary in the first queue alone. So what depends on kept
    /// places are packets that go on in dimension order, whether they have come from
    /// elsewhere or set out in order.
    #[test]
    fn with_the_place_there_is_no_circle_that_has_no_way_out() {
        for (topology, order) in shapes() {
            let routing = routing(&topology, order);
            let holds_kept = |switch: SwitchId, header: Header, slot: usize| {
                let is_local =
                    switch == topology.attachments[header.source.index()].enters().unwrap();
                !is_local || routing.next(switch, header) == Some(slot)
            };
            let search = find_cycle_among(&routing, &topology, holds_kept);
            assert_eq!(search, Search::Free, "{:?}", topology.dims);
        }
    }
}
