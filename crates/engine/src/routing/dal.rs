//! Dimensionally adaptive, load-balanced routing on a `HyperX` (DAL [Ahn et al. 2009]).
//!
//! A packet may take the dimensions in which it is not yet right in any order, and in each go
//! directly or, once, by way of another switch of the line (a *deroute*). At every switch it compares the
//! least loaded direct link with the least loaded of all others it may take in these dimensions: with
//! H hops left and load q directly, and q' the other's load, it goes directly if
//! `H · q ≤ (H + 1) · q' + threshold`, or, by the rule `double`, if `q ≤ 2 · q' + threshold`. Load is
//! as in [`super::detour`].
//!
//! *Where links have failed* a packet goes directly by any link that brings it nearer by what is left,
//! so that a failed link within a line is gone round by way of another switch, in that line or not; it
//! is derouted, once in each dimension, by a link that leaves it as far as it is.
//!
//! Free of deadlock: each hop is in the class of its number, as in [`super::hop_classes`]. A hop brings a
//! packet nearer, or is the deroute of a dimension; there are at most as many as the longest of the
//! shortest ways has and one more for each dimension, two for each dimension if no link has failed.
//! (As published one class is a way out by dimension order, which needs buffers that a packet is
//! alone in.)
//!
//! The route is the dimensions in which it has been derouted, the port it has decided on, and whether
//! that is a deroute.

use super::algorithm::Algorithm;
use super::distances::Distances;
use super::header::Header;
use super::hyperx::{Dimension, HyperX};
use super::loads::Loads;
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::Weighing;
use crate::topology::Topology;

/// In a route: the dimensions in which the packet has been derouted.
const DEROUTED: u32 = 0xff;
/// The port it has decided on, plus one.
const PORT: u32 = 1 << 8;
const PORTS: u32 = 0x7f_ffff << 8;
/// It is not nearer there.
const ASIDE: u32 = 1 << 31;

/// DAL for one `HyperX`.
pub struct Dal {
    hyperx: HyperX,
    /// Where links have failed: how far it is by those that are left.
    left: Option<Distances>,
    weighing: Weighing,
    slots: Slots,
}

impl Dal {
    /// Prepares routing.
    ///
    /// # Errors
    /// Another topology; more dimensions than a packet can remember; where links have failed, one too
    /// large for tables, or ways too long for their classes.
    pub fn new(name: &str, weighing: Weighing, topology: &Topology) -> Result<Self, SpecError> {
        let hyperx = HyperX::new(name, &[], topology)?;
        if hyperx.dimensions.len() > DEROUTED.count_ones() as usize {
            let allowed = format!("must have at most {} dimensions", DEROUTED.count_ones());
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let dimensions = hyperx.dimensions.len();
        let left = topology.has_failed().then(|| Distances::new(name, topology)).transpose()?;
        let longest = left.as_ref().map_or(dimensions, |left| left.longest(topology));
        let slots = Slots::by_hop(name, longest + dimensions)?;
        Ok(Self { hyperx, left, weighing, slots })
    }

    /// How many hops it is to a node.
    fn far(&self, at: SwitchId, destination: NodeId) -> usize {
        match &self.left {
            None => self.wrong(at, self.hyperx.home(destination)).count(),
            Some(left) => left.hops(at, destination).into(),
        }
    }

    /// Names each port that brings a packet nearer.
    fn each_direct(&self, at: SwitchId, destination: NodeId, each: impl FnMut(usize)) {
        match &self.left {
            None => self.hyperx.each_profitable(at, destination, each),
            Some(left) => left.each_profitable(at, destination, each),
        }
    }

    /// The dimensions in which a packet is not right, with their numbers.
    fn wrong(&self, at: SwitchId, home: SwitchId) -> impl Iterator<Item = (u32, &Dimension)> {
        let lines = (0..).zip(&self.hyperx.dimensions);
        lines.filter(move |(_, line)| line.of(at) != line.of(home))
    }

    /// The class of a packet's next hop: the hops it has behind it.
    fn class(&self, switch: SwitchId, header: Header) -> usize {
        let source = self.hyperx.home(header.source);
        let derouted = (header.route & DEROUTED).count_ones() as usize;
        derouted + self.far(source, header.destination) - self.far(switch, header.destination)
    }

    /// Names every port of a line that leaves a packet as far as it is, if it may still take one.
    fn each_deroute(&self, switch: SwitchId, header: Header, mut each: impl FnMut(usize)) {
        let home = self.hyperx.home(header.destination);
        let is_as_far = |port: usize| match &self.left {
            None => true,
            Some(left) => {
                let to = left.links.around(switch)[port];
                let hops = |at| left.hops(at, header.destination);
                to.is_some() && hops(to) == hops(switch)
            }
        };
        for (number, line) in self.wrong(switch, home) {
            if header.route >> number & 1 == 0 {
                let (here, there) = (line.of(switch), line.of(home));
                let aside = |&to: &usize| to != here && to != there;
                let ports = (0..line.side).filter(aside).map(|to| line.port + to);
                ports.filter(|&port| is_as_far(port)).for_each(&mut each);
            }
        }
    }

    /// The same packet once it has decided on a port.
    fn decided(route: u32, port: usize) -> u32 {
        route & DEROUTED | (PORT * (port as u32 + 1))
    }
}

impl Algorithm for Dal {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        Properties {
            weighs: true,
            counts_waiting: !self.weighing.only_behind,
            avoids_failed: true,
            ..Properties::in_classes(self.slots)
        }
    }

    /// As long as it has not decided it goes directly.
    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let mut port = ((header.route & PORTS) / PORT).checked_sub(1).map(|port| port as usize);
        if port.is_none() {
            self.each_direct(switch, header.destination, |direct| {
                port.get_or_insert(direct);
            });
        }
        if let Some(port) = port {
            allow(self.slots.slot(port, self.class(switch, header)), 0);
        }
    }

    fn passed(&self, _switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let derouted = header.route & DEROUTED;
        let Some(port) = slot.filter(|_| header.route & ASIDE != 0) else { return derouted };
        let port = port / self.slots.classes();
        let is_of = |line: &Dimension| (line.port..line.port + line.side).contains(&port);
        let line = self.hyperx.dimensions.iter().position(is_of);
        line.map_or(derouted, |number| derouted | 1 << number)
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        if self.hyperx.home(header.destination) == switch {
            return each(header.route & DEROUTED);
        }
        self.each_direct(switch, header.destination, |port| {
            each(Self::decided(header.route, port));
        });
        self.each_deroute(switch, header, |port| each(Self::decided(header.route, port) | ASIDE));
    }

    fn decide(&self, switch: SwitchId, header: Header, mut loads: impl Loads) -> u32 {
        let flit = loads.usual_flit();
        let mut load = |slot| loads.load(switch, slot);
        let mut direct = None;
        self.each_direct(switch, header.destination, |port| {
            self.weigh(port, &mut direct, &mut load, |_| true);
        });
        let Some((own, port)) = direct else { return header.route & DEROUTED };
        let hops = self.far(switch, header.destination) as u64;
        let is_better = |other| !self.goes_directly(hops, own, other, flit);
        let mut aside = None;
        if is_better(0) {
            self.each_deroute(switch, header, |port| {
                self.weigh(port, &mut aside, &mut load, is_better);
            });
        }
        match aside {
            Some((_, aside)) => Self::decided(header.route, aside) | ASIDE,
            None => Self::decided(header.route, port),
        }
    }
}

impl Dal {
    /// Compares a port with the least loaded one so far, if its load may count: as many of its
    /// classes are asked about as it takes to know.
    #[inline]
    fn weigh(
        &self,
        port: usize,
        least: &mut Option<(u64, usize)>,
        load: &mut impl FnMut(usize) -> u64,
        counts: impl Fn(u64) -> bool,
    ) {
        let may_be_least = |sum| counts(sum) && least.is_none_or(|least| (sum, port) < least);
        let mut sum = 0;
        for class in 0..self.slots.classes() {
            if !may_be_least(sum) {
                return;
            }
            sum += load(self.slots.slot(port, class));
        }
        if may_be_least(sum) {
            *least = Some((sum, port));
        }
    }

    /// Whether a packet with so many hops left goes directly. The more is behind the other link, the
    /// more so.
    fn goes_directly(&self, hops: u64, own: u64, other: u64, flit: u64) -> bool {
        let threshold = i128::from(self.weighing.threshold) * i128::from(flit);
        let [hops, own, other] = [hops, own, other].map(i128::from);
        let (own, other) =
            if self.weighing.doubles { (own, 2 * other) } else { (hops * own, (hops + 1) * other) };
        own <= other + threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::loads::OfOneRate;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing};
    use crate::spec::{FailedLink, RoutingSpec, TopologySpec};

    fn hyperx(dims: Vec<u32>) -> TopologySpec {
        TopologySpec::HyperX { dims, widths: vec![], nodes_per_switch: 1, by_distance: false }
    }

    fn dal() -> RoutingSpec {
        RoutingSpec::Dal { weighing: Weighing::default() }
    }

    #[test]
    fn random_hyperx_have_no_circle_of_channels() {
        let mut random = cases(94);
        for case in 0..60 {
            let dimensions = 1 + case % 3;
            let dims: Vec<u32> = (0..dimensions).map(|_| 2 + random.below(3) as u32).collect();
            let longest = dims.iter().map(|&side| if side > 2 { 2 } else { 1 }).sum::<u32>();
            if dims.iter().product::<u32>() > 24 {
                continue;
            }
            let topology = Topology::new(&hyperx(dims.clone())).unwrap();
            let made = routing(&hyperx(dims), &dal(), 2 * dimensions as u32);
            assert_eq!(check_ways(&topology, &made, Promise::Arrives), longest);
            check_free(&topology, &made);
        }
    }

    /// Of a square of three by three switches all but a few links: two hops and two deroutes at
    /// most, more where the ways that are left are longer.
    #[test]
    fn what_is_left_has_no_circle_of_channels() {
        let (mut random, mut found) = (cases(95), std::collections::BTreeSet::new());
        for case in 0..60 {
            let dims = [vec![5], vec![3, 3], vec![4, 3], vec![2, 3, 2]][case % 4].clone();
            let dimensions = dims.len();
            let share = 30_000 + random.below(350_000) as u32;
            let spec = hyperx(dims).failing(vec![], share, random.below(1 << 30));
            let Ok(topology) = Topology::new(&spec) else { continue };
            let needed = Properties::of(&dal(), &topology).unwrap().classes;
            let made = routing(&spec, &dal(), needed as u32);
            assert!(check_ways(&topology, &made, Promise::Arrives) <= needed as u32);
            check_free(&topology, &made);
            found.insert((dimensions, needed - 2 * dimensions));
        }
        // Most lose nothing but some links; some have ways of a hop or two more.
        assert!(found.contains(&(2, 0)) && found.contains(&(2, 1)), "{found:?}");
    }

    /// A line of four switches that has lost the link from 0 to 2: by way of 1 or 3, which is no
    /// deroute; to 1 directly, or aside by way of 3, as far from 1 as 0 is, but not of 2.
    #[test]
    fn a_failed_link_is_gone_round_within_its_line() {
        let spec = hyperx(vec![4]).failing(vec![FailedLink::Between(0, 2)], 0, 1);
        let topology = Topology::new(&spec).unwrap();
        let dal = Dal::new("dal", Weighing::default(), &topology).unwrap();
        assert_eq!(dal.properties().classes, 3);
        let ways = |destination| {
            let destination = NodeId(destination);
            let header = Header { source: NodeId(0), destination, route: 0, traffic: 0 };
            let mut ways = Vec::new();
            dal.alternatives(SwitchId(0), header, |route| {
                ways.push(((route & PORTS) / PORT - 1, route & ASIDE != 0));
            });
            ways
        };
        assert_eq!(ways(2), [(1, false), (3, false)]);
        assert_eq!(ways(1), [(1, false), (3, true)]);
    }

    /// Two hops left, 9 flits on either direct link: aside as soon as 3 · q' is less than 18.
    #[test]
    fn the_less_loaded_way_is_taken() {
        let topology = Topology::new(&hyperx(vec![4, 4])).unwrap();
        let dal = Dal::new("dal", Weighing::default(), &topology).unwrap();
        let header = Header { source: NodeId(0), destination: NodeId(10), route: 0, traffic: 0 };
        let classes = dal.properties().classes;
        // Ports 0 to 3 lead along x, 4 to 7 along y; direct are 2 and 6.
        let port = |aside: u32, route: u32| {
            let load = |_: SwitchId, slot: usize| match slot / classes {
                _ if !slot.is_multiple_of(classes) => 0,
                2 | 6 => 9,
                5 => aside.into(),
                _ => 20,
            };
            let decided =
                dal.decide(SwitchId(0), Header { route, ..header }, OfOneRate { flit: 1, load });
            ((decided & PORTS) / PORT) as usize - 1
        };
        assert_eq!((port(6, 0), port(5, 0)), (2, 5));
        // Derouted along y before, it may only go there.
        assert_eq!(port(5, 2), 2);
    }

    /// By all loads, each summed up to the end.
    fn decided_slowly(dal: &Dal, at: SwitchId, header: Header, flit: u64, loads: &[u64]) -> u32 {
        let classes = dal.slots.classes();
        let of = |port: usize| loads[port * classes..][..classes].iter().sum::<u64>();
        let (mut direct, mut aside) = (Vec::new(), Vec::new());
        dal.each_direct(at, header.destination, |port| direct.push((of(port), port)));
        dal.each_deroute(at, header, |port| aside.push((of(port), port)));
        let hops = dal.far(at, header.destination) as u64;
        let Some(&(own, port)) = direct.iter().min() else { return header.route & DEROUTED };
        match aside.iter().min().filter(|&&(other, _)| !dal.goes_directly(hops, own, other, flit)) {
            Some(&(_, aside)) => Dal::decided(header.route, aside) | ASIDE,
            None => Dal::decided(header.route, port),
        }
    }

    #[test]
    fn no_more_links_are_asked_about_than_it_takes() {
        let (mut random, mut asked) = (cases(96), [0; 2]);
        let topology = Topology::new(&hyperx(vec![4, 3, 3])).unwrap();
        for case in 0..20_000_u32 {
            let threshold = random.below(12) as i32 - 3;
            let weighing = Weighing { threshold, doubles: case % 3 == 0, ..Weighing::default() };
            let dal = Dal::new("dal", weighing, &topology).unwrap();
            let mut node = || random.below(topology.nodes as u64) as u32;
            let (at, source, destination) = (SwitchId(node()), NodeId(node()), NodeId(node()));
            let header = Header { source, destination, route: random.below(8) as u32, traffic: 0 };
            let most = 1 + random.below(1 + u64::from(case % 9));
            let slots = topology.ports * dal.slots.classes();
            let loads: Vec<u64> = (0..slots).map(|_| random.below(most)).collect();
            let flit = 1 + u64::from(case % 4);
            let expected = decided_slowly(&dal, at, header, flit, &loads);
            let load = |_: SwitchId, slot: usize| {
                asked[0] += 1;
                loads[slot]
            };
            let found = dal.decide(at, header, OfOneRate { flit, load });
            asked[1] += slots;
            assert_eq!(found, expected, "case {case}");
        }
        assert!(3 * asked[0] < asked[1], "{asked:?}");
    }

    #[test]
    fn others_are_refused() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        assert_eq!(refusal(&mesh, &dal(), 4), "machine.routing = dal: needs a HyperX");
        let few = refusal(&hyperx(vec![3, 3]), &dal(), 2);
        assert!(few.contains("needs 4 virtual channels"), "{few}");
        let lost = hyperx(vec![4]).failing(vec![FailedLink::Between(0, 2)], 0, 1);
        let few = refusal(&lost, &dal(), 2);
        assert!(few.contains("needs 3 virtual channels"), "{few}");
    }
}
