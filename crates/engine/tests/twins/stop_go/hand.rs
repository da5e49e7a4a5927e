//! Small cases worked out by hand, in cycles of a flit.

use super::{FLIT, machine, marked, messages, spec};
use crate::common::packet_waits;
use tailback_engine::measure::blame::Cause;
use tailback_engine::spec::{Arbiter, Machine, Mode, Spec, TopologySpec, Unit};
use tailback_engine::time::Time;
use tailback_engine::{Progress, Simulation};

/// Modes in which packets have times of their own.
const MODES: [Mode; 4] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];

/// When packets were delivered, in order of message and delivery.
fn delivered(spec: &Spec) -> Vec<Time> {
    let mut simulation = Simulation::new(spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.delivered));
    rows.iter().map(|row| row.delivered).collect()
}

/// The same of rows of cycle, source, destination and bytes, in cycles.
fn cycles(machine: &Machine, mode: Mode, rows: &[(u64, u32, u32, u32)]) -> Vec<u64> {
    let spec = Spec { mode, ..spec(machine.clone(), messages(rows)) };
    delivered(&spec).into_iter().map(|time| time / FLIT).collect()
}

/// Three nodes at a switch with wires of 2 cycles and round robin.
fn star(again: u64, marks: (u32, u32, u32)) -> Machine {
    let mut star = marked(machine(TopologySpec::Star { nodes: 3 }, (2, 1, again)), marks);
    star.switch.arbiter = Arbiter::RoundRobin;
    star
}

/// 22 (k + 1) + 16 k + L + 1 flits of 6.25 ns for k switches [Chen & Wyckoff, tables of minimum
/// latencies]: 0.388 us, 0.58, 13.18 with one switch, 0.625 with two, 0.869 with three.
#[test]
fn a_message_alone_takes_its_way_and_its_length() {
    let line = TopologySpec::ConcentratedMesh { dims: vec![3], nodes_per_switch: 2 };
    let mut line = machine(line, (22, 16, 16));
    let link = &mut line.link;
    (link.flit_ps, link.control_ps, link.delay_ps) = (6_250, 6_250, 22 * 6_250);
    line.switch.fall_through_ps = Some(16 * 6_250);
    line.switch.regrant_delay_ps = 16 * 6_250;
    let takes = |destination, bytes, mode| {
        let one = spec(line.clone(), messages(&[(0, 0, destination, bytes)]));
        delivered(&Spec { mode, ..one })[0]
    };
    for mode in MODES {
        assert_eq!(takes(1, 1, mode), 387_500);
        assert_eq!(takes(1, 32, mode), 581_250);
        assert_eq!(takes(1, 2048, mode), 13_181_250);
        assert_eq!(takes(2, 1, mode), 625_000);
        assert_eq!(takes(4, 1, mode), 862_500);
        for (destination, switches) in [(1, 1), (3, 2), (5, 3)] {
            let flits = 22 * (switches + 1) + 16 * switches + 1_000 + 1;
            assert_eq!(takes(destination, 1_000, mode), flits * 6_250);
        }
    }
}

/// Both headers ask in cycle 3 (2 on the wire, 1 through the switch). The first leaves in 3 to 8
/// and is there in 11. Of the second, the third flit to arrive, in 4, causes a STOP, which is
/// there in 6: flits 0 to 5 are under way. It is granted the output in 9, takes 2 more, and leaves
/// in 11 to 16; with its fifth flit, in 15, a GO is sent, there in 17. Flits 6 and 7 start then,
/// leave in 20 and 21, and are there in 24.
#[test]
fn stop_at_the_mark_and_go_after_it() {
    let rows = [(0, 0, 2, 5), (0, 1, 2, 7)];
    assert_eq!(cycles(&star(2, (3, 1, 6)), Mode::Full, &rows), [11, 24]);
    // A higher mark for GO: sent in 14, there in 16; the rest follows two cycles behind in 19.
    assert_eq!(cycles(&star(2, (3, 2, 6)), Mode::Full, &rows), [11, 23]);
    // Nobody is stopped.
    assert_eq!(cycles(&star(2, (20, 2, 30)), Mode::Full, &rows), [11, 21]);
}

/// The output is free in the cycle after a tail; a header that waited takes so much longer.
#[test]
fn two_worms_for_one_output() {
    let rows = [(0, 0, 2, 5), (0, 1, 2, 5)];
    assert_eq!(cycles(&star(0, (20, 2, 30)), Mode::Full, &rows), [11, 17]);
    assert_eq!(cycles(&star(2, (20, 2, 30)), Mode::Full, &rows), [11, 19]);
    // Only at its output nobody waits for anything else.
    assert_eq!(cycles(&star(2, (20, 2, 30)), Mode::Endpoints, &rows), [11, 19]);
    assert_eq!(cycles(&star(2, (20, 2, 30)), Mode::Free, &rows), [11, 11]);
    // Who comes when it is free does not wait.
    let later = [(0, 0, 2, 5), (6, 1, 2, 5)];
    assert_eq!(cycles(&star(2, (20, 2, 30)), Mode::Full, &later), [11, 17]);
}

/// Three packets of 4 flits, one behind the other: 12 flits from cycle 3 on. If another of 4 asks
/// in cycle 4, it comes after the first of the train: granted in 7, it leaves in 9 to 12; the
/// second of the train, which asked in 7, is granted the output in 13 and leaves in 15 to 18. The
/// third asks in 19, behind that, and waits for nobody.
#[test]
fn a_train_of_fragments() {
    let mut star = star(2, (20, 2, 30));
    (star.interface.unit, star.interface.packet_bytes) = (Unit::Packet, 3);
    let rows = [(0, 0, 2, 9), (1, 1, 2, 3)];
    assert_eq!(cycles(&star, Mode::Full, &rows[..1]), [9, 13, 17]);
    assert_eq!(cycles(&star, Mode::Free, &rows[..1]), [9, 13, 17]);
    assert_eq!(cycles(&star, Mode::Full, &rows), [9, 21, 25, 15]);
}

/// Time in which an output is granted again is due to who had it; STOPs to who fills the buffer.
#[test]
fn waits_are_charged() {
    let two_switches = TopologySpec::ConcentratedMesh { dims: vec![2], nodes_per_switch: 2 };
    let line = marked(machine(two_switches, (2, 1, 2)), (3, 1, 6));
    // Both from switch 0 to node 2 on switch 1, where a third is before them.
    let rows = [(0, 3, 2, 30), (0, 0, 2, 30), (60, 1, 2, 5)];
    for mode in [Mode::Full, Mode::Throttled] {
        let blame = Some(packet_waits());
        let spec = Spec { blame, mode, ..spec(line.clone(), messages(&rows)) };
        let mut simulation = Simulation::new(&spec).unwrap();
        assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
        for one in simulation.take_charged() {
            let charged: Time = one.charges.iter().map(|charge| charge.time).sum();
            assert_eq!(one.alone + charged, one.packet.delivered - one.packet.queued);
        }
    }
    // Two worms: the second waits 6 cycles for the output, and 2 until it starts.
    let star = star(2, (20, 2, 30));
    let rows = messages(&[(0, 0, 2, 5), (0, 1, 2, 5)]);
    let spec = Spec { blame: Some(packet_waits()), ..spec(star, rows) };
    let mut simulation = Simulation::new(&spec).unwrap();
    simulation.advance(u64::MAX, u64::MAX).unwrap();
    let charged = simulation.take_charged();
    let second = charged.iter().find(|one| one.packet.source == 1).unwrap();
    let charges: Vec<_> = second.charges.iter().map(|c| (c.cause, c.time / FLIT)).collect();
    assert_eq!(charges, [(Cause::Arbitration, 8)]);
}
