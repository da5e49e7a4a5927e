//! Flits are worked out in several ways: together, where everything happens in slots; ahead of time,
//! where virtual channels share wires and no account is kept of waits; else one by one, at the instant at
//! which they start. All that is measured, and what waits are charged to, is the same.

use super::agreement::{with_channels, with_choices};
use super::cases as small;
use crate::common::packet_waits;
use crate::common::parts::clear_rates;
use crate::common::random::{Dice, check, random_cases, same_packets, same_packets_in_any_order};
use tailback_engine::measure::blame::{Charged, Key, Sum, Sums, Tables};
use tailback_engine::measure::{ChannelTally, Counters, NodeTally, Use};
use tailback_engine::spec::{
    Blame, Fidelity, RoutingSpec, Sharing, Spec, TopologySpec, Weighing, Workload,
};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

/// What is measured of a run that is cut into pieces, apart from its packets.
#[derive(Debug, PartialEq)]
struct Measured {
    used: Vec<Vec<Use>>,
    waits: Vec<ChannelTally>,
    nodes: Vec<NodeTally>,
    counters: Vec<Counters>,
    samples: Vec<(Time, Counters)>,
}

fn measure(spec: &Spec, blame: Option<Blame>, pieces: &[Time]) -> (Vec<PacketRow>, Measured) {
    let mut simulation = Simulation::new(&Spec { blame, ..spec.clone() }).unwrap();
    let (mut used, mut counters, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    for &until in pieces {
        simulation.advance(until, u64::MAX).unwrap();
        used.push(simulation.channels_used());
        counters.push(simulation.counters());
        samples
            .extend(simulation.take_samples().iter().map(|sample| (sample.time, sample.counters)));
        if until % 2 == 0 {
            simulation.begin_window();
        }
    }
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    used.push(simulation.channels_used());
    counters.push(simulation.counters());
    samples.extend(simulation.take_samples().iter().map(|sample| (sample.time, sample.counters)));
    let (waits, nodes) = (simulation.measures().channels.clone(), simulation.node_tallies());
    (simulation.take_packets(), Measured { used, waits, nodes, counters, samples })
}

/// Virtual channels, mostly with credits that take time.
fn case(dice: &mut Dice) -> Spec {
    let mut spec = if dice.chance(30) { with_choices(dice, true) } else { with_channels(dice) };
    spec.machine.switch.virtual_channels = spec.machine.switch.virtual_channels.max(2);
    if dice.chance(60) {
        spec.machine.link.credit_delay_ps = dice.number(1, 4 * spec.machine.link.flit_ps);
    }
    spec.workload = Workload::Messages(small::messages(dice, &spec.machine));
    spec
}

/// The same on networks in which packets choose between ways by what lies behind their first links,
/// so that it matters which flits have started by an instant.
fn weighed(dice: &mut Dice) -> Spec {
    let weighing = Weighing {
        threshold: dice.one_of(&[-3, 0, 0, 0, 2, 30]),
        doubles: dice.chance(30),
        only_behind: dice.chance(30),
    };
    let order = Vec::new();
    let sides: &[&[u32]] = &[&[4], &[3, 2], &[3, 3]];
    let hyperx = TopologySpec::HyperX {
        dims: dice.one_of(sides).to_vec(),
        widths: vec![],
        nodes_per_switch: dice.number(1, 2) as u32,
        by_distance: false,
    };
    let dragonfly = TopologySpec::Dragonfly {
        nodes_per_switch: 1,
        switches_per_group: 2,
        global_links: dice.number(1, 2) as u32,
        groups: 3,
    };
    let (topology, algorithm) = match dice.number(0, 5) {
        0 => (hyperx, RoutingSpec::Dal { weighing }),
        1 => (hyperx, RoutingSpec::UgalL { order, weighing }),
        2 => (hyperx, RoutingSpec::UgalG { order, weighing }),
        3 => (dragonfly, RoutingSpec::UgalL { order, weighing }),
        4 => (dragonfly, RoutingSpec::UgalG { order, weighing }),
        _ => (dragonfly, RoutingSpec::Par { weighing }),
    };
    let mut spec = with_channels(dice);
    clear_rates(&mut spec.machine);
    (spec.machine.topology, spec.machine.routing.algorithm) = (topology, algorithm);
    spec.machine.switch.virtual_channels = dice.number(4, 6) as u32;
    if dice.chance(80) {
        spec.machine.link.credit_delay_ps = dice.number(1, 4 * spec.machine.link.flit_ps);
    }
    spec.workload = Workload::Messages(small::messages(dice, &spec.machine));
    spec
}

/// The same where all that happens is at multiples of the time of a flit: links of one rate without
/// end tokens. Windows and samples are at any time.
fn slotted(dice: &mut Dice) -> Spec {
    let mut spec = match dice.number(0, 5) {
        0..2 => with_channels(dice),
        2..4 => with_choices(dice, true),
        _ => weighed(dice),
    };
    let machine = &mut spec.machine;
    let slot = machine.link.flit_ps;
    let in_slots = |time: &mut Time| *time = time.div_ceil(slot) * slot;
    let link = &mut machine.link;
    link.end_token = false;
    in_slots(&mut link.packet_gap_ps);
    link.credit_delay_ps = if dice.chance(60) { dice.number(0, 4) * slot } else { 0 };
    in_slots(&mut link.delay_ps);
    in_slots(&mut machine.switch.delay_ps);
    clear_rates(machine);
    if dice.chance(30) {
        let delay_ps = Some(dice.number(0, 5) * slot);
        machine.set_node_link(|node| node.delay_ps = delay_ps);
    }
    let mut list = small::messages(dice, machine);
    list.time_ps.iter_mut().for_each(in_slots);
    spec.workload = Workload::Messages(list);
    assert!(spec.is_in_slots());
    spec
}

/// The same, simulated flit by flit: nothing computes, so that slices of processors do nothing, but where
/// there are any not all is taken to happen in slots.
fn one_by_one(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.machine.interface.time_slice_ps = Some(1_000);
    assert!(!spec.is_in_slots());
    spec
}

/// What waits are charged to: of every packet; in the tables, by pair, by channel and by victim.
type Charges = (Vec<Charged>, [Vec<(Key, Sum)>; 3]);

fn charges(spec: &Spec, blame: Blame) -> Charges {
    let mut simulation = Simulation::new(&Spec { blame: Some(blame), ..spec.clone() }).unwrap();
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|one| (one.packet.message, one.packet.class, one.packet.queued));
    let tables = simulation.measures().blame.as_ref().unwrap().tables.settled();
    let Tables { direct, victims, .. } = &tables;
    let all = [&direct.pairs, &direct.channels, victims];
    (charged, all.map(Sums::sorted))
}

fn compare_all(first: u64, make: impl Fn(&mut Dice) -> Spec) {
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(first + number);
        let spec = make(&mut dice);
        assert_eq!(spec.fidelity, Fidelity::Flit);
        let mut pieces: Vec<Time> = (0..4).map(|_| dice.number(1, 2_000)).collect();
        pieces.sort_unstable();
        check(number, &spec, |spec| {
            let (expected, known) = measure(spec, Some(packet_waits()), &pieces);
            let (rows, got) = measure(spec, None, &pieces);
            same_packets(&expected, &rows);
            assert_eq!(got, known);
            0
        });
    }
}

#[test]
fn an_account_of_waits_changes_nothing_where_channels_share_wires() {
    compare_all(120_000_000, case);
}

#[test]
fn nor_where_ways_are_chosen_by_loads() {
    compare_all(121_000_000, weighed);
}

#[test]
fn nor_where_all_happens_in_slots() {
    compare_all(130_000_000, |dice| one_by_one(&slotted(dice)));
}

#[test]
fn in_slots_all_is_as_one_by_one() {
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(130_000_000 + number);
        let spec = slotted(&mut dice);
        let mut pieces: Vec<Time> = (0..4).map(|_| dice.number(1, 2_000)).collect();
        pieces.sort_unstable();
        check(number, &spec, |spec| {
            let (expected, known) = measure(&one_by_one(spec), Some(packet_waits()), &pieces);
            let (rows, got) = measure(spec, None, &pieces);
            same_packets(&expected, &rows);
            assert_eq!(got, known);
            0
        });
    }
}

#[test]
fn in_slots_waits_are_charged_as_one_by_one() {
    for number in 0..random_cases(1_200) {
        let mut dice = Dice::new(131_000_000 + number);
        let spec = slotted(&mut dice);
        let blame = match dice.number(0, 4) {
            0 => Blame { share: Some(1 << 31), ..packet_waits() },
            1 => Blame { share: Some(1 << 30), ..packet_waits() },
            _ => packet_waits(),
        };
        check(number, &spec, |spec| {
            let (expected, known) = charges(&one_by_one(spec), blame.clone());
            let (got, tables) = charges(spec, blame.clone());
            for (expected, got) in expected.iter().zip(&got) {
                assert_eq!(got, expected);
            }
            assert_eq!(got.len(), expected.len());
            assert_eq!(tables, known);
            0
        });
    }
}

/// What is known ahead of its time is no load yet, whatever a fidelity knows.
#[test]
fn worms_choose_the_ways_that_flits_choose() {
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(122_000_000 + number);
        let mut spec = weighed(&mut dice);
        spec.machine.link.packet_gap_ps = 0;
        spec.machine.link.sharing = Sharing::Separate;
        check(number, &spec, |spec| {
            let (expected, _) = measure(spec, None, &[]);
            let worm = Spec { fidelity: Fidelity::Worm, ..spec.clone() };
            same_packets_in_any_order(expected, measure(&worm, None, &[]).0);
            0
        });
    }
}
