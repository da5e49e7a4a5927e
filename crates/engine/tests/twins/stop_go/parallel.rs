//! Parallel links of which each packet takes a certain one.

use super::{FLIT, machine, marked, messages, spec};
use tailback_engine::spec::{
    FlowControl, Machine, Mode, ParallelLinks, RoutingSpec, Sharing, Spec, TopologySpec,
};
use tailback_engine::{Progress, Simulation};

/// A ring of switches with two nodes each and so many links between neighbours.
fn ring(switches: u32, links: u32) -> Machine {
    let ring = TopologySpec::ConcentratedTorus { dims: vec![switches], nodes_per_switch: 2 };
    let mut ring = marked(machine(ring, (2, 1, 0)), (40, 20, 60));
    ring.link.width = links;
    ring.set_node_link(|class| class.width = Some(1));
    ring.routing.algorithm = RoutingSpec::DimensionOrderOneWay { order: Vec::new(), rises: false };
    ring.routing.parallel_links = ParallelLinks::Destination;
    ring.routing.allow_deadlock = true;
    ring
}

fn run(machine: &Machine, mode: Mode, rows: &[(u64, u32, u32, u32)]) -> (Vec<u64>, Vec<u32>) {
    let spec = Spec { mode, ..spec(machine.clone(), messages(rows)) };
    let mut simulation = Simulation::new(&spec).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut packets = simulation.take_packets();
    packets.sort_by_key(|row| row.message);
    let used = simulation.channels_used().iter().map(|used| used.packets).collect();
    (packets.iter().map(|row| row.delivered / FLIT).collect(), used)
}

/// From switch 0 to switch 1 (odd) and to 2 (even, half the ring away: down, by switch 3). Nodes
/// of one switch share a link; those of switches next to each other, farther on, do not.
#[test]
fn packets_go_by_the_link_of_their_destination() {
    let alone = 3 * 2 + 2 + 10;
    let rows = [(0, 0, 2, 9), (0, 1, 3, 9)];
    let (times, used) = run(&ring(4, 2), Mode::Full, &rows);
    assert_eq!(times, [alone, alone + 10], "one behind the other, by the second link");
    // Injection: 8. Switch 0 down: 8, 9; up: 10, 11; the others likewise.
    assert_eq!(used[8..12], [0, 0, 0, 2]);
    let rows = [(0, 0, 4, 9), (0, 1, 7, 9)];
    let (times, used) = run(&ring(4, 2), Mode::Full, &rows);
    assert_eq!(times, [alone + 3, alone], "side by side");
    assert_eq!(used[8..12], [1, 1, 0, 0]);
    assert_eq!(run(&ring(4, 2), Mode::Free, &rows), (times, used));
    // With one link there is nothing to choose.
    assert_eq!(run(&ring(4, 1), Mode::Full, &rows).0, [alone + 3, alone + 10]);
}

/// Virtual channels of a link share its wire, and have the classes of routing.
#[test]
fn parallel_links_have_virtual_channels() {
    let mut ring = ring(4, 2);
    ring.link.flow_control = FlowControl::OutOfBand;
    ring.switch.virtual_channels = 4;
    ring.routing.allow_deadlock = false;
    for sharing in [Sharing::RoundRobin, Sharing::Separate] {
        ring.link.sharing = sharing;
        let rows = [(0, 0, 2, 9), (0, 1, 3, 9), (0, 0, 4, 9), (0, 1, 5, 9)];
        let (_, used) = run(&ring, Mode::Full, &rows);
        // Of each class there are two on each link: class 1, up, the second link.
        let up: Vec<u32> = used[8 + 8..8 + 16].to_vec();
        assert_eq!(up.iter().sum::<u32>(), 2, "{used:?}");
        assert_eq!(up[6..].iter().sum::<u32>(), 2, "{used:?}");
    }
}

/// What can wait in a circle is found out for each link. Round four switches ways are two links
/// long at most: those that could close a circle end at switches of both kinds, and go by links of
/// both. Round six those to the odd ones alone can.
#[test]
fn circles_are_found_before_the_run() {
    let refused = |switches, parallel_links| {
        let mut machine = ring(switches, 2);
        machine.routing.parallel_links = parallel_links;
        machine.routing.allow_deadlock = false;
        Simulation::new(&spec(machine, messages(&[]))).err().map(|error| error.to_string())
    };
    assert_eq!(refused(4, ParallelLinks::Destination), None);
    for found in [refused(4, ParallelLinks::Any), refused(6, ParallelLinks::Destination)] {
        let found = found.unwrap();
        assert!(found.contains("can deadlock"), "{found}");
        assert!(found.contains("needs 2 virtual channels, or allow_deadlock = true"), "{found}");
    }
}

/// All links have as many wires as are told apart.
#[test]
fn other_widths_are_refused() {
    let mut tree = machine_with_widths();
    tree.routing.parallel_links = ParallelLinks::Destination;
    let refused = Simulation::new(&spec(tree, messages(&[]))).err().unwrap().to_string();
    let expected = "machine.topology = 3 parallel links: must have 2 wires, as link.width";
    assert!(refused.contains(expected), "{refused}");
}

fn machine_with_widths() -> Machine {
    let (children, widths) = (vec![2], vec![3]);
    let tree = TopologySpec::Tree { children, nodes_per_switch: 2, widths };
    let mut tree = machine(tree, (2, 1, 0));
    tree.link.width = 2;
    tree.routing.algorithm = RoutingSpec::Shortest;
    tree
}
