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

use super::Header;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
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
pub struct Dragonfly {
    /// Nodes on a switch.
    p: usize,
    /// Switches in a group.
    pub a: usize,
    /// Links of a switch to other groups.
    h: usize,
    pub groups: usize,
    /// Links between two groups.
    rounds: usize,
    split: Split,
}

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
        let [p, a, h, groups] = [nodes_per_switch, switches_per_group, global_links, groups]
            .map(|parameter| parameter as usize);
        Ok(Self { p, a, h, groups, rounds: a * h / (groups - 1), split })
    }

    /// The port and the class by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, header: Header) -> Option<(usize, usize)> {
        let (here, there) = (switch.index(), header.destination.index() / self.p);
        let (group, place) = (here / self.a, here % self.a);
        let (to_group, to_place) = (there / self.a, there % self.a);
        if here == there {
            return None;
        }
        let port = if group == to_group {
            to_place
        } else {
            self.over((group, place), (to_group, to_place), header)
        };
        Some((port, self.class(group, port, header)))
    }

    /// The class of a hop by a port out of a group.
    #[inline]
    fn class(&self, group: usize, port: usize, header: Header) -> usize {
        let crosses = port >= self.a;
        match self.split {
            Split::Parity if crosses => header.source.index() % 2,
            Split::Parity => usize::from(group == self.group_of(header.destination)),
            Split::Crossing => usize::from(crosses || group != self.group_of(header.source)),
        }
    }

    #[inline]
    fn group_of(&self, node: NodeId) -> usize {
        node.index() / self.p / self.a
    }

    /// The port by which it leaves a switch for any switch of another group.
    #[inline]
    pub fn toward(&self, switch: SwitchId, to_group: usize, header: Header) -> usize {
        let here = (switch.index() / self.a, switch.index() % self.a);
        self.over(here, (to_group, header.destination.index() % self.a), header)
    }

    #[inline]
    fn over(&self, here: (usize, usize), there: (usize, usize), header: Header) -> usize {
        let link = self.link(here, there, header);
        let gateway = link / self.h;
        if gateway == here.1 { self.a + link % self.h } else { gateway }
    }

    /// The link of its group that a packet takes to another.
    #[inline]
    fn link(
        &self,
        (group, place): (usize, usize),
        (to_group, to_place): (usize, usize),
        header: Header,
    ) -> usize {
        let others = self.groups - 1;
        // See `topology/dragonfly.rs`: the place in each round of the links to that group, and
        // there of those that lead back.
        let there = (group + others - to_group) % self.groups;
        let back = others - 1 - there;
        let start = (header.source.index() + header.destination.index()) % self.rounds;
        let rounds = (start..self.rounds).chain(0..start);
        let hops = |round: usize| {
            let first = (round * others + there) / self.h != place;
            let last = (round * others + back) / self.h != to_place;
            (usize::from(first) + usize::from(last), first)
        };
        let round = rounds.min_by_key(|&round| hops(round)).unwrap_or(0);
        round * others + there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
