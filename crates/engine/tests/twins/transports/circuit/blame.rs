//! Who made whom wait: every message a class of its own.

use super::agreement::case;
use super::twin::{Channel, Grant, Machine, Twin};
use super::{Row, half_duplex, hypercube, mesh};
use crate::common::random::random_cases;
use crate::common::{message_list, packet_waits, spec};
use std::collections::BTreeMap;
use tailback_engine::measure::blame::{Cause, Charged};
use tailback_engine::spec::{self, Mode};
use tailback_engine::{Progress, Simulation};

/// Time by culprit.
type Times = BTreeMap<u32, u64>;

/// Runs messages; what each was charged.
fn run(machine: spec::Machine, rows: &[Row], mode: Mode) -> (Simulation, Vec<Charged>) {
    let mut spec = spec(machine, message_list(rows), mode);
    let message_classes = (0..rows.len() as u32).collect();
    spec.blame = Some(spec::Blame { message_classes, ..packet_waits() });
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|charged| charged.class);
    assert_eq!(charged.len(), rows.len());
    (simulation, charged)
}

fn add(times: &mut Times, culprit: usize, from: u64, to: u64) {
    if to > from {
        *times.entry(culprit as u32).or_default() += to - from;
    }
}

/// What one wait is made of.
fn shares(twin: &Twin, machine: &Machine, rows: &[Row], grant: &Grant, times: &mut Times) {
    let (a, b, lane) = grant.channel;
    let shares_wire =
        |other: Channel| other == grant.channel || machine.half_duplex && other == (b, a, lane);
    for hold in twin.holds.iter().filter(|hold| shares_wire(hold.channel)) {
        add(times, hold.message, hold.from.max(grant.asked), hold.to.min(grant.at));
    }
    if let Some((since, by)) = grant.vain {
        add(times, by, since, grant.asked);
    } else if twin.messages[grant.message].first == Some(grant.at) {
        let ready = rows[grant.message].0 + machine.arbitration;
        let mut since = 0;
        let ahead = (0..grant.message).filter(|&other| rows[other].1 == rows[grant.message].1);
        for other in ahead {
            let first = twin.messages[other].first.unwrap();
            add(times, other, since.max(ready), first.min(grant.asked));
            since = first;
        }
    }
}

/// Every wait is charged to who held the wire at that time, to who was at the head of the
/// list, or to who took channels: to the picosecond.
#[test]
fn every_wait_is_charged_to_who_was_in_the_way() {
    for number in 0..random_cases(300) {
        let (engine, machine, rows) = case(number);
        let twin = Twin::run(&machine, &rows);
        let mut expected = vec![Times::new(); rows.len()];
        for grant in &twin.grants {
            shares(&twin, &machine, &rows, grant, &mut expected[grant.message]);
        }
        let (simulation, charged) = run(engine, &rows, Mode::Full);
        for (one, expected) in charged.iter().zip(&expected) {
            let mut times = Times::new();
            for charge in &one.charges {
                *times.entry(charge.culprit).or_default() += charge.time;
            }
            assert_eq!(&times, expected, "case {number} message {}", one.class);
            let sum: u64 = times.values().sum();
            assert_eq!(one.alone + sum, one.packet.delivered - one.packet.queued);
        }
        check_channels(number, &simulation, &charged);
    }
}

/// What is charged for a channel is what was waited for it, before the first channel and later.
fn check_channels(number: u64, simulation: &Simulation, charged: &[Charged]) {
    let mut sums = vec![(0, 0); simulation.layout().channels()];
    for charge in charged.iter().flat_map(|one| &one.charges) {
        let sum = &mut sums[charge.channel.index()];
        let is_throttling = charge.cause == Cause::Throttling;
        *(if is_throttling { &mut sum.0 } else { &mut sum.1 }) += charge.time;
    }
    let tallies = &simulation.measures().channels;
    for (channel, (tally, sum)) in tallies.iter().zip(&sums).enumerate() {
        let waited = (tally.wait_throttling_ps, tally.wait_internal_ps);
        assert_eq!(&waited, sum, "case {number} channel {channel}");
    }
}

/// Cause, culprit and time in ns of each charge.
fn charges(charged: &Charged) -> Vec<(Cause, u32, u64)> {
    let charge = |charge: &tailback_engine::measure::blame::Charge| {
        (charge.cause, charge.culprit, charge.time / 1_000)
    };
    charged.charges.iter().map(charge).collect()
}

#[test]
fn behind_the_head_of_the_list_it_is_throttling() {
    let rows = [(0, 0, 1, 100), (0, 0, 1, 10), (0, 0, 2, 10)];
    let (_, charged) = run(hypercube(2), &rows, Mode::Full);
    let one = |place: usize| charges(&charged[place]);
    assert_eq!(one(0), []);
    assert_eq!(one(1), [(Cause::Throttling, 0, 102)]);
    // Until 3 the first, then the second was at the head.
    assert_eq!(one(2), [(Cause::Throttling, 1, 102)]);
}

#[test]
fn who_has_the_circuit_in_the_way_is_charged() {
    let rows = [(0, 2, 3, 100), (0, 0, 3, 10), (10_000, 1, 2, 5), (20_000, 0, 2, 5)];
    let (_, charged) = run(mesh(&[4]), &rows, Mode::Full);
    let one = |place: usize| charges(&charged[place]);
    assert_eq!(one(1), [(Cause::OutputBusy, 0, 105 - 13)]);
    assert_eq!(one(2), [(Cause::Throttling, 1, 117 - 13)]);
    // It gets 0 to 1 at 117, asks for 1 to 2 at 122, and that transmits until 124.
    assert_eq!(one(3), [(Cause::Throttling, 1, 117 - 23), (Cause::OutputBusy, 2, 124 - 122)]);
}

#[test]
fn throttled_those_who_had_the_first_wire_before_are_charged() {
    let rows = [(0, 0, 1, 10), (0, 1, 0, 20), (0, 0, 1, 10)];
    let (_, charged) = run(half_duplex(hypercube(1)), &rows, Mode::Throttled);
    let one = |place: usize| charges(&charged[place]);
    assert_eq!(one(1), [(Cause::Throttling, 0, 12)]);
    assert_eq!(one(2), [(Cause::Throttling, 0, 12), (Cause::Throttling, 1, 22)]);
}
