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

/// Time by cause and root culprit.
type Roots = BTreeMap<(u8, u32), u64>;

/// Root culprits as they are defined: at every instant the one in the way is followed to the one that it
/// waits for then, and so on.
fn roots(packets: &[Charged], victim: &Charged) -> Roots {
    let cuts = crate::common::cuts(packets);
    let at = |class: u32, now: u64| {
        let one = &packets[class as usize];
        let mut pieces = one.begins.iter().zip(&one.charges);
        pieces.find(|&(&begin, charge)| begin <= now && now < begin + charge.time)
    };
    let mut found = Roots::new();
    for (&begin, charge) in victim.begins.iter().zip(&victim.charges) {
        let end = begin + charge.time;
        let within: Vec<_> = cuts.iter().filter(|&&cut| begin <= cut && cut <= end).collect();
        for span in within.windows(2) {
            let mut culprit = charge.culprit;
            while let Some((_, next)) = at(culprit, *span[0]) {
                culprit = next.culprit;
            }
            *found.entry((charge.cause as u8, culprit)).or_default() += span[1] - span[0];
        }
    }
    found
}

/// Where nobody loses a channel: such charges are not passed on.
#[test]
fn root_culprits_are_those_found_slowly() {
    let mut passed_on = 0;
    for number in 0..random_cases(300) {
        let (engine, machine, rows) = case(number);
        let takes_away = |grant: &Grant| grant.vain.is_some();
        if Twin::run(&machine, &rows).grants.iter().any(takes_away) {
            continue;
        }
        let (_, charged) = run(engine, &rows, Mode::Full);
        for one in &charged {
            let mut told = Roots::new();
            for piece in &one.passed {
                *told.entry((piece.cause as u8, piece.culprit)).or_default() += piece.time;
            }
            passed_on += u64::from(one.passed != one.charges);
            assert_eq!(told, roots(&charged, one), "case {number} message {}: {one:?}", one.class);
        }
    }
    assert!(passed_on > 100, "{passed_on} messages have roots elsewhere");
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

/// Cause, culprit, root channel (from, to) and time in ns of each charge.
fn charges(simulation: &Simulation, charged: &Charged) -> Vec<(Cause, u32, (u32, u32), u64)> {
    let charge = |charge: &tailback_engine::measure::blame::Charge| {
        let root = simulation.layout().place(charge.root);
        (charge.cause, charge.culprit, (root.from.1, root.to.1), charge.time / 1_000)
    };
    charged.charges.iter().map(charge).collect()
}

#[test]
fn behind_the_head_of_the_list_it_is_throttling() {
    let rows = [(0, 0, 1, 100), (0, 0, 1, 10), (0, 0, 2, 10)];
    let (simulation, charged) = run(hypercube(2), &rows, Mode::Full);
    let one = |place: usize| charges(&simulation, &charged[place]);
    assert_eq!(one(0), []);
    assert_eq!(one(1), [(Cause::Throttling, 0, (0, 1), 102)]);
    // Until 3 the first, then the second was at the head; all of it because of 0 to 1.
    assert_eq!(one(2), [(Cause::Throttling, 1, (0, 1), 102)]);
}

#[test]
fn the_root_is_where_something_transmits() {
    let rows = [(0, 2, 3, 100), (0, 0, 3, 10), (10_000, 1, 2, 5), (20_000, 0, 2, 5)];
    let (simulation, charged) = run(mesh(&[4]), &rows, Mode::Full);
    let one = |place: usize| charges(&simulation, &charged[place]);
    assert_eq!(one(1), [(Cause::OutputBusy, 0, (2, 3), 105 - 13)]);
    assert_eq!(one(2), [(Cause::Throttling, 1, (2, 3), 117 - 13)]);
    // It gets 0 to 1 at 117, asks for 1 to 2 at 122, and that transmits until 124.
    assert_eq!(
        one(3),
        [(Cause::Throttling, 1, (2, 3), 117 - 23), (Cause::OutputBusy, 2, (1, 2), 124 - 122)]
    );
}

/// Cause, root culprit and time in ns of each piece.
fn passed(charged: &Charged) -> Vec<(Cause, u32, u64)> {
    charged.passed.iter().map(|piece| (piece.cause, piece.culprit, piece.time / 1_000)).collect()
}

/// The second has 0 to 1 and 1 to 2 and waits for the first until 105, then it transmits until 117:
/// who waits for it waits for the first until then.
#[test]
fn a_wait_for_a_circuit_that_waits_is_passed_on() {
    let rows = [(0, 2, 3, 100), (0, 0, 3, 10), (10_000, 1, 2, 5), (20_000, 0, 2, 5)];
    let (_, charged) = run(mesh(&[4]), &rows, Mode::Full);
    assert_eq!(passed(&charged[1]), [(Cause::OutputBusy, 0, 105 - 13)]);
    let third = [(Cause::Throttling, 0, 105 - 13), (Cause::Throttling, 1, 117 - 105)];
    assert_eq!(passed(&charged[2]), third);
    let fourth = [
        (Cause::Throttling, 0, 105 - 23),
        (Cause::Throttling, 1, 117 - 105),
        (Cause::OutputBusy, 2, 124 - 122),
    ];
    assert_eq!(passed(&charged[3]), fourth);
}

#[test]
fn throttled_those_who_had_the_first_wire_before_are_charged() {
    let rows = [(0, 0, 1, 10), (0, 1, 0, 20), (0, 0, 1, 10)];
    let (simulation, charged) = run(half_duplex(hypercube(1)), &rows, Mode::Throttled);
    let one = |place: usize| charges(&simulation, &charged[place]);
    assert_eq!(one(1), [(Cause::Throttling, 0, (0, 1), 12)]);
    // What the second waited for itself is the root.
    assert_eq!(one(2), [(Cause::Throttling, 0, (0, 1), 12), (Cause::Throttling, 1, (0, 1), 22)]);
}
