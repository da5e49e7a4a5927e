//! The engine's `flit` against the twin.

use super::twin::Twin;
use super::{FLIT, marked, networks};
use crate::common::packet_waits;
use crate::common::random::{Dice, check, random_cases, same_packets_in_any_order};
use tailback_engine::error::RunError;
use tailback_engine::spec::{FlowControl, Mode, Spec, Workload};
use tailback_engine::{Progress, Simulation};

/// What became of a random case.
#[derive(Clone, Copy, Default)]
struct Fate {
    /// Whether packets wait for each other in a circle.
    stuck: bool,
    /// Whether anybody was told to stop.
    stopped: bool,
    /// Whether a buffer was as full as it can be.
    full: bool,
}

/// The same packets at the same picoseconds, with and without blame; or nobody ever arrives.
fn compare(spec: &Spec, piece: u64) -> Fate {
    if !is_in_cycles(spec) {
        return Fate::default();
    }
    let mut twin = Twin::new(spec);
    let expected = twin.run();
    let FlowControl::StopGo(marks) = spec.machine.link.flow_control else { panic!() };
    for blame in [None, Some(packet_waits())] {
        let mut simulation = Simulation::new(&Spec { blame, ..spec.clone() }).unwrap();
        let mut progress = Ok(Progress::Events);
        while progress == Ok(Progress::Events) {
            progress = simulation.advance(u64::MAX, piece);
        }
        match (&expected, progress) {
            (Some(expected), Ok(Progress::Finished)) => {
                same_packets_in_any_order(expected.clone(), simulation.take_packets());
                waits_are_charged(&mut simulation);
            }
            (None, Err(RunError::Deadlock { circle, .. })) => assert!(!circle.is_empty()),
            (expected, progress) => {
                panic!("{progress:?}, the twin ends: {}", expected.is_some())
            }
        }
    }
    Fate {
        stuck: expected.is_none(),
        stopped: twin.peak >= marks.stop_flits as usize,
        full: twin.peak == spec.machine.switch.input_buffer() as usize,
    }
}

/// Every packet is charged what it lived longer than alone.
fn waits_are_charged(simulation: &mut Simulation) {
    for one in simulation.take_charged() {
        let charged: u64 = one.charges.iter().map(|charge| charge.time).sum();
        let lived = one.packet.delivered - one.packet.queued;
        assert_eq!(one.alone + charged, lived, "{one:?}");
    }
}

/// Whether all happens in whole cycles: smaller cases than a random one may not.
fn is_in_cycles(spec: &Spec) -> bool {
    let (Workload::Messages(list), switch) = (&spec.workload, &spec.machine.switch) else {
        return false;
    };
    let of_switch = [switch.fall_through_ps, Some(switch.regrant_delay_ps)].into_iter().flatten();
    spec.machine.link.flit_ps == FLIT
        && list.time_ps.iter().copied().chain(of_switch).all(|time| time % FLIT == 0)
}

#[test]
fn flit_agrees_with_the_twin() {
    let (number, mut stuck, mut stopped, mut full) = (random_cases(6_000), 0, 0, 0);
    for case in 0..number {
        let mut dice = Dice::new(7_000_000 + case);
        let spec = networks::any(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        let fate = check(case, &spec, |spec| compare(spec, piece));
        stuck += u64::from(fate.stuck);
        stopped += u64::from(fate.stopped);
        full += u64::from(fate.full);
    }
    // Otherwise the cases show little.
    assert!(2 * stopped > number, "{stopped} of {number} stop anybody");
    assert!(20 * full > number, "{full} of {number} fill a buffer");
    assert!(200 * stuck > number && 2 * stuck < number, "{stuck} of {number} stand still");
}

/// In the modes with less contention, too; and a packet alone takes the same time in all of them.
#[test]
fn modes_agree_where_nobody_waits() {
    for case in 0..random_cases(400) {
        let mut dice = Dice::new(7_500_000 + case);
        let mut spec = networks::any(&mut dice);
        for mode in [Mode::Endpoints, Mode::Throttled] {
            let blame = Some(packet_waits());
            let mut simulation = Simulation::new(&Spec { mode, blame, ..spec.clone() }).unwrap();
            assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
            waits_are_charged(&mut simulation);
        }
        // One packet, that is not stopped while it falls through switches.
        spec.machine = marked(spec.machine, (40, 30, 80));
        spec.machine.interface.packet_bytes = 1 << 16;
        let Workload::Messages(list) = &mut spec.workload else { panic!() };
        list.time_ps.truncate(1);
        list.source.truncate(1);
        list.destination.truncate(1);
        list.bytes.truncate(1);
        let times = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free].map(|mode| {
            let mut simulation = Simulation::new(&Spec { mode, ..spec.clone() }).unwrap();
            assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
            simulation.take_packets().iter().map(|row| row.delivered).max()
        });
        assert!(times.iter().all(|&time| time == times[0]), "case {case}: {times:?}");
    }
}
