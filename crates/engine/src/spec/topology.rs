//! Families of topologies.

use super::absent::one;
use super::hosts::Hosts;
use super::link::LinkClass;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The families of topologies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TopologySpec {
    /// An open grid with `dims[i]` switches along dimension i, one node each.
    Mesh {
        /// Switches along each dimension; dimension 0 is x.
        dims: Vec<u32>,
    },
    /// A grid whose lines are closed to rings.
    Torus {
        /// Switches along each dimension; dimension 0 is x.
        dims: Vec<u32>,
    },
    /// The binary n-cube.
    Hypercube {
        /// The degree n; there are 2^n nodes.
        dimensions: u32,
    },
    /// Two nodes joined directly, without a switch.
    Pair,
    /// One switch with all nodes on it.
    Star {
        /// How many nodes.
        nodes: u32,
    },
    /// The k-ary n-tree: a fat tree of equal switches.
    FatTree {
        /// Links up, and down, of a switch: k.
        arity: u32,
        /// Levels of switches: n; there are k^n nodes.
        levels: u32,
    },
    /// The k-ary n-fly: stages of switches that are crossed in one direction.
    Butterfly {
        /// Inputs, and outputs, of a switch: k.
        arity: u32,
        /// Stages: n; there are k^n nodes.
        stages: u32,
    },
    /// A tree of switches with the nodes on its leaves.
    Tree {
        /// Switches below each switch, by level from the root; the level after the last are leaves.
        children: Vec<u32>,
        /// Nodes on every leaf.
        nodes_per_switch: u32,
        /// Wires between a switch of each level and one below it; empty: as everywhere.
        #[serde(default)]
        widths: Vec<u16>,
    },
    /// Switches each of which is joined to every other.
    FullyConnected {
        /// How many switches.
        switches: u32,
        /// Nodes on every switch.
        nodes_per_switch: u32,
    },
    /// Groups of switches, fully connected inside and to each other.
    Dragonfly {
        /// Nodes on every switch: p.
        nodes_per_switch: u32,
        /// Switches of a group: a.
        switches_per_group: u32,
        /// Links from every switch to other groups: h.
        global_links: u32,
        /// Groups: g, at most `a·h + 1`.
        groups: u32,
    },
    /// The MMS graphs: any two switches are at most two links apart.
    SlimFly {
        /// A power of a prime, but not 2; there are 2q² switches.
        q: u32,
        /// Nodes on every switch: p.
        nodes_per_switch: u32,
    },
    /// An open grid with several nodes on every switch.
    ConcentratedMesh {
        /// Switches along each dimension; dimension 0 is x.
        dims: Vec<u32>,
        /// Nodes on every switch.
        nodes_per_switch: u32,
    },
    /// The same with lines closed to rings.
    ConcentratedTorus {
        /// Switches along each dimension; dimension 0 is x.
        dims: Vec<u32>,
        /// Nodes on every switch.
        nodes_per_switch: u32,
    },
    /// A grid whose lines are fully connected.
    #[serde(rename = "hyperx")]
    HyperX {
        /// Switches along each dimension; dimension 0 is x.
        dims: Vec<u32>,
        /// Wires of a link of each dimension; empty: as everywhere.
        #[serde(default)]
        widths: Vec<u16>,
        /// Nodes on every switch.
        nodes_per_switch: u32,
        /// Whether links have classes by how many switches apart they join two, too.
        #[serde(default)]
        by_distance: bool,
    },
    /// The k-ary fat tree of k pods.
    PodFatTree {
        /// Ports of a switch: k.
        switch_ports: u32,
    },
    /// The extended generalised fat tree.
    Xgft {
        /// Children of a switch, by level from the lowest, whose children are nodes.
        children: Vec<u32>,
        /// Parents of a switch, by level from the lowest; the highest has none.
        parents: Vec<u32>,
        /// Wires between each level and the next; empty: as everywhere.
        #[serde(default)]
        widths: Vec<u16>,
    },
    /// Groups of leaves and spines, with links between the spines of every two groups.
    DragonflyPlus {
        /// Nodes on every leaf: p.
        nodes_per_leaf: u32,
        /// Leaves of a group: l.
        leaves: u32,
        /// Spines of a group: s.
        spines: u32,
        /// Links from every spine to other groups: h.
        global_links: u32,
        /// Groups: g, at most `s·h + 1`.
        groups: u32,
    },
    /// A random regular graph.
    Jellyfish {
        /// How many switches.
        switches: u32,
        /// Links from every switch to others.
        links_per_switch: u32,
        /// Nodes on every switch.
        nodes_per_switch: u32,
        /// Which of all such graphs.
        seed: u64,
    },
    /// Fully connected accelerators, and rails between those of the same place.
    Islands {
        /// Accelerators of an island.
        accelerators: u32,
        /// Islands.
        islands: u32,
        /// Rails: a divisor of the accelerators.
        rails: u32,
    },
    /// The Kautz graph K(d, k), whose links lead one way.
    Kautz {
        /// Links from every switch: d.
        links_per_switch: u32,
        /// Links of the longest way: k; there are `(d + 1)·d^(k-1)` switches.
        diameter: u32,
        /// Nodes on every switch.
        nodes_per_switch: u32,
    },
    /// Any switches and links.
    Graph {
        /// How many switches.
        switches: u32,
        /// The links, one direction each.
        links: Vec<GraphLink>,
        /// The switch each node sends to.
        nodes: Vec<u32>,
        /// The switch each node receives from; empty: the one it sends to.
        #[serde(default)]
        leaves: Vec<u32>,
        /// What differs on the links of each node; empty: nothing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        node_links: Vec<LinkClass>,
        /// The names of the classes that links may be of.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        classes: Vec<String>,
    },
    /// Any of these, some links of which have failed.
    Failing {
        /// What it would be.
        of: Box<Self>,
        /// The links that have failed.
        #[serde(default)]
        links: Vec<FailedLink>,
        /// How many of all links have failed besides, drawn at random, in millionths.
        #[serde(default)]
        share: u32,
        /// Which of all such draws.
        #[serde(default)]
        seed: u64,
    },
    /// Any of these, whose nodes are interfaces of hosts.
    Hosts {
        /// What the interfaces are on.
        of: Box<Self>,
        /// The hosts.
        hosts: Hosts,
    },
}

/// One link that has failed, or several that join the same two switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FailedLink {
    /// All links between two switches.
    Between(u32, u32),
    /// The one at a port of a switch.
    At {
        /// The switch.
        switch: u32,
        /// The port.
        port: u32,
    },
}

impl TopologySpec {
    /// The names of all families in experiment files.
    pub const KINDS: &[&'static str] = &[
        "mesh",
        "torus",
        "hypercube",
        "pair",
        "star",
        "fat_tree",
        "butterfly",
        "tree",
        "fully_connected",
        "dragonfly",
        "slim_fly",
        "concentrated_mesh",
        "concentrated_torus",
        "hyperx",
        "pod_fat_tree",
        "xgft",
        "dragonfly_plus",
        "jellyfish",
        "islands",
        "kautz",
        "graph",
    ];

    /// The same with links that have failed: those named, and a share (in millionths) drawn.
    #[must_use]
    pub fn failing(self, links: Vec<FailedLink>, share: u32, seed: u64) -> Self {
        Self::Failing { of: Box::new(self), links, share, seed }
    }

    /// The same as if no link had failed.
    pub fn whole(&self) -> &Self {
        match self {
            Self::Failing { of, .. } => of.whole(),
            _ => self,
        }
    }
}

/// A link of a [`TopologySpec::Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphLink {
    /// The switch it comes from.
    pub from: u32,
    /// The switch it leads to.
    pub to: u32,
    /// Its wires.
    #[serde(default = "one")]
    pub width: u16,
    /// Its class, a place among the names; without names of no meaning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub class: u16,
    /// Time of a data or header flit; absent: as of other links.
    #[serde(default)]
    pub flit_ps: Option<Time>,
    /// Time of a control token; absent: as of other links.
    #[serde(default)]
    pub control_ps: Option<Time>,
    /// Time a flit is on the wire; absent: as of other links.
    #[serde(default)]
    pub delay_ps: Option<Time>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u16) -> bool {
    *number == 0
}

impl GraphLink {
    /// A link of so many wires, else as the others.
    pub fn new(from: u32, to: u32, width: u16) -> Self {
        Self { from, to, width, class: 0, flit_ps: None, control_ps: None, delay_ps: None }
    }

    /// What differs on it, width apart.
    pub fn differs(&self) -> LinkClass {
        let (flit_ps, control_ps, delay_ps) = (self.flit_ps, self.control_ps, self.delay_ps);
        LinkClass { flit_ps, control_ps, delay_ps, ..LinkClass::default() }
    }
}
