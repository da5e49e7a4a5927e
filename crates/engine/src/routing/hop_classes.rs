//! Shortest paths whose hops have classes of virtual channels of their own: a packet takes class
//! i with its hop number i [Besta & Hoefler 2014].
//!
//! Free of deadlock on any topology: a packet that holds a channel of a class waits for one of the
//! next only, so classes ascend along everything that waits for something else. It needs as many
//! classes as the longest way has hops, each way being that of [`Table::shortest`].

use super::algorithm::Algorithm;
use super::distances::Distances;
use super::header::Header;
use super::outputs::{MOST_CLASSES, Slots, bits_of};
use super::properties::Properties;
use super::table::Table;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Shortest paths by ascending classes, for one topology.
pub struct HopClasses {
    table: Table,
    slots: Slots,
}

impl HopClasses {
    /// Prepares routing on any topology.
    ///
    /// # Errors
    /// A topology too large for tables; two nodes without a way; ways of more hops than a link may
    /// have virtual channels.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let (distances, ports) = Distances::with_lowest_ports(name, topology)?;
        let slots = Slots::by_hop(name, distances.longest(topology))?;
        Ok(Self { table: Table::nearer(&distances, ports, topology), slots })
    }
}

impl Algorithm for HopClasses {
    fn route_bits(&self) -> u32 {
        bits_of(MOST_CLASSES)
    }

    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties { avoids_failed: true, ..Properties::in_classes(self.slots) }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some((port, _)) = self.table.step(switch, header.destination) {
            allow(self.slots.slot(port, header.route as usize), 0);
        }
    }

    /// The route is the number of hops.
    #[inline]
    fn passed(&self, _switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        header.route + u32::from(slot.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, graph, random_graph, refusal_on, routing_on,
    };
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn ways_are_shortest_and_their_classes_ascend() {
        let mut random = cases(61);
        for _ in 0..200 {
            let graph = random_graph(&mut random);
            let needed = HopClasses::new("hop_classes", &graph).unwrap().properties().classes;
            let routing = routing_on(&graph, &RoutingSpec::HopClasses, needed as u32).unwrap();
            assert_eq!(routing.properties().classes, needed);
            let longest = check_ways(&graph, &routing, Promise::Minimal);
            assert_eq!(longest.max(1), needed as u32);
            check_free(&graph, &routing);
        }
    }

    #[test]
    fn as_many_classes_as_the_diameter_has_links() {
        let needs = |spec: TopologySpec| {
            let topology = Topology::new(&spec).unwrap();
            Properties::of(&RoutingSpec::HopClasses, &topology).unwrap().classes
        };
        assert_eq!(needs(TopologySpec::Torus { dims: vec![6, 5] }), 5);
        assert_eq!(needs(TopologySpec::SlimFly { q: 5, nodes_per_switch: 1 }), 2);
        assert_eq!(needs(TopologySpec::FullyConnected { switches: 1, nodes_per_switch: 4 }), 1);
    }

    #[test]
    fn with_too_few_channels_a_circle_is_told() {
        let ring = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
        let refused = refusal_on(&ring, &RoutingSpec::HopClasses, 1);
        assert!(refused.starts_with("machine.routing = hop_classes: can deadlock: "), "{refused}");
        assert!(
            refused.ends_with("needs 2 virtual channels, or allow_deadlock = true"),
            "{refused}"
        );
        let long: Vec<(usize, usize)> = (0..257).map(|switch| (switch, switch + 1)).collect();
        assert_eq!(
            refusal_on(&graph(258, &long), &RoutingSpec::HopClasses, 255),
            "machine.routing = hop_classes: needs a virtual channel for each of the 257 hops of \
             the longest way, and a link has 255 at most"
        );
    }
}
