//! Networks some links of which have failed.

use super::{burst, machine, mesh, torus};
use crate::common::Run;
use tailback_engine::ids::SwitchId;
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;

/// A grid without some links is the graph of those that are left: the same packets at the same
/// times, whatever numbers ports have.
#[test]
fn a_failed_link_is_one_that_is_not_there() {
    for (whole, seed) in [(mesh(&[4, 3]), 2), (torus(&[4, 4]), 5), (mesh(&[5, 5]), 7)] {
        let failing = whole.failing(vec![], 150_000, seed);
        let left = Topology::new(&failing).unwrap();
        assert!(left.has_failed());
        for (routing, channels) in [
            (RoutingSpec::HopClasses, 12),
            (RoutingSpec::UpDown { root: Some(0), adaptive: true }, 1),
        ] {
            let rows = |topology: TopologySpec| {
                let mut machine = machine(topology, routing.clone(), channels);
                machine.set_node_link(|link| link.width = Some(1));
                let mut run = Run::new(machine, burst(left.nodes as u32, 40, 3), Mode::Full);
                run.finish();
                run.rows
            };
            assert_eq!(rows(failing.clone()), rows(listed(&left)), "{routing:?}");
        }
    }
}

/// The links of a network, switch by switch.
fn listed(topology: &Topology) -> TopologySpec {
    let switches = (0..topology.switches as u32).map(SwitchId);
    let of =
        |from: SwitchId| topology.links(from).map(move |(_, to)| GraphLink::new(from.0, to.0, 1));
    TopologySpec::Graph {
        switches: topology.switches as u32,
        links: switches.flat_map(of).collect(),
        nodes: (0..topology.nodes as u32).collect(),
        leaves: vec![],
        node_links: Vec::new(),
        classes: Vec::new(),
    }
}

/// Bursts of random traffic over what is left of a dragonfly, directly and by ways round.
#[test]
fn all_packets_arrive_over_the_groups_that_are_left() {
    let fly = TopologySpec::Dragonfly {
        nodes_per_switch: 2,
        switches_per_group: 4,
        global_links: 2,
        groups: 9,
    };
    let failing = fly.failing(vec![], 80_000, 3);
    let weighing = Weighing::default();
    for routing in [
        RoutingSpec::Minimal,
        RoutingSpec::ValiantByGroups,
        RoutingSpec::Valiant { order: vec![] },
        RoutingSpec::UgalL { order: vec![], weighing },
        RoutingSpec::UgalG { order: vec![], weighing },
        RoutingSpec::Par { weighing },
    ] {
        all_arrive(&failing, &routing, 72);
    }
}

/// The same over what is left of the lines of a `HyperX`.
#[test]
fn all_packets_arrive_over_the_lines_that_are_left() {
    let whole = TopologySpec::HyperX {
        dims: vec![5, 4],
        widths: vec![],
        nodes_per_switch: 2,
        by_distance: false,
    };
    let failing = whole.failing(vec![], 200_000, 3);
    let weighing = Weighing::default();
    for routing in [RoutingSpec::Dal { weighing }, RoutingSpec::UgalL { order: vec![], weighing }] {
        all_arrive(&failing, &routing, 40);
    }
}

/// Bursts of random traffic, every packet of which arrives.
fn all_arrive(topology: &TopologySpec, routing: &RoutingSpec, nodes: u32) {
    let mut machine = machine(topology.clone(), routing.clone(), 12);
    machine.link.sharing = Sharing::Separate;
    let mut run = Run::new(machine, burst(nodes, 30, 3), Mode::Full);
    run.finish();
    assert_eq!(run.rows.len(), nodes as usize * 30, "{routing:?}");
}
