//! Modes `free` and `endpoints` of whole packets against what they mean: runs of the real network with
//! one message, and with messages that share little.

mod cases;
mod hand;

use crate::common::packet_waits;
use crate::common::random::{Dice, check, random_cases};
use std::collections::BTreeMap;
use tailback_engine::spec::{Messages, Mode, Spec, Workload};
use tailback_engine::time::Time;
use tailback_engine::{Progress, Simulation};

/// The latency of every message, in the order of the list.
fn latencies(spec: &Spec, piece: u64) -> Vec<Time> {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    simulation.keep_messages();
    if spec.mode != Mode::Full {
        assert_eq!(simulation.kernel(), "line");
    }
    let mut progress = Progress::Events;
    while progress == Progress::Events {
        progress = simulation.advance(Time::MAX, piece).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!((progress, simulation.packets_in_flight()), (Progress::Finished, 0));
    let mut rows = simulation.take_messages();
    rows.sort_by_key(|row| row.number);
    rows.iter().map(|row| row.received - row.sent).collect()
}

fn in_mode(spec: &Spec, mode: Mode) -> Spec {
    Spec { mode, ..spec.clone() }
}

fn list(spec: &Spec) -> &Messages {
    let Workload::Messages(list) = &spec.workload else { unreachable!("not generated") };
    list
}

/// The same with one message of the list only.
fn only(spec: &Spec, at: usize) -> Spec {
    let all = list(spec);
    let one = Messages {
        time_ps: vec![all.time_ps[at]],
        source: vec![all.source[at]],
        destination: vec![all.destination[at]],
        bytes: vec![all.bytes[at]],
    };
    Spec { workload: Workload::Messages(one), ..spec.clone() }
}

/// What every message takes alone, in all modes.
fn alone(spec: &Spec) -> Vec<Time> {
    let one = |at: usize| {
        let one = only(spec, at);
        let modes = [Mode::Full, Mode::Endpoints, Mode::Free];
        let [full, endpoints, free] = modes.map(|mode| latencies(&in_mode(&one, mode), u64::MAX));
        assert_eq!(endpoints, full, "endpoints, message {at}");
        assert_eq!(free, full, "free, message {at}");
        full[0]
    };
    (0..list(spec).bytes.len()).map(one).collect()
}

/// Messages that take longer in `endpoints` than alone, and in how many cases `full` had to be the same.
fn compare(spec: &Spec, piece: u64) -> (usize, [usize; 2]) {
    let alone = alone(spec);
    assert_eq!(latencies(&in_mode(spec, Mode::Free), piece), alone, "free");
    let endpoints = latencies(&in_mode(spec, Mode::Endpoints), piece);
    assert!(endpoints.iter().zip(&alone).all(|(in_company, alone)| in_company >= alone));
    // Whatever is told changes nothing.
    let told = Spec { blame: Some(packet_waits()), ..spec.clone() };
    assert_eq!(latencies(&in_mode(&told, Mode::Endpoints), piece), endpoints, "told");
    let is_apart = cases::is_apart(spec);
    if is_apart {
        assert_eq!(endpoints, alone, "nothing is shared");
    }
    let shares_ends = cases::shares_ends_only(spec);
    if is_apart || shares_ends {
        assert_eq!(latencies(&in_mode(spec, Mode::Full), piece), endpoints, "full");
    }
    let late =
        endpoints.iter().zip(&alone).filter(|(in_company, alone)| in_company > alone).count();
    (late, [usize::from(is_apart), usize::from(shares_ends)])
}

#[test]
fn a_message_alone_is_the_same_in_all_modes_and_in_free_in_company() {
    let number = random_cases(3_000);
    let (mut late, mut same) = (0, [0; 2]);
    for case in 0..number {
        let mut dice = Dice::new(case);
        let spec = cases::spec(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX, u64::MAX]);
        let (of_late, of_same) = check(case, &spec, |spec| compare(spec, piece));
        late += of_late;
        (0..2).for_each(|place| same[place] += of_same[place]);
    }
    assert!(late as u64 > number, "{late} messages wait for others");
    assert!(same.iter().all(|&count| count as u64 > number / 60), "{same:?} like full");
}

/// By message, counters that measures of `free` alone and of `full` must agree in.
#[test]
fn what_is_measured_of_a_message_alone_is_as_in_the_real_network() {
    for case in 0..random_cases(1_000) {
        let spec = cases::spec(&mut Dice::new(case));
        check(case, &only(&spec, 0), |one| {
            let counted = |mode| {
                let mut simulation = Simulation::new(&in_mode(one, mode)).unwrap();
                assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
                let counters = simulation.counters();
                let mut rows = simulation.take_packets();
                rows.sort_by_key(|row| (row.queued, row.class as u8, row.first_sent));
                let busy = [
                    counters.busy_injection_ps,
                    counters.busy_internal_ps,
                    counters.busy_ejection_ps,
                ];
                let used: BTreeMap<usize, _> =
                    simulation.channels_used().into_iter().enumerate().collect();
                (rows, busy, counters.packet_hops, counters.packets, used)
            };
            let full = counted(Mode::Full);
            assert_eq!(counted(Mode::Endpoints), full);
            assert_eq!(counted(Mode::Free), full);
        });
    }
}
