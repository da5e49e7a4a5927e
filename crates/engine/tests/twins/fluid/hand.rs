//! What can be worked out on paper.

use super::*;
use crate::common::dice::Dice;

/// A row of six nodes and five messages; link (i, i+1) is written i. Until 480 ns: 4 and the way
/// to node 5 are full with C, D, E, a third each; 1 with A and B, a half each; A's last link, 2,
/// has room. B ends: A has what C leaves of 2, two thirds. E ends at 600: C, D a half each, so A
/// a half. D ends at 800, C, which still shares 2, at 1000; then A is alone.
#[test]
fn five_messages() {
    let sizes = [600, 240, 400, 300, 200];
    let ends = [(0, 3), (1, 2), (2, 5), (3, 5), (4, 5)];
    let rows: Vec<_> =
        ends.iter().zip(sizes).map(|(&(from, to), size)| (0, from, to, size - 1)).collect();
    let run = run(machine(TopologySpec::Mesh { dims: vec![6] }), &rows, Mode::Full);
    let through = [1_080_000, 480_000, 1_000_000, 800_000, 600_000];
    let arrived = ends.iter().zip(through).map(|(&(from, to), through)| {
        // As far behind as headers take at all channels but the last.
        through + 1_000 * u64::from(to - from + 1)
    });
    assert_eq!(arrivals(&run), arrived.collect::<Vec<_>>());
    assert_eq!(run.waits(), run.lifetimes_beyond_zero_load());
}

/// What `SimGrid` says of a star with 1 us and 1 GB/s on each link (model CM02): 1 MB takes
/// 1.002 ms; of three at once to one node, 3.002 ms. Here a byte of each message is its header,
/// which takes 1 ns more at the switch.
#[test]
fn a_star_as_in_simgrid() {
    let mut machine = machine(TopologySpec::Star { nodes: 4 });
    machine.link.delay_ps = MICROSECOND;
    let all = 1_000_000 - 1;
    let one = run(machine.clone(), &[(0, 0, 1, all)], Mode::Full);
    assert_eq!(arrivals(&one), [1_002 * MICROSECOND + 1_000]);
    let rows = [1, 2, 3].map(|node| (0, node, 0, all));
    let three = run(machine, &rows, Mode::Full);
    assert_eq!(arrivals(&three), [3_002 * MICROSECOND + 1_000; 3]);
}

/// Each mode shares what its name says. Three messages from a node, and one that meets them on
/// its way: node 0 sends them one after the other.
#[test]
fn modes() {
    let rows = [(0, 0, 2, 99), (0, 0, 2, 99), (0, 1, 2, 99)];
    let arrivals = |mode| {
        let run = run(machine(TopologySpec::Mesh { dims: vec![3] }), &rows, mode);
        arrivals(&run).into_iter().map(|at| at / 1_000).collect::<Vec<_>>()
    };
    // Headers: 3 ns over four channels, 2 over three.
    assert_eq!(arrivals(Mode::Full), [203, 303, 202]);
    assert_eq!(arrivals(Mode::Endpoints), [203, 303, 202], "the way to node 2 is shared");
    assert_eq!(arrivals(Mode::Throttled), [203, 203, 102], "both of node 0 at once, halves");
    assert_eq!(arrivals(Mode::Free), [103, 103, 102]);
}

/// Links between switches are not shared in mode `endpoints`, but nobody is faster than they are.
#[test]
fn endpoints_of_slow_links() {
    let mut machine = machine(TopologySpec::Mesh { dims: vec![4] });
    machine.set_node_link(|class| class.flit_ps = Some(250));
    let rows = [(0, 0, 2, 99), (0, 1, 3, 99)];
    let full = arrivals(&run(machine.clone(), &rows, Mode::Full));
    let endpoints = arrivals(&run(machine, &rows, Mode::Endpoints));
    assert!(endpoints.iter().all(|&at| at < 105_000) && full.iter().all(|&at| at > 200_000));
}

/// Where messages of a node take turns, they share its link instead.
#[test]
fn messages_that_take_turns() {
    let mut machine = machine(TopologySpec::Star { nodes: 3 });
    machine.interface.packet_bytes = 10;
    let rows = [(0, 0, 1, 100), (0, 0, 2, 100)];
    let in_order = arrivals(&run(machine.clone(), &rows, Mode::Full));
    machine.interface.message_order = MessageOrder::RoundRobin;
    let in_turn = arrivals(&run(machine, &rows, Mode::Full));
    assert_eq!((in_order, in_turn), (vec![111_000, 221_000], vec![221_000, 221_000]));
}

/// Virtual channels share a wire, parallel ones are one link of twice the capacity.
#[test]
fn channels_of_one_link() {
    let rows = [(0, 0, 2, 99), (0, 1, 2, 99), (0, 3, 2, 99)];
    let mut machine = machine(TopologySpec::Torus { dims: vec![8] });
    machine.switch.virtual_channels = 2;
    machine.set_node_link(|class| class.width = Some(4));
    let shared = arrivals(&run(machine.clone(), &rows, Mode::Full));
    assert_eq!(shared, [203_000, 202_000, 102_000]);
    machine.link.width = 2;
    assert_eq!(arrivals(&run(machine, &rows, Mode::Full)), [103_000, 102_000, 102_000]);
}

/// Alone a message of any number of packets takes what it does with fidelity `packet`, whatever
/// the switching, the lengths of packets and the rates of links.
#[test]
fn alone_as_with_whole_packets() {
    for number in 0..400 {
        let mut dice = Dice::new(number);
        let mut machine = machine(TopologySpec::Mesh { dims: vec![5] });
        machine.link.flit_ps = 700 + dice.below(3) * 100;
        machine.link.control_ps = 100 + dice.below(900);
        machine.link.end_token = dice.below(2) == 1;
        machine.link.delay_ps = dice.below(5_000);
        machine.switch.delay_ps = dice.below(5_000);
        machine.interface.packet_bytes = 1 + dice.below(60) as u32;
        machine.switch.input_buffer_flits = None;
        let switching = [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward];
        machine.switch.switching = switching[dice.below(3) as usize];
        if dice.below(2) == 1 {
            machine.set_node_link(|class| class.flit_ps = Some(200 + dice.below(1_500)));
        }
        let bytes = dice.below(300) as u32;
        let rows = [(0, 0, 1 + dice.below(4) as u32, bytes)];
        if dice.below(3) == 0 {
            // Whatever the packet, wires are the slowest, or draining is.
            let times = [1 + dice.below(200), 10_000];
            machine.interface.drain_byte_ps = Some(times[dice.below(2) as usize]);
        }
        let mut whole = Run::with(&spec(machine.clone(), message_list(&rows), Mode::Full));
        whole.finish();
        let fluid = run(machine, &rows, Mode::Full);
        assert_eq!(arrivals(&fluid), arrivals(&whole), "case {number}");
    }
}

/// The same with acknowledgements, which are messages of their own, and one packet at a time.
#[test]
fn alone_with_acknowledgements() {
    for window in [Some(1), Some(2), None] {
        let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![4] });
        machine.interface.window = window;
        let rows = [(0, 0, 3, 200)];
        let mut whole = Run::with(&spec(machine.clone(), message_list(&rows), Mode::Full));
        whole.finish();
        let fluid = run(machine, &rows, Mode::Full);
        assert_eq!(arrivals(&fluid), arrivals(&whole));
        assert_eq!(fluid.acks().len(), whole.acks().len());
    }
}

/// Where packets have a choice, they take what the fewest cross: of two messages by one corner
/// each has a way of its own.
#[test]
fn adaptive_ways_spread() {
    let mut machine = machine(TopologySpec::Mesh { dims: vec![2, 2] });
    machine.routing.algorithm = RoutingSpec::NegativeFirst;
    machine.set_node_link(|class| class.width = Some(2));
    let rows = [(0, 0, 3, 99), (0, 0, 3, 99)];
    assert_eq!(arrivals(&run(machine, &rows, Mode::Full)), [103_000; 2]);
}

/// Two messages to one node, which drains a byte in 4 ns where wires take 1: each has half of
/// that. Alone a message takes as long as it is drained, and so it does in modes without ends.
#[test]
fn nodes_that_drain_slowly() {
    let rows = [(0, 0, 3, 100), (0, 1, 3, 100), (0, 2, 0, 100)];
    let arrivals = |mode| {
        let mut machine = machine(TopologySpec::Star { nodes: 4 });
        machine.interface.drain_byte_ps = Some(4_000);
        machine.interface.receive_fifo = Some(2);
        arrivals(&run(machine, &rows, mode))
    };
    for mode in [Mode::Full, Mode::Endpoints] {
        assert_eq!(arrivals(mode), [801_000, 801_000, 401_000]);
    }
    for mode in [Mode::Throttled, Mode::Free] {
        assert_eq!(arrivals(mode), [401_000; 3]);
    }
}

/// Two messages that cross share the wire between their switches; each node has wires of its own.
#[test]
fn both_directions_of_a_wire() {
    let mut machine = machine(TopologySpec::Mesh { dims: vec![2] });
    machine.set_node_link(|class| class.half_duplex = Some(HalfDuplex::No));
    let rows = [(0, 0, 1, 99), (0, 1, 0, 99)];
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Full)), [102_000; 2]);
    machine.link.half_duplex = HalfDuplex::Flit;
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Full)), [202_000; 2]);
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Endpoints)), [102_000; 2]);
    machine.set_node_link(|class| class.half_duplex = Some(HalfDuplex::Flit));
    assert_eq!(arrivals(&run(machine, &rows, Mode::Endpoints)), [202_000; 2]);
}

/// A message whose header is answered shares the wires of its way with its own acknowledgement, in every
/// mode, and with that alone: from 2 ns on, when its header is there, each has a half, until the byte of
/// the acknowledgement is through after 2 ns. So it takes 1 ns longer than the 102 of one that is not answered.
#[test]
fn an_acknowledgement_on_the_way_of_its_message() {
    for topology in [TopologySpec::Star { nodes: 3 }, TopologySpec::Mesh { dims: vec![3] }] {
        let mut machine = machine(topology);
        machine.interface.acknowledges = true;
        machine.link.half_duplex = HalfDuplex::Flit;
        let arrivals = |rows: &[_], mode| {
            let run = run(machine.clone(), rows, mode);
            let mut data = run.data();
            data.sort_by_key(|packet| packet.message);
            data.iter().map(|packet| packet.delivered).collect::<Vec<_>>()
        };
        let hops = if matches!(machine.topology, TopologySpec::Mesh { .. }) { 3 } else { 2 };
        let alone = (100 + hops - 1 + 1) * 1_000;
        for mode in [Mode::Full, Mode::Endpoints, Mode::Free] {
            assert_eq!(arrivals(&[(0, 0, 1, 99)], mode), [alone], "{mode:?}");
        }
        let crossing = [(0, 0, 1, 99), (0, 1, 0, 99)];
        assert_eq!(arrivals(&crossing, Mode::Free), [alone; 2], "each meets its own alone");
    }
}

/// Five nodes send packets of ten flits to one, each at intervals of four times that: it takes in
/// a fifth of every message where they would send a quarter. The last packet of three keeps no
/// interval: 90 ns of a quarter. One alone has room.
#[test]
fn intervals_between_packets() {
    let mut machine = machine(TopologySpec::Star { nodes: 6 });
    machine.interface.packet_bytes = 9;
    machine.interface.costs = Some(Costs { packet_interval_ps: 40_000, ..Costs::default() });
    let rows: Vec<_> = (1..6).map(|node| (0, node, 0, 27)).collect();
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Full)), [112_500 + 1_000; 5]);
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Endpoints)), [112_500 + 1_000; 5]);
    assert_eq!(arrivals(&run(machine.clone(), &rows, Mode::Free)), [90_000 + 1_000; 5]);
    let alone = run(machine, &rows[..1], Mode::Full);
    assert_eq!((arrivals(&alone), alone.lifetimes_beyond_zero_load()), (vec![91_000], 0));
}
