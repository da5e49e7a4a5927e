//! Processes whose instructions come from outside, with times worked out by hand.

use crate::common::{self, Run, spec};
use std::collections::VecDeque;
use tailback_engine::ids::{NodeId, ProcessId};
use tailback_engine::node::Heard;
use tailback_engine::spec::*;
use tailback_engine::workload::{Filter, Instruction, Letter, Until, Wait};
use tailback_engine::{Progress, RunError, Simulation};

const NS: u64 = 1000;
/// Time of a header, and of 32-byte packets, on a DS-Link.
const HEADER: u64 = 100 * NS;
const DATA: u64 = 3340 * NS;

/// An ask: when, who, and how far the operation had come that was waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asked {
    at: u64,
    process: u32,
    flag: Option<u8>,
    message: Option<Heard>,
}

/// Processes that are given their instructions in portions, one for each ask, then end.
struct Play {
    portions: Vec<VecDeque<Vec<Instruction>>>,
    asked: Vec<Asked>,
}

impl Play {
    fn new(portions: Vec<Vec<Vec<Instruction>>>) -> Self {
        Self { portions: portions.into_iter().map(Into::into).collect(), asked: Vec::new() }
    }

    /// Runs to the end, `max_events` events at a time.
    fn run(&mut self, simulation: &mut Simulation, max_events: u64) -> Result<(), RunError> {
        loop {
            match simulation.advance(u64::MAX, max_events)? {
                Progress::Finished => return Ok(()),
                Progress::Asks => self.answer(simulation),
                _ => {}
            }
        }
    }

    fn answer(&mut self, simulation: &mut Simulation) {
        let asking: Vec<_> = simulation.asking().collect();
        for ask in asking {
            let process = ask.process.0;
            self.asked.push(Asked {
                at: simulation.now(),
                process,
                flag: ask.told.map(|told| told.flag),
                message: ask.told.and_then(|told| told.message),
            });
            let portion = self.portions.get_mut(process as usize).and_then(VecDeque::pop_front);
            for instruction in portion.unwrap_or_else(|| vec![Instruction::End]) {
                simulation.instruct(ask.process, instruction).unwrap();
            }
        }
    }

    /// When a process asked, its beginning left out, and the flags it was told.
    fn told(&self, process: u32) -> Vec<(u64, Option<u8>)> {
        let asked = self.asked.iter().filter(|asked| asked.process == process);
        asked.skip(1).map(|asked| (asked.at, asked.flag)).collect()
    }
}

fn external(comparators: Option<u32>) -> Workload {
    Workload::External(External { comparators })
}

fn row(n: u32) -> Machine {
    Machine::t9000(TopologySpec::Mesh { dims: vec![n] })
}

fn letter(tag: u32, bytes: u64) -> Letter {
    Letter { tag, bytes }
}

fn send(to: u32, bytes: u32) -> Instruction {
    Instruction::Send(letter(0, bytes.into()), NodeId(to))
}

fn receive(source: Option<u32>, tag: Option<u32>, has_buffer: bool) -> Instruction {
    Instruction::Receive(Filter { source: source.map(NodeId), tag, has_buffer })
}

fn wait(operation: u32, until: Until) -> Instruction {
    Instruction::Wait(Wait { operation, until })
}

/// Plays on a machine to the end.
fn play(machine: Machine, mode: Mode, portions: Vec<Vec<Vec<Instruction>>>) -> (Play, Run) {
    play_with(machine, None, mode, portions)
}

fn play_with(
    machine: Machine,
    comparators: Option<u32>,
    mode: Mode,
    portions: Vec<Vec<Vec<Instruction>>>,
) -> (Play, Run) {
    let mut run = Run::new(machine, external(comparators), mode);
    let mut play = Play::new(portions);
    play.run(&mut run.simulation, u64::MAX).unwrap();
    (play, run)
}

/// 32 bytes to the next node: three channels. The header leaves the sender at one header
/// time, is there at three, and its acknowledgement at 640 ns; the last byte at 3540 ns.
#[test]
fn flags_of_one_message() {
    let sender = vec![
        vec![send(1, 32), wait(0, Until::InProgress)],
        vec![wait(0, Until::Complete)],
        vec![wait(0, Until::Complete)],
    ];
    let receiver = vec![
        vec![receive(None, None, true), wait(0, Until::Now)],
        vec![wait(0, Until::InProgress)],
        vec![wait(0, Until::Complete)],
    ];
    let (play, _) = play(row(2), Mode::Full, vec![sender, receiver]);
    let acknowledged = 640 * NS;
    assert_eq!(play.told(0), [(HEADER, Some(1)), (acknowledged, Some(3)), (acknowledged, Some(3))]);
    let there = 2 * HEADER + DATA;
    assert_eq!(play.told(1), [(0, Some(0)), (3 * HEADER, Some(1)), (there, Some(3))]);
    let heard = play.asked.iter().rev().find_map(|asked| asked.message).unwrap();
    assert_eq!((heard.source, heard.tag, heard.bytes, heard.arrived), (NodeId(0), 0, 32, 32));
}

/// A message of 100 bytes is four packets, of which the first three follow each other on the
/// channel between the switches, and the last, of 4 bytes, takes 540 ns.
#[test]
fn first_bytes_before_the_message_is_complete() {
    let receiver = vec![
        vec![receive(None, None, true), wait(0, Until::Bytes(16))],
        vec![wait(0, Until::Bytes(33))],
        vec![wait(0, Until::Bytes(64))],
        vec![wait(0, Until::Bytes(1000))],
    ];
    let (play, _) = play(row(2), Mode::Full, vec![vec![vec![send(1, 100)]], receiver]);
    let first = 2 * HEADER + DATA;
    let second = first + DATA;
    let last = second + DATA + 540 * NS;
    assert_eq!(
        play.told(1),
        [(first, Some(1)), (second, Some(1)), (second, Some(1)), (last, Some(3))]
    );
}

/// Without acknowledgements a message begins when its first packet has been delivered.
#[test]
fn without_acknowledgements_packets_are_known_when_delivered() {
    let mut machine = row(2);
    machine.interface.acknowledges = false;
    let receiver = vec![
        vec![receive(None, None, true), wait(0, Until::InProgress)],
        vec![wait(0, Until::Complete)],
    ];
    let sender = vec![vec![send(1, 64), wait(0, Until::Complete)]];
    let (play, _) = play(machine, Mode::Full, vec![sender, receiver]);
    let first = 2 * HEADER + DATA;
    assert_eq!(play.told(1), [(first, Some(1)), (2 * first, Some(3))]);
    assert_eq!(play.told(0), [(2 * first, Some(3))]);
}

/// With one comparator the message that comes second never has flag 1.
#[test]
fn a_message_that_finds_no_comparator_has_no_flag_1() {
    let portions = || {
        let receiver = vec![
            vec![receive(Some(0), None, true), receive(Some(2), None, true)],
            vec![wait(0, Until::InProgress)],
            vec![wait(1, Until::InProgress)],
            vec![wait(1, Until::Bytes(1))],
        ];
        let late = vec![vec![Instruction::Compute(50 * NS), send(1, 64)]];
        vec![vec![vec![send(1, 64)]], receiver, late]
    };
    let (second, there) = (3 * HEADER + 50 * NS, 2 * HEADER + 2 * DATA + 50 * NS);
    let (one, _) = play_with(row(3), Some(1), Mode::Full, portions());
    assert_eq!(one.told(1)[1..], [(3 * HEADER, Some(1)), (there, Some(3)), (there, Some(3))]);
    // As many as the degree of the network: two.
    let (both, _) = play(row(3), Mode::Full, portions());
    let first_packet = 2 * HEADER + DATA + 50 * NS;
    assert_eq!(
        both.told(1)[1..],
        [(3 * HEADER, Some(1)), (second, Some(1)), (first_packet, Some(1))]
    );
    // It falls free when the message it followed is complete.
    let again = |wait_ps| {
        let receiver = vec![
            vec![receive(Some(0), None, true), receive(Some(2), None, true)],
            vec![wait(1, Until::InProgress)],
        ];
        let late = vec![vec![Instruction::Compute(wait_ps), send(1, 64)]];
        let portions = vec![vec![vec![send(1, 64)]], receiver, late];
        play_with(row(3), Some(1), Mode::Full, portions).0.told(1)[1]
    };
    let complete = 2 * HEADER + 2 * DATA;
    assert_eq!(again(complete), (complete + 3 * HEADER, Some(1)));
}

/// The oldest message goes to the oldest receive that takes it.
#[test]
fn messages_and_receives_match_in_order() {
    let typed = |tag| Instruction::Send(letter(tag, 8), NodeId(1));
    let sender = vec![vec![typed(5), typed(6), typed(5), typed(7)]];
    let receiver = vec![
        // All four lie in the buffers by then.
        vec![Instruction::Compute(100_000 * NS)],
        vec![receive(None, Some(5), false), receive(None, None, false)],
        vec![receive(Some(0), Some(7), false), receive(None, Some(5), false)],
        vec![wait(0, Until::Complete)],
        vec![wait(1, Until::Complete)],
        vec![wait(2, Until::Complete)],
        vec![wait(3, Until::Complete)],
    ];
    let (play, run) = play(row(2), Mode::Full, vec![sender, receiver]);
    let heard: Vec<_> = play.asked.iter().filter_map(|asked| asked.message).collect();
    let operations: Vec<_> = heard.iter().map(|heard| heard.operation).collect();
    assert_eq!(operations, [0, 1, 3, 2], "by the number of the send");
    let buffers = run.simulation.buffers()[1];
    assert_eq!((buffers.used, buffers.most), (32, 32), "none was released");
}

/// A message for which no buffer is ready lies in the system's until it is received into one,
/// or released.
#[test]
fn system_buffers_are_used_and_released() {
    let sender = vec![vec![send(1, 8), send(1, 16), send(1, 4)]];
    let receiver = vec![
        vec![receive(None, None, true), Instruction::Compute(50_000 * NS)],
        vec![receive(None, None, true), receive(None, None, false)],
        vec![wait(2, Until::Complete)],
        vec![Instruction::Release(2)],
    ];
    let (_, run) = play(row(2), Mode::Full, vec![sender, receiver]);
    let buffers = run.simulation.buffers();
    assert_eq!((buffers[1].used, buffers[1].most), (0, 20));
    assert_eq!((buffers[0].used, buffers[0].most), (0, 0));
}

/// On a square, node 0 sends to 1 and 2 at once, and 1 passes on to 3 what has arrived.
#[test]
fn a_broadcast_is_passed_on_without_the_processor() {
    let square = || Machine::t9000(TopologySpec::Hypercube { dimensions: 2 });
    let play_mode = |mode, bytes| {
        let root = vec![vec![Instruction::Broadcast(letter(9, bytes)), wait(0, Until::Complete)]];
        let busy = vec![
            vec![receive(None, Some(9), true), Instruction::Compute(50 * NS)],
            vec![wait(0, Until::Complete)],
        ];
        let portions = vec![root, busy.clone(), busy.clone(), busy];
        play(square(), mode, portions)
    };
    let hop = 2 * HEADER + DATA;
    let (play, run) = play_mode(Mode::Full, 32);
    let complete = |play: &Play| [1, 2, 3].map(|node| play.told(node)[1].0);
    assert_eq!(complete(&play), [hop, hop, 2 * hop]);
    assert_eq!(play.told(0), [(640 * NS, Some(3))], "what the root itself sends");
    let sources: Vec<_> = play.asked.iter().filter_map(|a| a.message).map(|m| m.source).collect();
    assert_eq!(sources, [NodeId(0); 3], "whoever passed it on");
    let counters = run.simulation.counters();
    assert_eq!((counters.messages_sent, counters.messages_delivered), (3, 3));
    // The second packet is one packet time behind the first, at every node.
    let (play, _) = play_mode(Mode::Full, 64);
    assert_eq!(complete(&play), [hop + DATA, hop + DATA, 2 * hop + DATA]);
    let (play, _) = play_mode(Mode::Free, 32);
    assert_eq!(complete(&play), [hop, hop, 2 * hop]);
    let (play, _) = play_mode(Mode::Ideal, 64);
    assert_eq!(complete(&play), [50 * NS; 3]);
    let (play, _) = play_mode(Mode::Full, 0);
    let empty = 2 * HEADER + 140 * NS;
    assert_eq!(complete(&play), [empty, empty, 2 * empty]);
}

/// Everybody broadcasts at once, on machines of many kinds and in every mode: each gets one
/// message from each other, and no buffer is left in use.
#[test]
fn broadcasts_reach_every_other_node_once() {
    let machines = [
        TopologySpec::Hypercube { dimensions: 4 },
        TopologySpec::Mesh { dims: vec![3, 4] },
        TopologySpec::Pair,
        TopologySpec::Star { nodes: 5 },
    ];
    for topology in machines {
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal] {
            let mut run = Run::new(Machine::t9000(topology.clone()), external(None), mode);
            let nodes = run.simulation.topology().nodes as u32;
            let process = |number: u32| {
                let mut portions = vec![vec![Instruction::Broadcast(letter(number, 70))]];
                for received in 0..nodes - 1 {
                    let operation = 1 + received;
                    let ready = receive(None, None, false);
                    portions.push(vec![ready, wait(operation, Until::Complete)]);
                    portions.push(vec![Instruction::Release(operation)]);
                }
                portions
            };
            let mut play = Play::new((0..nodes).map(process).collect());
            play.run(&mut run.simulation, u64::MAX).unwrap();
            for node in 0..nodes {
                let told = play.asked.iter().filter(|asked| asked.process == node);
                let mut sources: Vec<_> =
                    told.filter_map(|asked| asked.message).map(|heard| heard.tag).collect();
                sources.sort_unstable();
                let others: Vec<_> = (0..nodes).filter(|&other| other != node).collect();
                assert_eq!(sources, others, "{topology:?} {mode:?} at {node}");
            }
            assert!(run.simulation.buffers().iter().all(|buffers| buffers.used == 0));
        }
    }
}

#[test]
fn near_neighbours_are_sent_one_message_each() {
    let near = Instruction::BroadcastNear(letter(0, 32), vec![NodeId(2), NodeId(0)]);
    let middle = vec![vec![near, wait(0, Until::Complete)]];
    let other = || vec![vec![receive(Some(1), None, true), wait(0, Until::Complete)]];
    let (play, _) = play(row(3), Mode::Full, vec![other(), middle, other()]);
    let there = 2 * HEADER + DATA;
    assert_eq!((play.told(0)[0].0, play.told(2)[0].0), (there, there));
    assert_eq!(play.told(1), [(640 * NS, Some(3))]);
}

/// A message to oneself costs nothing and is no packet.
#[test]
fn a_process_can_send_to_itself() {
    let own = vec![
        vec![send(0, 50), wait(0, Until::Complete)],
        vec![receive(None, None, false), wait(1, Until::Complete)],
    ];
    let (play, run) = play(row(2), Mode::Full, vec![own]);
    assert_eq!(play.told(0), [(0, Some(3)), (0, Some(3))]);
    assert_eq!(run.simulation.counters().messages_local, 1);
}

/// The same asks at the same instants, however the run is cut into calls.
#[test]
fn cutting_a_run_changes_nothing() {
    let cube = Machine::t9000(TopologySpec::Hypercube { dimensions: 3 });
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
        let ring = |number: u32| {
            let mut portions = vec![vec![Instruction::Broadcast(letter(1, 40))]];
            for round in 0..4_u32 {
                let compute = Instruction::Compute(u64::from((number * 7 + round * 3) % 5) * NS);
                portions.push(vec![compute]);
                let operations = 1 + 2 * round;
                portions
                    .push(vec![send((number + 1) % 8, 100), wait(operations, Until::InProgress)]);
                portions.push(vec![
                    receive(Some((number + 7) % 8), Some(0), true),
                    wait(operations + 1, Until::Bytes(20)),
                ]);
            }
            portions
        };
        let asked = |max_events| {
            let mut machine = cube.clone();
            if fidelity != Fidelity::Packet {
                machine.link.flow_control = FlowControl::OutOfBand;
            }
            let spec = Spec { fidelity, ..spec(machine, external(None), Mode::Full) };
            let mut simulation = Simulation::new(&spec).unwrap();
            let mut play = Play::new((0..8).map(ring).collect());
            play.run(&mut simulation, max_events).unwrap();
            (play.asked, simulation.now(), simulation.counters())
        };
        let whole = asked(u64::MAX);
        assert_eq!(whole.0.len(), 8 * 14);
        assert_eq!(whole, asked(1));
        assert_eq!(whole, asked(7));
    }
}

/// Nodes that compute until a message is due and send it put the same packets on the
/// network, at the same times, as a list of these messages, in every mode and fidelity.
#[test]
fn sends_are_those_of_a_message_list() {
    let machine = |fidelity| {
        let mut machine = Machine::t9000(TopologySpec::Hypercube { dimensions: 3 });
        if fidelity != Fidelity::Packet {
            machine.link.flow_control = FlowControl::OutOfBand;
        }
        machine
    };
    let rows: Vec<(u64, u32, u32, u32)> = (0..120_u32)
        .map(|row| (u64::from(row * row % 251) * 40 * NS, row * 5 % 8, row * 3 % 7, row * 37 % 90))
        .filter(|&(_, from, to, _)| from != to)
        .collect();
    let mut rows = rows;
    rows.sort_unstable();
    rows.dedup_by_key(|&mut (time, from, ..)| (time, from));
    let process = |node: u32| {
        let mut now = 0;
        let mut steps = Vec::new();
        for &(time, _, to, bytes) in rows.iter().filter(|row| row.1 == node) {
            steps.push(vec![Instruction::Compute(time - now)]);
            steps.push(vec![send(to, bytes)]);
            now = time;
        }
        steps
    };
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let spec = |workload| Spec { fidelity, ..spec(machine(fidelity), workload, mode) };
            let mut list = Run::with(&spec(common::message_list(&rows)));
            list.finish();
            let mut run = Run::with(&spec(external(None)));
            Play::new((0..8).map(process).collect()).run(&mut run.simulation, 1000).unwrap();
            assert_eq!(run.simulation.take_packets(), list.rows, "{fidelity:?} {mode:?}");
        }
    }
}

/// An unanswered ask is asked again; nothing else happens.
#[test]
fn asks_stand_until_they_are_answered() {
    let mut run = Run::new(row(2), external(None), Mode::Full);
    let simulation = &mut run.simulation;
    assert_eq!(simulation.advance(0, 1), Ok(Progress::Asks));
    let processes: Vec<_> = simulation.asking().map(|ask| ask.process.0).collect();
    assert_eq!(processes, [0, 1]);
    simulation.instruct(ProcessId(0), Instruction::End).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Asks));
    simulation.instruct(ProcessId(1), Instruction::Compute(5)).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Asks));
    assert_eq!(simulation.now(), 5);
    simulation.instruct(ProcessId(1), Instruction::End).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
}

/// A receive nobody sends to: who waits, for what, and what there is instead.
#[test]
fn a_receive_nobody_sends_to_is_explained() {
    let sender = vec![vec![Instruction::Send(letter(2, 8), NodeId(1))]];
    let receiver = vec![vec![receive(Some(0), Some(3), true), wait(0, Until::Complete)]];
    let mut run = Run::new(row(2), external(None), Mode::Full);
    let error = Play::new(vec![sender, receiver]).run(&mut run.simulation, u64::MAX).unwrap_err();
    assert_eq!(
        error.to_string(),
        "deadlock at 1140 ns: process 1 on node 1 waits for a message of type 3 from node 0 \
         (its operation 0); node 0 has ended; of the 1 it has not received, one of type 2 from \
         node 0 is the only one"
    );
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut run = Run::new(row(3), external(None), Mode::Full);
    let simulation = &mut run.simulation;
    assert_eq!(simulation.advance(0, 1), Ok(Progress::Asks));
    let mut refusal = |process, instruction| {
        simulation.instruct(ProcessId(process), instruction).unwrap_err().to_string()
    };
    assert_eq!(refusal(0, send(3, 8)), "process 0, operation 0: send = 3: must be a node, 0 to 2");
    assert_eq!(
        refusal(0, receive(Some(9), None, true)),
        "process 0, operation 0: receive = 9: must be a node, 0 to 2"
    );
    let near = |to: &[u32]| {
        let to = to.iter().copied().map(NodeId).collect();
        Instruction::BroadcastNear(letter(0, 8), to)
    };
    assert_eq!(
        refusal(0, near(&[1, 2])),
        "process 0, operation 0: broadcast = 2: must be near neighbours: [1]"
    );
    assert_eq!(
        refusal(1, near(&[1])),
        "process 1, operation 0: broadcast = 1: must be near neighbours: [0, 2]"
    );
    assert_eq!(
        refusal(1, near(&[])),
        "process 1, operation 0: broadcast = no node: must be to at least one"
    );
    assert_eq!(
        refusal(1, wait(0, Until::Complete)),
        "process 1, operation 0: wait = 0: must be an operation it was given before"
    );
    assert_eq!(
        refusal(1, Instruction::Release(0)),
        "process 1, operation 0: release = 0: \
         must be a receive whose system buffer it was told of and holds"
    );
    assert_eq!(refusal(7, Instruction::End), "process = 7: must be one that asks");
}

/// A buffer is the process' once: not before it was told of it, and not again.
#[test]
fn a_buffer_is_released_once() {
    let mut run = Run::new(row(2), external(None), Mode::Full);
    let simulation = &mut run.simulation;
    let process = ProcessId(0);
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Asks));
    simulation.instruct(ProcessId(1), Instruction::End).unwrap();
    for instruction in [send(0, 8), receive(None, None, false), wait(1, Until::Complete)] {
        simulation.instruct(process, instruction).unwrap();
    }
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Asks));
    simulation.instruct(process, Instruction::Release(1)).unwrap();
    assert!(simulation.instruct(process, Instruction::Release(1)).is_err());
    simulation.instruct(process, Instruction::End).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    assert_eq!(simulation.buffers()[0].used, 0);
}
