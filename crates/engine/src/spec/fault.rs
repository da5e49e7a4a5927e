//! Faults of links and nodes while a run goes on.

use super::topology::FailedLink;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Links that are down for a time, or slower; or a node whose processes and software are slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Where it is.
    pub at: FaultAt,
    /// When it begins.
    pub from_ps: Time,
    /// When it is repaired.
    pub until_ps: Time,
    /// What is left of the rate of links, in millionths; 0: they are down.
    pub share: u32,
    /// How many of 10^18 bits on links are damaged; absent: none.
    #[serde(default)]
    pub bit_errors: Option<u64>,
    /// How many times as long computing and messaging software of nodes take, in millionths; absent:
    /// the fault is one of links.
    #[serde(default)]
    pub time_factor: Option<u64>,
    /// Links that are down: time from a failure, and from a repair, until tables of routing are those of the
    /// network that is left; absent: they stay as they are.
    #[serde(default)]
    pub reroute_ps: Option<Time>,
    /// That it comes again; absent: it comes once.
    #[serde(default)]
    pub again: Option<Again>,
}

/// How a fault comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Time from a repair to the next failure.
    pub up_ps: Time,
    /// No failure begins then or later.
    pub until_ps: Time,
    /// Most failures; absent: as many as begin before that.
    #[serde(default)]
    pub count: Option<u64>,
    /// Seed of times that are drawn from exponential distributions: until a failure with mean `up_ps`,
    /// the first after `from_ps`, and until the repair with the length of the fault as mean; absent:
    /// all are as long as they are described, and the first failure is at `from_ps`.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Where a fault is: both directions of all links that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultAt {
    /// A link between two switches, or all of several.
    Link(FailedLink),
    /// All links of a switch, those of its nodes included.
    Switch(u32),
    /// The links of a node, or the node.
    Node(u32),
    /// At each of many places, apart from the others.
    Each(Places),
}

/// Places of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Places {
    /// The links between switches.
    Link,
    /// The switches.
    Switch,
    /// The nodes.
    Node,
}
