//! Which way packets go: one file per algorithm, all of which are registered here.
//!
//! Routing is a pure question: by which outputs may a packet leave a switch? Which of
//! several that are free it takes is the fabric's choice.
//!
//! An algorithm may tell several *classes* of a link's virtual channels apart. What it
//! answers with are *slots*: `port · classes + class`. What it has to remember of one
//! packet is a number the packet carries, its *route*.

mod adaptive;
mod algorithm;
mod ancestor;
mod base;
mod deflection;
pub mod dependency;
mod destination_tag;
mod detour;
mod dimension_order;
mod distances;
mod dragonfly;
mod first_hop;
mod fixed;
mod grid;
mod groups;
mod hop_classes;
mod hyperx;
mod leaf_spine;
mod named;
mod nearer;
mod odd_even;
mod outputs;
pub mod possible;
mod prepared;
mod profitable;
mod properties;
mod rails;
mod ring_order;
mod source_routes;
mod table;
mod turn_model;
mod two_phase;
mod up_down;
#[cfg(test)]
mod walk;

use crate::error::SpecError;
use crate::ids::NodeId;
use crate::spec::{RoutingSpec, Weighing};
use crate::topology::{Family, Topology};
use adaptive::Adaptive;
use ancestor::{Ancestor, Up};
use base::Base;
use deflection::Deflection;
use destination_tag::DestinationTag;
use detour::{Choice, Detour};
use dimension_order::DimensionOrder;
use first_hop::FirstHop;
use fixed::Fixed;
use grid::Grid;
use hop_classes::HopClasses;
use hyperx::HyperX;
use odd_even::OddEven;
pub use outputs::Outputs;
pub use prepared::Routing;
use profitable::Profitable;
pub use properties::Properties;
use ring_order::{RingOrder, Split};
use source_routes::SourceRoutes;
use table::Table;
use turn_model::{First, TurnModel};
use two_phase::TwoPhase;
use up_down::{UpDown, check_symmetry};

/// What routing knows of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// What its routing algorithm has to remember of it.
    pub route: u32,
}

/// What becomes of packets that cannot come nearer at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// They wait where they are.
    Wait,
    /// They leave by any output that is free.
    Deflect,
    /// They are stored in the switch, and some leave by any output when it is full.
    Store,
}

/// The algorithms for any switches and links with a way back.
const ANYWHERE: [&str; 10] = [
    "up_down",
    "shortest",
    "hop_classes",
    "valiant",
    "ugal_l",
    "ugal_g",
    "chaos",
    "deflection",
    "table",
    "source_routes",
];

/// Those of them that need no way back.
const ONE_WAY: [&str; 4] = ["shortest", "hop_classes", "table", "source_routes"];

/// The algorithms that are made for a kind of topology, the usual one first.
fn made_for(kind: &str) -> &'static [&'static str] {
    match kind {
        "mesh" | "concentrated_mesh" => {
            &["dimension_order", "west_first", "negative_first", "odd_even", "minimal_adaptive"]
        }
        "hypercube" => &["dimension_order", "west_first", "negative_first", "minimal_adaptive"],
        "torus" | "concentrated_torus" => &["dimension_order", "minimal_adaptive"],
        "hyperx" => &["dimension_order"],
        "fat_tree" | "pod_fat_tree" | "xgft" => &["nearest_common_ancestor", "d_mod_k", "s_mod_k"],
        "butterfly" => &["destination_tag"],
        "dragonfly" | "dragonfly_plus" => &["minimal", "par"],
        "islands" => &["minimal"],
        "fully_connected" => &["shortest"],
        "slim_fly" | "jellyfish" => &["hop_classes"],
        _ => &[],
    }
}

/// All algorithms.
enum Chosen {
    /// Dimension order on open grids, where it must be fast.
    DimensionOrder(DimensionOrder),
    /// One way from anywhere to anywhere.
    Fixed(Fixed),
    /// By way of a random node.
    TwoPhase(TwoPhase),
    /// By way of a random node or group, or directly.
    Detour(Detour),
    /// Some directions before all others.
    TurnModel(TurnModel),
    /// Turns that depend on the column.
    OddEven(OddEven),
    /// Any nearer way, and a way out.
    Adaptive(Adaptive),
    /// Any way.
    Deflection(Deflection),
    /// Up a tree, then down.
    UpDown(UpDown),
    /// The whole way of every pair.
    SourceRoutes(SourceRoutes),
    /// Up a fat tree, then down.
    Ancestor(Ancestor),
    /// Through a butterfly.
    DestinationTag(DestinationTag),
    /// Any nearer way.
    Profitable(Profitable),
    /// Shortest paths by ascending classes.
    HopClasses(HopClasses),
    /// Any nearer way first.
    FirstHop(FirstHop),
}

/// Does the same with whichever algorithm it is.
macro_rules! match_algorithm {
    ($chosen:expr, $routing:ident => $does:expr) => {
        match $chosen {
            Chosen::DimensionOrder($routing) => $does,
            Chosen::Fixed($routing) => $does,
            Chosen::TwoPhase($routing) => $does,
            Chosen::Detour($routing) => $does,
            Chosen::TurnModel($routing) => $does,
            Chosen::OddEven($routing) => $does,
            Chosen::Adaptive($routing) => $does,
            Chosen::Deflection($routing) => $does,
            Chosen::UpDown($routing) => $does,
            Chosen::SourceRoutes($routing) => $does,
            Chosen::Ancestor($routing) => $does,
            Chosen::DestinationTag($routing) => $does,
            Chosen::Profitable($routing) => $does,
            Chosen::FirstHop($routing) => $does,
            Chosen::HopClasses($routing) => $does,
        }
    };
}
use match_algorithm;

impl Chosen {
    /// Prepares the algorithm that is asked for.
    pub fn new(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        let name = spec.name();
        Ok(match spec {
            RoutingSpec::DimensionOrder { order, .. }
            | RoutingSpec::DimensionOrderByWrapping { order }
                if matches!(topology.family, Family::HyperX { .. }) =>
            {
                Self::Fixed(Fixed::new(Base::Lines(HyperX::new(name, order, topology)?)))
            }
            RoutingSpec::DimensionOrder { order, balanced } => {
                let split = if *balanced { Split::Balanced } else { Split::Dateline };
                Self::in_order(Grid::new(name, order, topology)?, split)
            }
            RoutingSpec::DimensionOrderByWrapping { order } => {
                Self::in_order(Grid::new(name, order, topology)?, Split::Wrapping)
            }
            RoutingSpec::Valiant { order } => Self::TwoPhase(TwoPhase::new(name, order, topology)?),
            RoutingSpec::ValiantByGroups => {
                if !matches!(topology.family, Family::Dragonfly { .. } | Family::DragonflyPlus(_)) {
                    let allowed = "must be node: there are no groups";
                    return Err(SpecError::new("machine.routing.intermediate", "group", allowed));
                }
                let weighing = Weighing::default();
                Self::Detour(Detour::new(name, Choice::Always, weighing, &[], topology)?)
            }
            RoutingSpec::UgalL { order, weighing } => {
                Self::Detour(Detour::new(name, Choice::Locally, *weighing, order, topology)?)
            }
            RoutingSpec::UgalG { order, weighing } => {
                Self::Detour(Detour::new(name, Choice::Globally, *weighing, order, topology)?)
            }
            RoutingSpec::Par { weighing } => {
                Self::Detour(Detour::new(name, Choice::Progressively, *weighing, &[], topology)?)
            }
            RoutingSpec::WestFirst => {
                Self::TurnModel(TurnModel::new(name, First::AllButLast, topology)?)
            }
            RoutingSpec::NegativeFirst => {
                Self::TurnModel(TurnModel::new(name, First::All, topology)?)
            }
            RoutingSpec::OddEven => Self::OddEven(OddEven::new(name, topology)?),
            RoutingSpec::MinimalAdaptive { order } => {
                Self::Adaptive(Adaptive::new(name, order, topology)?)
            }
            RoutingSpec::Chaos => {
                check_symmetry(name, topology)?;
                Self::Profitable(Profitable::new(name, topology, true)?)
            }
            RoutingSpec::Deflection => {
                check_symmetry(name, topology)?;
                Self::Deflection(Deflection::new(name, topology)?)
            }
            RoutingSpec::UpDown { root, adaptive } => {
                Self::UpDown(UpDown::new(*root, *adaptive, topology)?)
            }
            RoutingSpec::Shortest => {
                Self::Fixed(Fixed::new(Base::Paths(Table::shortest(name, topology)?)))
            }
            RoutingSpec::Table { hops, next, classes } => {
                let table = Table::given(*hops, next, classes, topology)?;
                Self::Fixed(Fixed::new(Base::Paths(table)))
            }
            RoutingSpec::SourceRoutes { hops, routes } => {
                Self::SourceRoutes(SourceRoutes::new(*hops, routes, topology)?)
            }
            RoutingSpec::NearestCommonAncestor { adaptive } => {
                let up = if *adaptive { Up::Any } else { Up::Destination };
                Self::Ancestor(Ancestor::new(name, up, topology)?)
            }
            RoutingSpec::RandomAncestor => {
                Self::Ancestor(Ancestor::new(name, Up::Drawn, topology)?)
            }
            RoutingSpec::DModK => Self::Ancestor(Ancestor::new(name, Up::Destination, topology)?),
            RoutingSpec::SModK => Self::Ancestor(Ancestor::new(name, Up::Source, topology)?),
            RoutingSpec::DestinationTag => {
                Self::DestinationTag(DestinationTag::new(name, topology)?)
            }
            RoutingSpec::Minimal => Self::Fixed(Fixed::new(Base::minimal(name, topology)?)),
            RoutingSpec::HopClasses => Self::HopClasses(HopClasses::new(name, topology)?),
            RoutingSpec::Profitable => Self::Profitable(Profitable::new(name, topology, false)?),
            RoutingSpec::FirstHop { order } => {
                Self::FirstHop(FirstHop::new(name, order, topology)?)
            }
        })
    }

    /// One dimension after the other.
    fn in_order(grid: Grid, split: Split) -> Self {
        if grid.has_rings() {
            Self::Fixed(Fixed::new(Base::Rings(RingOrder::new(grid, split))))
        } else {
            Self::DimensionOrder(DimensionOrder::new(grid))
        }
    }
}
