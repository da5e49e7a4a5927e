//! How packets go to a middle, and on.

use super::choice::Choice;
use super::remaining::Remaining;
use super::route::{HOP, HOPS, MIDDLE, NO_MIDDLE, OPEN, SECOND, TURNED};
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::routing::base::Base;
use crate::routing::distances::{Distances, Links};
use crate::routing::groups::Groups;
use crate::routing::header::Header;
use crate::routing::outputs::Slots;
use crate::routing::table::Table;
use crate::topology::{Family, Topology};

/// The ways to a middle and from there, each with its argument against deadlock.
pub enum Legs {
    /// From group to group.
    Groups(Groups),
    /// The same where links have failed.
    Remaining(Remaining),
    /// By a minimal algorithm, twice.
    Phases(Base),
    /// By shortest paths, twice, each hop in its class.
    Hops(Table),
}

impl Legs {
    /// Those of a topology, with the slots of the classes they need.
    ///
    /// # Errors
    /// For progressive routing a topology without groups; one too large for tables; ways too long
    /// for their classes.
    pub fn new(
        name: &str,
        choice: Choice,
        order: &[u32],
        topology: &Topology,
    ) -> Result<(Self, Slots), SpecError> {
        let is_progressive = choice == Choice::Progressively;
        let is_grouped =
            matches!(topology.family, Family::Dragonfly { .. } | Family::DragonflyPlus(_));
        if is_grouped && topology.has_failed() {
            let remaining = Remaining::new(name, is_progressive, topology)?;
            let slots = Slots::new(remaining.classes());
            return Ok((Self::Remaining(remaining), slots));
        }
        if is_grouped {
            let slots = Slots::new(3 + usize::from(is_progressive));
            return Ok((Self::Groups(Groups::new(name, topology)?), slots));
        }
        if is_progressive {
            let allowed = "needs a dragonfly or a dragonfly+";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let base = Base::usual(name, order, topology)?;
        if base.is_known_free() {
            let slots = Slots::new(2 * base.classes());
            return Ok((Self::Phases(base), slots));
        }
        let (distances, ports) = Distances::with_lowest_ports(name, topology)?;
        let slots = Slots::by_hop(name, 2 * distances.longest(topology))?;
        Ok((Self::Hops(Table::nearer(&distances, ports, topology)), slots))
    }

    /// The groups, if it is by way of one.
    #[inline]
    pub fn groups(&self) -> Option<&Groups> {
        match self {
            Self::Groups(groups) | Self::Remaining(Remaining { groups, .. }) => Some(groups),
            Self::Phases(_) | Self::Hops(_) => None,
        }
    }

    /// Whether the hops of a packet are counted, that is open or not.
    #[inline]
    pub fn counts(&self, is_open: bool) -> bool {
        match self {
            Self::Hops(_) => true,
            Self::Remaining(left) => is_open && left.asks_again(),
            Self::Groups(_) | Self::Phases(_) => false,
        }
    }

    /// The port and the class by which a packet leaves a switch; what is open goes directly.
    pub fn step(&self, links: &Links, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let middle = header.route & MIDDLE;
        let is_open = header.route & OPEN != 0;
        let is_second = is_open || header.route & SECOND != 0;
        let is_direct = is_open || middle == NO_MIDDLE;
        match self {
            Self::Groups(groups) => {
                let [source, there] =
                    [header.source, header.destination].map(|node| groups.of(links.home(node)));
                let here = groups.of(switch);
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
            Self::Remaining(left) => left.step(links, switch, header),
            Self::Phases(base) => {
                let header = match (is_second, is_direct) {
                    (false, _) => Header { destination: NodeId(middle), ..header },
                    (true, false) => Header { source: NodeId(middle), ..header },
                    (true, true) => header,
                };
                let first = if is_second { base.classes() } else { 0 };
                base.step(switch, header).map(|(port, class)| (port, first + class))
            }
            Self::Hops(table) => {
                let to = if is_second { header.destination } else { NodeId(middle) };
                let hops = (header.route & HOPS) / HOP;
                table.step(switch, to).map(|(port, _)| (port, hops as usize))
            }
        }
    }
}
