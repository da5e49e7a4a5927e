//! Who is at the root of waits for places, worked out on paper.

use super::hand::machine;
use crate::common::parts::Scheme;
use crate::common::{message_list, packet_waits, spec};
use tailback_engine::measure::blame::{Cause, Charge};
use tailback_engine::spec::{Blame, Mode, TopologySpec};
use tailback_engine::{Progress, Simulation};

/// Cause, culprit and time in ns of each piece.
type Pieces = Vec<(Cause, u32, u64)>;

/// What messages of a class each are charged, and what that is passed on as.
fn charged(places: u32, rows: &[(u64, u32, u32, u32)]) -> Vec<(Pieces, Pieces)> {
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
    all.iter().map(|one| (pieces(&one.charges), pieces(&one.passed))).collect()
}

/// Queues of one place; a packet takes 40 ns, 4 ns after it is there. Message 0 leaves node 2 from 4 to
/// 44; message 1, in the queue of node 1, gets its place at 44 and leaves until 84. Message 3 is to
/// follow it there, so it waits in the queue of node 0 from 24 until then, leaves until 124, is there at
/// 125, and leaves node 1 from 129 to 169.
#[test]
fn who_stands_behind_one_that_lacks_a_place_waits_for_the_root() {
    let rows = [(0, 2, 3, 16), (0, 1, 3, 16), (0, 1, 2, 16), (20, 0, 2, 16), (30, 0, 1, 16)];
    let all = charged(1, &rows);
    let lacks_a_place = vec![(Cause::BufferFull, 0, 40)];
    assert_eq!(all[1], (lacks_a_place.clone(), lacks_a_place));
    // In the way are those that have the channel of node 1 until 84 and 169; the first of them waits
    // for a place until 44.
    let direct = vec![(Cause::Throttling, 1, 80), (Cause::Throttling, 3, 85)];
    let root =
        vec![(Cause::Throttling, 0, 40), (Cause::Throttling, 1, 40), (Cause::Throttling, 3, 85)];
    assert_eq!(all[2], (direct, root));
    // What is at the root of a full queue when a wait begins is charged all of it.
    let full = vec![(Cause::BufferFull, 0, 60)];
    assert_eq!(all[3], (full.clone(), full));
    // From 34 on: message 3 waits until 84, and is sent until 124.
    let direct = vec![(Cause::Throttling, 3, 90)];
    let root = vec![(Cause::Throttling, 0, 50), (Cause::Throttling, 3, 40)];
    assert_eq!(all[4], (direct, root));
}
