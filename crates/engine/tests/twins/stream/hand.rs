//! Small cases worked out by hand. A byte takes 10 ticks, an end token 4.

use super::{finished, outcome};
use crate::common::message_list;
use tailback_engine::spec::{Fidelity, FlowControl, Machine, Mode, Spec, TopologySpec};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Simulation};

/// Switches in a row, without acknowledgements, with buffers of so many tokens.
fn row(switches: u32, buffer: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![switches] });
    (machine.link.flit_ps, machine.link.control_ps) = (10, 4);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.interface.acknowledges = false;
    machine.set_node_link(|class| class.width = Some(1));
    machine.switch.input_buffer_flits = Some(buffer);
    machine
}

/// Rows of time, source, destination, bytes.
fn spec(machine: Machine, rows: &[(Time, u32, u32, u32)]) -> Spec {
    Spec {
        machine,
        workload: message_list(rows),
        mode: Mode::Full,
        fidelity: Fidelity::Stream,
        seed: 1,
        sample_interval_ps: 50,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

/// First sent, first sent on an internal channel, delivered.
fn times(row: &PacketRow) -> (Time, Time, Time) {
    (row.first_sent, row.first_internal, row.delivered)
}

/// Node 1 sends 16 bytes to node 2, which takes 174 ticks, and so does node 0.
fn two_for_one_channel() -> Spec {
    spec(row(3, 5), &[(0, 1, 2, 16), (0, 0, 2, 16)])
}

/// Injection channels come first; then 0 → 1, 1 → 0, 1 → 2, 2 → 1; then ejection.
const INJECTION: usize = 0;
const FIRST: usize = 3;
const SECOND: usize = 5;
const EJECTION: usize = 9;

/// The packet of node 1 asks for 1 → 2 at 10 and has been sent there at 184. That of node
/// 0, waiting since 20, has filled the buffer of switch 1 (50 ticks of stream) since 10: so
/// 0 → 1 stops at 60, and the channel before it, with room for another 50 and 10 of them
/// used, at 100. At 184 all go on: then 74 are left in the node and 124 at switch 0.
#[test]
fn a_blocked_stream_stops_the_channels_behind_it_one_after_the_other() {
    let mut simulation = finished(&two_for_one_channel(), u64::MAX);
    let (rows, channels) = outcome(&mut simulation);
    assert_eq!(times(&rows[0]), (0, 10, 194));
    assert_eq!(times(&rows[1]), (0, 10, 194 + 174));
    let kept: Vec<Time> = channels.iter().map(|channel| channel.1.kept_ps).collect();
    assert_eq!(kept, [184 - 100, 0, 0, 184 - 60, 0, 0, 0, 0, 0, 0]);
    assert!(channels.iter().all(|channel| [0, 174, 348].contains(&channel.0.busy_ps)));
    let waits: Vec<Time> = channels.iter().map(|channel| channel.1.wait_internal_ps).collect();
    assert_eq!(waits[SECOND], 184 - 20);
    assert_eq!(waits.iter().sum::<Time>(), waits[SECOND]);
}

/// How long injection channel 0 and 0 → 1 have been busy, at instants before, at, between
/// and after those at which they stop and go on.
#[test]
fn busy_time_is_exact_at_every_instant() {
    let at = [(60, 60, 50), (99, 99, 50), (100, 100, 50), (184, 100, 50), (200, 116, 66)];
    for (now, injection, first) in at {
        let mut simulation = Simulation::new(&two_for_one_channel()).unwrap();
        simulation.advance(now, u64::MAX).unwrap();
        let busy = |channel: usize| simulation.channels_used()[channel].busy_ps;
        assert_eq!((busy(INJECTION), busy(FIRST)), (injection, first), "at {now}");
        let counters = simulation.counters();
        assert_eq!(counters.busy_injection_ps, injection + now.min(174), "at {now}");
        assert_eq!(counters.busy_internal_ps, first + busy(SECOND), "at {now}");
    }
    let mut simulation = Simulation::new(&two_for_one_channel()).unwrap();
    simulation.advance(420, u64::MAX).unwrap();
    let samples = simulation.take_samples();
    let injection: Vec<Time> = samples.iter().map(|s| s.counters.busy_injection_ps).collect();
    // The packet of node 1 until 174; the other until 100 and from 184 to 258.
    assert_eq!(injection, [100, 200, 250, 290, 340, 348, 348]);
}

/// A window may begin while streams stand still.
#[test]
fn a_window_counts_what_flows_in_it() {
    let mut simulation = Simulation::new(&two_for_one_channel()).unwrap();
    simulation.advance(150, u64::MAX).unwrap();
    simulation.begin_window();
    simulation.advance(1_000, u64::MAX).unwrap();
    let used = simulation.channels_used();
    assert_eq!((used[INJECTION].busy_ps, used[INJECTION].packets), (74, 0));
    assert_eq!((used[FIRST].busy_ps, used[FIRST].packets), (124, 0));
    assert_eq!((used[EJECTION].busy_ps, used[EJECTION].packets), (44 + 174, 1));
}

/// The delays of wire and switch, 50 ticks, are longer than the buffer of 20. So the
/// channels send 20 ticks of stream, and stop. The first are in the buffer from 50 to 70
/// and the header asks at 60; then 20 flow out until 80 and let another 20 in. From the
/// second channel they arrive from 110 on; the header asks at 120, and 20 flow out until
/// 140: now the second 20 of the second channel are on the way, sent since 120, and there
/// from 170 to 190; likewise on the first. So it goes on: 20 in 50 ticks.
#[test]
fn a_stream_finds_its_buffer_empty_where_the_delays_are_longer() {
    let mut machine = row(2, 2);
    machine.link.delay_ps = 30;
    machine.switch.delay_ps = 20;
    // 64 ticks of stream: 20, 20, 20 and 4.
    let mut simulation = finished(&spec(machine, &[(0, 0, 1, 5)]), u64::MAX);
    let (rows, channels) = outcome(&mut simulation);
    // On the ejection channel from 120, 170, 220 and 270 on.
    assert_eq!(times(&rows[0]), (0, 60, 274 + 30));
    // On the others: 0, 60, 120, 170 and 60, 120, 170, 220.
    let kept = |channel: usize| channels[channel].1.kept_ps;
    let [injection, internal, ejection] = [0, 2, 5];
    assert_eq!(kept(injection), 174 - 64);
    assert_eq!(kept(internal), 224 - 60 - 64);
    assert_eq!(kept(ejection), 274 - 120 - 64);
    let tally = channels[ejection].1;
    // Undisturbed it would take 64 and the wire on the last channel.
    assert_eq!((tally.wait_internal_ps, tally.waits), (274 - 120 - 64, 0));
}

/// The header itself may be stopped half way: it waits from when it would have been there.
#[test]
fn a_header_may_stand_still() {
    let mut machine = row(3, 2);
    machine.interface.header_bytes = 2;
    // Node 0 sends two packets of 34 ticks; from 0 to 108 node 1 keeps 1 → 2 busy.
    machine.interface.packet_bytes = 8;
    let list = [(0, 1, 2, 8), (0, 0, 2, 1), (0, 0, 2, 1)];
    let mut simulation = finished(&spec(machine, &list), u64::MAX);
    let (rows, channels) = outcome(&mut simulation);
    assert_eq!(times(&rows[0]), (0, 20, 20 + 20 + 104));
    // Granted 1 → 2 at 124. Of its 34 ticks 20 wait at switch 1, 14 at switch 0.
    assert_eq!(times(&rows[1]), (0, 20, 124 + 20 + 34));
    // Behind it, 6 ticks of the next have been sent: they go on at 124, and 14 later all of
    // the header is at switch 0. The first has left there by then; it follows at its heels.
    assert_eq!(times(&rows[2]), (34, 138, 158 + 20 + 34));
    assert_eq!(channels[INJECTION].1.kept_ps, 124 - 40);
    // It would have been there at 54.
    assert_eq!(channels[FIRST].1.wait_throttling_ps, 138 - 54);
    assert_eq!(channels[SECOND].1.wait_internal_ps, 124 - 40);
    assert_eq!(channels[EJECTION].1.wait_internal_ps, 0);
}
