//! What can be worked out on paper, for every fidelity that it holds for.

use super::{
    BY_FLITS, EVERY_FIDELITY, Who, cases as small, machine, messages, random_cases,
    rows_at_the_end, run, spec,
};
use crate::common::parts::{clear_rates, rate, set_node_rate, set_rates};
use crate::common::random::Dice;
use tailback_engine::spec::{Fidelity, Machine, Messages, Mode, Spec, TopologySpec, Workload};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Simulation};

/// Everybody there is.
fn everybody() -> impl Iterator<Item = Who> {
    EVERY_FIDELITY.map(Who::Engine).into_iter().chain([Who::Ticks])
}

fn delivered(who: Who, machine: &Machine, list: &[(Time, u32, u32, u32)]) -> Vec<Time> {
    let (rows, _) = run(who, machine, &messages(list));
    rows.iter().map(|row| row.delivered).collect()
}

/// A header time and the delays for every switch, then the whole packet, then the wire.
#[test]
fn a_packet_alone_takes_a_header_time_per_switch() {
    for (switches, header, bytes, end_token, wire, switch_delay) in [
        (2, 1, 32, true, 0, 0),
        (2, 1, 0, true, 0, 0),
        (5, 1, 32, true, 7, 11),
        (5, 2, 17, true, 3, 0),
        (9, 3, 1, false, 0, 5),
        (12, 1, 50, false, 1, 1),
    ] {
        let mut machine = machine(&[switches]);
        machine.interface.header_bytes = header;
        machine.link.end_token = end_token;
        machine.link.delay_ps = wire;
        machine.switch.delay_ps = switch_delay;
        machine.interface.packet_bytes = 50;
        machine.switch.input_buffer_flits = Some(128);
        let (end, header) = (if end_token { 4 } else { 0 }, 10 * u64::from(header));
        let hop = header + wire + switch_delay;
        let whole = header + 10 * u64::from(bytes) + end + wire;
        let expected = u64::from(switches) * hop + whole;
        for who in everybody() {
            let got = delivered(who, &machine, &[(5, 0, switches - 1, bytes)]);
            assert_eq!(got, [5 + expected], "{who:?}, {switches} switches");
        }
    }
}

/// Links of different rates: the slowest one passes all flits one behind the other; each
/// channel before it passes the header, each one after it the last flit.
#[test]
fn a_packet_alone_is_as_fast_as_the_slowest_channel() {
    let (header, bytes, wire, switch_delay) = (2, 20, 3, 2);
    for (external, x, y) in [(1, 1, 1), (3, 1, 2), (1, 4, 2), (2, 1, 5), (2, 2, 1), (5, 3, 4)] {
        let mut machine = machine(&[3, 4]);
        machine.interface.header_bytes = header;
        machine.link.end_token = false;
        machine.link.delay_ps = wire;
        machine.switch.delay_ps = switch_delay;
        machine.switch.input_buffer_flits = Some(64);
        set_node_rate(&mut machine, rate(10 * external, 4 * external));
        set_rates(&mut machine, [x, y].map(|bit| rate(10 * bit, 4 * bit)));
        // From one corner to the other: two channels along x, three along y.
        let flits = [external, x, x, y, y, y, external].map(|bit| 10 * bit);
        let delays = 7 * wire + 6 * switch_delay;
        let slowest_is = |slowest: usize| {
            let before: Time = flits[..slowest].iter().map(|flit| flit * u64::from(header)).sum();
            let after: Time = flits[slowest + 1..].iter().sum();
            before + flits[slowest] * u64::from(header + bytes) + after
        };
        let expected = (0..flits.len()).map(slowest_is).max().unwrap() + delays;
        for who in BY_FLITS.into_iter().chain([Who::Engine(Fidelity::Token)]) {
            let got = delivered(who, &machine, &[(0, 0, 11, bytes)]);
            assert_eq!(got, [expected], "{who:?} {external} {x} {y}");
        }
    }
}

/// An end token that is longer than the header reaches every switch that much later.
#[test]
fn an_end_token_longer_than_the_header_counts_once_per_hop() {
    let mut machine = machine(&[4]);
    machine.link.control_ps = 25;
    // Header and 32 bytes, then the end token over five channels.
    for who in BY_FLITS {
        let got = delivered(who, &machine, &[(0, 0, 3, 32)]);
        assert_eq!(got, [33 * 10 + 5 * 25], "{who:?}");
    }
}

/// Two nodes send to a third over one channel, which is busy without a pause, for one and
/// the other in turn.
#[test]
fn two_inputs_share_an_output_that_is_always_busy() {
    const EACH: usize = 25;
    let machine = machine(&[3]);
    let (header, whole) = (10, 334);
    let rows = vec![[(0, 0, 2, 32), (0, 1, 2, 32)]; EACH].concat();
    for who in everybody() {
        let (packets, tallies) = run(who, &machine, &messages(&rows));
        let mut order: Vec<&PacketRow> = packets.iter().collect();
        order.sort_by_key(|row| row.delivered);
        for (place, row) in order.iter().enumerate() {
            // The nearer one asks first.
            assert_eq!(row.source as usize, 1 - place % 2, "{who:?}");
            let expected = 2 * header + (place as Time + 1) * whole;
            assert_eq!(row.delivered, expected, "{who:?} {place}");
        }
        // From switch 1 to switch 2.
        assert_eq!(tallies[5].busy, 2 * EACH as Time * whole, "{who:?}");
    }
}

/// Room for fewer flits than pass in a round trip: so many in each round trip, exactly.
#[test]
fn a_small_buffer_passes_its_flits_once_per_round_trip() {
    const PACKETS: u64 = 8;
    for (buffer, wire, switch_delay, credit_delay) in
        [(1, 0, 0, 0), (1, 0, 0, 7), (1, 5, 0, 0), (2, 30, 9, 0), (4, 20, 15, 6), (8, 40, 30, 9)]
    {
        let mut machine = machine(&[4]);
        machine.link.control_ps = 10;
        machine.link.delay_ps = wire;
        machine.switch.delay_ps = switch_delay;
        machine.link.credit_delay_ps = credit_delay;
        machine.switch.input_buffer_flits = Some(buffer as u32);
        let hop = 10 + wire + switch_delay;
        let round_trip = hop + credit_delay;
        assert!(buffer * 10 <= round_trip);
        let start = |flit: u64| flit / buffer * round_trip + flit % buffer * 10;
        let last_there = |packet: u64| start(34 * (packet + 1) - 1) + 4 * hop + 10 + wire;
        let expected: Vec<Time> = (0..PACKETS).map(last_there).collect();
        for who in BY_FLITS {
            let list = vec![(0, 0, 3, 32); PACKETS as usize];
            let got = delivered(who, &machine, &list);
            assert_eq!(got, expected, "{who:?}, buffer {buffer}, round trip {round_trip}");
        }
    }
}

/// The same with a packet that is much longer than anything that is kept of it.
#[test]
fn a_long_packet_through_a_small_buffer() {
    const BYTES: u32 = 100_000;
    let mut machine = machine(&[3]);
    machine.link.end_token = false;
    machine.link.delay_ps = 30;
    machine.interface.packet_bytes = BYTES;
    machine.switch.input_buffer_flits = Some(2);
    // Header and data: the last flit is the first of two in its round trip of 40 ticks.
    let expected = u64::from(BYTES / 2) * 40 + 3 * 40 + 10 + 30;
    for fidelity in [Fidelity::Flit, Fidelity::Worm] {
        let got = delivered(Who::Engine(fidelity), &machine, &[(0, 0, 2, BYTES)]);
        assert_eq!(got, [expected], "{fidelity:?}");
    }
}

/// A random case in which whole packets can be as good as flits: links of one rate, room
/// for everything, and end tokens that are not longer than a header.
fn roomy(case: u64) -> (Machine, Messages) {
    let Spec { mut machine, workload, .. } = small::spec(&mut Dice::new(case));
    let link = &mut machine.link;
    let header_ps = u64::from(machine.interface.header_bytes) * link.flit_ps;
    link.control_ps = link.control_ps.min(header_ps);
    link.credit_delay_ps = 0;
    link.packet_gap_ps = 0;
    clear_rates(&mut machine);
    machine.switch.input_buffer_flits = Some(8_000);
    machine.switch.output_buffer_flits = 1 << 10;
    let Workload::Messages(list) = workload else { unreachable!() };
    (machine, list)
}

/// With room for everything nothing is ever drawn out: at any load `packet` is `worm`.
#[test]
fn with_room_for_everything_whole_packets_are_as_good_as_flits() {
    for case in 700_000..700_000 + random_cases(300) {
        let (machine, list) = roomy(case);
        let list = Workload::Messages(list);
        let packet = run(Who::Engine(Fidelity::Packet), &machine, &list);
        for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Stream] {
            let other = run(Who::Engine(fidelity), &machine, &list);
            assert_eq!(packet, other, "case {case}: packet, {fidelity:?}");
        }
    }
}

/// The first messages of a list, so far apart that no packet meets another.
fn far_apart(mut list: Messages) -> Workload {
    // Longer than any of them takes: 64 flits of 24 ticks, and 12 hops of up to 400.
    (0..).zip(&mut list.time_ps).for_each(|(row, time)| *time = row * 8_000);
    list.time_ps.truncate(10);
    let count = list.time_ps.len();
    list.source.truncate(count);
    list.destination.truncate(count);
    list.bytes.truncate(count);
    Workload::Messages(list)
}

/// Packets that meet nobody take the same time in every fidelity.
#[test]
fn packets_that_meet_nobody_agree_in_every_fidelity() {
    for case in 800_000..800_000 + random_cases(100) {
        let (machine, list) = roomy(case);
        let list = far_apart(list);
        let (packet, _) = run(Who::Engine(Fidelity::Packet), &machine, &list);
        for who in everybody() {
            let (other, _) = run(who, &machine, &list);
            assert_eq!(packet, other, "case {case}: packet, {who:?}");
        }
    }
}

/// The mode without contention is a packet alone with room for all of it: also where links
/// differ and end tokens are long.
#[test]
fn without_contention_every_packet_is_alone() {
    for case in 900_000..900_000 + random_cases(100) {
        let Spec { mut machine, workload, .. } = small::spec(&mut Dice::new(case));
        machine.switch.input_buffer_flits = Some(8_000);
        let Workload::Messages(list) = workload else { unreachable!() };
        let list = far_apart(list);
        let (alone, _) = run(Who::Ticks, &machine, &list);
        let free = Spec { mode: Mode::Free, ..spec(&machine, list, Fidelity::Flit) };
        let rows = rows_at_the_end(&mut Simulation::new(&free).unwrap());
        assert_eq!(rows, alone, "case {case}: without contention, alone");
    }
}

/// Four nodes send to the one in their middle as fast as they can: it always receives.
#[test]
fn a_hot_spot_receives_without_a_pause() {
    let (cross, star) = (TopologySpec::Mesh { dims: vec![3, 3] }, TopologySpec::Star { nodes: 9 });
    for (topology, switches, buffer) in
        [(&cross, 2, 70), (&cross, 2, 140), (&cross, 2, 1000), (&star, 1, 70), (&star, 1, 1000)]
    {
        let mut machine = machine(&[3, 3]);
        machine.topology = topology.clone();
        machine.switch.input_buffer_flits = Some(buffer);
        let rows = vec![[1, 3, 5, 7].map(|node| (0, node, 4, 32)); 10].concat();
        for who in everybody() {
            let mut got = delivered(who, &machine, &rows);
            got.sort_unstable();
            let expected: Vec<Time> = (1..=40).map(|packet| switches * 10 + packet * 334).collect();
            assert_eq!(got, expected, "{who:?}, {topology:?}, buffer {buffer}");
        }
    }
}

/// Two nodes joined directly: a packet, and the acknowledgement queued when its header
/// has arrived.
#[test]
fn a_packet_and_its_acknowledgement() {
    let mut machine = machine(&[2]);
    machine.topology = TopologySpec::Pair;
    machine.interface.acknowledges = true;
    for fidelity in EVERY_FIDELITY {
        let (rows, _) = run(Who::Engine(fidelity), &machine, &messages(&[(0, 0, 1, 32)]));
        // In band, 64 tokens of 70 are granted at first: when two have arrived another
        // eight are, between the header and the end of the acknowledgement; likewise once
        // for the acknowledgement, in the middle of the packet.
        let in_band = if fidelity == Fidelity::Token { 4 } else { 0 };
        let times = rows.iter().map(|row| (row.queued, row.first_sent, row.delivered));
        let expected = [(0, 0, 334 + in_band), (10, 10, 24 + in_band)];
        assert_eq!(times.collect::<Vec<_>>(), expected, "{fidelity:?}");
    }
}
