//! What an algorithm is.

use super::header::Header;
use super::loads::Loads;
use super::outputs::Outputs;
use super::properties::Properties;
use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::Stream;
use std::ops::Range;

/// A routing algorithm. What it does not say is what one does that gives one answer and
/// remembers nothing.
pub(super) trait Algorithm {
    /// What it is like; of its classes those it tells apart now.
    fn properties(&self) -> Properties;

    /// How many bits of a route it uses, at most.
    fn route_bits(&self) -> u32 {
        let properties = self.properties();
        if properties.remembers || properties.draws { u32::BITS } else { 0 }
    }

    /// Puts all packets into one class, whether they can deadlock then or not.
    fn fold(&mut self) {}

    /// The route of a new packet, drawn from `way` if it draws.
    fn begin(&self, source: NodeId, destination: NodeId, way: Option<&mut Stream>) -> u32 {
        let _ = way;
        self.beginnings(source, destination).start
    }

    /// What a packet's flow is known by, beside its nodes: by the processes at its ends, and how many
    /// messages, and packets, there were before it.
    fn flow(&self, _ends: (ProcessId, ProcessId), _before: (u32, u32)) -> u32 {
        0
    }

    /// The route of a new packet of a flow, drawn from `way` if it draws.
    fn begin_flow(&self, ends: (NodeId, NodeId), _flow: u32, way: Option<&mut Stream>) -> u32 {
        self.begin(ends.0, ends.1, way)
    }

    /// All routes a new packet may begin with.
    fn beginnings(&self, _source: NodeId, _destination: NodeId) -> Range<u32> {
        0..1
    }

    /// Names every route that [`Self::decide`] may give.
    fn alternatives(&self, _switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        each(header.route);
    }

    /// The route of a packet that asks for its output at a switch, if that depends on how loaded
    /// outputs are.
    fn decide(&self, _switch: SwitchId, header: Header, _loads: impl Loads) -> u32 {
        header.route
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
