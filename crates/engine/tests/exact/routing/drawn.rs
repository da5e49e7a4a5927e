//! What is drawn for a packet depends on nothing but the packet and where it is.

use super::{ADAPTIVE, TWO_PHASE, machine, mesh, torus};
use crate::common::dice::Dice;
use crate::common::{Run, message_list, spec};
use tailback_engine::PacketRow;
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;

type Sent = (u64, u32, u32, u32);

fn dragonfly() -> TopologySpec {
    TopologySpec::Dragonfly {
        nodes_per_switch: 2,
        switches_per_group: 3,
        global_links: 1,
        groups: 4,
    }
}

/// Machines that draw ways, whatever the load.
fn drawing_ways() -> Vec<Machine> {
    let spray = |turns| RoutingSpec::Spray { turns };
    let ecmp = |flow| RoutingSpec::Ecmp { flow, seed: 5 };
    let tree = || TopologySpec::FatTree { arity: 2, levels: 3 };
    let wrapping = RoutingSpec::DimensionOrderByWrapping { order: vec![] };
    vec![
        machine(mesh(&[4, 4]), TWO_PHASE, 2),
        machine(torus(&[4, 4]), TWO_PHASE, 4),
        machine(dragonfly(), RoutingSpec::ValiantByGroups, 4),
        machine(mesh(&[4, 4]), RoutingSpec::ValiantBySwitches { order: vec![] }, 2),
        machine(torus(&[4, 4]), wrapping, 2),
        machine(mesh(&[4, 4]), spray(Turns::Random), 6),
        machine(mesh(&[4, 4]), spray(Turns::RoundRobin), 6),
        machine(tree(), spray(Turns::Random), 1),
        machine(mesh(&[4, 4]), ecmp(Flow::Message), 6),
        machine(tree(), RoutingSpec::RandomAncestor, 1),
    ]
}

/// Machines that draw what depends on who else is there: ways by load, outputs that are free, or who
/// is served first.
fn drawing_by_load() -> Vec<Machine> {
    let ugal = || RoutingSpec::UgalL { order: vec![], weighing: Weighing::default() };
    let random = |machine: Machine| {
        let mut machine = machine;
        machine.routing.selection = Selection::Random;
        machine
    };
    let by_lot = |machine: Machine| {
        let mut machine = machine;
        machine.switch.arbiter = Arbiter::Random;
        machine
    };
    vec![
        machine(mesh(&[4, 4]), ugal(), 4),
        machine(dragonfly(), ugal(), 3),
        random(machine(mesh(&[4, 4]), ADAPTIVE, 2)),
        random(machine(torus(&[4, 4]), RoutingSpec::Deflection, 1)),
        random(machine(torus(&[4, 4]), RoutingSpec::Chaos, 1)),
        by_lot(machine(
            mesh(&[4, 4]),
            RoutingSpec::DimensionOrder { order: vec![], balanced: false },
            1,
        )),
        by_lot(machine(torus(&[4, 4]), TWO_PHASE, 4)),
        by_lot(random(machine(mesh(&[4, 4]), ADAPTIVE, 3))),
    ]
}

/// With several packets of a message in flight, and acknowledgements.
fn with_acknowledgements(mut machine: Machine) -> Machine {
    machine.interface.acknowledges = true;
    machine.interface.window = Some(3);
    machine
}

/// A run of messages, in order of time.
fn run(machine: &Machine, rows: &[Sent], seed: u64) -> Run {
    let spec = spec(machine.clone(), message_list(rows), Mode::Full);
    let mut run = Run::with(&Spec { seed, ..spec });
    run.finish();
    run
}

/// Packets that the channels of each group send.
fn packets(machine: &Machine, rows: &[Sent], seed: u64) -> Vec<i64> {
    let run = run(machine, rows, seed);
    let layout = run.simulation.layout();
    let mut sums = vec![0; layout.groups.len()];
    for (used, &group) in run.simulation.channels_used().iter().zip(&layout.group_of) {
        sums[group.0 as usize] += i64::from(used.packets);
    }
    sums
}

fn nodes(machine: &Machine) -> u32 {
    Topology::new(&machine.topology).unwrap().nodes as u32
}

/// Random messages of up to five packets, none to its own node, at once.
fn crowd(dice: &mut Dice, machine: &Machine, count: u64, at: u64) -> Vec<Sent> {
    let nodes = u64::from(nodes(machine));
    let message = |dice: &mut Dice| {
        let from = dice.number(0, nodes - 1);
        let to = (from + dice.number(1, nodes - 1)) % nodes;
        (at, from as u32, to as u32, dice.number(1, 5 * 32) as u32)
    };
    (0..count).map(|_| message(dice)).collect()
}

/// The same messages, but all stay in their nodes.
fn at_home(rows: &[Sent]) -> Vec<Sent> {
    rows.iter().map(|&(at, from, _, bytes)| (at, from, from, bytes)).collect()
}

/// The groups of channels that the last message of a crowd takes are those by which the crowd
/// differs from itself without it; and those it takes when all before it stay in their nodes.
#[test]
fn a_message_takes_the_same_ways_alone_and_in_a_crowd() {
    for (number, machine) in drawing_ways().into_iter().map(with_acknowledgements).enumerate() {
        let mut differ = false;
        for seed in 1..=12 {
            let mut dice = Dice::new(seed);
            let mut rows = crowd(&mut dice, &machine, 60, 0);
            let all = packets(&machine, &rows, seed);
            let last = rows.pop().unwrap();
            let others = packets(&machine, &rows, seed);
            let alone: Vec<Sent> = at_home(&rows).into_iter().chain([last]).collect();
            let alone = packets(&machine, &alone, seed);
            let its: Vec<i64> = all.iter().zip(&others).map(|(all, others)| all - others).collect();
            assert_eq!(its, alone, "machine {number}, seed {seed}");
            differ |= packets(&machine, &[last], seed) != alone;
        }
        // The first message of its process goes another way than a later one.
        assert!(differ, "machine {number} draws nothing");
    }
}

/// When the network is empty again, what has gone before has left no trace.
#[test]
fn what_was_sent_before_does_not_matter() {
    let machines = drawing_ways().into_iter().chain(drawing_by_load()).map(with_acknowledgements);
    for (number, machine) in machines.enumerate() {
        let mut differ = false;
        for seed in 1..=6 {
            let mut dice = Dice::new(100 + seed);
            let [before, after] = [0, 1_000_000_000].map(|at| crowd(&mut dice, &machine, 50, at));
            let late = |rows: &[Sent], seed| {
                let rows: Vec<Sent> = rows.iter().chain(&after).copied().collect();
                let late = run(&machine, &rows, seed).rows.into_iter();
                late.filter(|row| row.queued >= 1_000_000_000).collect::<Vec<PacketRow>>()
            };
            let expected = late(&at_home(&before), seed);
            assert_eq!(late(&before, seed), expected, "machine {number}, seed {seed}");
            differ |= late(&before, seed + 1_000) != expected;
        }
        let hashes = matches!(machine.routing.algorithm, RoutingSpec::Ecmp { .. })
            || machine.routing.algorithm == RoutingSpec::Spray { turns: Turns::RoundRobin };
        assert_eq!(differ, !hashes, "machine {number}: what the seed of the run is for");
    }
}
