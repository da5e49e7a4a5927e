//! Where packets ask, and by which outputs they may leave, in small networks, told by switch and
//! destination.

use crate::fabric::network::layout::Layout;
use crate::ids::{ChannelId, NodeId, SwitchId};
use crate::routing::{Header, Outputs, Routing};
use crate::topology::Topology;

/// By switch and destination: where packets ask, as far as neither their sources nor their routes
/// make a difference.
///
/// A hop on a small torus is asked for in one place of memory, instead of being worked out from
/// coordinates: a tenth of the time of a run in slots.
#[derive(Default)]
pub struct KnownLeads {
    /// None where it must be worked out; empty where it is for all.
    leads: Vec<ChannelId>,
    nodes: usize,
}

/// More than these do not fit a core's own cache beside all else.
const MOST: usize = 1 << 16;

impl KnownLeads {
    /// Those of a network whose packets ask at groups of channels, which belong to all of them.
    pub fn new(topology: &Topology, routing: &Routing, layout: &Layout) -> Self {
        let (switches, nodes) = (topology.switches, topology.nodes);
        if !routing.has_known_ways() || switches.saturating_mul(nodes) > MOST {
            return Self::default();
        }
        let lead = |switch: usize, node: usize| {
            let (switch, destination) = (SwitchId::from_index(switch), NodeId::from_index(node));
            if !routing.is_known(switch, destination) {
                return ChannelId::NONE;
            }
            let header = Header { source: destination, destination, route: 0, traffic: 0 };
            layout.lead_at(switch, routing.next(switch, header), destination)
        };
        let all = (0..switches).flat_map(|switch| (0..nodes).map(move |node| (switch, node)));
        Self { leads: all.map(|(switch, node)| lead(switch, node)).collect(), nodes }
    }

    /// Where packets to a destination ask at a switch, if that is known.
    #[inline]
    pub fn at(&self, switch: SwitchId, destination: NodeId) -> Option<ChannelId> {
        let lead = self.leads.get(switch.index() * self.nodes + destination.index())?;
        lead.is_some().then_some(*lead)
    }
}

/// By switch and destination: all by which packets may leave, as far as neither their sources nor their
/// routes make a difference.
#[derive(Default)]
pub struct KnownChoices {
    /// By switch and destination: where its own begin; one more than there are. Empty where nothing is
    /// known.
    firsts: Vec<u32>,
    /// Leads of groups of channels with their tiers; none where they must be worked out.
    leads: Vec<(ChannelId, u8)>,
    nodes: usize,
}

impl KnownChoices {
    /// Those of a network whose packets ask at allocators, and may use all channels.
    pub fn new(topology: &Topology, routing: &Routing, layout: &Layout) -> Self {
        let (switches, nodes) = (topology.switches, topology.nodes);
        if !routing.has_known_choices() || switches.saturating_mul(nodes) > MOST {
            return Self::default();
        }
        let (mut firsts, mut leads, mut outputs) = (vec![0], Vec::new(), Outputs::default());
        for (switch, node) in (0..switches).flat_map(|switch| (0..nodes).map(move |n| (switch, n)))
        {
            let (switch, destination) = (SwitchId::from_index(switch), NodeId::from_index(node));
            if routing.is_known_choice(switch, destination) {
                let header = Header { source: destination, destination, route: 0, traffic: 0 };
                outputs.clear();
                routing.outputs(switch, header, &mut outputs);
                let is_there = outputs.is_empty();
                let lead = |(slot, tier)| (layout.slot_lead(switch, slot), tier);
                leads.extend(outputs.iter().map(lead));
                leads.extend(is_there.then(|| (layout.ejection_lead(destination), 0)));
            }
            firsts.push(leads.len() as u32);
        }
        Self { firsts, leads, nodes }
    }

    /// Those of packets to a destination at a switch, with their tiers; none if they are not
    /// known.
    #[inline]
    pub fn at(&self, switch: SwitchId, destination: NodeId) -> &[(ChannelId, u8)] {
        let place = switch.index() * self.nodes + destination.index();
        match self.firsts.get(place..place + 2) {
            Some(&[first, end]) => &self.leads[first as usize..end as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::spec::{Fidelity, FlowControl, Machine, RoutingSpec, TopologySpec};

    #[test]
    fn what_is_known_is_what_routing_says_for_any_source_and_route() {
        let order = Vec::new();
        let algorithms = [
            RoutingSpec::DimensionOrder { order: order.clone(), balanced: false },
            RoutingSpec::DimensionOrder { order: order.clone(), balanced: true },
            RoutingSpec::DimensionOrderOneWay { order: order.clone(), rises: true },
            RoutingSpec::DimensionOrderByWrapping { order },
        ];
        for (dims, algorithm) in [vec![4, 3], vec![8], vec![2, 5, 4]]
            .into_iter()
            .flat_map(|dims| algorithms.iter().map(move |algorithm| (dims.clone(), algorithm)))
        {
            let mut machine = Machine::t9000(TopologySpec::Torus { dims: dims.clone() });
            machine.link.flow_control = FlowControl::OutOfBand;
            machine.link.end_token = false;
            machine.switch.virtual_channels = 2;
            machine.routing.algorithm = algorithm.clone();
            let topology = Topology::new(&machine.topology).unwrap();
            let wiring = Fabric::wired(&machine, &topology, Fidelity::Flit, 0).unwrap();
            let known = KnownLeads::new(&topology, &wiring.routing, &wiring.layout);
            let nodes = || (0..topology.nodes).map(NodeId::from_index);
            let mut count = 0;
            for (source, destination) in nodes().flat_map(|s| nodes().map(move |d| (s, d))) {
                for switch in (0..topology.switches).map(SwitchId::from_index) {
                    let Some(lead) = known.at(switch, destination) else { continue };
                    count += 1;
                    for route in wiring.routing.beginnings(source, destination) {
                        let header = Header { source, destination, route, traffic: 0 };
                        assert_eq!(lead, wiring.first_lead(switch, header), "{dims:?}");
                    }
                }
            }
            let is_known = matches!(
                algorithm,
                RoutingSpec::DimensionOrder { balanced: false, .. }
                    | RoutingSpec::DimensionOrderOneWay { .. }
            );
            assert_eq!(count > 0, is_known, "{algorithm:?}");
        }
    }

    #[test]
    fn known_choices_are_what_routing_says_for_any_source_and_route() {
        let grids = [
            TopologySpec::Mesh { dims: vec![4, 3] },
            TopologySpec::Torus { dims: vec![4, 3] },
            TopologySpec::Torus { dims: vec![5, 2] },
        ];
        for grid in grids {
            let mut machine = Machine::t9000(grid.clone());
            machine.link.flow_control = FlowControl::OutOfBand;
            machine.link.end_token = false;
            machine.switch.virtual_channels = 4;
            machine.routing.algorithm = RoutingSpec::MinimalAdaptive { order: Vec::new() };
            let topology = Topology::new(&machine.topology).unwrap();
            let wiring = Fabric::wired(&machine, &topology, Fidelity::Flit, 0).unwrap();
            let known = KnownChoices::new(&topology, &wiring.routing, &wiring.layout);
            let nodes = || (0..topology.nodes).map(NodeId::from_index);
            let (mut count, mut outputs) = (0, Outputs::default());
            for (source, destination) in nodes().flat_map(|s| nodes().map(move |d| (s, d))) {
                for switch in (0..topology.switches).map(SwitchId::from_index) {
                    let found = known.at(switch, destination);
                    count += found.len();
                    for route in wiring.routing.beginnings(source, destination) {
                        let header = Header { source, destination, route, traffic: 0 };
                        outputs.clear();
                        wiring.routing.outputs(switch, header, &mut outputs);
                        let lead = |(slot, tier)| (wiring.layout.slot_lead(switch, slot), tier);
                        let mut expected: Vec<_> = outputs.iter().map(lead).collect();
                        if expected.is_empty() {
                            expected.push((wiring.layout.ejection_lead(destination), 0));
                        }
                        assert!(found.is_empty() || found == expected, "{grid:?}");
                    }
                }
            }
            assert!(count > 0, "{grid:?}");
        }
    }
}
