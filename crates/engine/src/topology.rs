//! Who is wired to whom.
//!
//! A [`Topology`] is a plain graph of switches with numbered ports, the switch
//! each node sits on, and, where the family has them, grid coordinates. Each
//! family is one file that builds one.

mod grid;

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::TopologySpec;
use crate::time::Time;

/// The most nodes a machine may have: channel numbers must fit an event.
pub const MAX_NODES: u64 = 1 << 22;

/// The most nodes on one switch.
const MOST_ON_A_SWITCH: u32 = 1 << 16;

/// The graph of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
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
    /// How much longer than elsewhere a flit is on the wires at each switch and port;
    /// empty: nowhere.
    pub delays: Vec<Time>,
    /// Where each node is attached.
    pub attachments: Vec<Attachment>,
    /// Switches along each dimension of the grid; empty where there is none.
    pub dims: Vec<u32>,
    /// Whether the lines of the grid are closed to rings.
    pub wraps: bool,
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
        }
    }

    /// The neighbour behind a port, or [`SwitchId::NONE`].
    pub fn neighbour(&self, switch: SwitchId, port: usize) -> SwitchId {
        self.neighbours[switch.index() * self.ports + port]
    }

    /// Grid coordinates of a node, dimension 0 first; empty where there is no grid.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        let mut rest = node.0;
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

    /// Channels (both directions) cut when the largest dimension is halved.
    pub fn bisection_channels(&self) -> Option<u64> {
        let largest = u64::from(*self.dims.iter().max()?);
        let lines = if self.wraps && largest > 2 { 4 } else { 2 };
        (largest > 1).then(|| lines * self.nodes as u64 / largest)
    }
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
        nodes: nodes as usize,
        switches: 1,
        attachments: vec![Attachment::Switch(SwitchId(0)); nodes as usize],
        ..Topology::default()
    })
}

/// Two nodes joined directly.
fn pair() -> Topology {
    Topology {
        nodes: 2,
        attachments: vec![Attachment::Node(NodeId(1)), Attachment::Node(NodeId(0))],
        ..Topology::default()
    }
}
