//! Parallel links between two switches of which each packet takes a certain one.
//!
//! They are told apart as classes are: the slot that an algorithm names becomes one of so many,
//! `slot · links + link`. So whoever looks for circles of waiting packets sees them apart, too.

use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::NodeId;
use crate::spec::{Machine, ParallelLinks};
use crate::topology::Topology;

/// Which of several parallel links packets take.
pub(super) struct Parallel {
    /// How many there are.
    links: usize,
    /// By destination: which of them.
    of: Vec<u8>,
}

impl Parallel {
    /// Those of a machine; none where packets take any.
    ///
    /// # Errors
    /// Routing that has a way out of some classes, or nodes that are switches.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        properties: &Properties,
    ) -> Result<Option<Self>, SpecError> {
        let links = machine.link.width;
        let which = machine.routing.parallel_links;
        if which == ParallelLinks::Any || links <= 1 {
            return Ok(None);
        }
        let refuse = |allowed: &str| {
            Err(SpecError::new("machine.routing.parallel_links", which.name(), allowed))
        };
        if machine.switch.integrated {
            return refuse("must be any with switch.integrated");
        }
        if properties.escapes > 0 {
            return refuse("must be any with a routing that has a way out");
        }
        if topology.hosts.is_some() {
            return refuse("must be any with machine.hosts");
        }
        let link = |node: usize| {
            let node = NodeId::from_index(node);
            let place = topology.coordinates(node);
            let home = topology.attachments[node.index()].leaves();
            let number = home.map_or(0, |switch| switch.0);
            let sum = if place.is_empty() { number } else { place.iter().sum() };
            (sum % links) as u8
        };
        let of = (0..topology.nodes).map(link).collect();
        Ok(Some(Self { links: links as usize, of }))
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.links
    }

    /// The slot of the link by which packets to a destination go, for one that routing names.
    #[inline]
    pub fn slot(&self, slot: usize, destination: NodeId) -> usize {
        slot * self.links + usize::from(self.of[destination.index()])
    }

    /// The slot that routing names, for one of a link.
    #[inline]
    pub fn named(&self, slot: usize) -> usize {
        slot / self.links
    }
}
