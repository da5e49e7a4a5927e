//! What must add up with clocked switches, however a run is cut, and what becomes of machines that
//! can deadlock.

use super::cases as clocked;
use super::hand::{messages, spec as by_hand};
use crate::common::packet_waits;
use crate::common::parts::delayed;
use crate::common::random::{Dice, check, random_cases};
use crate::common::unit_cycles::{CYCLE, machine, pipeline};
use tailback_engine::error::RunError;
use tailback_engine::measure::Use;
use tailback_engine::measure::blame::Charged;
use tailback_engine::spec::{Mode, Pipeline, RoutingSpec, Spec, TopologySpec};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Counters, Progress, Simulation};

fn each_case(all: u64, holds: impl Fn(&Spec)) {
    for case in 0..random_cases(all) {
        let spec = clocked::spec(&mut Dice::new(100_000_000 + case));
        check(case, &spec, &holds);
    }
}

fn finished(spec: &Spec) -> Simulation {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    simulation
}

fn busy(counters: &Counters) -> Time {
    counters.busy_injection_ps + counters.busy_internal_ps + counters.busy_ejection_ps
}

/// Lifetime = lifetime without contention + waits − what was caught up of them.
#[test]
fn every_wait_is_charged_once() {
    each_case(300, |spec| {
        let mut simulation = finished(&Spec { blame: Some(packet_waits()), ..spec.clone() });
        let rows = simulation.take_charged();
        let lifetime = |one: &Charged| one.packet.delivered - one.packet.queued;
        let lived: Time = rows.iter().map(lifetime).sum();
        let alone: Time = rows.iter().map(|one| one.alone).sum();
        let data = &simulation.counters().packets[0];
        let waits = data.wait_throttling_ps + data.wait_internal_ps;
        assert_eq!(lived, alone + waits - data.caught_up_ps);
        let tallies = &simulation.measures().channels;
        let charged: Time = tallies.iter().map(|t| t.wait_throttling_ps + t.wait_internal_ps).sum();
        assert_eq!(charged, waits, "sum over channels");
    });
}

/// Every flit is on every channel of its packet's way once, and nothing is left at the end.
#[test]
fn every_flit_takes_a_cycle_of_every_channel() {
    each_case(300, |spec| {
        let mut simulation = finished(spec);
        let (header, cycle) = (spec.machine.interface.header_bytes, spec.machine.link.flit_ps);
        let rows = simulation.take_packets();
        let flit_hops: u64 =
            rows.iter().map(|row| u64::from(row.bytes + header) * u64::from(row.hops)).sum();
        let counters = simulation.counters();
        assert_eq!(busy(&counters), flit_hops * cycle);
        assert_eq!(counters.packet_hops, rows.iter().map(|row| u64::from(row.hops)).sum::<u64>());
        assert_eq!(simulation.packets_in_flight(), 0);
        for row in &rows {
            assert!(row.queued <= row.first_sent && row.first_sent < row.delivered);
            assert!(row.first_internal == NEVER || row.first_sent < row.first_internal);
            assert!((row.first_sent % cycle, row.delivered % cycle) == (0, 0));
        }
    });
}

/// A window that begins in the middle: tables are what the counters say, no wire and no channel is
/// busy for longer than the window, and counters do not depend on it.
#[test]
fn tables_of_a_window_add_up_to_the_counters() {
    each_case(300, |spec| {
        let end = {
            let simulation = finished(spec);
            (simulation.now(), simulation.counters())
        };
        let cuts = [end.0 / 3 + 1, end.0 / 2 + 2];
        let mut simulation = Simulation::new(spec).unwrap();
        simulation.advance(cuts[0], u64::MAX).unwrap();
        simulation.begin_window();
        let before = simulation.counters();
        simulation.advance(cuts[1], u64::MAX).unwrap();
        check_window(&simulation, &before, cuts[1] - cuts[0]);
        simulation.advance(Time::MAX, u64::MAX).unwrap();
        check_window(&simulation, &before, end.0.saturating_sub(cuts[0]));
        assert_eq!(simulation.counters(), end.1, "with and without a window");
    });
}

fn check_window(simulation: &Simulation, before: &Counters, long: Time) {
    let (after, used) = (simulation.counters(), simulation.channels_used());
    let sum = |of: fn(&Use) -> u64| used.iter().map(of).sum::<u64>();
    assert_eq!(sum(|used| used.busy_ps), busy(&after) - busy(before));
    assert_eq!(sum(|used| used.packets.into()), after.packet_hops - before.packet_hops);
    let mut of_wire = vec![0; used.len()];
    let wires = &simulation.wiring().layout.wire_of;
    for (used, wire) in used.iter().zip(wires) {
        of_wire[wire.index()] += used.busy_ps;
    }
    assert!(of_wire.iter().all(|&busy| busy <= long), "{of_wire:?} in {long}");
}

/// Samples are the counters of their instants.
#[test]
fn samples_are_the_counters_of_their_instants() {
    each_case(50, |spec| {
        let cycle = spec.machine.link.flit_ps;
        let spec = Spec { sample_interval_ps: 7 * cycle + 1, ..spec.clone() };
        let mut whole = finished(&spec);
        for sample in whole.take_samples().iter().step_by(5) {
            let mut part = Simulation::new(&spec).unwrap();
            part.advance(sample.time, u64::MAX).unwrap();
            let mut counters = part.counters();
            // A kept channel is counted when its packet has been sent, in the sample of that.
            counters.held_internal_ps = sample.counters.held_internal_ps;
            assert_eq!(counters, sample.counters, "at {}", sample.time);
        }
    });
}

/// Packets that follow each other round a ring of one virtual channel, each longer than a buffer.
fn ring(own: Pipeline) -> Spec {
    let mut machine = machine(TopologySpec::Torus { dims: vec![6] }, own);
    machine.routing.allow_deadlock = true;
    machine.switch.input_buffer_flits = Some(2);
    let rows: Vec<_> = (0..60).map(|i| (i / 6, i as u32 % 6, (i as u32 + 2) % 6, 6)).collect();
    by_hand(&machine, messages(&rows), Mode::Full)
}

#[test]
fn a_ring_of_one_virtual_channel_deadlocks_and_says_who_waits_for_whom() {
    for own in [
        pipeline(),
        Pipeline { speculative: true, ..pipeline() },
        Pipeline { atomic: true, holds: true, ..pipeline() },
        Pipeline { internal_speedup: 2, route_cycles: 0, ..pipeline() },
    ] {
        let mut simulation = Simulation::new(&ring(own)).unwrap();
        let error = simulation.advance(Time::MAX, u64::MAX).expect_err("it goes on");
        let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
        assert!(circle.len() >= 2, "{own:?}: {error}");
        for (place, blocked) in circle.iter().enumerate() {
            let next = &circle[(place + 1) % circle.len()];
            let wanted = blocked.waits_for.channel;
            let stands_there = next.holds.iter().any(|held| held.channel == wanted);
            assert!(stands_there || blocked.held_by == Some(next.packet), "{place} of {error}");
        }
        assert!(!super::twin::Twin::new(&ring(own)).finish(), "the twin goes on");
    }
}

/// Switches in a ring of one direction, whose virtual channels are all alike and share room.
fn one_way(dice: &mut Dice) -> Spec {
    let switches = dice.number(3, 5) as u32;
    let own = Pipeline { shared_buffer_flits: dice.number(0, 4) as u32, ..clocked::pipeline(dice) };
    let links = (0..switches).map(|at| delayed(at, (at + 1) % switches, 1, CYCLE)).collect();
    let nodes = (0..switches).collect();
    let ring = TopologySpec::Graph {
        switches,
        links,
        nodes,
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    let mut machine = machine(ring, own);
    machine.routing.algorithm = RoutingSpec::Shortest;
    machine.routing.allow_deadlock = true;
    machine.switch.input_buffer_flits = Some(dice.number(1, 3) as u32);
    machine.switch.virtual_channels = dice.number(1, 3) as u32;
    let message = |dice: &mut Dice| {
        let from = dice.number(0, u64::from(switches) - 1) as u32;
        let to = (from + dice.number(1, u64::from(switches) - 1) as u32) % switches;
        (dice.number(0, 20), from, to, dice.number(1, 9) as u32)
    };
    let mut rows: Vec<_> = (0..dice.number(4, 40)).map(|_| message(dice)).collect();
    rows.sort_unstable();
    by_hand(&machine, messages(&rows), Mode::Full)
}

/// It is looked for after every sample interval: as soon as it is told nothing must help any more.
#[test]
fn what_deadlocks_is_what_stands_still_in_the_twin() {
    let (mut stuck, number) = (0, random_cases(1_000));
    for case in 0..number {
        let mut dice = Dice::new(200_000_000 + case);
        let spec = Spec { sample_interval_ps: 3 * CYCLE, ..one_way(&mut dice) };
        stuck += check(case, &spec, |spec| {
            let ran = Simulation::new(spec).unwrap().advance(Time::MAX, u64::MAX);
            let goes_on = super::twin::Twin::new(spec).finish();
            assert_eq!(ran.is_ok(), goes_on, "{ran:?}");
            u64::from(!goes_on)
        });
    }
    assert!(stuck > number / 10 && stuck < number * 9 / 10, "{stuck} of {number} deadlock");
}

#[test]
fn a_ring_of_one_virtual_channel_is_refused_without_permission() {
    let mut spec = ring(pipeline());
    spec.machine.routing.allow_deadlock = false;
    let text = Simulation::new(&spec).err().unwrap().to_string();
    assert!(text.starts_with("machine.routing = dimension_order: can deadlock: "), "{text}");
    assert!(text.contains("needs 2 virtual channels, or allow_deadlock = true"), "{text}");
    spec.machine.switch.virtual_channels = 2;
    assert_eq!(finished(&spec).counters().packets[0].delivered, 60);
}
