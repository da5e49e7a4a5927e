//! The `LogGOPS` machine against what the classic simulator of that model printed.
//!
//! `tests/traces/goal/classic.csv` has when ranks end, of 13 schedules with 5 sets of parameters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tailback_engine::spec::{self, Fidelity, Machine, Mode, Spec, TopologySpec};
use tailback_engine::workload::trace::Batch;
use tailback_engine::{Progress, Simulation};
use tailback_traces::{Options, open};

/// A schedule, and L, o, g, G, O (ns), S (bytes).
type Case<'a> = (&'a str, [u64; 6]);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces/goal")
}

/// When every rank of a schedule ends, in picoseconds.
fn ends(file: &str, law: spec::LogGops) -> Vec<u64> {
    let mut source = open(&folder().join(file), &Options::default()).unwrap();
    let nodes = (0..source.ranks()).collect();
    let machine = Machine::t9000(TopologySpec::Star { nodes: source.ranks() });
    let mut simulation = Simulation::new(&Spec {
        machine: Machine { loggops: Some(law), ..machine },
        workload: spec::Workload::Trace(spec::Trace { nodes, ..spec::Trace::default() }),
        faults: Vec::new(),
        mode: Mode::Full,
        fidelity: Fidelity::Packet,
        seed: 1,
        sample_interval_ps: 1_000_000_000,
        sparse_samples: false,
        record_packets: false,
        lateness: false,
        blame: None,
        causes: Some(spec::Causes { slack: true, timeline: None }),
    })
    .unwrap();
    // In pieces of a few events, which change nothing.
    loop {
        match simulation.advance(u64::MAX, 7).unwrap_or_else(|error| panic!("{file}: {error}")) {
            Progress::Wants => {
                for process in simulation.wanting().collect::<Vec<_>>() {
                    let mut batch = Batch::default();
                    let goes_on = source.next(process.0, &mut batch).unwrap();
                    simulation.feed(process, goes_on.then_some(&mut batch)).unwrap();
                }
            }
            Progress::Finished => return ended(file, &simulation),
            _ => {}
        }
    }
}

/// When ranks ended; all of it is put down to something, along the path and for every rank.
fn ended(file: &str, simulation: &Simulation) -> Vec<u64> {
    let ends = simulation.measures().completed.clone();
    let last = ends.iter().copied().max();
    let causes = simulation.measures().causes.as_ref().unwrap();
    assert_eq!(Some(causes.makespan()), last, "{file}");
    assert_eq!(Some(causes.path().iter().map(|step| step.time).sum()), last, "{file}");
    for parts in causes.parts(causes.makespan()) {
        assert_eq!(Some(parts.iter().sum()), last, "{file}");
    }
    ends
}

#[test]
fn ranks_end_when_the_classic_simulator_says() {
    let text = std::fs::read_to_string(folder().join("classic.csv")).unwrap();
    let mut cases: BTreeMap<Case, Vec<(usize, u64)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (file, numbers) = line.split_once(',').unwrap();
        let numbers: Vec<u64> = numbers.split(',').map(|text| text.parse().unwrap()).collect();
        let [parameters @ .., rank, end] = &numbers[..] else { panic!("{line}") };
        let key = (file, parameters.try_into().unwrap());
        cases.entry(key).or_default().push((*rank as usize, *end));
    }
    assert_eq!(cases.len(), 13 * 5);
    for ((file, parameters), expected) in cases {
        let [latency, overhead, gap, gap_per_byte, overhead_per_byte, eager] = parameters;
        let law = spec::LogGops {
            latency_ps: latency * 1000,
            overhead_ps: overhead * 1000,
            gap_ps: gap * 1000,
            gap_per_byte_fs: gap_per_byte * 1_000_000,
            overhead_per_byte_fs: overhead_per_byte * 1_000_000,
            eager_bytes: eager,
        };
        let ends = ends(file, law);
        for &(rank, end) in &expected {
            assert_eq!(ends[rank], end * 1000, "rank {rank} of {file}, {parameters:?}");
        }
        let last = expected.iter().map(|&(_, end)| end * 1000).max();
        assert_eq!(ends.iter().copied().max(), last, "{file}, {parameters:?}");
    }
}
