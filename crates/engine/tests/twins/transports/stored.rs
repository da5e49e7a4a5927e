//! Datagrams and packets of fixed size, with queues at outgoing channels.

pub mod cases;
mod hand;
mod network;
mod places;
mod sums;
mod twin;

use crate::common::random::{Dice, check, random_cases, same_packets};
use tailback_engine::error::RunError;
use tailback_engine::measure::stored::Level;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::Spec;
use tailback_engine::{PacketRow, Progress, Simulation};
use twin::Twin;

/// Everything that is to be the same.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// In order of message and queueing.
    rows: Vec<PacketRow>,
    channels: Vec<(Use, ChannelTally)>,
    /// By node, then by owner: the most bytes stored.
    stored: Vec<[u64; 2]>,
    /// The same of all nodes together.
    in_network: [u64; 2],
    /// Whether packets wait for each other for ever.
    deadlocks: bool,
}

/// What the engine makes of it in pieces of so many events, which must change nothing.
fn simulated(spec: &Spec, piece: u64) -> Outcome {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut progress = Ok(Progress::Events);
    while progress == Ok(Progress::Events) {
        progress = simulation.advance(u64::MAX, piece);
    }
    let deadlocks = match progress {
        Ok(_) => false,
        Err(RunError::Deadlock { circle, .. }) => {
            assert!(!circle.is_empty(), "nobody knows who waits for whom");
            true
        }
        Err(error) => panic!("{error}"),
    };
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.queued));
    let tallies = simulation.measures().channels.iter().copied();
    let channels = simulation.channels_used().into_iter().zip(tallies).collect();
    let stored = simulation.measures().stored.as_ref().expect("nodes store packets");
    let most = |levels: &[Level; 2]| levels.map(|level| level.max);
    let in_network = most(&stored.network);
    Outcome {
        rows,
        channels,
        stored: stored.nodes.iter().map(most).collect(),
        in_network,
        deadlocks,
    }
}

/// Compares a case: packets overtaken, hops against dimension order, and deadlocks.
fn compare(spec: &Spec, piece: u64) -> [u64; 3] {
    let mut twin = Twin::new(spec);
    let expected = twin.run();
    let got = simulated(spec, piece);
    same_packets(&expected.rows, &got.rows);
    for (channel, (got, expected)) in got.channels.iter().zip(&expected.channels).enumerate() {
        assert_eq!(got, expected, "engine, simulator; channel {channel}");
    }
    assert_eq!(got, expected, "engine, simulator");
    [twin.overtaken, twin.contrary, u64::from(expected.deadlocks)]
}

#[test]
fn it_agrees_with_a_simulator_that_searches_the_whole_state() {
    let (mut overtaken, mut deadlocks, mut contrary) = (0, 0, 0);
    let number = random_cases(400);
    for case in 0..number {
        let mut dice = Dice::new(case);
        let spec = cases::spec(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        let [passed, against, stuck] = check(case, &spec, |spec| compare(spec, piece));
        overtaken += passed;
        contrary += against;
        deadlocks += stuck;
    }
    let is_enough = overtaken > 5 * number && contrary > 2 * number && deadlocks > number / 200;
    assert!(is_enough, "{overtaken} overtaken, {contrary} contrary, {deadlocks} deadlocks");
}
