//! What must add up, under random machines and workloads.

use crate::common::parts::Scheme;
use crate::common::random::random_cases;
use crate::common::{self, MICROSECOND, Run, spec};
use tailback_engine::fabric::Timing;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::*;
use tailback_engine::time::NEVER;
use tailback_engine::{Class, Counters, Simulation};

const CASES: u64 = 300;
/// One of each pair of mode and fidelity: so many are tried at the least.
const PAIRS: u64 = 25;

/// A random number from `low` to `high`.
fn pick(random: &mut Stream, low: u64, high: u64) -> u32 {
    (low + random.below(high - low + 1)) as u32
}

fn machine(random: &mut Stream) -> Machine {
    let dims = (0..pick(random, 1, 3)).map(|_| pick(random, 1, 4)).collect::<Vec<_>>();
    let dims = if dims.iter().all(|&k| k == 1) { vec![3] } else { dims };
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims });
    machine.set_node_link(|class| class.width = Some(pick(random, 1, 4)));
    machine.interface.ack_priority = pick(random, 0, 1) == 1;
    machine.link.width = pick(random, 1, 2);
    machine.switch.input_buffer_flits = Some(pick(random, 34, 140));
    machine.switch.ack_priority = pick(random, 0, 1) == 1;
    let arbiters = Arbiter::ALL;
    machine.switch.arbiter = arbiters[random.below(arbiters.len() as u64) as usize];
    machine.link.delay_ps = random.below(3) * 20_000;
    machine.switch.delay_ps = random.below(3) * 30_000;
    machine.interface.window = [Some(1), Some(1), Some(2), None][random.below(4) as usize];
    machine.interface.packet_bytes = [8, 32, 32][random.below(3) as usize];
    let orders = [MessageOrder::Fifo, MessageOrder::RoundRobin];
    machine.interface.message_order = orders[random.below(2) as usize];
    machine
}

fn workload(random: &mut Stream) -> Workload {
    let syncs = [Sync::LooselySynchronous, Sync::AsynchronousBlocking, Sync::Asynchronous];
    let shapes = [Shape::Constant, Shape::Normal, Shape::Exponential];
    let throttles = [Throttle::Outstanding { limit: 5 }, Throttle::QueueLength { limit: 3 }];
    let distribution = |random: &mut Stream, mean| Distribution {
        shape: shapes[random.below(3) as usize],
        mean,
        relative_sigma: 0.4,
    };
    let (compute, bytes) = (MICROSECOND * (1 + random.below(20)), random.below(80));
    Workload::Synthetic(Synthetic {
        processes_per_node: pick(random, 1, 3),
        pattern: Pattern::Uniform,
        radius: 0,
        compute: distribution(random, compute),
        messages: pick(random, 1, 3),
        bytes: distribution(random, bytes),
        sync: syncs[random.below(3) as usize],
        throttle: throttles[random.below(2) as usize],
        start: Start::Random,
        mix: Vec::new(),
        includes_self: false,
        repeat: None,
    })
}

const FIDELITIES: [Fidelity; 5] =
    [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit, Fidelity::Token, Fidelity::Fluid];

/// Flow control that the fidelity can simulate, and a buffer of any size that it can.
fn suit(machine: &mut Machine, fidelity: Fidelity, random: &mut Stream) {
    if fidelity == Fidelity::Token {
        machine.switch.input_buffer_flits = Some(pick(random, 8, 100));
        machine.switch.output_buffer_flits = pick(random, 1, 60);
    } else if !fidelity.has_whole_packets() {
        machine.link.flow_control = FlowControl::OutOfBand;
        machine.link.credit_delay_ps = random.below(3) * 40_000;
        machine.switch.input_buffer_flits = Some(pick(random, 1, 100));
    }
}

/// A random machine in one mode and fidelity, and the workload with the largest radius
/// it allows.
fn case(number: u64) -> Spec {
    let mut random = Stream::new(number, Purpose::Start, 0);
    let fidelity = FIDELITIES[number as usize / 5 % 5];
    let mut machine = machine(&mut random);
    suit(&mut machine, fidelity, &mut random);
    let mut workload = workload(&mut random);
    let TopologySpec::Mesh { dims } = &machine.topology else { unreachable!() };
    if let Workload::Synthetic(synthetic) = &mut workload {
        synthetic.radius = dims.iter().max().unwrap() - 1;
    }
    Spec { fidelity, ..spec(machine, workload, MODES[number as usize % 5]) }
}

const MODES: [Mode; 5] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];

#[test]
fn messages_and_packets_are_conserved() {
    for number in 0..random_cases(CASES) {
        let mut run = Run::with(&case(number));
        run.advance(300 * MICROSECOND);
        let counters = run.simulation.counters();
        let [data, ack] = &counters.packets;
        for packets in [data, ack] {
            assert!(packets.queued >= packets.sent && packets.sent >= packets.delivered);
            assert!(packets.delivered >= packets.routed);
        }
        let in_flight = (data.queued - data.delivered) + (ack.queued - ack.delivered);
        assert_eq!(in_flight, run.simulation.packets_in_flight() as u64, "case {number}");
        assert!(ack.queued <= data.queued, "one acknowledgement per data packet at most");
        assert!(counters.messages_delivered <= counters.messages_sent);
        assert!(counters.messages_acknowledged <= counters.messages_sent);
    }
}

/// Sums over nodes and channels are the counters, in any window.
#[test]
fn tables_add_up_to_the_counters() {
    for number in 0..random_cases(CASES) {
        let spec = case(number);
        let mode = spec.mode;
        let mut run = Run::with(&spec);
        run.advance((number % 5) * 17 * MICROSECOND);
        run.simulation.begin_window();
        let before = run.simulation.counters();
        run.advance(250 * MICROSECOND + 1);
        let after = run.simulation.counters();
        let simulation = &run.simulation;
        let channels = simulation.channels_used();
        let nodes = simulation.node_tallies();
        let of = |f: fn(&Counters) -> u64| f(&after) - f(&before);
        let packets: u64 = channels.iter().map(|u| u64::from(u.packets)).sum();
        assert_eq!(packets, of(|c| c.packet_hops));
        if mode == Mode::Full {
            let busy: u64 = channels.iter().map(|u| u.busy_ps).sum();
            let counted = of(|c| c.busy_injection_ps + c.busy_internal_ps + c.busy_ejection_ps);
            assert_eq!(busy, counted, "case {number}");
        }
        let sent: u64 = nodes.iter().map(|t| t.messages_sent).sum();
        assert_eq!(sent, of(|c| c.messages_sent));
        let delivered: u64 = nodes.iter().map(|t| t.packets_delivered[1]).sum();
        assert_eq!(delivered, of(|c| c.packets[1].delivered));
        let busy: u64 = simulation.processors_busy().iter().sum();
        assert_eq!(busy, of(|c| c.cpu_busy_ps));
        let done = simulation.nodes_done();
        assert_eq!(done.iter().map(|d| d.iterations).sum::<u64>(), of(|c| c.iterations));
        assert_eq!(done.iter().map(|d| d.dropped).sum::<u64>(), of(|c| c.messages_failed));
    }
}

/// Lifetime = lifetime without contention + waits, for every packet and in sum.
#[test]
fn every_wait_is_charged_once() {
    for number in 0..random_cases(CASES) {
        let mut spec = case(number);
        let hop = Timing::of(&spec.machine).hop_ps;
        // A finite workload, so that every wait has ended.
        spec.workload = common::message_list(&rows_of(&spec));
        spec.mode = MODES[number as usize % 4];
        let mut run = Run::with(&spec);
        run.finish();
        assert_eq!(run.waits(), run.lifetimes_beyond_zero_load(), "case {number}");
        let counters = run.simulation.counters();
        let waits = |class: usize| {
            let packets = &counters.packets[class];
            packets.wait_throttling_ps + packets.wait_internal_ps
        };
        assert_eq!(waits(0) + waits(1), run.waits());
        for packet in &run.rows {
            assert!(packet.first_sent >= packet.queued);
            if packet.first_internal != NEVER {
                assert!(packet.first_internal >= packet.first_sent + hop);
            }
        }
    }
}

/// The messages a synthetic workload sends, as a list.
fn rows_of(spec: &Spec) -> Vec<(u64, u32, u32, u32)> {
    let mut run = Run::with(&Spec { mode: Mode::Free, ..spec.clone() });
    run.advance(60 * MICROSECOND);
    let mut packets = run.simulation.take_packets();
    packets.retain(|p| p.class == Class::Data);
    packets.sort_by_key(|p| (p.queued, p.message));
    packets.iter().map(|p| (p.queued, p.source, p.destination, p.bytes)).collect()
}

/// The same where nodes and switches are one, and nothing passes their links.
#[test]
fn every_wait_is_charged_once_where_nodes_are_integrated() {
    for number in 0..random_cases(CASES) {
        let mut spec = case(4 * number);
        spec.fidelity = [Fidelity::Flit, Fidelity::Worm][number as usize % 2];
        let mut random = Stream::new(number, Purpose::Start, 1);
        suit(&mut spec.machine, spec.fidelity, &mut random);
        let machine = &mut spec.machine;
        machine.interface.packet_bytes = 1 << 16;
        machine.link.width = 1;
        Scheme::Wormhole.join(machine);
        machine.interface.early_bytes = 16;
        let arbitration = machine.switch.delay_ps;
        spec.workload = common::message_list(&rows_of(&spec));
        spec.mode = MODES[number as usize % 4];
        let mut run = Run::with(&spec);
        run.finish();
        let waited = run.waits() + arbitration * run.rows.len() as u64;
        assert_eq!(waited, run.lifetimes_beyond_zero_load(), "case {number}");
        let counters = run.simulation.counters();
        let data = &counters.packets[0];
        assert_eq!(data.wait_throttling_ps + data.wait_internal_ps, run.waits());
        assert_eq!((data.delivered, data.routed), (data.queued, data.queued));
        assert_eq!((counters.busy_injection_ps, counters.busy_ejection_ps), (0, 0));
        let channels = run.simulation.channels_used();
        let crossed: u64 = channels.iter().map(|used| u64::from(used.packets)).sum();
        let busy: u64 = channels.iter().map(|used| used.busy_ps).sum();
        assert_eq!((crossed, busy), (counters.packet_hops, counters.busy_internal_ps));
        for packet in &run.rows {
            assert_eq!(packet.first_internal, packet.first_sent + arbitration);
            assert!(packet.first_sent >= packet.queued);
        }
        let measures = run.simulation.measures();
        let begins = &measures.message_begins.as_ref().unwrap().moments;
        assert_eq!(begins.count, data.delivered);
        assert!(begins.sum <= measures.message_latency.moments.sum);
    }
}

/// A buffer never holds more than its capacity: no two packets of a one-packet
/// buffer overlap, so a channel never starts more than it can have emptied.
#[test]
fn no_channel_is_busy_for_more_than_all_of_the_time() {
    for number in 0..random_cases(CASES) {
        let spec = Spec { mode: Mode::Full, ..case(number) };
        // What flows is rounded to a picosecond for each that is under way.
        let most = 300 * MICROSECOND + if spec.fidelity == Fidelity::Fluid { 10 } else { 0 };
        let mut run = Run::with(&spec);
        run.advance(40 * MICROSECOND);
        run.simulation.begin_window();
        run.advance(340 * MICROSECOND);
        for used in run.simulation.channels_used() {
            assert!(used.busy_ps <= most, "case {number}: {used:?}");
        }
    }
}

/// Samples add up to the counters at their instants.
#[test]
fn samples_are_the_counters_of_their_instants() {
    for number in 0..random_cases(80).max(PAIRS) {
        let description = case(number);
        let mut whole = Simulation::new(&description).unwrap();
        whole.advance(50 * MICROSECOND, u64::MAX).unwrap();
        for sample in whole.take_samples() {
            let mut part = Simulation::new(&description).unwrap();
            part.advance(sample.time, u64::MAX).unwrap();
            let mut counters = part.counters();
            // A kept channel is counted when its packet starts, between samples or not.
            counters.held_internal_ps = sample.counters.held_internal_ps;
            assert_eq!(counters, sample.counters, "case {number} at {}", sample.time);
            assert_eq!(part.events(), sample.events);
        }
    }
}

/// The k-th message of a process is the same in every mode and with every policy.
#[test]
fn messages_do_not_depend_on_the_network() {
    let destinations = |mode, policy, width| {
        let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![4, 3] });
        machine.switch.arbiter = policy;
        machine.set_node_link(|class| class.width = Some(width));
        let mut workload = common::synthetic(3, 5 * MICROSECOND, Sync::AsynchronousBlocking);
        workload.bytes = Distribution { shape: Shape::Exponential, mean: 20, relative_sigma: 0.0 };
        let mut run = Run::new(machine, Workload::Synthetic(workload), mode);
        run.advance(500 * MICROSECOND);
        let mut rows = run.simulation.take_packets();
        rows.retain(|p| p.class == Class::Data);
        rows.sort_by_key(|p| (p.source, p.queued));
        let of = |node| {
            let mine = rows.iter().filter(move |p| p.source == node);
            mine.take(60).map(|p| (p.destination, p.bytes)).collect::<Vec<_>>()
        };
        (0..12).map(of).collect::<Vec<_>>()
    };
    let reference = destinations(Mode::Full, Arbiter::Fifo, 4);
    assert!(reference.iter().all(|rows| rows.len() == 60));
    assert_eq!(reference, destinations(Mode::Throttled, Arbiter::Fifo, 4));
    assert_eq!(reference, destinations(Mode::Free, Arbiter::Random, 1));
    assert_eq!(reference, destinations(Mode::Full, Arbiter::HopsFirst, 2));
}

/// An end token longer than a data token falls behind with every hop, and makes up for that
/// while its header waits.
#[test]
fn what_a_packet_caught_up_without_buffers_is_counted() {
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Token] {
        for mode in [Mode::Full, Mode::Throttled] {
            let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![2, 2] });
            machine.link.flit_ps = machine.link.control_ps * 3 / 4;
            if fidelity != Fidelity::Token {
                machine.link.flow_control = FlowControl::OutOfBand;
            }
            machine.set_node_link(|class| class.width = Some(1));
            let list = common::message_list(&[(0, 0, 3, 100), (0, 2, 3, 100)]);
            let mut run = Run::with(&Spec { fidelity, ..spec(machine, list, mode) });
            run.finish();
            let of = run.simulation.counters().packets;
            let waits: u64 = of.iter().map(|p| p.wait_throttling_ps + p.wait_internal_ps).sum();
            let caught_up: u64 = of.iter().map(|p| p.caught_up_ps).sum();
            assert_eq!(waits, run.waits(), "{fidelity:?} {mode:?}");
            assert!(0 < caught_up && caught_up <= waits);
        }
    }
}
