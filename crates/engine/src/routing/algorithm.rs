//! What an algorithm is, and all of them.

use super::adaptive::Adaptive;
use super::ancestor::Ancestor;
use super::base::Base;
use super::deflection::Deflection;
use super::destination_tag::DestinationTag;
use super::dimension_order::DimensionOrder;
use super::dragonfly::Dragonfly;
use super::first_hop::FirstHop;
use super::fixed::Fixed;
use super::grid::Grid;
use super::odd_even::OddEven;
use super::profitable::Profitable;
use super::properties::Properties;
use super::ring_order::RingOrder;
use super::source_routes::SourceRoutes;
use super::table::Table;
use super::turn_model::{First, TurnModel};
use super::two_phase::TwoPhase;
use super::up_down::{UpDown, check_symmetry};
use super::{Header, Outputs};
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::spec::RoutingSpec;
use crate::topology::Topology;
use std::ops::Range;

/// A routing algorithm. What it does not say is what one does that gives one answer and
/// remembers nothing.
pub(super) trait Algorithm {
    /// What it is like; of its classes those it tells apart now.
    fn properties(&self) -> Properties;

    /// Puts all packets into one class, whether they can deadlock then or not.
    fn fold(&mut self) {}

    /// The route of a new packet, drawn from `way` if it draws.
    fn begin(&self, source: NodeId, destination: NodeId, way: Option<&mut Stream>) -> u32 {
        let _ = way;
        self.beginnings(source, destination).start
    }

    /// All routes a new packet may begin with.
    fn beginnings(&self, _source: NodeId, _destination: NodeId) -> Range<u32> {
        0..1
    }

    /// Allows every slot by which a packet may leave `switch`, with its tier; tiers do
    /// not decrease. None where its destination is attached.
    fn allow(&self, switch: SwitchId, header: Header, allow: impl FnMut(usize, u8));

    /// Allows those of them that bring the packet nearer.
    #[inline]
    fn nearer(&self, switch: SwitchId, header: Header, allow: impl FnMut(usize, u8)) {
        self.allow(switch, header, allow);
    }

    /// The first of all of them.
    #[inline]
    fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let mut first = None;
        self.allow(switch, header, |slot, _| {
            first.get_or_insert(slot);
        });
        first
    }

    /// All of them.
    #[inline]
    fn outputs(&self, switch: SwitchId, header: Header, outputs: &mut Outputs) {
        self.allow(switch, header, |slot, tier| outputs.add(slot, tier));
    }

    /// The route of a packet that has taken `slot` (none: has left its node) and is on its
    /// way to `switch`.
    #[inline]
    fn passed(&self, _switch: SwitchId, header: Header, _slot: Option<usize>) -> u32 {
        header.route
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
        }
    };
}
pub(super) use match_algorithm;

impl Chosen {
    /// Prepares the algorithm that is asked for.
    pub fn new(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        let name = spec.name();
        Ok(match spec {
            RoutingSpec::DimensionOrder { order, balanced } => {
                let grid = Grid::new(name, order, topology)?;
                if grid.has_rings() {
                    let base = Base::Rings(RingOrder::new(grid, *balanced));
                    Self::Fixed(Fixed::new(base))
                } else {
                    Self::DimensionOrder(DimensionOrder::new(grid))
                }
            }
            RoutingSpec::Valiant { order } => Self::TwoPhase(TwoPhase::new(name, order, topology)?),
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
                Self::Ancestor(Ancestor::new(name, *adaptive, topology)?)
            }
            RoutingSpec::DestinationTag => {
                Self::DestinationTag(DestinationTag::new(name, topology)?)
            }
            RoutingSpec::Minimal => {
                Self::Fixed(Fixed::new(Base::Groups(Dragonfly::new(name, topology)?)))
            }
            RoutingSpec::Profitable => Self::Profitable(Profitable::new(name, topology, false)?),
            RoutingSpec::FirstHop { order } => {
                Self::FirstHop(FirstHop::new(name, order, topology)?)
            }
        })
    }
}

impl Algorithm for DimensionOrder {
    fn properties(&self) -> Properties {
        Properties::one_way(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some(slot) = self.next(switch, header) {
            allow(slot, 0);
        }
    }
}
