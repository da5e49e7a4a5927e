//! Traffic of several classes: who sends what, with which virtual channels, and who answers.

mod replies;

use crate::common::{self, synthetic};
use tailback_engine::fabric::Timing;
use tailback_engine::measure::ClassCounters;
use tailback_engine::spec::*;
use tailback_engine::{Class, PacketRow, Progress, Simulation};

const NS: u64 = 1_000;

/// A class of `count` messages of a node, each sent so long after the one before.
fn class(gap: u64, bytes: u64, count: u32) -> Source {
    let messages = Synthetic {
        bytes: Distribution::constant(bytes),
        start: Start::Together,
        repeat: Some(count),
        ..synthetic(0, gap, Sync::Asynchronous)
    };
    Source { messages, reply: None, reply_bytes: Vec::new() }
}

/// The same, each answered by a class; at most so many at a time are not.
fn asking(by: u32, limit: u32, source: Source) -> Source {
    let throttle = Throttle::Outstanding { limit };
    let messages = Synthetic { throttle, ..source.messages };
    Source { reply: Some(by), messages, ..source }
}

/// What the network knows of classes with these virtual channels.
fn known(shares: &[Option<(u32, u32)>]) -> Vec<TrafficClass> {
    let class = |(number, share): (usize, &Option<(u32, u32)>)| TrafficClass {
        name: format!("c{number}"),
        virtual_channels: *share,
        priority: 0,
    };
    shares.iter().enumerate().map(class).collect()
}

/// Links of a byte and 1 ns, out of band, with a buffer of 64 bytes.
fn machine(topology: TopologySpec, virtual_channels: u32) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = NS;
    machine.link.end_token = false;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.packet_bytes = 16;
    machine.set_node_link(|class| class.width = Some(1));
    machine.switch.input_buffer_flits = Some(64);
    machine.switch.virtual_channels = virtual_channels;
    machine
}

/// The same with switches that run by a clock, and as many virtual channels on links of nodes.
fn clocked(topology: TopologySpec, virtual_channels: u32) -> Machine {
    let mut machine = machine(topology, virtual_channels);
    machine.interface.header_bytes = 1;
    machine.switch.input_buffer_flits = Some(8);
    machine.switch.node_virtual_channels = virtual_channels;
    machine.link.control_ps = NS;
    machine.switch.arbiter = Arbiter::RoundRobin;
    machine.switch.pipeline = Some(
        serde_json::from_value(serde_json::json!({ "route_cycles": 0, "speculative": true }))
            .unwrap(),
    );
    machine
}

fn spec(machine: Machine, shares: &[Option<(u32, u32)>], classes: Vec<Source>) -> Spec {
    let workload = Workload::Traffic(Traffic { classes });
    let mut spec = common::spec(machine, workload, Mode::Full);
    spec.machine.routing.traffic_classes = known(shares);
    spec.fidelity = Fidelity::Flit;
    spec
}

struct Ran {
    simulation: Simulation,
    rows: Vec<PacketRow>,
}

fn ran(spec: &Spec) -> Ran {
    let mut simulation = Simulation::new(spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let rows = simulation.take_packets();
    Ran { simulation, rows }
}

impl Ran {
    fn of(&self, class: usize) -> ClassCounters {
        self.simulation.class_counters()[class]
    }
}

/// What a packet went through, whoever was before it in the run.
fn fate(row: &PacketRow) -> (u64, u32, u32, u32, u64, u64) {
    (row.queued, row.source, row.destination, row.bytes, row.first_sent, row.delivered)
}

fn fates<'a>(rows: impl IntoIterator<Item = &'a PacketRow>) -> Vec<(u64, u32, u32, u32, u64, u64)> {
    let mut fates: Vec<_> = rows.into_iter().map(fate).collect();
    fates.sort_unstable();
    fates
}

fn refused(spec: &Spec) -> String {
    Simulation::new(spec).err().expect("it is refused").to_string()
}

/// A source that sends whatever becomes of its messages is an asynchronous process of the
/// synthetic workload, which computes between them.
#[test]
fn one_class_is_the_synthetic_workload() {
    let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
    for (throttle, mean) in [
        (Throttle::Outstanding { limit: 2 }, 20 * NS),
        (Throttle::Outstanding { limit: 100 }, 90 * NS),
        (Throttle::QueueLength { limit: 1 }, 20 * NS),
    ] {
        let mut source = class(mean, 24, 40);
        source.messages.throttle = throttle;
        source.messages.start = Start::Random;
        source.messages.radius = 2;
        source.messages.compute.shape = Shape::Exponential;
        source.messages.bytes.shape = Shape::Exponential;
        for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
            let alone = Workload::Synthetic(source.messages.clone());
            let mut alone = common::spec(machine(mesh.clone(), 1), alone, Mode::Full);
            let mut of_class = spec(machine(mesh.clone(), 1), &[None], vec![source.clone()]);
            (alone.fidelity, of_class.fidelity) = (fidelity, fidelity);
            let (alone, of_class) = (ran(&alone), ran(&of_class));
            assert!(alone.rows.len() > 100);
            assert_eq!(fates(&alone.rows), fates(&of_class.rows));
            let (counters, all) = (of_class.of(0), alone.simulation.counters());
            assert_eq!(counters.messages_offered, all.iterations);
            assert_eq!(counters.messages_failed, all.messages_failed);
            assert_eq!(counters.messages_delivered, all.messages_delivered);
            assert_eq!(counters.message_latency_ps, all.message_latency_ps);
        }
    }
}

/// Classes whose virtual channels have wires of their own between switches, and that come from nodes
/// of their own over links on which nobody waits, do not know of each other: each goes as if it were
/// alone on a machine with its virtual channels.
#[test]
fn classes_with_wires_of_their_own_are_alone() {
    let torus = || TopologySpec::Torus { dims: vec![6, 3] };
    let mut sources = [class(60 * NS, 40, 30), class(40 * NS, 13, 30), class(25 * NS, 5, 50)];
    // Of 18 nodes each class has those of one rest modulo 3, each of which sends to the next but one.
    for (number, source) in sources.iter_mut().enumerate() {
        let to = |node: usize| if node % 3 == number { (node + 6) % 18 } else { node };
        source.messages.pattern =
            Pattern::Permutation { to: (0..18).map(|n| to(n) as u32).collect() };
        source.messages.compute.shape = Shape::Exponential;
        source.messages.throttle = Throttle::Outstanding { limit: 100 };
    }
    let shares = [(0, 1), (2, 4), (5, 6)];
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
        let wide = |virtual_channels| {
            let mut machine = machine(torus(), virtual_channels);
            machine.link.sharing = Sharing::Separate;
            machine.set_node_link(|class| class.width = Some(40));
            machine
        };
        let mut all = spec(wide(7), &shares.map(Some), sources.to_vec());
        all.fidelity = fidelity;
        let all = ran(&all);
        for (number, (first, last)) in shares.into_iter().enumerate() {
            // The others send long after.
            let mut own = sources.to_vec();
            for (other, source) in own.iter_mut().enumerate().filter(|(other, _)| *other != number)
            {
                source.messages.compute = Distribution::constant(1 << (25 + other));
            }
            let mut alone = spec(wide(last - first + 1), &[None; 3], own);
            alone.fidelity = fidelity;
            let alone = ran(&alone);
            let is_own = |row: &&PacketRow| row.source as usize % 3 == number;
            let alone = fates(alone.rows.iter().filter(is_own));
            assert!(alone.len() >= 180);
            assert!(alone == fates(all.rows.iter().filter(is_own)), "{fidelity:?}, class {number}");
        }
    }
}

/// A switch and two nodes, links of a byte per ns, no delays: a request of 8 bytes has a header, and
/// takes 9 ns on each of two channels; it is there 10 ns after it was sent, since the second
/// channel starts a header after the first. The reply of 32 bytes is two packets of 17 ns.
#[test]
fn a_round_trip_by_hand() {
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
        let mut classes = vec![asking(1, 1, class(7 * NS, 8, 3)), class(0, 32, 1)];
        classes[0].messages.pattern = Pattern::Permutation { to: vec![1, 0] };
        let mut spec = spec(machine(TopologySpec::Star { nodes: 2 }, 1), &[None; 2], classes);
        spec.fidelity = fidelity;
        let ran = ran(&spec);
        let (ask, reply) = (ran.of(0), ran.of(1));
        assert_eq!((ask.messages_offered, ask.messages_delivered), (6, 6));
        assert_eq!((reply.messages_offered, reply.messages_delivered), (6, 6));
        assert_eq!((reply.bytes_delivered, ask.round_trip_count), (6 * 32, 6));
        let alone = Timing::of(&spec.machine);
        let there = alone.zero_load_lifetime(2, 8);
        let back = 17 * NS + alone.zero_load_lifetime(2, 16);
        assert_eq!((there, back), (10 * NS, 35 * NS), "{fidelity:?}");
        // Both nodes ask at once and answer at once: nothing is in each other's way.
        assert_eq!(ask.round_trip_ps, 6 * (there + back), "{fidelity:?}");
        let sent: Vec<u64> = ran.rows.iter().filter(|r| r.bytes == 8).map(|r| r.queued).collect();
        // With one request at a time the next one, due 7 ns after it was sent, waits for the reply.
        let waits = |k: u64| 7 * NS + k * (there + back);
        assert_eq!(sent, [0, 0, 1, 1, 2, 2].map(waits));
    }
}

/// Lengths of replies by lengths of requests, a limit, and nothing lost, in every fidelity and mode.
#[test]
fn every_request_is_answered() {
    let mesh = || TopologySpec::Mesh { dims: vec![3, 2] };
    let mut read = asking(1, 3, class(5 * NS, 0, 60));
    read.messages.radius = 2;
    read.messages.mix = vec![Portion { bytes: 8, weight: 3 }, Portion { bytes: 40, weight: 1 }];
    read.reply_bytes = vec![64, 2];
    let classes = vec![read, class(0, 9, 1)];
    let shares = [Some((0, 0)), Some((1, 2))];
    let mut machines = vec![];
    for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit, Fidelity::Fluid] {
        let mut open = machine(mesh(), 3);
        open.link.sharing =
            if fidelity == Fidelity::Worm { Sharing::Separate } else { Sharing::RoundRobin };
        machines.push((open, fidelity));
    }
    machines.push((clocked(mesh(), 3), Fidelity::Flit));
    for (machine, fidelity) in machines {
        for acknowledges in [false, true] {
            for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal] {
                let mut spec = spec(machine.clone(), &shares, classes.clone());
                spec.machine.interface.acknowledges = acknowledges;
                (spec.fidelity, spec.mode) = (fidelity, mode);
                let ran = ran(&spec);
                let (ask, reply) = (ran.of(0), ran.of(1));
                assert_eq!((ask.messages_delivered, reply.messages_delivered), (360, 360));
                assert_eq!(ask.messages_failed, 0);
                let [short, long] = [8, 40].map(|bytes| (bytes, ask.bytes_delivered));
                let longs = (long.1 - 360 * short.0) / (long.0 - short.0);
                assert_eq!(ask.bytes_delivered, 8 * (360 - longs) + 40 * longs);
                assert_eq!(reply.bytes_delivered, 64 * (360 - longs) + 2 * longs);
                assert!((60..120).contains(&longs), "a quarter is long: {longs}");
                if mode != Mode::Ideal {
                    assert_eq!(ask.round_trip_count, 360);
                    assert!(ask.round_trip_ps >= ask.message_latency_ps + reply.message_latency_ps);
                    assert!(ran.rows.iter().any(|row| row.class == Class::Ack) == acknowledges);
                }
            }
        }
    }
}

#[test]
fn what_is_no_class_of_replies_is_refused() {
    let star = || machine(TopologySpec::Star { nodes: 3 }, 1);
    let two = |first: Source, second: Source| spec(star(), &[None; 2], vec![first, second]);
    let open = || class(10 * NS, 8, 1);
    assert_eq!(
        refused(&two(asking(0, 1, open()), open())),
        "workload.traffic_class[0].reply = 0: must be another class, which asks for no reply"
    );
    assert_eq!(
        refused(&two(asking(1, 1, open()), asking(0, 1, open()))),
        "workload.traffic_class[0].reply = 1: must be another class, which asks for no reply"
    );
    assert_eq!(
        refused(&two(open(), class(0, 8, 1))),
        "workload.traffic_class[1].compute.mean = 0: must be above zero: nothing else takes time"
    );
    let mut unlimited = asking(1, 1, open());
    unlimited.messages.throttle = Throttle::QueueLength { limit: 3 };
    assert_eq!(
        refused(&two(unlimited, open())),
        "workload.traffic_class[0].throttle = queue_length: must be outstanding where replies are \
         waited for"
    );
    let mut far = open();
    far.messages.radius = 2;
    assert!(refused(&two(open(), far)).starts_with("workload.traffic_class[1].radius = 2: "));
    let mut unknown = spec(star(), &[None], vec![open(), open()]);
    assert!(refused(&unknown).contains("one for each of the 2 of the workload"));
    unknown.machine.routing.traffic_classes = known(&[Some((0, 1)), None]);
    assert!(refused(&unknown).starts_with("workload.traffic_class[0].virtual_channels = 0 to 1: "));
}

/// On a torus every class needs two virtual channels.
#[test]
fn every_class_needs_the_virtual_channels_of_routing() {
    let torus = || machine(TopologySpec::Torus { dims: vec![5] }, 3);
    let open = || class(10 * NS, 8, 1);
    let shares = [Some((0, 0)), Some((1, 2))];
    let told = refused(&spec(torus(), &shares, vec![open(), open()]));
    assert!(told.contains("can deadlock: channel "), "{told}");
    let needs = "needs 2 virtual channels for each traffic class, or allow_deadlock = true";
    assert!(told.ends_with(needs), "{told}");
}

/// Two nodes of a star send to the third, each more than the link there carries. Whoever is more
/// urgent has it whenever both ask; a packet that is being sent is not stopped.
#[test]
fn the_more_urgent_class_comes_first() {
    let star = || TopologySpec::Star { nodes: 3 };
    let mut machines: Vec<(Machine, Fidelity)> = [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit]
        .map(|fidelity| (machine(star(), 1), fidelity))
        .into();
    for allocator in
        [Allocator::SeparableInputFirst, Allocator::SeparableOutputFirst, Allocator::Wavefront]
    {
        let mut machine = clocked(star(), 1);
        let pipeline = machine.switch.pipeline.as_mut().unwrap();
        (pipeline.allocator, pipeline.vc_allocator) = (allocator, allocator);
        machines.push((machine, Fidelity::Flit));
    }
    for (machine, fidelity) in machines {
        for urgent in [0, 1] {
            let mut sources = [class(2 * NS, 8, 30), class(2 * NS, 8, 30)];
            sources[0].messages.pattern = Pattern::Permutation { to: vec![2, 1, 0] };
            sources[1].messages.pattern = Pattern::Permutation { to: vec![0, 2, 1] };
            for source in &mut sources {
                source.messages.throttle = Throttle::Outstanding { limit: 100 };
            }
            let mut spec = spec(machine.clone(), &[None; 2], sources.to_vec());
            spec.fidelity = fidelity;
            spec.machine.switch.arbiter = Arbiter::Priority;
            spec.machine.routing.traffic_classes[urgent].priority = 1;
            let ran = ran(&spec);
            let of = |node: usize| ran.rows.iter().filter(move |row| row.source as usize == node);
            let last = of(urgent).map(|row| row.delivered).max().unwrap();
            let before = of(1 - urgent).filter(|row| row.delivered < last).count();
            assert_eq!(of(urgent).count(), 30);
            assert_eq!(before, 0, "{fidelity:?}: {:?}", spec.machine.switch.pipeline);
        }
    }
}

#[test]
fn allocators_without_priorities_are_refused() {
    let mut machine = clocked(TopologySpec::Star { nodes: 3 }, 1);
    machine.switch.arbiter = Arbiter::Priority;
    assert!(
        refused(&spec(machine, &[None], vec![class(10 * NS, 8, 1)]))
            .starts_with("machine.switch.arbiter = priority: needs allocators that can have it")
    );
}
