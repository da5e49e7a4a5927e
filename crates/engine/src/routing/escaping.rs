//! Minimal fully adaptive routing with a way out, on any network [Duato 1993; Silla & Duato 2000].
//!
//! The last class of virtual channels may be used on every port that brings the packet nearer. The
//! first is the way out: up and down a spanning tree, as in [`super::up_down`], from wherever the
//! packet is. A packet takes it only if no adaptive channel is free, and then stays on it.
//!
//! Free of deadlock: from everywhere there is a way out, and as nobody leaves it, its channels wait
//! for none but each other, of which ways up and then down close no circle.
//!
//! The route is that of [`UpDown`], and whether the packet is on the way out.

use super::algorithm::Algorithm;
use super::distances::Distances;
use super::header::Header;
use super::outputs::Slots;
use super::properties::Properties;
use super::up_down::UpDown;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// In a route: the packet is on the way out.
const LEAVES: u32 = 1 << 30;

/// The adaptive class; the other is the way out.
const ADAPTIVE: usize = 1;

/// Minimal adaptive routing for one network.
pub struct Escaping {
    distances: Distances,
    way_out: UpDown,
    slots: Slots,
}

impl Escaping {
    /// Prepares routing on any network.
    ///
    /// # Errors
    /// A link without one back, a graph in pieces or too large for tables.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let way_out = UpDown::new(name, None, false, topology)?;
        let distances = Distances::new(name, topology)?;
        Ok(Self { distances, way_out, slots: Slots::new(2) })
    }

    /// What the packet is on the way out.
    fn leaving(header: Header) -> Header {
        Header { route: header.route & !LEAVES, ..header }
    }
}

impl Algorithm for Escaping {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            classes: self.slots.classes(),
            escapes: usize::from(!self.slots.is_folded()),
            prefers_last: true,
            remembers: true,
            avoids_failed: true,
            ..Properties::choosing(!self.slots.is_folded())
        }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if header.route & LEAVES == 0 {
            self.distances.each_profitable(switch, header.destination, |port| {
                allow(self.slots.slot(port, ADAPTIVE), 0);
            });
        }
        if !self.slots.is_folded() {
            self.way_out.allow(switch, Self::leaving(header), |port, _| {
                allow(self.slots.slot(port, 0), 1);
            });
        }
    }

    #[inline]
    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let leaves =
            |slot: &usize| !self.slots.is_folded() && slot % self.slots.classes() != ADAPTIVE;
        match slot.filter(leaves) {
            Some(slot) => self.way_out.passed(switch, Self::leaving(header), Some(slot)) | LEAVES,
            // Wherever the way out begins, it may go up there.
            None => self.way_out.passed(switch, Header { route: 0, ..header }, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::routing::walk::{Promise, cases, check_free, check_ways, random_graph, routing_on};
    use crate::spec::RoutingSpec;

    #[test]
    fn random_graphs_have_no_extended_circle_of_channels() {
        let mut random = cases(91);
        for _ in 0..150 {
            let graph = random_graph(&mut random);
            let adaptive = RoutingSpec::MinimalAdaptive { order: Vec::new() };
            let routing = routing_on(&graph, &adaptive, 2).unwrap();
            check_ways(&graph, &routing, Promise::Arrives);
            check_free(&graph, &routing);
        }
    }
}
