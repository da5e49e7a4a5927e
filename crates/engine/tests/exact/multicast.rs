//! Messages to several processes: one for each, however they get there.

use crate::common::{Run, line_cards, packet_waits, program, spec};
use tailback_engine::Simulation;
use tailback_engine::spec::*;

const US: u64 = 1_000_000;
const MODES: [Mode; 5] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];

/// Nodes on one switch, a link each, without acknowledgements.
fn star(nodes: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Star { nodes });
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.packet_bytes = 100;
    machine.switch.input_buffer_flits = Some(1 << 12);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine
}

fn mesh() -> Machine {
    Machine::t9000(TopologySpec::Mesh { dims: vec![3, 3] })
}

fn process(node: u32, steps: Vec<Step>) -> ProcessProgram {
    ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets: vec![None],
        steps,
    }
}

/// Process 0 does something, all others receive one message; process k is on node k.
fn fan_out(count: u32, steps: Vec<Step>) -> Workload {
    let receive = || vec![Step::Receive { socket: Some(0) }];
    let others = (1..count).map(|node| process(node, receive()));
    program(std::iter::once(process(0, steps)).chain(others).collect())
}

fn multicast(processes: &[u32], bytes: u32) -> Vec<Step> {
    vec![Step::Multicast { processes: processes.to_vec(), socket: 0, bytes: bytes.into() }]
}

fn finished(machine: Machine, workload: Workload, mode: Mode) -> Run {
    let mut run = Run::new(machine, workload, mode);
    run.finish();
    run
}

#[test]
fn without_more_it_is_a_message_to_each_in_the_order_of_the_list() {
    let to = [3, 1, 8, 2, 5, 7, 4, 6];
    let send = |&process| Step::Send { process, socket: 0, bytes: 250, blocking: false };
    for mode in MODES {
        for machine in [star(9), mesh()] {
            let one = finished(machine.clone(), fan_out(9, multicast(&to, 250)), mode);
            let each = finished(machine, fan_out(9, to.iter().map(send).collect()), mode);
            assert_eq!(one.rows, each.rows, "{mode:?}");
            let (one, each) = (one.simulation.measures(), each.simulation.measures());
            assert_eq!(one.completed, each.completed);
        }
    }
}

/// Nodes 1 to 7 are places 1 to 7 of the tree: the root sends to 4, 2 and 1, node 4 to 6 and 5,
/// and so on.
#[test]
fn receivers_pass_a_tree_on_when_they_have_all_of_a_message() {
    let mut machine = star(8);
    machine.interface.multicast = Multicast::Tree;
    let to: Vec<_> = (1..8).collect();
    let run = finished(machine.clone(), fan_out(8, multicast(&to, 80)), Mode::Free);
    let mut ways: Vec<_> = run.rows.iter().map(|row| (row.source, row.destination)).collect();
    ways.sort_unstable();
    assert_eq!(ways, [(0, 1), (0, 2), (0, 4), (2, 3), (4, 5), (4, 6), (6, 7)]);
    let alone = run.rows[0].delivered;
    let hops = |node: u32| u64::from(node.count_ones());
    for row in &run.rows {
        assert_eq!(row.delivered, hops(row.destination) * alone);
    }
    // The latency of each is from the multicast on, whoever sent it last.
    let latency = &run.simulation.measures().message_latency;
    assert_eq!(latency.moments.sum, u128::from((1..8).map(hops).sum::<u64>() * alone));
    // Links are shared: of three that leave the root the last is there last.
    let run = finished(machine, fan_out(8, multicast(&to, 80)), Mode::Full);
    let sent: Vec<_> = run.data().iter().filter(|row| row.source == 0).copied().collect();
    let order: Vec<_> = {
        let mut by_start = sent.clone();
        by_start.sort_by_key(|row| row.first_sent);
        by_start.iter().map(|row| row.destination).collect()
    };
    assert_eq!(order, [4, 2, 1]);
}

#[test]
fn a_tree_costs_nothing_where_communication_does_not() {
    let mut machine = mesh();
    machine.interface.multicast = Multicast::Tree;
    let to: Vec<_> = (1..9).collect();
    let run = finished(machine, fan_out(9, multicast(&to, 80)), Mode::Ideal);
    assert_eq!(run.simulation.measures().completed, [0; 9]);
}

/// Who passes a message on pays for that: each costs its sender 10 us.
#[test]
fn software_is_paid_by_who_passes_on() {
    let mut machine = star(4);
    machine.interface.multicast = Multicast::Tree;
    let send = Side { before_ps: 10 * US, ..Side::default() };
    machine.interface.costs = Some(Costs { send, overlap: true, ..Costs::default() });
    let run = finished(machine, fan_out(4, multicast(&[1, 2, 3], 80)), Mode::Free);
    let at = |node| run.rows.iter().find(|row| row.destination == node).unwrap();
    let takes = at(2).delivered - 10 * US;
    assert_eq!(at(2).queued, 10 * US);
    assert_eq!(at(1).queued, 20 * US);
    assert_eq!((at(3).source, at(3).queued), (2, 20 * US + takes));
}

/// Line cards of 2 nodes on a torus of 4 x 2, whose switches make copies.
fn cards() -> Machine {
    let mut machine = line_cards(&[4, 2], 2);
    machine.interface.multicast = Multicast::Switches;
    machine
}

/// When each node's message was there, of processes 1 to 15 on nodes 1 to 15.
fn arrivals(run: &Run) -> Vec<u64> {
    (1..16)
        .map(|node| {
            run.rows
                .iter()
                .filter(|row| row.destination == node)
                .map(|row| row.delivered)
                .max()
                .unwrap_or(0)
        })
        .collect()
}

/// With nobody else in the way a message is at every node when it is in mode full, in which it meets its
/// own packets, too: its copies are one packet until they part.
#[test]
fn copies_take_no_turn_of_each_other() {
    let to: Vec<_> = (1..16).collect();
    let alone = arrivals(&finished(cards(), fan_out(16, multicast(&to, 100)), Mode::Full));
    for mode in [Mode::Endpoints, Mode::Free] {
        let run = finished(cards(), fan_out(16, multicast(&to, 100)), mode);
        assert_eq!(arrivals(&run), alone, "{mode:?}");
        let nodes = &run.simulation.measures().nodes;
        assert_eq!(nodes[0].packets_sent, [15, 0], "{mode:?}");
    }
}

/// Two multicasts of a node at one instant: the second waits for its line once, with all its
/// copies, and each of these is charged that.
#[test]
fn a_second_multicast_waits_for_the_first_once() {
    let to: Vec<_> = (1..16).collect();
    let twice = [multicast(&to, 1_500), multicast(&to, 1_500)].concat();
    let receive = || vec![Step::Receive { socket: Some(0) }, Step::Receive { socket: Some(0) }];
    let others = (1..16).map(|node| process(node, receive()));
    let workload = program(std::iter::once(process(0, twice)).chain(others).collect());
    // A frame, with its gap: 410 cell times.
    let line = 410 * 30_000;
    for mode in [Mode::Endpoints, Mode::Full] {
        let mut spec = spec(cards(), workload.clone(), mode);
        spec.blame = Some(packet_waits());
        let mut run = Run::with(&spec);
        run.finish();
        let mut sent: Vec<_> =
            run.rows.iter().map(|row| (row.destination, row.first_sent)).collect();
        sent.sort_unstable();
        let expected = to.iter().flat_map(|&node| [(node, 0), (node, line)]);
        assert_eq!(sent, expected.collect::<Vec<_>>(), "{mode:?}");
        for charged in run.simulation.take_charged() {
            let row = charged.packet;
            let sum: u64 = charged.charges.iter().map(|charge| charge.time).sum();
            assert_eq!(sum, row.delivered - row.queued - charged.alone, "{mode:?}");
        }
    }
}

fn refusal(machine: Machine, workload: Workload) -> String {
    match Simulation::new(&spec(machine, workload, Mode::Full)) {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let mut machine = star(4);
    machine.interface.multicast = Multicast::Switches;
    assert_eq!(
        refusal(machine, fan_out(4, multicast(&[1], 1))),
        "machine.interface.multicast = switches: must be unicast or tree: these switches make no \
         copies of packets"
    );
    let of = |to: &[u32]| refusal(star(4), fan_out(4, multicast(to, 1)));
    let field = "workload.processes[0].steps[0].processes";
    assert_eq!(of(&[]), format!("{field} = none: must be at least one"));
    assert_eq!(of(&[1, 2, 1]), format!("{field} = 1: must be there once"));
    assert_eq!(of(&[1, 4]), format!("{field} = 4: must be a process, 0 to 3"));
}
