//! What ends of traces wait for: operations side by side.

use super::cases::{random_ranks, random_trace};
use super::programs::*;
use super::*;
use crate::common::random::{in_proportion, random_cases};
use tailback_engine::measure::causes::{Kind, Part};
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::workload::trace::What;

fn with_causes(spec: &Spec) -> Spec {
    let timeline = Some(Timeline { window_ps: None, processes: None, turns: Some(u32::MAX) });
    Spec { causes: Some(Causes { slack: true, timeline }), ..spec.clone() }
}

/// A random program of few ranks in one of two modes: the experiment, and what its ranks do.
fn drawn((seed, case): (u64, u32), modes: [Mode; 2]) -> (Spec, Vec<Rank>) {
    let mut draw = Stream::new(seed, Purpose::Start, case);
    let count = 2 + draw.below(4);
    let ranks = random_ranks(&mut draw, count);
    let trace = random_trace(&mut draw, count);
    let mode = modes[draw.below(2) as usize];
    (spec(machine(4), trace, mode, Fidelity::Packet), ranks)
}

/// A rank computes while a message comes for which it has posted a receive: its own computing is
/// what the end waits for, and not the message.
#[test]
fn what_comes_while_a_rank_computes_is_not_critical() {
    let ranks = [
        Rank::default().then(receive(1, 0), &[]).then(compute(1000), &[]).then(What::Join, &[1, 2]),
        Rank::in_order(&[compute(20), send(0, 100, 0)]),
    ];
    let spec = with_causes(&spec(machine(2), one_on_each(2), Mode::Full, Fidelity::Packet));
    let simulation = run(&spec, &ranks).unwrap();
    let causes = simulation.measures().causes.as_ref().unwrap();
    let told: Vec<_> = causes
        .path()
        .iter()
        .map(|step| (step.kind, step.part, step.process.0, step.time))
        .collect();
    assert_eq!(told, [(Kind::Computed, Part::Computing, 0, 1000 * NS)]);
    let parts = causes.parts(causes.makespan());
    assert_eq!(parts[0][Part::Computing as usize], 1000 * NS);
    assert_eq!(causes.slack().unwrap()[1].least, (1000 - 20) * NS - alone(1, 0, 100));
}

/// Large messages: the sender comes first, then the receiver, whose lateness is critical.
#[test]
fn a_rendezvous_waits_for_its_receiver() {
    let ranks = [
        Rank::in_order(&[compute(10), send(1, 500, 0)]),
        Rank::in_order(&[compute(2000), receive(0, 0), compute(5)]),
    ];
    let trace = Trace { eager_bytes: Some(100), control_bytes: 8, ..one_on_each(2) };
    let spec = with_causes(&spec(machine(2), trace, Mode::Full, Fidelity::Packet));
    let simulation = run(&spec, &ranks).unwrap();
    let causes = simulation.measures().causes.as_ref().unwrap();
    let told: Vec<_> =
        causes.path().iter().map(|step| (step.part, step.process.0, step.time)).collect();
    let expected = [
        (Part::Computing, 1, 2000 * NS),
        (Part::Own, 0, alone(1, 0, 8)),
        (Part::Own, 1, alone(0, 1, 500)),
        (Part::Computing, 1, 5 * NS),
    ];
    assert_eq!(told, expected);
}

#[test]
fn paths_and_times_of_random_programs_add_up() {
    for case in 0..random_cases(1_000) as u32 {
        let (plain, ranks) = drawn((7, case), [Mode::Full, Mode::Free]);
        let Ok(simulation) = run(&with_causes(&plain), &ranks) else { continue };
        let causes = simulation.measures().causes.as_ref().unwrap();
        let makespan = *simulation.measures().completed.iter().max().unwrap();
        assert_eq!(causes.makespan(), makespan, "case {case}");
        let path = causes.path();
        assert_eq!(path.iter().map(|step| step.time).sum::<u64>(), makespan, "case {case}");
        assert!(path.iter().all(|step| step.part != Part::Other), "case {case}: {path:?}");
        for parts in causes.parts(makespan) {
            assert_eq!(parts.iter().sum::<u64>(), makespan, "case {case}");
        }
        assert_eq!(
            simulation.measures().completed,
            run(&plain, &ranks).unwrap().measures().completed
        );
    }
}

/// A message is followed when somebody stands on it, and the last of all at the end: that changes nothing, nor does
/// whether all are followed as they come (for slack), or the charges of all added up.
#[test]
fn paths_of_random_programs_do_not_depend_on_what_else_is_asked() {
    let mut messages = 0;
    for case in 0..random_cases(500) as u32 {
        let (plain, ranks) = drawn((8, case), [Mode::Full, Mode::Endpoints]);
        let causes = |slack| Some(Causes { slack, timeline: None });
        let asked = Spec { causes: causes(false), ..plain.clone() };
        let Ok(simulation) = run(&asked, &ranks) else { continue };
        let own = simulation.measures().causes.as_ref().unwrap();
        let (path, parts) = (own.path(), own.parts(own.makespan()));
        for more in [Spec { causes: causes(true), ..plain }, Spec { lateness: true, ..asked }] {
            let others = run(&more, &ranks).unwrap();
            let causes = others.measures().causes.as_ref().unwrap();
            assert_eq!(causes.path(), path, "case {case}");
            assert_eq!(causes.parts(causes.makespan()), parts, "case {case}");
            messages += others.measures().late.as_ref().unwrap().tables.latency.moments.count;
        }
        let late = simulation.measures().late.as_ref().unwrap();
        assert_eq!(late.tables.latency.moments.count, 0, "case {case}: nobody asked for these");
    }
    assert!(messages > in_proportion(1_000));
}
