//! Several packets of a message in flight, and messages of one node, worked out by hand.
//!
//! A byte takes 1 ns, headers are of two bytes, wires take 5 ns, and a packet has 8 bytes of
//! data: it takes D = 10 ns on a channel, and a channel later starts 7 ns later. From node 0 to
//! node 1 it crosses three channels: T = 2 × 7 + 10 + 5 = 29 ns after it starts it is there.

use crate::common::{Run, message_list, spec};
use tailback_engine::PacketRow;
use tailback_engine::spec::{
    Fidelity, FlowControl, LinkClass, Machine, MessageOrder, Mode, Spec, TopologySpec,
};

const FIDELITIES: [Fidelity; 4] =
    [Fidelity::Packet, Fidelity::Flit, Fidelity::Worm, Fidelity::Stream];

/// Switches in a row, each with a node.
fn machine(switches: u32, window: Option<u32>) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![switches] });
    machine.node_link = Some(LinkClass { width: Some(1), ..LinkClass::default() });
    (machine.link.flit_ps, machine.link.control_ps) = (1_000, 1_000);
    machine.link.end_token = false;
    machine.link.delay_ps = 5_000;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.switch.input_buffer_flits = Some(1 << 20);
    let interface = &mut machine.interface;
    (interface.header_bytes, interface.packet_bytes) = (2, 8);
    (interface.acknowledges, interface.window) = (false, window);
    machine
}

/// The data packets of a run, in order of message and start.
fn packets(spec: &Spec) -> Vec<PacketRow> {
    let mut run = Run::with(spec);
    run.finish();
    let mut packets = run.data();
    packets.sort_by_key(|packet| (packet.message, packet.first_sent));
    packets
}

/// When data packets start, and when the last is there, in ns, in every fidelity and mode.
fn check(machine: &Machine, bytes: u32, starts: &[u64], there: u64) {
    for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
        for fidelity in FIDELITIES {
            let list = message_list(&[(0, 0, 1, bytes)]);
            let rows = packets(&Spec { fidelity, ..spec(machine.clone(), list, mode) });
            let of = |row: &PacketRow| row.first_sent / 1_000;
            let what = format!("{mode:?} {fidelity:?} {:?}", machine.interface.window);
            assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), starts, "{what}");
            let last = rows.iter().map(|row| row.delivered).max().unwrap();
            assert_eq!(last, 1_000 * there, "{what}");
        }
    }
}

/// Delivery opens the window: packet k starts T after packet k − window, or D after k − 1.
#[test]
fn without_acknowledgements_delivery_opens_a_window() {
    // 0, T, 2 T, 3 T; the last is there at 4 T.
    check(&machine(2, Some(1)), 32, &[0, 29, 58, 87], 116);
    // Two at a time: T and T + D, then 2 T.
    check(&machine(2, Some(2)), 40, &[0, 10, 29, 39, 58], 87);
    // Three take 30 ns to send, longer than T: never a pause.
    check(&machine(2, Some(3)), 40, &[0, 10, 20, 30, 40], 69);
    check(&machine(2, None), 40, &[0, 10, 20, 30, 40], 69);
    // The last of 34 bytes takes 4 ns.
    check(&machine(2, Some(2)), 34, &[0, 10, 29, 39, 58], 58 + 14 + 4 + 5);
    check(&machine(2, None), 34, &[0, 10, 20, 30, 40], 40 + 14 + 4 + 5);
    check(&machine(2, Some(2)), 0, &[0], 14 + 2 + 5);
}

/// A header is at its node 21 ns after its packet starts; the acknowledgement, of two bytes,
/// takes 14 + 2 + 5 = 21 ns back: 42 ns after its start a packet's place is free.
#[test]
fn with_acknowledgements_they_open_a_window() {
    let machine = |window| {
        let mut machine = machine(2, window);
        machine.interface.acknowledges = true;
        machine
    };
    check(&machine(Some(1)), 32, &[0, 42, 84, 126], 126 + 29);
    check(&machine(Some(2)), 32, &[0, 10, 42, 52], 52 + 29);
    check(&machine(Some(3)), 40, &[0, 10, 20, 42, 52], 52 + 29);
    // Five take 50 ns to send, longer than 42.
    check(&machine(Some(5)), 56, &[0, 10, 20, 30, 40, 50, 60], 60 + 29);
    check(&machine(None), 56, &[0, 10, 20, 30, 40, 50, 60], 60 + 29);
}

/// 1 MB at 100 Gbit/s: 80 us and the headers, and then what the last packet's header takes to
/// get from its node to the last channel, whatever the size of packets, wires and switches.
#[test]
fn a_megabyte_takes_its_bytes_and_one_header_more() {
    let (size, byte, header) = (1_000_000_u32, 80, 8);
    for packet in [1_000, 256, 4_096, 999, 1_000_000] {
        for (wire, switch) in [(0, 0), (50_000, 100_000), (3_000_000, 7)] {
            for channels in 3..=6_u64 {
                let mut machine = machine(channels as u32 - 1, None);
                (machine.link.flit_ps, machine.link.delay_ps) = (byte, wire);
                machine.link.control_ps = byte;
                machine.switch.delay_ps = switch;
                machine.switch.input_buffer_flits = Some(1 << 28);
                let interface = &mut machine.interface;
                (interface.header_bytes, interface.packet_bytes) = (header, packet);
                let sent = byte * u64::from(size + size.div_ceil(packet) * header);
                let hop = byte * u64::from(header) + wire + switch;
                let there = sent + (channels - 1) * hop + wire;
                for fidelity in [Fidelity::Packet, Fidelity::Worm] {
                    for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
                        let to = channels as u32 - 2;
                        let list = message_list(&[(0, 0, to, size)]);
                        let rows = packets(&Spec { fidelity, ..spec(machine.clone(), list, mode) });
                        let last = rows.iter().map(|row| row.delivered).max().unwrap();
                        assert_eq!(last, there, "{mode:?} {fidelity:?} {packet} B {channels}");
                    }
                }
            }
        }
    }
}

/// Messages of node 0 to node 1, by time and bytes: when the packets of each start, in ns.
fn starts(machine: &Machine, messages: &[(u64, u32)]) -> Vec<Vec<u64>> {
    let rows: Vec<_> = messages.iter().map(|&(time, bytes)| (1_000 * time, 0, 1, bytes)).collect();
    let of = |fidelity| {
        let run = spec(machine.clone(), message_list(&rows), Mode::Full);
        let mut starts = vec![Vec::new(); messages.len()];
        for packet in packets(&Spec { fidelity, ..run }) {
            starts[packet.message as usize].push(packet.first_sent / 1_000);
        }
        starts
    };
    let first = of(Fidelity::Packet);
    for fidelity in FIDELITIES {
        assert_eq!(of(fidelity), first, "{fidelity:?}");
    }
    first
}

fn in_turn(window: Option<u32>) -> Machine {
    let mut machine = machine(2, window);
    machine.interface.message_order = MessageOrder::RoundRobin;
    machine
}

#[test]
fn first_come_first_served_is_in_the_order_in_which_packets_were_queued() {
    let machine = machine(2, None);
    assert_eq!(starts(&machine, &[(0, 32), (0, 16)]), [vec![0, 10, 20, 30], vec![40, 50]]);
}

/// Of each message one packet, as long as it has any.
#[test]
fn messages_of_a_node_take_turns() {
    let machine = in_turn(None);
    assert_eq!(starts(&machine, &[(0, 32), (0, 16)]), [vec![0, 20, 40, 50], vec![10, 30]]);
    assert_eq!(
        starts(&machine, &[(0, 24), (0, 8), (0, 16)]),
        [vec![0, 30, 50], vec![10], vec![20, 40]]
    );
    // At 15 the third packet of the first is the next; then it is the other's turn.
    assert_eq!(starts(&machine, &[(0, 32), (15, 16)]), [vec![0, 10, 20, 40], vec![30, 50]]);
    // Of three: at 15 the second of the first has begun, and its third waits behind the others.
    assert_eq!(
        starts(&machine, &[(0, 24), (0, 16), (15, 16)]),
        [vec![0, 20, 50], vec![10, 30], vec![40, 60]]
    );
}

/// With one packet in flight a message has none that waits: both take turns in either order.
#[test]
fn windows_make_messages_take_turns_too() {
    let expected = [vec![0, 29, 58], vec![10, 39, 68]];
    for machine in [machine(2, Some(1)), in_turn(Some(1))] {
        assert_eq!(starts(&machine, &[(0, 24), (0, 24)]), expected);
    }
    // Two in flight: at 29 the first of one is there, at 39 that of the other.
    let machine = machine(2, Some(2));
    assert_eq!(starts(&machine, &[(0, 24), (0, 24)]), [vec![0, 10, 40], vec![20, 30, 50]]);
    let machine = in_turn(Some(2));
    assert_eq!(starts(&machine, &[(0, 24), (0, 24)]), [vec![0, 20, 40], vec![10, 30, 50]]);
}
