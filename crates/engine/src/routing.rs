//! Which way packets go: one file per algorithm.
//!
//! Routing is a pure question: by which outputs may a packet leave a switch? Which of
//! several that are free it takes is the fabric's choice.
//!
//! An algorithm may tell several *classes* of a link's virtual channels apart. What it
//! answers with are *slots*: `port · classes + class`. What it has to remember of one
//! packet is a number the packet carries, its *route*.

mod dimension_order;
mod outputs;

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::{Purpose, Stream};
use crate::spec::RoutingSpec;
use crate::topology::Topology;
use dimension_order::DimensionOrder;
pub use outputs::Outputs;

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

/// A routing algorithm, ready for one topology.
pub struct Routing {
    algorithm: Algorithm,
    /// Virtual channels of a link that each class has.
    classes: Vec<u16>,
    /// By node: the stream its packets' ways are drawn from; empty if none are.
    ways: Vec<Stream>,
}

/// The algorithms.
enum Algorithm {
    /// One dimension after the other.
    DimensionOrder(DimensionOrder),
}

impl Routing {
    /// Prepares an algorithm for links of so many virtual channels.
    ///
    /// # Errors
    /// An algorithm the topology cannot have, or too few virtual channels for it.
    pub fn new(
        spec: &RoutingSpec,
        topology: &Topology,
        channels: u32,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let algorithm = match spec {
            RoutingSpec::DimensionOrder { order } => {
                Algorithm::DimensionOrder(DimensionOrder::new(order, topology)?)
            }
        };
        let classes = share(channels, algorithm.needs(), algorithm.prefers_last())?;
        let draws = if algorithm.draws() { topology.nodes as u32 } else { 0 };
        let ways = (0..draws).map(|node| Stream::new(seed, Purpose::Way, node)).collect();
        Ok(Self { algorithm, classes, ways })
    }

    /// Virtual channels of a link that each class has.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// How many classes, the first, are the way out of all others; 0: there is none such.
    pub fn escapes(&self) -> usize {
        match &self.algorithm {
            Algorithm::DimensionOrder(_) => 0,
        }
    }

    /// Whether packets may have a choice of several outputs: then it is asked for
    /// [`Self::outputs`], else for [`Self::next`].
    #[inline]
    pub fn chooses(&self) -> bool {
        match &self.algorithm {
            Algorithm::DimensionOrder(_) => false,
        }
    }

    /// Whether a packet's route changes on its way ([`Self::passed`]).
    #[inline]
    pub fn remembers(&self) -> bool {
        match &self.algorithm {
            Algorithm::DimensionOrder(_) => false,
        }
    }

    /// The route of a new packet.
    #[inline]
    pub fn begin(&mut self, source: NodeId, _destination: NodeId) -> u32 {
        match (&self.algorithm, self.ways.get_mut(source.index())) {
            (Algorithm::DimensionOrder(_), _) => 0,
        }
    }

    /// The slot by which a packet leaves `switch`, or `None` where its destination is attached.
    #[inline]
    pub fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        match &self.algorithm {
            Algorithm::DimensionOrder(routing) => routing.next(switch, header),
        }
    }

    /// Adds all slots by which a packet may leave `switch`; none where its destination
    /// is attached.
    #[inline]
    pub fn outputs(&self, switch: SwitchId, header: Header, outputs: &mut Outputs) {
        if let Some(slot) = self.next(switch, header) {
            outputs.add(slot, 0);
        }
    }

    /// The route of a packet that has taken `slot` (none: has left its node) and is on its
    /// way to `switch`.
    #[inline]
    pub fn passed(&self, _switch: SwitchId, header: Header, _slot: Option<usize>) -> u32 {
        match &self.algorithm {
            Algorithm::DimensionOrder(_) => header.route,
        }
    }
}

impl Algorithm {
    /// Classes of virtual channels it tells apart.
    fn needs(&self) -> u32 {
        match self {
            Self::DimensionOrder(_) => 1,
        }
    }

    /// Whether further virtual channels all belong to the last class; else to all in turn.
    fn prefers_last(&self) -> bool {
        match self {
            Self::DimensionOrder(_) => false,
        }
    }

    /// Whether it draws random numbers for every packet.
    fn draws(&self) -> bool {
        match self {
            Self::DimensionOrder(_) => false,
        }
    }
}

/// Gives each of `needed` classes some of a link's virtual channels.
fn share(channels: u32, needed: u32, prefers_last: bool) -> Result<Vec<u16>, SpecError> {
    if channels < needed || channels > 255 {
        let allowed = format!("must be {needed} to 255 with this routing and topology");
        return Err(SpecError::new("machine.switch.virtual_channels", channels, allowed));
    }
    let mut classes = vec![1; needed as usize];
    for further in 0..channels - needed {
        let class = if prefers_last { needed - 1 } else { further % needed };
        classes[class as usize] += 1;
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_channels() {
        assert_eq!(share(1, 1, false).unwrap(), [1]);
        assert_eq!(share(5, 2, false).unwrap(), [3, 2]);
        assert_eq!(share(5, 2, true).unwrap(), [1, 4]);
        assert_eq!(
            share(1, 2, false).unwrap_err().to_string(),
            "machine.switch.virtual_channels = 1: must be 2 to 255 with this routing and topology"
        );
    }
}
