//! The engine's `flit` and `worm` against the simulator that goes tick by tick.

use super::simulator::{Simulator, Tally};
use super::{cases as small, windows};
use crate::common::random::{Dice, check, finished, random_cases, same_packets_in_any_order};
use crate::reference::networks;
use tailback_engine::measure::{ChannelTally, Moments, Use};
use tailback_engine::spec::{Fidelity, Sharing, Spec, Workload};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Counters, PacketRow, Simulation};

/// What every channel did in a run of the engine.
pub fn tallies(simulation: &Simulation) -> Vec<Tally> {
    let used = simulation.channels_used();
    let tally = |(used, tally): (&Use, &ChannelTally)| Tally {
        packets: u64::from(used.packets),
        busy: used.busy_ps,
        kept: tally.kept_ps,
        throttling: tally.wait_throttling_ps,
        internal_contention: tally.wait_internal_ps,
        // Not counted by channel.
        caught_up: 0,
    };
    used.iter().zip(&simulation.measures().channels).map(tally).collect()
}

/// Compares one case; for how long its channels were busy.
fn compare(spec: &Spec, piece: u64) -> u64 {
    let mut simulator = Simulator::new(spec);
    simulator.finish();
    let begun = begun(&simulator);
    let (expected, expected_tallies) = simulator.run();
    let mut simulation = finished(spec, piece);
    same_packets_in_any_order(expected.clone(), simulation.take_packets());
    same_tallies(&tallies(&simulation), &expected_tallies);
    compare_counters(&simulation.counters(), &expected, &expected_tallies);
    let begins = simulation.measures().message_begins.as_ref().map(|begins| begins.moments);
    assert_eq!(begins, begun, "engine, simulator: messages begin");
    expected_tallies.iter().map(|tally| tally.busy).sum()
}

/// Panics if a channel did something else than is expected.
pub fn same_tallies(engine: &[Tally], expected: &[Tally]) {
    for (number, pair) in engine.iter().zip(expected).enumerate() {
        let expected = Tally { caught_up: 0, ..*pair.1 };
        assert_eq!(*pair.0, expected, "engine, simulator; channel {number}");
    }
}

/// How long after they were sent messages have begun to arrive, if that is measured.
fn begun(simulator: &Simulator) -> Option<Moments> {
    let is_measured = simulator.machine.interface.early_bytes > 0;
    is_measured.then_some(())?;
    let mut moments = Moments::default();
    for packet in &simulator.packets {
        moments.add(packet.begun - packet.row.queued);
    }
    Some(moments)
}

/// Counters are sums over the packets and over the channels.
fn compare_counters(counters: &Counters, rows: &[PacketRow], tallies: &[Tally]) {
    let sum = |of: fn(&PacketRow) -> Time| rows.iter().map(of).sum::<Time>();
    let data = &counters.packets[0];
    let routed = |row: &PacketRow| u64::from(row.first_internal != NEVER);
    let routed_lifetime = |row: &PacketRow| row.delivered.saturating_sub(row.first_internal);
    let busy = counters.busy_injection_ps + counters.busy_internal_ps + counters.busy_ejection_ps;
    let total = |of: fn(&Tally) -> Time| tallies.iter().map(of).sum::<Time>();
    let pairs = [
        ("delivered", data.delivered, rows.len() as u64),
        ("sent", data.sent, rows.len() as u64),
        ("hops", data.hops, sum(|row| row.hops.into())),
        ("crossings", counters.packet_hops, total(|tally| tally.packets)),
        ("lifetime", data.lifetime_ps, sum(|row| row.delivered - row.queued)),
        ("network lifetime", data.network_lifetime_ps, sum(|row| row.delivered - row.first_sent)),
        ("routed", data.routed, sum(routed)),
        ("routed lifetime", data.routed_lifetime_ps, sum(routed_lifetime)),
        ("throttling", data.wait_throttling_ps, total(|tally| tally.throttling)),
        ("contention", data.wait_internal_ps, total(|tally| tally.internal_contention)),
        ("caught up", data.caught_up_ps, total(|tally| tally.caught_up)),
        ("busy", busy, total(|tally| tally.busy)),
    ];
    for (name, engine, expected) in pairs {
        assert_eq!(engine, expected, "{name}: engine, simulator");
    }
}

/// Compares random cases, each made fit for the fidelity; they must not be next to nothing.
fn compare_all(fidelity: Fidelity, first: u64, make: impl Fn(&mut Dice) -> Spec) {
    compare_some(fidelity, first, random_cases(1_500), make);
}

fn compare_some(fidelity: Fidelity, first: u64, number: u64, make: impl Fn(&mut Dice) -> Spec) {
    let mut busy = 0;
    for case in first..first + number {
        let mut dice = Dice::new(case);
        let mut spec = Spec { fidelity, ..make(&mut dice) };
        if fidelity == Fidelity::Worm {
            // It has no gaps, and every channel has a wire of its own.
            spec.machine.link.packet_gap_ps = 0;
            spec.machine.link.sharing = Sharing::Separate;
        }
        // In pieces of a few events, which must change nothing.
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        busy += check(case, &spec, |spec| compare(spec, piece));
    }
    assert!(busy > 1_000 * number, "next to nothing happens in the cases: {busy}");
}

/// Random cases with virtual channels.
pub fn with_channels(dice: &mut Dice) -> Spec {
    let mut spec = small::spec(dice);
    networks::share(dice, &mut spec.machine);
    spec
}

/// The same in which packets have a choice.
pub fn with_choices(dice: &mut Dice, may_escape: bool) -> Spec {
    let mut spec = with_channels(dice);
    networks::choose(dice, &mut spec.machine, may_escape);
    spec
}

/// The same with links of a list.
fn with_links(dice: &mut Dice) -> Spec {
    let mut spec = with_channels(dice);
    networks::graph(dice, &mut spec.machine, 20);
    spec.workload = Workload::Messages(small::messages(dice, &spec.machine));
    networks::without_deadlock(&mut spec);
    spec
}

/// The same with several packets of a message in flight.
fn with_windows(dice: &mut Dice) -> Spec {
    let is_integrated = dice.chance(30);
    let mut spec = if is_integrated { small::integrated(dice) } else { with_channels(dice) };
    windows::open(dice, &mut spec.machine);
    spec
}

/// Where nodes are, whose links are half duplex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// At switches.
    Switched,
    /// There, or they are their own switches.
    Any,
}

/// The same with wires that both directions share, often with buffers of one flit.
pub fn with_half_duplex(dice: &mut Dice, half: Half) -> Spec {
    let is_integrated = half == Half::Any && dice.chance(20);
    let mut spec = if is_integrated { small::integrated(dice) } else { with_channels(dice) };
    if !is_integrated && dice.chance(25) {
        networks::choose(dice, &mut spec.machine, true);
    }
    networks::halve(dice, &mut spec.machine);
    if dice.chance(40) {
        spec.machine.link.credit_delay_ps = 0;
        spec.machine.interface.header_bytes = 1;
        spec.machine.switch.input_buffer_flits = Some(1);
    }
    if is_integrated {
        spec.machine.node_link = None;
    }
    if dice.chance(30) {
        windows::open(dice, &mut spec.machine);
    }
    spec
}

/// The same with receive FIFOs, and perhaps wires that both directions share.
pub fn with_receivers(dice: &mut Dice, fidelity: Fidelity) -> Spec {
    let mut spec = with_channels(dice);
    if dice.chance(25) {
        networks::choose(dice, &mut spec.machine, fidelity == Fidelity::Flit);
    }
    if fidelity == Fidelity::Flit && dice.chance(40) {
        networks::halve(dice, &mut spec.machine);
    }
    if dice.chance(30) {
        windows::open(dice, &mut spec.machine);
    }
    networks::receive(dice, &mut spec.machine);
    spec
}

#[test]
fn flit_agrees_where_nodes_have_receive_fifos() {
    compare_all(Fidelity::Flit, 100_000_000, |dice| with_receivers(dice, Fidelity::Flit));
}

#[test]
fn worm_agrees_where_nodes_have_receive_fifos() {
    compare_all(Fidelity::Worm, 110_000_000, |dice| with_receivers(dice, Fidelity::Worm));
}

#[test]
fn flit_agrees_where_both_directions_share_a_wire() {
    compare_all(Fidelity::Flit, 90_000_000, |dice| with_half_duplex(dice, Half::Any));
}

/// The same with buffers that hardly ever fill, or never, and often with many channels of a wire.
fn with_much_room(dice: &mut Dice) -> Spec {
    let mut spec = with_half_duplex(dice, Half::Any);
    let switch = &mut spec.machine.switch;
    switch.input_buffer_flits = dice.one_of(&[None, Some(4_097), Some(5_000), Some(1 << 20)]);
    if switch.virtual_channels > 1 && dice.chance(50) {
        switch.virtual_channels = dice.number(33, 80) as u32;
    }
    spec
}

#[test]
fn flit_agrees_where_there_is_much_room() {
    compare_all(Fidelity::Flit, 120_000_000, with_much_room);
}

#[test]
fn flit_agrees_with_several_packets_of_a_message_in_flight() {
    compare_all(Fidelity::Flit, 70_000_000, with_windows);
}

#[test]
fn worm_agrees_with_several_packets_of_a_message_in_flight() {
    compare_all(Fidelity::Worm, 80_000_000, with_windows);
}

#[test]
fn flit_agrees_where_nodes_are_integrated() {
    compare_some(Fidelity::Flit, 50_000_000, random_cases(3_000), small::integrated);
}

#[test]
fn worm_agrees_where_nodes_are_integrated() {
    compare_some(Fidelity::Worm, 60_000_000, random_cases(3_000), small::integrated);
}

#[test]
fn flit_agrees_with_the_simulator_that_goes_tick_by_tick() {
    compare_all(Fidelity::Flit, 0, with_channels);
}

#[test]
fn worm_agrees_with_the_simulator_that_goes_tick_by_tick() {
    compare_all(Fidelity::Worm, 0, with_channels);
}

#[test]
fn flit_agrees_where_packets_have_a_choice() {
    compare_all(Fidelity::Flit, 10_000_000, |dice| with_choices(dice, true));
}

#[test]
fn worm_agrees_where_packets_have_a_choice() {
    compare_all(Fidelity::Worm, 20_000_000, |dice| with_choices(dice, false));
}

#[test]
fn flit_agrees_where_links_are_listed() {
    compare_all(Fidelity::Flit, 30_000_000, with_links);
}

#[test]
fn worm_agrees_where_links_are_listed() {
    compare_all(Fidelity::Worm, 40_000_000, with_links);
}
