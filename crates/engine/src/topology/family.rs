//! The families of topologies, and the classes of their links.

use super::levels::levels;

/// What a topology is a member of, with the parameters that routing needs.
///
/// How switches, nodes and ports are numbered stands in the file of each family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// A mesh, torus or hypercube: see [`super::Topology::dims`] and [`super::Topology::wraps`].
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

/// The parameters of a dragonfly+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflyPlus {
    /// Nodes on every leaf (p).
    pub nodes_per_leaf: u32,
    /// Leaves of a group (l).
    pub leaves: u32,
    /// Spines of a group (s).
    pub spines: u32,
    /// Links from every spine to other groups (h).
    pub global_links: u32,
    /// Groups (g).
    pub groups: u32,
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
}

/// The name of a dimension: x, y, z, x3, x4, ….
fn name_of_dimension(dimension: usize) -> String {
    match dimension {
        0..3 => ["x", "y", "z"][dimension].into(),
        _ => format!("x{dimension}"),
    }
}
