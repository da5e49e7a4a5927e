//! Packets that cross switches as a whole: over links of different rates, stored or not, in
//! buffers with and without bounds. Worked out on paper.

mod circuit;
mod integrated;
mod unbounded;

use crate::common::parts::{rate, set_node_rate, set_rates};
use crate::common::{Run, message_list, spec};
use tailback_engine::PacketRow;
use tailback_engine::prediction::predict;
use tailback_engine::spec::*;

/// Switches in a row with a node each; headers of one flit, no end token, 10 ps a flit, no
/// acknowledgements.
fn row(switches: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![switches] });
    (machine.link.flit_ps, machine.link.control_ps) = (10, 10);
    machine.link.end_token = false;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.node_link = None;
    machine.interface.acknowledges = false;
    machine.switch.switching = Switching::CutThrough;
    machine
}

/// Nodes have links of one rate, and switches of another.
fn of_two_rates(node_ps: u64, switch_ps: u64) -> Machine {
    let mut machine = row(2);
    set_node_rate(&mut machine, rate(node_ps, node_ps));
    set_rates(&mut machine, [rate(switch_ps, switch_ps)]);
    machine
}

fn run(spec: &Spec) -> Run {
    let mut run = Run::with(spec);
    run.finish();
    run
}

/// First internal start and delivery of the only packet, in every mode and as predicted.
fn alone(machine: &Machine, fidelity: Fidelity, message: (u32, u32, u32)) -> (u64, u64) {
    let rows = [(0, message.0, message.1, message.2)];
    let mut machine = machine.clone();
    machine.interface.packet_bytes = message.2;
    let spec = |mode| Spec { fidelity, ..spec(machine.clone(), message_list(&rows), mode) };
    let found = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free].map(|mode| {
        let run = run(&spec(mode));
        let data = run.simulation.counters().packets[0];
        assert_eq!((data.wait_throttling_ps, data.wait_internal_ps), (0, 0), "{mode:?}");
        (run.rows[0].first_internal, run.rows[0].delivered)
    });
    assert!(found.iter().all(|times| *times == found[0]), "{found:?}");
    let predicted = predict(&spec(Mode::Full), u64::MAX).unwrap().zero_load_data_ps;
    assert_eq!(predicted as u64, found[0].1, "as predicted");
    found[0]
}

/// Of ten flits on a slow link the last is there after 100 ps; the fast one needs 36 ps for
/// the nine before it. Behind it the header alone decides.
#[test]
fn a_packet_waits_until_the_faster_link_does_not_run_dry() {
    let mut machine = of_two_rates(10, 4);
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (64, 68 + 100));
    // Flit by flit the header goes on at once.
    machine.switch.switching = Switching::Wormhole;
    assert_eq!(alone(&machine, Fidelity::Worm, (0, 1, 9)), (10, 100 + 4 + 10));
}

#[test]
fn a_packet_goes_on_behind_its_header_over_a_slower_link() {
    let mut machine = of_two_rates(4, 10);
    // On the slow link from 4 to 104, on the last from 104 - 36.
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (4, 108));
    machine.link.delay_ps = 5;
    machine.switch.delay_ps = 3;
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (12, 104 + 2 * 8 + 4 + 5));
}

/// An end token that is shorter than a flit follows the last byte, which is what must be there.
#[test]
fn the_last_flit_but_one_decides_where_the_last_is_short() {
    let mut machine = of_two_rates(10, 4);
    machine.link.end_token = true;
    set_node_rate(&mut machine, rate(10, 1));
    set_rates(&mut machine, [rate(4, 3)]);
    // Ten flits and the end: the last byte is there at 100, the end at 101. It starts 36 ps
    // after the header, the end 40 ps.
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)).0, 64);
    // An end of 9 ps is there at 109.
    set_node_rate(&mut machine, rate(10, 9));
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)).0, 69);
}

#[test]
fn stored_packets_go_on_when_all_of_them_is_there() {
    let mut machine = row(3);
    machine.switch.switching = Switching::StoreAndForward;
    (machine.link.delay_ps, machine.switch.delay_ps) = (5, 3);
    // 100 ps on each of four channels, the wire on each, three switches.
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 2, 9)), (108, 4 * 105 + 3 * 3));
    set_rates(&mut machine, [rate(4, 4)]);
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 2, 9)), (108, 2 * 100 + 2 * 40 + 4 * 5 + 9));
}

/// First start between switches and delivery of every packet.
fn times(run: &Run) -> Vec<(u64, u64)> {
    run.data().iter().map(|row: &PacketRow| (row.first_internal, row.delivered)).collect()
}

/// A long packet of node 0 and a short one of node 1 for node 2: stored, the long one comes to
/// switch 1 at 100, behind its header at 20.
#[test]
fn who_is_stored_asks_later() {
    let rows = [(0, 0, 2, 9), (15, 1, 2, 4)];
    let with = |switching| {
        let mut machine = row(3);
        machine.switch.switching = switching;
        times(&run(&spec(machine, message_list(&rows), Mode::Full)))
    };
    // Switch 0 at 10, switch 1 at 20, where the short one could start at 25.
    assert_eq!(with(Switching::CutThrough), [(10, 130), (120, 180)]);
    // Switch 0 at 100, switch 1 at 200; the short one is all in switch 1 at 65.
    assert_eq!(with(Switching::StoreAndForward), [(100, 400), (65, 165)]);
}

/// Three packets of node 0 for node 2, whose link node 1 uses from 10 to 310.
#[test]
fn buffers_without_bounds_keep_nobody_waiting_upstream() {
    let rows = [(0, 1, 2, 29), (0, 0, 2, 29), (0, 0, 2, 29), (0, 0, 2, 29)];
    let with = |room| {
        let mut machine = row(3);
        machine.interface.packet_bytes = 29;
        machine.switch.input_buffer_flits = room;
        let run = run(&spec(machine, message_list(&rows), Mode::Full));
        let rows = run.data().into_iter().filter(|row| row.source == 0);
        rows.map(|row| row.first_internal).collect::<Vec<_>>()
    };
    assert_eq!(with(None), [10, 310, 610]);
    // With room for one, node 1's is out of switch 2 at 320, when the first can follow it, and
    // that out of switch 1 at 620. The next is behind its header in switch 1 at 630, when the
    // one before is out of switch 2, and out of switch 1 at 930.
    assert_eq!(with(Some(30)), [10, 620, 930]);
}

/// A message is one packet, however long, and needs room for all of it.
#[test]
fn messages_are_packets_where_these_are_the_unit() {
    let mut machine = row(2);
    machine.interface.unit = Unit::Message;
    machine.switch.input_buffer_flits = None;
    let long = 10_000_000;
    let times = alone(&machine, Fidelity::Packet, (0, 1, long));
    assert_eq!(times, (10, 20 + 10 + 10 * u64::from(long)));
    machine.switch.switching = Switching::StoreAndForward;
    let packet = 10 + 10 * u64::from(long);
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, long)), (packet, 3 * packet));
}

/// A line of switches whose links all differ: more kinds than a byte can tell apart.
#[test]
fn every_link_may_have_a_rate_and_a_delay_of_its_own() {
    const SWITCHES: u32 = 200;
    let link = |from, to, number: u32| {
        let flit_ps = u64::from(1_000 + number * 7 % 400);
        let delay_ps = Some(u64::from(number));
        let (flit_ps, control_ps) = (Some(flit_ps), Some(flit_ps));
        GraphLink { flit_ps, control_ps, delay_ps, ..GraphLink::new(from, to, 1) }
    };
    let there = (0..SWITCHES - 1).map(|at| link(at, at + 1, at));
    let back = (0..SWITCHES - 1).map(|at| link(at + 1, at, at + SWITCHES));
    let mut machine = row(2);
    machine.topology = TopologySpec::Graph {
        switches: SWITCHES,
        links: there.chain(back).collect(),
        nodes: vec![0, SWITCHES - 1],
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    machine.routing.algorithm = RoutingSpec::Shortest;
    machine.switch.switching = Switching::Wormhole;
    let flits = |number: u32| (u64::from(1_000 + number * 7 % 400), u64::from(number));
    let way = |from: u32| -> Vec<(u64, u64)> {
        let numbers = (from..from + SWITCHES - 1).map(flits);
        let numbers: Vec<_> = if from > 0 { numbers.rev().collect() } else { numbers.collect() };
        [&[(10, 0)], &numbers[..], &[(10, 0)]].concat()
    };
    for (source, from) in [(0, 0), (1, SWITCHES)] {
        // Flit by flit: each starts when it is there and the one before has been sent.
        let mut there = [0; 10];
        for &(flit, delay) in &way(from) {
            let mut sent = 0;
            for time in &mut there {
                sent = sent.max(*time) + flit;
                *time = sent + delay;
            }
        }
        for fidelity in [Fidelity::Flit, Fidelity::Worm] {
            assert_eq!(alone(&machine, fidelity, (source, 1 - source, 9)).1, there[9]);
        }
        // As a whole: not before the header is there, nor before the last flit can follow.
        let (mut start, mut end) = (0, 0);
        for pair in way(from).windows(2) {
            let [(flit, delay), (next, _)] = [pair[0], pair[1]];
            let last = start + 10 * flit + delay;
            start = (start + flit + delay).max(last.saturating_sub(9 * next));
            end = start + 10 * next;
        }
        assert_eq!(alone(&machine, Fidelity::Packet, (source, 1 - source, 9)).1, end);
    }
}

/// Of so many channels those that the next events need are read beforehand: of 16,400 nodes at one switch
/// some send at once, two of them to the same node.
#[test]
fn large_networks_run_however_switches_queue() {
    let rows = [(0, 0, 16_399, 8), (0, 1, 16_399, 8), (5, 2, 3, 8), (2_000, 3, 2, 8)];
    for queueing in [Queueing::Fifo, Queueing::Voq, Queueing::Output] {
        let mut machine = row(1);
        machine.topology = TopologySpec::Star { nodes: 16_400 };
        machine.switch.queueing = queueing;
        machine.switch.input_buffer_flits = Some(100);
        let spec = spec(machine, message_list(&rows), Mode::Full);
        let found = run(&Spec { fidelity: Fidelity::Packet, ..spec });
        assert_eq!(found.simulation.counters().messages_delivered, 4, "{queueing:?}");
    }
}
