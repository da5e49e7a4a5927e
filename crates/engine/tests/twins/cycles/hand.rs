//! Small cases worked out by hand, for everybody who lets single flits pass.

use super::simulator::Tally;
use super::{BY_FLITS, Who, machine, messages, run};
use crate::common::arbiters::BY_HAND;
use crate::common::parts::{rate, set_node_rate};
use tailback_engine::PacketRow;
use tailback_engine::spec::{Fidelity, HalfDuplex, Machine, RoutingSpec, Sharing};
use tailback_engine::time::Time;

/// First sent, first sent on an internal channel, delivered.
type Times = (Time, Time, Time);

fn check(machine: &Machine, rows: &[(Time, u32, u32, u32)], times: &[Times]) -> Vec<Vec<Tally>> {
    let runs = BY_FLITS.iter().map(|&who| {
        let (rows, tallies) = run(who, machine, &messages(rows));
        let of = |row: &PacketRow| (row.first_sent, row.first_internal, row.delivered);
        assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), times, "{who:?}");
        tallies
    });
    runs.collect()
}

/// Links of two ticks per flit, the end token included, and headers of one flit.
fn two_ticks_per_flit(dims: &[u32], buffer: u32) -> Machine {
    let mut machine = machine(dims);
    (machine.link.flit_ps, machine.link.control_ps) = (2, 2);
    machine.switch.input_buffer_flits = Some(buffer);
    machine
}

/// A buffer of one flit: the next one starts when this one has been sent (2), has
/// gone over the wire (1) and through the switch (1), and so has left: every 4 ticks.
#[test]
fn a_flit_for_every_round_trip() {
    let mut machine = two_ticks_per_flit(&[3], 1);
    machine.link.delay_ps = 1;
    machine.switch.delay_ps = 1;
    // Header, three bytes, end token: on the first channel at 0, 4, 8, 12, 16, on each
    // of the others 4 later; the end token is sent at 16 + 3 · 4 + 2 = 30, there at 31.
    let runs = check(&machine, &[(0, 0, 2, 3)], &[(0, 4, 31)]);
    for tallies in runs {
        // Every channel is released 18 ticks after it was granted, and sends for 10.
        let used: Vec<&Tally> = tallies.iter().filter(|tally| tally.packets > 0).collect();
        assert!(used.iter().all(|tally| (tally.busy, tally.kept) == (10, 8)));
        // Undisturbed it would take 10 ticks and the wire on the last channel, not 19.
        let late: Vec<Time> = used.iter().map(|tally| tally.internal_contention).collect();
        assert_eq!(late, [0, 0, 0, 8]);
    }
}

/// The same with a credit delay of 3 and room for two flits: two every 7 ticks.
#[test]
fn two_flits_for_every_round_trip() {
    let mut machine = two_ticks_per_flit(&[2], 2);
    machine.link.delay_ps = 1;
    machine.switch.delay_ps = 1;
    machine.link.credit_delay_ps = 3;
    // On the first channel at 0, 2, 7, 9, 14, 16, 21; the end token is at the far end of
    // the third at 21 + 2 · 4 + 2 + 1.
    check(&machine, &[(0, 0, 1, 5)], &[(0, 4, 32)]);
}

/// Two packets for the channel from switch 1 to switch 2, with room for two flits.
#[test]
fn a_blocked_packet_stays_where_it_is() {
    let machine = two_ticks_per_flit(&[3], 2);
    let rows = [(0, 0, 2, 3), (0, 1, 2, 3)];
    // The nearer one asks at 2 and has been sent at 12. The other, waiting since 4, has
    // sent flits 0 and 1 to switch 1 at 2 and 4, flits 2 and 3 to switch 0 at 4 and 6.
    // At 12 flit 0 leaves switch 1, and with it flit 2 switch 0 and flit 4 the node.
    let runs = check(&machine, &rows, &[(0, 2, 24), (0, 2, 14)]);
    for tallies in runs {
        let kept: Vec<Time> = tallies.iter().map(|tally| tally.kept).collect();
        // Injection by node; 0 → 1, 1 → 0, 1 → 2, 2 → 1; ejection.
        assert_eq!(kept, [4, 0, 0, 6, 0, 0, 0, 0, 0, 0]);
        assert_eq!(tallies[5].internal_contention, 12 - 4);
        assert_eq!(tallies.iter().map(|tally| tally.throttling).sum::<Time>(), 0);
    }
}

/// A packet whose own output is idle waits until the channel that the packet before it
/// took has been released.
#[test]
fn the_front_falls_free_when_the_packet_before_it_has_been_sent() {
    let machine = two_ticks_per_flit(&[3, 2], 3);
    // Nodes 0, 1, 2 and above them 3, 4, 5. From 0 to 1 to 2, and from 0 to 1 up to 4.
    let rows = [(0, 1, 2, 7), (0, 0, 2, 1), (0, 0, 4, 1)];
    // The first has 9 flits and takes the channel from switch 1 to switch 2 from 2 to 20, the
    // second then until 26; that has filled the buffer at switch 1 since 8. The third starts
    // in its node at 6, is granted the channel to switch 1 at 8 and waits for a credit until
    // 20. It is in switch 1 from 26 and at its front at 26: up from 26, out from 28 to 34.
    check(&machine, &rows, &[(0, 2, 22), (0, 2, 28), (6, 20, 34)]);
}

/// External links of four ticks per flit, internal ones of two.
#[test]
fn a_fast_channel_waits_for_a_slow_one() {
    let mut machine = two_ticks_per_flit(&[2], 4);
    set_node_rate(&mut machine, rate(4, 4));
    // Into switch 0 at 4, 8, … 20, into switch 1 at 6, 10, … 22, out of it until 26.
    for tallies in check(&machine, &[(0, 0, 1, 3)], &[(0, 4, 26)]) {
        let used: Vec<&Tally> = tallies.iter().filter(|tally| tally.packets > 0).collect();
        let kept: Vec<(Time, Time)> = used.iter().map(|tally| (tally.busy, tally.kept)).collect();
        assert_eq!(kept, [(20, 0), (10, 8), (20, 0)]);
        assert!(used.iter().all(|tally| tally.internal_contention == 0));
    }
}

/// Of two idle channels the lower-numbered that has a credit.
#[test]
fn a_channel_with_a_credit_goes_before_one_without() {
    let mut machine = two_ticks_per_flit(&[2], 1);
    machine.link.end_token = false;
    machine.link.credit_delay_ps = 10;
    machine.set_node_link(|class| class.width = Some(2));
    machine.link.width = 2;
    let rows = [(0, 0, 1, 0), (10, 0, 1, 0), (11, 0, 1, 0)];
    // The second finds both first channels idle and without credits until 12 and 14. The
    // third finds the first injection channel idle and the second busy until 12.
    let runs = check(&machine, &rows, &[(0, 2, 6), (10, 12, 16), (12, 14, 18)]);
    for tallies in runs {
        let packets: Vec<u64> = tallies.iter().map(|tally| tally.packets).collect();
        // Injection, 0 → 1, 1 → 0, ejection.
        assert_eq!(packets, [2, 1, 0, 0, 2, 1, 0, 0, 0, 0, 3, 0]);
        assert_eq!(tallies[0].kept, 1);
        assert_eq!(tallies[0].throttling, 1);
    }
}

/// Packets from nodes 0 and 1 that wait for the channel from switch 1 to switch 2, in the
/// order of the policy.
#[test]
fn policies_choose_among_those_who_wait() {
    // The first keeps it from 2 to 24. The one from node 0 was queued first and asks at 4,
    // the other at 3; then the one from node 1 asks at 2, the other at 7.
    let oldest_asks_last = [(0, 1, 2, 9), (0, 0, 2, 3), (1, 1, 2, 3)];
    let oldest_asks_first = [(0, 1, 2, 9), (0, 1, 2, 3), (3, 0, 2, 3)];
    let cases = BY_HAND.into_iter().flat_map(|(policy, last, first)| {
        [(oldest_asks_last, policy, last), (oldest_asks_first, policy, first)]
    });
    for (rows, policy, order) in cases {
        let mut machine = two_ticks_per_flit(&[3], 64);
        machine.set_node_link(|class| class.width = Some(2));
        machine.switch.arbiter = policy;
        for who in BY_FLITS {
            let (packets, _) = run(who, &machine, &messages(&rows));
            let mut places = [0, 1, 2];
            places.sort_by_key(|&place: &usize| packets[place].delivered);
            assert_eq!(places, order, "{who:?} {policy:?}");
        }
    }
}

/// Two packets from one node to the next, each with channels of its own but for the wire
/// between the switches.
#[test]
fn virtual_channels_take_turns_on_a_wire() {
    let mut machine = two_ticks_per_flit(&[2], 20);
    machine.set_node_link(|class| class.width = Some(2));
    machine.switch.virtual_channels = 2;
    let rows = [(0, 0, 1, 3), (0, 0, 1, 3)];
    for (sharing, times) in [
        // Flits of the first start at 2, 6, 10, 14, 18, of the second at 4, 8, 12, 16, 20.
        (Sharing::RoundRobin, [(0, 2, 22), (0, 4, 24)]),
        // Those of the first follow each other; then those of the second do.
        (Sharing::UntilStall, [(0, 2, 14), (0, 12, 24)]),
        (Sharing::Separate, [(0, 2, 14), (0, 2, 14)]),
    ] {
        machine.link.sharing = sharing;
        for who in [Who::Ticks, Who::Engine(Fidelity::Flit)] {
            let (rows, _) = run(who, &machine, &messages(&rows));
            let of = |row: &PacketRow| (row.first_sent, row.first_internal, row.delivered);
            assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), times, "{who:?} {sharing:?}");
        }
    }
}

/// The same flit by flit only: worms have their wires to themselves.
fn check_flits(machine: &Machine, rows: &[(Time, u32, u32, u32)], times: &[Times]) -> Vec<Tally> {
    let [ticks, flits] = [Who::Ticks, Who::Engine(Fidelity::Flit)].map(|who| {
        let (rows, tallies) = run(who, machine, &messages(rows));
        let of = |row: &PacketRow| (row.first_sent, row.first_internal, row.delivered);
        assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), times, "{who:?}");
        tallies
    });
    let without = |tallies: Vec<Tally>| -> Vec<Tally> {
        tallies.into_iter().map(|tally| Tally { caught_up: 0, ..tally }).collect()
    };
    let flits = without(flits);
    assert_eq!(without(ticks), flits);
    flits
}

/// Wires between switches, or all, are shared by both directions.
fn half_duplex(dims: &[u32], buffer: u32, of_nodes: HalfDuplex) -> Machine {
    let mut machine = two_ticks_per_flit(dims, buffer);
    machine.link.half_duplex = HalfDuplex::Flit;
    machine.set_node_link(|class| class.half_duplex = Some(of_nodes));
    machine
}

/// Buffers of one flit are enough for the full rate: flit f starts on a channel when flit
/// f - 1 starts on the next. So with K channels after the first and L flits a packet takes
/// K + L flit times, on wires of its own and on such as nobody else uses.
#[test]
fn a_buffer_of_one_flit_is_enough() {
    for (destination, after_first) in [(1, 2), (3, 4), (4, 2), (11, 6)] {
        for bytes in [0, 3, 30] {
            let there = (0, 2, 2 * (after_first + Time::from(bytes) + 2));
            let rows = [(0, 0, destination, bytes)];
            check(&two_ticks_per_flit(&[4, 3], 1), &rows, &[there]);
            check_flits(&half_duplex(&[4, 3], 1, HalfDuplex::Flit), &rows, &[there]);
        }
    }
}

/// Two messages that cross on a wire: a flit of each in turn, first towards the higher number.
#[test]
fn both_directions_take_turns_on_a_wire() {
    let rows = [(0, 0, 1, 3), (0, 1, 0, 3)];
    for buffer in [1, 2, 20] {
        for of_nodes in [HalfDuplex::No, HalfDuplex::Flit] {
            // Flits of the first start between the switches at 2, 6, 10, 14, 18, of the other
            // at 4, 8, 12, 16, 20. Wires of nodes keep the pace if they are shared too: that
            // of node 0 has flits of the first at 0, 2, 4, 8, 12, of the other at 6, 10, 14,
            // 18, 22; that of node 1 of the other at 0, 2, 6, 10, 14, of the first at 4, 8, ...
            // With room for one flit more of the flits wait in the node, and none longer.
            let machine = half_duplex(&[2], buffer, of_nodes);
            check_flits(&machine, &rows, &[(0, 2, 22), (0, 4, 24)]);
        }
    }
    // Whoever comes later begins between two flits of the other, and then sends alone.
    let rows = [(0, 0, 1, 3), (3, 1, 0, 3)];
    // At 2, 4, 8, 12, 16; at 6, 10, 14, 18, 20: asked for at 5, when a flit is under way.
    let times = [(0, 2, 20), (3, 6, 24)];
    let machine = half_duplex(&[2], 20, HalfDuplex::No);
    let tallies = check_flits(&machine, &rows, &times);
    assert_eq!(tallies.iter().map(|tally| tally.throttling).sum::<Time>(), 1);
}

/// What a node sends and what it receives share its wire, and nothing else is shared.
#[test]
fn a_node_sends_and_receives_on_one_wire() {
    let mut machine = half_duplex(&[2], 20, HalfDuplex::Flit);
    machine.link.half_duplex = HalfDuplex::No;
    // Into node 1 from 4 on, out of it from 4 on: first out, as nobody has sent; at 4, 8, 12,
    // 16, 20, in at 6, 10, 14, 18, 22.
    let rows = [(0, 0, 1, 3), (4, 1, 0, 3)];
    check_flits(&machine, &rows, &[(0, 2, 24), (4, 6, 26)]);
}

/// A worm that is blocked holds its channels, in buffers of one flit, but not its wires.
#[test]
fn a_blocked_worm_leaves_its_wires_to_the_other_direction() {
    let machine = half_duplex(&[3], 1, HalfDuplex::No);
    let rows = [(0, 1, 2, 9), (0, 0, 2, 3), (0, 2, 0, 3)];
    // The first and the third take turns between switches 1 and 2: the first at 2, 6, 10, 14,
    // 18, 22 and, alone, every 2 until it has been sent at 34; the third at 4, 8, ... 20, and at
    // 6, 10, ... 22 on the wire between 1 and 0, where it is alone: of the second, the header is
    // at switch 1, the next flit at switch 0. It goes on at 34, without a gap.
    let times = [(0, 2, 36), (0, 2, 46), (0, 4, 26)];
    let tallies = check_flits(&machine, &rows, &times);
    // Injection by node; 0 → 1: until its last flit has been sent at 42, five of them.
    assert_eq!((tallies[3].busy, tallies[3].kept), (10, 42 - 2 - 10));
    assert_eq!(tallies[5].internal_contention, 34 - 4);
}

/// Virtual channels take turns in their direction's turns.
#[test]
fn directions_take_turns_before_virtual_channels_do() {
    let mut machine = half_duplex(&[2], 20, HalfDuplex::No);
    machine.set_node_link(|class| class.width = Some(2));
    machine.switch.virtual_channels = 2;
    let rows = [(0, 0, 1, 1), (0, 0, 1, 1), (0, 1, 0, 1)];
    // Three flits each: first, third, second, third, first, third, second, first, second.
    let times = [(0, 2, 20), (0, 6, 22), (0, 4, 16)];
    check_flits(&machine, &rows, &times);
    // A packet keeps its direction's turns: first, third, first, third, first, third, second.
    machine.link.sharing = Sharing::UntilStall;
    check_flits(&machine, &rows, &[(0, 2, 14), (0, 14, 22), (0, 4, 16)]);
}

/// With a way out, a channel is free only if its buffer is empty or has room for a whole packet.
///
/// The first packet takes the adaptive channel, which is released at 12; of its five flits
/// one is then in the buffer there. So the second, which asks at 12, finds the channel free
/// only if there is room for five more.
#[test]
fn a_header_never_stands_behind_the_end_of_another_packet() {
    for (buffer, way_out, adaptive) in [(4, 1, 1), (5, 1, 1), (6, 0, 2)] {
        let mut machine = two_ticks_per_flit(&[4], buffer);
        machine.routing.algorithm = RoutingSpec::MinimalAdaptive { order: Vec::new() };
        machine.switch.virtual_channels = 2;
        machine.link.sharing = Sharing::Separate;
        for who in [Who::Ticks, Who::Engine(Fidelity::Flit)] {
            let rows = messages(&[(0, 0, 3, 3), (0, 0, 3, 3)]);
            let (rows, tallies) = run(who, &machine, &rows);
            let internal: Vec<Time> = rows.iter().map(|row| row.first_internal).collect();
            assert_eq!(internal, [2, 12], "{who:?}, {buffer} flits");
            // After the four injection channels come both classes from switch 0 to switch 1.
            let packets = [tallies[4].packets, tallies[5].packets];
            assert_eq!(packets, [way_out, adaptive], "{who:?}, {buffer} flits");
        }
    }
}
