//! Clocked switches worked out by hand.
//!
//! A cycle takes 10 ps. Unless said otherwise a packet has a header flit and one flit per byte,
//! wires take a cycle ("unit links"), and switches route, allocate a virtual channel, allocate the
//! crossbar and let flits cross it in a cycle each. A flit that wins the crossbar in cycle s
//! starts on its channel in s + 1 and is at the end in s + 3.

use super::twin::Twin;
use crate::common::unit_cycles::{CYCLE, machine, pipeline};
use tailback_engine::spec::{
    Fidelity, Machine, Messages, Mode, Pipeline, Spec, TopologySpec, Workload,
};
use tailback_engine::{PacketRow, Progress, Simulation};

fn line(switches: u32, pipeline: Pipeline) -> Machine {
    machine(TopologySpec::Mesh { dims: vec![switches] }, pipeline)
}

pub fn star(nodes: u32, pipeline: Pipeline) -> Machine {
    machine(TopologySpec::Star { nodes }, pipeline)
}

/// Cycle, source, destination, flits.
pub type Row = (u64, u32, u32, u32);

pub fn messages(rows: &[Row]) -> Workload {
    Workload::Messages(Messages {
        time_ps: rows.iter().map(|row| CYCLE * row.0).collect(),
        source: rows.iter().map(|row| row.1).collect(),
        destination: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| (row.3 - 1).into()).collect(),
    })
}

pub fn spec(machine: &Machine, workload: Workload, mode: Mode) -> Spec {
    Spec {
        machine: machine.clone(),
        workload,
        mode,
        fidelity: Fidelity::Flit,
        seed: 1,
        sample_interval_ps: 1_000,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

fn rows(spec: &Spec) -> Vec<PacketRow> {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.queued));
    rows
}

/// In which cycles packets are delivered, as the engine and its twin have it.
pub fn delivered(machine: &Machine, list: &[Row]) -> Vec<u64> {
    let spec = spec(machine, messages(list), Mode::Full);
    let mut twin = Twin::new(&spec);
    assert!(twin.finish());
    let (expected, rows) = (twin.results().0, rows(&spec));
    assert_eq!(rows, expected, "engine, twin");
    rows.iter().map(|row| row.delivered / CYCLE).collect()
}

/// How far apart packets are delivered in the end, of many from one node to another.
fn period(machine: &Machine, flits: u32) -> u64 {
    let last = delivered(machine, &[(0, 0, 1, flits); 30]);
    let period = last[29] - last[28];
    for pair in last[10..].windows(2) {
        assert_eq!(pair[1] - pair[0], period, "{last:?}");
    }
    period
}

/// T0 = 1 + Li + H · P + sum of L + Le + (S − 1), where a switch takes P cycles; the same without
/// contention.
#[test]
fn a_packet_alone_takes_the_stages_of_every_switch() {
    for (route, traversal, speculative, steps, takes) in [
        (1, 1, false, 1, 4),
        (0, 1, false, 1, 3),
        (3, 2, false, 1, 7),
        (1, 1, true, 1, 3),
        (0, 1, true, 1, 2),
        (2, 2, true, 1, 5),
        // Several steps in a cycle: what is begun in a cycle counts.
        (1, 1, false, 2, 2),
        (0, 1, false, 2, 2),
        (1, 1, true, 2, 2),
        (0, 1, true, 2, 1),
        (1, 1, false, 3, 2),
        (0, 1, false, 3, 1),
        (3, 2, false, 3, 3),
    ] {
        let pipeline = Pipeline {
            route_cycles: route,
            traversal_cycles: traversal,
            speculative,
            internal_speedup: steps,
            ..pipeline()
        };
        for (switches, flits, wire, of_node) in
            [(1, 1, 1, 1), (2, 1, 0, 0), (4, 5, 1, 1), (3, 8, 3, 0), (5, 2, 0, 2)]
        {
            let mut machine = line(6, pipeline);
            machine.link.delay_ps = CYCLE * wire;
            machine.set_node_link(|class| class.delay_ps = Some(CYCLE * of_node));
            if switches == 1 {
                machine.topology = TopologySpec::Star { nodes: 2 };
            }
            let destination = u32::max(switches, 2) - 1;
            let list = [(7, 0, destination, flits)];
            let wires = 2 * of_node + u64::from(switches - 1) * wire;
            let alone = 1 + u64::from(switches) * takes + wires + u64::from(flits) - 1;
            assert_eq!(delivered(&machine, &list), [7 + alone], "{pipeline:?}, {switches}");
            for mode in [Mode::Free, Mode::Throttled, Mode::Endpoints] {
                let rows = rows(&spec(&machine, messages(&list), mode));
                assert_eq!(rows[0].delivered, CYCLE * (7 + alone), "{mode:?} {pipeline:?}");
            }
        }
    }
}

/// Two packets for one virtual channel: behind the tail of the first a cycle is lost, in which
/// the second is granted the channel, unless it asks for the crossbar at once.
#[test]
fn a_cycle_is_dead_behind_a_tail_without_speculation() {
    for (speculative, dead) in [(false, 1), (true, 0)] {
        for flits in [1, 4, 9] {
            let machine = star(3, Pipeline { speculative, ..pipeline() });
            let last = delivered(&machine, &[(0, 0, 2, flits), (0, 1, 2, flits)]);
            assert_eq!(last[1] - last[0], u64::from(flits) + dead, "{speculative} {flits}");
        }
    }
}

/// With two virtual channels they share the wire flit by flit, and nothing is lost.
#[test]
fn packets_on_two_virtual_channels_alternate() {
    let mut machine = star(3, pipeline());
    machine.switch.node_virtual_channels = 2;
    let list = [(0, 0, 2, 4), (0, 1, 2, 4)];
    // Alone the first would be there at 1 + 1 + 4 + 1 + 3 = 10.
    assert_eq!(delivered(&machine, &list), [13, 14]);
    // Who keeps the crossbar is not disturbed, and his tail lets the other in at once.
    machine.switch.pipeline = Some(Pipeline { holds: true, ..pipeline() });
    assert_eq!(delivered(&machine, &list), [10, 14]);
}

/// Packets that follow each other through one virtual channel: S flits, and behind each tail the
/// next header is routed and allocated a channel: S / (S + rd + va) of the time is used.
#[test]
fn a_link_of_one_virtual_channel_waits_for_every_header() {
    for (route, speculative) in [(0, false), (1, false), (2, false), (0, true), (1, true)] {
        for flits in [1, 4, 8] {
            let machine = line(2, Pipeline { route_cycles: route, speculative, ..pipeline() });
            let gap = route + u32::from(!speculative);
            assert_eq!(period(&machine, flits), u64::from(flits + gap), "{route} {speculative}");
        }
    }
}

/// The place of a flit can be used again 5 + cd cycles after it was given away: st + 2 + L + Lc
/// + cd on unit links. With B places B flits pass in that time.
#[test]
fn a_buffer_passes_its_flits_once_per_round_trip_of_credits() {
    const FLITS: u64 = 120;
    for credit_delay in 0..=2 {
        // Who is alone has all that is shared.
        for (own, shared) in [(1, 0), (2, 0), (5, 0), (8, 0), (1, 3), (2, 4), (1, 7)] {
            let buffer = own + shared;
            let pipeline = Pipeline { shared_buffer_flits: shared, ..pipeline() };
            let mut machine = line(3, pipeline);
            machine.switch.input_buffer_flits = Some(own);
            machine.link.credit_delay_ps = CYCLE * credit_delay;
            let last = |flits: u64| delivered(&machine, &[(0, 0, 2, flits as u32)])[0];
            // A whole number of buffers for short and long packets alike.
            let (short, long) = (840, 840 + FLITS * u64::from(buffer));
            let round_trip = u64::max(5 + credit_delay, buffer.into());
            let takes = FLITS * round_trip;
            assert_eq!(last(long) - last(short), takes, "buffer {buffer}, delay {credit_delay}");
        }
    }
}

/// Four places, of which each can be used again after 5 cycles: every fourth flit waits a cycle for
/// the credit of the one that was sent four before it (the first of five: measured with `BookSim2`).
/// That a header is routed in between holds up the flits behind it no longer than the header.
#[test]
fn a_long_packet_in_small_buffers_waits_for_credits() {
    let mut machine = line(4, Pipeline { speculative: true, ..pipeline() });
    machine.switch.input_buffer_flits = Some(4);
    let alone = |flits: u64| 2 + 4 * 3 + 3 + 1 + flits - 1;
    let waits = |flits: u32| delivered(&machine, &[(0, 0, 3, flits)])[0] - alone(flits.into());
    assert_eq!([4, 5, 8, 9, 20].map(waits), [0, 1, 1, 2, 4]);
}

/// A channel that is granted again only when the buffer at its end is empty, and all credits are
/// back: measured with `BookSim2` on unit links with one channel and room for 16.
#[test]
fn a_channel_waits_until_the_buffer_at_its_end_is_empty() {
    for (route, speculative, of_one, of_four) in
        [(0, false, 7, 10), (1, false, 8, 11), (0, true, 5, 8)]
    {
        let own = Pipeline { route_cycles: route, speculative, atomic: true, ..pipeline() };
        let machine = line(2, own);
        assert_eq!((period(&machine, 1), period(&machine, 4)), (of_one, of_four), "{own:?}");
    }
}

/// A node takes a flit at once, but its switch knows that 5 + cd cycles after it gave a place
/// away: with B places in each of V channels, B · V / (5 + cd) flits per cycle.
#[test]
fn a_node_receives_as_its_credits_come_back() {
    const FLITS: u32 = 400;
    for credit_delay in [0, 1, 3] {
        for (buffer, channels, shared) in [
            (1, 1, 0),
            (1, 2, 0),
            (2, 2, 0),
            (3, 1, 0),
            (3, 2, 0),
            (1, 4, 0),
            (8, 2, 0),
            (1, 2, 1),
            (1, 2, 3),
            (1, 4, 2),
        ] {
            let mut machine = star(5, Pipeline { shared_buffer_flits: shared, ..pipeline() });
            machine.switch.input_buffer_flits = Some(buffer);
            machine.switch.node_virtual_channels = channels;
            machine.link.credit_delay_ps = CYCLE * credit_delay;
            // One for each virtual channel.
            let list: Vec<Row> = (0..channels).map(|node| (0, node, 4, FLITS)).collect();
            let last = delivered(&machine, &list).into_iter().max().unwrap();
            let places = u64::from(buffer * channels + shared);
            let flits = u64::from(FLITS * channels);
            let expected = flits * u64::max(5 + credit_delay, places) / places;
            assert!(last.abs_diff(expected) <= 20, "{places} places: {last}, {expected}");
        }
    }
}

/// Two packets to one node, each on a virtual channel with one place. Both headers are at the
/// switch in cycle 2, and by then the second flits are on the way; the third can be sent when the
/// credit of the first is back, in 6 and 7.
#[test]
fn two_packets_share_a_place() {
    let with = |shared_buffer_flits: u32| {
        let mut machine = star(3, Pipeline { shared_buffer_flits, ..pipeline() });
        machine.switch.input_buffer_flits = Some(1);
        machine.switch.node_virtual_channels = 2;
        delivered(&machine, &[(0, 0, 2, 3), (0, 1, 2, 3)])
    };
    // A flit of each crosses every 5 cycles: in 4, 9, 14, and in 5, 10, 15.
    assert_eq!(with(0), [17, 18]);
    // One more place: in 4 and 5 the headers; in 6 the first's second flit takes it. A
    // credit is back in 9: as the first has two places in use, the shared one is free, and the second
    // takes it, whose turn it is. The next is back in 10: of the second. So the first's last
    // flit crosses in 10, and the second's when the credit of the one of cycle 6 is back, in 11.
    assert_eq!(with(1), [13, 14]);
}

/// Packets of one flit, two or three steps in a cycle: a header wins the crossbar every three
/// steps (routing, a channel, the crossbar), so that starts are 1.5 cycles apart, or one.
#[test]
fn steps_of_a_cycle_speed_up_allocation() {
    let machine = |steps| star(2, Pipeline { internal_speedup: steps, ..pipeline() });
    let list = [(0, 0, 1, 1); 7];
    assert_eq!(delivered(&machine(1), &list), [7, 10, 13, 16, 19, 22, 25]);
    // The first is there in cycle 2, step 4, and behind the crossbar in step 7, cycle 3.
    assert_eq!(delivered(&machine(2), &list), [5, 7, 8, 10, 11, 13, 14]);
    // Step 6, and behind the crossbar in step 9, cycle 3; then every third step.
    assert_eq!(delivered(&machine(3), &list), [5, 6, 7, 8, 9, 10, 11]);
}

/// A node's wire begins with the packet at hand on its first free channel, one flit per cycle.
#[test]
fn a_node_sends_a_flit_per_cycle_on_the_next_virtual_channel() {
    let mut machine = line(2, pipeline());
    machine.switch.node_virtual_channels = 2;
    let spec = spec(&machine, messages(&[(0, 0, 1, 3), (0, 0, 1, 2), (0, 0, 1, 1)]), Mode::Full);
    let starts: Vec<u64> = rows(&spec).iter().map(|row| row.first_sent / CYCLE).collect();
    assert_eq!(starts, [0, 3, 5]);
}

/// A message sent within a cycle goes out with the next one, also when nothing has happened for
/// long.
#[test]
fn nodes_send_when_a_cycle_begins() {
    let machine = line(2, pipeline());
    let Workload::Messages(list) = messages(&[(0, 0, 1, 2), (0, 1, 0, 2), (0, 0, 1, 2)]) else {
        unreachable!()
    };
    let list = Messages { time_ps: vec![0, 1_001, 5_009], ..list };
    let rows = rows(&spec(&machine, Workload::Messages(list), Mode::Full));
    let times: Vec<_> = rows.iter().map(|row| (row.queued, row.first_sent)).collect();
    assert_eq!(times, [(0, 0), (1_001, 1_010), (5_009, 5_010)]);
}

/// Of several wires of a node the first takes the packet at hand, whichever was woken first.
#[test]
fn the_first_wire_of_a_node_takes_the_packet_at_hand() {
    let mut machine = star(2, pipeline());
    machine.set_node_link(|class| class.width = Some(2));
    let list = [(0, 0, 1, 4), (2, 0, 1, 4), (9, 0, 1, 4), (9, 0, 1, 4)];
    // Both wires send at once, and the twin knows by which of them the third came.
    let last = delivered(&machine, &list);
    assert_eq!(last[..2], [10, 12]);
    assert!(last[2] <= last[3]);
}
