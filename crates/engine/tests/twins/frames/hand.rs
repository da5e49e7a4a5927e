//! Gigabit Ethernet worked out on paper: 8 ns a byte, headers of 18 bytes, frames of 64 bytes at
//! least, preambles of 8 and gaps of 12, cables of 4 ns; a switch looks an output up in 384 ns and
//! takes 20 more.

use crate::common::{Run, message_list, packet_waits, program, spec};
use tailback_engine::error::RunError;
use tailback_engine::prediction::predict;
use tailback_engine::spec::*;
use tailback_engine::{Progress, Simulation};

const NS: u64 = 1_000;

pub fn frames() -> Frames {
    Frames { forwarding_ps: 384 * NS, ..Frames::default() }
}

pub fn machine(topology: TopologySpec, frames: Frames) -> Machine {
    let mut machine = Machine::t9000(topology);
    (machine.link.flit_ps, machine.link.control_ps) = (8 * NS, 1);
    (machine.link.delay_ps, machine.link.end_token) = (4 * NS, false);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.link.framing = Framing { minimum_bytes: 64, preamble_bytes: 8, gap_bytes: 12 };
    machine.node_link = None;
    machine.interface.header_bytes = 18;
    machine.interface.packet_bytes = 1_500;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.routing.algorithm = RoutingSpec::SpanningTree;
    machine.switch.switching = Switching::StoreAndForward;
    machine.switch.delay_ps = 20 * NS;
    machine.switch.frames = Some(frames);
    machine
}

fn process(node: u32, sockets: Vec<Option<u32>>, steps: Vec<Step>) -> ProcessProgram {
    let (start_ps, start_window_ps, repeat) = (0, 0, Some(1));
    ProcessProgram { node, start_ps, start_window_ps, repeat, sockets, steps }
}

fn send(process: u32, socket: u32, bytes: u32) -> Step {
    Step::Send { process, socket, bytes: bytes.into(), blocking: false }
}

pub fn star(nodes: u32) -> TopologySpec {
    TopologySpec::Star { nodes }
}

/// Four leaves, of two nodes each, and a core.
fn leaves() -> TopologySpec {
    TopologySpec::Tree { children: vec![4], nodes_per_switch: 2, widths: Vec::new() }
}

/// When the packets of messages were delivered, in order of message and queueing, in ns.
fn delivered(spec: &Spec) -> Vec<u64> {
    let mut run = Run::with(spec);
    run.finish();
    let data = run.data();
    assert!(data.iter().all(|row| row.delivered % NS == 0));
    data.iter().map(|row| row.delivered / NS).collect()
}

/// When the only packet is delivered, in every mode and as predicted.
fn alone(topology: TopologySpec, destination: u32, bytes: u32) -> u64 {
    let mut machine = machine(topology, frames());
    machine.interface.packet_bytes = bytes.max(46);
    let one = |mode| spec(machine.clone(), message_list(&[(0, 0, destination, bytes)]), mode);
    let modes = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
    let found = modes.map(|mode| delivered(&one(mode)));
    assert!(found.iter().all(|times| *times == found[0]), "{found:?}");
    let mut longest = one(Mode::Full);
    longest.machine.interface.packet_bytes = bytes.max(46);
    if bytes >= 46 {
        let predicted = predict(&longest, u64::MAX).unwrap().zero_load_data_ps;
        assert_eq!(predicted as u64, found[0][0] * NS, "as predicted");
    }
    found[0][0]
}

/// Two links and a switch: 2 (576 + 4) + 404. A payload of 64 bytes makes 82, with the preamble 90,
/// 720 ns; one of 128 makes 154, 1232 ns.
#[test]
fn a_frame_crosses_one_switch_and_three() {
    assert_eq!(alone(star(2), 1, 1), 1_564);
    assert_eq!(alone(star(2), 1, 46), 1_564);
    assert_eq!(alone(star(2), 1, 64), 2 * 724 + 404);
    assert_eq!(alone(star(2), 1, 128), 2 * 1_236 + 404);
    assert_eq!(alone(leaves(), 1, 1), 1_564);
    // 4 (576 + 4) + 3 · 404.
    assert_eq!(alone(leaves(), 2, 1), 3_532);
}

/// Both are there at 580. The engine is done with that of node 0 at 984 and with the other at 1368;
/// the first is sent until 1560, the gap is over at 1656.
#[test]
fn two_frames_for_one_port() {
    let rows = [(0, 0, 2, 1), (0, 1, 2, 1)];
    let run = |frames| {
        let spec = spec(machine(star(3), frames), message_list(&rows), Mode::Full);
        let mut run = Run::with(&spec);
        run.finish();
        let data = run.simulation.counters().packets[0];
        let times: Vec<_> = run.data().iter().map(|row| row.delivered / NS).collect();
        (times, data.wait_internal_ps / NS)
    };
    assert_eq!(run(frames()), (vec![1_564, 1_656 + 580], 1_656 - 984));
    // With an engine at every port both are done at 984: the same.
    let per_port = Frames { engine: Engine::PerPort, ..frames() };
    assert_eq!(run(per_port), (vec![1_564, 1_656 + 580], 1_656 - 984));
}

/// One engine serves frames for different ports one after the other, engines of ports do not.
#[test]
fn frames_for_two_ports_wait_for_one_engine() {
    let rows = [(0, 0, 2, 1), (0, 1, 3, 1)];
    let times =
        |frames| delivered(&spec(machine(star(4), frames), message_list(&rows), Mode::Full));
    assert_eq!(times(frames()), [1_564, 1_564 + 384]);
    let per_port = Frames { engine: Engine::PerPort, ..frames() };
    assert_eq!(times(per_port), [1_564, 1_564]);
}

/// 3100 bytes are two frames of 12208 ns and one of 1008, which leave the node 96 ns one behind the
/// other: at 0, 12304 and 24608. They are there at 12212, 24516 and 25620, and are sent on from
/// 12616 and 24920; the last waits until 37128 + 96.
#[test]
fn fragments_follow_each_other() {
    let list = message_list(&[(0, 0, 1, 3_100)]);
    let train = |mode| delivered(&spec(machine(star(2), frames()), list.clone(), mode));
    assert_eq!(train(Mode::Full), [24_828, 37_132, 38_236]);
    // Alone they are as they are.
    assert_eq!(train(Mode::Free), [24_828, 37_132, 38_236]);
    assert_eq!(train(Mode::Endpoints), [24_828, 37_132, 38_236]);
}

/// A memory of one long frame: of two frames of 1000 bytes that are there at once that of the higher
/// port is lost. Nobody waits for it.
#[test]
fn what_there_is_no_room_for_is_lost() {
    let small = Frames { memory_bytes: Some(1_518), ..frames() };
    let rows = [(0, 0, 2, 1_000), (0, 1, 2, 1_000), (20_000 * NS, 1, 2, 1_000)];
    let spec = spec(machine(star(3), small), message_list(&rows), Mode::Full);
    let mut run = Run::with(&spec);
    run.finish();
    assert_eq!(run.simulation.counters().packets_lost, 1);
    let there: Vec<_> = run.data().iter().map(|row| (row.source, row.delivered / NS)).collect();
    // 1026 bytes take 8208 ns.
    let takes = 2 * (8_208 + 4) + 404;
    assert_eq!(there, [(0, takes), (1, 20_000 + takes)]);
}

/// The same where node 2 waits for both messages: a loss, and not a deadlock.
#[test]
fn who_waits_for_what_is_lost_is_named() {
    let small = Frames { memory_bytes: Some(1_518), ..frames() };
    let sends = |node, socket| process(node, vec![], vec![send(2, socket, 1_000)]);
    let receive = |socket| Step::Receive { socket: Some(socket) };
    let waits = process(2, vec![Some(0), Some(1)], vec![receive(0), receive(1)]);
    let workload = program(vec![sends(0, 0), sends(1, 1), waits]);
    let spec = spec(machine(star(3), small), workload, Mode::Full);
    let mut simulation = Simulation::new(&spec).unwrap();
    let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    assert!(matches!(error, RunError::Lost { count: 1, .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with(
            "lost: a packet of message 1 from node 1 to node 2 at switch 0, at 8212 ns; at 16828 \
             ns process 2 on node 2 waits for"
        ),
        "{text}"
    );
}

#[test]
fn it_ends_where_it_ended() {
    let spec = spec(machine(star(2), frames()), message_list(&[(0, 0, 1, 1)]), Mode::Full);
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    assert_eq!(simulation.now(), 1_564 * NS);
}

/// What cannot be simulated is refused, with what would do.
#[test]
fn impossible_frames_are_refused() {
    let refused = |change: &dyn Fn(&mut Machine)| {
        let mut machine = machine(star(2), frames());
        change(&mut machine);
        let spec = spec(machine, message_list(&[]), Mode::Full);
        Simulation::new(&spec).err().expect("it is refused").to_string()
    };
    let with = |change: &dyn Fn(&mut Frames)| {
        refused(&|machine| {
            let mut own = frames();
            change(&mut own);
            machine.switch.frames = Some(own);
        })
    };
    assert_eq!(
        with(&|frames| frames.memory_bytes = Some(1_000)),
        "machine.switch.frames.memory_bytes = 1000: must hold a frame, at least 1518 B with its \
         header"
    );
    assert_eq!(
        refused(&|machine| machine.link.framing.minimum_bytes = 2_000),
        "machine.link.framing.minimum_bytes = 2000: must be at most the longest frame, 1518 B \
         with its header"
    );
    assert_eq!(
        with(&|frames| {
            frames.pause = Pause::All;
            (frames.pause_high_bytes, frames.pause_low_bytes) = (1_000, 1_000);
        }),
        "machine.switch.frames.pause_low_bytes = 1000: must be less than pause_high, 1000 B"
    );
    assert_eq!(
        refused(&|machine| machine.switch.frames = None),
        "machine.link.framing = given: must be left out without switch.forwarding and \
         switch.segmentation"
    );
    assert_eq!(
        refused(&|machine| machine.switch.switching = Switching::CutThrough),
        "machine.switch.switching = cut_through: must be store_and_forward with switch.forwarding"
    );
    assert_eq!(
        refused(&|machine| machine.switch.arbiter = Arbiter::RoundRobin),
        "machine.switch.arbiter = round_robin: must be fifo or priority with switch.forwarding"
    );
    assert_eq!(
        refused(&|machine| machine.set_node_link(|class| class.width = Some(2))),
        "machine.node_link.width = 2: must be 1 with switch.forwarding"
    );
}

/// A message to all others: of a frame there is one on every link. It is there, or at the core, at
/// 8212, 8212 + 404 later goes on, and so on.
#[test]
fn switches_make_copies() {
    for (topology, nodes, times) in [
        (star(4), 4, vec![16_828; 3]),
        (leaves(), 8, [vec![16_828], vec![4 * 8_212 + 3 * 404; 6]].concat()),
    ] {
        let mut machine = machine(topology, frames());
        machine.interface.multicast = Multicast::Switches;
        let step = Step::Multicast { processes: (1..nodes).collect(), socket: 0, bytes: 1_000 };
        let receive = || vec![Step::Receive { socket: Some(0) }];
        let others = (1..nodes).map(|node| process(node, vec![None], receive()));
        let workload: Vec<_> =
            std::iter::once(process(0, vec![], vec![step])).chain(others).collect();
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let mut spec = spec(machine.clone(), program(workload.clone()), mode);
            spec.blame = (mode != Mode::Free).then(packet_waits);
            assert_eq!(delivered(&spec), times, "{mode:?}");
        }
    }
}

/// Node 1 is sent another frame when the copy for it is there: only that copy waits.
#[test]
fn copies_wait_at_their_own_ports() {
    let mut machine = machine(star(4), frames());
    machine.interface.multicast = Multicast::Switches;
    let step = Step::Multicast { processes: vec![1, 2], socket: 0, bytes: 1_000 };
    let receive = || Step::Receive { socket: Some(0) };
    let workload = vec![
        process(0, vec![], vec![step]),
        process(1, vec![None], vec![receive(), receive()]),
        process(2, vec![None], vec![receive()]),
        process(3, vec![], vec![send(1, 0, 500)]),
    ];
    let mut spec = spec(machine, program(workload), Mode::Full);
    spec.blame = Some(packet_waits());
    let mut run = Run::with(&spec);
    run.finish();
    // 526 bytes take 4208 ns: there at 4212, sent on from 4616 to 8824, and 96 more.
    let mut there: Vec<_> =
        run.rows.iter().map(|row| (row.destination, row.delivered / NS)).collect();
    there.sort_unstable();
    assert_eq!(there, [(1, 8_828), (1, 8_920 + 8_212), (2, 8_616 + 8_212)]);
    let charged = run.simulation.take_charged();
    for packet in &charged {
        let sum: u64 = packet.charges.iter().map(|charge| charge.time).sum();
        assert_eq!(sum, packet.packet.delivered - packet.packet.queued - packet.alone);
    }
}
