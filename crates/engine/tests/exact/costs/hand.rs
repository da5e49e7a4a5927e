//! Laws of latency, and what happens on a CPU, to the picosecond.

use super::{EVERY, TAU, US, machine, side};
use crate::common::{Run, message_list, spec};
use tailback_engine::spec::*;

/// The costs of the Symult 2010: what packets cost they cost above one packet.
pub fn symult() -> Costs {
    Costs {
        send: Side {
            before_ps: 105 * US,
            per_packet_ps: 24_550_000,
            after_ps: 179 * US,
            ..Side::default()
        },
        receive: Side { per_packet_ps: 32 * US, ..side(0, 101 * US) },
        receive_preempts: true,
        multi_packet_only: true,
        ..Costs::default()
    }
}

fn latency(machine: Machine, mode: Mode, fidelity: Fidelity, bytes: u32) -> u64 {
    let to = 3;
    let spec = Spec { fidelity, ..spec(machine, message_list(&[(0, 0, to, bytes)]), mode) };
    let mut run = Run::with(&spec);
    run.finish();
    let measures = run.simulation.measures();
    assert_eq!(measures.counters.message_latency_count, 1);
    let counters = run.simulation.counters();
    let parts = counters.latency_overhead_ps
        + counters.latency_wire_ps
        + counters.latency_throttling_ps
        + counters.latency_contention_ps;
    assert_eq!(parts, counters.message_latency_ps, "{mode:?} {fidelity:?}");
    assert_eq!((counters.latency_throttling_ps, counters.latency_contention_ps), (0, 0));
    counters.message_latency_ps
}

/// 4 switches, 5 channels: the header (1 byte) takes a flit time on each of the first four.
#[test]
fn the_law_of_the_symult_2010() {
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit, Fidelity::Fluid] {
        for mode in EVERY {
            let of = |bytes| latency(machine(4, symult()), mode, fidelity, bytes);
            let tau = if mode == Mode::Ideal { 0 } else { TAU };
            let wire = |bytes: u64| (4 + 1 + bytes) * tau;
            for bytes in [1, 256] {
                assert_eq!(of(bytes), 206 * US + wire(bytes.into()), "{mode:?} {fidelity:?}");
            }
            // Two packets: s, the first leaves its node, s, the last crosses the network, r.
            let (s, r) = (24_550_000, 32 * US);
            let last = |before: u64, bytes| 105 * US + before + s + wire(bytes) + r + 101 * US;
            let first = s + 257 * tau;
            // The first is taken in while the last is prepared.
            let waits = |bytes| (r + 4 * tau).saturating_sub(s + wire(bytes));
            assert_eq!(of(257), last(first, 1) + waits(1), "{mode:?} {fidelity:?}");
            if mode != Mode::Ideal {
                assert_eq!(of(1000), last(3 * first, 1000 - 768), "{mode:?} {fidelity:?}");
            }
        }
    }
}

/// The Paragon's network interface: 22 ns a byte between packets of 1792 bytes, after 231 us.
#[test]
fn packets_keep_their_interval() {
    let costs = Costs {
        send: side(231 * US, 0),
        packet_interval_per_byte_fs: 22_000_000,
        ..Costs::default()
    };
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit, Fidelity::Fluid] {
        for mode in EVERY {
            let mut machine = machine(4, costs);
            machine.interface.packet_bytes = 1792;
            machine.link.flit_ps = 5_500;
            let bytes = 10_000_u64;
            let last = bytes % 1792;
            let wire = if mode == Mode::Ideal { 0 } else { (4 + 1 + last) * 5_500 };
            let expected = 231 * US + 22_000 * (bytes - last) + wire;
            assert_eq!(latency(machine, mode, fidelity, bytes as u32), expected, "{mode:?}");
        }
    }
}

/// `LogGP`: o at either end, g between messages, O and G for each byte.
#[test]
fn the_law_of_log_gp() {
    let (o, g, per_byte, gap) = (7 * US, 20 * US, 1_000_000, 3_000_000);
    let costs = Costs {
        send: Side { before_ps: o, per_byte_fs: per_byte, ..Side::default() },
        receive: Side { after_ps: o, per_byte_fs: per_byte, ..Side::default() },
        packet_interval_ps: g,
        packet_interval_per_byte_fs: gap,
        overlap: true,
        ..Costs::default()
    };
    for mode in EVERY {
        let wire = if mode == Mode::Ideal { 0 } else { (2 + 1 + 100) * TAU };
        // Two messages at once: the second is prepared meanwhile, and starts after the interval.
        let list = message_list(&[(0, 0, 1, 100), (0, 0, 1, 100)]);
        for fidelity in [Fidelity::Packet, Fidelity::Fluid] {
            let spec = Spec { fidelity, ..spec(machine(2, costs), list.clone(), mode) };
            let mut run = Run::with(&spec);
            run.finish();
            let (send, receive) = (o + 100_000, o + 100_000);
            let first = send + wire + receive;
            let second = send + g + 300_000 + wire + receive;
            let counters = run.simulation.counters();
            assert_eq!(counters.message_latency_ps, first + second, "{mode:?}");
            assert_eq!(counters.cpu_sending_ps, 2 * send);
            assert_eq!(counters.cpu_receiving_ps, 2 * receive);
        }
    }
}

/// A message within a node costs nothing, in any mode.
#[test]
fn messages_within_a_node_are_free() {
    for mode in EVERY {
        let list = message_list(&[(0, 1, 1, 1000), (5 * US, 1, 0, 1)]);
        let mut run = Run::new(machine(2, symult()), list, mode);
        run.finish();
        let counters = run.simulation.counters();
        assert_eq!((counters.messages_local, counters.message_latency_count), (1, 1));
        assert_eq!(counters.cpu_sending_ps, (105 + 179) * US);
    }
}
