//! What must add up, under random machines and workloads.

use super::{causes, part, with_causes};
use crate::common::packet_waits;
use crate::common::random::{Dice, check, random_cases};
use crate::cycles::cases as small;
use crate::reference::cases::{self, Kind};
use crate::reference::networks;
use std::cell::Cell;
use tailback_engine::error::RunError;
use tailback_engine::measure::causes::Part;
use tailback_engine::spec::{Causes, Fidelity, Mode, Spec, Sync, Workload};
use tailback_engine::{Progress, Simulation};

/// A random small case of a workload, which may go on for ever.
fn case(number: u64) -> Spec {
    let mut dice = Dice::new(number);
    let kinds = [
        Kind::Messages,
        Kind::Synthetic(Sync::LooselySynchronous),
        Kind::Synthetic(Sync::AsynchronousBlocking),
        Kind::Synthetic(Sync::Asynchronous),
        Kind::Exchange,
        Kind::AnyProgram,
        Kind::AnyProgram,
    ];
    let kind = kinds[number as usize % kinds.len()];
    let mut spec = cases::spec(&mut dice, kind);
    match &mut spec.workload {
        Workload::Synthetic(synthetic) => synthetic.repeat = Some(dice.number(1, 6) as u32),
        Workload::Program(program) => {
            let repeat = dice.number(1, 4);
            program.processes.iter_mut().for_each(|p| p.repeat = Some(repeat));
        }
        _ => {}
    }
    if dice.chance(40) {
        cases::open_windows(&mut dice, &mut spec.machine);
    }
    if dice.chance(40) {
        cases::pay(&mut dice, &mut spec.machine);
    }
    if dice.chance(30) {
        networks::receive(&mut dice, &mut spec.machine);
    }
    spec
}

/// The same in the fidelities of flits.
fn flits(number: u64) -> Spec {
    let mut dice = Dice::new(number);
    let mut spec = small::spec(&mut dice);
    spec.fidelity = dice.one_of(&[Fidelity::Flit, Fidelity::Worm]);
    if spec.fidelity == Fidelity::Worm {
        spec.machine.link.packet_gap_ps = 0;
    }
    let modes = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
    spec.mode = dice.one_of(&modes);
    if dice.chance(50) {
        cases::open_windows(&mut dice, &mut spec.machine);
    }
    spec
}

fn each_case(all: u64, holds: impl Fn(&Spec)) {
    for number in 0..random_cases(all) {
        check(number, &case(number), &holds);
        check(number, &flits(number), &holds);
    }
}

/// Whether it ended; else its processes wait for ever.
fn ends(simulation: &mut Simulation) -> bool {
    match simulation.advance(u64::MAX, u64::MAX) {
        Ok(Progress::Finished) => true,
        Err(RunError::Deadlock { .. }) => false,
        other => panic!("{other:?}"),
    }
}

/// The path is as long as the run, piece by piece, and every process has spent all of its time.
#[test]
fn paths_and_times_of_processes_add_up() {
    each_case(1_000, |spec| {
        let mut simulation = with_causes(spec);
        let is_over = ends(&mut simulation);
        let causes = causes(&simulation);
        let completed = &simulation.measures().completed;
        let makespan = completed.iter().copied().max().unwrap();
        assert_eq!(causes.makespan(), makespan);
        let path = causes.path();
        let mut at = 0;
        for step in &path {
            assert!(step.begin <= at, "segments follow each other: {step:?}");
            at += step.time;
        }
        assert_eq!(at, makespan, "the path is as long as the run");
        assert_eq!(part(&path, Part::Other), 0);
        assert!(
            matches!(spec.mode, Mode::Full | Mode::Endpoints | Mode::Throttled)
                || Part::ALL.iter().all(|&(of, _)| !of.is_contention() || part(&path, of) == 0)
        );
        for parts in causes.parts(makespan) {
            assert_eq!(parts.iter().sum::<u64>(), makespan, "{parts:?}");
        }
        if is_over {
            let slack = causes.slack().unwrap();
            assert!(slack.iter().all(|slack| slack.least <= slack.of_end));
            assert!(slack.iter().any(|slack| slack.of_end == 0), "one ended last");
        }
    });
}

/// Nothing that is simulated or charged depends on whether it is kept why anybody went on.
#[test]
fn causes_change_nothing() {
    each_case(200, |spec| {
        let spec = Spec { blame: Some(packet_waits()), ..spec.clone() };
        let mut without = Simulation::new(&spec).unwrap();
        let mut with = with_causes(&spec);
        assert_eq!(ends(&mut without), ends(&mut with));
        assert_eq!(without.take_packets(), with.take_packets());
        assert_eq!(without.counters(), with.counters());
        let tables = |simulation: &Simulation| {
            let tables = simulation.measures().blame.as_ref().unwrap().tables.settled();
            [tables.direct.pairs.sorted(), tables.direct.channels.sorted()]
        };
        assert_eq!(tables(&without), tables(&with));
    });
}

/// What packets held of every channel is what that was busy and kept, and what they waited is what is
/// charged.
#[test]
fn turns_and_waits_of_channels_add_up() {
    each_case(400, |spec| {
        let spec = Spec { mode: Mode::Full, ..spec.clone() };
        let mut simulation = with_causes(&spec);
        if !ends(&mut simulation) {
            return;
        }
        let measures = simulation.measures();
        let (blame, labels) = (measures.blame.as_ref().unwrap(), measures.labels.as_ref().unwrap());
        let turns = blame.turns(labels, simulation.now()).unwrap();
        let used = simulation.channels_used();
        let mut busy = vec![0; used.len()];
        for hold in &turns.holds {
            assert!(hold.granted <= hold.start && hold.start + hold.busy <= hold.end, "{hold:?}");
            busy[hold.channel.index()] += hold.busy;
        }
        assert_eq!(busy, used.iter().map(|used| used.busy_ps).collect::<Vec<_>>());
        let mut by_channel = vec![0; used.len()];
        for wait in turns.waits {
            by_channel[wait.timed.charge.channel.index()] += wait.timed.charge.time;
        }
        let mut charged = vec![0; used.len()];
        for (key, sum) in blame.tables.settled().direct.channels.sorted() {
            charged[key.channel as usize] += sum.total();
        }
        assert_eq!(by_channel, charged);
    });
}

/// What is forgotten is nothing that the path needs, and little is kept.
#[test]
fn what_is_forgotten_is_not_critical() {
    each_case(200, |spec| {
        let mut all = with_causes(spec);
        let mut few =
            Simulation::new(&Spec { causes: Some(Causes::default()), ..spec.clone() }).unwrap();
        ends(&mut all);
        if ends(&mut few) {
            assert_eq!(causes(&few).path(), causes(&all).path());
            let segments = causes(&few).path().last().map_or(0, |step| step.segment as usize + 1);
            let leaves = few.placement().len();
            assert!(causes(&few).kept() <= (segments + leaves) * (leaves + 1));
        }
    });
}

/// What a message of one packet did not wait for is what it takes in mode free. Of flits it is not always told
/// for whom they wait: then something of that is left, but in nine of ten cases nothing.
#[test]
fn what_is_left_of_a_message_is_its_time_without_contention() {
    let (all, equal) = (Cell::new(0), Cell::new(0));
    for number in 0..random_cases(300) {
        let mut spec = small::spec(&mut Dice::new(number));
        spec.fidelity = [Fidelity::Flit, Fidelity::Worm][number as usize % 2];
        if spec.fidelity == Fidelity::Worm {
            spec.machine.link.packet_gap_ps = 0;
        }
        check(number, &spec, |spec| {
            let took = |mode| {
                let mut simulation = with_causes(&Spec { mode, ..spec.clone() });
                ends(&mut simulation).then_some(simulation)
            };
            let (Some(full), Some(free)) = (took(Mode::Full), took(Mode::Free)) else { return };
            let path = causes(&full).path();
            let Some(number) = path.last().and_then(|step| step.message) else { return };
            let rows = causes(&free).rows.as_ref().unwrap();
            let alone = &rows.transfers[number as usize];
            let (own, alone) = (part(&path, Part::Own), alone.received - alone.sent);
            assert!(own >= alone, "{own} {alone}");
            all.set(all.get() + 1);
            equal.set(equal.get() + usize::from(own == alone));
        });
    }
    assert!(10 * equal.get() >= 9 * all.get(), "{} of {}", equal.get(), all.get());
}
