//! Ways round: a packet goes by way of a *middle* drawn for it, or directly, whichever seems less
//! loaded (UGAL [Singh 2005], on dragonflies [Kim et al. 2008]), or always by way of it [Valiant 1982].
//!
//! *When it is decided.* At its first switch, when a packet asks for its output there, the two ways
//! are compared once: it goes directly if `H · q ≤ H' · q' + threshold`, where H and H' are the hops
//! of the direct way and of that by way of the middle, and q and q' how loaded they are; by the rule
//! `double`, if `q ≤ 2 · q' + threshold`, as [Jiang et al. 2013] have it on dragonflies. The load of a
//! link is the flits of the packets that wait for it in its switch, and those in the buffers at its
//! end, or on their way there, all virtual channels together; or these alone, as in BookSim2. Where
//! links have different rates it is the time that these flits take on the link. *Locally*
//! q is the load of the first link. If the first links of the two ways have different rates, and a
//! slower one follows the faster of them, its load says nothing about that one: q is then at least the
//! mean load of those links of the switch that are as slow, but for the first of the other way. The rule
//! `double` knows of one rate only. *Globally* it is, between groups, that of the first link between
//! groups, wherever that is [Kim et al. 2008, section 4.2], and elsewhere the mean of all links of the
//! way, as if every switch were known. *Progressively* (PAR, [Jiang et al. 2009]) it is compared again
//! at each switch of its group as long as a packet goes directly.
//!
//! *The middle* is a group on a dragonfly or dragonfly+, neither that of the source nor that of the
//! destination; elsewhere a node, any; on a `HyperX` one with the coordinates in which source and
//! destination agree.
//!
//! Free of deadlock, because what a packet holds is always below what it asks for:
//!
//! * Groups: classes are ordered first. A packet is in class 0 in its first group and on the link
//!   out of it, in class 1 in the next group and on the link out of that, and in class 2 in the third;
//!   one that has turned away from the direct way within its group is in one more. Within a class,
//!   links within the group come before those out of it: on a dragonfly there is at most one; on
//!   a dragonfly+ links down, then up (and of class 0 up, then down).
//! * Phases on a dragonfly some links of which have failed: to a group that is still joined to both
//!   ends by links, and on, each in the ascending classes of [`super::remaining`]. A packet that may
//!   still turn away within its group is in classes before these, one for each hop it has there.
//! * Phases, elsewhere: to the middle and on from there, each in classes of its own, as in
//!   [`super::two_phase`]; what goes directly is in the second phase.
//! * Hops, where the direct ways have no argument of their own: the class is the number of the hop,
//!   as in [`super::hop_classes`].
//!
//! The route is the middle, whether it is decided, and how far the packet has come.

use super::algorithm::Algorithm;
use super::distances::Links;
use super::groups::Groups;
use super::header::Header;
use super::loads::Loads;
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::spec::Weighing;
use crate::topology::{Attachment, Family, Topology};
pub use choice::Choice;
use legs::Legs;
use route::{HOP, HOPS, MIDDLE, NO_MIDDLE, OPEN, SECOND, TURNED};
use std::ops::Range;

/// Routing by ways round, for one topology.
pub struct Detour {
    legs: Legs,
    links: Links,
    slots: Slots,
    choice: Choice,
    weighing: Weighing,
    /// Sides and strides of a `HyperX`, in nodes.
    lines: Vec<(u32, u32)>,
    /// How many middles there are.
    middles: u32,
}

impl Detour {
    /// Prepares routing with the dimensions of a grid in `order`.
    ///
    /// # Errors
    /// Another topology than a direct network; for progressive routing, one without groups; one too
    /// large for tables; ways too long for their classes.
    pub fn new(
        name: &str,
        choice: Choice,
        weighing: Weighing,
        order: &[u32],
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        if !topology.attachments.iter().all(|a| matches!(a, Attachment::Switch(_))) {
            let allowed = "needs nodes that enter and leave the network at the same switch";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let (legs, slots) = Legs::new(name, choice, order, topology)?;
        let middles = legs.groups().map_or(topology.nodes, Groups::count);
        let mut stride = topology.nodes / topology.switches.max(1);
        let lines = match &topology.family {
            Family::HyperX { dims, .. } => dims.iter(),
            _ => [].iter(),
        };
        let lines = lines.map(|&side| {
            let line = (side, stride as u32);
            stride *= side as usize;
            line
        });
        Ok(Self {
            lines: lines.collect(),
            middles: (middles as u32).min(MIDDLE),
            links: Links::of(topology),
            slots,
            legs,
            choice,
            weighing,
        })
    }

    fn home(&self, node: NodeId) -> SwitchId {
        self.links.home(node)
    }

    /// The port and the class by which a packet leaves a switch; what is open goes directly.
    fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        self.legs.step(&self.links, switch, header)
    }

    /// Whether a packet on its way to its middle is there.
    fn is_there(&self, switch: SwitchId, header: Header) -> bool {
        match self.legs.groups() {
            Some(groups) => groups.of(switch) == (header.route & MIDDLE) as usize,
            None => self.step(switch, header).is_none(),
        }
    }

    /// The route as it is at a switch, once it is decided.
    fn at(&self, switch: SwitchId, header: Header, route: u32) -> u32 {
        let is_first = route & SECOND == 0;
        if is_first && self.is_there(switch, Header { route, ..header }) {
            return route | SECOND;
        }
        route
    }

    /// The routes of a packet that is open: direct, and by way of its middle, if it has any choice.
    fn ways(&self, switch: SwitchId, header: Header) -> (u32, Option<u32>) {
        let direct = NO_MIDDLE | SECOND | header.route & HOPS;
        let here = self.step(switch, header).map(|(port, _)| port);
        let turned = if switch == self.home(header.source) { 0 } else { TURNED };
        let round = header.route & !OPEN | turned;
        let round = (header.route & MIDDLE != NO_MIDDLE).then(|| self.at(switch, header, round));
        let is_choice = |&route: &u32| {
            let other = self.step(switch, Header { route, ..header }).map(|(port, _)| port);
            // Ways that begin with the same link are told apart by links further on only.
            let may_begin_alike = self.choice == Choice::Globally;
            here.is_some() && other.is_some() && (may_begin_alike || here != other)
        };
        (self.kept_open(switch, header).unwrap_or(direct), round.filter(is_choice))
    }

    /// The route of a packet that goes directly for now and will be asked again.
    fn kept_open(&self, switch: SwitchId, header: Header) -> Option<u32> {
        if self.choice != Choice::Progressively {
            return None;
        }
        let (port, _) = self.step(switch, header)?;
        let groups = self.legs.groups()?;
        groups.stays(&self.links, switch, port, header.destination).then_some(header.route)
    }
}

impl Algorithm for Detour {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            draws: true,
            weighs: self.choice != Choice::Always,
            counts_waiting: !self.weighing.only_behind,
            avoids_failed: true,
            ..Properties::in_classes(self.slots)
        }
    }

    fn begin(&self, source: NodeId, destination: NodeId, way: Option<&mut Stream>) -> u32 {
        let open = if self.choice == Choice::Always { 0 } else { OPEN };
        let direct = open | NO_MIDDLE | if open == 0 { SECOND } else { 0 };
        let Some(way) = way else { return direct };
        if let Legs::Groups(groups) = &self.legs {
            let ends = [source, destination].map(|node| groups.of(self.home(node)) as u32);
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let others = self.middles - 1 - u32::from(low != high);
            if others == 0 {
                return direct;
            }
            let mut drawn = way.below(u64::from(others)) as u32;
            drawn += u32::from(drawn >= low);
            drawn += u32::from(low != high && drawn >= high);
            return open | drawn;
        }
        if let Legs::Remaining(remaining) = &self.legs {
            let [from, to] = [source, destination].map(|node| remaining.groups.of(self.home(node)));
            return remaining.draw(from, to, way).map_or(direct, |group| open | group as u32);
        }
        let mut drawn = way.below(u64::from(self.middles)) as u32;
        for &(side, stride) in &self.lines {
            let of = |node: u32| node / stride % side;
            if of(source.0) == of(destination.0) {
                drawn = drawn - of(drawn) * stride + of(source.0) * stride;
            }
        }
        open | drawn
    }

    fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        let open = if self.choice == Choice::Always { 0 } else { OPEN };
        let [from, to] = [source, destination].map(|node| self.home(node));
        match self.legs.groups() {
            // Where there are more, a middle in one of these is never drawn, but does no harm.
            Some(groups) if groups.count() == 2 && groups.of(from) != groups.of(to) => {
                let direct = NO_MIDDLE | if open == 0 { SECOND } else { open };
                direct..direct + 1
            }
            _ => open..open + self.middles,
        }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some((port, class)) = self.step(switch, header) {
            allow(self.slots.slot(port, class), 0);
        }
    }

    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let mut route = header.route;
        if slot.is_some() && self.legs.counts(route & OPEN != 0) {
            route += HOP;
        }
        if route & OPEN == 0 {
            return self.at(switch, header, route);
        }
        if slot.is_none() {
            return route;
        }
        // It has gone directly: for good, unless it will be asked again.
        let is_asked_again = self.choice == Choice::Progressively
            && self.legs.groups().is_some_and(|groups| {
                let here = groups.of(switch);
                let [from, to] = [header.source, header.destination].map(|node| self.home(node));
                here == groups.of(from) && here != groups.of(to)
            });
        if is_asked_again { route } else { NO_MIDDLE | SECOND | route & HOPS }
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        if header.route & OPEN == 0 {
            return each(header.route);
        }
        let (direct, round) = self.ways(switch, header);
        each(direct);
        round.into_iter().for_each(each);
    }

    fn decide(&self, switch: SwitchId, header: Header, mut loads: impl Loads) -> u32 {
        if header.route & OPEN == 0 {
            return header.route;
        }
        let (direct, round) = self.ways(switch, header);
        let Some(round) = round else { return direct };
        let headers = [direct, round].map(|route| Header { route, ..header });
        let [(hops, weight), (more, other)] = self
            .weights(switch, headers, &mut loads)
            .map(|weight| (i128::from(weight.hops), i128::from(weight.sum)));
        let threshold = i128::from(self.weighing.threshold) * i128::from(loads.usual_flit());
        let goes_directly = if self.weighing.doubles {
            // The mean load of the links that count, against twice that of the others.
            weight * more <= 2 * other * hops + threshold * hops * more
        } else {
            weight <= other + threshold
        };
        if goes_directly { direct } else { round }
    }
}

mod choice;
mod legs;
mod remaining;
mod route;
#[cfg(test)]
mod tests;
mod weights;
