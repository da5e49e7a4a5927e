//! What the network knows of traffic classes.

use serde::{Deserialize, Serialize};

/// What the network knows of a traffic class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficClass {
    /// What it is called.
    pub name: String,
    /// The first and the last virtual channel, of every link, that its packets may use; absent:
    /// any.
    #[serde(default)]
    pub virtual_channels: Option<(u32, u32)>,
    /// How urgent its packets are to arbiters that ask for it; higher is more urgent.
    #[serde(default)]
    pub priority: u16,
}
