//! A second simulator, slow and simple, compared with the engine packet by packet.
//!
//! It was written from `docs/model.md` and shares nothing with the engine but
//! the description of a run and the random numbers. It keeps every packet, every
//! buffer and every waiting request as they are at each instant, and lets every
//! node and every output choose whenever anything has happened.

mod allocators;
pub mod cases;
mod choices;
mod circuits;
pub mod faults;
mod hand;
pub mod hosts;
mod machine;
mod network;
pub mod networks;
mod outages;
mod patterns;
mod processes;
mod program;
pub mod programs;
mod protocol;
mod queueing;
mod receivers;
mod replies;
pub mod rerouted;
mod software;
mod synthetic;
mod tally;
pub mod ways;
mod weighing;
mod windows;
pub mod wiring;

use crate::common::random::{Cells, Dice, check, random_cases, same_packets};
use crate::common::{spec, synthetic};
use cases::Kind;
use machine::{Counters, NEVER, Reference, Time};
use std::ops::Range;
use tailback_engine::error::RunError;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::{
    Costs, Distribution, FailedLink, FaultAt, Fidelity, Machine, Mode, Places, RoutingSpec, Side,
    Spec, Start, Sync, Synthetic, TopologySpec, Workload,
};
use tailback_engine::{Class, PacketRow, Progress, Simulation};
use tally::Tally;

/// Random cases of each kind of workload every day, and with more than that needs.
const CASES: u64 = 400;
const CASES_OF_MORE: u64 = 150;
const CASES_OF_RATES: u64 = 60;
const CASES_OF_FAULTS: u64 = 2_000;
/// Instants worked through in one case.
const INSTANTS: usize = 1_000;
/// Later than anything in a case that comes to an end.
const LONG: Time = 1_000_000_000_000_000;

/// A packet's row in the order in which both sides are sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    delivered: Time,
    is_ack: bool,
    message: u64,
    source: u32,
    destination: u32,
    queued: Time,
    bytes: u32,
    hops: u16,
    first_sent: Time,
    first_internal: Time,
}

impl Cells for Row {
    fn cells(&self) -> Vec<(&'static str, String)> {
        vec![
            ("acknowledgement", self.is_ack.to_string()),
            ("message", self.message.to_string()),
            ("source", self.source.to_string()),
            ("destination", self.destination.to_string()),
            ("bytes", self.bytes.to_string()),
            ("hops", self.hops.to_string()),
            ("queued, ps", self.queued.to_string()),
            ("first sent, ps", self.first_sent.to_string()),
            ("first internal, ps", self.first_internal.to_string()),
            ("delivered, ps", self.delivered.to_string()),
        ]
    }
}

/// How a run ended, as far as it can be seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// More would happen later.
    Going,
    Finished,
    Deadlock,
}

fn reference_rows(reference: &Reference) -> Vec<Row> {
    let delivered = reference.packets.iter().filter(|packet| packet.delivered != NEVER);
    let row = |packet: &network::Packet| Row {
        delivered: packet.delivered,
        is_ack: packet.is_ack,
        message: packet.message as u64,
        source: packet.source as u32,
        destination: packet.destination as u32,
        queued: packet.queued,
        bytes: packet.bytes,
        hops: packet.hops,
        first_sent: packet.first_sent,
        first_internal: packet.first_internal,
    };
    let mut rows: Vec<Row> = delivered.map(row).collect();
    rows.sort();
    rows
}

fn engine_rows(rows: Vec<PacketRow>) -> Vec<Row> {
    let row = |packet: PacketRow| Row {
        delivered: packet.delivered,
        is_ack: packet.class == Class::Ack,
        message: packet.message,
        source: packet.source,
        destination: packet.destination,
        queued: packet.queued,
        bytes: packet.bytes,
        hops: packet.hops,
        first_sent: packet.first_sent,
        first_internal: packet.first_internal,
    };
    let mut rows: Vec<Row> = rows.into_iter().map(row).collect();
    rows.sort();
    rows
}

fn engine_counters(simulation: &Simulation) -> Counters {
    let counters = simulation.counters();
    Counters {
        sent: counters.messages_sent,
        delivered: counters.messages_delivered,
        acknowledged: counters.messages_acknowledged,
        failures: counters.messages_failed,
    }
}

fn engine_tally(used: &Use, tally: &ChannelTally) -> Tally {
    Tally {
        packets: u64::from(used.packets),
        waits: tally.waits,
        throttling: tally.wait_throttling_ps,
        internal_contention: tally.wait_internal_ps,
        busy: used.busy_ps,
        kept: tally.kept_ps,
    }
}

/// Runs the engine in pieces of a few events, which must change nothing.
fn run_engine(simulation: &mut Simulation, until: Time, piece: u64) -> End {
    loop {
        match simulation.advance(until, piece) {
            Ok(Progress::Events | Progress::Grown) => {}
            Ok(Progress::Time) => return End::Going,
            Ok(Progress::Finished) => return End::Finished,
            Ok(Progress::Asks | Progress::Wants) => {
                unreachable!("no case has processes from outside")
            }
            Err(RunError::Deadlock { .. }) => return End::Deadlock,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Compares one case and returns how many packets it delivered and how it ended.
fn compare(spec: &Spec, piece: u64) -> (usize, End) {
    let mut reference = Reference::new(spec);
    let last = reference.run(LONG, INSTANTS);
    let expected = reference_rows(&reference);
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let end = run_engine(&mut simulation, last, piece);
    same_packets(&expected, &engine_rows(simulation.take_packets()));
    assert_eq!(end, reference_end(&reference), "engine, reference; until {last} ps");
    assert_eq!(engine_counters(&simulation), reference.counters, "until {last} ps");
    let used = simulation.channels_used();
    let tallies = used.iter().zip(&simulation.measures().channels);
    for (number, (channel, (used, tally))) in reference.channels.iter().zip(tallies).enumerate() {
        let mut got = engine_tally(used, tally);
        if reference.granted.iter().any(Option::is_some) {
            // The engine counts such a wait when it ends.
            got.kept = channel.tally.kept;
        }
        assert_eq!(got, channel.tally, "engine, reference; channel {number}");
    }
    if let Some(times) = simulation.processor_times() {
        let times = times.iter().map(|t| [t.receiving, t.sending, t.computing]);
        let spent = reference.desks.iter().map(|desk| desk.spent(last));
        assert!(times.eq(spent), "what CPUs did, until {last} ps");
    }
    (expected.len(), end)
}

fn reference_end(reference: &Reference) -> End {
    match (reference.is_silent(), reference.is_finished()) {
        (false, _) => End::Going,
        (true, true) => End::Finished,
        (true, false) => End::Deadlock,
    }
}

fn compare_all(cases: Range<u64>, kind: Kind, change: impl Fn(&mut Dice, &mut Spec)) {
    let mut packets = 0;
    for case in cases.clone() {
        let mut dice = Dice::new(case);
        let mut spec = cases::spec(&mut dice, kind);
        change(&mut dice, &mut spec);
        let piece = dice.one_of(&[1, 7, 1_000_000]);
        let (delivered, end) = check(case, &spec, |spec| compare(spec, piece));
        let may_rest = kind == Kind::AnyProgram || spec.machine.routing.allow_deadlock;
        assert!(end != End::Deadlock || may_rest, "case {case} came to rest");
        packets += delivered as u64;
    }
    // The mean of few cases may lie far from that of many, which is above 20.
    let count = cases.end - cases.start;
    let few = if count < 100 { 10 * count } else { 20 * count };
    assert!(packets > few, "the cases deliver next to nothing: {packets}");
}

/// Cases of a kind as they are, with virtual channels, and with a choice of outputs.
fn compare_kind(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES), kind, |_, _| {});
    let more = |first| first..first + random_cases(CASES_OF_MORE);
    compare_all(more(1_000_000 + first), kind, |dice, spec| {
        networks::share(dice, &mut spec.machine);
    });
    compare_all(more(2_000_000 + first), kind, |dice, spec| {
        networks::share(dice, &mut spec.machine);
        networks::choose(dice, &mut spec.machine, true);
    });
    compare_all(more(3_000_000 + first), kind, |dice, spec| {
        if dice.chance(30) {
            networks::share(dice, &mut spec.machine);
        }
        cases::open_windows(dice, &mut spec.machine);
    });
    let few = 4_000_000 + first;
    compare_all(few..few + random_cases(CASES_OF_RATES), kind, |dice, spec| {
        if dice.chance(50) {
            networks::share(dice, &mut spec.machine);
            networks::choose(dice, &mut spec.machine, true);
        }
        networks::vary(dice, &mut spec.machine);
        if dice.chance(50) {
            cases::open_windows(dice, &mut spec.machine);
        }
    });
}

/// Queues for each output, with all else that there is in front of and behind them.
fn compare_queues(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES), kind, |dice, spec| {
        if dice.chance(40) {
            networks::share(dice, &mut spec.machine);
        }
        if dice.chance(40) {
            networks::choose(dice, &mut spec.machine, false);
        }
        if dice.chance(60) {
            networks::vary(dice, &mut spec.machine);
        }
        if dice.chance(60) {
            cases::open_windows(dice, &mut spec.machine);
        }
        if dice.chance(20) {
            networks::receive(dice, &mut spec.machine);
        }
        networks::queue(dice, &mut spec.machine);
    });
}

/// A machine whose packets compare loads, on links of one rate or of several.
fn weighed(dice: &mut Dice, spec: &mut Spec) {
    networks::share(dice, &mut spec.machine);
    let longest = cases::packet_time(&spec.machine);
    networks::graph(dice, &mut spec.machine, longest);
    networks::weigh(dice, &mut spec.machine);
    if dice.chance(70) {
        networks::vary(dice, &mut spec.machine);
    }
    if dice.chance(50) {
        cases::open_windows(dice, &mut spec.machine);
    }
    if dice.chance(60) {
        networks::queue(dice, &mut spec.machine);
    }
    spec.workload = cases::messages(dice, &spec.machine);
    networks::without_deadlock(spec);
}

#[test]
fn ways_are_compared_by_load() {
    compare_all(250_000..250_000 + random_cases(CASES), Kind::Messages, weighed);
}

/// Packets of these cases do go round.
#[test]
fn ways_that_are_compared_differ() {
    let (mut packets, mut round) = (0, 0);
    for case in 250_000..250_060 {
        let mut dice = Dice::new(case);
        let mut spec = cases::spec(&mut dice, Kind::Messages);
        weighed(&mut dice, &mut spec);
        let mut reference = Reference::new(&Spec { mode: Mode::Full, ..spec });
        reference.run(LONG, INSTANTS);
        packets += reference.packets.len();
        round += reference.ways_round;
    }
    assert!(50 * round > packets, "{round} of {packets} go round");
}

#[test]
fn queues_of_listed_messages() {
    compare_queues(210_000, Kind::Messages);
}

#[test]
fn queues_of_processes() {
    compare_queues(220_000, Kind::Synthetic(Sync::LooselySynchronous));
    compare_queues(230_000, Kind::Synthetic(Sync::Asynchronous));
    compare_queues(240_000, Kind::AnyProgram);
}

/// Links of any width and delay, as a list.
#[test]
fn networks_of_listed_links() {
    compare_all(70_000..70_000 + random_cases(CASES), Kind::Messages, |dice, spec| {
        networks::share(dice, &mut spec.machine);
        let longest = cases::packet_time(&spec.machine);
        networks::graph(dice, &mut spec.machine, longest);
        if dice.chance(40) {
            networks::vary(dice, &mut spec.machine);
        }
        spec.workload = cases::messages(dice, &spec.machine);
        networks::without_deadlock(spec);
    });
}

/// Nodes with receive FIFOs, in all modes and with all that lies before them.
fn compare_receivers(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES), kind, |dice, spec| {
        if dice.chance(50) {
            networks::share(dice, &mut spec.machine);
        }
        if dice.chance(30) {
            networks::choose(dice, &mut spec.machine, true);
        }
        if dice.chance(20) {
            networks::vary(dice, &mut spec.machine);
        }
        if dice.chance(40) {
            cases::open_windows(dice, &mut spec.machine);
        }
        networks::receive(dice, &mut spec.machine);
    });
}

#[test]
fn receivers_of_listed_messages() {
    compare_receivers(160_000, Kind::Messages);
}

#[test]
fn receivers_of_processes() {
    compare_receivers(170_000, Kind::Synthetic(Sync::LooselySynchronous));
    compare_receivers(180_000, Kind::Synthetic(Sync::Asynchronous));
    compare_receivers(190_000, Kind::AnyProgram);
}

/// A process begins to compute and then accepts what waits for it, so that a packet that this lets come at
/// once finds its CPU busy: in mode `ideal` the second packet of a message is there as soon as the first is accepted.
#[test]
fn a_process_computes_before_it_accepts_what_waits_for_it() {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![2, 2] });
    machine.interface.packet_bytes = 32;
    machine.interface.window = Some(1);
    let [before, after] = [714_869, 647_896];
    let receive =
        Side { before_ps: before, per_packet_ps: 0, per_byte_fs: 7_583_331, after_ps: after };
    let send = Side { before_ps: after, ..Side::default() };
    machine.interface.costs = Some(Costs { send, receive, overlap: true, ..Costs::default() });
    let workload = Synthetic {
        bytes: Distribution::constant(37),
        start: Start::Random,
        ..synthetic(1, 161_974, Sync::LooselySynchronous)
    };
    let workload = Workload::Synthetic(workload);
    let spec = spec(machine, workload, Mode::Ideal);
    let spec = Spec { fidelity: Fidelity::Packet, seed: 16_597_989_152_346_071_581, ..spec };
    compare(&spec, 7);
}

/// Sources without weight send nothing, and nobody waits for them.
#[test]
fn matrices_with_silent_sources() {
    let syncs = [Sync::LooselySynchronous, Sync::AsynchronousBlocking, Sync::Asynchronous];
    for (number, sync) in (0..).zip(syncs) {
        let first = 260_000 + 10_000 * number;
        compare_all(first..first + random_cases(CASES), Kind::Synthetic(sync), |dice, spec| {
            cases::weigh(dice, spec);
            if dice.chance(40) {
                cases::open_windows(dice, &mut spec.machine);
            }
        });
    }
}

/// Circuits, on links of one rate and of several, listed ones too.
fn compare_circuits(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES), kind, |dice, spec| {
        networks::share(dice, &mut spec.machine);
        if dice.chance(40) {
            networks::choose(dice, &mut spec.machine, true);
        }
        if dice.chance(40) {
            networks::vary(dice, &mut spec.machine);
        }
        networks::make_circuits(dice, &mut spec.machine);
        if dice.chance(50) {
            cases::open_windows(dice, &mut spec.machine);
        }
        if kind == Kind::Messages && dice.chance(30) {
            let longest = cases::packet_time(&spec.machine);
            networks::graph(dice, &mut spec.machine, longest);
            spec.workload = cases::messages(dice, &spec.machine);
            networks::without_deadlock(spec);
        }
    });
}

/// What messages cost in software, with acknowledgements and without, over circuits too.
fn compare_costs(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES), kind, |dice, spec| {
        if dice.chance(70) {
            cases::open_windows(dice, &mut spec.machine);
        }
        if dice.chance(20) {
            networks::share(dice, &mut spec.machine);
            networks::make_circuits(dice, &mut spec.machine);
        }
        cases::pay(dice, &mut spec.machine);
    });
}

#[test]
fn costs_of_listed_messages() {
    compare_costs(160_000, Kind::Messages);
}

#[test]
fn costs_of_processes() {
    compare_costs(170_000, Kind::Synthetic(Sync::LooselySynchronous));
    compare_costs(180_000, Kind::Synthetic(Sync::Asynchronous));
    compare_costs(190_000, Kind::AnyProgram);
}

/// Faults of links and nodes, with all queueings, choices of outputs and rates; such that come again.
fn compare_faults(first: u64, kind: Kind, again: bool) {
    compare_all(first..first + random_cases(CASES_OF_FAULTS), kind, |dice, spec| {
        if dice.chance(40) {
            networks::share(dice, &mut spec.machine);
        }
        let queues = dice.chance(50);
        if dice.chance(40) {
            networks::choose(dice, &mut spec.machine, !queues);
        }
        if dice.chance(30) {
            networks::vary(dice, &mut spec.machine);
        }
        if dice.chance(60) {
            cases::open_windows(dice, &mut spec.machine);
        }
        if queues {
            networks::queue(dice, &mut spec.machine);
        }
        if dice.chance(30) {
            cases::pay(dice, &mut spec.machine);
        }
        let longest = cases::packet_time(&spec.machine);
        faults::some(dice, spec, longest);
        if again {
            faults::repeat(dice, spec, longest);
        }
    });
}

/// Tables that change after faults, on lists of links with ways round.
fn rerouted(dice: &mut Dice, spec: &mut Spec) {
    let longest = cases::packet_time(&spec.machine);
    networks::graph(dice, &mut spec.machine, longest);
    networks::weigh(dice, &mut spec.machine);
    spec.machine.routing.algorithm = RoutingSpec::Shortest;
    spec.machine.switch.virtual_channels = dice.one_of(&[1, 1, 2, 3]);
    if dice.chance(30) {
        networks::share(dice, &mut spec.machine);
    }
    if dice.chance(40) {
        networks::vary(dice, &mut spec.machine);
    }
    if dice.chance(60) {
        cases::open_windows(dice, &mut spec.machine);
    }
    if dice.chance(60) {
        networks::queue(dice, &mut spec.machine);
    }
    spec.workload = cases::messages(dice, &spec.machine);
    faults::some(dice, spec, longest);
    faults::reroute(dice, spec, longest);
    if spec.machine.routing.allow_deadlock {
        // The engine looks for circles with every sample; the twin goes on with whoever is in none.
        spec.sample_interval_ps = LONG;
    }
}

#[test]
fn faults_after_which_tables_change() {
    compare_all(300_000..300_000 + random_cases(CASES_OF_FAULTS), Kind::Messages, rerouted);
}

/// Packets of these cases do ask anew, where switches have queues and where they have none.
#[test]
fn tables_that_change_are_followed() {
    let mut anew = [0, 0];
    for case in 300_000..300_100 {
        let mut dice = Dice::new(case);
        let mut spec = cases::spec(&mut dice, Kind::Messages);
        rerouted(&mut dice, &mut spec);
        let mut reference = Reference::new(&spec);
        reference.run(LONG, INSTANTS);
        anew[usize::from(reference.has_queues())] += reference.anew.len();
    }
    assert!(anew.iter().all(|&count| count > 4), "so many packets ask anew: {anew:?}");
}

#[test]
fn faults_of_listed_messages() {
    compare_faults(260_000, Kind::Messages, false);
}

#[test]
fn faults_of_processes() {
    compare_faults(270_000, Kind::Synthetic(Sync::LooselySynchronous), false);
    compare_faults(280_000, Kind::Synthetic(Sync::Asynchronous), false);
    compare_faults(290_000, Kind::AnyProgram, false);
}

#[test]
fn faults_that_come_again() {
    compare_faults(400_000, Kind::Messages, true);
    compare_faults(410_000, Kind::AnyProgram, true);
}

#[test]
fn faults_that_come_again_and_after_which_tables_change() {
    compare_all(420_000..420_000 + random_cases(CASES_OF_FAULTS), Kind::Messages, |dice, spec| {
        rerouted(dice, spec);
        let longest = cases::packet_time(&spec.machine);
        faults::repeat(dice, spec, longest);
        without_those_of_nodes(spec);
    });
}

/// No tables change because of links of nodes.
fn without_those_of_nodes(spec: &mut Spec) {
    for fault in &mut spec.faults {
        if matches!(fault.at, FaultAt::Each(Places::Node)) {
            fault.reroute_ps = None;
        }
    }
}

/// Hosts with several interfaces, on networks of all kinds, with and without faults.
fn compare_hosts(first: u64, kind: Kind) {
    compare_all(first..first + random_cases(CASES_OF_FAULTS), kind, |dice, spec| {
        hosted(dice, spec, kind);
    });
}

/// Tables that change after faults of the network between hosts.
#[test]
fn hosts_between_which_tables_change() {
    compare_all(520_000..520_000 + random_cases(CASES_OF_FAULTS), Kind::Messages, |dice, spec| {
        rerouted(dice, spec);
        let hosts = spec.machine.topology.clone();
        hosts::some(dice, &mut spec.machine);
        spec.workload = cases::messages(dice, &spec.machine);
        // Places of faults that are nodes, or lead to them, are others now.
        spec.faults.clear();
        let longest = cases::packet_time(&spec.machine);
        faults::some(dice, spec, longest);
        let inside = hosts::switches(&hosts);
        faults::reroute(dice, spec, longest);
        for fault in &mut spec.faults {
            let is_inside = match fault.at {
                FaultAt::Link(FailedLink::Between(one, other)) => one.max(other) < inside,
                FaultAt::Switch(switch) => switch < inside && inside > 1,
                _ => false,
            };
            fault.reroute_ps = fault.reroute_ps.filter(|_| is_inside);
        }
        if dice.chance(30) {
            faults::repeat(dice, spec, longest);
            without_those_of_nodes(spec);
        }
    });
}

fn hosted(dice: &mut Dice, spec: &mut Spec, kind: Kind) {
    if dice.chance(40) {
        networks::share(dice, &mut spec.machine);
    }
    let queues = dice.chance(50);
    if dice.chance(30) {
        networks::choose(dice, &mut spec.machine, !queues);
    } else if dice.chance(40) {
        let longest = cases::packet_time(&spec.machine);
        networks::graph(dice, &mut spec.machine, longest);
        spec.workload = cases::messages(dice, &spec.machine);
        networks::without_deadlock(spec);
    }
    if dice.chance(30) {
        networks::vary(dice, &mut spec.machine);
    }
    if dice.chance(60) {
        cases::open_windows(dice, &mut spec.machine);
    }
    if queues {
        networks::queue(dice, &mut spec.machine);
    }
    if dice.chance(20) {
        cases::pay(dice, &mut spec.machine);
    }
    hosts::some(dice, &mut spec.machine);
    spec.workload = match kind {
        Kind::AnyProgram => programs::anything(dice, &spec.machine),
        _ => cases::messages(dice, &spec.machine),
    };
    if dice.chance(40) {
        let longest = cases::packet_time(&spec.machine);
        faults::some(dice, spec, longest);
        if dice.chance(50) {
            faults::repeat(dice, spec, longest);
        }
    }
}

#[test]
fn hosts_with_several_interfaces() {
    compare_hosts(500_000, Kind::Messages);
    compare_hosts(510_000, Kind::AnyProgram);
}

/// One packet that meets nobody takes as long in every mode.
#[test]
fn circuits_alone_take_as_long_in_every_mode() {
    for case in 0..random_cases(CASES) {
        let mut dice = Dice::new(150_000 + case);
        let mut spec = cases::spec(&mut dice, Kind::Messages);
        networks::vary(&mut dice, &mut spec.machine);
        networks::make_circuits(&mut dice, &mut spec.machine);
        let nodes = cases::nodes(&spec.machine);
        let source = dice.number(0, nodes - 1);
        let destination = (source + dice.number(1, nodes - 1)) % nodes;
        let bytes = dice.number(0, spec.machine.interface.packet_bytes.into()) as u32;
        spec.workload = cases::one_message(source as u32, destination as u32, bytes);
        check(case, &spec, |spec| {
            let modes = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
            let found = modes.map(|mode| {
                let mut simulation = Simulation::new(&Spec { mode, ..spec.clone() }).unwrap();
                assert_eq!(run_engine(&mut simulation, LONG, u64::MAX), End::Finished);
                let busy: u64 = simulation.channels_used().iter().map(|used| used.busy_ps).sum();
                (engine_rows(simulation.take_packets()), busy)
            });
            assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
        });
    }
}

#[test]
fn circuits_of_listed_messages() {
    compare_circuits(110_000, Kind::Messages);
}

#[test]
fn circuits_of_processes() {
    compare_circuits(120_000, Kind::Synthetic(Sync::LooselySynchronous));
    compare_circuits(130_000, Kind::Synthetic(Sync::Asynchronous));
    compare_circuits(140_000, Kind::AnyProgram);
}

#[test]
fn lists_of_messages() {
    compare_kind(10_000, Kind::Messages);
}

#[test]
fn loosely_synchronous_processes() {
    compare_kind(20_000, Kind::Synthetic(Sync::LooselySynchronous));
}

#[test]
fn asynchronous_blocking_processes() {
    compare_kind(30_000, Kind::Synthetic(Sync::AsynchronousBlocking));
}

#[test]
fn asynchronous_processes() {
    compare_kind(40_000, Kind::Synthetic(Sync::Asynchronous));
}

#[test]
fn programs_that_exchange_boundaries() {
    compare_kind(50_000, Kind::Exchange);
}

#[test]
fn programs_of_any_kind_with_and_without_deadlock() {
    compare_kind(60_000, Kind::AnyProgram);
}
