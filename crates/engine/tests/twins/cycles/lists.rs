//! Cases worked out by hand in which nodes and switches are one.
//!
//! Links of two ticks per byte, headers of two bytes, no end token, and four ticks of
//! arbitration: a header that starts at s can start on the next channel at s + 8. A packet of
//! 10 data bytes takes 24 ticks on a channel.

use super::{BY_FLITS, machine, messages, run, spec};
use crate::common::parts::Scheme;
use tailback_engine::spec::{Arbiter, Fidelity, Machine, Mode, Spec, TopologySpec, Workload};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

fn hypercube(dimensions: u32, buffer: u32) -> Machine {
    let mut machine = machine(&[2]);
    machine.topology = TopologySpec::Hypercube { dimensions };
    machine.link.flit_ps = 2;
    machine.interface.header_bytes = 2;
    machine.link.end_token = false;
    machine.switch.delay_ps = 4;
    machine.interface.packet_bytes = 1 << 16;
    machine.switch.input_buffer_flits = Some(buffer);
    Scheme::Wormhole.join(&mut machine);
    machine.interface.early_bytes = 2;
    machine
}

/// First sent, first sent on a channel, delivered.
fn check(machine: &Machine, rows: &[(Time, u32, u32, u32)], times: &[(Time, Time, Time)]) {
    for who in BY_FLITS {
        let (rows, _) = run(who, machine, &messages(rows));
        let of = |row: &PacketRow| (row.first_sent, row.first_internal, row.delivered);
        assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), times, "{who:?}");
    }
}

/// When messages begin, as a sum, as long after they were sent.
fn begin(machine: &Machine, list: &Workload, mode: Mode, fidelity: Fidelity) -> u128 {
    let spec = Spec { mode, ..spec(machine, list.clone(), fidelity) };
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    simulation.measures().message_begins.as_ref().unwrap().moments.sum
}

/// Undisturbed, a packet takes arbitration, a header's time for each channel but the last, and
/// its own there, however small buffers are.
#[test]
fn a_packet_alone_takes_as_long_as_without_contention() {
    for buffer in 2..=20 {
        for steps in 1..=4_u32 {
            let machine = hypercube(4, buffer);
            let (start, there) = (4 + 100, 4 + 100 + 8 * Time::from(steps - 1));
            let rows = [(100, 0, (1 << steps) - 1, 10)];
            check(&machine, &rows, &[(100, start, there + 24)]);
            for mode in [Mode::Full, Mode::Free] {
                for fidelity in [Fidelity::Flit, Fidelity::Worm] {
                    let begun = begin(&machine, &messages(&rows), mode, fidelity);
                    // Four bytes on the last channel.
                    assert_eq!(begun, u128::from(there + 8 - 100), "{mode:?}, {fidelity:?}");
                }
            }
        }
    }
}

/// Messages for both neighbours go out together; a message behind one that waits waits too.
#[test]
fn a_node_sends_over_all_its_channels_at_once() {
    let rows = [(0, 0, 1, 10), (0, 0, 2, 10), (0, 0, 1, 10), (0, 0, 2, 10)];
    let times = [(0, 4, 28), (0, 4, 28), (24, 28, 52), (24, 28, 52)];
    check(&hypercube(2, 20), &rows, &times);
}

/// A message that is queued while its channel is busy is arbitrated meanwhile.
#[test]
fn arbitration_passes_while_a_channel_is_busy() {
    check(&hypercube(1, 20), &[(0, 0, 1, 10), (26, 0, 1, 10)], &[(0, 4, 28), (26, 30, 54)]);
    check(&hypercube(1, 20), &[(0, 0, 1, 10), (20, 0, 1, 10)], &[(0, 4, 28), (24, 28, 52)]);
}

/// Node 0 sends to 2 until 68. Node 1 sends to 2 over node 0, and then to node 0 itself:
/// that stands behind the other there until it has left, at 92, and is delivered at once.
#[test]
fn what_stands_behind_another_is_delivered_when_that_has_left() {
    let machine = hypercube(2, 20);
    let rows = [(0, 0, 2, 30), (0, 1, 2, 10), (0, 1, 0, 3)];
    check(&machine, &rows, &[(0, 4, 68), (0, 4, 92), (24, 28, 92)]);
    for fidelity in [Fidelity::Flit, Fidelity::Worm] {
        // Four bytes after the start on the last channel; the last one all at once.
        let begun = begin(&machine, &messages(&rows), Mode::Full, fidelity);
        assert_eq!(begun, 12 + (68 + 8) + 92, "{fidelity:?}");
    }
}

/// Node 1's packet stands at node 0, with as much as there is room for, until 68, and in
/// node 1; then it goes on without a gap.
#[test]
fn a_worm_stands_in_small_buffers() {
    for buffer in [2, 3, 6] {
        let rows = [(0, 0, 2, 30), (0, 1, 2, 10)];
        check(&hypercube(2, buffer), &rows, &[(0, 4, 68), (0, 4, 92)]);
        for who in BY_FLITS {
            let (_, tallies) = run(who, &hypercube(2, buffer), &messages(&rows));
            // Channels: four injections; from node 0 to 1 and 2, from node 1 to 0 and 3.
            // Until 68 so many bytes have been sent to node 0; then one whenever one leaves.
            let tally = tallies[4 + 2];
            assert_eq!((tally.packets, tally.busy, tally.throttling), (1, 24, 0), "{who:?}");
            let last_starts = 68 + 2 * (11 - Time::from(buffer));
            assert_eq!(tally.kept, last_starts + 2 - 4 - 24, "{who:?}");
            // It could go on at 12.
            assert_eq!(tallies[4 + 1].internal_contention, 68 - 12, "{who:?}");
        }
    }
}

/// A node's list and a channel ask at the same instant.
#[test]
fn the_list_of_a_node_comes_before_its_channels() {
    // Node 1's asks at node 0 at 12, and so does node 0's own.
    let rows = [(0, 1, 2, 10), (8, 0, 2, 10)];
    let mut machine = hypercube(2, 20);
    check(&machine, &rows, &[(0, 4, 60), (8, 12, 36)]);
    machine.switch.arbiter = Arbiter::NetFirst;
    check(&machine, &rows, &[(0, 4, 36), (32, 36, 60)]);
    // A byte's time earlier the channel comes first anyway.
    machine.switch.arbiter = Arbiter::Fifo;
    check(&machine, &[(0, 1, 2, 10), (9, 0, 2, 10)], &[(0, 4, 36), (32, 36, 60)]);
}

/// Three neighbours send to one node, which receives on all channels at once.
#[test]
fn a_node_receives_on_all_its_channels_at_once() {
    let rows = [(0, 1, 0, 10), (0, 2, 0, 10), (0, 4, 0, 10)];
    check(&hypercube(3, 2), &rows, &[(0, 4, 28); 3]);
}
