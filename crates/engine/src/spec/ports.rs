//! The ports at which inputs of switches are.

use serde::{Deserialize, Serialize};

/// At which ports of switches links end: in this order they take turns where turns are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ports {
    /// Of every node's link; empty: nodes come before links, in the order of their numbers.
    #[serde(default)]
    pub nodes: Vec<u32>,
    /// Of every link from a switch, by switch and its ports: the port of the switch that it leads to;
    /// empty: that of the link back, or (where there is none) behind all others.
    #[serde(default)]
    pub links: Vec<u32>,
}
