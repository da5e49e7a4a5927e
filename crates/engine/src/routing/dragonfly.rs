//! Minimal routing on dragonflies [Kim et al. 2008].
//!
//! A packet for another group goes to a switch of its own group that has a link there, over
//! it, and to its destination's switch: at most three hops, one of them between groups.
//! Where several links join the two groups it takes one of the fewest hops, of these one at
//! its own switch, of these one picked by the numbers of source and destination.
//!
//! Free of deadlock with two classes, because every hop is of the next kind: within the group
//! left, between groups, within the group reached. There are two ways to tell them apart.
//!
//! *Parity*: within a group, packets that have still to leave it are in class 0 and those that
//! have arrived in class 1; between groups they may be in either, and are in that of their
//! source's parity.
//!
//! *Crossing* [Jiang et al. 2013]: a packet is in class 0 within the group of its source, also
//! if it stays there, and in class 1 from the link between groups on. Who waits for a channel
//! of class 1 within a group came over a link, and nobody there waits for another of these.

use super::header::Header;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{Family, Topology};

/// Which of its two classes a packet is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Within a group by whether it has arrived there, between groups by its source's parity.
    Parity,
    /// By whether it has set out for another group.
    Crossing,
}

/// Minimal routing for one dragonfly.
///
/// All is worked out in 32 bits, which divide in a fraction of the time that 64 take.
pub struct Dragonfly {
    /// Nodes on a switch.
    p: u32,
    /// Switches in a group.
    a: u32,
    /// Links of a switch to other groups.
    h: u32,
    /// Groups.
    groups: u32,
    /// Links between two groups.
    rounds: u32,
    split: Split,
}

/// A group, and a switch's place in it.
type Spot = (u32, u32);

impl Dragonfly {
    /// Classes of virtual channels it tells apart.
    pub const CLASSES: usize = 2;

    /// Prepares routing on a dragonfly.
    pub fn new(name: &str, split: Split, topology: &Topology) -> Result<Self, SpecError> {
        let Family::Dragonfly { nodes_per_switch, switches_per_group, global_links, groups } =
            topology.family
        else {
            return Err(SpecError::new("machine.routing", name, "needs a dragonfly"));
        };
        let [p, a, h] = [nodes_per_switch, switches_per_group, global_links];
        Ok(Self { p, a, h, groups, rounds: a * h / (groups - 1), split })
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups as usize
    }

    /// The group of a switch.
    #[inline]
    pub fn group(&self, switch: SwitchId) -> usize {
        (switch.0 / self.a) as usize
    }

    #[inline]
    fn spot(&self, switch: u32) -> Spot {
        (switch / self.a, switch % self.a)
    }

    /// The port and the class by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let (here, there) = (self.spot(switch.0), self.spot(header.destination.0 / self.p));
        if here == there {
            return None;
        }
        let port = if here.0 == there.0 { there.1 } else { self.over(here, there, header) };
        Some((port as usize, self.class((here.0, there.0), port, header)))
    }

    /// The class of a hop by a port out of a group on the way to another.
    #[inline]
    fn class(&self, (group, to): (u32, u32), port: u32, header: Header) -> usize {
        let crosses = port >= self.a;
        match self.split {
            Split::Parity if crosses => header.source.index() % 2,
            Split::Parity => usize::from(group == to),
            Split::Crossing => usize::from(crosses || group != header.source.0 / self.p / self.a),
        }
    }

    /// The port by which it leaves a switch for any switch of another group.
    #[inline]
    pub fn toward(&self, switch: SwitchId, to_group: usize, header: Header) -> usize {
        let there = (to_group as u32, header.destination.0 % self.a);
        self.over(self.spot(switch.0), there, header) as usize
    }

    #[inline]
    fn over(&self, here: Spot, there: Spot, header: Header) -> u32 {
        let link = self.link(here, there, header);
        let gateway = link / self.h;
        if gateway == here.1 { self.a + link % self.h } else { gateway }
    }

    /// The link of its group that a packet takes to another.
    #[inline]
    fn link(&self, (group, place): Spot, (to_group, to_place): Spot, header: Header) -> u32 {
        let others = self.groups - 1;
        // See `topology/dragonfly.rs`: the place in each round of the links to that group, and
        // there of those that lead back.
        let ahead = if to_group > group { self.groups } else { 0 };
        let there = group + ahead - to_group - 1;
        if self.rounds == 1 {
            return there;
        }
        let back = others - 1 - there;
        let start = (header.source.0 + header.destination.0) % self.rounds;
        let rounds = (start..self.rounds).chain(0..start);
        let hops = |round: u32| {
            let first = (round * others + there) / self.h != place;
            let last = (round * others + back) / self.h != to_place;
            (u32::from(first) + u32::from(last), first)
        };
        let round = rounds.min_by_key(|&round| hops(round)).unwrap_or(0);
        round * others + there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::dependency::{Search, find_cycle};
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, refusal, routing, routing_on,
    };
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_dragonflies_have_no_circle_of_channels() {
        let mut random = cases(13);
        for case in 0..200 {
            let [p, a, h] = [2, 5, 3].map(|most| 1 + random.below(most) as u32);
            let groups = 2 + random.below(u64::from(a * h).min(8)) as u32;
            let fly = TopologySpec::Dragonfly {
                nodes_per_switch: p,
                switches_per_group: a,
                global_links: h,
                groups,
            };
            let topology = Topology::new(&fly).unwrap();
            let minimal = routing(&fly, &RoutingSpec::Minimal, 2);
            assert!(check_ways(&topology, &minimal, Promise::Arrives) <= 3);
            check_free(&topology, &minimal);
            let crossing = routing(&fly, &RoutingSpec::MinimalByCrossing, 2);
            assert!(check_ways(&topology, &crossing, Promise::Arrives) <= 3);
            check_free(&topology, &crossing);
            if case % 4 == 0 && topology.nodes <= 24 {
                let two_phase = routing(&fly, &RoutingSpec::Valiant { order: vec![] }, 4);
                assert!(check_ways(&topology, &two_phase, Promise::Arrives) <= 6);
                check_free(&topology, &two_phase);
            }
        }
    }

    /// Five groups of four switches with two nodes each.
    const FIVE_GROUPS: TopologySpec = TopologySpec::Dragonfly {
        nodes_per_switch: 2,
        switches_per_group: 4,
        global_links: 2,
        groups: 5,
    };

    /// The hops of a packet, each as its class; between groups as `g` and its class.
    fn hops(topology: &Topology, routing: &Dragonfly, header: Header) -> String {
        let mut at = topology.attachments[header.source.index()].enters().unwrap();
        let mut hops = String::new();
        while let Some((port, class)) = routing.step(at, header) {
            hops += if port >= 4 { "g" } else { "" };
            hops += ["0", "1"][class];
            at = topology.neighbour(at, port);
        }
        hops
    }

    /// One hop between groups, between one within each: all ways of all pairs.
    fn check_hops(split: Split, within: [&str; 2], between: [&[&str]; 2]) {
        let topology = Topology::new(&FIVE_GROUPS).unwrap();
        let routing = Dragonfly::new("minimal", split, &topology).unwrap();
        for pair in 0..40 * 40 {
            let (source, destination) = (NodeId(pair / 40), NodeId(pair % 40));
            let header = Header { source, destination, route: 0, traffic: 0 };
            let same_group = source.0 / 8 == destination.0 / 8;
            let allowed = if same_group { &within } else { between[source.index() % 2] };
            let hops = hops(&topology, &routing, header);
            assert!(allowed.contains(&hops.as_str()), "{header:?}: {hops}");
        }
    }

    #[test]
    fn groups_are_changed_once_in_the_class_of_the_sources_parity() {
        let even: &[&str] = &["g0", "0g0", "g01", "0g01"];
        let odd: &[&str] = &["g1", "0g1", "g11", "0g11"];
        check_hops(Split::Parity, ["", "1"], [even, odd]);
    }

    #[test]
    fn groups_are_changed_once_in_the_class_of_those_that_have_arrived() {
        let ways: &[&str] = &["g1", "0g1", "g11", "0g11"];
        check_hops(Split::Crossing, ["", "0"], [ways, ways]);
    }

    #[test]
    fn one_class_deadlocks() {
        let fly = TopologySpec::Dragonfly {
            nodes_per_switch: 2,
            switches_per_group: 4,
            global_links: 2,
            groups: 9,
        };
        let refused = refusal(&fly, &RoutingSpec::Minimal, 1);
        assert!(refused.contains("waits for") && refused.contains("needs 2 "), "{refused}");
        let topology = Topology::new(&fly).unwrap();
        let routing = routing_on(&topology, &RoutingSpec::Minimal, 2).unwrap();
        assert_eq!(find_cycle(&routing, &topology), Search::Free);
    }
}
