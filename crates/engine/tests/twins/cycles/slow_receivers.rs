//! Cases worked out by hand in which nodes drain slowly what they take in.

use super::{BY_FLITS, machine, messages, run, spec};
use crate::common::packet_waits;
use tailback_engine::measure::blame::{Cause, Charged};
use tailback_engine::spec::{Fidelity, Machine, Mode, Spec, TopologySpec, Workload};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

/// Links of two ticks per flit, headers of one flit and an end token; ten ticks per data byte
/// to drain a packet.
fn slow(dims: &[u32], buffer: u32, places: Option<u32>) -> Machine {
    let mut machine = machine(dims);
    (machine.link.flit_ps, machine.link.control_ps) = (2, 2);
    machine.switch.input_buffer_flits = Some(buffer);
    machine.interface.receive_fifo = places;
    machine.interface.drain_byte_ps = Some(10);
    machine
}

/// First sent, first sent on an internal channel, delivered.
type Times = (Time, Time, Time);

fn check(machine: &Machine, rows: &[(Time, u32, u32, u32)], times: &[Times]) {
    for who in BY_FLITS {
        let (rows, _) = run(who, machine, &messages(rows));
        assert_eq!(rows.iter().map(times_of).collect::<Vec<_>>(), times, "{who:?}");
    }
}

fn times_of(row: &PacketRow) -> Times {
    (row.first_sent, row.first_internal, row.delivered)
}

/// All that the engine finds in a mode and fidelity, with charges, in order of message.
fn charged(
    machine: &Machine,
    list: &Workload,
    mode: Mode,
    fidelity: Fidelity,
) -> (Vec<Charged>, Simulation) {
    let blame = Some(packet_waits());
    let spec = Spec { mode, blame, ..spec(machine, list.clone(), fidelity) };
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|one| one.packet.message);
    (charged, simulation)
}

const WITH_FIFOS: [Fidelity; 3] = [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit];
const MODES: [Mode; 4] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];

/// As on the Paragon: links four times as fast as nodes drain what comes, 22 ns per byte. A
/// packet takes its header's time for each channel but the last, and from its start there what it
/// takes to drain it: the distance is all but nothing.
#[test]
fn a_packet_alone_is_drained_from_its_start_on_the_last_channel() {
    let mut machine = machine(&[2, 30]);
    (machine.link.flit_ps, machine.link.end_token) = (5_500, false);
    machine.interface.packet_bytes = 1_792;
    machine.switch.input_buffer_flits = Some(2 * 1_793);
    (machine.interface.receive_fifo, machine.interface.drain_byte_ps) = (Some(2), Some(22_000));
    for (destination, channels) in [(1, 3), (3, 4), (59, 32)] {
        for bytes in [1, 100, 1_792] {
            let list = messages(&[(0, 0, destination, bytes)]);
            for mode in MODES {
                for fidelity in WITH_FIFOS {
                    let (packets, _) = charged(&machine, &list, mode, fidelity);
                    let drained = (channels - 1) * 5_500 + Time::from(bytes) * 22_000;
                    assert_eq!(packets[0].packet.delivered, drained, "{mode:?} {fidelity:?}");
                    assert_eq!((packets[0].alone, packets[0].charges.len()), (drained, 0));
                }
            }
        }
    }
    // Of a message of several packets the last is drained when all before it have been.
    let list = messages(&[(0, 0, 59, 15_000)]);
    let mut machine = machine.clone();
    machine.interface.window = None;
    for mode in [Mode::Full, Mode::Endpoints] {
        for fidelity in WITH_FIFOS {
            let (packets, _) = charged(&machine, &list, mode, fidelity);
            let last = packets.iter().map(|one| one.packet.delivered).max();
            assert_eq!(last, Some(31 * 5_500 + 15_000 * 22_000), "{mode:?} {fidelity:?}");
        }
    }
}

/// Three packets, the first two for one node. Of the second, which is granted the channel to its
/// node when the first has been drained, two flits stand at the switch there, two at the
/// one before, and one where it came from; the third stands behind that, although its way is free.
#[test]
fn a_full_receive_fifo_backs_up_into_the_network() {
    let machine = slow(&[3], 2, Some(1));
    let rows = [(0, 0, 2, 3), (0, 0, 2, 3), (0, 0, 1, 3)];
    // The first starts on the last channel at 6 and has been drained 30 later. The second asks
    // there at 16, is granted it at 36; its last flit leaves switch 0 at 36, switch 1 at 40 and has
    // been sent at 38 and 42. Then the third goes on: it starts on its last channel at 42.
    check(&machine, &rows, &[(0, 2, 36), (10, 12, 66), (20, 38, 72)]);
    let ejection = |node: u32| 3 + 4 + node;
    for fidelity in [Fidelity::Worm, Fidelity::Flit] {
        let (packets, simulation) = charged(&machine, &messages(&rows), Mode::Full, fidelity);
        let charges = |one: usize| -> Vec<(u32, Cause, Time)> {
            let charges = packets[one].charges.iter();
            charges.map(|charge| (charge.channel.0, charge.cause, charge.time)).collect()
        };
        assert_eq!(charges(0), []);
        let throttled = (0, Cause::Throttling, 10);
        assert_eq!(charges(1), [throttled, (ejection(2), Cause::ReceiverBusy, 20)]);
        // Behind the second in its node until 20, at switch 0 from 22 to 38, at switch 1 until 42.
        let behind = [(3, Cause::HeadOfLine, 16), (ejection(1), Cause::HeadOfLine, 2)];
        assert_eq!(charges(2), [vec![(0, Cause::Throttling, 20)], behind.to_vec()].concat());
        let waits = &simulation.measures().channels[ejection(2) as usize];
        assert_eq!(waits.wait_internal_ps, 20);
    }
}

/// With a second place the second packet is taken in when it comes, and drained behind the first:
/// nothing backs up, and it has lived as long.
#[test]
fn a_packet_with_a_place_waits_for_those_before_it_to_be_drained() {
    for places in [Some(2), Some(7), None] {
        let machine = slow(&[3], 2, places);
        let rows = [(0, 0, 2, 3), (0, 0, 2, 3), (0, 0, 1, 3)];
        // The second starts on the last channel at 16, the third at 24.
        check(&machine, &rows, &[(0, 2, 36), (10, 12, 66), (20, 22, 54)]);
        let roomy = slow(&[3], 68, places);
        for fidelity in WITH_FIFOS {
            for mode in [Mode::Full, Mode::Endpoints] {
                let (packets, simulation) = charged(&roomy, &messages(&rows), mode, fidelity);
                let delivered: Vec<Time> = packets.iter().map(|one| one.packet.delivered).collect();
                assert_eq!(delivered, [36, 66, 54], "{mode:?} {fidelity:?}");
                if mode == Mode::Endpoints {
                    // Causes of packets' waits are told in `full`.
                    continue;
                }
                let last = packets[1].charges.last().unwrap();
                assert_eq!((last.channel.0, last.cause, last.time), (9, Cause::ReceiverBusy, 20));
                assert_eq!(simulation.measures().channels[9].wait_internal_ps, 20);
            }
            // Without contention a packet is drained as if it were alone.
            let free = charged(&roomy, &messages(&rows), Mode::Free, fidelity).0;
            let delivered: Vec<Time> = free.iter().map(|one| one.packet.delivered).collect();
            assert_eq!(delivered, [36, 36, 34]);
        }
    }
}

/// One place, whole packets and no network: the next is granted the channel when the one before
/// has been drained, in every fidelity and in mode `endpoints`, in the order in which they ask.
#[test]
fn whoever_asks_first_has_the_next_place() {
    let mut machine = slow(&[2], 40, Some(1));
    machine.topology = TopologySpec::Star { nodes: 4 };
    let rows = [(0, 1, 0, 3), (1, 2, 0, 2), (2, 3, 0, 4)];
    // From 2 to 32, to 52, to 92.
    for mode in [Mode::Full, Mode::Endpoints] {
        for fidelity in WITH_FIFOS {
            let (packets, _) = charged(&machine, &messages(&rows), mode, fidelity);
            let delivered: Vec<Time> = packets.iter().map(|one| one.packet.delivered).collect();
            assert_eq!(delivered, [32, 52, 92], "{mode:?} {fidelity:?}");
            if mode == Mode::Endpoints {
                continue;
            }
            let waited = |one: &Charged, cause| -> Time {
                let of_cause = one.charges.iter().filter(|charge| charge.cause == cause);
                of_cause.map(|charge| charge.time).sum()
            };
            // The second asks at 3, the channel is free at 12. The third asks at 4; the
            // second sends from 32 to 40, and has been drained 12 later.
            assert_eq!(waited(&packets[1], Cause::OutputBusy), 12 - 3);
            assert_eq!(waited(&packets[1], Cause::ReceiverBusy), 32 - 12);
            assert_eq!(waited(&packets[2], Cause::OutputBusy), 12 - 4);
            assert_eq!(waited(&packets[2], Cause::Arbitration), 8);
            assert_eq!(waited(&packets[2], Cause::ReceiverBusy), (32 - 12) + (52 - 40));
        }
    }
}
