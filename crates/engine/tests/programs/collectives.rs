//! Barriers and collectives in a run: how many messages they are, how long they are, and when
//! members go on, against closed forms.

mod closed_forms;

use crate::common::{Run, program, spec};
use tailback_engine::spec::*;
use tailback_engine::{RunError, Simulation};

const US: u64 = 1_000_000;

/// Nodes on one switch, a link each. Messages are packets, of which a node may send any number;
/// it knows at no cost when they have arrived.
fn star(nodes: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Star { nodes });
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.packet_bytes = 1 << 20;
    machine.switch.input_buffer_flits = Some(1 << 22);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine
}

fn process(node: u32, steps: Vec<Step>) -> ProcessProgram {
    ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets: vec![],
        steps,
    }
}

fn barrier(group: Option<&[u32]>) -> Step {
    Step::Barrier { group: group.map(Into::into), method: None }
}

fn compute(ps: u64) -> Step {
    Step::Compute { duration: Distribution::constant(ps) }
}

fn finished(run: &Run) -> Vec<u64> {
    run.simulation.measures().completed.clone()
}

fn priced(base_us: i64, per_log2_us: i64) -> Method {
    let (base_ps, per_log2_ps) = (base_us * 1_000_000, per_log2_us * 1_000_000);
    Method::Price(Price { base_ps, per_log2_ps, per_byte_fs: 0 })
}

/// Process k computes k us; all go on when the last has come, at no cost.
#[test]
fn a_free_barrier_ends_when_the_last_has_come() {
    let mut machine = star(4);
    machine.interface.collectives.barrier = Some(priced(0, 0));
    let steps = |k: u64| vec![compute(k * US), barrier(None), compute((10 - k) * US)];
    let processes = (0..4).map(|k| process(k, steps(u64::from(k)))).collect();
    let run = Run::to_the_end(machine, program(processes));
    assert_eq!(finished(&run), [13 * US, 12 * US, 11 * US, 10 * US]);
    assert!(run.rows.is_empty());
}

/// The price of the barrier of eight: 134 us and three times 27 us.
#[test]
fn a_barrier_at_the_price_of_a_formula_ends_so_much_later() {
    for (nodes, members) in [(8, 8), (8, 2), (8, 1)] {
        let mut machine = star(nodes);
        machine.interface.collectives.barrier = Some(priced(134, 27));
        let group: Vec<_> = (0..members).rev().collect();
        let steps = |k: u64| vec![compute(k * US), barrier(Some(&group))];
        let processes = (0..members).map(|k| process(k, steps(u64::from(k)))).collect();
        let run = Run::to_the_end(machine, program(processes));
        let last = u64::from(members - 1) + 134 + 27 * u64::from(members.ilog2());
        assert_eq!(finished(&run), vec![last * US; members as usize]);
    }
}

/// In mode `ideal` communication costs nothing.
#[test]
fn a_formula_costs_nothing_in_mode_ideal() {
    let mut machine = star(4);
    machine.interface.collectives.barrier = Some(priced(134, 27));
    let processes = (0..4).map(|k| process(k, vec![compute(k64(k)), barrier(None)])).collect();
    let mut run = Run::new(machine, program(processes), Mode::Ideal);
    run.finish();
    assert_eq!(finished(&run), [3 * US; 4]);
}

fn k64(k: u32) -> u64 {
    u64::from(k) * US
}

fn refusal(machine: Machine, processes: Vec<ProcessProgram>) -> String {
    match Simulation::new(&spec(machine, program(processes), Mode::Full)) {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

fn failure(machine: Machine, processes: Vec<ProcessProgram>) -> RunError {
    let mut simulation = Simulation::new(&spec(machine, program(processes), Mode::Full)).unwrap();
    simulation.advance(u64::MAX, u64::MAX).unwrap_err()
}

/// The printed formula of the Paragon is negative for few nodes.
#[test]
fn a_negative_price_is_refused_with_the_formula_and_the_number() {
    let mut machine = star(4);
    machine.interface.collectives.barrier = Some(priced(-134, 27));
    let processes = (0..4).map(|k| process(k, vec![barrier(None)])).collect();
    assert_eq!(
        refusal(machine, processes),
        "machine.interface.barrier = -134 us + 27 us · log2 n: \
         must not be negative, and is -80 us for n = 4"
    );
}

#[test]
fn a_barrier_that_not_all_reach_tells_who_waits_for_whom() {
    for method in [None, Some(priced(0, 0))] {
        let mut machine = star(4);
        machine.interface.collectives.barrier = method;
        let mut processes: Vec<_> = (0..3).map(|k| process(k, vec![barrier(None)])).collect();
        processes.push(process(3, vec![compute(US)]));
        let error = failure(machine, processes);
        let RunError::Deadlock { waiting, .. } = &error else { panic!("{error}") };
        let who: Vec<_> = waiting.iter().map(|w| (w.who(), w.what())).collect();
        let what = "process 3 in the barrier of all processes";
        for (number, (who, waits)) in who.iter().enumerate() {
            assert_eq!(who, &format!("process {number} on node {number}"));
            assert_eq!(waits, what);
        }
        assert_eq!(who.len(), 3);
    }
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let with = |group: &[u32]| {
        let processes = (0..4).map(|k| process(k, vec![barrier(Some(group))])).collect();
        refusal(star(4), processes)
    };
    let field = "workload.processes[0].steps[0].group";
    assert_eq!(with(&[0, 1, 1]), format!("{field} = 1: is named twice"));
    assert_eq!(with(&[0, 4]), format!("{field} = 4: must be a process, 0 to 3"));
    assert_eq!(with(&[]), format!("{field} = []: must name processes"));
    let own = "processes 1, 2: must have process 0 itself in it";
    assert_eq!(with(&[1, 2]), format!("{field} = {own}"));
}

fn together(call: Collective) -> Vec<Step> {
    vec![Step::Collective(call)]
}

/// What differs is named, and who has it otherwise.
#[test]
fn members_that_disagree_are_refused_in_one_line() {
    let first = || Collective::new(Operation::Broadcast, 100);
    let with = |other: Collective| {
        let processes = vec![
            process(0, together(first())),
            process(1, [vec![compute(US)], together(other)].concat()),
        ];
        failure(star(2), processes).to_string()
    };
    let line = |key: &str, given: &str, other: &str| {
        format!(
            "workload.processes[1].steps[1].{key} = {given}: must be {other} as process 0 has it, \
             in collective 0 of all processes"
        )
    };
    let other = Collective::new(Operation::AllReduce, 100);
    assert_eq!(with(other), line("operation", "all_reduce", "broadcast"));
    assert_eq!(with(Collective { bytes: 7, ..first() }), line("size_bytes", "7", "100 bytes"));
    assert_eq!(with(Collective { root: Some(1), ..first() }), line("root", "1", "the first"));
    let method = Some(Method::Algorithm(Algorithm::Chain));
    let chain = Collective { method, ..first() };
    assert_eq!(with(chain), line("algorithm", "chain", "the machine's"));
}

#[test]
fn what_an_algorithm_is_not_for_is_refused() {
    let with = |call: Collective| refusal(star(3), vec![process(0, together(call))]);
    let of = |operation, algorithm| Collective {
        method: Some(Method::Algorithm(algorithm)),
        group: Some(vec![0]),
        ..Collective::new(operation, 8)
    };
    assert_eq!(
        with(of(Operation::Gather, Algorithm::Ring)),
        "workload.processes[0].steps[0].algorithm = ring: must be one of linear, binomial for gather"
    );
    let segmented = Collective { segment: Some(4), ..of(Operation::Gather, Algorithm::Linear) };
    assert!(with(segmented).ends_with("algorithm = linear: has no segments"));
    let several = Collective { sizes: Some(vec![4]), ..Collective::new(Operation::Reduce, 0) };
    let line = with(Collective { group: Some(vec![0]), ..several });
    assert!(line.ends_with("sizes = several lengths: must be one length for reduce"), "{line}");
    let processes = (0..3).map(|node| {
        let call = of(Operation::AllGather, Algorithm::NeighbourExchange);
        process(node, together(Collective { group: None, ..call }))
    });
    let line = refusal(star(3), processes.collect());
    assert!(line.ends_with("neighbour_exchange: is for even numbers of members, not 3"), "{line}");
}

/// An all-to-all in which each pair has a length of its own.
fn rows(rows: [[u64; 3]; 3]) -> Vec<ProcessProgram> {
    let step = |me: usize| Collective {
        sizes: Some(rows[me].to_vec()),
        receives: rows.iter().map(|row| row[me]).collect(),
        ..Collective::new(Operation::AllToAll, 0)
    };
    (0..3).map(|node| process(node as u32, together(step(node)))).collect()
}

#[test]
fn blocks_of_any_length_are_exchanged_and_empty_ones_are_not_sent() {
    for algorithm in [Algorithm::Linear, Algorithm::Pairwise] {
        let mut machine = star(3);
        machine.interface.collectives.all_to_all = Some(Method::Algorithm(algorithm));
        let lengths = [[9, 10, 0], [0, 9, 300], [7, 5, 9]];
        let run = Run::to_the_end(machine, program(rows(lengths)));
        let mut sent: Vec<_> =
            run.rows.iter().map(|row| (row.source, row.destination, row.bytes)).collect();
        sent.sort_unstable();
        assert_eq!(sent, [(0, 1, 10), (1, 2, 300), (2, 0, 7), (2, 1, 5)]);
    }
}

#[test]
fn who_expects_another_length_than_is_sent_is_named() {
    let mut processes = rows([[0, 10, 0], [0, 0, 300], [7, 5, 0]]);
    let Step::Collective(call) = &mut processes[2].steps[0] else { panic!() };
    call.receives[1] = 299;
    assert_eq!(
        failure(star(3), processes).to_string(),
        "workload.processes[2].steps[0].sizes_bytes = 300: is what process 1 sends to process 2, \
         which expects 299 bytes"
    );
}

/// Messages of one's own are not taken for those of collectives, nor the other way round: a
/// receive on any socket waits for the former while the latter come.
#[test]
fn collectives_and_messages_do_not_take_from_each_other() {
    let send = Step::Send { process: 0, socket: 0, bytes: 8, blocking: false };
    let receive = Step::Receive { socket: None };
    let late = [vec![compute(50 * US), send], together(Collective::new(Operation::Barrier, 0))];
    let early = [vec![receive], together(Collective::new(Operation::Barrier, 0))];
    let mut processes = vec![process(0, early.concat()), process(1, late.concat())];
    processes[0].sockets = vec![None];
    processes.push(process(2, together(Collective::new(Operation::Barrier, 0))));
    let run = Run::to_the_end(star(3), program(processes));
    assert_eq!(run.rows.len(), 1 + 3 * 2);
    assert!(finished(&run).into_iter().all(|end| end > 50 * US));
}

/// Members may be ahead of others by whole collectives; what came too early is kept.
#[test]
fn a_root_may_run_ahead() {
    let broadcast = || Step::Collective(Collective::new(Operation::Broadcast, 64));
    let mut processes = vec![process(0, vec![broadcast()])];
    processes.push(process(1, vec![compute(100 * US), broadcast()]));
    processes.iter_mut().for_each(|process| process.repeat = Some(5));
    let run = Run::to_the_end(star(2), program(processes));
    assert_eq!(run.rows.len(), 5);
    assert!(run.rows.iter().all(|row| row.delivered < 50 * US));
    assert_eq!(finished(&run)[1], 500 * US);
}
