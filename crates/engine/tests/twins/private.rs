//! Modes `free` and `endpoints` against mode `full` with one message at a time: in `free` every
//! message takes what it takes alone, and alone it takes the same in all three.

use crate::common::random::{Dice, check, in_proportion, random_cases, same_packets};
use crate::common::{self, message_list};
use crate::cycles::cases as small;
use crate::frames::cases as frames;
use crate::reference::cases::{self as reference, Kind};
use crate::reference::hosts;
use crate::router::cases as router;
use crate::transports::stored::cases as stored;
use tailback_engine::spec::{
    Arbiter, Fidelity, Flow, FlowControl, InterfaceRule, LinkClass, Machine, Mode, Queueing,
    RoutingSpec, Selection, Spec, Switching, TopologySpec, Workload,
};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

/// A message: when, from where to where, and its bytes.
type Row = (Time, u32, u32, u32);

/// What draws at random would be drawn otherwise without the other messages, interfaces that are taken
/// in turn or by what waits would be others, and nodes with software let messages wait for each other in
/// all modes.
fn is_suited(machine: &Machine) -> bool {
    let draws = matches!(
        machine.routing.algorithm,
        RoutingSpec::Valiant { .. }
            | RoutingSpec::ValiantBySwitches { .. }
            | RoutingSpec::ValiantByGroups
            | RoutingSpec::UgalL { .. }
            | RoutingSpec::UgalG { .. }
            | RoutingSpec::Par { .. }
            | RoutingSpec::Chaos
            | RoutingSpec::Ecmp { .. }
            | RoutingSpec::Spray { .. }
            | RoutingSpec::RandomAncestor
    );
    let knows_others = match &machine.topology {
        TopologySpec::Hosts { hosts, .. } => !matches!(
            hosts.rule,
            InterfaceRule::Own
                | InterfaceRule::Rail
                | InterfaceRule::FlowHash { flow: Flow::Pair | Flow::ProcessPair, .. }
        ),
        _ => false,
    };
    !draws
        && !knows_others
        && machine.routing.selection != Selection::Random
        && machine.switch.arbiter != Arbiter::Random
        && machine.interface.costs.is_none()
}

/// A random machine of one of many kinds with a list of messages.
fn case(number: u64, dice: &mut Dice) -> Spec {
    match number % 8 {
        0 | 1 => reference::spec(dice, Kind::Messages),
        2 => {
            let mut spec = reference::spec(dice, Kind::Messages);
            hosts::some(dice, &mut spec.machine);
            spec.workload = reference::messages(dice, &spec.machine);
            spec
        }
        3 => router::spec(dice),
        4 => frames::spec(dice),
        5 => stored::spec(&mut Dice::new(number)),
        _ => {
            let mut spec = small::spec(dice);
            spec.fidelity = dice.one_of(&[Fidelity::Flit, Fidelity::Worm, Fidelity::Token]);
            spec.machine.interface.acknowledges = dice.chance(30);
            if spec.fidelity == Fidelity::Token {
                spec.machine.link.flow_control = FlowControl::InBand;
                spec.machine.switch.input_buffer_flits = Some(dice.number(10, 90) as u32);
                spec.machine.switch.output_buffer_flits = dice.number(1, 50) as u32;
            }
            if spec.fidelity == Fidelity::Worm {
                spec.machine.link.packet_gap_ps = 0;
            }
            spec
        }
    }
}

/// A run of these messages; none if it does not come to its end.
fn finished(spec: &Spec, rows: &[Row], mode: Mode) -> Option<Simulation> {
    let spec = Spec { workload: message_list(rows), mode, ..spec.clone() };
    let mut simulation = Simulation::new(&spec).ok()?;
    simulation.keep_messages();
    let progress = simulation.advance(Time::MAX / 4, 400_000);
    (progress == Ok(Progress::Finished)).then_some(simulation)
}

/// The packets of a run of these messages, by message; none if it does not come to its end.
fn packets(spec: &Spec, rows: &[Row], mode: Mode) -> Option<Vec<Vec<PacketRow>>> {
    let mut simulation = finished(spec, rows, mode)?;
    let mut of_messages = vec![Vec::new(); rows.len()];
    for row in simulation.take_packets() {
        of_messages[row.message as usize].push(PacketRow { message: 0, ..row });
    }
    for packets in &mut of_messages {
        packets.sort_by_key(|row| (row.queued, row.class, row.first_sent, row.delivered));
    }
    Some(of_messages)
}

/// Compares all messages of a case; how many packets that were.
fn compare(spec: &Spec) -> usize {
    let Workload::Messages(list) = &spec.workload else { return 0 };
    if !is_suited(&spec.machine) {
        return 0;
    }
    let row = |at: usize| {
        (list.time_ps[at], list.source[at], list.destination[at], list.bytes[at] as u32)
    };
    let mut rows: Vec<Row> = (0..list.time_ps.len().min(40)).map(row).collect();
    rows.retain(|row| row.1 != row.2);
    rows.sort_by_key(|row| row.0);
    let Some(free) = packets(spec, &rows, Mode::Free) else { return 0 };
    let mut count = 0;
    for (at, row) in rows.iter().enumerate() {
        let Some(alone) = packets(spec, &[*row], Mode::Full) else { continue };
        same_packets(&alone[0], &free[at]);
        let ends = packets(spec, &[*row], Mode::Endpoints).expect("it is as in `full`");
        same_packets(&alone[0], &ends[0]);
        count += alone[0].len();
    }
    count
}

#[test]
fn a_message_alone_takes_the_same_in_all_modes_and_in_free_among_others() {
    let mut count = 0;
    for number in 0..random_cases(2_400) {
        let mut dice = Dice::new(910_000 + number);
        let spec = case(number, &mut dice);
        count += check(number, &spec, compare);
    }
    let least = in_proportion(20_000);
    assert!(count as u64 > least, "hardly any packets: {count}");
}

/// When the last packet of every message was there, acknowledgements included, of those that came whole;
/// none if the run does not come to its end.
fn ends(spec: &Spec, rows: &[Row], mode: Mode) -> Option<Vec<Option<Time>>> {
    let mut simulation = finished(spec, rows, mode)?;
    let mut ends = vec![None; rows.len()];
    for row in simulation.take_messages() {
        ends[row.number as usize] = Some(row.received);
    }
    for packet in simulation.take_packets() {
        let end = &mut ends[packet.message as usize];
        *end = end.map(|end| end.max(packet.delivered));
    }
    Some(ends)
}

/// In `endpoints` no message is quicker than alone. That is about messages that come whole: where a switch
/// has no memory for all packets of a message, those that come while the first waits for the link of its
/// node are lost, and the last that is left may be there earlier than the last of all is alone.
#[test]
fn nobody_is_quicker_for_sharing_the_links_of_nodes() {
    for number in 0..random_cases(1_200) {
        let mut dice = Dice::new(920_000 + number);
        let spec = case(number, &mut dice);
        check(number, &spec, |spec| {
            let Workload::Messages(list) = &spec.workload else { return };
            if !is_suited(&spec.machine) || spec.machine.interface.receive_fifo.is_some() {
                return;
            }
            let row = |at: usize| {
                (list.time_ps[at], list.source[at], list.destination[at], list.bytes[at] as u32)
            };
            let mut rows: Vec<Row> = (0..list.time_ps.len()).map(row).collect();
            rows.sort_by_key(|row| row.0);
            let Some(free) = ends(spec, &rows, Mode::Free) else { return };
            let shared = ends(spec, &rows, Mode::Endpoints).expect("nobody waits for ever");
            let loses = spec.machine.switch.frames.is_some_and(|of| of.memory_bytes.is_some());
            for (free, shared) in free.iter().zip(&shared) {
                match (free, shared) {
                    (Some(free), Some(shared)) => assert!(shared >= free),
                    _ => assert!(loses, "a message is lost"),
                }
            }
        });
    }
}

/// A machine whose packets have a choice of ways that are all equally long, and messages of several packets between
/// few pairs.
fn with_choices(dice: &mut Dice) -> Spec {
    let arity = dice.number(2, 3) as u32;
    let levels = dice.number(2, 3) as u32;
    let is_tree = dice.chance(70);
    let (topology, algorithm) = if is_tree {
        let adaptive = RoutingSpec::NearestCommonAncestor { adaptive: true };
        (TopologySpec::FatTree { arity, levels }, adaptive)
    } else {
        (
            TopologySpec::Mesh { dims: vec![3, 3] },
            RoutingSpec::MinimalAdaptive { order: Vec::new() },
        )
    };
    let nodes = if levels == 2 { 4 } else { 8 };
    let mut machine = Machine::t9000(topology);
    // Links of nodes may be faster: then packets wait behind them.
    let flit_ps = dice.chance(30).then_some(machine.link.flit_ps / 2);
    machine.node_link = Some(LinkClass { flit_ps, ..LinkClass::default() });
    let selections =
        [Selection::First, Selection::Random, Selection::FewestWaiting, Selection::MostCredit];
    machine.routing.algorithm = algorithm;
    machine.routing.selection = dice.one_of(&selections);
    machine.switch.virtual_channels = if is_tree { 1 } else { 2 };
    machine.switch.switching = Switching::CutThrough;
    machine.switch.queueing = dice.one_of(&[Queueing::Fifo, Queueing::Voq, Queueing::Output]);
    machine.switch.input_buffer_flits = Some(40 * dice.number(1, 12) as u32);
    machine.switch.delay_ps = dice.one_of(&[0, 1_000, 500_000]);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.link.credit_delay_ps = 0;
    machine.link.delay_ps = dice.one_of(&[0, 3_000, 2_000_000]);
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    let pairs = [(0, nodes - 1), (1, nodes - 1), (0, nodes / 2), (nodes - 2, 1)];
    let sizes = [20, 32, 80, 32 * 5, 32 * 9 + 7, 32 * 40];
    let row = |_| {
        let ((from, to), bytes) = (dice.one_of(&pairs), dice.one_of(&sizes));
        (dice.number(0, 9) * 1_000_000, from, to, bytes)
    };
    let mut rows: Vec<Row> = (0..20).map(row).collect();
    rows.sort_unstable();
    let spec = common::spec(machine, message_list(&rows), Mode::Full);
    Spec { lateness: true, ..spec }
}

/// What one message takes alone is remembered for all like it, also where packets have a choice; without
/// optimisation it is compared with what it takes at each that is remembered.
#[test]
fn messages_that_are_alike_take_the_same_alone_whatever_their_packets_choose() {
    let mut simulated = 0;
    for number in 0..random_cases(600) {
        let spec = with_choices(&mut Dice::new(77_000 + number));
        simulated += check(number, &spec, |spec| {
            let Ok(mut simulation) = Simulation::new(spec) else { return 0 };
            assert_eq!(simulation.advance(Time::MAX / 4, u64::MAX), Ok(Progress::Finished));
            1
        });
    }
    assert!(4 * simulated > 3 * random_cases(600), "{simulated} can be simulated");
}
