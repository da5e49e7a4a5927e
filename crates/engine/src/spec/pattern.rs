//! Traffic patterns of the synthetic workload.

use serde::{Deserialize, Serialize};

/// Which nodes send to which [Dally & Towles 2004, table 3.1].
///
/// All but [`Pattern::Uniform`], [`Pattern::HotSpot`], [`Pattern::NextGroup`] and
/// [`Pattern::Matrix`] give every node one destination; a process sends to the process with its own place there, or
/// nothing at all if that is itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// Any other process within the radius, all equally likely; without coordinates
    /// any other process.
    #[default]
    Uniform,
    /// (x, y) sends to (y, x) on a square grid, with several nodes on a switch to the one of the
    /// same place; else the halves of the node number change places.
    Transpose,
    /// Every bit of the node number, or every coordinate of a grid, is mirrored.
    BitComplement,
    /// The bits of the node number in reverse order.
    BitReverse,
    /// The bits of the node number rotated to the left by one.
    Shuffle,
    /// ⌈k/2⌉ − 1 further in every dimension, modulo its k.
    Tornado,
    /// One further in every dimension, modulo its k.
    Neighbour,
    /// A share of all messages goes to a few nodes, the rest to any other process.
    HotSpot {
        /// The nodes, all equally likely; none to itself.
        nodes: Vec<u32>,
        /// Which share of the messages, 0 to 1.
        share: f64,
    },
    /// Any process of the next group of a dragonfly, of islands or of a fat tree.
    NextGroup,
    /// Each node in proportion to its weight.
    Matrix {
        /// For every node whom it sends to; nobody: it is silent.
        rows: Vec<Vec<Share>>,
        /// For every node how many times the period of all it has between messages; empty: once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        periods: Vec<f64>,
    },
    /// Written out.
    Permutation {
        /// For every node the node it sends to.
        to: Vec<u32>,
    },
}

/// One destination of a row of a [`Pattern::Matrix`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The node.
    pub to: u32,
    /// Its weight, in any unit.
    pub weight: f64,
}
