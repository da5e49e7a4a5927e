//! Traffic patterns of the synthetic workload.

use serde::{Deserialize, Serialize};

/// Which nodes send to which [Dally & Towles 2004, table 3.1].
///
/// All but [`Pattern::Uniform`] and [`Pattern::HotSpot`] give every node one
/// destination; a process sends to the process with its own place there, or
/// nothing at all if that is itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pattern {
    /// Any other process within the radius, all equally likely; without coordinates
    /// any other process.
    #[default]
    Uniform,
    /// (x, y) sends to (y, x) on a square grid; else the halves of the node number change places.
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
    /// Written out.
    Permutation {
        /// For every node the node it sends to.
        to: Vec<u32>,
    },
}
