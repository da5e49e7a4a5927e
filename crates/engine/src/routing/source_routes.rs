//! Source routes: the whole way of every pair of nodes, written down.
//!
//! The route of a packet is the place of its next hop in one list of all hops. Not free
//! of deadlock by itself: see [`super::dependency`].

use super::algorithm::Algorithm;
use super::header::Header;
use super::named::Namer;
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::{Hops, SourceRoute};
use crate::topology::Topology;
use std::ops::Range;

/// Stands for "has arrived".
const END: (u16, u8) = (u16::MAX, 0);

/// The routes of all pairs.
pub struct SourceRoutes {
    /// By source: its destinations in rising order, with the place of their first hops.
    routes: Vec<Vec<(NodeId, u32)>>,
    /// Port and class of all hops, each route with an [`END`].
    hops: Vec<(u16, u8)>,
    slots: Slots,
}

impl SourceRoutes {
    /// Routes that the user gives.
    ///
    /// # Errors
    /// The first pair whose route uses a link that is not there, ends elsewhere, is there
    /// twice or is missing.
    pub fn new(hops: Hops, given: &[SourceRoute], topology: &Topology) -> Result<Self, SpecError> {
        let namer = Namer::new("source routes", hops, topology);
        let routes = vec![Vec::new(); topology.nodes];
        let mut all = Self { routes, hops: vec![END], slots: Slots::new(1) };
        for route in given {
            all.add(&namer, route)?;
        }
        for (source, routes) in all.routes.iter_mut().enumerate() {
            let source = NodeId::from_index(source);
            routes.sort_unstable();
            if let Some(two) = routes.windows(2).find(|two| two[0].0 == two[1].0) {
                return Err(namer.refuse((source, two[0].0), "must be given once"));
            }
            complete(&namer, source, routes)?;
        }
        let most = all.hops.iter().map(|&(_, class)| class).max().unwrap_or(0);
        all.slots = Slots::new(usize::from(most) + 1);
        Ok(all)
    }

    /// Adds one route.
    fn add(&mut self, namer: &Namer, route: &SourceRoute) -> Result<(), SpecError> {
        let pair = (NodeId(route.source), NodeId(route.destination));
        let attachments = &namer.topology.attachments;
        let [from, to] = [pair.0, pair.1].map(|node| attachments.get(node.index()));
        let (Some(from), Some(to)) = (from, to) else {
            let reason = format!("must be nodes, 0 to {}", attachments.len() - 1);
            return Err(namer.refuse(pair, reason));
        };
        let (Some(mut at), Some(home)) = (from.enters(), to.leaves()) else {
            return Err(namer.refuse(pair, "no route: there are no switches"));
        };
        if !route.classes.is_empty() && route.classes.len() != route.hops.len() {
            return Err(namer.refuse(pair, "must have as many classes as hops"));
        }
        self.routes[pair.0.index()].push((pair.1, self.hops.len() as u32));
        for (place, &hop) in route.hops.iter().enumerate() {
            let (port, neighbour) = namer.link(pair, at, hop)?;
            let class = route.classes.get(place).copied().unwrap_or(0);
            self.hops.push((port as u16, class));
            at = neighbour;
        }
        self.hops.push(END);
        if at != home {
            let reason = format!("ends at switch {}, not at switch {}", at.0, home.0);
            return Err(namer.refuse(pair, reason));
        }
        Ok(())
    }

    /// The place of a pair's first hop.
    fn first(&self, source: NodeId, destination: NodeId) -> u32 {
        let routes = &self.routes[source.index()];
        let found = routes.binary_search_by_key(&destination, |&(node, _)| node);
        found.map_or(0, |place| routes[place].1)
    }
}

/// Checks that a source has a route to every node on another switch.
fn complete(namer: &Namer, source: NodeId, routes: &[(NodeId, u32)]) -> Result<(), SpecError> {
    let attachments = &namer.topology.attachments;
    let enters = attachments[source.index()].enters();
    for (node, attachment) in attachments.iter().enumerate() {
        let node = NodeId::from_index(node);
        let is_there = attachment.leaves() == enters
            || routes.binary_search_by_key(&node, |&(node, _)| node).is_ok();
        if !is_there {
            return Err(namer.refuse((source, node), "is missing"));
        }
    }
    Ok(())
}

impl Algorithm for SourceRoutes {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        let is_known_free = false;
        Properties { is_known_free, avoids_failed: true, ..Properties::in_classes(self.slots) }
    }

    fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        let first = self.first(source, destination);
        first..first + 1
    }

    #[inline]
    fn allow(&self, _switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let (port, class) = self.hops[header.route as usize];
        if (port, class) != END {
            allow(self.slots.slot(usize::from(port), usize::from(class)), 0);
        }
    }

    #[inline]
    fn passed(&self, _switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        header.route + u32::from(slot.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Routing;
    use crate::routing::walk::{
        Promise, cases, check_ways, graph, machine, random_graph, refusal_on, routing_on,
    };
    use crate::spec::{RoutingSpec, TopologySpec};

    fn route(source: u32, destination: u32, hops: &[u32]) -> SourceRoute {
        SourceRoute { source, destination, hops: hops.to_vec(), classes: Vec::new() }
    }

    /// The routes that up*/down* takes, written down, are taken.
    #[test]
    fn written_routes_are_followed() {
        let mut random = cases(11);
        for _ in 0..200 {
            let graph = random_graph(&mut random);
            let up_down = RoutingSpec::UpDown { root: None, adaptive: false };
            let known = routing_on(&graph, &up_down, 1).unwrap();
            let way = |source: NodeId, destination: NodeId| {
                let mut at = graph.attachments[source.index()].enters().unwrap();
                let mut header = Header { source, destination, route: 0, traffic: 0 };
                header.route = known.passed(at, header, None);
                let mut hops = Vec::new();
                while let Some(port) = known.next(at, header) {
                    hops.push(port as u32);
                    at = graph.neighbour(at, port);
                    header.route = known.passed(at, header, Some(port));
                }
                route(source.0, destination.0, &hops)
            };
            let nodes = || (0..graph.nodes).map(NodeId::from_index);
            let routes: Vec<SourceRoute> = nodes()
                .flat_map(|s| nodes().rev().map(move |d| (s, d)))
                .map(|(s, d)| way(s, d))
                .collect();
            let most = routes.iter().map(|route| route.hops.len()).max().unwrap();
            let spec = RoutingSpec::SourceRoutes { hops: Hops::Ports, routes };
            // Free of deadlock, and found to be.
            let written = routing_on(&graph, &spec, 1).unwrap();
            assert_eq!(check_ways(&graph, &written, Promise::Arrives) as usize, most);
        }
    }

    #[test]
    fn classes_follow_the_hops() {
        let line = graph(3, &[(0, 1), (1, 2)]);
        let mut routes: Vec<SourceRoute> =
            [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(from, to)| route(from, to, &[to])).into();
        let classes = vec![1, 0];
        routes.push(SourceRoute { classes, ..route(0, 2, &[1, 2]) });
        routes.push(route(2, 0, &[1, 0]));
        let spec = RoutingSpec::SourceRoutes { hops: Hops::Switches, routes };
        let machine = machine(&TopologySpec::Pair, &spec, 2);
        let routing = Routing::new(&crate::routing::walk::allowed(machine), &line, 1).unwrap();
        let (source, destination) = (NodeId(0), NodeId(2));
        let mut header = Header {
            source,
            destination,
            route: routing.begin(source, destination, (0, 0)),
            traffic: 0,
        };
        header.route = routing.passed(SwitchId(0), header, None);
        assert_eq!(routing.next(SwitchId(0), header), Some(1));
        header.route = routing.passed(SwitchId(1), header, Some(1));
        assert_eq!(routing.next(SwitchId(1), header), Some(2));
        header.route = routing.passed(SwitchId(2), header, Some(2));
        assert_eq!(routing.next(SwitchId(2), header), None);
    }

    #[test]
    fn wrong_routes_name_their_pair() {
        let line = graph(3, &[(0, 1), (1, 2)]);
        let refused = |routes: &[SourceRoute]| {
            let spec = RoutingSpec::SourceRoutes { hops: Hops::Switches, routes: routes.to_vec() };
            refusal_on(&line, &spec, 1)
        };
        let start = "machine.routing = source routes: node 0 to node 2:";
        assert_eq!(
            refused(&[route(0, 2, &[2])]),
            format!("{start} switch 0 has no link to switch 2")
        );
        assert_eq!(
            refused(&[route(0, 2, &[1])]),
            format!("{start} ends at switch 1, not at switch 2")
        );
        let both = [route(0, 2, &[1, 2]), route(0, 2, &[1, 2])];
        assert_eq!(refused(&both), format!("{start} must be given once"));
        assert_eq!(
            refused(&both[..1]),
            "machine.routing = source routes: node 0 to node 1: is missing"
        );
        assert!(refused(&[route(0, 7, &[])]).contains("node 7: must be nodes, 0 to 2"));
        let classes = vec![0];
        assert!(
            refused(&[SourceRoute { classes, ..route(0, 2, &[1, 2]) }]).contains("as many classes")
        );
    }
}
