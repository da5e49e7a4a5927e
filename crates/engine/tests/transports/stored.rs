//! Datagrams and packets of fixed size, with queues at outgoing channels.

#[path = "stored/cases.rs"]
mod cases;
#[path = "stored/hand.rs"]
mod hand;
#[path = "stored/network.rs"]
mod network;
#[path = "stored/sums.rs"]
mod sums;
#[path = "stored/twin.rs"]
mod twin;

use cases::Dice;
use tailback_engine::error::RunError;
use tailback_engine::measure::stored::Level;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::Spec;
use tailback_engine::{PacketRow, Progress, Simulation};
use twin::Twin;

/// How many cases to try where `usual` are enough every day.
fn random_cases(usual: u64) -> u64 {
    let times = std::env::var("TAILBACK_CASES").map(|text| text.parse::<u64>());
    times.map_or(usual, |times| usual * times.expect("TAILBACK_CASES is a number"))
}

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

#[test]
fn it_agrees_with_a_simulator_that_searches_the_whole_state() {
    let (mut overtaken, mut deadlocks, mut contrary) = (0, 0, 0);
    let number = random_cases(400);
    for case in 0..number {
        let mut dice = Dice::new(case);
        let spec = cases::spec(&mut dice);
        let context = || {
            let json = serde_json::to_string(&spec).expect("a specification is JSON");
            format!("case {case}\n{json}\n")
        };
        let mut twin = Twin::new(&spec);
        let expected = twin.run();
        overtaken += twin.overtaken;
        contrary += twin.contrary;
        deadlocks += u64::from(expected.deadlocks);
        let got = simulated(&spec, dice.one_of(&[1, 7, u64::MAX]));
        for (row, got) in expected.rows.iter().zip(&got.rows) {
            assert_eq!(got, row, "engine, simulator; {}", context());
        }
        let places = got.channels.iter().zip(&expected.channels).enumerate();
        for (channel, (got, expected)) in places {
            assert_eq!(got, expected, "engine, simulator; channel {channel} of {}", context());
        }
        assert_eq!(got, expected, "engine, simulator; {}", context());
    }
    let is_enough = overtaken > 5 * number && contrary > 2 * number && deadlocks > number / 200;
    assert!(is_enough, "{overtaken} overtaken, {contrary} contrary, {deadlocks} deadlocks");
}
