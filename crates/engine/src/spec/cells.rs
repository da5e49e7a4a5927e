//! Line cards in front of a fabric of cells.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Switches that are line cards of one fabric: they take in frames as a whole, cut them into cells
/// of one size, and put them together again where they leave.
///
/// A card has a port into the fabric and one out of it. Each of these, and each link between
/// cards, takes one cell in a cell time, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Bytes of a frame in a cell.
    pub cell_bytes: u32,
    /// Time of a cell on a port or link of the fabric.
    pub cell_ps: Time,
    /// A card leaves one cell time free before every so manieth cell of a frame, counted from 1;
    /// absent: before none.
    #[serde(default)]
    pub pacing: Option<u32>,
    /// From a cell's start at the port into the fabric until it is out of it, on one card.
    pub card_ps: Time,
    /// How much longer that takes if it goes to another card.
    #[serde(default)]
    pub leave_ps: Time,
    /// From a cell's start on a link until it is at the next port or link, besides the delay of
    /// the link.
    #[serde(default)]
    pub hop_ps: Time,
}
