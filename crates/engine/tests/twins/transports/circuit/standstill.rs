//! Circuits that wait for each other: found where that is allowed, and never else.

use super::{Dice, Row, adaptive, half_duplex, hypercube, machine, mesh};
use crate::common::random::{in_proportion, random_cases};
use crate::common::{Run, message_list, spec};
use tailback_engine::error::{Blocked, RunError};
use tailback_engine::spec::{Machine, Mode, TopologySpec};
use tailback_engine::{Progress, Simulation};

fn allowed(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.routing.allow_deadlock = true;
    machine
}

/// The circle in which messages come to a standstill, if they do.
fn standstill(machine: Machine, rows: &[Row]) -> Option<Vec<Blocked>> {
    let mut simulation = Simulation::new(&spec(machine, message_list(rows), Mode::Full)).unwrap();
    match simulation.advance(u64::MAX, u64::MAX) {
        Ok(progress) => {
            assert_eq!(progress, Progress::Finished);
            None
        }
        Err(RunError::Deadlock { circle, .. }) => Some(circle),
        Err(error) => panic!("{error}"),
    }
}

/// Each waits for a channel that the next holds.
fn check_circle(circle: &[Blocked]) {
    assert!(circle.len() > 1, "{circle:?}");
    for (place, blocked) in circle.iter().enumerate() {
        let next = &circle[(place + 1) % circle.len()];
        assert_eq!(blocked.held_by, Some(next.packet), "{circle:?}");
        let wanted = blocked.waits_for.channel;
        assert!(next.holds.iter().any(|held| held.channel == wanted), "{circle:?}");
        assert!(blocked.holds.iter().all(|held| held.channel != wanted), "{circle:?}");
    }
}

#[test]
fn two_on_shared_wires_wait_for_each_other_and_say_so() {
    let machine = half_duplex(mesh(&[3]));
    let rows = [(0, 0, 2, 10), (0, 2, 0, 10)];
    let circle = standstill(allowed(&machine), &rows).unwrap();
    check_circle(&circle);
    let ends = |blocked: &Blocked| {
        let wanted = &blocked.waits_for;
        (blocked.packet, blocked.source, blocked.destination, wanted.from.1, wanted.to.1)
    };
    let mut ends: Vec<_> = circle.iter().map(ends).collect();
    ends.sort_unstable();
    assert_eq!(ends, [(0, 0, 2, 1, 2), (1, 2, 0, 1, 0)]);
    assert_eq!(standstill(machine, &rows), None);
}

/// A machine in which circuits can wait in a circle, and one message more than it can bear.
fn risky(dice: &mut Dice) -> (Machine, Vec<Row>) {
    let ring = dice.number(4, 7) as u32;
    let (machine, nodes) = match dice.number(0, 4) {
        0 => (half_duplex(mesh(&[5])), 5),
        1 => (adaptive(hypercube(3)), 8),
        2 => (half_duplex(adaptive(mesh(&[3, 3]))), 9),
        3 => (adaptive(machine(TopologySpec::Torus { dims: vec![3, 4] })), 12),
        _ => (machine(TopologySpec::Torus { dims: vec![ring] }), ring),
    };
    (machine, dice.rows(nodes, 80))
}

#[test]
fn what_comes_to_a_standstill_does_not_with_priorities() {
    let mut found = 0_u64;
    for number in 0..random_cases(200) {
        let (machine, rows) = risky(&mut Dice::new(number));
        if let Some(circle) = standstill(allowed(&machine), &rows) {
            check_circle(&circle);
            found += 1;
        }
        assert_eq!(standstill(machine, &rows), None);
    }
    assert!(found > in_proportion(20), "{found}");
}

/// Long beyond saturation everything arrives, whatever the shape.
#[test]
fn crowds_of_messages_all_arrive() {
    for number in 0..random_cases(60) {
        let mut dice = Dice::new(number);
        let sides = dice.sides();
        let nodes = sides.iter().product();
        let can_be_ring = sides.iter().all(|&side| side > 2);
        let mut machine = match sides.iter().all(|&side| side == 2) {
            true => hypercube(sides.len() as u32),
            false if can_be_ring => machine(TopologySpec::Torus { dims: sides }),
            false => mesh(&sides),
        };
        if dice.chance(60) {
            machine = adaptive(machine);
        }
        if dice.chance(60) {
            machine = half_duplex(machine);
        }
        let rows = dice.rows(nodes, 3_000);
        let run = Run::to_the_end(machine, message_list(&rows));
        assert_eq!(run.rows.len(), rows.len(), "case {number}");
    }
}

/// In a hypercube each wire is one of its dimension, and circuits take dimensions in order:
/// shared wires are no danger there, and nothing is taken from anybody.
#[test]
fn in_order_on_shared_wires_of_a_hypercube_nobody_loses_anything() {
    for number in 0..random_cases(30) {
        let mut dice = Dice::new(number);
        let machine = half_duplex(hypercube(dice.number(1, 4) as u32));
        let TopologySpec::Hypercube { dimensions } = machine.topology else { unreachable!() };
        let rows = dice.rows(1 << dimensions, 500);
        assert_eq!(standstill(allowed(&machine), &rows), None);
        let run = Run::to_the_end(machine, message_list(&rows));
        let counters = run.simulation.counters();
        assert_eq!(counters.packet_hops, counters.packets[0].hops);
    }
}
