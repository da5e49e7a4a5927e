//! Who is wired to whom.
//!
//! A [`Topology`] is a plain graph of switches with numbered ports, the switch
//! each node sits on, and, where the family has them, grid coordinates. Each
//! family is one file that builds one; how its switches, nodes and ports are
//! numbered stands at the head of that file, for routing to rely on.

mod butterfly;
mod dragonfly;
mod dragonfly_plus;
mod failures;
mod family;
mod fat_tree;
mod fully_connected;
mod graph;
mod grid;
mod hyperx;
mod islands;
mod jellyfish;
mod near;
mod slim_fly;
mod tree;
pub(crate) mod xgft;

pub use dragonfly_plus::DragonflyPlus;
pub use failures::Failure;
pub use family::Family;
pub use near::{Neighbourhood, Tree};

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::{LinkClass, TopologySpec};
use crate::time::Time;

/// The most nodes a machine may have: channel numbers must fit an event.
pub const MAX_NODES: u64 = 1 << 20;

/// The most nodes on one switch.
const MOST_ON_A_SWITCH: u32 = 1 << 16;

/// The most ports of all switches together, used or not.
const MOST_PORTS: u64 = 1 << 26;

/// The graph of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// What it is a member of, with the parameters.
    pub family: Family,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of switches.
    pub switches: usize,
    /// Ports of every switch, used or not.
    pub ports: usize,
    /// Per switch and port the neighbour there, or [`SwitchId::NONE`].
    pub neighbours: Vec<SwitchId>,
    /// Parallel wires of the link at each switch and port; empty: as many everywhere as
    /// the machine says.
    pub widths: Vec<u16>,
    /// What else differs on the link at each switch and port; empty: nothing.
    pub differing_links: Vec<LinkClass>,
    /// Where each node is attached.
    pub attachments: Vec<Attachment>,
    /// Switches along each dimension of the grid; empty where there is none.
    pub dims: Vec<u32>,
    /// Whether the lines of the grid are closed to rings.
    pub wraps: bool,
    /// What has failed: no longer among the neighbours.
    pub failed: Vec<Failure>,
}

/// What a node's links lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// A switch, in both directions.
    Switch(SwitchId),
    /// A switch it sends to and another it receives from.
    Ends {
        /// Where its injection channels end.
        enters: SwitchId,
        /// Where its ejection channels begin.
        leaves: SwitchId,
    },
    /// Another node, without a switch in between.
    Node(NodeId),
}

impl Attachment {
    /// The switch a node's injection channels end at.
    pub fn enters(self) -> Option<SwitchId> {
        match self {
            Self::Switch(enters) | Self::Ends { enters, .. } => Some(enters),
            Self::Node(_) => None,
        }
    }

    /// The switch a node's ejection channels begin at.
    pub fn leaves(self) -> Option<SwitchId> {
        match self {
            Self::Switch(leaves) | Self::Ends { leaves, .. } => Some(leaves),
            Self::Node(_) => None,
        }
    }
}

impl Topology {
    /// Builds the graph of a family member.
    ///
    /// # Errors
    /// Impossible or too large sizes; topologies that need what is not there yet.
    pub fn new(spec: &TopologySpec) -> Result<Self, SpecError> {
        match spec {
            TopologySpec::Mesh { dims } => grid::mesh(dims),
            TopologySpec::Torus { dims } => grid::torus(dims),
            TopologySpec::Hypercube { dimensions } => grid::hypercube(*dimensions),
            TopologySpec::Pair => Ok(pair()),
            TopologySpec::Star { nodes } => star(*nodes),
            TopologySpec::FatTree { arity, levels } => fat_tree::build(*arity, *levels),
            TopologySpec::Butterfly { arity, stages } => butterfly::build(*arity, *stages),
            TopologySpec::Tree { children, nodes_per_switch, widths } => {
                tree::build(children, *nodes_per_switch, widths)
            }
            TopologySpec::FullyConnected { switches, nodes_per_switch } => {
                fully_connected::build(*switches, *nodes_per_switch)
            }
            TopologySpec::Dragonfly {
                nodes_per_switch,
                switches_per_group,
                global_links,
                groups,
            } => dragonfly::build(*nodes_per_switch, *switches_per_group, *global_links, *groups),
            TopologySpec::SlimFly { q, nodes_per_switch } => slim_fly::build(*q, *nodes_per_switch),
            TopologySpec::ConcentratedMesh { dims, nodes_per_switch } => {
                grid::concentrated(dims, *nodes_per_switch, false)
            }
            TopologySpec::ConcentratedTorus { dims, nodes_per_switch } => {
                grid::concentrated(dims, *nodes_per_switch, true)
            }
            TopologySpec::HyperX { dims, widths, nodes_per_switch, by_distance } => {
                hyperx::build(dims, widths, *nodes_per_switch, *by_distance)
            }
            TopologySpec::PodFatTree { switch_ports } => xgft::of_pods(*switch_ports),
            TopologySpec::Xgft { children, parents, widths } => {
                xgft::build(children, parents, widths)
            }
            TopologySpec::DragonflyPlus {
                nodes_per_leaf,
                leaves,
                spines,
                global_links,
                groups,
            } => dragonfly_plus::build(DragonflyPlus {
                nodes_per_leaf: *nodes_per_leaf,
                leaves: *leaves,
                spines: *spines,
                global_links: *global_links,
                groups: *groups,
            }),
            TopologySpec::Jellyfish { switches, links_per_switch, nodes_per_switch, seed } => {
                jellyfish::build(*switches, *links_per_switch, *nodes_per_switch, *seed)
            }
            TopologySpec::Islands { accelerators, islands, rails } => {
                islands::build(*accelerators, *islands, *rails)
            }
            TopologySpec::Graph { switches, links, nodes, leaves } => {
                graph::build(*switches, links, nodes, leaves)
            }
            TopologySpec::Failing { of, links, share, seed } => {
                failures::build(of, links, *share, *seed)
            }
        }
    }

    /// Switches along each dimension of a grid or `HyperX`; empty where there are none.
    pub fn sides(&self) -> &[u32] {
        match &self.family {
            Family::HyperX { dims, .. } => dims,
            _ => &self.dims,
        }
    }

    /// Nodes of a group (of a dragonfly), an island, or a largest subtree (of a fat tree), if there
    /// are several.
    pub fn group_nodes(&self) -> Option<usize> {
        let groups = match &self.family {
            Family::Dragonfly { groups, .. } => *groups,
            Family::DragonflyPlus(fly) => fly.groups,
            Family::Islands { islands, .. } => *islands,
            Family::FatTree { arity, levels } if *levels > 1 => *arity,
            Family::Xgft { children, .. } if children.len() > 1 => *children.last()?,
            _ => 1,
        };
        (groups > 1).then(|| self.nodes / groups as usize)
    }

    /// The neighbour behind a port, or [`SwitchId::NONE`].
    pub fn neighbour(&self, switch: SwitchId, port: usize) -> SwitchId {
        self.neighbours[switch.index() * self.ports + port]
    }

    /// Grid coordinates of the switch a node sits on, dimension 0 first; empty where there is no
    /// grid.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        self.attachments[node.index()].leaves().map_or_else(Vec::new, |home| self.place(home))
    }

    /// Grid coordinates of a switch, dimension 0 first; empty where there is no grid.
    pub fn place(&self, switch: SwitchId) -> Vec<u32> {
        let mut rest = switch.0;
        self.dims
            .iter()
            .map(|&k| {
                let coordinate = rest % k;
                rest /= k;
                coordinate
            })
            .collect()
    }

    /// Links at the switch with most of them, not counting nodes.
    pub fn degree(&self) -> usize {
        let used = |ports: &[SwitchId]| ports.iter().filter(|p| p.is_some()).count();
        self.neighbours.chunks(self.ports.max(1)).map(used).max().unwrap_or(1)
    }

    /// Whether any link has failed.
    pub fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// The ends of every link that has failed, both directions told once.
    pub fn failed_links(&self) -> impl Iterator<Item = (SwitchId, SwitchId)> + '_ {
        let links = self.failed.iter().filter(|failure| !failure.is_way_back);
        links.map(|failure| (failure.from, failure.to))
    }

    /// The links of a switch: port and neighbour, ports in ascending order.
    pub fn links(&self, switch: SwitchId) -> impl Iterator<Item = (usize, SwitchId)> + '_ {
        let ports = &self.neighbours[switch.index() * self.ports..][..self.ports];
        ports.iter().copied().enumerate().filter(|(_, neighbour)| neighbour.is_some())
    }

    /// Wires of the link at a port, where the machine says `usual` for all that have no
    /// width of their own.
    pub fn width(&self, switch: SwitchId, port: usize, usual: u32) -> u32 {
        let own = self.widths.get(switch.index() * self.ports + port);
        own.map_or(usual, |&width| u32::from(width))
    }

    /// How long a flit is on the link at a port, if it has a delay of its own.
    pub fn delay(&self, switch: SwitchId, port: usize) -> Option<Time> {
        self.differing_links.get(switch.index() * self.ports + port)?.delay_ps
    }

    /// The names of the classes of its links; empty where there are none.
    pub fn link_classes(&self) -> Vec<String> {
        self.family.link_classes(self.dims.len())
    }

    /// The class of the link at a place, switch by switch and port by port: a place among
    /// the names.
    pub fn link_class(&self, at: usize) -> usize {
        self.family.link_class(at / self.ports.max(1), at % self.ports.max(1))
    }

    /// Whether every link has one that leads back, and every node enters where it leaves.
    pub fn is_symmetric(&self) -> bool {
        self.first_one_way().is_none()
            && self.attachments.iter().all(|at| !matches!(at, Attachment::Ends { .. }))
    }

    /// Whether every switch has one node, of the same number: nodes can be their own switches.
    pub fn is_direct(&self) -> bool {
        let is_alone = |(node, at): (usize, &Attachment)| match *at {
            Attachment::Switch(switch) => switch.index() == node,
            _ => false,
        };
        self.switches == self.nodes && self.attachments.iter().enumerate().all(is_alone)
    }

    /// The first link, by switch and port, that no link leads back along.
    pub fn first_one_way(&self) -> Option<(SwitchId, SwitchId)> {
        if !matches!(self.family, Family::Graph | Family::Butterfly { .. }) {
            // All others have both directions.
            return None;
        }
        let switches = || (0..self.switches).map(SwitchId::from_index);
        let pairs = || switches().flat_map(|from| self.links(from).map(move |(_, to)| (from, to)));
        let mut known: Vec<_> = pairs().collect();
        known.sort_unstable();
        pairs().find(|&(from, to)| known.binary_search(&(to, from)).is_err())
    }

    /// The fewest channels, both directions together, between two halves of the nodes, where
    /// links have `usual` wires each; `None` where the family has no formula for it.
    ///
    /// See [`Family::bisection`].
    pub fn bisection_channels(&self, usual: u32) -> Option<u64> {
        // No formula knows which links have failed.
        self.family.bisection(self, u64::from(usual)).filter(|_| !self.has_failed())
    }
}

/// Refuses a parameter of a family that is not in a range.
fn check_range(
    field: &str,
    given: u32,
    allowed: std::ops::RangeInclusive<u32>,
) -> Result<(), SpecError> {
    if allowed.contains(&given) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(SpecError::new(
        format!("machine.topology.{field}"),
        given,
        format!("must be {low} to {high}"),
    ))
}

/// Refuses more nodes, or more ports, than a machine may have; `None` is more than any.
fn check_size(
    field: &str,
    given: u32,
    nodes: Option<u64>,
    ports: Option<u64>,
) -> Result<(), SpecError> {
    let refuse = |allowed| Err(SpecError::new(format!("machine.topology.{field}"), given, allowed));
    if nodes.is_none_or(|nodes| nodes > MAX_NODES) {
        return refuse(format!("must give at most {MAX_NODES} nodes"));
    }
    if nodes < Some(2) {
        return refuse("must give at least two nodes".into());
    }
    if ports.is_none_or(|ports| ports > MOST_PORTS) {
        return refuse(format!("must give at most {MOST_PORTS} ports of switches"));
    }
    Ok(())
}

/// One switch with all nodes on it.
fn star(nodes: u32) -> Result<Topology, SpecError> {
    if !(2..=MOST_ON_A_SWITCH).contains(&nodes) {
        return Err(SpecError::new(
            "machine.topology.nodes",
            nodes,
            format!("must be 2 to {MOST_ON_A_SWITCH}"),
        ));
    }
    Ok(Topology {
        family: Family::Star,
        nodes: nodes as usize,
        switches: 1,
        attachments: vec![Attachment::Switch(SwitchId(0)); nodes as usize],
        ..Topology::default()
    })
}

/// Two nodes joined directly.
fn pair() -> Topology {
    Topology {
        family: Family::Pair,
        nodes: 2,
        attachments: vec![Attachment::Node(NodeId(1)), Attachment::Node(NodeId(0))],
        ..Topology::default()
    }
}
