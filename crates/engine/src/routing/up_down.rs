//! Up*/down* routing on any connected graph [Schroeder et al. 1991].
//!
//! A spanning tree is searched breadth first from one switch, the *root*. Every link,
//! whether in the tree or not, leads *up* if its far end is nearer to the root, or as
//! near and of a lower number; else *down*. A packet goes up as often as it likes, then
//! down as often as it likes, and never up again. Of all such ways it takes a shortest;
//! adaptively, any of these.
//!
//! Where switches are in layers, as in a fat tree, all of the highest are roots: a link leads up if
//! its far end is in the higher layer ([`UpDown::with_roots`]).
//!
//! Free of deadlock: an order by (hops to the root, number) falls on every link up and
//! rises on every link down, so that neither kind closes a cycle by itself, and no
//! packet holds a link down while it asks for one up.
//!
//! The route is the switch a packet comes to, and whether it has gone down.

use super::algorithm::Algorithm;
use super::distances::{Links, NO_WAY, check_pairs};
use super::header::Header;
use super::outputs::bits_of;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::Topology;
use std::collections::VecDeque;

/// In a route: the packet has gone down.
const DOWN: u32 = 1 << 27;

/// Up*/down* routing for one graph.
pub struct UpDown {
    links: Links,
    /// By switch: its place in the order of hops to the root and number.
    ranks: Vec<u32>,
    /// By destination switch, then by switch: hops of a packet that has not gone down.
    free: Vec<u16>,
    /// The same for one that has.
    bound: Vec<u16>,
    adaptive: bool,
}

impl UpDown {
    /// The same with several roots where switches are in layers and none is given: all of the
    /// highest layer, so that packets share them. Else as [`Self::new`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_roots(
        name: &str,
        root: Option<u32>,
        adaptive: bool,
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        if root.is_none() && topology.first_one_way().is_none() {
            check_pairs(name, topology)?;
            let links = Links::of(topology);
            if let Some(ranks) = layers(&links, topology) {
                let found = Self::ranked(links, ranks, adaptive);
                if found.joins_all(topology) {
                    return Ok(found);
                }
            }
        }
        Self::new(name, root, adaptive, topology)
    }

    /// Prepares routing with a root (absent: the first switch of those with most links).
    ///
    /// # Errors
    /// A link without one back, a graph in pieces or too large for tables, a root that is
    /// no switch.
    pub fn new(
        name: &str,
        root: Option<u32>,
        adaptive: bool,
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        check_pairs(name, topology)?;
        check_symmetry(name, topology)?;
        let links = Links::of(topology);
        let root = match root {
            Some(root) if root as usize >= links.switches => {
                let allowed = format!("must be a switch, 0 to {}", links.switches.max(1) - 1);
                return Err(SpecError::new("machine.routing.root", root, allowed));
            }
            Some(root) => root as usize,
            None => usual_root(&links),
        };
        let ranks = rank(&links, root);
        let found = Self::ranked(links, ranks, adaptive);
        let mut nodes = (0..topology.nodes).map(NodeId::from_index);
        if let Some(lost) = nodes.find(|&node| found.hops(node).0[root] == NO_WAY) {
            let home = found.links.home(lost).0;
            let allowed = format!("there is no way from switch {root} to switch {home}");
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        Ok(found)
    }

    /// Searches the ways along links that lead up to lower ranks, then down.
    fn ranked(links: Links, ranks: Vec<u32>, adaptive: bool) -> Self {
        let size = links.switches * links.switches;
        let (mut free, mut bound) = (vec![NO_WAY; size], vec![NO_WAY; size]);
        let rows =
            free.chunks_mut(links.switches.max(1)).zip(bound.chunks_mut(links.switches.max(1)));
        for (target, (free, bound)) in rows.enumerate() {
            search(&links, &ranks, SwitchId::from_index(target), free, bound);
        }
        Self { links, ranks, free, bound, adaptive }
    }

    /// Whether there is a way from every node to every other.
    fn joins_all(&self, topology: &Topology) -> bool {
        let home = |node: NodeId| self.links.home(node).index();
        let mut homes: Vec<_> =
            (0..topology.nodes).map(NodeId::from_index).map(|node| (home(node), node)).collect();
        homes.sort_unstable_by_key(|&(switch, _)| switch);
        homes.dedup_by_key(|&mut (switch, _)| switch);
        homes.iter().all(|&(_, to)| {
            let (free, _) = self.hops(to);
            homes.iter().all(|&(from, _)| free[from] != NO_WAY)
        })
    }

    #[inline]
    fn is_down(&self, from: SwitchId, to: SwitchId) -> bool {
        self.ranks[to.index()] > self.ranks[from.index()]
    }

    /// Hops from each switch to that of a node: of packets that have not gone down, and of
    /// those that have.
    #[inline]
    fn hops(&self, destination: NodeId) -> (&[u16], &[u16]) {
        let switches = self.links.switches;
        let row = self.links.home(destination).index() * switches;
        (&self.free[row..][..switches], &self.bound[row..][..switches])
    }
}

/// Hops to `target` from everywhere, backwards from there: of a packet that has not gone down, that
/// is, to a switch of a higher rank, and of one that has.
pub(super) fn search(
    links: &Links,
    ranks: &[u32],
    target: SwitchId,
    free: &mut [u16],
    bound: &mut [u16],
) {
    (free[target.index()], bound[target.index()]) = (0, 0);
    let mut queue = VecDeque::from([(target, true), (target, false)]);
    while let Some((to, has_gone_down)) = queue.pop_front() {
        let hops = if has_gone_down { bound[to.index()] } else { free[to.index()] } + 1;
        for (_, from) in links.each(to) {
            let is_down = ranks[to.index()] > ranks[from.index()];
            if is_down != has_gone_down {
                continue;
            }
            if free[from.index()] == NO_WAY {
                free[from.index()] = hops;
                queue.push_back((from, false));
            }
            if is_down && bound[from.index()] == NO_WAY {
                bound[from.index()] = hops;
                queue.push_back((from, true));
            }
        }
    }
}

/// Refuses the first link without one back.
pub(super) fn check_symmetry(name: &str, topology: &Topology) -> Result<(), SpecError> {
    let Some((from, to)) = topology.first_one_way() else { return Ok(()) };
    let allowed = format!(
        "needs links in both directions: switch {} has one to switch {}, which has none back; \
         use shortest",
        from.0, to.0
    );
    Err(SpecError::new("machine.routing", name, allowed))
}

/// The first switch of those with most links.
pub(super) fn usual_root(links: &Links) -> usize {
    let degree = |&switch: &usize| links.each(SwitchId::from_index(switch)).count();
    (0..links.switches).rev().max_by_key(degree).unwrap_or(0)
}

/// The place of each switch in the order of layers from the highest and number, where switches are in
/// layers: nodes are on the lowest, and every link joins two that follow each other. None if they
/// are not.
fn layers(links: &Links, topology: &Topology) -> Option<Vec<u32>> {
    let mut heights = vec![u32::MAX; links.switches];
    let mut queue = VecDeque::new();
    for switch in topology.attachments.iter().filter_map(|attachment| attachment.enters()) {
        if std::mem::replace(&mut heights[switch.index()], 0) > 0 {
            queue.push_back(switch);
        }
    }
    while let Some(switch) = queue.pop_front() {
        for (_, neighbour) in links.each(switch) {
            let height = heights[switch.index()] + 1;
            if heights[neighbour.index()] == u32::MAX {
                heights[neighbour.index()] = height;
                queue.push_back(neighbour);
            }
        }
    }
    let follows = |switch: usize| {
        links
            .each(SwitchId::from_index(switch))
            .all(|(_, neighbour)| heights[switch].abs_diff(heights[neighbour.index()]) == 1)
    };
    let is_layered = (0..links.switches).all(follows) && heights.iter().any(|&height| height > 0);
    is_layered.then(|| ordered(links.switches, |switch| u32::MAX - heights[switch]))
}

/// The place of each switch in the order of a key and number.
fn ordered(switches: usize, key: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut order: Vec<usize> = (0..switches).collect();
    order.sort_by_key(|&switch| (key(switch), switch));
    let mut ranks = vec![0; switches];
    for (rank, switch) in order.into_iter().enumerate() {
        ranks[switch] = rank as u32;
    }
    ranks
}

/// The place of each switch in the order of hops to the root and number; those that cannot be
/// reached come last.
pub(super) fn rank(links: &Links, root: usize) -> Vec<u32> {
    let mut levels = vec![u32::MAX; links.switches];
    let mut queue = VecDeque::new();
    if let Some(level) = levels.get_mut(root) {
        *level = 0;
        queue.push_back(SwitchId::from_index(root));
    }
    while let Some(switch) = queue.pop_front() {
        for (_, neighbour) in links.each(switch) {
            if levels[neighbour.index()] == u32::MAX {
                levels[neighbour.index()] = levels[switch.index()] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    ordered(links.switches, |switch| levels[switch])
}

impl Algorithm for UpDown {
    fn properties(&self) -> Properties {
        let of = if self.adaptive { Properties::choosing } else { Properties::one_way };
        Properties { remembers: true, avoids_failed: true, takes_new_tables: true, ..of(true) }
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let (free, bound) = self.hops(header.destination);
        // It may have gone down by other tables, by which it did not end up here.
        let has_gone_down = header.route & DOWN != 0 && bound[switch.index()] != NO_WAY;
        let here = if has_gone_down { bound[switch.index()] } else { free[switch.index()] };
        for (port, neighbour) in self.links.each(switch) {
            let is_down = self.is_down(switch, neighbour);
            let there = if is_down { bound[neighbour.index()] } else { free[neighbour.index()] };
            if there < here && (is_down || !has_gone_down) {
                allow(port, 0);
                if !self.adaptive {
                    return;
                }
            }
        }
    }

    fn route_bits(&self) -> u32 {
        bits_of(DOWN as usize)
    }

    #[inline]
    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let before = SwitchId(header.route & !DOWN);
        let down = if slot.is_some() && self.is_down(before, switch) { DOWN } else { 0 };
        switch.0 | header.route & DOWN | down
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::dependency::{Search, find_cycle};
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, graph, random_graph, refusal_on, routing_on,
    };
    use crate::spec::RoutingSpec;

    fn up_down(root: Option<u32>, adaptive: bool) -> RoutingSpec {
        RoutingSpec::UpDown { root, adaptive }
    }

    #[test]
    fn random_graphs_have_no_circle_of_channels() {
        let mut random = cases(9);
        for _ in 0..200 {
            let graph = random_graph(&mut random);
            let root = random.below(graph.switches as u64) as u32;
            for spec in [up_down(None, true), up_down(Some(root), true), up_down(None, false)] {
                let routing = routing_on(&graph, &spec, 1).unwrap();
                check_ways(&graph, &routing, Promise::Arrives);
                check_free(&graph, &routing);
            }
            check_shortest(&UpDown::new("", Some(root), true, &graph).unwrap(), &graph);
        }
    }

    /// Hops are the fewest of all ways up and then down: each is one more than the fewest
    /// after the hops that are allowed first, and none where there is none to go.
    fn check_shortest(routing: &UpDown, graph: &Topology) {
        let far = |hops: &[u16], to: SwitchId| hops[to.index()].saturating_add(1);
        for destination in (0..graph.nodes).map(NodeId::from_index) {
            let (free, bound) = routing.hops(destination);
            for at in (0..graph.switches).map(SwitchId::from_index) {
                let is_there = graph.attachments[destination.index()].leaves() == Some(at);
                let down = graph.links(at).filter(|&(_, to)| routing.is_down(at, to));
                let down = down.map(|(_, to)| far(bound, to)).min().unwrap_or(NO_WAY);
                let up = graph.links(at).filter(|&(_, to)| !routing.is_down(at, to));
                let up = up.map(|(_, to)| far(free, to)).min().unwrap_or(NO_WAY);
                let expected = if is_there { (0, 0) } else { (down.min(up), down) };
                assert_eq!((free[at.index()], bound[at.index()]), expected);
            }
        }
    }

    /// A ring of five: opposite the root no packet passes from one side to the other.
    #[test]
    fn the_far_side_of_a_ring_is_not_passed() {
        let ring = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
        let routing = UpDown::new("", Some(0), true, &ring).unwrap();
        let way = |source, destination| {
            let destination = NodeId(destination);
            let mut at = SwitchId(source);
            let mut header = Header { source: NodeId(source), destination, route: 0, traffic: 0 };
            header.route = routing.passed(at, header, None);
            let mut way = vec![at.0];
            while let Some(port) = routing.next(at, header) {
                at = ring.neighbour(at, port);
                header.route = routing.passed(at, header, Some(port));
                way.push(at.0);
            }
            way
        };
        assert_eq!(way(1, 3), [1, 2, 3]);
        assert_eq!(way(4, 2), [4, 0, 1, 2]);
        assert_eq!(way(2, 4), [2, 1, 0, 4]);
        assert_eq!(way(3, 2), [3, 2]);
        assert_eq!(way(0, 2), [0, 1, 2]);
        // Shortest paths in one class would deadlock here.
        let shortest = refusal_on(&ring, &RoutingSpec::Shortest, 1);
        assert!(shortest.contains("can deadlock"), "{shortest}");
        let routing = routing_on(&ring, &up_down(None, true), 1).unwrap();
        assert_eq!(find_cycle(&routing, &ring), Search::Free);
    }

    #[test]
    fn graphs_it_cannot_route_are_refused() {
        let mut one_way = graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        one_way.neighbours[2 * one_way.ports] = SwitchId::NONE;
        assert_eq!(
            refusal_on(&one_way, &up_down(None, true), 1),
            "machine.routing = up_down: needs links in both directions: switch 1 has one to \
             switch 2, which has none back; use shortest"
        );
        let pieces = graph(4, &[(0, 1), (2, 3)]);
        assert_eq!(
            refusal_on(&pieces, &up_down(None, true), 1),
            "machine.routing = up_down: there is no way from switch 0 to switch 2"
        );
        assert_eq!(
            refusal_on(&graph(2, &[(0, 1)]), &up_down(Some(2), true), 1),
            "machine.routing.root = 2: must be a switch, 0 to 1"
        );
    }
}
