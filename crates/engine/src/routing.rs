//! Which way packets go: one file per algorithm.

mod dimension_order;

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::RoutingSpec;
use crate::topology::Topology;
use dimension_order::DimensionOrder;

/// A routing algorithm, ready for one topology.
pub enum Routing {
    /// One dimension after the other.
    DimensionOrder(DimensionOrder),
}

impl Routing {
    /// Prepares an algorithm.
    ///
    /// # Errors
    /// An algorithm the topology cannot have.
    pub fn new(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        match spec {
            RoutingSpec::DimensionOrder { order } => {
                DimensionOrder::new(order, topology).map(Self::DimensionOrder)
            }
        }
    }

    /// The port by which a packet for `destination` leaves `switch`, or `None`
    /// where the destination is attached.
    #[inline]
    pub fn next_port(&self, switch: SwitchId, destination: NodeId) -> Option<usize> {
        match self {
            Self::DimensionOrder(routing) => routing.next_port(switch, destination),
        }
    }
}
