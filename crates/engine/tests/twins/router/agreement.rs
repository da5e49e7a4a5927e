//! The engine against the twin that goes cycle by cycle.

use super::twin::Twin;
use crate::common::random::{Dice, check, finished, random_cases, same_packets_in_any_order};
use tailback_engine::spec::Spec;
use tailback_engine::time::Time;

/// Compares one case; for how long its channels were busy.
pub fn compare(spec: &Spec, piece: u64) -> Time {
    let mut twin = Twin::new(spec);
    assert!(twin.finish(), "nothing moves any more");
    let (expected, expected_busy) = twin.results();
    let mut simulation = finished(spec, piece);
    same_packets_in_any_order(expected, simulation.take_packets());
    let busy: Vec<Time> = simulation.channels_used().iter().map(|used| used.busy_ps).collect();
    assert_eq!(busy, expected_busy, "how long channels sent: engine, twin");
    busy.iter().sum()
}

#[test]
fn packets_take_the_same_times_as_cycle_by_cycle() {
    let (mut busy, number) = (0, random_cases(10_000));
    for case in 0..number {
        let mut dice = Dice::new(case);
        let mut spec = super::cases::spec(&mut dice);
        super::cases::keep_channels(&mut dice, &mut spec.machine);
        // In pieces of a few events, which must change nothing.
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        busy += check(case, &spec, |spec| compare(spec, piece));
    }
    assert!(busy > 500 * number, "next to nothing happens in the cases: {busy}");
}

#[test]
fn urgent_classes_take_the_same_times_as_cycle_by_cycle() {
    let (mut busy, number) = (0, random_cases(1_000));
    for case in 0..number {
        let mut dice = Dice::new(300_000_000 + case);
        let spec = super::classes::spec(&mut dice);
        busy += check(case, &spec, |spec| compare(spec, u64::MAX));
    }
    assert!(busy > 500 * number, "next to nothing happens in the cases: {busy}");
}

#[test]
fn classes_with_virtual_channels_of_their_own_take_the_same_times_as_cycle_by_cycle() {
    let (mut busy, number) = (0, random_cases(2_000));
    for case in 0..number {
        let mut dice = Dice::new(400_000_000 + case);
        let spec = super::classes::apart(&mut dice);
        // In pieces of a few events, which must change nothing.
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        busy += check(case, &spec, |spec| compare(spec, piece));
    }
    assert!(busy > 500 * number, "next to nothing happens in the cases: {busy}");
}
