//! The families of topologies, and their formulas.

use super::xgft::levels;
use super::{DragonflyPlus, Topology};

/// What a topology is a member of, with the parameters that routing needs.
///
/// How switches, nodes and ports are numbered stands in the file of each family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// A mesh, torus or hypercube: see [`Topology::dims`] and [`Topology::wraps`].
    Grid,
    /// Two nodes joined directly.
    Pair,
    /// One switch with all nodes on it.
    Star,
    /// The k-ary n-tree.
    FatTree {
        /// Links up, and down, of a switch (k).
        arity: u32,
        /// Levels of switches (n).
        levels: u32,
    },
    /// The k-ary n-fly.
    Butterfly {
        /// Inputs, and outputs, of a switch (k).
        arity: u32,
        /// Stages (n).
        stages: u32,
    },
    /// A tree of switches.
    Tree {
        /// Switches below each switch, by level from the root.
        children: Vec<u32>,
        /// Nodes on every leaf.
        nodes_per_switch: u32,
        /// Wires between a switch of each level and one below it; empty: as everywhere.
        widths: Vec<u16>,
    },
    /// Switches each of which is joined to every other.
    FullyConnected {
        /// Nodes on every switch.
        nodes_per_switch: u32,
    },
    /// Groups of switches, fully connected inside and to each other.
    Dragonfly {
        /// Nodes on every switch (p).
        nodes_per_switch: u32,
        /// Switches of a group (a).
        switches_per_group: u32,
        /// Links from every switch to other groups (h).
        global_links: u32,
        /// Groups (g).
        groups: u32,
    },
    /// A grid whose lines are fully connected.
    HyperX {
        /// Switches along each dimension.
        dims: Vec<u32>,
        /// Wires of a link of each dimension; empty: as everywhere.
        widths: Vec<u16>,
        /// Nodes on every switch.
        nodes_per_switch: u32,
        /// Whether links have classes by distance, too.
        by_distance: bool,
    },
    /// The extended generalised fat tree.
    Xgft {
        /// Children of a switch, by level from the lowest.
        children: Vec<u32>,
        /// Parents of a switch, likewise; none of the highest.
        parents: Vec<u32>,
        /// Wires between each level and the next; empty: as everywhere.
        widths: Vec<u16>,
    },
    /// Groups of leaves and spines, with links between the spines of every two groups.
    DragonflyPlus(DragonflyPlus),
    /// Fully connected accelerators, joined by rails.
    Islands {
        /// Accelerators of an island.
        accelerators: u32,
        /// Islands.
        islands: u32,
        /// Rails.
        rails: u32,
    },
    /// Any other graph: nothing is known of it.
    #[default]
    Graph,
}

impl Family {
    /// The names of the classes of links, where the grid has so many dimensions.
    pub(super) fn link_classes(&self, dimensions: usize) -> Vec<String> {
        match self {
            Self::Grid => (0..dimensions).map(name_of_dimension).collect(),
            Self::HyperX { dims, by_distance: true, .. } => {
                let apart = dims.iter().enumerate().flat_map(|(d, &side)| {
                    (1..side).map(move |apart| format!("{}_{apart}", name_of_dimension(d)))
                });
                apart.collect()
            }
            Self::HyperX { dims, .. } => (0..dims.len()).map(name_of_dimension).collect(),
            Self::Xgft { parents, .. } => {
                (1..=parents.len()).map(|level| format!("level_{level}")).collect()
            }
            Self::Dragonfly { .. } | Self::DragonflyPlus(_) => {
                vec!["local".into(), "global".into()]
            }
            Self::Islands { .. } => vec!["scale_up".into(), "scale_out".into()],
            _ => Vec::new(),
        }
    }

    /// The class of the link at a port of a switch.
    pub(super) fn link_class(&self, switch: usize, port: usize) -> usize {
        match self {
            Self::Grid => port / 2,
            Self::Dragonfly { switches_per_group, .. } => {
                usize::from(port >= *switches_per_group as usize)
            }
            Self::HyperX { dims, by_distance: true, .. } => {
                let (mut place, mut port, mut first) = (switch, port, 0);
                for &side in dims {
                    let side = side as usize;
                    if port < side {
                        return first + port.abs_diff(place % side).max(1) - 1;
                    }
                    (place, port, first) = (place / side, port - side, first + side - 1);
                }
                0
            }
            Self::HyperX { dims, .. } => {
                let ends = dims.iter().scan(0, |end, &side| {
                    *end += side as usize;
                    Some(*end)
                });
                ends.take_while(|&end| end <= port).count()
            }
            Self::Xgft { children, parents, .. } => {
                let levels = levels(children, parents).unwrap_or_default();
                let level = levels.iter().rposition(|level| level.first <= switch).unwrap_or(0);
                level - usize::from(port < children[level] as usize)
            }
            Self::DragonflyPlus(fly) => {
                let place = switch % (fly.leaves + fly.spines) as usize;
                usize::from(place >= fly.leaves as usize && port >= fly.leaves as usize)
            }
            Self::Islands { accelerators, islands, .. } => {
                let (n, all) = (*accelerators as usize, *accelerators as usize * *islands as usize);
                usize::from(switch >= all || port >= n)
            }
            _ => 0,
        }
    }

    /// The fewest channels, both directions together, that must be cut to part one half of
    /// the nodes from the other, if a link has `usual` wires (a link from a node to its
    /// switch is never cut).
    ///
    /// `None` where nobody has a formula that holds: for dragonflies, islands, a graph, an odd arity
    /// or an odd number of subtrees, and where there is one switch. Of a grid the largest
    /// dimension is halved; of an odd number, the larger half has one more. The formulas of
    /// grids and butterfly are those of [Dally & Towles 2004].
    pub fn bisection(&self, topology: &Topology, usual: u64) -> Option<u64> {
        let nodes = topology.nodes as u64;
        match self {
            Self::Grid => {
                let largest = u64::from(*topology.dims.iter().max()?);
                let lines = if topology.wraps && largest > 2 { 4 } else { 2 };
                (largest > 1).then(|| lines * usual * topology.switches as u64 / largest)
            }
            // Every switch of the highest level has half of its links on each side.
            Self::FatTree { arity, levels } => {
                (arity % 2 == 0 && *levels > 1).then_some(nodes * usual)
            }
            // Half of the outputs of the first stage, in which the first digit is set.
            Self::Butterfly { arity, stages } => {
                (arity % 2 == 0 && *stages > 1).then_some(nodes / 2 * usual)
            }
            Self::Tree { children, widths, .. } => tree_bisection(children, widths, usual),
            Self::FullyConnected { .. } => {
                let switches = topology.switches as u64;
                (switches > 1).then(|| 2 * usual * (switches / 2) * switches.div_ceil(2))
            }
            Self::HyperX { dims, widths, .. } => {
                // Halving dimension d cuts side · wires / 2 channels for every switch. That of the
                // least is as small as the second eigenvalue of the graph, side · wires, allows.
                let wires = |d: usize| widths.get(d).map_or(usual, |&width| width.into());
                let side = |d: usize| u64::from(dims[d]);
                let least = (0..dims.len()).map(|d| side(d) * wires(d)).min()?;
                let halved = |d: usize| side(d) * wires(d) == least && side(d) % 2 == 0;
                let switches = topology.switches as u64;
                (0..dims.len()).any(halved).then_some(switches * least / 2)
            }
            // Half of the subtrees of a level are cut off, where that costs least.
            Self::Xgft { children, parents, widths } => {
                let levels = levels(children, parents)?;
                let halves = children.last().is_some_and(|&top| top % 2 == 0) && levels.len() > 1;
                let links = levels.iter().enumerate().take(parents.len()).map(|(number, level)| {
                    let wires = widths.get(number).map_or(usual, |&width| width.into());
                    (level.switches * level.parents) as u64 * wires
                });
                links.min().filter(|_| halves)
            }
            Self::Pair
            | Self::Star
            | Self::Dragonfly { .. }
            | Self::DragonflyPlus(_)
            | Self::Islands { .. }
            | Self::Graph => None,
        }
    }
}

/// The name of a dimension: x, y, z, x3, x4, ….
fn name_of_dimension(dimension: usize) -> String {
    match dimension {
        0..3 => ["x", "y", "z"][dimension].into(),
        _ => format!("x{dimension}"),
    }
}

/// Half of the subtrees of the root are cut off, each where that costs least.
///
/// No other half costs less: at one level, all subtrees cost the same per node cut off.
fn tree_bisection(children: &[u32], widths: &[u16], usual: u64) -> Option<u64> {
    let first = children.first().filter(|&&count| count % 2 == 0)?;
    let mut switches = 1;
    let mut least = u64::MAX;
    for (level, &count) in children.iter().enumerate() {
        if level > 0 {
            switches *= u64::from(count);
        }
        let width = widths.get(level).map_or(usual, |&width| u64::from(width));
        least = least.min(switches * width);
    }
    Some(u64::from(*first) * least)
}
