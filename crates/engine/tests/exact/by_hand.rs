//! Small cases with answers worked out by hand, and the published formulas.

use crate::common::{self, MICROSECOND, Run, message_list, messages, program, synthetic};
use tailback_engine::spec::*;
use tailback_engine::time::NEVER;
use tailback_engine::{Class, RunError, Simulation};

/// Time of a header, and of 32-byte and empty packets, on a DS-Link.
const HEADER: u64 = 100_000;
const DATA: u64 = 3_340_000;
const ACK: u64 = 140_000;

fn row(n: u32) -> Machine {
    Machine::t9000(TopologySpec::Mesh { dims: vec![n] })
}

/// One packet over n switches: a header time for each, then the whole packet.
#[test]
fn one_packet_over_any_number_of_hops() {
    for n in 2..12 {
        let run = Run::to_the_end(row(n), message_list(&[(0, 0, n - 1, 32)]));
        let (data, ack) = (run.data()[0], run.acks()[0]);
        let hops = u64::from(n) + 1;
        assert_eq!(u64::from(data.hops), hops);
        assert_eq!((data.first_sent, data.first_internal), (0, HEADER));
        assert_eq!(data.delivered, (hops - 1) * HEADER + DATA);
        assert_eq!(ack.queued, hops * HEADER, "acknowledged when the header arrives");
        assert_eq!(ack.delivered, hops * HEADER + (hops - 1) * HEADER + ACK);
    }
}

#[test]
fn one_packet_without_a_switch() {
    let run = Run::to_the_end(
        Machine::t9000(TopologySpec::Pair),
        message_list(&[(0, 0, 1, 32), (10 * MICROSECOND, 1, 0, 0)]),
    );
    let data = run.data();
    assert_eq!((data[0].hops, data[0].delivered, data[0].first_internal), (1, DATA, NEVER));
    assert_eq!(data[1].delivered, 10 * MICROSECOND + ACK, "an empty message is one packet");
}

#[test]
fn delays_and_longer_headers_count_once_per_hop() {
    let mut machine = row(3);
    machine.interface.header_bytes = 2;
    machine.link.delay_ps = 7_000;
    machine.switch.delay_ps = 11_000;
    let run = Run::to_the_end(machine, message_list(&[(0, 0, 2, 32)]));
    // Four channels: three switches, four wires; two header tokens.
    let header = 2 * HEADER;
    assert_eq!(run.data()[0].delivered, 3 * (header + 18_000) + (DATA + HEADER) + 7_000);
}

/// Two packets for the channel from switch 1 to switch 2: the second waits until
/// the first has left switch 1.
#[test]
fn two_packets_that_meet() {
    let at = 50_000;
    let run = Run::to_the_end(row(3), message_list(&[(0, 0, 2, 32), (at, 1, 2, 32)]));
    let data = run.data();
    // The one from node 1 has fewer hops: it asks at 150 ns, the other at 200 ns.
    assert_eq!(data[1].first_internal, at + HEADER);
    assert_eq!(data[1].delivered, at + 2 * HEADER + DATA);
    // The other leaves switch 1 when its tail has.
    assert_eq!(data[0].delivered, at + HEADER + DATA + HEADER + DATA);
    assert_eq!(
        run.simulation.counters().packets[0].wait_internal_ps,
        at + HEADER + DATA - 2 * HEADER
    );
}

/// A packet behind a blocked one waits although its own output is idle.
#[test]
fn head_of_line_blocking() {
    let machine =
        Machine { node_link: None, ..Machine::t9000(TopologySpec::Mesh { dims: vec![3, 2] }) };
    // Node 0 sends to 2 (along x), then to 4 (x, then up): both first go to switch 1.
    // Node 1 keeps the channel from switch 1 to switch 2 busy from 100 ns on.
    let list = message_list(&[(0, 1, 2, 32), (0, 0, 2, 32), (0, 0, 4, 32)]);
    let run = Run::to_the_end(machine, list);
    let data = run.data();
    assert_eq!(data[0].delivered, 2 * HEADER + DATA);
    // Blocked at switch 1 until the first one's tail has left it at 100 ns + D.
    let second_leaves = HEADER + DATA;
    assert_eq!(data[1].delivered, second_leaves + HEADER + DATA);
    // The third could go up at once, but the second is in front of it until its tail has left.
    assert_eq!(data[2].delivered, second_leaves + DATA + HEADER + DATA);
    assert_eq!(run.waits(), run.lifetimes_beyond_zero_load());
}

/// Four messages at once through a hunt group of width w: 4 / w of them in a row.
#[test]
fn hunt_groups_work_in_parallel() {
    for (width, last_start) in [(1, 3), (2, 1), (4, 0)] {
        let mut machine = row(2);
        machine.set_node_link(|class| class.width = Some(4));
        machine.link.width = width;
        let run = Run::to_the_end(machine, message_list(&[(0, 0, 1, 32); 4]));
        let last = run.data().iter().map(|packet| packet.delivered).max();
        assert_eq!(last, Some(2 * HEADER + last_start * DATA + DATA), "width {width}");
    }
    for (width, last_start) in [(1, 3), (2, 1), (4, 0)] {
        let mut machine = row(2);
        machine.set_node_link(|class| class.width = Some(width));
        machine.link.width = 4;
        let run = Run::to_the_end(machine, message_list(&[(0, 0, 1, 32); 4]));
        let last = run.data().iter().map(|packet| packet.first_sent).max();
        assert_eq!(last, Some(last_start * DATA), "width {width}");
    }
}

/// A buffer for two packets takes a third when the first has left it.
#[test]
fn a_full_buffer_holds_the_upstream_channel() {
    let mut machine = row(3);
    machine.set_node_link(|class| class.width = Some(1));
    machine.switch.input_buffer_flits = Some(68);
    // Node 1 blocks the channel 1 → 2 with three packets; four from node 0 follow.
    let mut rows = vec![(0, 1, 2, 32); 3];
    rows.extend([(0, 0, 2, 32); 4]);
    let run = Run::to_the_end(machine, message_list(&rows));
    assert_eq!(run.waits(), run.lifetimes_beyond_zero_load());
    let held = run.simulation.measures().channels.iter().map(|t| t.kept_ps).sum::<u64>();
    assert!(held > 0, "a granted packet must have waited for room");
}

/// Unidirectional payload rate 8m / (10m + 14n) · 100 Mbit/s, both ways at once
/// 8m / (10m + 28n) · 100 Mbit/s, n = max(1, ceil(m / 32)) [Tweedie, equation 4.3].
///
/// Exact from one byte on: an empty message waits for the acknowledgement of the
/// one before. The last acknowledgement hides behind the data only if there is some.
#[test]
fn bandwidth_of_a_virtual_link() {
    let repeats = 400;
    for m in 0..=200 {
        let packets = u64::from(m).div_ceil(32).max(1);
        for (both, overhead) in [(false, 14), (true, 28)] {
            let bits = 10 * u64::from(m) + overhead * packets;
            let workload = program(common::bandwidth(m, both, repeats));
            let run = Run::to_the_end(Machine::t9000(TopologySpec::Pair), workload);
            // Away from the start: between message 100 and the last, from node 0.
            let data: Vec<_> = run.data().into_iter().filter(|p| p.source == 0).collect();
            let first = data[data.len() / 4 - 1].delivered;
            let messages = repeats - repeats / 4;
            let period = (data[data.len() - 1].delivered - first) as f64 / messages as f64;
            // The header of the acknowledgement returns 240 ns after the start.
            let expected = (bits * 10_000).max(if both { 0 } else { 240_000 }) as f64;
            if m == 0 && both {
                // Both ends acknowledge and send empty packets; no formula applies.
                continue;
            }
            let error = (period / expected - 1.0).abs();
            assert!(error < 1e-3, "{m} bytes, both {both}: {period} against {expected} ps");
        }
    }
}

/// With flow-control tokens 8m / (10m + 15n) and 8m / (10.5m + 30n) · 100 Mbit/s
/// [Tweedie, equations 4.1 and 4.2], from four bytes on.
///
/// The last packet of a message of 33 bytes one way is bound by the round trip, and
/// less so those of 65, 97, …: 0.3 % below at most.
#[test]
fn bandwidth_with_flow_control_tokens() {
    let repeats = 100;
    for m in 4..=200_u32 {
        let packets = f64::from(m.div_ceil(32));
        for both in [false, true] {
            let m_bits = f64::from(m);
            let bits =
                if both { 10.5 * m_bits + 30.0 * packets } else { 10.0 * m_bits + 15.0 * packets };
            let workload = program(common::bandwidth(m, both, repeats));
            let mut machine = Machine::t9000(TopologySpec::Pair);
            machine.switch.input_buffer_flits = Some(35);
            let spec = common::spec(machine, workload, Mode::Full);
            let mut run = Run::with(&Spec { fidelity: Fidelity::Token, ..spec });
            run.finish();
            let data: Vec<_> = run.data().into_iter().filter(|p| p.source == 0).collect();
            let first = data[data.len() / 4 - 1].delivered;
            let messages = repeats - repeats / 4;
            let period = (data[data.len() - 1].delivered - first) as f64 / messages as f64;
            let above = period / (bits * 10_000.0) - 1.0;
            let most = if !both && m % 32 == 1 { 3e-3 } else { 1e-3 };
            assert!((-1e-3..most).contains(&above), "{m} bytes, both {both}: {above:+.5}");
        }
    }
}

/// Processes that compute share a processor fairly and use all of it.
#[test]
fn computing_processes_share_a_processor() {
    for count in 1..=6 {
        for time_slice_ps in [None, Some(300_000)] {
            let mut machine = row(2);
            machine.interface.time_slice_ps = time_slice_ps;
            let duration = Distribution::constant(MICROSECOND);
            let process = ProcessProgram {
                node: 0,
                start_ps: 0,
                start_window_ps: 0,
                repeat: None,
                sockets: vec![],
                steps: vec![Step::Compute { duration }],
            };
            let mut run = Run::new(machine, program(vec![process; count]), Mode::Full);
            run.advance(600 * MICROSECOND);
            let done = run.simulation.processes_done();
            assert!(done.iter().all(|d| d.iterations.abs_diff(600 / count as u64) <= 1));
            assert_eq!(run.simulation.processors_busy()[0], 600 * MICROSECOND);
        }
    }
}

/// Without contention every message takes its zero-load time, without cost none.
#[test]
fn modes_without_contention() {
    let rows: Vec<_> = (0..20).map(|i| (0, i % 4, 15 - i % 4, 32)).collect();
    let machine = || Machine::t9000(TopologySpec::Mesh { dims: vec![4, 4] });
    let mut free = Run::new(machine(), message_list(&rows), Mode::Free);
    free.finish();
    assert_eq!(free.lifetimes_beyond_zero_load(), 0);
    let mut throttled = Run::new(machine(), message_list(&rows), Mode::Throttled);
    throttled.finish();
    let counters = throttled.simulation.counters();
    assert!(counters.packets[0].wait_throttling_ps > 0);
    assert_eq!(counters.packets[0].wait_internal_ps + counters.packets[1].wait_internal_ps, 0);
    let mut ideal = Run::new(machine(), message_list(&rows), Mode::Ideal);
    ideal.finish();
    assert_eq!((ideal.simulation.now(), ideal.simulation.counters().messages_delivered), (0, 20));
}

/// Busy time is what has passed, not what has been promised.
#[test]
fn counters_are_exact_in_the_middle_of_a_transmission() {
    let mut run = Run::new(row(2), message_list(&[(0, 0, 1, 32)]), Mode::Full);
    run.advance(1_234_567);
    let counters = run.simulation.counters();
    assert_eq!(counters.busy_injection_ps, 1_234_567 + ACK, "and the acknowledgement");
    assert_eq!(counters.busy_internal_ps, 1_234_567 - HEADER + ACK);
}

#[test]
fn a_cycle_of_blocking_sends_is_a_deadlock_that_names_everybody() {
    let process = |me: u32| ProcessProgram {
        node: me,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets: vec![Some(1 - me)],
        steps: vec![
            Step::Send { process: 1 - me, socket: 0, bytes: 32, blocking: true },
            Step::Receive { socket: Some(0) },
        ],
    };
    let mut run = Run::new(row(2), program(vec![process(0), process(1)]), Mode::Full);
    let error = run.simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    let RunError::Deadlock { waiting, .. } = &error else { panic!("{error}") };
    assert_eq!(waiting.len(), 4, "two processes and two messages");
    assert_eq!(
        error.to_string(),
        "deadlock at 3540 ns: process 0 on node 0 waits for process 1 to receive its message on \
         socket 0; process 1 on node 1 waits for process 0 to receive its message on socket 0; \
         message 0 of 32 bytes from process 0 on node 0 waits for process 1 on node 1 to receive \
         it; message 1 of 32 bytes from process 1 on node 1 waits for process 0 on node 0 to \
         receive it"
    );
}

#[test]
fn processes_without_time_stop_the_clock() {
    let mut workload = synthetic(1, 0, Sync::AsynchronousBlocking);
    workload.start = Start::Together;
    let mut run = Run::new(row(2), Workload::Synthetic(workload), Mode::Ideal);
    let error = run.simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    assert!(matches!(error, RunError::ClockStuck { at: 0, .. }), "{error}");
}

/// The same specification gives the same rows, however the run is cut up.
#[test]
fn the_same_run_however_it_is_cut() {
    let run = |steps: u64| {
        let workload = Workload::Synthetic(synthetic(3, MICROSECOND, Sync::Asynchronous));
        let machine = Machine::t9000(TopologySpec::Mesh { dims: vec![4, 4] });
        let mut run = Run::new(machine, workload, Mode::Full);
        for step in 1..=steps {
            run.advance(200 * MICROSECOND * step / steps);
        }
        (run.simulation.take_packets(), run.simulation.counters())
    };
    assert_eq!(run(1), run(37));
}

#[test]
fn what_a_machine_does_not_have_is_refused() {
    let refused = |machine: Machine, workload: Workload| {
        let spec = common::spec(machine, workload, Mode::Full);
        Simulation::new(&spec).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let no_messages = || message_list(&[]);
    let torus = Machine::t9000(TopologySpec::Torus { dims: vec![4, 4] });
    assert!(refused(torus, no_messages()).contains("needs 2 virtual channels"));
    let mut small = row(2);
    small.switch.input_buffer_flits = Some(33);
    assert_eq!(
        refused(small, no_messages()),
        "machine.switch.input_buffer_flits = 33: must hold a whole packet, at least 34 \
         flits with fidelity packet"
    );
    let to_nowhere = refused(row(2), message_list(&[(0, 0, 2, 1)]));
    assert_eq!(to_nowhere, "workload.messages[0].destination = 2: must be a node, 0 to 1");
    let backwards = messages(&[(5, 0, 1, 1), (4, 0, 1, 1)]);
    let backwards = refused(row(2), Workload::Messages(backwards));
    assert!(backwards.contains("must not be before the row above"), "{backwards}");
}

#[test]
fn acknowledgements_and_data_are_told_apart() {
    let run = Run::to_the_end(row(2), message_list(&[(0, 0, 1, 70)]));
    assert_eq!(run.data().iter().map(|p| p.bytes).collect::<Vec<_>>(), [32, 32, 6]);
    assert!(run.acks().iter().all(|p| p.class == Class::Ack && p.source == 1 && p.bytes == 0));
}

/// End tokens that take longer than data tokens fall back a little on every channel. While a
/// packet's header waits for its first channel to a switch, which in mode `throttled` it may,
/// its end catches up: no later wait, and not less than none.
#[test]
fn what_catches_up_while_a_header_waits_is_told() {
    for fidelity in [Fidelity::Token, Fidelity::Flit, Fidelity::Worm] {
        let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![2, 2] });
        (machine.link.flit_ps, machine.link.control_ps) = (3, 4);
        if fidelity != Fidelity::Token {
            machine.link.flow_control = FlowControl::OutOfBand;
        }
        let spec = common::spec(machine, message_list(&[(0, 0, 3, 100)]), Mode::Throttled);
        let mut run = Run::with(&Spec { fidelity, ..spec });
        run.finish();
        let data = &run.simulation.counters().packets[0];
        let last = (data.wait_throttling_ps, data.wait_internal_ps, data.caught_up_ps);
        // Header and 32 bytes on the first of four channels are 99 ps, the end token 4 ps on
        // each. A packet is acknowledged by one of its header's time on eight channels.
        assert_eq!((data.delivered, last.1), (4, 0), "{fidelity:?}: {last:?}");
        assert!(last.0 > last.2 && last.2 > 0, "{fidelity:?}: {last:?}");
        let alone: u64 = [32, 32, 32, 4].map(|bytes| 3 * (1 + bytes) + 4 * 4).iter().sum();
        assert_eq!(data.lifetime_ps + data.caught_up_ps, alone + last.0, "{fidelity:?}");
    }
}
