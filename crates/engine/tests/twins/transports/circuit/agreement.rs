//! The engine against the twin, to the picosecond.

use super::twin::{Channel, Machine, Twin};
use super::{Dice, Row, adaptive, half_duplex, machine};
use crate::common::random::{in_proportion, random_cases};
use crate::common::{Run, message_list, spec};
use tailback_engine::spec::{self, Arbiter, Mode, TopologySpec};
use tailback_engine::{Progress, Simulation};

/// Data bytes with which messages have begun to arrive.
const EARLY: u32 = 16;

/// A random case: for the engine, for the twin, and its messages.
pub fn case(number: u64) -> (spec::Machine, Machine, Vec<Row>) {
    let mut dice = Dice::new(number);
    let sides = dice.sides();
    let is_cube = sides.iter().all(|&side| side == 2);
    let topology = if is_cube {
        TopologySpec::Hypercube { dimensions: sides.len() as u32 }
    } else {
        TopologySpec::Mesh { dims: sides.clone() }
    };
    let mut engine = machine(topology);
    let (is_adaptive, is_half) = (dice.chance(50), dice.chance(50));
    if is_adaptive {
        engine = adaptive(engine);
    }
    if is_half {
        engine = half_duplex(engine);
    }
    engine.interface.early_bytes = EARLY;
    let lanes = if dice.chance(20) { 2 } else { 1 };
    let (header, arbitration, delay) = (dice.number(1, 4), dice.number(0, 2), dice.number(0, 2));
    engine.link.width = lanes;
    engine.interface.header_bytes = header as u32;
    engine.switch.delay_ps = arbitration * 2_000;
    engine.link.delay_ps = delay * 1_000;
    let is_oldest_first = dice.chance(20);
    if is_oldest_first {
        engine.switch.arbiter = Arbiter::OldestFirst;
    }
    // In a row of three nodes two circuits can hold what the other needs, if they share it.
    let takes = is_adaptive || is_half && sides.iter().any(|&side| side > 2);
    let twin = Machine {
        adaptive: is_adaptive,
        half_duplex: is_half,
        lanes,
        arbitration: arbitration * 2_000,
        header: header * 1_000,
        byte: 1_000,
        delay: delay * 1_000,
        oldest_first: takes || is_oldest_first,
        takes,
        sides,
    };
    let rows = dice.rows(twin.sides.iter().product(), 60);
    (engine, twin, rows)
}

#[test]
fn every_message_takes_as_long_as_in_the_twin() {
    let (mut taken, mut waited) = (0, 0);
    for number in 0..random_cases(600) {
        let (engine, machine, rows) = case(number);
        let twin = Twin::run(&machine, &rows);
        let run = Run::to_the_end(engine, message_list(&rows));
        let data = run.data();
        assert_eq!(data.len(), rows.len(), "case {number}");
        for (place, (packet, expected)) in data.iter().zip(&twin.messages).enumerate() {
            let found = (Some(packet.first_internal), Some(packet.delivered), packet.hops.into());
            let expected = (expected.first, expected.delivered, expected.hops);
            assert_eq!(found, expected, "case {number} message {place}: {machine:?} {rows:?}");
            assert_eq!(packet.first_sent, packet.first_internal - machine.arbitration);
        }
        check_sums(number, &run, &machine, &rows);
        check_beginnings(&run, &machine);
        taken += twin.taken as u64;
        waited += run.waits();
    }
    assert!(taken > in_proportion(800) && waited > 0, "{taken} channels taken");
}

/// All waits are those of channels, and what messages live longer than alone.
fn check_sums(number: u64, run: &Run, machine: &Machine, rows: &[Row]) {
    let beyond = |packet: &tailback_engine::PacketRow| {
        let Machine { arbitration, header, byte, delay, .. } = machine;
        let steps = u64::from(packet.hops);
        let alone = steps * (arbitration + header + 2 * delay) + u64::from(packet.bytes) * byte;
        packet.delivered - packet.queued - alone
    };
    let counters = run.simulation.counters();
    let data = &counters.packets[0];
    let waits = data.wait_throttling_ps + data.wait_internal_ps;
    assert_eq!(waits, run.waits(), "case {number}");
    assert_eq!(waits, run.rows.iter().map(beyond).sum::<u64>(), "case {number}");
    let throttling = run.simulation.measures().channels.iter().map(|c| c.wait_throttling_ps);
    assert_eq!(data.wait_throttling_ps, throttling.sum::<u64>(), "case {number}");
    assert_eq!((data.queued, data.sent), (rows.len() as u64, rows.len() as u64));
    assert_eq!(data.delivered, rows.len() as u64);
}

/// The first data bytes are there as much earlier as the others take.
fn check_beginnings(run: &Run, machine: &Machine) {
    let begins = run.simulation.measures().message_begins.as_ref().unwrap();
    let took = |packet: &tailback_engine::PacketRow| {
        let missing = u64::from(packet.bytes.saturating_sub(EARLY)) * machine.byte;
        u128::from(packet.delivered - packet.queued - missing)
    };
    let expected = (run.rows.len() as u64, run.rows.iter().map(took).sum::<u128>());
    assert_eq!((begins.moments.count, begins.moments.sum), expected);
}

/// How long channels were held, in samples, in a window, and at any instant.
#[test]
fn channels_are_held_as_long_as_in_the_twin() {
    for number in 0..random_cases(200) {
        let (engine, machine, rows) = case(number);
        let twin = Twin::run(&machine, &rows);
        let end = twin.holds.iter().map(|hold| hold.to).max().unwrap();
        let mut dice = Dice::new(number + 1_000_000);
        let (begin, until) = (dice.number(0, end), end / 2 + dice.number(0, end / 2));
        let (begin, until) = (begin.min(until), begin.max(until));
        let mut spec = spec(engine, message_list(&rows), Mode::Full);
        spec.sample_interval_ps = dice.number(1, 9) * 7_001;
        let mut simulation = Simulation::new(&spec).unwrap();
        advance(&mut simulation, begin);
        simulation.begin_window();
        advance(&mut simulation, until);
        let held = |from: u64, to: u64, of: Option<Channel>| -> u64 {
            let holds = twin.holds.iter().filter(|hold| of.is_none_or(|of| of == hold.channel));
            holds.map(|hold| hold.to.clamp(from, to) - hold.from.clamp(from, to)).sum()
        };
        let in_all = simulation.counters().busy_internal_ps;
        assert_eq!(in_all, held(0, until, None), "case {number}");
        for sample in simulation.take_samples() {
            let expected = held(0, sample.time, None);
            assert_eq!(sample.counters.busy_internal_ps, expected, "case {number}");
        }
        let used = simulation.channels_used();
        for group in &simulation.layout().groups {
            for (lane, channel) in group.channels().enumerate() {
                let tailback_engine::fabric::End::Switch(to) = group.end else { continue };
                let wire = (group.from, to.0, lane as u32);
                let expected =
                    if group.slot.is_some() { held(begin, until, Some(wire)) } else { 0 };
                assert_eq!(used[channel.index()].busy_ps, expected, "case {number} {wire:?}");
            }
        }
    }
}

fn advance(simulation: &mut Simulation, until: u64) {
    let progress = simulation.advance(until, u64::MAX).unwrap();
    assert!(matches!(progress, Progress::Time | Progress::Finished));
}

/// One message: as long as without contention, in every mode.
#[test]
fn alone_all_modes_agree() {
    for number in 0..random_cases(100) {
        let (engine, machine, rows) = case(number);
        let rows = &rows[..1];
        let twin = Twin::run(&machine, rows);
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let mut run = Run::new(engine.clone(), message_list(rows), mode);
            run.finish();
            let packet = run.rows[0];
            assert_eq!(
                Some(packet.delivered),
                twin.messages[0].delivered,
                "case {number} {mode:?}"
            );
            assert_eq!(Some(packet.first_internal), twin.messages[0].first);
            check_beginnings(&run, &machine);
            let busy: u64 = run.simulation.channels_used().iter().map(|used| used.busy_ps).sum();
            assert_eq!(busy, twin.holds.iter().map(|hold| hold.to - hold.from).sum::<u64>());
        }
    }
}
