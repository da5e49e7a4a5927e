//! Switches that forward frames: worked out on paper, and against a simulator that looks at every
//! frame at every instant.

pub mod cases;
mod hand;
mod pauses;
mod twin;

use crate::common::packet_waits;
use crate::common::random::{Dice, check, random_cases, same_packets};
use tailback_engine::error::{Lack, RunError};
use tailback_engine::measure::blame::Charged;
use tailback_engine::spec::{Mode, Spec, Workload};
use tailback_engine::{PacketRow, Progress, Simulation};
use twin::{Message, Outcome, Twin};

/// What the engine makes of it in pieces of so many events, which must change nothing.
fn simulated(spec: &Spec, piece: u64) -> (Outcome, Vec<Charged>) {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut progress = Ok(Progress::Events);
    while progress == Ok(Progress::Events) {
        progress = simulation.advance(u64::MAX, piece);
    }
    let stuck = match progress {
        Ok(_) => false,
        Err(RunError::Deadlock { circle, .. }) => {
            assert!(circle.iter().all(|blocked| blocked.lack == Lack::Pause) && circle.len() > 1);
            true
        }
        Err(error) => panic!("{error}"),
    };
    let mut rows = simulation.take_packets();
    rows.sort_by_key(order);
    let used = simulation.channels_used();
    let counters = simulation.counters();
    let (lost, pauses) = (counters.packets_lost, counters.pauses);
    let data = counters.packets[0];
    let in_flight = simulation.packets_in_flight() as u64;
    assert_eq!(data.queued, data.delivered + lost + in_flight, "none comes or goes");
    (Outcome { rows, used, lost, pauses, stuck }, simulation.take_charged())
}

fn order(row: &PacketRow) -> (u64, u64, u64) {
    (row.message, row.first_sent, row.delivered)
}

/// The messages of a case, in the order in which they are sent. Sources of traffic classes send
/// whatever becomes of their messages: so what they send is seen where nobody hinders them.
fn messages(spec: &Spec) -> Vec<Message> {
    if let Workload::Messages(list) = &spec.workload {
        let row = |at: usize| {
            (list.time_ps[at], list.source[at], list.destination[at], list.bytes[at] as u32, 0)
        };
        return (0..list.bytes.len()).map(row).collect();
    }
    let Workload::Traffic(traffic) = &spec.workload else { unreachable!("not generated") };
    let throttled = Spec { mode: Mode::Throttled, blame: None, ..spec.clone() };
    let mut simulation = Simulation::new(&throttled).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.queued));
    let parts = rows.chunk_by(|one, other| one.message == other.message);
    let message = |parts: &[PacketRow]| {
        let bytes: u32 = parts.iter().map(|part| part.bytes).sum();
        let of_class = |class: &tailback_engine::spec::Source| {
            class.messages.bytes == tailback_engine::spec::Distribution::constant(bytes.into())
        };
        let class = traffic.classes.iter().position(of_class).unwrap();
        (parts[0].queued, parts[0].source, parts[0].destination, bytes, class as u8)
    };
    parts.map(message).collect()
}

/// Compares a case: frames lost, pauses, and whether frames wait for each other for ever.
fn compare(spec: &Spec, piece: u64) -> [u64; 3] {
    let simulation = Simulation::new(spec).unwrap();
    let switches = simulation.topology().switches;
    let messages = messages(spec);
    let mut expected = Twin::new(spec, simulation.layout(), switches, &messages).run();
    expected.rows.sort_by_key(order);
    let (got, charged) = simulated(spec, piece);
    same_packets(&expected.rows, &got.rows);
    assert_eq!(got, expected, "engine, simulator");
    for packet in &charged {
        let sum: u64 = packet.charges.iter().map(|charge| charge.time).sum();
        let row = &packet.packet;
        assert_eq!(sum, row.delivered - row.queued - packet.alone, "all of its wait: {row:?}");
    }
    [got.lost, got.pauses, u64::from(got.stuck)]
}

#[test]
fn it_agrees_with_a_simulator_that_looks_at_every_frame() {
    let (mut lost, mut pauses, mut stuck) = (0, 0, 0);
    let number = random_cases(4_000);
    for case in 0..number {
        let mut dice = Dice::new(case);
        let mut spec = cases::spec(&mut dice);
        if dice.chance(40) {
            spec.blame = Some(packet_waits());
        }
        let piece = dice.one_of(&[1, 7, u64::MAX, u64::MAX]);
        let [of_lost, of_pauses, of_stuck] = check(case, &spec, |spec| compare(spec, piece));
        lost += of_lost;
        pauses += of_pauses;
        stuck += of_stuck;
    }
    let is_enough = lost > number && pauses > number && stuck > number / 100;
    assert!(is_enough, "{lost} lost, {pauses} pauses, {stuck} stuck");
}
