//! Circles among places that are kept for some packets.

use super::walker::Walker;
use super::{Cycle, Graph, Search};
use crate::ids::SwitchId;
use crate::routing::header::Header;
use crate::routing::prepared::Routing;
use crate::topology::Topology;
use std::collections::BTreeSet;

/// Searches for a circle among places that are kept in the buffer of every channel: `holds`
/// says whether a packet that leaves a switch by a slot may have one of them.
///
/// A packet that has a kept place may go on over places of both kinds: its place depends on
/// every kept one that it may ask for later [Duato 1993]. That is enough if packets can always
/// ask for a kept place next, which is asserted.
pub fn find_cycle_among(
    routing: &Routing,
    topology: &Topology,
    holds: impl Fn(SwitchId, Header, usize) -> bool,
) -> Search {
    let mut walker = Walker::new(routing, topology);
    let mut follower = Walker::new(routing, topology);
    let mut graph = Graph::new(walker.channels());
    walker.walk(|header, from, to| {
        let holds = |follower: &Walker, channel: u32| {
            let link = follower.link(channel);
            holds(link.switch, header, link.port * follower.classes + link.class)
        };
        assert!(holds(&follower, to), "no way out for {header:?}");
        if !holds(&follower, from) {
            return;
        }
        let mut seen = BTreeSet::from([to]);
        let mut open = vec![(to, header.route)];
        while let Some((channel, route)) = open.pop() {
            if holds(&follower, channel) {
                graph.add(from, channel);
            }
            let mut next = Vec::new();
            let switch = follower.link(channel).to;
            follower.states_after(switch, Header { route, ..header }, &mut next);
            open.extend(next.into_iter().filter(|&(channel, _)| seen.insert(channel)));
        }
    });
    match graph.shortest_cycle() {
        Some(channels) => Search::Cycle(Cycle::explain(&mut walker, &channels)),
        None => Search::Free,
    }
}
