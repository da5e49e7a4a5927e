//! `worm` against `flit` where there is no simpler simulator: the T9000 protocol with and
//! without acknowledgements, programs, and the synthetic workload in all its kinds.

use super::cases as small;
use crate::common::parts::{rate, set_node_rate, set_rates};
use crate::common::random::{Dice, check, random_cases, same_packets};
use crate::reference::cases::{self as any, Kind};
use crate::reference::networks;
use tailback_engine::error::RunError;
use tailback_engine::spec::{
    Fidelity, FlowControl, Machine, Mode, Sharing, Spec, Sync, TopologySpec, Workload,
};
use tailback_engine::time::Time;
use tailback_engine::{Counters, Progress, Simulation};

/// A random case of a kind, with links, rates and buffers as only flits can have them.
fn case(dice: &mut Dice, kind: Kind) -> Spec {
    let mut spec = any::spec(dice, kind);
    spec.mode = Mode::Full;
    spec.fidelity = Fidelity::Flit;
    spec.sample_interval_ps = dice.one_of(&[100_000, 1_234_567]);
    let machine = &mut spec.machine;
    let token = machine.link.flit_ps;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.link.end_token = dice.chance(80);
    machine.link.credit_delay_ps = dice.one_of(&[0, 0, 1, token / 3, token, 5 * token]);
    machine.interface.acknowledges = dice.chance(75);
    let header = u64::from(machine.interface.header_bytes);
    let packet = u64::from(machine.switch.input_buffer());
    let buffers = [header, header + 1, header + 7, 8 * header, packet / 3 + header, packet];
    machine.switch.input_buffer_flits = Some(dice.one_of(&buffers) as u32);
    if dice.chance(30) {
        unequal_rates(dice, machine);
    }
    share(dice, machine);
    if dice.chance(40) {
        any::open_windows(dice, machine);
    }
    spec
}

/// Now and then virtual channels and choices as `worm` has them.
fn share(dice: &mut Dice, machine: &mut Machine) {
    networks::share(dice, machine);
    machine.link.sharing = Sharing::Separate;
    if dice.chance(40) {
        networks::choose(dice, machine, false);
    }
}

fn unequal_rates(dice: &mut Dice, machine: &mut Machine) {
    let (flit, control) = (machine.link.flit_ps, machine.link.control_ps);
    let scaled = |scale: fn(Time) -> Time| rate(scale(flit), scale(control));
    let rates = [|t| t, |t| 2 * t, |t| t / 2 + 1, |t| 4 * t, |t| t + 1].map(scaled);
    let dimensions = match &machine.topology {
        TopologySpec::Mesh { dims } => dims.len() as u32,
        TopologySpec::Hypercube { dimensions } => *dimensions,
        _ => 0,
    };
    if dice.chance(60) {
        set_node_rate(machine, dice.one_of(&rates));
    }
    let by_dimension: Vec<_> = (0..dimensions).map(|_| dice.one_of(&rates)).collect();
    set_rates(machine, by_dimension);
}

/// How the last of several calls of [`Simulation::advance`] ended.
fn advance(simulation: &mut Simulation, until: Time, piece: u64) -> Result<Progress, RunError> {
    loop {
        match simulation.advance(until, piece) {
            Ok(Progress::Events) => {}
            end => return end,
        }
    }
}

/// What both fidelities know at any instant: all counters but the time that channels have
/// been kept, which is counted when it ends.
fn known(counters: &Counters) -> Vec<(String, u64)> {
    let mut named = counters.named();
    named.retain(|(name, _)| name != "held_internal_ps");
    named
}

/// Compares what both know at any instant; how many packets were delivered.
fn compare(flit: &mut Simulation, worm: &mut Simulation) -> u64 {
    let (rows, other_rows) = (flit.take_packets(), worm.take_packets());
    same_packets(&rows, &other_rows);
    assert_eq!(known(&flit.counters()), known(&worm.counters()), "flit, worm");
    let samples = flit.take_samples().into_iter().zip(worm.take_samples());
    for (sample, other) in samples {
        assert_eq!(sample.time, other.time);
        assert_eq!(known(&sample.counters), known(&other.counters), "flit, worm");
    }
    assert_eq!(flit.channels_used(), worm.channels_used(), "flit, worm");
    assert_eq!(flit.node_tallies(), worm.node_tallies(), "flit, worm");
    assert_eq!(flit.processes_done(), worm.processes_done(), "flit, worm");
    let begins = |one: &Simulation| one.measures().message_begins.as_ref().map(|b| b.moments);
    assert_eq!(begins(flit), begins(worm), "messages begin: flit, worm");
    rows.len() as u64
}

/// Compares what both know at the end; the tallies of channels only if they count from the
/// beginning, because a wait may be counted in the window before the one it ends in.
fn compare_end(flit: &Simulation, worm: &Simulation, from_the_beginning: bool) {
    assert_eq!(flit.counters(), worm.counters(), "flit, worm");
    let (tallies, others) = (&flit.measures().channels, &worm.measures().channels);
    for (number, pair) in tallies.iter().zip(others).enumerate() {
        if from_the_beginning {
            assert_eq!(pair.0, pair.1, "channel {number}: flit, worm");
        }
    }
}

/// Runs a case to some instants and compares; how many packets were delivered.
fn run(spec: &Spec, dice: &mut Dice) -> u64 {
    let mut flit = Simulation::new(spec).unwrap_or_else(|e| panic!("{e}"));
    let mut worm = Simulation::new(&Spec { fidelity: Fidelity::Worm, ..spec.clone() }).unwrap();
    let packet = any::packet_time(&spec.machine) + 1_000;
    let piece = dice.one_of(&[1, 7, u64::MAX]);
    let (mut packets, mut until) = (0, 0);
    let windows = dice.chance(40);
    let has_end = matches!(spec.workload, Workload::Messages(_));
    for cut in 0..3 {
        until += dice.number(1, 10 * packet) + dice.number(0, 10);
        if cut == 2 && has_end {
            until = Time::MAX / 2;
        }
        let ends = [&mut flit, &mut worm].map(|simulation| advance(simulation, until, piece));
        assert_eq!(ends[0], ends[1], "flit, worm");
        let is_end = ends[0] != Ok(Progress::Time);
        packets += compare(&mut flit, &mut worm);
        if is_end {
            compare_end(&flit, &worm, !windows || cut == 0);
            break;
        }
        if windows {
            flit.begin_window();
            worm.begin_window();
        }
    }
    packets
}

fn compare_all(numbers: std::ops::Range<u64>, case: impl Fn(&mut Dice) -> Spec) {
    let mut packets = 0;
    for number in numbers.clone() {
        let mut dice = Dice::new(number);
        let spec = case(&mut dice);
        packets += check(number, &spec, |spec| run(spec, &mut dice.clone()));
    }
    let few = 5 * (numbers.end - numbers.start);
    assert!(packets > few, "the cases deliver next to nothing: {packets}");
}

fn compare_kind(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(900), |dice| case(dice, kind));
    let first = 2_000_000 + first;
    compare_all(first..first + random_cases(300), |dice| integrated(dice, kind));
}

/// The same where nodes and switches are one.
fn integrated(dice: &mut Dice, kind: Kind) -> Spec {
    let mut spec = case(dice, kind);
    while spec.machine.topology == TopologySpec::Pair {
        spec = case(dice, kind);
    }
    small::integrate(dice, &mut spec.machine);
    spec.machine.link.packet_gap_ps = 0;
    if dice.chance(50) {
        // Most messages are one packet.
        spec.machine.interface.packet_bytes = 100;
    }
    spec
}

/// Those of the simulator that goes tick by tick, now and then with acknowledgements.
#[test]
fn small_machines_in_whole_ticks() {
    compare_all(1_000_000..1_000_000 + random_cases(5_000), |dice| {
        let mut spec = small::spec(dice);
        spec.machine.link.packet_gap_ps = 0;
        share(dice, &mut spec.machine);
        spec.machine.interface.acknowledges = dice.chance(40);
        spec
    });
}

#[test]
fn lists_of_messages() {
    compare_kind(100_000, Kind::Messages);
}

#[test]
fn loosely_synchronous_processes() {
    compare_kind(200_000, Kind::Synthetic(Sync::LooselySynchronous));
}

#[test]
fn asynchronous_blocking_processes() {
    compare_kind(300_000, Kind::Synthetic(Sync::AsynchronousBlocking));
}

#[test]
fn asynchronous_processes() {
    compare_kind(400_000, Kind::Synthetic(Sync::Asynchronous));
}

#[test]
fn programs_that_exchange_boundaries() {
    compare_kind(500_000, Kind::Exchange);
}

#[test]
fn programs_of_any_kind_with_and_without_deadlock() {
    compare_kind(600_000, Kind::AnyProgram);
}
