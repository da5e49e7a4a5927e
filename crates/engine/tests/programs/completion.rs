//! When processes, and whole runs, are done: what finite workloads are asked for.

use crate::common::{Run, bandwidth, message_list, program};
use tailback_engine::spec::*;

const NS: u64 = 1_000;

fn completed(run: &Run) -> Vec<u64> {
    run.simulation.measures().completed.clone()
}

fn last(machine: &Machine, workload: &Workload, mode: Mode) -> u64 {
    let mut run = Run::new(machine.clone(), workload.clone(), mode);
    run.finish();
    completed(&run).into_iter().max().unwrap()
}

#[test]
fn who_has_a_list_is_done_with_the_last_message_of_its_own_or_to_it() {
    let machine = Machine::t9000(TopologySpec::Mesh { dims: vec![4] });
    let rows = [(0, 0, 1, 32), (5000 * NS, 1, 0, 0), (9000 * NS, 2, 0, 0)];
    let mut run = Run::new(machine, message_list(&rows), Mode::Full);
    run.finish();
    // 200 ns and 140 ns for one hop, 300 ns and 140 ns for two; acknowledgements come later.
    let far = (9300 + 140) * NS;
    assert_eq!(completed(&run), [far, (5200 + 140) * NS, far, 0]);
    assert!(run.simulation.now() > far);
}

#[test]
fn a_process_is_done_with_its_last_instruction() {
    let machine = Machine::t9000(TopologySpec::Pair);
    let mut processes = bandwidth(32, false, 1);
    let compute = Step::Compute { duration: Distribution::constant(7_000 * NS) };
    processes[1].steps.push(compute);
    let mut run = Run::new(machine, program(processes), Mode::Full);
    run.finish();
    // The acknowledgement ends the blocking send, but not before the message has been received.
    assert_eq!(completed(&run), [3340 * NS, (3340 + 7000) * NS]);
}

/// Links of 100 Gbit/s with flits of a byte, and packets of 4 kB.
fn fast(topology: TopologySpec) -> Machine {
    let mut machine = Machine::t9000(topology);
    (machine.link.flit_ps, machine.link.control_ps, machine.link.width) = (80, 40, 1);
    machine.set_node_link(|class| class.width = Some(1));
    machine.interface.packet_bytes = 4096;
    machine.switch.input_buffer_flits = Some(8400);
    machine
}

/// 32 nodes send 64 kB each to one: 2 MB over its link take 168 us, whatever the network.
#[test]
fn one_receiver_of_many_is_slow_because_of_its_own_link() {
    let rows: Vec<_> = (1..33).map(|source| (0, source, 0, 64_000)).collect();
    let list = message_list(&rows);
    let topologies = [TopologySpec::Star { nodes: 33 }, TopologySpec::Mesh { dims: vec![6, 6] }];
    for machine in topologies.map(fast) {
        let [full, endpoints, free] =
            [Mode::Full, Mode::Endpoints, Mode::Free].map(|mode| last(&machine, &list, mode));
        let wire = 32 * 64_000 * 80;
        assert!(endpoints > wire && endpoints < wire * 102 / 100, "{endpoints}");
        assert!(free < endpoints / 25, "{free}");
        // The network costs next to nothing.
        assert!(full >= endpoints && full < endpoints * 102 / 100, "{full} {endpoints}");
    }
}
