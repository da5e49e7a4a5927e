//! Machines that can deadlock: refused, or simulated on request until they do.

use super::{burst, dimension_order, machine, torus};
use crate::common::{message_list, spec};
use tailback_engine::error::{Blocked, RunError};
use tailback_engine::routing::Routing;
use tailback_engine::routing::dependency::{Search, find_cycle};
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;
use tailback_engine::{Progress, Simulation};

/// A ring of so many switches on which every node sends to the third one on.
fn ring(switches: u32, fidelity: Fidelity) -> Spec {
    let mut machine = machine(torus(&[switches]), dimension_order(), 1);
    machine.routing.allow_deadlock = true;
    machine.set_node_link(|class| class.width = Some(1));
    machine.switch.input_buffer_flits = Some(if fidelity == Fidelity::Packet { 34 } else { 4 });
    let rows: Vec<_> =
        (0..40 * switches).map(|i| (0, i % switches, (i + 3) % switches, 32)).collect();
    Spec { fidelity, ..spec(machine, message_list(&rows), Mode::Full) }
}

#[test]
fn a_torus_with_one_virtual_channel_is_refused_and_told_why() {
    let machine = machine(torus(&[4, 4]), dimension_order(), 1);
    let error = Simulation::new(&spec(machine, burst(16, 1, 1), Mode::Full)).err().unwrap();
    let text = error.to_string();
    assert!(text.starts_with("machine.routing = dimension_order: can deadlock: "), "{text}");
    assert!(text.contains("needs 2 virtual channels, or allow_deadlock = true"), "{text}");
}

#[test]
fn with_permission_it_deadlocks_and_says_who_waits_for_whom() {
    for fidelity in [Fidelity::Packet, Fidelity::Flit, Fidelity::Worm] {
        let mut simulation = Simulation::new(&ring(8, fidelity)).unwrap();
        let error = simulation.advance(u64::MAX, u64::MAX).expect_err(&format!("{fidelity:?}"));
        let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
        assert!(circle.len() >= 2, "{fidelity:?}: {error}");
        check_circle(circle, &format!("{fidelity:?}: {error}"));
    }
}

/// Each waits for a channel whose packet, or whose buffer's packet, is the next.
fn check_circle(circle: &[Blocked], text: &str) {
    for (place, blocked) in circle.iter().enumerate() {
        let next = &circle[(place + 1) % circle.len()];
        let wanted = blocked.waits_for.channel;
        let stands_there = next.holds.iter().any(|held| held.channel == wanted);
        assert!(stands_there || blocked.held_by == Some(next.packet), "{place} of {text}");
        assert!(!blocked.holds.iter().any(|held| held.channel == wanted), "{place} of {text}");
    }
}

/// Two nodes far away go on sending to each other for ever: the deadlock is found all
/// the same, within a sample interval.
#[test]
fn a_deadlock_of_a_part_is_found_while_the_rest_goes_on() {
    let mut spec = ring(9, Fidelity::Flit);
    // Between other nodes there is room, and they go on.
    let Workload::Messages(list) = &mut spec.workload else { unreachable!() };
    for time in 1..2_000u64 {
        list.time_ps.push(time * 10_000_000);
        list.source.push(5);
        list.destination.push(6);
        list.bytes.push(32);
    }
    let mut simulation = Simulation::new(&spec).unwrap();
    let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    let RunError::Deadlock { at, circle, .. } = &error else { panic!("{error}") };
    assert!(!circle.is_empty() && *at < 10_000_000_000, "{error}");
}

#[test]
fn two_virtual_channels_are_enough() {
    for fidelity in [Fidelity::Packet, Fidelity::Flit] {
        let mut spec = ring(8, fidelity);
        spec.machine.switch.virtual_channels = 2;
        spec.machine.routing.allow_deadlock = false;
        let mut simulation = Simulation::new(&spec).unwrap();
        assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    }
}

#[test]
fn a_packet_past_its_hop_limit_is_a_livelock() {
    let mut machine = machine(super::mesh(&[6, 6]), RoutingSpec::Deflection, 1);
    machine.routing.hop_limit = 9;
    let mut simulation = Simulation::new(&spec(machine, burst(36, 30, 5), Mode::Full)).unwrap();
    let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    let RunError::Livelock { limit, .. } = error else { panic!("{error}") };
    assert_eq!(limit, 9);
}

/// The packets that a circle of channels names, sent again and again, deadlock.
#[test]
fn the_packets_of_a_circle_of_channels_deadlock() {
    for (topology, routing) in
        [(torus(&[5]), RoutingSpec::Shortest), (torus(&[6, 4]), dimension_order())]
    {
        let graph = Topology::new(&topology).unwrap();
        let mut machine = machine(topology, routing, 1);
        machine.routing.allow_deadlock = true;
        machine.set_node_link(|class| class.width = Some(1));
        machine.switch.input_buffer_flits = Some(40);
        let routing = Routing::new(&machine, &graph, 1).unwrap();
        let Search::Cycle(cycle) = find_cycle(&routing, &graph) else { panic!("no circle") };
        let once = cycle.packets.iter().map(|p| (0, p.source.0, p.destination.0, 320));
        let list: Vec<_> = (0..10).flat_map(|_| once.clone()).collect();
        let spec = spec(machine, message_list(&list), Mode::Full);
        let outcome = Simulation::new(&spec).unwrap().advance(u64::MAX, u64::MAX);
        assert!(matches!(outcome, Err(RunError::Deadlock { .. })), "{outcome:?}");
    }
}
