//! Minimal fully adaptive routing with a way out [Duato 1993].
//!
//! The last class of virtual channels may be used on every port that brings the packet
//! nearer. The first (on a torus the first two) is the way out: dimension order. A packet
//! takes it only if no adaptive channel is free.
//!
//! Free of deadlock: dimension order connects every pair by channels of its own, and what
//! adaptive hops add to their dependencies closes no cycle. A packet that holds a
//! channel of the way out in some dimension has corrected all dimensions before it, and,
//! as it never goes further away, asks for none of them again; within the dimension it
//! goes on in the same direction, past the dateline at most once, so that the numbers of
//! [Dally & Seitz 1987] rise whether or not it was on adaptive channels in between. On a `HyperX` it
//! has one hop in each dimension, and no rings.

use super::algorithm::Algorithm;
use super::base::Base;
use super::header::Header;
use super::nearer::Nearer;
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;

/// Minimal adaptive routing for one grid or `HyperX`.
pub struct Adaptive {
    nearer: Nearer,
    way_out: Base,
    slots: Slots,
}

impl Adaptive {
    /// Prepares routing; the way out takes the dimensions in `order`.
    ///
    /// # Errors
    /// An order that does not name every dimension once.
    pub fn new(name: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let nearer = Nearer::new(name, topology)?;
        let way_out = Base::usual(name, order, topology)?;
        let slots = Slots::new(way_out.classes() + 1);
        Ok(Self { nearer, way_out, slots })
    }

    /// Whether neither sources nor routes of packets to a destination make a difference at a switch.
    pub fn is_known(&self, switch: SwitchId, destination: NodeId) -> bool {
        self.way_out.is_one_way(switch, destination)
    }
}

impl Algorithm for Adaptive {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            classes: self.slots.classes(),
            escapes: if self.slots.is_folded() { 0 } else { self.way_out.classes() },
            prefers_last: true,
            are_equally_long: true,
            ..Properties::choosing(!self.slots.is_folded())
        }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let last = self.way_out.classes();
        self.nearer.each(switch, header.destination, |port| {
            allow(self.slots.slot(port, last), 0);
        });
        if self.slots.is_folded() {
            return;
        }
        if let Some((port, class)) = self.way_out.step(switch, header) {
            allow(self.slots.slot(port, class), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Outputs;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, order, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_grids_have_no_extended_circle_of_channels() {
        let mut random = cases(6);
        for case in 0..210 {
            let dimensions = 1 + case % 3;
            let dims = sides(&mut random, dimensions, 24);
            let order = order(&mut random, dimensions);
            let (grid, channels) = if case % 2 == 0 {
                (TopologySpec::Mesh { dims }, 2)
            } else {
                (TopologySpec::Torus { dims }, 3)
            };
            let routing = routing(&grid, &RoutingSpec::MinimalAdaptive { order }, channels);
            let topology = Topology::new(&grid).unwrap();
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    #[test]
    fn the_way_out_comes_last() {
        let torus = TopologySpec::Torus { dims: vec![4, 4] };
        let routing = routing(&torus, &RoutingSpec::MinimalAdaptive { order: vec![1, 0] }, 5);
        assert_eq!(routing.classes(), [1, 1, 3]);
        let mut outputs = Outputs::default();
        let header = Header { source: NodeId(0), destination: NodeId(14), route: 0, traffic: 0 };
        // Two away in x (either way) and one below in y, across the dateline.
        routing.outputs(SwitchId(0), header, &mut outputs);
        let all: Vec<_> = outputs.iter().map(|(slot, tier)| (slot / 3, slot % 3, tier)).collect();
        assert_eq!(all, [(0, 2, 0), (1, 2, 0), (2, 2, 0), (2, 0, 1)]);
    }
}
