//! Which way packets go, as users describe it.

use super::traffic_class::TrafficClass;
use serde::{Deserialize, Serialize};

/// Which way packets go, and how one of several ways is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routing {
    /// Which outputs are allowed.
    pub algorithm: RoutingSpec,
    /// Which of several free outputs a packet takes.
    #[serde(default)]
    pub selection: Selection,
    /// Most channels a packet may cross; one more is a livelock.
    #[serde(default = "most_hops")]
    pub hop_limit: u16,
    /// Which of several parallel links between two switches a packet takes.
    #[serde(default, skip_serializing_if = "ParallelLinks::is_usual")]
    pub parallel_links: ParallelLinks,
    /// Whether a routing that can deadlock is simulated all the same.
    #[serde(default)]
    pub allow_deadlock: bool,
    /// The traffic classes of the workload, which may have virtual channels of their own; none:
    /// all packets are alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic_classes: Vec<TrafficClass>,
}

/// Hops are counted in 16 bits.
fn most_hops() -> u16 {
    u16::MAX - 1
}

impl Default for Routing {
    /// Dimension order.
    fn default() -> Self {
        Self {
            algorithm: RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false },
            selection: Selection::First,
            parallel_links: ParallelLinks::Any,
            hop_limit: most_hops(),
            allow_deadlock: false,
            traffic_classes: Vec::new(),
        }
    }
}

/// Which of the outputs that routing allows, and that are free, a packet takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// The first that routing names.
    #[default]
    First,
    /// Any, all equally likely.
    Random,
    /// The one with the fewest packets waiting in the buffer at its end.
    FewestWaiting,
    /// The one with the most room in the buffer at its end.
    MostCredit,
}

impl Selection {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Random => "random",
            Self::FewestWaiting => "fewest_waiting",
            Self::MostCredit => "most_credit",
        }
    }
}

/// Which of several parallel links between two switches a packet takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParallelLinks {
    /// Any that is free.
    #[default]
    Any,
    /// By its destination: the sum of the coordinates of the switch there, or without a grid that
    /// switch's number, modulo how many links there are.
    Destination,
}

impl ParallelLinks {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Destination => "destination",
        }
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_usual(&self) -> bool {
        *self == Self::Any
    }
}

/// The routing algorithms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RoutingSpec {
    /// One dimension after the other ("greedy"); on a torus with two classes of virtual
    /// channels.
    DimensionOrder {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
        /// Whether packets that cross no dateline are spread over both classes of a torus.
        #[serde(default)]
        balanced: bool,
    },
    /// The same, but on a torus a packet's class in a dimension depends on whether it wraps round
    /// there, and half a ring away it goes either way at random [Jiang et al. 2013].
    DimensionOrderByWrapping {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
    },
    /// The same, but on a torus half a ring away all packets go the same way.
    DimensionOrderOneWay {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
        /// Whether they go upwards.
        rises: bool,
    },
    /// Valiant's: by way of a random node: dimension order on grids, [`Self::Minimal`] on dragonflies,
    /// without a choice on fat trees, else shortest paths, to it and on.
    Valiant {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
    },
    /// The same by way of a random switch that has nodes.
    ValiantBySwitches {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
    },
    /// The same on a dragonfly or dragonfly+ by way of a random group.
    ValiantByGroups,
    /// By way of a random node or group or directly, by the load of the first link.
    UgalL {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
        /// How the two ways are compared.
        #[serde(default)]
        weighing: Weighing,
    },
    /// The same by the loads of all links of both ways.
    UgalG {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
        /// How the two ways are compared.
        #[serde(default)]
        weighing: Weighing,
    },
    /// On dragonflies: by the load of the next link, again at every switch of the first group.
    Par {
        /// How the two ways are compared.
        #[serde(default)]
        weighing: Weighing,
    },
    /// On a `HyperX`: in any dimension directly or by way of one other switch, by the load of the
    /// next link at every switch.
    Dal {
        /// How the two ways are compared.
        #[serde(default)]
        weighing: Weighing,
    },
    /// Descending first in all dimensions but the last, then any way that is nearer: in
    /// two dimensions, west first.
    WestFirst,
    /// Descending first in all dimensions, then ascending.
    NegativeFirst,
    /// Turns that depend on whether a column is even or odd; in two dimensions.
    OddEven,
    /// Any way that is nearer, and dimension order as the way out.
    MinimalAdaptive {
        /// Dimensions in the order the way out takes them; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
    },
    /// Any way that is nearer; the switch sends packets further away when it is full.
    Chaos,
    /// Any way at all, those that are nearer first: packets are never stored.
    Deflection,
    /// Up the links of a spanning tree, then down, by the shortest such way.
    UpDown {
        /// The switch at the top; absent: the first of those with the most links.
        #[serde(default)]
        root: Option<u32>,
        /// Whether packets may choose among several shortest ways.
        #[serde(default = "yes")]
        adaptive: bool,
    },
    /// Along the spanning tree of switched Ethernet, whose root is switch 0; other links are blocked.
    SpanningTree,
    /// Shortest paths, the lowest port first.
    Shortest,
    /// Shortest paths, one for each flow by a hash.
    Ecmp {
        /// What a flow is.
        #[serde(default)]
        flow: Flow,
        /// Which hash.
        #[serde(default)]
        seed: u64,
    },
    /// Shortest paths, one for each packet.
    Spray {
        /// How it is chosen.
        #[serde(default)]
        turns: Turns,
    },
    /// The next hop for every switch and destination.
    Table {
        /// What the numbers in `next` are.
        #[serde(default)]
        hops: Hops,
        /// By switch, then by destination node; what stands at the destination's own
        /// switch is not looked at.
        #[serde(with = "super::rows")]
        next: Vec<Vec<u32>>,
        /// The class of the virtual channels taken there; empty: 0 everywhere.
        #[serde(default)]
        classes: Vec<Vec<u8>>,
    },
    /// The whole way of every pair of nodes.
    SourceRoutes {
        /// What the numbers in the routes are.
        #[serde(default)]
        hops: Hops,
        /// One for each pair of nodes on different switches.
        routes: Vec<SourceRoute>,
    },
    /// On fat trees: up to a switch above the destination, then down.
    NearestCommonAncestor {
        /// Whether packets may go up any way; else by the destination's digits.
        #[serde(default = "yes")]
        adaptive: bool,
    },
    /// The same by a way up that is drawn for every packet.
    RandomAncestor,
    /// The same by the number of the destination.
    DModK,
    /// The same by the number of the source on the way up.
    SModK,
    /// On butterflies: the only way.
    DestinationTag,
    /// On dragonflies, and between islands: from group to group directly.
    Minimal,
    /// The same on a dragonfly, where a packet's class depends on whether it has set out for
    /// another group [Jiang et al. 2013].
    MinimalByCrossing,
    /// Shortest paths, each hop in the class of virtual channels of its number.
    HopClasses,
    /// On meshes and hypercubes: by labels along a path through all switches, up or down.
    Hamiltonian,
    /// Any way that is nearer, at every step.
    Profitable,
    /// Any way that is nearer at the first step, then one dimension after the other.
    FirstHop {
        /// Dimensions in the order they are routed; empty means 0, 1, 2, ….
        #[serde(default)]
        order: Vec<u32>,
    },
}

/// When a packet goes directly rather than by a way round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighing {
    /// Flits by which the direct way may be more loaded.
    #[serde(default)]
    pub threshold: i32,
    /// Whether the direct way may be twice as loaded as the other; else loads weigh as many hops
    /// as the ways have.
    #[serde(default)]
    pub doubles: bool,
    /// Whether what waits for an output in its switch is no load of it, only what is behind it.
    #[serde(default)]
    pub only_behind: bool,
}

/// What packets have in common that go one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Source and destination nodes.
    #[default]
    Pair,
    /// Source and destination processes.
    ProcessPair,
    /// The message.
    Message,
}

/// How each packet is given a way of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turns {
    /// Drawn, all outputs of a switch equally likely.
    #[default]
    Random,
    /// The outputs of its first switch in turn.
    RoundRobin,
}

/// Stands in a table where there is no hop.
pub const NO_HOP: u32 = u32::MAX;

/// How a hop is named in routing tables and source routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hops {
    /// By the port a packet leaves its switch by.
    #[default]
    Ports,
    /// By the switch it goes to.
    Switches,
}

/// The way from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRoute {
    /// The node it begins at.
    pub source: u32,
    /// The node it ends at.
    pub destination: u32,
    /// One hop for every switch on the way but the last.
    pub hops: Vec<u32>,
    /// The class of the virtual channels taken at each hop; empty: 0 everywhere.
    #[serde(default)]
    pub classes: Vec<u8>,
}

fn yes() -> bool {
    true
}

impl RoutingSpec {
    /// The name of the algorithm in experiment files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::DimensionOrder { .. }
            | Self::DimensionOrderByWrapping { .. }
            | Self::DimensionOrderOneWay { .. } => "dimension_order",
            Self::Valiant { .. } | Self::ValiantBySwitches { .. } | Self::ValiantByGroups => {
                "valiant"
            }
            Self::UgalL { .. } => "ugal_l",
            Self::UgalG { .. } => "ugal_g",
            Self::Par { .. } => "par",
            Self::Dal { .. } => "dal",
            Self::Ecmp { .. } => "ecmp",
            Self::Spray { .. } => "spray",
            Self::WestFirst => "west_first",
            Self::NegativeFirst => "negative_first",
            Self::OddEven => "odd_even",
            Self::MinimalAdaptive { .. } => "minimal_adaptive",
            Self::Chaos => "chaos",
            Self::Deflection => "deflection",
            Self::UpDown { .. } => "up_down",
            Self::SpanningTree => "spanning_tree",
            Self::Shortest => "shortest",
            Self::Table { .. } => "table",
            Self::SourceRoutes { .. } => "source_routes",
            Self::NearestCommonAncestor { .. } | Self::RandomAncestor => "nearest_common_ancestor",
            Self::DModK => "d_mod_k",
            Self::SModK => "s_mod_k",
            Self::DestinationTag => "destination_tag",
            Self::Minimal | Self::MinimalByCrossing => "minimal",
            Self::HopClasses => "hop_classes",
            Self::Hamiltonian => "hamiltonian",
            Self::Profitable => "profitable",
            Self::FirstHop { .. } => "first_hop",
        }
    }
}
