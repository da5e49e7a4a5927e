//! Who is charged for waits for places, worked out on paper.

use super::hand::machine;
use crate::common::parts::Scheme;
use crate::common::{message_list, packet_waits, spec};
use tailback_engine::measure::blame::{Cause, Charge};
use tailback_engine::spec::{Blame, Mode, TopologySpec};
use tailback_engine::{Progress, Simulation};

/// Cause, culprit and time in ns of each piece.
type Pieces = Vec<(Cause, u32, u64)>;

/// What messages of a class each are charged.
fn charged(places: u32, rows: &[(u64, u32, u32, u32)]) -> Vec<Pieces> {
    let scheme = Scheme::Packets { places, reserve: false, overtaking: false };
    let machine = machine(TopologySpec::Mesh { dims: vec![4] }, scheme);
    let rows: Vec<_> = rows.iter().map(|&(at, a, b, bytes)| (at * 1_000, a, b, bytes)).collect();
    let mut spec = spec(machine, message_list(&rows), Mode::Full);
    let message_classes = (0..rows.len() as u32).collect();
    spec.blame = Some(Blame { message_classes, ..packet_waits() });
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut all = simulation.take_charged();
    all.sort_by_key(|one| (one.class, one.packet.queued));
    let pieces = |charges: &[Charge]| {
        charges.iter().map(|charge| (charge.cause, charge.culprit, charge.time / 1_000)).collect()
    };
    all.iter().map(|one| pieces(&one.charges)).collect()
}

/// Queues of one place; a packet takes 40 ns, 4 ns after it is there. Message 0 leaves node 2 from 4 to
/// 44; message 1, in the queue of node 1, gets its place at 44 and leaves until 84. Message 3 is to
/// follow it there, so it waits in the queue of node 0 from 24 until then, leaves until 124, is there at
/// 125, and leaves node 1 from 129 to 169.
#[test]
fn who_lacks_a_place_waits_for_the_last_of_a_chain() {
    let rows = [(0, 2, 3, 16), (0, 1, 3, 16), (0, 1, 2, 16), (20, 0, 2, 16), (30, 0, 1, 16)];
    let all = charged(1, &rows);
    assert_eq!(all[1], [(Cause::BufferFull, 0, 40)]);
    // In the way are those that have the channel of node 1 until 84 and 169.
    assert_eq!(all[2], [(Cause::Throttling, 1, 80), (Cause::Throttling, 3, 85)]);
    // Who is the last when a wait for a place begins is charged all of it.
    assert_eq!(all[3], [(Cause::BufferFull, 0, 60)]);
    // From 34 on: message 3 waits until 84, and is sent until 124.
    assert_eq!(all[4], [(Cause::Throttling, 3, 90)]);
}
