//! Faults of links while a run goes on.

use super::topology::FailedLink;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Links that are down for a time, or slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which links.
    pub at: FaultAt,
    /// When it begins.
    pub from_ps: Time,
    /// When it is repaired.
    pub until_ps: Time,
    /// What is left of the rate, in millionths; 0: the link is down.
    pub share: u32,
}

/// Where a fault is: both directions of all links that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultAt {
    /// A link between two switches, or all of several.
    Link(FailedLink),
    /// All links of a switch, those of its nodes included.
    Switch(u32),
    /// The links of a node.
    Node(u32),
}
