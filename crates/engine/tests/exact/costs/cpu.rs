//! One CPU for computing, sending and receiving.

use super::{EVERY, TAU, US, machine, side};
use crate::common::{Run, message_list, program};
use tailback_engine::node::CpuTime;
use tailback_engine::spec::*;

fn process(node: u32, sockets: Vec<Option<u32>>, steps: Vec<Step>) -> ProcessProgram {
    ProcessProgram { node, start_ps: 0, start_window_ps: 0, repeat: Some(1), sockets, steps }
}

fn compute(microseconds: u64) -> Step {
    Step::Compute { duration: Distribution::constant(microseconds * US) }
}

fn send(blocking: bool) -> Step {
    Step::Send { process: 1, socket: 0, bytes: 1, blocking }
}

const RECEIVE: Step = Step::Receive { socket: Some(0) };

/// The run of process 0 on node 0 and 1 on node 1; when they completed.
fn completed(costs: Costs, mode: Mode, steps: [Vec<Step>; 2]) -> (Vec<u64>, Vec<CpuTime>) {
    let [first, second] = steps;
    let processes = vec![process(0, vec![], first), process(1, vec![Some(0)], second)];
    let mut run = Run::new(machine(2, costs), program(processes), mode);
    run.finish();
    let times = run.simulation.processor_times().unwrap();
    (run.simulation.measures().completed.clone(), times)
}

fn times(computing: u64, sending: u64, receiving: u64) -> CpuTime {
    CpuTime { computing: computing * US, sending: sending * US, receiving: receiving * US }
}

/// One byte over two switches.
fn wire(mode: Mode) -> u64 {
    if mode == Mode::Ideal { 0 } else { 4 * TAU }
}

#[test]
fn receiving_interrupts_computing_or_waits_for_it() {
    let costs = Costs { receive: side(30 * US, 70 * US), overlap: true, ..Costs::default() };
    for mode in EVERY {
        let steps = || [vec![send(false)], vec![compute(1000), RECEIVE]];
        let (late, spent) = completed(costs, mode, steps());
        assert_eq!(late[1], 1100 * US, "the packet is taken in when the process has computed");
        assert_eq!(spent, [times(0, 0, 0), times(1000, 0, 100)]);
        let (soon, spent) = completed(Costs { receive_preempts: true, ..costs }, mode, steps());
        assert_eq!(soon[1], 1100 * US, "the process computes 100 us later");
        assert_eq!(spent, [times(0, 0, 0), times(1000, 0, 100)]);
    }
}

/// The message is there when it has interrupted the process, not when that has computed.
#[test]
fn who_is_interrupted_goes_on_later() {
    for (receive_preempts, latency) in [(true, 100), (false, 1099)] {
        for mode in EVERY {
            let receive = side(30 * US, 70 * US);
            let costs = Costs { receive, receive_preempts, overlap: true, ..Costs::default() };
            let mut processes =
                vec![process(0, vec![], vec![]), process(1, vec![], vec![compute(1000)])];
            processes.push(process(1, vec![Some(0)], vec![RECEIVE]));
            let to_third = Step::Send { process: 2, socket: 0, bytes: 1, blocking: false };
            processes[0].steps = vec![to_third];
            processes[0].start_ps = US;
            let mut run = Run::new(machine(2, costs), program(processes), mode);
            run.finish();
            let counters = run.simulation.counters();
            let expected = if receive_preempts { latency * US + wire(mode) } else { latency * US };
            assert_eq!(counters.message_latency_ps, expected, "{mode:?}");
        }
    }
}

/// A send does not wait, but computing waits for the CPU; what sends later interrupts it or not.
#[test]
fn sending_delays_computing() {
    for mode in EVERY {
        let costs = Costs { send: side(105 * US, 179 * US), ..Costs::default() };
        let steps = || [vec![send(false), compute(50)], vec![RECEIVE]];
        let (done, spent) = completed(costs, mode, steps());
        // Prepared until 105; with a packet that takes no time to leave, finished until 284.
        let leaves = if mode == Mode::Ideal { 0 } else { 2 * TAU };
        let computed = if leaves == 0 { 284 + 50 } else { 105 + 50 };
        assert_eq!(done[0].max(done[1]), computed * US, "{mode:?}");
        assert_eq!(spent[0], times(50, 284, 0));
        let preempting = Costs { receive_preempts: true, ..costs };
        let (done, spent) = completed(preempting, mode, steps());
        assert_eq!(done[0], 334 * US, "{mode:?}");
        assert_eq!(spent[0], times(50, 284, 0));
    }
}

#[test]
fn a_blocking_send_waits_until_the_message_has_been_taken_in() {
    for mode in EVERY {
        let costs =
            Costs { send: side(10 * US, 5 * US), receive: side(0, 40 * US), ..Costs::default() };
        let (done, spent) = completed(costs, mode, [vec![send(true), compute(1)], vec![RECEIVE]]);
        assert_eq!(done[0], 51 * US + wire(mode), "{mode:?}");
        assert_eq!(spent, [times(1, 15, 0), times(0, 0, 40)]);
    }
}

/// Two messages that cross: what one node receives interrupts what it sends, if it may.
#[test]
fn receiving_interrupts_sending_or_waits_for_it() {
    for mode in EVERY {
        for receive_preempts in [false, true] {
            let (send, receive) = (side(100 * US, 0), side(0, 30 * US));
            let costs =
                Costs { send, receive, receive_preempts, overlap: true, ..Costs::default() };
            // Node 1 begins to prepare its message when the first is about to be on its way.
            let list = message_list(&[(0, 0, 1, 1), (90 * US, 1, 0, 1)]);
            let mut run = Run::new(machine(2, costs), list, mode);
            run.finish();
            let both = 2 * (130 * US + wire(mode));
            let counters = run.simulation.counters();
            let waits = if receive_preempts { 30 * US } else { 90 * US - wire(mode) };
            assert_eq!(counters.message_latency_ps, both + waits, "{mode:?}");
        }
    }
}
