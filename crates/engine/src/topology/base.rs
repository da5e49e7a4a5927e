//! A topology, whatever it is, and what is asked of it.

use super::family::Family;
use crate::ids::{NodeId, SwitchId};
use crate::spec::{InterfaceRule, LinkClass};
use crate::time::Time;

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
    /// Parallel wires of the link at each switch and port; 0, or empty everywhere: as many as
    /// the machine says.
    pub widths: Vec<u16>,
    /// What else differs on the link at each switch and port; empty: nothing.
    pub differing_links: Vec<LinkClass>,
    /// What differs on the links of each node; empty: nothing.
    pub node_links: Vec<LinkClass>,
    /// The names of the classes of links, if they are not those of the family.
    pub class_names: Vec<String>,
    /// If there are such names, the class of the link at each switch and port.
    pub class_of: Vec<u16>,
    /// Where each node is attached.
    pub attachments: Vec<Attachment>,
    /// Switches along each dimension of the grid; empty where there is none.
    pub dims: Vec<u32>,
    /// Whether the lines of the grid are closed to rings.
    pub wraps: bool,
    /// What has failed: no longer among the neighbours.
    pub failed: Vec<Failure>,
    /// The hosts, if nodes are in hosts with several interfaces.
    pub hosts: Option<Box<Hosts>>,
}

/// The hosts of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The network without them, whose nodes are the interfaces.
    pub network: Topology,
    /// By which interface a message leaves its host.
    pub rule: InterfaceRule,
    /// By interface: its host, and its place among those of the host.
    pub places: Vec<(u32, u32)>,
    /// By host: its interfaces, and its switch unless it has none.
    pub hosts: Vec<(Vec<u32>, SwitchId)>,
    /// By node: the interface that is its own.
    pub own: Vec<u32>,
    /// By interface: the port of its switch that leads to its host, unless that has no switch.
    pub exits: Vec<Option<usize>>,
    /// From the arrival of a header at the switch of a host until it asks for an output.
    pub delay_ps: u64,
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

/// One direction of a link that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The switch it came from.
    pub from: SwitchId,
    /// Its port there.
    pub port: usize,
    /// The switch it led to.
    pub to: SwitchId,
    /// Whether it is the way back of one that is listed before.
    pub is_way_back: bool,
}

impl Topology {
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
        let own = self.widths.get(switch.index() * self.ports + port).filter(|&&width| width > 0);
        own.map_or(usual, |&width| u32::from(width))
    }

    /// How long a flit is on the link at a port, if it has a delay of its own.
    pub fn delay(&self, switch: SwitchId, port: usize) -> Option<Time> {
        self.differing_links.get(switch.index() * self.ports + port)?.delay_ps
    }

    /// The names of the classes of its links; empty where there are none.
    pub fn link_classes(&self) -> Vec<String> {
        if self.class_names.is_empty() {
            return self.family.link_classes(self.dims.len());
        }
        self.class_names.clone()
    }

    /// The class of the link at a place, switch by switch and port by port: a place among
    /// the names.
    pub fn link_class(&self, at: usize) -> usize {
        match self.class_of.get(at) {
            Some(&class) => class.into(),
            None => self.family.link_class(at / self.ports.max(1), at % self.ports.max(1)),
        }
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
}
