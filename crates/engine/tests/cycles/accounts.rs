//! Where virtual channels share wires, or everything happens in slots, flits are worked out in
//! another way than when an account is kept of waits: one by one, at the instant at which they
//! start. All that is measured is the same.

use crate::agreement::{with_channels, with_choices};
use crate::parts::clear_rates;
use crate::random::{Dice, check, random_cases, same_packets};
use crate::small;
use tailback_engine::measure::{ChannelTally, Counters, NodeTally, Use};
use tailback_engine::spec::{
    Blame, Fidelity, Machine, RoutingSpec, Spec, TopologySpec, Weighing, Workload,
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

/// Where all that happens is at multiples of the time of a flit: links of one rate without gaps
/// or end tokens, and messages, windows and samples at any of these times, or at others.
fn slotted(dice: &mut Dice) -> Spec {
    let mut spec = if dice.chance(40) { with_choices(dice, true) } else { with_channels(dice) };
    let machine = &mut spec.machine;
    if dice.chance(20) {
        weigh(dice, machine);
    }
    let slot = machine.link.flit_ps;
    let in_slots = |time: &mut Time| *time = time.div_ceil(slot) * slot;
    let link = &mut machine.link;
    (link.end_token, link.packet_gap_ps) = (false, 0);
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
    spec
}

/// Routes that depend on loads, with as many virtual channels as they need, or more.
fn weigh(dice: &mut Dice, machine: &mut Machine) {
    machine.topology = TopologySpec::HyperX {
        dims: dice.one_of(&[&[3][..], &[4], &[2, 3], &[3, 3]]).to_vec(),
        nodes_per_switch: dice.number(1, 2) as u32,
        widths: Vec::new(),
        by_distance: false,
    };
    let (order, weighing) = (Vec::new(), Weighing::default());
    machine.routing.algorithm = match dice.number(0, 2) {
        0 => RoutingSpec::UgalL { order, weighing },
        1 => RoutingSpec::UgalG { order, weighing },
        _ => RoutingSpec::Dal { weighing },
    };
    machine.switch.virtual_channels = dice.one_of(&[4, 5, 8]);
}

/// Random runs that are cut into pieces, with an account of waits and without.
fn compare(first: u64, cases: u64, case: impl Fn(&mut Dice) -> Spec) {
    for number in 0..random_cases(cases) {
        let mut dice = Dice::new(first + number);
        let spec = case(&mut dice);
        assert_eq!(spec.fidelity, Fidelity::Flit);
        let mut pieces: Vec<Time> = (0..4).map(|_| dice.number(1, 2_000)).collect();
        pieces.sort_unstable();
        check(number, &spec, |spec| {
            let (expected, known) = measure(spec, Some(Blame::default()), &pieces);
            let (rows, got) = measure(spec, None, &pieces);
            same_packets(&expected, &rows);
            assert_eq!(got, known);
            0
        });
    }
}

#[test]
fn an_account_of_waits_changes_nothing_where_channels_share_wires() {
    compare(120_000_000, 600, case);
}

#[test]
fn an_account_of_waits_changes_nothing_where_all_happens_in_slots() {
    compare(130_000_000, 600, |dice| {
        let spec = slotted(dice);
        assert!(spec.is_in_slots());
        spec
    });
}
