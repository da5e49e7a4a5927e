//! Ways round: a packet goes by way of a *middle* drawn for it, or directly, whichever seems less
//! loaded (UGAL [Singh 2005], on dragonflies [Kim et al. 2008]), or always by way of it [Valiant 1982].
//!
//! *When it is decided.* At its first switch, when a packet asks for its output there, the two ways
//! are compared once: it goes directly if `H · q ≤ H' · q' + threshold`, where H and H' are the hops
//! of the direct way and of that by way of the middle, and q and q' how loaded they are; by the rule
//! `double`, if `q ≤ 2 · q' + threshold`, as [Jiang et al. 2013] have it on dragonflies. *Locally* q
//! is the flits in the buffers at the end of the first link, or on their way there, all virtual
//! channels together; *globally* the mean of that over all links of the way, as if every switch
//! were known. *Progressively* (PAR, [Jiang et al. 2009]) it is compared again at each switch of its
//! group as long as a packet goes directly.
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
//!   ends by links, and on, each in the ascending classes of [`super::remaining`].
//! * Phases, elsewhere: to the middle and on from there, each in classes of its own, as in
//!   [`super::two_phase`]; what goes directly is in the second phase.
//! * Hops, where the direct ways have no argument of their own: the class is the number of the hop,
//!   as in [`super::hop_classes`].
//!
//! The route is the middle, whether it is decided, and how far the packet has come.

use super::Header;
use super::algorithm::Algorithm;
use super::base::Base;
use super::distances::{Distances, Links};
use super::groups::Groups;
use super::hop_classes::longest;
use super::outputs::Slots;
use super::properties::Properties;
use super::table::Table;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::rng::Stream;
use crate::spec::Weighing;
use crate::topology::{Attachment, Family, Topology};
use remaining::Remaining;
use std::ops::Range;

/// In a route: the middle; none for a packet that goes directly.
const MIDDLE: u32 = (1 << 20) - 1;
const NO_MIDDLE: u32 = MIDDLE;
/// The hops so far, where they are counted.
const HOP: u32 = 1 << 20;
const HOPS: u32 = 0xff << 20;
/// It has turned away from the direct way behind its first switch.
const TURNED: u32 = 1 << 29;
/// It is not decided yet.
const OPEN: u32 = 1 << 30;
/// It is on its way to its destination.
const SECOND: u32 = 1 << 31;

/// Which way packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By way of the middle.
    Always,
    /// By the load of the first link.
    Locally,
    /// By the loads of all links.
    Globally,
    /// By the load of the next link, again at every switch of the first group.
    Progressively,
}

/// How packets go to a middle, and on.
enum Legs {
    Groups(Groups),
    Remaining(Remaining),
    Phases(Base),
    Hops(Table),
}

/// Routing by ways round, for one topology.
pub struct Detour {
    legs: Legs,
    links: Links,
    /// By node: its switch.
    homes: Vec<SwitchId>,
    slots: Slots,
    needed: usize,
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
    /// Another topology than a direct network; for progressive routing, one without groups.
    pub fn new(
        name: &str,
        choice: Choice,
        weighing: Weighing,
        order: &[u32],
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        let refuse = |allowed: &str| Err(SpecError::new("machine.routing", name, allowed));
        if !topology.attachments.iter().all(|a| matches!(a, Attachment::Switch(_))) {
            return refuse("needs nodes that enter and leave the network at the same switch");
        }
        let is_grouped =
            matches!(topology.family, Family::Dragonfly { .. } | Family::DragonflyPlus(_));
        if choice == Choice::Progressively && !is_grouped {
            return refuse("needs a dragonfly or a dragonfly+");
        }
        if choice == Choice::Progressively && topology.has_failed() {
            return refuse("knows no way round failed links; use ugal_l");
        }
        let usual = if is_grouped { None } else { Some(Base::usual(name, order, topology)?) };
        let (legs, needed) = match usual {
            None if topology.has_failed() => {
                let remaining = Remaining::new(name, topology)?;
                let classes = remaining.toward.classes() + remaining.onward.classes();
                (Legs::Remaining(remaining), classes)
            }
            None => {
                let further = usize::from(choice == Choice::Progressively);
                (Legs::Groups(Groups::new(name, topology)?), 3 + further)
            }
            Some(base) if base.is_known_free() => {
                let classes = 2 * base.classes();
                (Legs::Phases(base), classes)
            }
            Some(_) => {
                let distances = Distances::new(name, topology)?;
                let hops = 2 * longest(&distances, topology);
                if hops > 255 {
                    let allowed = format!(
                        "needs a virtual channel for each of the {hops} hops of the longest way, and \
                         a link has 255 at most"
                    );
                    return Err(SpecError::new("machine.routing", name, allowed));
                }
                (Legs::Hops(Table::nearer(&distances, topology)), hops.max(1))
            }
        };
        let middles = match &legs {
            Legs::Groups(groups) | Legs::Remaining(Remaining { groups, .. }) => groups.count(),
            _ => topology.nodes,
        };
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
        let homes = topology.attachments.iter().filter_map(|at| at.enters()).collect();
        Ok(Self {
            lines: lines.collect(),
            middles: (middles as u32).min(MIDDLE),
            links: Links::of(topology),
            homes,
            slots: Slots::new(needed),
            legs,
            needed,
            choice,
            weighing,
        })
    }

    fn home(&self, node: NodeId) -> SwitchId {
        self.homes[node.index()]
    }

    /// The port and the class by which a packet leaves a switch; what is open goes directly.
    fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let middle = header.route & MIDDLE;
        let is_second = header.route & (SECOND | OPEN) != 0;
        let is_direct = middle == NO_MIDDLE || header.route & OPEN != 0;
        match &self.legs {
            Legs::Groups(groups) => {
                let home = self.home(header.destination);
                let (here, there) = (groups.of(switch), groups.of(home));
                let source = groups.of(self.home(header.source));
                let class = match (is_second, is_direct) {
                    (false, _) => 0,
                    (true, false) => 1 + usize::from(here == there),
                    (true, true) => usize::from(here == there && source != there),
                };
                let class = class + usize::from(header.route & TURNED != 0);
                let port = if is_second {
                    groups.step(switch, header)
                } else {
                    Some(groups.toward(switch, middle as usize, header))
                };
                port.map(|port| (port, class))
            }
            Legs::Remaining(Remaining { toward, .. }) if !is_second => {
                toward.step(switch, NodeId(middle))
            }
            Legs::Remaining(Remaining { toward, onward, .. }) => {
                let step = onward.step(switch, header.destination);
                step.map(|(port, class)| (port, toward.classes() + class))
            }
            Legs::Phases(base) => {
                let header = match (is_second, is_direct) {
                    (false, _) => Header { destination: NodeId(middle), ..header },
                    (true, false) => Header { source: NodeId(middle), ..header },
                    (true, true) => header,
                };
                let first = if is_second { base.classes() } else { 0 };
                base.step(switch, header).map(|(port, class)| (port, first + class))
            }
            Legs::Hops(table) => {
                let to = if is_second { header.destination } else { NodeId(middle) };
                let hops = (header.route & HOPS) / HOP;
                table.step(switch, to).map(|(port, _)| (port, hops as usize))
            }
        }
    }

    /// Whether a packet on its way to its middle is there.
    fn is_there(&self, switch: SwitchId, header: Header) -> bool {
        match &self.legs {
            Legs::Groups(groups) | Legs::Remaining(Remaining { groups, .. }) => {
                groups.of(switch) == (header.route & MIDDLE) as usize
            }
            _ => self.step(switch, header).is_none(),
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
        let differs = |&route: &u32| {
            let other = self.step(switch, Header { route, ..header }).map(|(port, _)| port);
            here.is_some() && other.is_some() && here != other
        };
        (self.kept_open(switch, header).unwrap_or(direct), round.filter(differs))
    }

    /// The route of a packet that goes directly for now and will be asked again.
    fn kept_open(&self, switch: SwitchId, header: Header) -> Option<u32> {
        let Legs::Groups(groups) = &self.legs else { return None };
        let (port, _) = self.step(switch, header)?;
        let next = self.links.around(switch)[port];
        let here = groups.of(switch);
        let stays = here == groups.of(next) && here != groups.of(self.home(header.destination));
        (self.choice == Choice::Progressively && stays).then_some(header.route)
    }

    /// How many hops a way has, and how loaded it is.
    fn weigh(
        &self,
        switch: SwitchId,
        header: Header,
        load: &mut impl FnMut(SwitchId, usize) -> u32,
    ) -> (u64, u64) {
        let (mut at, mut header, mut hops, mut sum, mut first) = (switch, header, 0, 0, None);
        while let Some((port, class)) = self.step(at, header) {
            if hops == 0 || self.choice == Choice::Globally {
                let classes = 0..self.slots.classes();
                let of_port: u64 =
                    classes.map(|class| u64::from(load(at, self.slots.slot(port, class)))).sum();
                first.get_or_insert(of_port);
                sum += of_port;
            }
            hops += 1;
            at = self.links.around(at)[port];
            header.route = self.passed(at, header, Some(self.slots.slot(port, class)));
        }
        (hops, if self.choice == Choice::Globally { sum } else { first.unwrap_or(0) * hops })
    }
}

impl Algorithm for Detour {
    fn avoids_failed(&self) -> bool {
        true
    }

    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        let classes = self.slots.classes();
        Properties {
            classes,
            remembers: true,
            draws: true,
            weighs: self.choice != Choice::Always,
            ..Properties::one_way(classes == self.needed)
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
        match &self.legs {
            // Where there are more, a middle in one of these is never drawn, but does no harm.
            Legs::Groups(groups) | Legs::Remaining(Remaining { groups, .. })
                if groups.count() == 2 && groups.of(from) != groups.of(to) =>
            {
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
        if matches!(self.legs, Legs::Hops(_)) && slot.is_some() {
            route += HOP;
        }
        if route & OPEN == 0 {
            return self.at(switch, header, route);
        }
        if slot.is_none() {
            return route;
        }
        // It has gone directly: for good, unless it will be asked again.
        match &self.legs {
            Legs::Groups(groups)
                if self.choice == Choice::Progressively
                    && groups.of(switch) == groups.of(self.home(header.source))
                    && groups.of(switch) != groups.of(self.home(header.destination)) =>
            {
                route
            }
            _ => NO_MIDDLE | SECOND | route & HOPS,
        }
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        if header.route & OPEN == 0 {
            return each(header.route);
        }
        let (direct, round) = self.ways(switch, header);
        each(direct);
        round.into_iter().for_each(each);
    }

    fn decide(
        &self,
        switch: SwitchId,
        header: Header,
        mut load: impl FnMut(SwitchId, usize) -> u32,
    ) -> u32 {
        if header.route & OPEN == 0 {
            return header.route;
        }
        let (direct, Some(round)) = self.ways(switch, header) else {
            return self.ways(switch, header).0;
        };
        let mut weigh = |route| self.weigh(switch, Header { route, ..header }, &mut load);
        let ((hops, weight), (more, other)) = (weigh(direct), weigh(round));
        let threshold = i128::from(self.weighing.threshold);
        let goes_directly = if self.weighing.doubles {
            // The mean load of the links that count, against twice that of the others.
            let (own, others) = (weight * more, 2 * other * hops);
            i128::from(own) <= i128::from(others) + threshold * i128::from(hops * more)
        } else {
            i128::from(weight) <= i128::from(other) + threshold
        };
        if goes_directly { direct } else { round }
    }
}

mod remaining;
#[cfg(test)]
mod tests;
