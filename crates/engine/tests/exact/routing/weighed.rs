//! Ways compared by load on links of different rates: by the time that flits take there.

use super::{Run, machine, message_list, spec};
use std::collections::BTreeMap;
use tailback_engine::spec::*;

const FLIT: u64 = 1_000;

/// Three groups of two switches, each with a link to another group: the middle of a way round is the third
/// group. Links within groups take a nanosecond for a flit, those between groups so many times that.
fn dragonfly(slower: u64, weighing: Weighing, queueing: Queueing) -> Machine {
    let topology = TopologySpec::Dragonfly {
        nodes_per_switch: 3,
        switches_per_group: 2,
        global_links: 1,
        groups: 3,
    };
    let mut machine = machine(topology, RoutingSpec::UgalL { order: vec![], weighing }, 3);
    machine.link = Link { flit_ps: FLIT, control_ps: FLIT, delay_ps: 0, ..machine.link };
    let flit_ps = Some(slower * FLIT);
    let between = LinkClass { flit_ps, control_ps: flit_ps, ..LinkClass::default() };
    machine.link_classes = BTreeMap::from([("global".to_string(), between)]);
    machine.switch.switching = Switching::CutThrough;
    machine.switch.queueing = queueing;
    machine.switch.delay_ps = 0;
    machine.switch.input_buffer_flits = Some(100);
    machine
}

/// Hops of three packets of as many flits, from three nodes of switch 1 to those of switch 2, to which that
/// has a link; one starts 2 ns after the other.
fn hops(machine: Machine) -> Vec<u16> {
    let rows = [(0, 3, 6, 8), (2 * FLIT, 4, 7, 8), (4 * FLIT, 5, 8, 8)];
    let spec =
        Spec { fidelity: Fidelity::Packet, ..spec(machine, message_list(&rows), Mode::Full) };
    let mut run = Run::with(&spec);
    run.finish();
    run.data().iter().map(|packet| packet.hops).collect()
}

/// Directly it is one link, between groups; round there are five, the first within the group. The first
/// packet goes directly; the second finds its T flits behind the direct link and none behind the other,
/// and goes round. The third finds T flits behind either: directly T · s, round T, where a flit takes s ns
/// between groups. Where loads are doubled it goes directly up to s = 2, and, as far as a threshold of t
/// flits of the usual link goes, as long as T · s ≤ 2 · T + t.
#[test]
fn a_slow_link_is_loaded_by_the_time_that_its_flits_take() {
    let doubled = |threshold| Weighing { threshold, doubles: true, ..Weighing::default() };
    let flits = {
        let machine = dragonfly(1, Weighing::default(), Queueing::Output);
        tailback_engine::fabric::Timing::of(&machine).packet_flits(8).cast_signed()
    };
    let (direct, round) = (vec![3, 7, 3], vec![3, 7, 7]);
    for queueing in [Queueing::Fifo, Queueing::Voq, Queueing::Output] {
        for (slower, threshold, expected) in [
            (1, 0, &direct),
            (2, 0, &direct),
            (3, 0, &round),
            (3, flits - 1, &round),
            (3, flits, &direct),
            (9, 7 * flits - 1, &round),
            (9, 7 * flits, &direct),
        ] {
            let found = hops(dragonfly(slower, doubled(threshold), queueing));
            assert_eq!(found, *expected, "{queueing:?}, {slower} times, {threshold}");
        }
    }
}

/// Where loads weigh as many hops as ways have, a way that begins with a faster link is no less loaded
/// than the slow links of its switch, of which there is one here: all go directly. With links of one rate
/// the second packet goes round.
#[test]
fn a_fast_first_link_does_not_hide_slow_ones_behind_it() {
    for queueing in [Queueing::Fifo, Queueing::Voq, Queueing::Output] {
        let of = |slower| hops(dragonfly(slower, Weighing::default(), queueing));
        assert_eq!(of(1), [3, 7, 3], "{queueing:?}");
        for slower in [2, 5, 9] {
            assert_eq!(of(slower), [3, 3, 3], "{queueing:?}, {slower} times");
        }
    }
}

/// A packet that comes by a slow link from its node is ready when it could go on by either way without a
/// gap. The last of 20 flits of 4 ns is there after 80 ns: on a link of 2 ns it would be its turn 38 ns
/// after the start, on one of 1 ns 19 ns; so it starts after 61 ns, whichever way it goes. One whose
/// destination is at the same switch has no choice.
#[test]
fn a_packet_is_ready_when_either_way_is() {
    let started = |slower: u64, threshold: i32, destination: u32| {
        let weighing = Weighing { threshold, ..Weighing::default() };
        let mut machine = dragonfly(slower, weighing, Queueing::Output);
        let own = LinkClass {
            flit_ps: Some(4 * FLIT),
            control_ps: Some(4 * FLIT),
            ..LinkClass::default()
        };
        machine.node_link = Some(own);
        machine.interface.header_bytes = 1;
        let rows = [(0, 3, destination, 18)];
        let spec =
            Spec { fidelity: Fidelity::Packet, ..spec(machine, message_list(&rows), Mode::Full) };
        let mut run = Run::with(&spec);
        run.finish();
        let packet = run.data()[0];
        assert_eq!(run.link.packet_flits(18), 20);
        (packet.hops, packet.first_internal, packet.delivered)
    };
    // Over a link of 2 ns, then over the last of 4 behind the header.
    assert_eq!(started(2, 0, 6), (3, 61 * FLIT, 61 * FLIT + 2 * FLIT + 80 * FLIT));
    // Round: a negative threshold makes it; the first link is that of 1 ns.
    let (hops, first_internal, _) = started(2, -1, 6);
    assert_eq!((hops, first_internal), (7, 61 * FLIT));
    // Nothing but a link of 4 ns comes next.
    let (hops, _, delivered) = started(2, 0, 4);
    assert_eq!((hops, delivered), (2, 4 * FLIT + 80 * FLIT));
}
