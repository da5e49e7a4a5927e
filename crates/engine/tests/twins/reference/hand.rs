//! Cases worked out by hand, against the reference itself and the engine.
//!
//! T9000 and C104: 100 ns for each header or data byte, 40 ns for the end token;
//! 3340 ns for a packet of 32 data bytes and 140 ns for an acknowledgement.

use super::compare;
use super::machine::{NEVER, Reference, Time};
use crate::common::arbiters::FIRST_BY_HAND;
use tailback_engine::spec::{
    Distribution, Fidelity, Machine, Messages, Mode, ProcessProgram, Program, Spec, Step,
    TopologySpec, Workload,
};

const NS: Time = 1_000;

/// A machine with the defaults and the messages (time in ns, source, destination, bytes).
fn t9000(topology: TopologySpec, rows: &[(Time, u32, u32, u32)]) -> Spec {
    let mut machine = Machine::t9000(topology);
    machine.set_node_link(|class| class.width = Some(1));
    let messages = Messages {
        time_ps: rows.iter().map(|row| row.0 * NS).collect(),
        source: rows.iter().map(|row| row.1).collect(),
        destination: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| row.3.into()).collect(),
    };
    Spec {
        machine,
        workload: Workload::Messages(messages),
        mode: Mode::Full,
        fidelity: Fidelity::Packet,
        seed: 1,
        sample_interval_ps: 1_000_000,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

fn line(switches: u32) -> TopologySpec {
    TopologySpec::Mesh { dims: vec![switches] }
}

/// (message, queued, first sent, first internal, delivered) in ns, in order of queueing.
type Row = (usize, Time, Time, Time, Time);

fn rows(spec: &Spec, is_ack: bool) -> Vec<Row> {
    compare(spec, 7);
    let mut reference = Reference::new(spec);
    reference.run(NEVER, 10_000);
    assert!(reference.is_silent());
    let ns = |time: Time| if time == NEVER { NEVER } else { time / NS };
    let packets = reference.packets.iter().filter(|packet| packet.is_ack == is_ack);
    packets
        .map(|p| (p.message, ns(p.queued), ns(p.first_sent), ns(p.first_internal), ns(p.delivered)))
        .collect()
}

fn data(spec: &Spec) -> Vec<Row> {
    rows(spec, false)
}

fn acks(spec: &Spec) -> Vec<Row> {
    rows(spec, true)
}

#[test]
fn one_packet_over_one_channel() {
    let spec = t9000(TopologySpec::Pair, &[(0, 0, 1, 32)]);
    assert_eq!(data(&spec), [(0, 0, 0, NEVER, 3340)]);
    assert_eq!(acks(&spec), [(0, 100, 100, NEVER, 240)]);
}

#[test]
fn one_packet_over_several_channels() {
    for (switches, delivered, ack_queued, ack_delivered) in
        [(2, 3540, 300, 640), (3, 3640, 400, 840), (5, 3840, 600, 1240)]
    {
        let spec = t9000(line(switches), &[(0, 0, switches - 1, 32)]);
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let spec = Spec { mode, ..spec.clone() };
            assert_eq!(data(&spec), [(0, 0, 0, 100, delivered)]);
            assert_eq!(acks(&spec), [(0, ack_queued, ack_queued, ack_queued + 100, ack_delivered)]);
        }
    }
}

#[test]
fn delays_of_wires_and_switches_add_up() {
    // Ejection starts after two headers, wires and switches; its header and its
    // tail then take one wire each.
    let mut spec = t9000(line(2), &[(0, 0, 1, 32)]);
    spec.machine.link.delay_ps = 7 * NS;
    spec.machine.switch.delay_ps = 20 * NS;
    assert_eq!(data(&spec), [(0, 0, 0, 127, 254 + 3340 + 7)]);
    assert_eq!(acks(&spec), [(0, 361, 361, 488, 361 + 254 + 140 + 7)]);
}

#[test]
fn the_next_packet_waits_for_the_acknowledgement_not_for_the_tail() {
    // The first is acknowledged at 240, but holds the only channel until 3340.
    let spec = t9000(TopologySpec::Pair, &[(0, 0, 1, 33)]);
    assert_eq!(data(&spec), [(0, 0, 0, NEVER, 3340), (0, 240, 3340, NEVER, 3580)]);
    assert_eq!(acks(&spec), [(0, 100, 100, NEVER, 240), (0, 3440, 3440, NEVER, 3580)]);
}

#[test]
fn two_packets_meet() {
    // Message 1 takes switch 1 to 2 from 100 to 3440; message 0 asks at 200.
    let spec = t9000(line(3), &[(0, 0, 2, 32), (0, 1, 2, 32)]);
    assert_eq!(data(&spec), [(0, 0, 0, 100, 3440 + 100 + 3340), (1, 0, 0, 100, 3540)]);
    assert_eq!(acks(&spec), [(1, 300, 300, 400, 640), (0, 3640, 3640, 3740, 4080)]);
}

#[test]
fn the_throttled_mode_keeps_the_queue_for_the_first_internal_channel_only() {
    let rows = [(0, 0, 2, 32), (0, 0, 2, 0), (0, 1, 2, 32)];
    let mut spec = t9000(line(3), &rows);
    spec.mode = Mode::Throttled;
    let queued = (1, 0, 0, 3440, 3440 + 200 + 140);
    assert_eq!(data(&spec), [(0, 0, 0, 100, 3640), queued, (2, 0, 0, 100, 3540)]);
    spec.mode = Mode::Free;
    assert_eq!(data(&spec)[1], (1, 0, 0, 100, 300 + 140));
    spec.machine.link.width = 2;
    spec.mode = Mode::Throttled;
    assert_eq!(data(&spec)[1], (1, 0, 0, 100, 300 + 140));
}

#[test]
fn a_packet_behind_a_blocked_one_waits() {
    // Message 1 stands behind message 0 in the buffer of switch 1 although its
    // own way, to node 1, is free; message 0 leaves that buffer at 3440 + 3340.
    let spec = t9000(line(3), &[(0, 0, 2, 32), (0, 0, 1, 0), (0, 1, 2, 32)]);
    assert_eq!(data(&spec)[1], (1, 0, 3340, 3440, 6780 + 140));
}

#[test]
fn a_packet_starts_when_the_next_buffer_has_room_for_all_of_it() {
    // As above with two long messages; the second has room beside the first in
    // 70 tokens but not in 67: there it cannot enter before the first has left.
    let rows = [(0, 0, 2, 32), (0, 0, 2, 32), (0, 1, 2, 32)];
    let mut spec = t9000(line(3), &rows);
    assert_eq!(data(&spec)[1], (1, 0, 3340, 3440, 6780 + 100 + 3340));
    spec.machine.switch.input_buffer_flits = Some(67);
    // The first waits for message 2 to leave switch 2 at 3540; the second enters
    // switches 0, 1 and 2 when the first has left them: at 3440, 6880 and 6980.
    assert_eq!(data(&spec)[1], (1, 0, 3440, 6880, 6980 + 100 + 3340));
}

#[test]
fn a_hunt_group_carries_two_packets_at_once() {
    let mut spec = t9000(line(2), &[(0, 0, 1, 32), (0, 0, 1, 32)]);
    assert_eq!(data(&spec)[1].4, 3340 + 3540);
    spec.machine.set_node_link(|class| class.width = Some(2));
    assert_eq!(data(&spec)[1], (1, 0, 0, 3440, 3440 + 100 + 3340));
    spec.machine.link.width = 2;
    assert_eq!(data(&spec)[1], (1, 0, 0, 100, 3540));
}

#[test]
fn policies_choose_among_those_who_wait() {
    // Message 0 keeps switch 1 to 2 until 3440. Then message 2, from node 0,
    // queued at 10, has asked since 210, and message 1, from node 1, queued at
    // 0, asks since 3440, or with a second injection channel since 100.
    let rows = [(0, 1, 2, 32), (0, 1, 2, 32), (10, 0, 2, 32)];
    let mut spec = t9000(line(3), &rows);
    spec.machine.switch.input_buffer_flits = Some(500);
    for (policy, first, first_with_two_channels) in FIRST_BY_HAND {
        spec.machine.switch.arbiter = policy;
        for (width, first) in [(1, first), (2, first_with_two_channels)] {
            spec.machine.set_node_link(|class| class.width = Some(width));
            let order = data(&spec);
            assert!(order[first].4 < order[3 - first].4, "{policy:?} {width}");
        }
    }
}

#[test]
fn acknowledgements_pass_data_where_they_have_priority() {
    // Node 1 has three packets for node 0 when, at 300, a header reaches it.
    let rows = [(0, 1, 0, 32), (0, 1, 0, 32), (0, 1, 0, 32), (0, 0, 1, 32)];
    let mut spec = t9000(line(2), &rows);
    let first_sent = |spec: &Spec| acks(spec).iter().find(|ack| ack.0 == 3).unwrap().2;
    assert_eq!(first_sent(&spec), 3340);
    spec.machine.interface.ack_priority = false;
    spec.machine.switch.input_buffer_flits = Some(500);
    assert_eq!(first_sent(&spec), 3 * 3340);
}

/// A pair that runs a program once: (node, number of open sockets, steps) of each process.
fn once(processes: Vec<(u32, usize, Vec<Step>)>) -> Spec {
    let process = |(node, sockets, steps)| ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets: vec![None; sockets],
        steps,
    };
    let processes = processes.into_iter().map(process).collect();
    let workload = Workload::Program(Program { processes });
    Spec { workload, ..t9000(TopologySpec::Pair, &[]) }
}

fn compute(ns: Time) -> Step {
    Step::Compute { duration: Distribution::constant(ns * NS) }
}

fn send(process: u32, socket: u32, bytes: u32, blocking: bool) -> Step {
    Step::Send { process, socket, bytes: bytes.into(), blocking }
}

const RECEIVE: Step = Step::Receive { socket: None };

#[test]
fn processes_of_a_node_share_the_processor_in_slices() {
    // 250, 100 and 250 ns in slices of 100: the processes are done at 550, 200
    // and 600, and each then sends a message to another node.
    let sender = |time| (0, 0, vec![compute(time), send(3, 0, 0, true)]);
    let receiver = (1, 1, vec![RECEIVE; 3]);
    let mut spec = once(vec![sender(250), sender(100), sender(250), receiver]);
    spec.machine.interface.time_slice_ps = Some(100 * NS);
    let sent: Vec<Time> = data(&spec).iter().map(|packet| packet.1).collect();
    assert_eq!(sent, [200, 550, 600]);
    spec.machine.interface.time_slice_ps = None;
    let sent: Vec<Time> = data(&spec).iter().map(|packet| packet.1).collect();
    assert_eq!(sent, [250, 350, 600]);
}

#[test]
fn a_message_is_acknowledged_when_somebody_receives_it() {
    // The header arrives at 100 and the tail at 340; the receive begins at 1000.
    let spec = once(vec![
        (0, 1, vec![send(1, 0, 2, true), Step::Receive { socket: Some(0) }]),
        (1, 1, vec![compute(1000), RECEIVE, send(0, 0, 2, false)]),
    ]);
    // The reply is queued at once, behind the acknowledgement. Its own header
    // arrives at 1240, after the sender went on to receive at 1140.
    assert_eq!(data(&spec), [(0, 0, 0, NEVER, 340), (1, 1000, 1140, NEVER, 1480)]);
    assert_eq!(acks(&spec), [(0, 1000, 1000, NEVER, 1140), (1, 1240, 1240, NEVER, 1380)]);
}

#[test]
fn a_message_is_received_when_all_its_packets_are_there() {
    // The second packet passes the first on the other channel and is acknowledged
    // at 480; the receiver goes on to the second message when the first is complete.
    let sends = vec![send(1, 0, 33, false), send(1, 0, 1, false)];
    let mut spec = once(vec![(0, 0, sends), (1, 1, vec![RECEIVE; 2])]);
    spec.machine.set_node_link(|class| class.width = Some(2));
    assert_eq!(
        data(&spec),
        [(0, 0, 0, NEVER, 3340), (0, 240, 240, NEVER, 480), (1, 480, 480, NEVER, 720)]
    );
    let queued: Vec<Time> = acks(&spec).iter().map(|packet| packet.1).collect();
    assert_eq!(queued, [100, 340, 3340]);
}

#[test]
fn a_receive_takes_the_message_that_has_waited_longest() {
    // Message 0 waits since 100 when process 1, at 1000, gets an answer from its
    // neighbour on the same node and receives from anybody.
    let spec = once(vec![
        (0, 0, vec![send(1, 0, 0, false)]),
        (1, 2, vec![compute(1000), send(2, 0, 0, false), RECEIVE, compute(1000), RECEIVE]),
        (1, 1, vec![RECEIVE, send(1, 1, 0, false)]),
    ]);
    assert_eq!(acks(&spec), [(0, 1000, 1000, NEVER, 1140)]);
}

#[test]
fn processes_go_on_in_the_order_in_which_they_became_able() {
    // At 1000 process 0 sends to process 2, which at once lets process 1 and then
    // process 0 go on: they compute in that order on the processor all share.
    let spec = once(vec![
        (
            0,
            1,
            vec![compute(1000), send(2, 0, 0, true), RECEIVE, compute(100), send(3, 0, 0, false)],
        ),
        (0, 1, vec![RECEIVE, compute(200), send(3, 0, 0, false)]),
        (0, 1, vec![RECEIVE, send(1, 0, 0, false), send(0, 0, 0, false)]),
        (1, 1, vec![RECEIVE, RECEIVE]),
    ]);
    assert_eq!(data(&spec), [(3, 1200, 1200, NEVER, 1340), (4, 1300, 1340, NEVER, 1480)]);
}
