//! Whether packets can wait for each other in a circle, found out channel by channel.
//!
//! A packet that holds one channel and asks for another makes the first *depend* on the
//! second. If no circle of dependencies can be put together, there is no deadlock
//! [Dally & Seitz 1987]. Here a channel is one class at one port of one switch; channels
//! between nodes and switches are left out, for nothing that holds an injection channel is
//! waited for by a packet in the network, and nodes always accept.
//!
//! Where an algorithm has a way out, only the channels of that count, and one of them
//! depends on another also if a packet may go from one to the other over any number of
//! adaptive channels: Duato's extended dependencies [Duato 1993]. No circle among these,
//! and a way out from everywhere, is enough.
//!
//! **Cost.** Every state (channel, route) of every packet (source, destination, route it
//! begins with) is looked at. After [`MOST_STEPS`] outputs the search ends: what it has
//! not seen by then it does not know ([`Search::TooLarge`]).

mod cycle;
mod graph;
#[cfg(test)]
mod kept;
mod walker;

pub use cycle::Cycle;
#[cfg(test)]
pub(super) use kept::find_cycle_among;

use super::prepared::Routing;
use crate::ids::SwitchId;
use crate::topology::Topology;
use graph::Graph;
use walker::Walker;
pub use walker::{Link, MOST_STEPS};

/// What a search for a circle has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// There is none.
    Free,
    /// A shortest.
    Cycle(Cycle),
    /// None so far, but there is too much to look at.
    TooLarge,
}

/// Searches for a shortest circle of dependencies. The same every time: of several, the
/// one through the lowest channel.
pub fn find_cycle(routing: &Routing, topology: &Topology) -> Search {
    let mut walker = Walker::new(routing, topology);
    let mut graph = Graph::new(walker.channels());
    let is_complete = walker.walk(|_, from, to| graph.add(from, to));
    match graph.shortest_cycle() {
        Some(channels) => Search::Cycle(Cycle::explain(&mut walker, &channels)),
        None if is_complete => Search::Free,
        None => Search::TooLarge,
    }
}

/// Whether no circle of dependencies can be put together where channels share wires that are
/// held as a whole; `wire`: the wire, below `wires`, of a slot of a switch. If there is too much
/// to look at: no.
pub fn is_free(
    routing: &Routing,
    topology: &Topology,
    wires: usize,
    wire: impl Fn(SwitchId, usize) -> u32,
) -> bool {
    let mut walker = Walker::new(routing, topology);
    let slots = topology.ports * walker.classes;
    let wire = |channel: u32| {
        wire(SwitchId::from_index(channel as usize / slots), channel as usize % slots)
    };
    let mut graph = Graph::new(wires);
    walker.walk(|_, from, to| graph.add(wire(from), wire(to))) && !graph.has_cycle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Held;
    use crate::routing::walk::{machine, refusal};
    use crate::spec::{RoutingSpec, TopologySpec};
    use std::collections::BTreeSet;

    /// The routing of a machine that may deadlock.
    fn daring(topology: &TopologySpec, spec: &RoutingSpec, channels: u32) -> (Topology, Routing) {
        let graph = Topology::new(topology).unwrap();
        let machine = machine(topology, spec, channels);
        let machine = crate::routing::walk::allowed(machine);
        let routing = Routing::new(&machine, &graph, 1).unwrap();
        (graph, routing)
    }

    fn dimension_order() -> RoutingSpec {
        RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false }
    }

    /// A ring of five with one class: each packet two away holds one channel and asks for
    /// the next, all the way round.
    #[test]
    fn a_ring_with_one_class_deadlocks() {
        let ring = TopologySpec::Torus { dims: vec![5] };
        let (graph, routing) = daring(&ring, &dimension_order(), 1);
        assert_eq!((routing.classes(), routing.properties().is_known_free), (&[1][..], false));
        let Search::Cycle(cycle) = find_cycle(&routing, &graph) else { panic!("no cycle") };
        let ways: Vec<(u32, u32)> = cycle.channels.iter().map(|l| (l.switch.0, l.to.0)).collect();
        assert_eq!(ways, [(0, 4), (4, 3), (3, 2), (2, 1), (1, 0)]);
        let packets: Vec<(u32, u32)> =
            cycle.packets.iter().map(|p| (p.source.0, p.destination.0)).collect();
        let pair_at = |place: usize| packets[cycle.holders[place]];
        assert_eq!(
            (0..5).map(pair_at).collect::<Vec<_>>(),
            [(0, 3), (4, 2), (3, 1), (2, 0), (1, 4)]
        );
        let second = Held { from: 4, to: 3, class: 0, source: 4, destination: 2 };
        assert_eq!((cycle.held().len(), cycle.held()[1]), (5, second));
        assert_eq!(
            refusal(&ring, &dimension_order(), 1),
            "machine.routing = dimension_order: can deadlock: channel 0->4 waits for channel 4->3 \
             waits for channel 3->2 waits for channel 2->1 waits for channel 1->0 waits for the \
             first; routes 0->3, 4->2, 3->1, 2->0, 1->4; needs 2 virtual channels, or \
             allow_deadlock = true"
        );
    }

    /// Longer routes make several of the dependencies: few are needed.
    #[test]
    fn few_packets_explain_a_cycle() {
        let (graph, routing) =
            daring(&TopologySpec::Torus { dims: vec![9] }, &dimension_order(), 1);
        let Search::Cycle(cycle) = find_cycle(&routing, &graph) else { panic!("no cycle") };
        // Each route of four hops makes three of the nine dependencies.
        assert_eq!((cycle.channels.len(), cycle.packets.len()), (9, 3));
    }

    /// Where no route is longer than one hop in a ring, one class is enough.
    #[test]
    fn what_cannot_deadlock_is_not_refused() {
        let torus = TopologySpec::Torus { dims: vec![3, 3] };
        assert_eq!(refusal(&torus, &dimension_order(), 1), "");
        let mesh = TopologySpec::Mesh { dims: vec![2, 3] };
        assert_eq!(refusal(&mesh, &RoutingSpec::Shortest, 1), "");
    }

    #[test]
    fn phases_and_choices_in_one_class_deadlock() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
        let two_phase = refusal(&mesh, &RoutingSpec::Valiant { order: vec![] }, 1);
        assert!(two_phase.contains("waits for") && two_phase.contains("needs 2 "), "{two_phase}");
        let adaptive = refusal(&mesh, &RoutingSpec::MinimalAdaptive { order: vec![] }, 1);
        assert!(adaptive.contains("waits for") && adaptive.contains("needs 2 "), "{adaptive}");
        let torus = TopologySpec::Torus { dims: vec![4, 4] };
        let adaptive = refusal(&torus, &RoutingSpec::MinimalAdaptive { order: vec![] }, 2);
        assert!(adaptive.contains("needs 3 virtual channels"), "{adaptive}");
    }

    /// From a channel of the way out over an adaptive one to another of the way out: an
    /// extended dependency; and none of an adaptive channel.
    #[test]
    fn dependencies_pass_over_adaptive_channels() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 2] };
        let (graph, routing) = daring(&mesh, &RoutingSpec::MinimalAdaptive { order: vec![] }, 2);
        let mut walker = Walker::new(&routing, &graph);
        let mut found = BTreeSet::new();
        walker.walk(|_, from, to| {
            found.insert((from, to));
        });
        let channel = |switch: u32, port: u32, class: u32| (switch * 4 + port) * 2 + class;
        // East from switch 0 to 1, then north to 4 adaptively, then east to 5.
        assert!(found.contains(&(channel(0, 1, 0), channel(4, 1, 0))));
        assert!(found.iter().all(|(from, to)| from % 2 == 0 && to % 2 == 0));
    }

    #[test]
    fn links_have_their_class_in_messages() {
        let (switch, to) = (SwitchId(3), SwitchId(4));
        let link = Link { switch, port: 1, class: 1, to };
        assert_eq!(link.to_string(), "channel 3->4 (class 1)");
    }
}
