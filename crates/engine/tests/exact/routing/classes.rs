//! On which virtual channels packets go from group to group of a dragonfly, by hand.

use super::machine;
use crate::common::{Run, message_list};
use tailback_engine::spec::*;
use tailback_engine::time::Time;

/// A packet of 32 bytes on a channel.
const PACKET_PS: Time = 3_340_000;

/// How much later than that of node 0 a packet of node 1 starts on its first channel between
/// switches. They ask together, and every virtual channel is a wire of its own.
///
/// Three groups of two switches with two nodes each. The first group's link to the second is at
/// its second switch; that to the third leads from its first switch to the second one there.
fn later(routing: RoutingSpec, destinations: [u32; 2]) -> Time {
    let fly = TopologySpec::Dragonfly {
        nodes_per_switch: 2,
        switches_per_group: 2,
        global_links: 1,
        groups: 3,
    };
    let mut machine = machine(fly, routing, 2);
    machine.link.sharing = Sharing::Separate;
    let rows = [(0, 0, destinations[0], 32), (0, 1, destinations[1], 32)];
    let run = Run::to_the_end(machine, message_list(&rows));
    let data = run.data();
    assert_eq!((data[0].source, data[0].hops), (0, 3));
    data[1].first_internal - data[0].first_internal
}

/// Both nodes send to the third group.
const OVER_ONE_LINK: [u32; 2] = [10, 11];
/// One sends to the other switch of its group, the other by way of that to the second group.
const WITHIN_AND_ON: [u32; 2] = [2, 4];

#[test]
fn by_parity_odd_sources_have_another_channel_and_so_have_those_that_stay() {
    assert_eq!(later(RoutingSpec::Minimal, OVER_ONE_LINK), 0);
    assert_eq!(later(RoutingSpec::Minimal, WITHIN_AND_ON), 0);
}

#[test]
fn by_crossing_all_have_one_channel_before_and_one_on_the_link_between_groups() {
    assert_eq!(later(RoutingSpec::MinimalByCrossing, OVER_ONE_LINK), PACKET_PS);
    assert_eq!(later(RoutingSpec::MinimalByCrossing, WITHIN_AND_ON), PACKET_PS);
}
