//! Circuits worked out by hand: in ns, 1 a byte, 2 a header, 3 of arbitration.

use super::{Row, adaptive, half_duplex, hypercube, mesh};
use crate::common::{Run, message_list};
use tailback_engine::spec::Machine;

const NS: u64 = 1_000;

/// Runs messages, with times in ns.
fn run(machine: Machine, rows: &[Row]) -> Run {
    let rows: Vec<Row> =
        rows.iter().map(|&(at, from, to, bytes)| (at * NS, from, to, bytes)).collect();
    Run::to_the_end(machine, message_list(&rows))
}

/// When they began on their first channel and were there, in ns.
fn times(run: &Run) -> Vec<(u64, u64)> {
    run.data().iter().map(|packet| (packet.first_internal / NS, packet.delivered / NS)).collect()
}

/// How long a channel was held, and waited for (before the first channel, later), in ns.
fn channel(run: &Run, from: u32, to: u32) -> (u64, u64, u64) {
    let simulation = &run.simulation;
    let place = |channel| simulation.layout().place(tailback_engine::ids::ChannelId(channel));
    let is_it = |&channel: &u32| {
        let place = place(channel);
        (place.from, place.to) == ((true, from), (true, to))
    };
    let channel = (0..simulation.layout().channels() as u32).find(is_it).unwrap() as usize;
    let tally = &simulation.measures().channels[channel];
    let busy = simulation.channels_used()[channel].busy_ps;
    (busy / NS, tally.wait_throttling_ps / NS, tally.wait_internal_ps / NS)
}

#[test]
fn the_second_of_a_node_waits_until_the_first_is_complete() {
    let run = run(hypercube(2), &[(0, 0, 1, 10), (0, 0, 3, 20)]);
    // 3 + 2 + 10; then 15 + 5, and there 20 + 2 + 20.
    assert_eq!(times(&run), [(3, 15), (15, 42)]);
    assert_eq!(channel(&run, 0, 1), (12 + 27, 12, 0));
    assert_eq!(channel(&run, 1, 3), (22, 0, 0));
}

#[test]
fn several_circuits_start_from_a_node_and_those_behind_the_head_wait_with_it() {
    let both = run(hypercube(2), &[(0, 0, 1, 10), (0, 0, 2, 10)]);
    assert_eq!(times(&both), [(3, 15), (3, 15)]);
    let behind = run(hypercube(2), &[(0, 0, 1, 100), (0, 0, 1, 10), (0, 0, 2, 10)]);
    assert_eq!(times(&behind), [(3, 105), (105, 117), (105, 117)]);
    assert_eq!(channel(&behind, 0, 2), (12, 102, 0));
}

#[test]
fn who_waits_keeps_what_it_holds() {
    let rows = [(0, 2, 3, 100), (0, 0, 3, 10), (10, 1, 2, 5), (20, 0, 1, 5)];
    let run = run(mesh(&[4]), &rows);
    // The second holds 0 to 1 from 3 and 1 to 2 from 8 until it is there.
    assert_eq!(times(&run), [(3, 105), (3, 117), (117, 124), (117, 124)]);
    assert_eq!(channel(&run, 0, 1), (114 + 7, 117 - 23, 0));
    assert_eq!(channel(&run, 1, 2), (109 + 7, 117 - 13, 0));
    assert_eq!(channel(&run, 2, 3), (102 + 12, 0, 105 - 13));
}

#[test]
fn a_channel_goes_to_those_who_asked_first_and_of_those_to_the_oldest() {
    // Both ask for 1 to 2 at 8, the one from node 1 at 7.
    let rows = [(0, 1, 2, 50), (0, 0, 2, 10), (4, 1, 2, 10), (5, 1, 2, 10)];
    let first = run(mesh(&[3]), &rows);
    assert_eq!(times(&first), [(3, 55), (3, 79), (55, 67), (79, 91)]);
    let rows = [(0, 1, 2, 50), (0, 0, 2, 10), (5, 1, 2, 10)];
    assert_eq!(times(&run(mesh(&[3]), &rows)), [(3, 55), (3, 67), (67, 79)]);
}

#[test]
fn a_wire_for_both_directions_is_one_circuits_at_a_time() {
    let rows = [(0, 0, 1, 10), (0, 1, 0, 10)];
    assert_eq!(times(&run(hypercube(1), &rows)), [(3, 15), (3, 15)]);
    assert_eq!(times(&run(half_duplex(hypercube(1)), &rows)), [(3, 15), (15, 27)]);
}

/// Each holds the wire the other needs: the older one takes it, and the younger begins anew,
/// with arbitration and all.
#[test]
fn the_older_takes_what_the_younger_holds() {
    let run = run(half_duplex(mesh(&[3])), &[(0, 0, 2, 10), (0, 2, 0, 10)]);
    assert_eq!(times(&run), [(3, 20), (3, 37)]);
    // From 3 to 8 in vain, then waiting until 20.
    assert_eq!(channel(&run, 2, 1), (5 + 17, 0, 17));
    let counters = run.simulation.counters();
    assert_eq!((counters.packet_hops, counters.packets[0].hops), (5, 4));
}

#[test]
fn the_younger_keeps_what_comes_before() {
    let rows = [
        (0, 3, 4, 100), // transmits until 105
        (0, 2, 1, 20),  // until 25,
        (0, 2, 1, 5),   // which this waits for,
        (0, 2, 4, 10),  // and this behind it in the list: it asks for 2 to 3 at 25
        (1, 1, 4, 10),  // holds 1 to 2 from 4, 2 to 3 from 9, and waits for 3 to 4
    ];
    let run = run(adaptive(mesh(&[5])), &rows);
    assert_eq!(times(&run), [(3, 105), (3, 25), (25, 32), (25, 117), (4, 134)]);
    assert_eq!(channel(&run, 1, 2), (130, 0, 0));
    assert_eq!(channel(&run, 2, 3), (16 + 92 + 17, 22, 108));
}

#[test]
fn who_transmits_is_not_disturbed() {
    let rows = [(0, 0, 2, 10), (1, 1, 2, 100)];
    assert_eq!(times(&run(adaptive(mesh(&[3])), &rows)), [(3, 118), (4, 106)]);
}

#[test]
fn with_a_choice_the_lowest_free_dimension_is_taken_and_else_what_falls_free_first() {
    let rows = [(0, 0, 1, 50), (0, 0, 3, 10), (1, 0, 3, 10)];
    let run = run(adaptive(hypercube(2)), &rows);
    assert_eq!(times(&run), [(3, 55), (3, 20), (20, 37)]);
    assert_eq!(channel(&run, 0, 2), (17 + 17, 16, 0));
}
