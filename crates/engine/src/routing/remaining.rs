//! Ways that are left where links have failed: the shortest, in classes of virtual channels by a
//! fixed order of channels.
//!
//! All channels stand in an order that suits the topology: on grids that of [Dally & Seitz 1987],
//! dimension after dimension, within each in the direction of travel; on a `HyperX` by dimension; on
//! a dragonfly within a group before between groups; on a dragonfly+ up, between groups, down; between
//! islands within, up, down; else up and down a spanning tree as in [`super::up_down`]. Of several
//! ways that are equally short a packet takes that by the lowest channel in this order, of channels
//! that are equal there one by its destination's number. Links between groups count as many, so that
//! as few of them are crossed as can be.
//!
//! Free of deadlock: a way has as many *breaks* as times its next channel is not above the one before;
//! a packet is in class (most breaks of any way) less (breaks still before it), so that classes never
//! fall and rise at each break, and within a class channels ascend. It is the idea of negative hops
//! [Boppana & Chalasani 1993], for any order. Without failures this would be the usual algorithm of
//! grids without rings, `HyperX`, dragonfly and islands, with as many classes.

use super::distances::{HERE, Links, check_pairs};
use super::outputs::MOST_CLASSES;
use super::table::Table;
use super::up_down::{rank, usual_root};
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{Family, Topology};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a link between groups counts as, in links within a group: more than any way that stays.
const BETWEEN_GROUPS: u32 = 1 << 12;

/// Farther than any switch.
const FAR: u32 = u32::MAX;

/// The channels of a topology in their order, and how far apart their ends are.
struct Channels<'a> {
    topology: &'a Topology,
    /// By dimension: its place in the order in which they are routed.
    places: Vec<u64>,
    /// By switch: its place in a spanning tree, breadth first; empty where channels have an order
    /// without it.
    ranks: Vec<u32>,
}

impl<'a> Channels<'a> {
    fn new(order: &[u32], topology: &'a Topology) -> Result<Self, SpecError> {
        let dimensions = super::grid::ordered(order, topology.sides().len())?;
        let mut places = vec![0; dimensions.len()];
        for (place, dimension) in dimensions.into_iter().enumerate() {
            places[dimension] = place as u64;
        }
        let has_order = !topology.sides().is_empty()
            || matches!(
                topology.family,
                Family::Dragonfly { .. } | Family::DragonflyPlus(_) | Family::Islands { .. }
            );
        let ranks = if has_order { Vec::new() } else { in_tree(topology) };
        Ok(Self { topology, places, ranks })
    }

    /// How long a channel is.
    fn length(&self, port: usize, switch: SwitchId) -> u32 {
        let is_grouped =
            matches!(self.topology.family, Family::Dragonfly { .. } | Family::DragonflyPlus(_));
        let at = switch.index() * self.topology.ports + port;
        if is_grouped && self.topology.link_class(at) == 1 { BETWEEN_GROUPS } else { 1 }
    }

    /// Where a channel stands in the order.
    fn place(&self, switch: SwitchId, port: usize) -> u64 {
        let topology = self.topology;
        let class = topology.link_class(switch.index() * topology.ports + port) as u64;
        match &topology.family {
            _ if !topology.dims.is_empty() => {
                let (dimension, ascends) = (port / 2, port % 2 == 1);
                let side = topology.dims[dimension];
                let at = topology.place(switch)[dimension];
                let along = if ascends { at } else { side - 1 - at };
                let direction = 2 * self.places[dimension] + u64::from(ascends);
                direction << 32 | u64::from(along)
            }
            Family::HyperX { dims, .. } => {
                let ends = dims.iter().scan(0, |end, &side| {
                    *end += side as usize;
                    Some(*end)
                });
                self.places[ends.take_while(|&end| end <= port).count()]
            }
            Family::Dragonfly { .. } => class,
            Family::DragonflyPlus(fly) => {
                let in_group = (fly.leaves + fly.spines) as usize;
                let is_leaf = switch.index() % in_group < fly.leaves as usize;
                if is_leaf { 0 } else { 2 - class }
            }
            Family::Islands { accelerators, islands, .. } => {
                let is_rail = switch.index() >= *accelerators as usize * *islands as usize;
                class + u64::from(is_rail)
            }
            _ => {
                let all = topology.switches as u64;
                let to = topology.neighbour(switch, port);
                let [from, to] = [switch, to].map(|end| u64::from(self.ranks[end.index()]));
                if to < from { all - from } else { all + from }
            }
        }
    }
}

/// The place of every switch in a spanning tree.
fn in_tree(topology: &Topology) -> Vec<u32> {
    let links = Links::of(topology);
    rank(&links, usual_root(&links))
}

/// The shortest ways that are left from every switch to some targets.
struct Ways<'a> {
    channels: &'a Channels<'a>,
    /// By switch: the channels that lead to it, as switch and port.
    backwards: Vec<Vec<(SwitchId, usize)>>,
    /// By switch: how far it is from the targets.
    far: Vec<u32>,
}

impl<'a> Ways<'a> {
    fn new(channels: &'a Channels<'a>) -> Self {
        let topology = channels.topology;
        let mut backwards = vec![Vec::new(); topology.switches];
        for from in (0..topology.switches).map(SwitchId::from_index) {
            for (port, to) in topology.links(from) {
                backwards[to.index()].push((from, port));
            }
        }
        Self { channels, backwards, far: vec![FAR; topology.switches] }
    }

    /// Searches from the targets on; switches in ascending order of how far they are.
    fn search(&mut self, targets: impl Iterator<Item = SwitchId>) -> Vec<SwitchId> {
        self.far.fill(FAR);
        let mut open: BinaryHeap<_> = targets.map(|target| Reverse((0, target))).collect();
        open.iter().for_each(|Reverse((_, target))| self.far[target.index()] = 0);
        let mut found = Vec::with_capacity(self.far.len());
        while let Some(Reverse((far, switch))) = open.pop() {
            if far > self.far[switch.index()] {
                continue;
            }
            found.push(switch);
            for &(from, port) in &self.backwards[switch.index()] {
                let there = far + self.channels.length(port, from);
                if there < self.far[from.index()] {
                    self.far[from.index()] = there;
                    open.push(Reverse((there, from)));
                }
            }
        }
        found
    }

    /// The port by which a packet with a number leaves a switch: of those on a shortest way one
    /// of the lowest.
    fn port(&self, switch: SwitchId, number: usize) -> Option<(usize, SwitchId)> {
        let here = self.far[switch.index()];
        let is_next = |&(port, to): &(usize, SwitchId)| {
            let there = self.far[to.index()];
            there < here && there + self.channels.length(port, switch) == here
        };
        let next = || self.channels.topology.links(switch).filter(is_next);
        let place = |port| self.channels.place(switch, port);
        let lowest = next().map(|(port, _)| place(port)).min()?;
        let lowest = || next().filter(|&(port, _)| place(port) == lowest);
        lowest().nth(number % lowest().count())
    }
}

/// The shortest ways that are left, each in ascending classes.
///
/// # Errors
/// A topology too large for tables; an order that does not name every dimension once; ways with
/// more breaks than there may be virtual channels.
pub fn ways(name: &str, order: &[u32], topology: &Topology) -> Result<Table, SpecError> {
    check_pairs(name, topology)?;
    let homes: Vec<_> = topology.attachments.iter().map(|at| at.leaves()).collect();
    to_targets(name, order, topology, homes.len(), |number| homes[number].into_iter())
}

/// The same to the nearest switch of each of so many groups.
///
/// # Errors
/// As [`ways`].
pub fn to_groups(
    name: &str,
    topology: &Topology,
    count: usize,
    group: impl Fn(SwitchId) -> usize + Copy,
) -> Result<Table, SpecError> {
    let switches = || (0..topology.switches).map(SwitchId::from_index);
    to_targets(name, &[], topology, count, |number| switches().filter(move |&s| group(s) == number))
}

/// The same to the nearest switch of each of so many sets.
fn to_targets<T: Iterator<Item = SwitchId>>(
    name: &str,
    order: &[u32],
    topology: &Topology,
    count: usize,
    targets: impl Fn(usize) -> T,
) -> Result<Table, SpecError> {
    let channels = Channels::new(order, topology)?;
    let mut ways = Ways::new(&channels);
    let switches = topology.switches;
    let mut ports = vec![HERE; switches * count];
    // The breaks of the way from each switch, then the class there.
    let mut breaks = vec![0u32; switches * count];
    let (mut found, mut before) = (Vec::new(), None);
    for number in 0..count {
        let here: Vec<SwitchId> = targets(number).collect();
        // Nodes of one switch follow each other.
        if before.as_ref() != Some(&here) {
            found = ways.search(here.iter().copied());
            before = Some(here);
        }
        for &switch in &found {
            let Some((port, to)) = ways.port(switch, number) else { continue };
            let at = |switch: SwitchId| switch.index() * count + number;
            ports[at(switch)] = port as u16;
            let next = ports[at(to)];
            let is_break = next != HERE
                && channels.place(to, usize::from(next)) <= channels.place(switch, port);
            breaks[at(switch)] = breaks[at(to)] + u32::from(is_break);
        }
    }
    let most = breaks.iter().copied().max().unwrap_or(0);
    if most as usize >= MOST_CLASSES {
        let allowed = format!(
            "needs {} virtual channels with the links that have failed, and a link has \
             {MOST_CLASSES} at most",
            most + 1
        );
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    let class_of = breaks.into_iter().map(|breaks| (most - breaks) as u8).collect();
    Ok(Table::ascending(count, ports, class_of, most as usize + 1))
}
