//! Traffic patterns and injection processes at work: who gets how many messages, when.

use crate::common::{self, MICROSECOND, Run, spec};
use tailback_engine::spec::*;
use tailback_engine::{Class, Simulation};

const SYNCS: [Sync; 3] = [Sync::LooselySynchronous, Sync::AsynchronousBlocking, Sync::Asynchronous];
const MODES: [Mode; 5] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];

fn mesh(dims: &[u32]) -> Machine {
    Machine::t9000(TopologySpec::Mesh { dims: dims.to_vec() })
}

fn workload(pattern: Pattern, sync: Sync) -> Synthetic {
    Synthetic { pattern, ..common::synthetic(0, 10 * MICROSECOND, sync) }
}

fn refusal(machine: Machine, synthetic: Synthetic) -> String {
    let spec = spec(machine, Workload::Synthetic(synthetic), Mode::Full);
    Simulation::new(&spec).err().expect("it is refused").to_string()
}

/// On a 4 × 4 mesh with two processes per node, in every mode.
#[test]
fn messages_go_where_the_pattern_says() {
    let table = |to: fn(u32) -> u32| (0..16).map(to).collect::<Vec<_>>();
    let written = table(|node| (node * 7 + 3) % 16);
    let patterns = [
        (Pattern::Transpose, table(|node| node / 4 + node % 4 * 4)),
        (Pattern::Neighbour, table(|node| (node % 4 + 1) % 4 + (node / 4 + 1) % 4 * 4)),
        (Pattern::BitComplement, table(|node| 15 - node)),
        (Pattern::Permutation { to: written.clone() }, written),
    ];
    for (pattern, to) in patterns {
        for (sync, mode) in SYNCS.into_iter().flat_map(|sync| MODES.map(|mode| (sync, mode))) {
            let mut synthetic = workload(pattern.clone(), sync);
            synthetic.processes_per_node = 2;
            synthetic.messages = 3;
            let mut run = Run::new(mesh(&[4, 4]), Workload::Synthetic(synthetic), mode);
            run.advance(400 * MICROSECOND);
            let tallies = run.simulation.node_tallies();
            for (node, tally) in tallies.iter().enumerate() {
                // An iteration takes at least the computing of both processes.
                let expected = if to[node] == node as u32 { 0..=0 } else { 12..=120 };
                let sent = tally.messages_sent;
                assert!(expected.contains(&sent), "{pattern:?} {sync:?} {mode:?}: {sent}");
            }
            let mut rows = run.simulation.take_packets();
            rows.retain(|row| row.class == Class::Data);
            assert_eq!(rows.is_empty(), mode == Mode::Ideal);
            assert!(rows.iter().all(|row| row.destination == to[row.source as usize]));
        }
    }
}

/// A node on the diagonal computes all the time, two processes in turn; what nobody sends
/// to it, it does not wait for.
#[test]
fn who_is_its_own_destination_iterates_and_sends_nothing() {
    for sync in SYNCS {
        let mut synthetic = workload(Pattern::Transpose, sync);
        synthetic.processes_per_node = 2;
        synthetic.start = Start::Together;
        let mut run = Run::new(mesh(&[3, 3]), Workload::Synthetic(synthetic), Mode::Full);
        run.advance(1_000 * MICROSECOND);
        let done = run.simulation.nodes_done();
        let tallies = run.simulation.node_tallies();
        for node in 0..9 {
            let sent = tallies[node].messages_sent;
            if node % 4 == 0 {
                assert_eq!((done[node].iterations, sent), (100, 0), "{sync:?}");
            } else {
                assert!(sent.abs_diff(done[node].iterations) <= 2 && sent > 80, "{sync:?} {sent}");
            }
        }
    }
}

/// Neighbours in pairs wait for each other, and for nobody else: one that computes a
/// hundred times as often is not held up, and nothing is kept of what it did.
#[test]
fn pairs_fall_any_number_of_iterations_apart() {
    let to = vec![1, 0, 15, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 2];
    let mut synthetic = workload(Pattern::Permutation { to }, Sync::LooselySynchronous);
    synthetic.compute = Distribution::constant(MICROSECOND / 100);
    synthetic.start = Start::Together;
    let mut run = Run::new(mesh(&[4, 4]), Workload::Synthetic(synthetic), Mode::Full);
    run.advance(1_000 * MICROSECOND);
    let iterations = |node: usize| run.simulation.nodes_done()[node].iterations;
    assert_eq!(iterations(5), 100_000);
    // A round trip of a packet takes more than 3.48 us.
    assert!((100..290).contains(&iterations(0)) && iterations(2) < iterations(0));
    assert!(iterations(0).abs_diff(iterations(1)) <= 1);
    assert!(iterations(2).abs_diff(iterations(15)) <= 1);
}

/// A fifth of the messages of the others, and what comes by chance.
#[test]
fn hot_spots_get_their_share() {
    let pattern = Pattern::HotSpot { nodes: vec![5, 10], share: 0.2 };
    for sync in SYNCS {
        let mut run = Run::new(
            mesh(&[4, 4]),
            Workload::Synthetic(workload(pattern.clone(), sync)),
            Mode::Free,
        );
        run.advance(20_000 * MICROSECOND);
        let mut rows = run.simulation.take_packets();
        rows.retain(|row| row.class == Class::Data);
        assert!(rows.iter().all(|row| row.source != row.destination));
        let to = |node| rows.iter().filter(|row| row.destination == node).count() as f64;
        // 14 nodes send each hot spot 0.1, the other hot spot 0.2; and 15 send 0.8 / 15.
        let expected = (14.0 * 0.1 + 0.2 + 0.8) / 16.0;
        for node in [5, 10] {
            let share = to(node) / rows.len() as f64;
            assert!((share - expected).abs() < 0.01, "{sync:?}: {share}, {expected}");
        }
        let rest = to(0) / rows.len() as f64;
        assert!((rest - 0.05).abs() < 0.006, "{sync:?}: {rest}");
    }
}

/// Messages are sent at the ends of slots, one in four on average, by each process on its own.
#[test]
fn slots_of_all_processes_are_the_same_if_they_start_together() {
    let slot = 2 * MICROSECOND;
    let mut synthetic = workload(Pattern::Uniform, Sync::Asynchronous);
    synthetic.radius = 3;
    synthetic.start = Start::Together;
    synthetic.throttle = Throttle::Outstanding { limit: 1_000_000 };
    synthetic.compute =
        Distribution { shape: Shape::Geometric { slot }, mean: 4 * slot, relative_sigma: 0.0 };
    let mut run = Run::new(mesh(&[4, 4]), Workload::Synthetic(synthetic), Mode::Free);
    run.advance(4_000 * slot);
    let mut rows = run.simulation.take_packets();
    rows.retain(|row| row.class == Class::Data);
    assert!(rows.iter().all(|row| row.queued % slot == 0));
    // 16 · 4000 trials with probability 1/4; five standard deviations are 550.
    assert!((rows.len() as f64 - 16_000.0).abs() < 550.0, "{}", rows.len());
}

/// Mean time that data packets wait before their first channel.
fn mean_wait(run: &mut Run) -> f64 {
    let mut rows = run.simulation.take_packets();
    rows.retain(|row| row.class == Class::Data);
    let waits: u64 = rows.iter().map(|row| row.first_sent - row.queued).sum();
    waits as f64 / rows.len() as f64
}

/// Two nodes, one link each way, no acknowledgements; packets of 3340 ns.
fn queue(compute: Distribution) -> Run {
    let mut machine = Machine::t9000(TopologySpec::Pair);
    machine.interface.acknowledges = false;
    let mut synthetic = workload(Pattern::Uniform, Sync::Asynchronous);
    synthetic.compute = compute;
    synthetic.start = Start::Together;
    synthetic.throttle = Throttle::Outstanding { limit: 1_000_000 };
    let spec = spec(machine, Workload::Synthetic(synthetic), Mode::Full);
    // Nobody looks at samples: two million of them take longer than the packets.
    let mut run = Run::with(&Spec { sample_interval_ps: 1_000 * MICROSECOND, ..spec });
    run.advance(2_000_000 * MICROSECOND);
    run
}

const SERVICE_PS: f64 = 3_340_000.0;

/// Geo/D/1: with probability p a packet in a slot, d slots of service, the mean wait is
/// p d (d - 1) / 2 (1 - p d) slots.
#[test]
fn a_bernoulli_process_waits_as_its_queue_does() {
    let slot = 334_000;
    for (p, d) in [(0.05, 10.0), (0.08, 10.0)] {
        let mean = (slot as f64 / p) as u64;
        let shape = Shape::Geometric { slot };
        let mut run = queue(Distribution { shape, mean, relative_sigma: 0.0 });
        let expected = p * d * (d - 1.0) / (2.0 * (1.0 - p * d)) * slot as f64;
        let found = mean_wait(&mut run);
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, {expected}");
    }
}

/// Bursts all at once are batches of a geometric number X of packets, mean B, that come in
/// a Poisson process. M^X/D/1: who arrives waits for those before it of its batch,
/// E(X (X - 1)) / 2 E(X) = B - 1, and for earlier batches,
/// rate E[X²] / 2 (1 - ρ) = ρ (2 B - 1) / 2 (1 - ρ), each times the service.
#[test]
fn bursts_wait_as_batches_do() {
    for (burst, load) in [(1.0, 0.5), (4.0, 0.5), (2.5, 0.7)] {
        let mean = (SERVICE_PS / load) as u64;
        let shape = Shape::OnOff { burst, peak: 1e6 };
        let mut run = queue(Distribution { shape, mean, relative_sigma: 0.0 });
        let expected = load * (2.0 * burst - 1.0) / (2.0 * (1.0 - load)) + burst - 1.0;
        let found = mean_wait(&mut run) / SERVICE_PS;
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, {expected}");
    }
}

#[test]
fn machines_without_coordinates_have_uniform_traffic() {
    for (topology, nodes) in [(TopologySpec::Star { nodes: 5 }, 5), (TopologySpec::Pair, 2)] {
        for sync in SYNCS {
            let machine = Machine::t9000(topology.clone());
            let synthetic = Workload::Synthetic(workload(Pattern::Uniform, sync));
            let mut run = Run::new(machine, synthetic, Mode::Full);
            run.advance(3_000 * MICROSECOND);
            let mut rows = run.simulation.take_packets();
            rows.retain(|row| row.class == Class::Data);
            for from in 0..nodes {
                for to in (0..nodes).filter(|&to| to != from) {
                    let count =
                        rows.iter().filter(|r| (r.source, r.destination) == (from, to)).count();
                    assert!(count * nodes as usize > 150, "{from} to {to}: {count}");
                }
            }
        }
    }
}

#[test]
fn descriptions_without_a_pattern_are_uniform() {
    let mut json = serde_json::to_value(workload(Pattern::Uniform, Sync::Asynchronous)).unwrap();
    let known = serde_json::from_value::<Synthetic>(json.clone()).unwrap();
    let fields = json.as_object_mut().unwrap();
    assert!(fields.remove("pattern").is_some());
    assert_eq!(serde_json::from_value::<Synthetic>(json).unwrap(), known);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mut synthetic = workload(Pattern::Transpose, Sync::LooselySynchronous);
    synthetic.radius = 2;
    assert_eq!(
        refusal(mesh(&[4, 4]), synthetic.clone()),
        "workload.radius = 2: must be left out: it limits the pattern \"uniform\" only"
    );
    synthetic.radius = 0;
    synthetic.compute = Distribution::constant(0);
    assert_eq!(
        refusal(mesh(&[4, 4]), synthetic.clone()),
        "workload.compute.mean = 0: must be above zero: nothing else takes time where nothing \
         is sent"
    );
    synthetic.pattern = Pattern::BitComplement;
    let all_send = spec(mesh(&[4, 4]), Workload::Synthetic(synthetic), Mode::Full);
    assert!(Simulation::new(&all_send).is_ok());
}
