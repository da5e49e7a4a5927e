//! The fidelity `stream`: against a simulator that goes tick by tick, against what can be
//! worked out on paper, and against `worm` where the two must agree.

mod hand;
mod limits;
mod sums;
mod ticks;

use crate::common::parts::clear_rates;
use crate::common::random::{Dice, check, finished, random_cases, same_packets};
use crate::cycles::cases as small;
use tailback_engine::fabric::Timing;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::{Fidelity, Spec};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Simulation};
use ticks::{Simulator, Stops};

/// A random small machine in ticks with links of one rate, and messages for it.
fn small_case(dice: &mut Dice) -> Spec {
    let mut spec = Spec { fidelity: Fidelity::Stream, ..small::spec(dice) };
    clear_rates(&mut spec.machine);
    let header = Timing::of(&spec.machine).header_ps;
    while room_ps(&spec) < header {
        *spec.machine.switch.input_buffer_flits.as_mut().unwrap() += 1;
    }
    spec
}

/// How much stream a buffer holds.
fn room_ps(spec: &Spec) -> Time {
    let tokens = spec.machine.switch.input_buffer();
    Timing::of(&spec.machine).flit_ps * Time::from(tokens)
}

/// The packets in order of message, and what every channel did.
fn outcome(simulation: &mut Simulation) -> (Vec<PacketRow>, Vec<(Use, ChannelTally)>) {
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.class, row.queued));
    let tallies = simulation.measures().channels.iter().copied();
    (rows, simulation.channels_used().into_iter().zip(tallies).collect())
}

/// Compares a case that the engine runs in pieces of so many events.
fn compare(spec: &Spec, piece: u64) -> Stops {
    let (rows, channels, stops) = Simulator::new(spec).run();
    let (got_rows, got_channels) = outcome(&mut finished(spec, piece));
    same_packets(&rows, &got_rows);
    for (channel, pair) in got_channels.iter().zip(&channels).enumerate() {
        assert_eq!(pair.0, pair.1, "engine, simulator; channel {channel}");
    }
    let delay = spec.machine.link.delay_ps + spec.machine.switch.delay_ps;
    if room_ps(spec) >= delay {
        assert_eq!(stops.nothing_to_send, 0, "a buffer was empty");
    }
    stops
}

#[test]
fn it_agrees_with_the_simulator_that_goes_tick_by_tick() {
    let mut all = Stops::default();
    let number = random_cases(1_000);
    for case in 0..number {
        let mut dice = Dice::new(case);
        let spec = small_case(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        let stops = check(case, &spec, |spec| compare(spec, piece));
        all.no_room += stops.no_room;
        all.nothing_to_send += stops.nothing_to_send;
    }
    let enough = all.no_room > 300 * number && all.nothing_to_send > 50 * number;
    assert!(enough, "streams hardly ever stop: {all:?}");
}
