//! Nodes that take in requests only while they have places for the replies.

use super::{NS, Ran, asking, class, clocked, machine, ran, spec};
use tailback_engine::Simulation;
use tailback_engine::error::{Lack, RunError};
use tailback_engine::measure::late::{Charge, Kind, Why};
use tailback_engine::spec::*;

/// Four nodes of a star, each of which asks the next twice, 1 ns after the other, before the first
/// answer comes; an answer of 16 bytes and a header is longer than a buffer of 8 flits.
fn four_nodes(shares: &[Option<(u32, u32)>], virtual_channels: u32, places: Option<u32>) -> Spec {
    let mut classes = vec![asking(1, 2, class(NS, 0, 2)), class(0, 16, 1)];
    classes[0].messages.pattern = Pattern::Permutation { to: vec![1, 2, 3, 0] };
    let mut machine = clocked(TopologySpec::Star { nodes: 4 }, virtual_channels);
    machine.interface.reply_queue = places;
    let mut spec = spec(machine, shares, classes);
    for (known, name) in spec.machine.routing.traffic_classes.iter_mut().zip(["read", "data"]) {
        known.name = name.into();
    }
    spec
}

fn delivered(ran: &Ran) -> (u64, u64) {
    (ran.of(0).messages_delivered, ran.of(1).messages_delivered)
}

/// With one virtual channel the second request of every node waits at the front of the buffer of its
/// link for a place at the next node. The one there is has the first, and the answer to that stands
/// behind that node's own second request: its tail does not leave.
#[test]
fn requests_and_replies_on_one_virtual_channel_wait_for_each_other() {
    let mut simulation = Simulation::new(&four_nodes(&[None; 2], 1, Some(1))).unwrap();
    let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
    let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
    assert_eq!(circle.len(), 8, "{error}");
    let first = circle.iter().position(|blocked| blocked.lack == Lack::ReplyPlace).unwrap();
    let in_order: Vec<_> = circle.iter().cycle().skip(first).take(8).collect();
    for pair in in_order.chunks(2) {
        let [request, reply] = pair else { panic!("{error}") };
        assert_eq!((request.lack, reply.lack), (Lack::ReplyPlace, Lack::ReplyIsSent));
        assert_eq!(request.destination, reply.source);
        assert_eq!((request.source + 1) % 4, request.destination);
        assert_eq!(request.class.as_deref(), Some("read"));
        assert_eq!(reply.class.as_deref(), Some("data"));
    }
    let text = error.to_string();
    assert!(
        text.contains(
            "packet 4 of class \"read\" from node 0 to node 1 holds node 0 to switch 0 (channel 0) and \
             waits for a place for its reply at node 1; node 1 has no place until packet 9 of class \
             \"data\" from node 1 to node 0, a reply, leaves it, which waits for room in node 1 to switch \
             0 (channel 0)"
        ),
        "{text}"
    );
}

#[test]
fn requests_and_replies_with_virtual_channels_of_their_own_do_not() {
    let apart = [Some((0, 0)), Some((1, 1))];
    assert_eq!(delivered(&ran(&four_nodes(&apart, 2, Some(1)))), (8, 8));
    // Requests longer than a buffer do not keep replies from the link of their node.
    let mut long = four_nodes(&apart, 2, Some(1));
    let Workload::Traffic(traffic) = &mut long.workload else { unreachable!() };
    traffic.classes[0].messages.bytes = Distribution::constant(14);
    assert_eq!(delivered(&ran(&long)), (8, 8));
    // Nor where there are places for both requests, or for any number.
    assert_eq!(delivered(&ran(&four_nodes(&[None; 2], 1, Some(2)))), (8, 8));
    assert_eq!(delivered(&ran(&four_nodes(&[None; 2], 1, None))), (8, 8));
}

/// The same without a clock, as flits, worms and whole packets: links of nodes are shared by requests and
/// replies, so that virtual channels of their own do not help.
#[test]
fn without_a_clock_they_wait_for_each_other_whatever_virtual_channels_they_have() {
    let apart = [Some((0, 0)), Some((1, 1))];
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Packet] {
        let with = |shares: &[Option<(u32, u32)>], places: u32| {
            let mut spec = four_nodes(shares, shares.len() as u32, Some(places));
            let unclocked = machine(TopologySpec::Star { nodes: 4 }, shares.len() as u32);
            let (interface, link) = (unclocked.interface, unclocked.link);
            spec.machine = Machine {
                routing: spec.machine.routing.clone(),
                interface: Interface { reply_queue: Some(places), header_bytes: 1, ..interface },
                link: Link { sharing: Sharing::Separate, ..link },
                ..unclocked
            };
            spec.machine.switch.input_buffer_flits = Some(17);
            Spec { fidelity, ..spec }
        };
        for shares in [&[None; 2], &apart] {
            let mut simulation = Simulation::new(&with(shares, 1)).unwrap();
            let error = simulation.advance(u64::MAX, u64::MAX).unwrap_err();
            let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
            let lacks: Vec<Lack> = circle.iter().map(|blocked| blocked.lack).collect();
            let waits = |lack| lacks.iter().filter(|&&other| other == lack).count();
            assert_eq!(waits(Lack::ReplyPlace), 4, "{fidelity:?}: {error}");
            assert_eq!(delivered(&ran(&with(shares, 2))), (8, 8));
        }
    }
}

/// Two nodes that ask each other, with one place each.
fn two_nodes(fidelity: Fidelity) -> Spec {
    let mut classes = vec![asking(1, 2, class(NS, 1, 2)), class(0, 1, 1)];
    classes[0].messages.pattern = Pattern::Permutation { to: vec![1, 0] };
    let mut machine = machine(TopologySpec::Star { nodes: 2 }, 1);
    machine.interface.header_bytes = 1;
    machine.interface.reply_queue = Some(1);
    Spec { fidelity, ..spec(machine, &[None; 2], classes) }
}

/// Two nodes ask each other at 1 ns and at 2 ns, 1 byte behind a header of 1, for answers as long; a byte
/// takes 1 ns on a link. The first requests are there at 4 ns, the second ones on the links of their nodes
/// from 3 to 5 ns, so that the first answers follow from 5 to 7 ns. Then their places are free: the second
/// requests, at the switch since 4 ns, are there at 9 ns, and the answers behind them at 11 and 13 ns.
#[test]
fn a_place_is_free_when_the_tail_of_the_reply_has_left() {
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Packet] {
        let rows = ran(&two_nodes(fidelity)).rows;
        let mut times: Vec<_> = rows.iter().map(|row| row.delivered).collect();
        times.sort_unstable();
        assert_eq!(times, [4, 4, 9, 9, 11, 11, 13, 13].map(|time| time * NS), "{fidelity:?}");
    }
}

/// Who is charged for what a message waited for: label, number of the channel, kind and time in nanoseconds.
type Charged = Vec<(u32, u32, Kind, u64)>;

/// By label and instant of the messages of a run: from when until when, its own time, and who is charged.
fn charged(spec: Spec) -> Vec<((u64, u64), u64, Charged)> {
    let blame = Some(Blame::default());
    let mut simulation = ran(&Spec { lateness: true, blame, ..spec }).simulation;
    let mut rows = simulation.take_late();
    rows.sort_by_key(|why| (why.label, why.span));
    let charge = |of: &Charge| (of.culprit, of.channel.0, of.kind, of.late / NS);
    let row = |why: &Why| {
        assert_eq!(why.alone, 3 * NS, "{why:?}");
        let charges = why.charges.iter().map(charge).collect();
        ((why.span.0 / NS, why.span.1 / NS), why.own / NS, charges)
    };
    rows.iter().map(row).collect()
}

/// If node 0 alone asks, its second request waits at the switch from 4 to 6 ns, for as long as the answer to
/// the first is sent on the link of node 1.
#[test]
fn a_wait_for_a_place_is_charged_to_the_reply_that_frees_it() {
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Packet] {
        let mut spec = two_nodes(fidelity);
        let Workload::Traffic(traffic) = &mut spec.workload else { unreachable!() };
        let rows = vec![vec![Share { to: 1, weight: 1.0 }], vec![]];
        traffic.classes[0].messages.pattern = Pattern::Matrix { rows, periods: Vec::new() };
        let waits = vec![(0, 0, Kind::Source, 1), (1, 1, Kind::Spread, 2)];
        let requests = [((1, 4), 3, vec![]), ((2, 8), 3, waits)];
        let replies = [((4, 7), 3, vec![]), ((8, 11), 3, vec![])];
        assert_eq!(charged(spec), [requests, replies].concat(), "{fidelity:?}");
    }
}

/// If both ask, a second request waits for 1 ns for that of the other node, behind which the answer stands
/// there, and for 2 ns for the answer itself. The first answer stands behind its own node's second request,
/// which waits for the other node's answer, and then is sent.
#[test]
fn a_wait_for_a_place_is_charged_to_whom_the_reply_waits_for() {
    let (source, spread, destination) = (Kind::Source, Kind::Spread, Kind::Destination);
    let of = |node: u32| {
        let (other, link) = (1 - node, 3 - node);
        let answered = vec![(node, node, source, 1), (other, other, spread, 1)];
        [
            ((1, 4), 3, vec![]),
            ((2, 9), 3, vec![(node, node, source, 1), (other, other, spread, 3)]),
            ((4, 11), 3, [answered, vec![(node, link, destination, 2)]].concat()),
            ((9, 13), 3, vec![(node, link, destination, 1)]),
        ]
    };
    assert_eq!(charged(two_nodes(Fidelity::Packet)), [of(0), of(1)].concat());
}

/// A node has a packet of 12 flits and, of a class with virtual channels of its own, one of 4: they take
/// turns on its link, so that both are there 4 ns later than alone.
#[test]
fn classes_take_turns_on_the_link_of_a_node() {
    let at = |sent: [u64; 2]| {
        let mut classes = [(sent[0], 11), (sent[1], 3)].map(|(at, bytes)| class(at, bytes, 1));
        for (class, to) in classes.iter_mut().zip([[1, 0, 2], [2, 1, 0]]) {
            class.messages.pattern = Pattern::Permutation { to: to.to_vec() };
        }
        let machine = clocked(TopologySpec::Star { nodes: 3 }, 2);
        let mut rows = ran(&spec(machine, &[Some((0, 0)), Some((1, 1))], classes.to_vec())).rows;
        rows.retain(|row| row.source == 0);
        rows.sort_by_key(|row| row.destination);
        [rows[0].delivered, rows[1].delivered]
    };
    let (together, alone) = (at([NS, NS]), [at([NS, 90 * NS])[0], at([90 * NS, NS])[1]]);
    assert_eq!(together, alone.map(|time| time + 4 * NS));
}
