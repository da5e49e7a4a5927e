//! Cases worked out on paper. A byte takes 2 ns, arbitration 4 ns, a wire 1 ns; headers are 4
//! bytes long, so that 100 data bytes take 208 ns, and 16 take 40 ns.

use crate::common::parts::Scheme;
use crate::common::{Run, message_list, spec};
use tailback_engine::error::RunError;
use tailback_engine::measure::stored::Level;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::*;
use tailback_engine::{PacketRow, Simulation};

const NS: u64 = 1_000;

/// The machine with a scheme; datagrams are as long as messages.
pub fn machine(topology: TopologySpec, scheme: Scheme) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 2 * NS;
    machine.interface.header_bytes = 4;
    machine.link.end_token = false;
    machine.switch.delay_ps = 4 * NS;
    machine.link.delay_ps = NS;
    machine.interface.packet_bytes = if scheme.has_packets() { 16 } else { 1 << 20 };
    machine.interface.early_bytes = 16;
    scheme.join(&mut machine);
    machine
}

/// Four nodes in a row.
fn row(scheme: Scheme) -> Machine {
    machine(TopologySpec::Mesh { dims: vec![4] }, scheme)
}

const DATAGRAM: Scheme = Scheme::StoreAndForward;
const CUT_THROUGH: Scheme = Scheme::CutThrough;

fn packets(places: u32, overtaking: bool) -> Scheme {
    Scheme::Packets { places, reserve: false, overtaking }
}

/// Messages from node to node of so many bytes, all sent at time 0.
fn finished(machine: Machine, messages: &[(u32, u32, u32)]) -> Run {
    let rows: Vec<_> = messages.iter().map(|&(from, to, bytes)| (0, from, to, bytes)).collect();
    Run::to_the_end(machine, message_list(&rows))
}

/// In order of message and packet: start on the first channel and delivery, in ns.
fn times(run: &Run) -> Vec<(u64, u64)> {
    let times = |row: &PacketRow| (row.first_internal / NS, row.delivered / NS);
    run.data().iter().map(times).collect()
}

#[test]
fn alone_a_message_takes_what_follows_from_its_way() {
    let run = finished(row(DATAGRAM), &[(0, 3, 100)]);
    assert_eq!(times(&run), [(4, 3 * (4 + 208 + 1))]);
    let run = finished(row(CUT_THROUGH), &[(0, 3, 100)]);
    assert_eq!(times(&run), [(4, 4 + 2 * 13 + 209)]);
    // The first 16 bytes are there 84 bytes before the last.
    let begins = run.simulation.measures().message_begins.as_ref().unwrap();
    assert_eq!((begins.moments.min, begins.moments.max), (71 * NS, 71 * NS));
}

/// The header of the first is at node 1 at 13 ns and might go on at 17 ns, but the channel is
/// busy from 4 to 212 ns: it is stored.
#[test]
fn a_header_that_finds_its_channel_busy_waits() {
    let run = finished(row(CUT_THROUGH), &[(0, 2, 100), (1, 2, 100)]);
    assert_eq!(times(&run), [(4, 212 + 209), (4, 213)]);
    assert_eq!(run.simulation.counters().packets[0].wait_internal_ps, 195 * NS);
    let stored = run.simulation.measures().stored.as_ref().unwrap();
    let most = |bytes| Level { bytes: 0, max: bytes };
    assert_eq!(stored.nodes[..2], [[most(0), most(104)], [most(104), most(104)]]);
    assert_eq!(stored.network, [most(104), most(208)]);
}

/// Two datagrams follow each other over node 2.
#[test]
fn datagrams_are_stored_from_their_start_on_the_channel_before() {
    let run = finished(row(DATAGRAM), &[(1, 3, 100), (1, 3, 50)]);
    // The second follows at 212 ns, is there at 212 + 108 + 1, and waits until 217 + 208.
    assert_eq!(times(&run), [(4, 217 + 209), (212, 425 + 109)]);
    let stored = run.simulation.measures().stored.as_ref().unwrap();
    let most = |bytes| Level { bytes: 0, max: bytes };
    // While the first is in node 2, until 217 ns, the second is on its way there from 212 ns.
    assert_eq!(stored.nodes[2], [most(104 + 54), most(0)]);
    assert_eq!(stored.nodes[1], [most(0), most(104 + 54)]);
}

#[test]
fn both_directions_of_a_half_duplex_link_take_turns() {
    let mut machine = row(DATAGRAM);
    let both = [(0, 1, 100), (1, 0, 100)];
    assert_eq!(times(&finished(machine.clone(), &both)), [(4, 213), (4, 213)]);
    machine.link.half_duplex = HalfDuplex::Packet;
    assert_eq!(times(&finished(machine.clone(), &both)), [(4, 213), (212, 421)]);
    // The one that has been ready longer first: both of node 1, then the second of node 0.
    let later = [(0, 1, 0, 100), (1, 1, 0, 100), (1, 1, 0, 100), (2, 0, 1, 100)];
    let later: Vec<_> = later.iter().map(|&(at, from, to, b)| (at * NS, from, to, b)).collect();
    let run = Run::to_the_end(
        machine,
        message_list(&[vec![(0, 0, 1, 100)], later[1..].to_vec()].concat()),
    );
    assert_eq!(times(&run), [(4, 213), (212, 421), (420, 629), (628, 837)]);
}

/// Three packets follow each other as fast as the channel sends them. With two places the third
/// is sent when the first has left the next queue.
#[test]
fn the_packets_of_a_message_follow_each_other() {
    let run = finished(row(packets(2, true)), &[(0, 2, 48)]);
    assert_eq!(times(&run), [(4, 90), (44, 130), (49 + 40, 175)]);
    let run = finished(row(packets(3, true)), &[(0, 2, 48)]);
    assert_eq!(times(&run), [(4, 90), (44, 130), (84, 170)]);
    let lifetimes = run.rows.iter().map(|row| (row.delivered - row.queued) / NS);
    assert!(lifetimes.eq([90, 90, 90]));
    assert_eq!(run.waits(), 0);
}

/// One place: a packet of node 1 takes it until 44 ns, then, in turn, one of node 0, which
/// leaves node 1 at 129 ns; and only then the second of node 1.
#[test]
fn places_are_given_in_turn() {
    let run = finished(row(packets(1, true)), &[(1, 2, 32), (0, 2, 16)]);
    assert_eq!(times(&run), [(4, 45), (129, 170), (44, 130)]);
    assert_eq!(run.simulation.counters().packets[0].wait_throttling_ps, (85 + 40) * NS);
}

/// The first of node 0 finds no place in node 1 until 44 ns; the second needs none. The third
/// of node 1 gets the place after that at 84 ns, and is ready before the one from node 0.
#[test]
fn a_packet_without_a_place_may_be_overtaken() {
    let messages = [(1, 2, 48), (0, 2, 16), (0, 1, 16)];
    let run = finished(row(packets(2, true)), &messages);
    assert_eq!(times(&run)[3..], [(44, 124 + 41), (4, 45)]);
    let run = finished(row(packets(2, false)), &messages);
    assert_eq!(times(&run)[3..], [(44, 124 + 41), (84, 125)]);
}

/// Two messages over both dimensions: the first goes in order, the second the other way,
/// whose queue is shorter. With fixed routing it follows the first.
#[test]
fn the_first_step_goes_to_the_shortest_queue() {
    let square = TopologySpec::Hypercube { dimensions: 2 };
    let messages = [(0, 3, 16), (0, 3, 16), (0, 3, 16)];
    let mut machine = machine(square, packets(4, true));
    assert_eq!(times(&finished(machine.clone(), &messages)), [(4, 90), (44, 130), (84, 170)]);
    machine.routing.algorithm = RoutingSpec::FirstHop { order: Vec::new() };
    assert_eq!(times(&finished(machine, &messages)), [(4, 90), (4, 90), (44, 130)]);
}

/// Every node of a cube sends many messages to random others at once.
fn burst(seed: u64, dimensions: u32, scheme: Scheme) -> Spec {
    let mut machine = machine(TopologySpec::Hypercube { dimensions }, scheme);
    machine.routing.algorithm = RoutingSpec::FirstHop { order: Vec::new() };
    let mut random = Stream::new(seed, Purpose::Start, 0);
    let nodes = 1 << dimensions;
    let rows: Vec<_> = (0..40 * nodes)
        .map(|i| (0, i % nodes, random.below(u64::from(nodes)) as u32, 160))
        .collect();
    spec(machine, message_list(&rows), Mode::Full)
}

fn outcome(spec: &Spec) -> Result<(), RunError> {
    Simulation::new(spec).unwrap().advance(u64::MAX, u64::MAX).map(|_| ())
}

/// Without a place kept from contrary packets, or first in, first out, packets wait for each
/// other in a circle; with both they always arrive.
#[test]
fn contrary_packets_deadlock_unless_a_place_is_kept_and_they_are_overtaken() {
    let mut deadlocks = [0; 3];
    for seed in 0..20 {
        let schemes = [(false, true), (true, false), (true, true)];
        for (which, (reserve, overtaking)) in schemes.into_iter().enumerate() {
            let scheme = Scheme::Packets { places: 2, reserve, overtaking };
            let Err(error) = outcome(&burst(seed, 4, scheme)) else { continue };
            let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
            assert!(circle.len() > 1, "{error}");
            for (place, blocked) in circle.iter().enumerate() {
                let next = &circle[(place + 1) % circle.len()];
                assert_eq!(blocked.waits_for, next.holds[0], "{error}");
                assert_eq!((blocked.waits_for.from, blocked.held_by), (blocked.holds[0].to, None));
            }
            assert!(error.to_string().contains("and waits for room in switch "), "{error}");
            deadlocks[which] += 1;
        }
    }
    assert!(deadlocks[0] > 0 && deadlocks[1] > 0 && deadlocks[2] == 0, "{deadlocks:?}");
}

/// A deadlock of a part is found while others go on, where it is looked out for.
#[test]
fn a_deadlock_is_found_while_the_rest_goes_on() {
    let scheme = Scheme::Packets { places: 2, reserve: false, overtaking: true };
    let mut spec = (0..20).map(|seed| burst(seed, 4, scheme)).find(|spec| outcome(spec).is_err());
    let spec = spec.as_mut().expect("one of them deadlocks");
    spec.machine.routing.allow_deadlock = true;
    let Workload::Messages(list) = &mut spec.workload else { unreachable!() };
    for time in 1..10_000 {
        list.time_ps.push(time * NS);
        list.source.push(5);
        list.destination.push(5);
        list.bytes.push(1);
    }
    let Err(RunError::Deadlock { at, circle, .. }) = outcome(spec) else { panic!("no deadlock") };
    assert!(at < 10_000 * NS && !circle.is_empty());
}
