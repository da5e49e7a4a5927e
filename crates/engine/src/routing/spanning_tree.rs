//! The spanning tree of switched Ethernet on any connected graph [IEEE 802.1D].
//!
//! The switch of the lowest number is the root. Every other has one link towards it: to a switch
//! that is a hop nearer, of several that of the lowest number, of parallel links the first. All
//! other links are blocked and carry nothing, so there is one way from anywhere to anywhere: up
//! the tree as far as it must go, then down.
//!
//! Free of deadlock, and no frame comes round again: in a tree there is no circle to close.

use super::distances::{HERE, Links, NO_WAY, check_pairs};
use super::table::Table;
use super::up_down::check_symmetry;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;
use std::collections::VecDeque;

/// The ways along the tree.
///
/// # Errors
/// A link without one back, a graph in pieces or too large for tables.
pub(super) fn ways(name: &str, topology: &Topology) -> Result<Table, SpecError> {
    check_pairs(name, topology)?;
    check_symmetry(name, topology)?;
    let links = Links::of(topology);
    let tree = Tree::new(&links);
    let mut ports = vec![HERE; links.switches * topology.nodes];
    for node in (0..topology.nodes).map(NodeId::from_index) {
        let home = links.home(node);
        if !home.is_some() {
            continue;
        }
        if tree.hops[home.index()] == NO_WAY {
            let allowed = format!("there is no way from switch 0 to switch {}", home.0);
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        for switch in 0..links.switches {
            ports[switch * topology.nodes + node.index()] = tree.up[switch];
        }
        // From the switches above it, down.
        ports[home.index() * topology.nodes + node.index()] = HERE;
        let mut below = home;
        while let Some(parent) = tree.parent(below) {
            ports[parent.index() * topology.nodes + node.index()] = tree.down[below.index()];
            below = parent;
        }
    }
    Ok(Table::ascending(topology.nodes, ports, Vec::new(), 1))
}

/// Who is above whom.
struct Tree {
    /// By switch: hops to the root.
    hops: Vec<u16>,
    /// By switch: the one above it, and the ports to it and back from there.
    parents: Vec<SwitchId>,
    up: Vec<u16>,
    down: Vec<u16>,
}

impl Tree {
    fn new(links: &Links) -> Self {
        let hops = hops_to_root(links);
        let none = || vec![HERE; links.switches];
        let mut tree =
            Self { parents: vec![SwitchId::NONE; links.switches], up: none(), down: none(), hops };
        for switch in (0..links.switches).map(SwitchId::from_index) {
            let here = tree.hops[switch.index()];
            let nearer = |to: SwitchId| u32::from(tree.hops[to.index()]) + 1 == u32::from(here);
            let up = links.each(switch).filter(|&(_, to)| here != NO_WAY && nearer(to));
            let Some((port, parent)) = up.min_by_key(|&(port, to)| (to, port)) else { continue };
            let back = links.each(parent).find(|&(_, to)| to == switch);
            tree.parents[switch.index()] = parent;
            tree.up[switch.index()] = port as u16;
            tree.down[switch.index()] = back.map_or(HERE, |(port, _)| port as u16);
        }
        tree
    }

    fn parent(&self, switch: SwitchId) -> Option<SwitchId> {
        let parent = self.parents[switch.index()];
        parent.is_some().then_some(parent)
    }
}

fn hops_to_root(links: &Links) -> Vec<u16> {
    let mut hops = vec![NO_WAY; links.switches];
    let mut queue = VecDeque::new();
    if let Some(root) = hops.first_mut() {
        *root = 0;
        queue.push_back(SwitchId(0));
    }
    while let Some(at) = queue.pop_front() {
        for (_, to) in links.each(at) {
            if hops[to.index()] == NO_WAY {
                hops[to.index()] = hops[at.index()] + 1;
                queue.push_back(to);
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use crate::ids::NodeId;
    use crate::ids::SwitchId;
    use crate::routing::Header;
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, graph, random_graph, refusal_on, routing_on,
    };
    use crate::spec::RoutingSpec;
    use std::collections::BTreeSet;

    /// The links that anybody goes by are those of a tree, and one way each.
    #[test]
    fn what_is_left_of_random_graphs_is_a_tree() {
        let mut random = cases(17);
        for case in 0..200 {
            let graph = random_graph(&mut random);
            let Ok(routing) = routing_on(&graph, &RoutingSpec::SpanningTree, 1) else { continue };
            check_ways(&graph, &routing, Promise::Arrives);
            check_free(&graph, &routing);
            let mut used = BTreeSet::new();
            for switch in (0..graph.switches).map(SwitchId::from_index) {
                for node in (0..graph.nodes).map(NodeId::from_index) {
                    let header = Header { source: node, destination: node, route: 0, traffic: 0 };
                    if let Some(port) = routing.next(switch, header) {
                        let to = graph.neighbour(switch, port);
                        used.insert((switch.min(to), switch.max(to)));
                    }
                }
            }
            assert!(used.len() < graph.switches, "case {case}: {used:?}");
        }
    }

    /// A square with a diagonal: of the two ways from 3 to the root that by the lower switch.
    #[test]
    fn the_lower_switch_is_taken_of_several_as_near() {
        let graph = graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)]);
        let routing = routing_on(&graph, &RoutingSpec::SpanningTree, 1).unwrap();
        let way = |source: u32, destination: u32| {
            let (mut at, mut way) = (SwitchId(source), vec![source]);
            let destination = NodeId(destination);
            let header = Header { source: NodeId(source), destination, route: 0, traffic: 0 };
            while let Some(port) = routing.next(at, header) {
                at = graph.neighbour(at, port);
                way.push(at.0);
            }
            way
        };
        assert_eq!(way(3, 2), [3, 1, 0, 2]);
        assert_eq!(way(1, 2), [1, 0, 2]);
        assert_eq!(way(2, 3), [2, 0, 1, 3]);
        let one_way = {
            let mut links = graph;
            links.neighbours[3 * links.ports] = SwitchId::NONE;
            links
        };
        let refused = refusal_on(&one_way, &RoutingSpec::SpanningTree, 1);
        assert!(refused.contains("needs links in both directions"), "{refused}");
    }
}
