//! Who is wired to whom.
//!
//! A [`Topology`] is a plain graph of switches with numbered ports, the switch
//! each node sits on, and, where the family has them, grid coordinates. Each
//! family is one file that builds one; how its switches, nodes and ports are
//! numbered stands at the head of that file, for routing to rely on.

mod base;
mod bisection;
mod butterfly;
mod dragonfly;
mod dragonfly_plus;
mod failures;
mod family;
mod fat_tree;
mod fully_connected;
mod graph;
mod grid;
mod hosts;
mod hyperx;
mod islands;
mod jellyfish;
mod kautz;
pub(crate) mod levels;
mod limits;
mod near;
mod outages;
mod slim_fly;
mod tree;
mod xgft;

pub use base::{Attachment, Failure, Hosts, Topology};
pub use failures::Links;
pub use family::{DragonflyPlus, Family};
pub use limits::MAX_NODES;
pub use near::{Neighbourhood, Tree};
pub use outages::{Outage, Span, greatest};

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::TopologySpec;
use limits::MOST_ON_A_SWITCH;

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
            TopologySpec::Kautz { links_per_switch, diameter, nodes_per_switch } => {
                kautz::build(*links_per_switch, *diameter, *nodes_per_switch)
            }
            TopologySpec::Graph { switches, links, nodes, leaves, node_links, classes } => {
                graph::build(*switches, links, nodes, leaves, (node_links, classes))
            }
            TopologySpec::Failing { of, links, share, seed } => {
                failures::fail(Self::new(of)?, links, *share, *seed)
            }
            TopologySpec::Hosts { of, hosts } => hosts::build(&Self::new(of)?, hosts),
        }
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
