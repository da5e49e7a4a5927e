//! All algorithms, and which are made for which topologies.

use super::adaptive::Adaptive;
use super::algorithm::Algorithm;
use super::ancestor::{Ancestor, Up};
use super::base::Base;
use super::dal::Dal;
use super::deflection::Deflection;
use super::destination_tag::DestinationTag;
use super::detour::{Choice, Detour};
use super::dimension_order::DimensionOrder;
use super::ecmp::{Ecmp, Spread};
use super::escaping::Escaping;
use super::first_hop::FirstHop;
use super::fixed::Fixed;
use super::grid::Grid;
use super::hamiltonian::Hamiltonian;
use super::header::Header;
use super::hop_classes::HopClasses;
use super::hosts::Hosts;
use super::hyperx::HyperX;
use super::loads::Loads;
use super::odd_even::OddEven;
use super::profitable::Profitable;
use super::properties::Properties;
use super::ring_order::{RingOrder, Split};
use super::source_routes::SourceRoutes;
use super::table::Table;
use super::turn_model::{First, TurnModel};
use super::two_phase::TwoPhase;
use super::up_down::{UpDown, check_symmetry};
use super::{failed, grid, spanning_tree};
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::Stream;
use crate::spec::{RoutingSpec, Weighing};
use crate::topology::{Family, Topology};
use std::ops::Range;

/// The algorithms for any switches and links with a way back.
pub(super) const ANYWHERE: [&str; 14] = [
    "up_down",
    "spanning_tree",
    "shortest",
    "hop_classes",
    "ecmp",
    "spray",
    "minimal_adaptive",
    "valiant",
    "ugal_l",
    "ugal_g",
    "chaos",
    "deflection",
    "table",
    "source_routes",
];

/// Those of them that need no way back.
pub(super) const ONE_WAY: [&str; 6] =
    ["shortest", "hop_classes", "ecmp", "spray", "table", "source_routes"];

/// The kinds of topology whose links lead one way.
pub(super) const LEAD_ONE_WAY: [&str; 2] = ["butterfly", "kautz"];

/// The algorithms that are made for a kind of topology, the usual one first.
pub(super) fn made_for(kind: &str) -> &'static [&'static str] {
    match kind {
        "mesh" | "concentrated_mesh" => &[
            "dimension_order",
            "west_first",
            "negative_first",
            "odd_even",
            "minimal_adaptive",
            "hamiltonian",
        ],
        "hypercube" => {
            &["dimension_order", "west_first", "negative_first", "minimal_adaptive", "hamiltonian"]
        }
        "torus" | "concentrated_torus" => &["dimension_order", "minimal_adaptive"],
        "hyperx" => &["dimension_order", "minimal_adaptive", "dal"],
        "fat_tree" | "pod_fat_tree" | "xgft" => &["nearest_common_ancestor", "d_mod_k", "s_mod_k"],
        "butterfly" => &["destination_tag"],
        "dragonfly" | "dragonfly_plus" => &["minimal", "par"],
        "islands" => &["minimal"],
        "fully_connected" => &["shortest"],
        "slim_fly" | "jellyfish" | "kautz" => &["hop_classes"],
        _ => &[],
    }
}

/// All algorithms.
pub(super) enum Chosen {
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
    /// Any nearer way, and a way out by dimension order.
    Adaptive(Adaptive),
    /// Any nearer way, and a way out up and down a tree.
    Escaping(Escaping),
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
    /// Shortest paths by flow.
    Ecmp(Ecmp),
    /// Directly or aside in any dimension, by load.
    Dal(Dal),
    /// Any nearer way first.
    FirstHop(FirstHop),
    /// Along a Hamiltonian path.
    Hamiltonian(Hamiltonian),
    /// Any of these between the interfaces of hosts.
    Hosts(Hosts<Within>),
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
            Chosen::Escaping($routing) => $does,
            Chosen::Deflection($routing) => $does,
            Chosen::UpDown($routing) => $does,
            Chosen::SourceRoutes($routing) => $does,
            Chosen::Ancestor($routing) => $does,
            Chosen::DestinationTag($routing) => $does,
            Chosen::Profitable($routing) => $does,
            Chosen::FirstHop($routing) => $does,
            Chosen::HopClasses($routing) => $does,
            Chosen::Ecmp($routing) => $does,
            Chosen::Dal($routing) => $does,
            Chosen::Hamiltonian($routing) => $does,
            Chosen::Hosts($routing) => $does,
        }
    };
}
pub(super) use match_algorithm;

impl Chosen {
    /// Prepares the algorithm that is asked for.
    ///
    /// # Errors
    /// One that the topology cannot have; where links have failed, one that goes by them.
    pub fn new(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        if let Some(hosts) = &topology.hosts {
            let within = Within(Box::new(Self::new(spec, &hosts.network)?));
            if within.0.table().is_some_and(Table::has_gaps) {
                let allowed = "must have a hop for every interface, with machine.hosts";
                return Err(SpecError::new("machine.routing", spec.name(), allowed));
            }
            return Ok(Self::Hosts(Hosts::new(spec.name(), within, hosts)?));
        }
        let chosen = Self::prepared(spec, topology)?;
        if topology.has_failed() {
            let name = spec.name();
            match_algorithm!(&chosen, routing => failed::check(routing, name, topology))?;
        }
        Ok(chosen)
    }

    fn prepared(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        let name = spec.name();
        Ok(match spec {
            RoutingSpec::DimensionOrder { order, .. }
            | RoutingSpec::DimensionOrderByWrapping { order }
            | RoutingSpec::DimensionOrderOneWay { order, .. }
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
            RoutingSpec::DimensionOrderOneWay { order, rises } => {
                Self::in_order(Grid::new(name, order, topology)?, Split::OneWay { rises: *rises })
            }
            RoutingSpec::Valiant { order } => {
                Self::TwoPhase(TwoPhase::new(name, order, false, topology)?)
            }
            RoutingSpec::ValiantBySwitches { order } => {
                Self::TwoPhase(TwoPhase::new(name, order, true, topology)?)
            }
            RoutingSpec::Dal { weighing } => Self::Dal(Dal::new(name, *weighing, topology)?),
            RoutingSpec::Ecmp { flow, seed } => {
                Self::Ecmp(Ecmp::new(name, Spread::Flows(*flow, *seed), topology)?)
            }
            RoutingSpec::Spray { turns } => {
                Self::Ecmp(Ecmp::new(name, Spread::Packets(*turns), topology)?)
            }
            RoutingSpec::ValiantByGroups
            | RoutingSpec::UgalL { .. }
            | RoutingSpec::UgalG { .. }
            | RoutingSpec::Par { .. } => Self::Detour(detour(spec, topology)?),
            RoutingSpec::WestFirst => {
                Self::TurnModel(TurnModel::new(name, First::AllButLast, topology)?)
            }
            RoutingSpec::NegativeFirst => {
                Self::TurnModel(TurnModel::new(name, First::All, topology)?)
            }
            RoutingSpec::OddEven => Self::OddEven(OddEven::new(name, topology)?),
            RoutingSpec::MinimalAdaptive { order }
                if !topology.sides().is_empty() && !topology.has_failed() =>
            {
                Self::Adaptive(Adaptive::new(name, order, topology)?)
            }
            RoutingSpec::MinimalAdaptive { order } => {
                grid::ordered(order, topology.sides().len())?;
                Self::Escaping(Escaping::new(name, topology)?)
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
                Self::UpDown(UpDown::with_roots(name, *root, *adaptive, topology)?)
            }
            RoutingSpec::SpanningTree => {
                Self::Fixed(Fixed::new(Base::Paths(spanning_tree::ways(name, topology)?)))
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
            RoutingSpec::MinimalByCrossing => {
                Self::Fixed(Fixed::new(Base::minimal_by_crossing(name, topology)?))
            }
            RoutingSpec::HopClasses => Self::HopClasses(HopClasses::new(name, topology)?),
            RoutingSpec::Hamiltonian => Self::Hamiltonian(Hamiltonian::new(name, topology)?),
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

impl Chosen {
    /// The table it is, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match self {
            Self::Fixed(routing) => match routing.base() {
                Base::Paths(table) => Some(table),
                _ => None,
            },
            Self::Hosts(hosts) => hosts.algorithm().0.table(),
            _ => None,
        }
    }
}

/// An algorithm that another one stands on. What it calls back has one type, whichever it is: types
/// of callbacks within callbacks would have no end.
pub(super) struct Within(Box<Chosen>);

impl Algorithm for Within {
    fn properties(&self) -> Properties {
        match_algorithm!(self.0.as_ref(), routing => routing.properties())
    }

    fn route_bits(&self) -> u32 {
        match_algorithm!(self.0.as_ref(), routing => routing.route_bits())
    }

    fn fold(&mut self) {
        match_algorithm!(self.0.as_mut(), routing => routing.fold());
    }

    fn begin(&self, source: NodeId, destination: NodeId, way: Option<&mut Stream>) -> u32 {
        match_algorithm!(self.0.as_ref(), routing => routing.begin(source, destination, way))
    }

    fn flow(&self, ends: (ProcessId, ProcessId), before: (u32, u32)) -> u32 {
        match_algorithm!(self.0.as_ref(), routing => routing.flow(ends, before))
    }

    fn begin_flow(&self, ends: (NodeId, NodeId), flow: u32, way: Option<&mut Stream>) -> u32 {
        match_algorithm!(self.0.as_ref(), routing => routing.begin_flow(ends, flow, way))
    }

    fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        match_algorithm!(self.0.as_ref(), routing => routing.beginnings(source, destination))
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        let each: &mut dyn FnMut(u32) = &mut each;
        match_algorithm!(self.0.as_ref(), routing => routing.alternatives(switch, header, each));
    }

    fn decide(&self, switch: SwitchId, header: Header, mut loads: impl Loads) -> u32 {
        let loads: &mut dyn Loads = &mut loads;
        match_algorithm!(self.0.as_ref(), routing => routing.decide(switch, header, loads))
    }

    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let allow: &mut dyn FnMut(usize, u8) = &mut allow;
        match_algorithm!(self.0.as_ref(), routing => routing.allow(switch, header, allow));
    }

    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        match_algorithm!(self.0.as_ref(), routing => routing.passed(switch, header, slot))
    }
}

impl Properties {
    /// Prepares the algorithm, as for a run, and asks it.
    ///
    /// # Errors
    /// An algorithm the topology cannot have.
    pub fn of(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        Ok(match_algorithm!(&Chosen::new(spec, topology)?, routing => routing.properties()))
    }
}

/// Ways round that groups, or loads, decide on.
fn detour(spec: &RoutingSpec, topology: &Topology) -> Result<Detour, SpecError> {
    let (choice, weighing, order): (_, _, &[u32]) = match spec {
        RoutingSpec::UgalL { order, weighing } => (Choice::Locally, *weighing, order),
        RoutingSpec::UgalG { order, weighing } => (Choice::Globally, *weighing, order),
        RoutingSpec::Par { weighing } => (Choice::Progressively, *weighing, &[]),
        _ => (Choice::Always, Weighing::default(), &[]),
    };
    let is_grouped = matches!(topology.family, Family::Dragonfly { .. } | Family::DragonflyPlus(_));
    if choice == Choice::Always && !is_grouped {
        let allowed = "must be node: there are no groups";
        return Err(SpecError::new("machine.routing.intermediate", "group", allowed));
    }
    Detour::new(spec.name(), choice, weighing, order, topology)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TopologySpec;

    #[test]
    fn algorithms_say_what_they_need() {
        let torus = Topology::new(&TopologySpec::Torus { dims: vec![4, 4] }).unwrap();
        let of = |spec| Properties::of(&spec, &torus).unwrap();
        let ordered = of(RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false });
        assert_eq!((ordered.classes, ordered.chooses, ordered.is_known_free), (2, false, true));
        let valiant = of(RoutingSpec::Valiant { order: Vec::new() });
        assert_eq!((valiant.classes, valiant.draws, valiant.remembers), (4, true, true));
        let adaptive = of(RoutingSpec::MinimalAdaptive { order: Vec::new() });
        assert_eq!((adaptive.classes, adaptive.escapes, adaptive.chooses), (3, 2, true));
    }
}
