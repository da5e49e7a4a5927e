//! Algorithms that give one answer and remember nothing.

use super::algorithm::Algorithm;
use super::base::Base;
use super::header::Header;
use super::outputs::{Slots, bits_of};
use super::properties::Properties;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use std::ops::Range;

/// The way a [`Base`] says, and no other.
pub struct Fixed {
    base: Base,
    slots: Slots,
}

impl Fixed {
    /// An algorithm of its own.
    pub fn new(base: Base) -> Self {
        let slots = Slots::new(base.classes());
        Self { base, slots }
    }

    /// Whose way it is.
    pub fn base(&self) -> &Base {
        &self.base
    }
}

impl Algorithm for Fixed {
    fn route_bits(&self) -> u32 {
        bits_of(self.base.routes() as usize)
    }

    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            classes: self.slots.classes(),
            draws: self.base.routes() > 1,
            avoids_failed: self.base.avoids_failed(),
            takes_new_tables: true,
            ..Properties::one_way(self.base.is_known_free() && !self.slots.is_folded())
        }
    }

    #[inline]
    fn begin(&self, _source: NodeId, _destination: NodeId, way: Option<&mut Stream>) -> u32 {
        way.map_or(0, |way| way.below(self.base.routes().into()) as u32)
    }

    fn beginnings(&self, _source: NodeId, _destination: NodeId) -> Range<u32> {
        0..self.base.routes()
    }

    // Inlined into its caller, which is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        self.base.step(switch, header).map(|(port, class)| self.slots.slot(port, class))
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some((port, class)) = self.base.step(switch, header) {
            allow(self.slots.slot(port, class), 0);
        }
    }
}
