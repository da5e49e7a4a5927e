//! Pauses worked out on paper, on the machine of `hand.rs`.

use super::hand::{frames, machine, star};
use crate::common::{Run, message_list, packet_waits, spec};
use tailback_engine::Simulation;
use tailback_engine::error::RunError;
use tailback_engine::measure::blame::Cause;
use tailback_engine::spec::*;

const NS: u64 = 1_000;

fn pausing(pause: Pause, high: u64, low: u64) -> Frames {
    Frames { pause, pause_high_bytes: high, pause_low_bytes: low, ..frames() }
}

/// Three messages of one frame each, 1018 bytes in memory and 8208 ns on a link. The first is there
/// at 8212, above the mark of 1000, which node 0 is told at 8212 + 576 + 4 = 8792, when the second
/// is on its way: that is there at 16516, and is sent from 16920 to 25128. Then the memory is empty,
/// and the third starts at 25128 + 580.
#[test]
fn a_node_pauses_and_goes_on() {
    let rows = [(0, 0, 1, 1_000); 3];
    let machine = machine(star(2), pausing(Pause::All, 1_000, 500));
    let mut spec = spec(machine, message_list(&rows), Mode::Full);
    spec.blame = Some(packet_waits());
    let mut run = Run::with(&spec);
    run.finish();
    let times: Vec<_> = run.data().iter().map(|row| row.delivered / NS).collect();
    assert_eq!(times, [16_828, 25_132, 25_708 + 2 * 8_212 + 404]);
    // The third is above the mark again.
    assert_eq!(run.simulation.counters().pauses, 2);
    let charged = run.simulation.take_charged();
    let third = charged.iter().find(|packet| packet.packet.message == 2).unwrap();
    let charges: Vec<_> = third.charges.iter().map(|one| (one.cause, one.time / NS)).collect();
    // Until 2 · 8208 + 2 · 96 for the two before it.
    assert_eq!(charges, [(Cause::Throttling, 16_608), (Cause::BufferFull, 25_708 - 16_608)]);
}

/// Two switches of two nodes each that all send to the other switch: half of what comes can go on.
/// Both memories fill up, both tell the other to pause, and neither is emptied.
#[test]
fn two_switches_pause_each_other() {
    let links = vec![GraphLink::new(0, 1, 1), GraphLink::new(1, 0, 1)];
    let nodes = vec![0, 0, 1, 1];
    let pair = TopologySpec::Graph {
        switches: 2,
        links,
        nodes,
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    let rows = [(0, 0, 2, 60_000), (0, 1, 3, 60_000), (0, 2, 0, 60_000), (0, 3, 1, 60_000)];
    let spec = |pause| {
        let machine = machine(pair.clone(), pause);
        spec(machine, message_list(&rows), Mode::Full)
    };
    let mut simulation = Simulation::new(&spec(pausing(Pause::All, 3_000, 1_000))).unwrap();
    let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
    assert_eq!(circle.len(), 2);
    assert_eq!(
        error.to_string(),
        "deadlock at 37900 ns: switch 0 and switch 1 pause each other: packet 40 from node 1 to \
         node 3 waits at switch 0 for switch 1 to let it go on; packet 120 from node 3 to node 1 \
         waits at switch 1 for switch 0 to let it go on"
    );
    // With memories without bounds, and nobody who pauses, all comes to an end.
    let mut run = Run::with(&spec(frames()));
    run.finish();
    assert_eq!(run.rows.len(), 4 * 40);
}

/// Bulk traffic and an urgent class from one node: only the class that fills the memory pauses.
#[test]
fn one_priority_is_paused_and_another_is_not() {
    let of_class = |bytes: u64, count, gap: u64| {
        let messages = Synthetic {
            bytes: Distribution::constant(bytes),
            start: Start::Together,
            repeat: Some(count),
            throttle: Throttle::Outstanding { limit: 1_000 },
            ..crate::common::synthetic(0, gap * NS, Sync::Asynchronous)
        };
        Source { messages, reply: None, reply_bytes: Vec::new() }
    };
    let latest = |pause: Pause| {
        let mut machine = machine(star(2), pausing(pause, 2_000, 500));
        let known = |name: &str, priority| TrafficClass {
            name: name.into(),
            virtual_channels: None,
            priority,
        };
        machine.routing.traffic_classes = vec![known("bulk", 0), known("urgent", 1)];
        machine.switch.arbiter = Arbiter::Priority;
        let classes = vec![of_class(1_500, 10, 100), of_class(46, 1, 60_000)];
        let workload = Workload::Traffic(Traffic { classes });
        let mut run = Run::with(&spec(machine, workload, Mode::Full));
        run.finish();
        let urgent = run.rows.iter().filter(|row| row.bytes == 46);
        urgent.map(|row| (row.delivered - row.queued) / NS).max().unwrap()
    };
    // Behind one frame at the node and one at the switch, at most; with pauses for all it waits at
    // the node for those before it too.
    assert!(latest(Pause::PerPriority) <= 1_564 + 2 * 12_304, "{}", latest(Pause::PerPriority));
    assert!(latest(Pause::All) > 1_564 + 4 * 12_304, "{}", latest(Pause::All));
}
