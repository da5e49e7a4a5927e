//! Cases worked out by hand: packets of 100 bytes, header included, of which a usual channel sends one in
//! T = 100 ns. Times in ps.

use super::latencies;
use crate::common::{message_list, spec};
use tailback_engine::spec::*;

/// A byte takes 1 ns on every channel; frames queue at outputs.
fn machine(topology: TopologySpec, packet_bytes: u32) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 1_000;
    machine.link.control_ps = 1_000;
    machine.link.end_token = false;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.node_link = None;
    machine.switch.switching = Switching::StoreAndForward;
    machine.switch.frames = Some(Frames { engine: Engine::PerPort, ..Frames::default() });
    let interface = &mut machine.interface;
    (interface.header_bytes, interface.packet_bytes) = (1, packet_bytes);
    (interface.acknowledges, interface.window) = (false, None);
    machine
}

/// The same with buffers at inputs, and channels of nodes that take so long for a byte, others so long.
fn buffered(
    topology: TopologySpec,
    packet_bytes: u32,
    (switching, input): (Switching, Option<u32>),
    (node_ps, inner_ps): (u64, u64),
) -> Machine {
    let mut machine = machine(topology, packet_bytes);
    machine.switch.frames = None;
    machine.switch.switching = switching;
    machine.switch.input_buffer_flits = input;
    (machine.link.flit_ps, machine.link.control_ps) = (inner_ps, inner_ps);
    let (flit_ps, control_ps) = (Some(node_ps), Some(node_ps));
    machine.node_link = Some(LinkClass { flit_ps, control_ps, ..LinkClass::default() });
    machine
}

fn row(switches: u32, nodes_per_switch: u32) -> TopologySpec {
    TopologySpec::ConcentratedMesh { dims: vec![switches], nodes_per_switch }
}

/// Latencies alone, and in `endpoints`.
#[track_caller]
fn check(machine: &Machine, rows: &[(u64, u32, u32, u32)], alone: &[u64], endpoints: &[u64]) {
    let of = |mode| latencies(&spec(machine.clone(), message_list(rows), mode), u64::MAX);
    assert_eq!(of(Mode::Free), alone, "alone");
    assert_eq!(of(Mode::Endpoints), endpoints, "endpoints");
}

#[test]
fn inner_links_are_shared_with_nobody() {
    let alone = [300_000, 400_000];
    check(&machine(row(2, 3), 99), &[(0, 1, 4, 99), (10_000, 0, 3, 198)], &alone, &alone);
    let alone = [300_000, 500_000];
    check(&machine(row(2, 3), 99), &[(0, 1, 4, 99), (50_000, 0, 3, 297)], &alone, &alone);
}

#[test]
fn a_slower_link_behind_decides_alone() {
    let topology = || TopologySpec::ConcentratedMesh { dims: vec![2, 2], nodes_per_switch: 4 };
    let slow = |packet_bytes| {
        let mut machine = machine(topology(), packet_bytes);
        let (flit_ps, control_ps) = (Some(2_000), Some(2_000));
        let class = LinkClass { flit_ps, control_ps, ..LinkClass::default() };
        machine.link_classes = [("y".to_string(), class)].into();
        machine
    };
    let rows = [(0, 0, 12, 294), (168_300, 1, 4, 98), (178_200, 2, 5, 98), (188_100, 3, 6, 98)];
    let alone = [891_000, 297_000, 297_000, 297_000];
    check(&slow(98), &rows, &alone, &alone);
    let rows = [(0, 0, 12, 297), (170_000, 1, 4, 99), (180_000, 2, 5, 99), (190_000, 3, 6, 99)];
    let alone = [900_000, 300_000, 300_000, 300_000];
    check(&slow(99), &rows, &alone, &alone);
}

#[test]
fn packets_take_turns_on_the_channel_to_their_node() {
    let star = machine(TopologySpec::Star { nodes: 4 }, 99);
    let rows = |bytes| [(0, 0, 3, bytes), (1_001, 1, 3, bytes), (2_003, 2, 3, bytes)];
    check(&star, &rows(99), &[200_000; 3], &[200_000, 298_999, 397_997]);
    check(&star, &rows(297), &[400_000; 3], &[800_000, 898_999, 997_997]);
    let line = machine(row(2, 3), 99);
    check(&line, &rows(297), &[500_000; 3], &[900_000, 998_999, 1_097_997]);
}

#[test]
fn nobody_stands_behind_others_at_the_last_switch() {
    let stored =
        |input| buffered(row(2, 4), 99, (Switching::StoreAndForward, Some(input)), (1_000, 250));
    let rows = [(0, 0, 4, 198), (1_001, 1, 4, 198), (2_003, 2, 4, 198), (80_000, 3, 5, 99)];
    let endpoints = [525_000, 623_999, 722_997, 225_000];
    check(&stored(400), &rows, &[325_000, 325_000, 325_000, 225_000], &endpoints);
    let rows = [(0, 0, 4, 297), (1_001, 1, 4, 297), (2_003, 2, 4, 297), (130_007, 3, 5, 99)];
    let endpoints = [825_000, 923_999, 1_022_997, 225_000];
    check(&stored(200), &rows, &[425_000, 425_000, 425_000, 225_000], &endpoints);
    let cut = buffered(row(2, 4), 99, (Switching::CutThrough, Some(200)), (1_000, 250));
    let rows = [(0, 0, 4, 297), (1_001, 1, 4, 297), (2_003, 2, 4, 297), (60_007, 3, 5, 99)];
    let endpoints = [775_500, 874_499, 973_497, 175_500];
    check(&cut, &rows, &[375_500, 375_500, 375_500, 175_500], &endpoints);
}

#[test]
fn a_ring_of_messages_shares_no_channel() {
    let mut machine = machine(row(4, 1), 99);
    (machine.link.flit_ps, machine.link.control_ps) = (4_000, 4_000);
    let (flit_ps, control_ps) = (Some(1_000), Some(1_000));
    machine.node_link = Some(LinkClass { flit_ps, control_ps, ..LinkClass::default() });
    let rows = [(0, 0, 1, 297), (1_001, 1, 2, 297), (2_003, 2, 3, 297), (3_007, 3, 0, 297)];
    let alone = [1_400_000, 1_400_000, 1_400_000, 2_200_000];
    check(&machine, &rows, &alone, &alone);
}

#[test]
fn buffers_are_a_messages_own() {
    let star = |switching, input, ps| {
        buffered(TopologySpec::Star { nodes: 3 }, 9, (switching, input), (ps, ps))
    };
    let crowded = buffered(row(2, 2), 9, (Switching::CutThrough, Some(20)), (2_000, 1_000));
    let alone = [52_000, 32_000];
    check(&crowded, &[(46_000, 3, 0, 18), (51_000, 2, 1, 9)], &alone, &alone);
    let stored = star(Switching::StoreAndForward, Some(10), 1_000);
    check(&stored, &[(0, 2, 0, 9), (12_000, 2, 1, 9)], &[20_000; 2], &[20_000; 2]);
    let cut = star(Switching::CutThrough, Some(10), 1_000);
    check(&cut, &[(19_000, 1, 0, 9), (29_000, 1, 2, 9)], &[11_000; 2], &[11_000; 2]);
    let rows = [(0, 2, 1, 27), (3_000, 0, 1, 9), (7_000, 0, 2, 9)];
    let endpoints = [82_000, 39_000, 38_000];
    check(&star(Switching::CutThrough, None, 2_000), &rows, &[62_000, 22_000, 22_000], &endpoints);
    // The one that has no room in its own buffer lets the other past.
    let rows = [(0, 2, 1, 27), (1_000, 0, 1, 18), (22_000, 0, 2, 9)];
    check(&stored, &rows, &[60_000, 40_000, 20_000], &[62_000, 51_000, 20_000]);
}

#[test]
fn a_queue_at_a_node_goes_on_with_whoever_has_room() {
    let stored = buffered(row(2, 3), 99, (Switching::StoreAndForward, Some(200)), (2_000, 1_000));
    let rows = [(0, 0, 3, 495), (1_001, 1, 3, 495), (2_003, 2, 3, 495), (50_021, 0, 1, 198)];
    let alone = [1_300_000, 1_300_000, 1_300_000, 600_000];
    check(&stored, &rows, &alone, &[2_900_000, 3_098_999, 3_297_997, 1_549_979]);
}
