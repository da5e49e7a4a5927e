//! Several workloads side by side: what each does depends on itself, and what it suffers on who
//! is on its way.

mod cases;

use crate::common::{self, packet_waits, random};
use crate::common::{messages, program, spec, synthetic};
use tailback_engine::ids::{NodeId, ProcessId};
use tailback_engine::spec::*;
use tailback_engine::workload::{Filter, Instruction, Letter, Until, Wait};
use tailback_engine::{Class, Counters, PacketRow, Progress, Simulation};

const NS: u64 = 1_000;

/// A job whose random numbers are known by its name.
fn job(name: &str, nodes: &[u32], workload: Workload) -> Job {
    let stream = name.bytes().fold(0, |sum, byte| 31 * sum + u64::from(byte));
    Job {
        name: name.into(),
        nodes: nodes.into(),
        start_ps: 0,
        stream,
        traffic_class: 0,
        background: false,
        workload,
    }
}

fn jobs(jobs: &[Job]) -> Workload {
    Workload::Jobs(Jobs { jobs: jobs.into(), traffic_classes: 0 })
}

fn list(rows: &[(u64, u32, u32, u32)]) -> Workload {
    Workload::Messages(messages(rows))
}

fn mesh(dims: &[u32]) -> Machine {
    Machine::t9000(TopologySpec::Mesh { dims: dims.into() })
}

/// Sixteen nodes on one switch.
fn star() -> Machine {
    Machine::t9000(TopologySpec::Star { nodes: 16 })
}

fn finished(spec: &Spec) -> Simulation {
    random::finished(spec, u64::MAX)
}

/// Packets whose nodes are among these, without the numbers of their messages.
fn of_nodes(simulation: &mut Simulation, nodes: &[u32]) -> Vec<PacketRow> {
    let mut rows = simulation.take_packets();
    rows.retain(|row| nodes.contains(&row.source));
    rows.iter_mut().for_each(|row| row.message = 0);
    rows.sort_by_key(|row| (row.queued, row.source, row.destination, row.class, row.delivered));
    rows
}

/// When the last process of a job had done all.
fn completed(simulation: &Simulation, job: u32) -> u64 {
    let jobs = simulation.jobs().unwrap().iter();
    let times = &simulation.measures().completed;
    jobs.zip(times).filter(|&(&of, _)| of == job).map(|(_, &time)| time).max().unwrap()
}

fn refused(jobs_of: &[Job]) -> String {
    let spec = spec(mesh(&[4, 2]), jobs(jobs_of), Mode::Full);
    Simulation::new(&spec).err().unwrap().to_string()
}

/// 0→1→2→3 with links of width 1: both messages cross 1→2. The first holds it from 200 to
/// 3540 ns; the second asks for it at 1100 ns and waits 2440 ns. Alone it takes 3740 ns.
#[test]
fn on_a_shared_link_a_job_waits_for_the_other() {
    let mut machine = mesh(&[4]);
    machine.set_node_link(|class| class.width = Some(1));
    machine.interface.acknowledges = false;
    machine.switch.input_buffer_flits = Some(70);
    let first = job("first", &[0, 2], list(&[(0, 0, 1, 32)]));
    let second = job("second", &[1, 3], list(&[(1_000 * NS, 0, 1, 32)]));
    let mut both = spec(machine, jobs(&[first, second.clone()]), Mode::Full);
    both.blame = Some(packet_waits());
    let together = finished(&both);
    let blame = together.measures().blame.as_ref().unwrap();
    let pairs = blame.tables.settled().direct.pairs.sorted();
    let pairs: Vec<_> =
        pairs.iter().map(|(key, sum)| (key.victim, key.culprit, sum.total())).collect();
    assert_eq!(pairs, [(1, 0, 2_440 * NS)]);
    // The header crosses three links and the last; the data follow.
    assert_eq!(completed(&together, 0), (3 * 100 + 3340) * NS);
    let alone = finished(&Spec { workload: jobs(&[second]), ..both });
    assert_eq!(completed(&alone, 0), (1_000 + 3 * 100 + 3340) * NS);
    assert_eq!(completed(&together, 1) - completed(&alone, 0), 2_440 * NS);
    let counted: Vec<_> = together.counters_of_jobs().iter().map(Counters::named).collect();
    let of = |name: &str| -> Vec<u64> {
        let value = |job: &Vec<(String, u64)>| job.iter().find(|(n, _)| n == name).unwrap().1;
        counted.iter().map(value).collect()
    };
    assert_eq!(of("messages_delivered"), [1, 1]);
    assert_eq!(of("wait_throttling_data_ps"), [0, 2_440 * NS]);
    assert_eq!(of("message_latency_ps"), [3_640 * NS, 6_080 * NS]);
}

/// Dimension order within the halves of a mesh never leaves them.
#[test]
fn on_halves_of_their_own_jobs_do_not_meet() {
    let left: Vec<_> = (0..16).filter(|node| node % 4 < 2).collect();
    let right: Vec<_> = (0..16).filter(|node| node % 4 >= 2).collect();
    let mut busy = synthetic(0, 2_000 * NS, Sync::LooselySynchronous);
    busy.repeat = Some(50);
    let other = Synthetic { messages: 3, ..busy.clone() };
    let left_job = job("left", &left, Workload::Synthetic(busy));
    let right_job = job("right", &right, Workload::Synthetic(other));
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
        let mut both =
            spec(mesh(&[4, 4]), jobs(&[left_job.clone(), right_job.clone()]), Mode::Full);
        both.fidelity = fidelity;
        both.machine.link.flow_control = FlowControl::OutOfBand;
        both.blame = Some(packet_waits());
        let mut together = finished(&both);
        let blame = together.measures().blame.as_ref().unwrap();
        let pairs = blame.tables.settled().direct.pairs.sorted();
        assert!(!pairs.is_empty());
        assert!(pairs.iter().all(|(key, _)| key.victim == key.culprit), "{fidelity:?}");
        let rows = together.take_packets();
        for (number, (nodes, job)) in [(&left, &left_job), (&right, &right_job)].iter().enumerate()
        {
            let mut alone = finished(&Spec { workload: jobs(&[(*job).clone()]), ..both.clone() });
            assert_eq!(completed(&together, number as u32), completed(&alone, 0));
            let mut here: Vec<_> =
                rows.iter().filter(|row| nodes.contains(&row.source)).copied().collect();
            let mut there = alone.take_packets();
            for rows in [&mut here, &mut there] {
                rows.iter_mut().for_each(|row| row.message = 0);
                rows.sort_by_key(|row| {
                    (row.queued, row.source, row.destination, row.class, row.delivered)
                });
            }
            random::same_packets(&here, &there);
        }
    }
}

/// Jobs of all kinds on one machine.
fn mixed() -> Vec<Job> {
    let mut uniform = synthetic(0, 3_000 * NS, Sync::Asynchronous);
    uniform.compute.shape = Shape::Exponential;
    uniform.repeat = Some(40);
    let ring = common::bandwidth(100, true, 20);
    let sums = (0..5).map(|node| {
        let draw =
            Distribution { shape: Shape::Exponential, mean: 4_000 * NS, relative_sigma: 0.0 };
        let steps = vec![
            Step::Compute { duration: draw },
            Step::Collective(Collective::new(Operation::AllReduce, 300)),
        ];
        let (start_ps, start_window_ps) = (0, 1_000 * NS);
        ProcessProgram { node, start_ps, start_window_ps, repeat: Some(9), sockets: vec![], steps }
    });
    let mut late = job("late", &[15, 3, 9, 1], list(&[(0, 0, 1, 64), (0, 2, 3, 500)]));
    late.start_ps = 7_000 * NS;
    vec![
        job("uniform", &[0, 5, 10, 12], Workload::Synthetic(uniform)),
        job("both_ways", &[2, 8], program(ring)),
        late,
        job("sums", &[4, 7, 6, 11, 13], program(sums.collect())),
    ]
}

/// The order of jobs says how they are numbered, no more.
#[test]
fn the_order_of_jobs_changes_numbers_only() {
    let machine = star();
    let all = mixed();
    let in_order = |order: [usize; 4]| {
        let chosen: Vec<_> = order.iter().map(|&place| all[place].clone()).collect();
        finished(&spec(machine.clone(), jobs(&chosen), Mode::Full))
    };
    let mut usual = in_order([0, 1, 2, 3]);
    let everywhere: Vec<_> = (0..16).collect();
    let rows = of_nodes(&mut usual, &everywhere);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
        let mut other = in_order(order);
        for (place, &job) in order.iter().enumerate() {
            assert_eq!(completed(&other, place as u32), completed(&usual, job as u32));
            let (here, there) = (other.counters_of_jobs()[place], usual.counters_of_jobs()[job]);
            assert_eq!(here, there);
        }
        random::same_packets(&of_nodes(&mut other, &everywhere), &rows);
    }
}

/// Where nobody waits for anybody a job does the same alone as with others.
#[test]
fn without_contention_a_job_does_the_same_alone() {
    let machine = star();
    let all = mixed();
    let mut together = finished(&spec(machine.clone(), jobs(&all), Mode::Free));
    let rows = together.take_packets();
    let mut count = 0;
    for (number, job) in all.iter().enumerate() {
        let alone = spec(machine.clone(), jobs(std::slice::from_ref(job)), Mode::Free);
        let mut alone = finished(&alone);
        assert_eq!(together.counters_of_jobs()[number], alone.counters_of_jobs()[0]);
        let mut here: Vec<_> =
            rows.iter().filter(|row| job.nodes.contains(&row.source)).copied().collect();
        here.iter_mut().for_each(|row| row.message = 0);
        here.sort_by_key(|row| (row.queued, row.source, row.destination, row.class, row.delivered));
        count += here.len();
        random::same_packets(&of_nodes(&mut alone, &job.nodes), &here);
    }
    assert_eq!(count, rows.len());
}

/// The sums over jobs are those over the machine.
#[test]
fn counters_of_jobs_add_up() {
    let mut simulation = finished(&spec(mesh(&[4, 4]), jobs(&mixed()), Mode::Full));
    let by_job = simulation.counters_of_jobs();
    let all = simulation.counters();
    for (number, (name, total)) in all.named().into_iter().enumerate() {
        let sum: u64 = by_job.iter().map(|job| job.named()[number].1).sum();
        // What is counted of channels and processors is not counted by job.
        let elsewhere = ["busy", "held", "cpu", "packet_hops", "packets_queued"];
        if !elsewhere.iter().any(|start| name.starts_with(start)) {
            assert_eq!(sum, total, "{name}");
        }
    }
    assert_eq!(simulation.jobs_over(), [true; 4]);
    let samples = simulation.take_job_samples();
    assert_eq!(samples.len(), by_job.len() * simulation.take_samples().len());
    let delivered = simulation.take_packets().iter().filter(|row| row.class == Class::Data).count();
    assert_eq!(all.packets[0].delivered, delivered as u64);
}

/// What is wrong is told with the name of the job.
/// All kinds of jobs that end beside one that goes on for ever.
fn with_background(background: bool) -> Vec<Job> {
    let mut all = mixed();
    for job in &mut all {
        if let Workload::Synthetic(own) = &mut job.workload
            && job.name == "uniform"
        {
            own.repeat = None;
            job.background = background;
        }
    }
    all
}

#[test]
fn a_run_ends_when_all_but_those_in_the_background_have_ended() {
    for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal] {
        let made = |background| spec(star(), jobs(&with_background(background)), mode);
        let ended = finished(&made(true));
        let over = ended.jobs_over();
        assert_eq!(over.iter().filter(|over| !**over).count(), 1, "{mode:?}: {over:?}");
        // Up to then it is the run that goes on, however it is cut into calls.
        let mut other = Simulation::new(&made(false)).unwrap();
        assert_eq!(other.advance(ended.now(), u64::MAX), Ok(Progress::Time));
        assert_eq!(other.counters(), ended.counters(), "{mode:?}");
        assert_eq!(other.jobs_over(), over);
        let mut cut = Simulation::new(&made(true)).unwrap();
        while cut.advance(u64::MAX / 2, 7).unwrap() != Progress::Finished {}
        assert_eq!((cut.now(), cut.counters()), (ended.now(), ended.counters()));
        // Just before, one of the others had not ended.
        let mut before = Simulation::new(&made(false)).unwrap();
        before.advance(ended.now() - 1, u64::MAX).unwrap();
        assert!(before.jobs_over().iter().filter(|over| !**over).count() > 1);
    }
}

#[test]
fn what_jobs_cannot_be_is_refused() {
    let one = || list(&[(0, 0, 1, 1)]);
    let a = || job("a", &[0, 1], one());
    let mut uniform = synthetic(1, 1_000, Sync::Asynchronous);
    uniform.repeat = Some(1);
    let tornado = Synthetic { pattern: Pattern::Tornado, radius: 0, ..uniform.clone() };
    let cases: [(&[Job], &str); 9] = [
        (&[], "job = none: must be at least one"),
        (&[a(), a()], "job.a.name = a: is the name of another job, too"),
        (
            &[a(), job("b", &[2, 1], one())],
            "job.b.nodes = 1: must not be a node of job a, too: a node is in one job",
        ),
        (&[job("b", &[2, 2], one())], "job.b.nodes = 2: is given twice"),
        (&[job("b", &[2, 8], one())], "job.b.nodes = 8: must be nodes of the machine, 0 to 7"),
        (&[job("b", &[], one())], "job.b.nodes = none: must be at least one"),
        (
            &[job("b", &[3], one())],
            "job.b.workload.messages[0].destination = 1: must be a node, 0 to 0",
        ),
        (
            &[job("b", &[2, 3], Workload::Synthetic(uniform))],
            "job.b.workload.radius = 1: must be left out: the machine has no coordinates",
        ),
        (&[job("b", &[2, 3], jobs(&[a()]))], "job.b.workload.kind = jobs: must not be jobs again"),
    ];
    for (jobs, told) in cases {
        assert_eq!(refused(jobs), told);
    }
    let told = refused(&[job("b", &[2, 3], Workload::Synthetic(tornado.clone()))]);
    assert!(told.starts_with("job.b.workload.pattern = tornado: needs a machine"), "{told}");
    // A job that has all nodes, in order, sees the machine itself.
    let everywhere: Vec<_> = (0..8).collect();
    let whole = jobs(&[job("b", &everywhere, Workload::Synthetic(tornado))]);
    Simulation::new(&spec(mesh(&[4, 2]), whole, Mode::Full)).unwrap();
}

/// Processes from outside: node 1 of each job receives what node 0 sends, and is told so.
#[test]
fn processes_from_outside_have_the_numbers_of_their_job() {
    let external = || Workload::External(External::default());
    let all = [job("a", &[5, 2], external()), job("b", &[0, 7, 3], external())];
    let mut simulation = Simulation::new(&spec(mesh(&[4, 2]), jobs(&all), Mode::Full)).unwrap();
    let letter = Letter { tag: 9, bytes: 40 };
    let first = [0, 2];
    let (mut heard, mut rounds) = (Vec::new(), [0; 5]);
    loop {
        match simulation.advance(u64::MAX, u64::MAX).unwrap() {
            Progress::Finished => break,
            Progress::Asks => {}
            other => panic!("{other:?}"),
        }
        let asking: Vec<_> = simulation.asking().collect();
        for ask in asking {
            let process = ask.process.index();
            let here = process - first[usize::from(process > 1)];
            let until = Until::Complete;
            let filter = Filter { source: Some(NodeId(0)), tag: None, has_buffer: true };
            let given = match (here, rounds[process]) {
                (0, 0) if process == 0 => vec![Instruction::Send(letter, NodeId(1))],
                (0, 0) => vec![Instruction::Broadcast(letter)],
                (_, 0) => {
                    let wait = Wait { operation: 0, until };
                    vec![Instruction::Receive(filter), Instruction::Wait(wait)]
                }
                _ => vec![Instruction::End],
            };
            if let Some(message) = ask.told.and_then(|told| told.message) {
                heard.push((process, message.source.0, message.bytes));
            }
            rounds[process] += 1;
            for instruction in given {
                simulation.instruct(ask.process, instruction).unwrap();
            }
        }
    }
    heard.sort_unstable();
    assert_eq!(heard, [(1, 0, 40), (3, 0, 40), (4, 0, 40)]);
    assert_eq!(
        simulation.counters_of_jobs().iter().map(|job| job.messages_delivered).sum::<u64>(),
        3
    );
    assert_eq!(simulation.neighbours(ProcessId(3)), [NodeId(0), NodeId(2)]);
    assert_eq!(simulation.buffers().len(), 8);
}
