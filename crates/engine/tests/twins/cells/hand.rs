//! What can be worked out on paper, in cell times of 30 ns.

use super::*;
use crate::common::packet_waits;
use tailback_engine::measure::blame::{Cause, Charged};

/// The smallest frame is on a line for 72 bytes, 20 cell times. Its one cell is 6 cell times in
/// the fabric on one card, and 7 and 2 for each hop to another: 1.38 us, of which 0.18, 0.27
/// and 0.33 us are the fabric's [Chen & Wyckoff, figure 13].
#[test]
fn the_smallest_frame() {
    for (to, fabric_ns) in [(1, 180), (16, 270), (7 * 16, 270), (9 * 16, 330), (4 * 16, 450)] {
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let run = run(machine(&[8, 2], 16), &[(0, 0, to, 1)], mode);
            assert_eq!(run.rows[0].delivered, (1_200 + fabric_ns) * 1_000, "{to} {mode:?}");
        }
    }
}

/// 1500 bytes are 22 cells, the last of which is offered 21 + 5 cell times after the first; on a
/// line they take 407 of 30 ns, and the next frame can start 3 later: 975.610 Mbit/s.
#[test]
fn long_messages() {
    let one = run(machine(&[8, 2], 16), &[(0, 0, 1, 1_500)], Mode::Full);
    assert_eq!(arrivals(&one), [407 + 21 + 5 + 6 + 407]);
    let many = run(machine(&[8, 2], 16), &[(0, 0, 40, 1_500_000)], Mode::Full);
    let h = 2;
    assert_eq!(arrivals(&many), [999 * 410 + 407 + 21 + 5 + 7 + 2 * h + 407]);
    assert_eq!(many.waits(), 999 * 1_000 / 2 * 410 * 30_000, "each waits for all before it");
}

/// Two frames of 22 cells come at once from two cards to one: their cells alternate at the port
/// out of the fabric. The first is offered at 0, 1, 2, 4, 5, 6, 8, …, the other too and so one
/// later; with both the port has two cells for one cell time and is never idle, so that it is done
/// with 44 cells after 44 cell times. The last but one is the earlier frame's.
#[test]
fn cells_of_two_frames_alternate() {
    let rows = [(0, 16, 0, 1_500), (0, 2 * 8 * 8, 1, 1_500)];
    let run = run(machine(&[8, 2], 16), &rows, Mode::Full);
    // One hop each: the port has its first cell 407 + 1 + 2 + 5 cell times after the start.
    let port = 407 + 8;
    assert_eq!(arrivals(&run), [port + 43 + 407, port + 44 + 407]);
}

/// A frame of one cell that meets one of 22 at the port into the fabric: it is ahead of all cells
/// that have not been offered.
#[test]
fn a_short_frame_is_not_held_up_by_a_long_one() {
    // The cells of the long one come at 407, 408, 409, 411; the short one at 408, with the second.
    let rows = [(0, 0, 16, 1_500), (388 * 30_000, 1, 17, 1)];
    let both = run(machine(&[8, 2], 16), &rows, Mode::Full);
    let alone = [407 + 26 + 9 + 407, 388 + 20 + 9 + 20];
    // Its cell is one late; the third of the long one too, but there is a gap behind that.
    assert_eq!(arrivals(&both), [alone[0], alone[1] + 1]);
    assert_eq!(both.waits(), 30_000);
}

/// Of those two the short one waits for the long one at the port into the fabric; a third behind it
/// waits for the line first, and then meets the last cells of the long one.
#[test]
fn waits_are_charged_to_who_was_there() {
    let rows = [(0, 0, 16, 1_500), (388 * 30_000, 1, 17, 1), (388 * 30_000, 1, 17, 1)];
    let mut spec = spec(machine(&[8, 2], 16), message_list(&rows), Mode::Full);
    spec.blame = Some(packet_waits());
    let (layout, packets) = charged(&spec);
    let row = |charged: &Charged| -> Vec<_> {
        charged.charges.iter().map(|c| (c.channel.0, c.cause, c.culprit, c.time / 30_000)).collect()
    };
    assert_eq!(
        packets.iter().map(row).collect::<Vec<_>>(),
        [
            // Its last three cells come at 431, 432, 433, that of the third frame at 431.
            vec![(layout[0], Cause::OutputBusy, 1, 1)],
            vec![(layout[0], Cause::OutputBusy, 0, 1)],
            // The line is busy for 20 and 3.
            vec![(1, Cause::Throttling, 1, 23), (layout[0], Cause::OutputBusy, 0, 1)],
        ]
    );
}

/// The charges of all packets, in the order of their messages; and the port into the fabric of the
/// first card.
fn charged(spec: &Spec) -> (Vec<u32>, Vec<Charged>) {
    let mut simulation = tailback_engine::Simulation::new(spec).unwrap();
    simulation.advance(u64::MAX, u64::MAX).unwrap();
    let port = simulation.wiring().layout.port_in(tailback_engine::ids::SwitchId(0)).0;
    let blame = simulation.measures().blame.as_ref().unwrap();
    let mut packets = blame.packets.clone().unwrap();
    packets.sort_by_key(|charged| charged.packet.message);
    (vec![port], packets)
}

/// Each mode has queues where its name says: three frames from one card, two of one node.
#[test]
fn modes() {
    let rows = [(0, 0, 16, 1), (0, 0, 17, 1), (0, 1, 16, 1)];
    let arrivals = |mode| arrivals(&run(machine(&[8, 2], 16), &rows, mode));
    let alone = 20 + 9 + 20;
    // The third is one late at the port, and behind the first on its last line, for 22 more.
    assert_eq!(arrivals(Mode::Full), [alone, alone + 23, alone + 23]);
    assert_eq!(arrivals(Mode::Endpoints), [alone, alone + 23, alone + 23]);
    assert_eq!(arrivals(Mode::Throttled), [alone, alone + 1, alone + 2]);
    assert_eq!(arrivals(Mode::Free), [alone; 3]);
}

/// A message of 1500 bytes to three nodes is one frame on the line and three behind it, whose cells
/// are offered at once: the port into the fabric is never idle, and takes the 66 of them in as many
/// cell times. The last three are those of the three frames, in the order of the list. They are one
/// message, so it is the same in mode `free`.
#[test]
fn a_multicast_to_three_ports() {
    let to = [1, 16, 17];
    let process = |node, steps| ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets: vec![None],
        steps,
    };
    let sends = Step::Multicast { processes: vec![1, 2, 3], socket: 0, bytes: 1_500 };
    let receives = |&node| process(node, vec![Step::Receive { socket: Some(0) }]);
    let mut machine = machine(&[8, 2], 16);
    machine.interface.multicast = Multicast::Switches;
    let all = std::iter::once(process(0, vec![sends])).chain(to.iter().map(receives));
    let workload = crate::common::program(all.collect());
    let waits = [42 - 5, 43 - 5, 44 - 5];
    for mode in [Mode::Full, Mode::Endpoints, Mode::Free] {
        let mut spec = spec(machine.clone(), workload.clone(), mode);
        spec.blame = Some(packet_waits());
        let mut run = Run::with(&spec);
        run.finish();
        let mut found: Vec<_> =
            run.rows.iter().map(|row| (row.destination, row.delivered / 30_000)).collect();
        found.sort_unstable();
        let expected = to.iter().zip([6, 9, 9]).zip(waits);
        let expected = expected.map(|((&to, way), wait)| (to, 407 + 26 + wait + way + 407));
        assert_eq!(found, expected.collect::<Vec<_>>());
        // Each waits for the cells of the other two.
        assert_eq!(run.waits() / 30_000, waits.iter().sum::<u64>());
        if mode == Mode::Full {
            assert_eq!(charged(&spec).1.iter().map(|c| c.charges.len()).max(), Some(1));
        }
    }
}
