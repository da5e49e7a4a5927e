//! Packets of one pair that go different ways.

use super::machine;
use crate::common::{Run, message_list};
use std::collections::BTreeMap;
use tailback_engine::spec::*;

/// Long messages on a fat tree, all nodes to all: packets by message.
fn arrivals(routing: RoutingSpec) -> BTreeMap<u64, Vec<(u64, u64)>> {
    let mut machine = machine(TopologySpec::PodFatTree { switch_ports: 4 }, routing, 1);
    machine.interface.window = None;
    let rows = (0..16 * 6).map(|row| (0, row % 16, (row % 16 + 1 + row / 16 * 2) % 16, 320));
    let mut rows: Vec<(u64, u32, u32, u32)> = rows.collect();
    rows.sort_unstable();
    let mut run = Run::new(machine, message_list(&rows), Mode::Full);
    run.finish();
    assert_eq!(run.rows.len(), 16 * 6 * 10);
    let mut found = BTreeMap::<u64, Vec<_>>::new();
    for row in &run.rows {
        found.entry(row.message).or_default().push((row.first_sent, row.delivered));
    }
    found
}

/// How many packets are there before one of their message that was sent earlier.
fn overtaking(routing: RoutingSpec) -> usize {
    let overtakes = |packets: &mut Vec<(u64, u64)>| {
        packets.sort_unstable();
        packets.windows(2).filter(|pair| pair[1].1 < pair[0].1).count()
    };
    arrivals(routing).values_mut().map(overtakes).sum()
}

/// A message is there when all its packets are, in whatever order they come.
#[test]
fn sprayed_packets_overtake_each_other_and_all_arrive() {
    assert_eq!(overtaking(RoutingSpec::Ecmp { flow: Flow::Message, seed: 1 }), 0);
    assert_eq!(overtaking(RoutingSpec::Ecmp { flow: Flow::Pair, seed: 1 }), 0);
    for turns in [Turns::Random, Turns::RoundRobin] {
        assert!(overtaking(RoutingSpec::Spray { turns }) > 10, "{turns:?}");
    }
}
