//! Who is near whom: neighbours of nodes, and trees by which one node reaches all others.

use super::base::{Attachment, Topology};
use crate::ids::{NodeId, SwitchId};
use std::collections::VecDeque;

/// Which nodes are near which; made once for a topology.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// Per node, its near neighbours in ascending order.
    near: Vec<Vec<NodeId>>,
}

/// Who passes on to whom what one node, the root, sends to all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Where the children of every node begin, and after the last one's.
    begin: Vec<u32>,
    children: Vec<NodeId>,
}

impl Neighbourhood {
    /// The near neighbours of every node: those one link away. These are nodes at switches
    /// next to its own, and other nodes at its own; of two nodes joined directly, the other.
    pub fn new(topology: &Topology) -> Self {
        let at = nodes_at(topology);
        let near = topology.attachments.iter().enumerate().map(|(number, &attachment)| {
            let mut near = match attachment {
                Attachment::Node(other) => vec![other],
                _ => attachment.enters().map_or_else(Vec::new, |switch| {
                    let next = topology.links(switch).map(|(_, next)| next);
                    let switches = std::iter::once(switch).chain(next);
                    switches.flat_map(|switch| &at[switch.index()]).copied().collect()
                }),
            };
            near.sort_unstable();
            near.dedup();
            near.retain(|node| node.index() != number);
            near
        });
        Self { near: near.collect() }
    }

    /// The near neighbours of a node, in ascending order.
    pub fn of(&self, node: NodeId) -> &[NodeId] {
        &self.near[node.index()]
    }
}

impl Tree {
    /// The tree of the fewest links: breadth first from the root's switch, ports in ascending
    /// order. At every switch the first node passes on to the others there and to those of
    /// the switches behind it. On a hypercube this is the spanning binomial tree
    /// [Ho & Johnsson 1986], the largest part first.
    pub fn new(topology: &Topology, root: NodeId) -> Self {
        let mut edges = Vec::with_capacity(topology.nodes);
        match topology.attachments[root.index()] {
            Attachment::Node(other) => edges.push((root, other)),
            attachment => {
                if let Some(switch) = attachment.enters() {
                    walk(topology, root, switch, &mut edges);
                }
            }
        }
        let mut begin = vec![0; topology.nodes + 1];
        for (parent, _) in &edges {
            begin[parent.index() + 1] += 1;
        }
        for node in 0..topology.nodes {
            begin[node + 1] += begin[node];
        }
        edges.sort_by_key(|&(parent, _)| parent);
        Self { begin, children: edges.into_iter().map(|(_, child)| child).collect() }
    }

    /// To whom a node passes on, in this order.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        &self.children[self.begin[node.index()] as usize..self.begin[node.index() + 1] as usize]
    }
}

/// Per switch, the nodes that receive from it, in ascending order.
fn nodes_at(topology: &Topology) -> Vec<Vec<NodeId>> {
    let mut at = vec![Vec::new(); topology.switches];
    for (number, attachment) in topology.attachments.iter().enumerate() {
        if let Some(switch) = attachment.leaves() {
            at[switch.index()].push(NodeId::from_index(number));
        }
    }
    at
}

/// Finds parent and child of every edge, children in the order in which they are reached.
fn walk(topology: &Topology, root: NodeId, start: SwitchId, edges: &mut Vec<(NodeId, NodeId)>) {
    let at = nodes_at(topology);
    // Who passes on behind a switch; none: it has not been reached.
    let mut passes_on = vec![NodeId::NONE; topology.switches];
    passes_on[start.index()] = root;
    let mut queue = VecDeque::from([start]);
    while let Some(switch) = queue.pop_front() {
        let from = passes_on[switch.index()];
        let here = || at[switch.index()].iter().copied().filter(|&node| node != root);
        let sends_here =
            |node: &NodeId| topology.attachments[node.index()].enters() == Some(switch);
        let first = if switch == start { None } else { here().find(sends_here) };
        edges.extend(first.map(|first| (from, first)));
        let from = first.unwrap_or(from);
        edges.extend(here().filter(|&node| Some(node) != first).map(|node| (from, node)));
        for (_, next) in topology.links(switch) {
            if !passes_on[next.index()].is_some() {
                passes_on[next.index()] = from;
                queue.push_back(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TopologySpec;

    fn node(number: usize) -> NodeId {
        NodeId::from_index(number)
    }

    fn all() -> Vec<Topology> {
        let specs = [
            TopologySpec::Mesh { dims: vec![4, 3] },
            TopologySpec::Torus { dims: vec![5, 3] },
            TopologySpec::Hypercube { dimensions: 5 },
            TopologySpec::Pair,
            TopologySpec::Star { nodes: 6 },
            TopologySpec::FatTree { arity: 3, levels: 2 },
            TopologySpec::Butterfly { arity: 2, stages: 3 },
            TopologySpec::FullyConnected { switches: 4, nodes_per_switch: 3 },
        ];
        specs.iter().map(|spec| Topology::new(spec).unwrap()).collect()
    }

    /// Every node but the root is the child of one node, and is reached from the root.
    #[test]
    fn a_tree_reaches_every_node_once() {
        for topology in all() {
            for root in (0..topology.nodes).map(node) {
                let tree = Tree::new(&topology, root);
                let mut reached = vec![root];
                let mut place = 0;
                while let Some(&parent) = reached.get(place) {
                    reached.extend(tree.children(parent));
                    place += 1;
                }
                reached.sort_unstable();
                let expected: Vec<_> = (0..topology.nodes).map(node).collect();
                assert_eq!(reached, expected, "{:?} from {root:?}", topology.family);
            }
        }
    }

    /// The children of a node differ from it in one bit above all in which it differs from
    /// the root: those below the lowest such dimension are its subtree [Ho & Johnsson 1986].
    #[test]
    fn on_a_hypercube_it_is_the_binomial_tree() {
        let topology = Topology::new(&TopologySpec::Hypercube { dimensions: 6 }).unwrap();
        for root in [0_u32, 1, 37, 63] {
            let tree = Tree::new(&topology, NodeId(root));
            for number in 0..64_u32 {
                let above = 32 - (number ^ root).leading_zeros();
                let children: Vec<_> = (above..6).map(|bit| NodeId(number ^ 1 << bit)).collect();
                assert_eq!(tree.children(NodeId(number)), children);
            }
        }
    }

    /// Near neighbours by hand: a corner of a mesh, two joined directly, one switch for all,
    /// the leaves of a fat tree.
    #[test]
    fn near_neighbours_are_one_link_away() {
        let near = |spec: TopologySpec, number| {
            let topology = Topology::new(&spec).unwrap();
            let near = Neighbourhood::new(&topology);
            near.of(node(number)).iter().map(|node| node.0).collect::<Vec<_>>()
        };
        assert_eq!(near(TopologySpec::Mesh { dims: vec![4, 3] }, 0), [1, 4]);
        assert_eq!(near(TopologySpec::Hypercube { dimensions: 3 }, 5), [1, 4, 7]);
        assert_eq!(near(TopologySpec::Pair, 1), [0]);
        assert_eq!(near(TopologySpec::Star { nodes: 4 }, 2), [0, 1, 3]);
        assert_eq!(near(TopologySpec::FatTree { arity: 3, levels: 2 }, 4), [3, 5]);
    }
}
