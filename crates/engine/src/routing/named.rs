//! Routes that users write down: what their hops mean, and what is wrong with them.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::{Hops, NO_HOP};
use crate::topology::Topology;

/// Finds the links that hops name.
pub struct Namer<'a> {
    /// The links there are.
    pub topology: &'a Topology,
    what: &'static str,
    hops: Hops,
}

impl<'a> Namer<'a> {
    /// For one kind of written routes (`what`, for messages).
    pub fn new(what: &'static str, hops: Hops, topology: &'a Topology) -> Self {
        Self { topology, what, hops }
    }

    /// The port that a hop of a pair's route means at a switch, and the neighbour there.
    ///
    /// # Errors
    /// There is no such link.
    pub fn link(
        &self,
        pair: (NodeId, NodeId),
        switch: SwitchId,
        hop: u32,
    ) -> Result<(usize, SwitchId), SpecError> {
        let ports = self.topology.ports;
        let around = &self.topology.neighbours[switch.index() * ports..][..ports];
        let port = match self.hops {
            Hops::Ports => Some(hop as usize),
            Hops::Switches => around.iter().position(|neighbour| neighbour.0 == hop),
        };
        let found = port.and_then(|port| Some((port, *around.get(port)?)));
        found.filter(|(_, neighbour)| neighbour.is_some()).ok_or_else(|| {
            let missing = match self.hops {
                _ if hop == NO_HOP => format!("switch {} has no hop for it", switch.0),
                Hops::Ports => format!("switch {} has no link at port {hop}", switch.0),
                Hops::Switches => format!("switch {} has no link to switch {hop}", switch.0),
            };
            self.refuse(pair, missing)
        })
    }

    /// The error about one pair's route.
    pub fn refuse(&self, (from, to): (NodeId, NodeId), reason: impl Into<String>) -> SpecError {
        let pair = format!("{}: node {} to node {}", self.what, from.0, to.0);
        SpecError::new("machine.routing", pair, reason)
    }
}
