//! Nodes that take in requests only while they have places for the replies, against the twin.

use super::twin::Twin;
use crate::common::packet_waits;
use crate::common::random::{Dice, check, finished, random_cases, same_packets_in_any_order};
use crate::common::requests::{self, delivered, is_closed, permutation};
use tailback_engine::error::RunError;
use tailback_engine::measure::blame::Charged;
use tailback_engine::spec::{
    Pattern, RoutingSpec, Spec, TopologySpec, Traffic, TrafficClass, Workload,
};
use tailback_engine::time::Time;
use tailback_engine::{Progress, Simulation};

/// A random machine whose nodes ask each other, with few places for replies.
fn spec(dice: &mut Dice) -> Spec {
    let mut spec = loop {
        let spec = super::cases::spec(dice);
        if !matches!(spec.machine.topology, TopologySpec::Graph { .. }) {
            break spec;
        }
    };
    let nodes = crate::reference::wiring::Wiring::new(&spec.machine).nodes();
    let classes = requests::classes(dice, nodes, spec.machine.link.flit_ps);
    let name = |class| TrafficClass { name: format!("c{class}"), ..TrafficClass::default() };
    spec.machine.routing.traffic_classes = (0..classes.len()).map(name).collect();
    spec.machine.interface.reply_queue = dice.one_of(&[Some(1), Some(1), Some(2), Some(4), None]);
    spec.workload = Workload::Traffic(Traffic { classes });
    spec.blame = dice.chance(50).then(packet_waits);
    spec
}

/// Compares a case; whether it comes to a standstill.
fn compare(spec: &Spec, piece: u64) -> bool {
    let mut twin = Twin::new(spec);
    let is_stuck = !twin.finish();
    let mut simulation = Simulation::new(spec).unwrap();
    let mut progress = Ok(Progress::Events);
    while progress == Ok(Progress::Events) {
        progress = simulation.advance(Time::MAX, piece);
    }
    match &progress {
        Ok(_) => assert!(!is_stuck, "the twin stands still"),
        Err(error @ RunError::Deadlock { circle, .. }) => {
            assert!(is_stuck, "the twin goes on: {error}");
            is_closed(circle, error);
        }
        Err(error) => panic!("{error}"),
    }
    let charged = simulation.take_charged();
    same_packets_in_any_order(delivered(twin.results().0), delivered(simulation.take_packets()));
    add_up(&charged);
    is_stuck
}

/// What packets are charged is what they waited.
fn add_up(charged: &[Charged]) {
    for packet in charged {
        let sum: u64 = packet.charges.iter().map(|charge| charge.time).sum();
        let row = &packet.packet;
        assert_eq!(sum, row.delivered - row.queued - packet.alone, "all of its wait: {row:?}");
    }
}

#[test]
fn requests_that_wait_for_places_agree_with_the_twin() {
    let (mut stuck, number) = (0, random_cases(500));
    for case in 0..number {
        let mut dice = Dice::new(case);
        let spec = spec(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        stuck += u64::from(check(case, &spec, |spec| compare(spec, piece)));
    }
    assert!(stuck * 20 > number && stuck * 2 < number, "{stuck} of {number} stand still");
}

/// The same with virtual channels of their own for requests and for replies, on all links of a mesh;
/// requests are one packet.
fn apart(dice: &mut Dice) -> Spec {
    let mut spec = spec(dice);
    let machine = &mut spec.machine;
    machine.topology = TopologySpec::Mesh { dims: vec![dice.number(2, 3) as u32; 2] };
    machine.routing.algorithm = RoutingSpec::DimensionOrder { order: vec![0, 1], balanced: false };
    machine.link_classes.clear();
    machine.interface.packet_bytes = 12;
    let count = dice.number(2, 4) as u32;
    let of_requests = dice.number(1, u64::from(count) - 1) as u32;
    (machine.switch.virtual_channels, machine.switch.node_virtual_channels) = (count, count);
    let Workload::Traffic(Traffic { classes }) = &mut spec.workload else { unreachable!() };
    let nodes = crate::reference::cases::nodes(machine) as usize;
    for (class, known) in classes.iter_mut().zip(&mut machine.routing.traffic_classes) {
        class.messages.pattern = Pattern::Permutation { to: permutation(dice, nodes) };
        let share =
            if class.reply.is_some() { (0, of_requests - 1) } else { (of_requests, count - 1) };
        known.virtual_channels = Some(share);
    }
    spec.blame = Some(packet_waits());
    spec
}

#[test]
fn requests_and_replies_apart_always_live() {
    let number = random_cases(500);
    for case in 0..number {
        let mut dice = Dice::new(700_000_000 + case);
        let spec = apart(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        check(case, &spec, |spec| {
            assert!(!compare(spec, piece));
            let mut simulation = finished(spec, piece);
            let classes = simulation.class_counters();
            let Workload::Traffic(traffic) = &spec.workload else { unreachable!() };
            let of = |asks: bool| {
                let all = traffic.classes.iter().zip(&classes);
                let own = all.filter(|(class, _)| class.reply.is_some() == asks);
                own.map(|(_, counted)| counted.messages_delivered).sum::<u64>()
            };
            assert!(of(true) > 0 && of(true) == of(false));
            add_up(&simulation.take_charged());
        });
    }
}
