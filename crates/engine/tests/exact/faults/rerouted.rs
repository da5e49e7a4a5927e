//! Tables of routing that change some time after a link has failed, and after its repair: to the tick.

use super::*;
use tailback_engine::measure::ChannelKind;

/// Two leaves, 2 and 3, with two nodes each, and two switches above them. Packets to node 3 go by the upper
/// switch 1, whose port 0 leads to the first leaf.
fn tree(queueing: Queueing, algorithm: RoutingSpec) -> Machine {
    let topology = TopologySpec::FatTree { arity: 2, levels: 2 };
    let mut machine = machine(topology, Switching::CutThrough, queueing);
    machine.routing.algorithm = algorithm;
    machine
}

fn at_port(switch: u32, port: u32) -> FaultAt {
    FaultAt::Link(FailedLink::At { switch, port })
}

/// A link that is down in a span of time, and how long it takes until tables are others.
fn rerouted(at: FaultAt, span: (u64, u64), after: u64) -> Fault {
    Fault { reroute_ps: Some(after), ..fault(at, span, 0) }
}

const STATIC: [RoutingSpec; 2] =
    [RoutingSpec::DModK, RoutingSpec::NearestCommonAncestor { adaptive: false }];

#[test]
fn a_packet_goes_another_way_as_soon_as_tables_have_changed() {
    for (queueing, algorithm) in QUEUEINGS.into_iter().flat_map(|q| STATIC.map(|a| (q, a))) {
        let at = |span, after, row: (u64, u32, u32, u32)| {
            let faults = [rerouted(at_port(1, 0), span, after)];
            delivered(tree(queueing, algorithm.clone()), &[row], &faults)
        };
        let down = (0, 20 * D);
        let told = format!("{queueing:?} {algorithm:?}");
        // It is ready at its leaf at H, and waits there until tables change.
        assert_eq!(at(down, 5 * D, (0, 0, 3, 32)), [5 * D + 2 * H + D], "{told}");
        // They have changed before it comes, or at the very instant.
        assert_eq!(at(down, H - 1, (0, 0, 3, 32)), [3 * H + D], "{told}");
        assert_eq!(at(down, H, (0, 0, 3, 32)), [3 * H + D], "{told}");
        assert_eq!(at(down, 0, (0, 0, 3, 32)), [3 * H + D], "{told}");
        assert_eq!(at(down, H + 1, (0, 0, 3, 32)), [H + 1 + 2 * H + D], "{told}");
        // It is on the link when that fails.
        assert_eq!(at((2 * H, 20 * D), D, (0, 0, 3, 32)), [2 * H + D + 2 * H + D], "{told}");
        // Repaired before, or when, they would change.
        assert_eq!(at((0, 5 * D), 6 * D, (0, 0, 3, 32)), [5 * D + 2 * H + D], "{told}");
        assert_eq!(at((0, 5 * D), 5 * D, (0, 0, 3, 32)), [5 * D + 2 * H + D], "{told}");
    }
}

/// From which switch above packets come to the second leaf.
fn by(run: &Run) -> Vec<u32> {
    let layout = run.simulation.layout();
    let used = run.simulation.channels_used();
    let is_used = |switch: u32| {
        let groups = layout.groups.iter();
        let groups =
            groups.filter(|group| group.kind == ChannelKind::Internal && group.from == switch);
        groups.flat_map(|group| group.channels()).any(|channel| used[channel.index()].packets > 0)
    };
    [0, 1].into_iter().filter(|&switch| is_used(switch)).collect()
}

#[test]
fn routes_return_as_long_after_the_repair() {
    for queueing in QUEUEINGS {
        let begins = |at: u64| {
            let faults = [rerouted(at_port(1, 0), (0, 20 * D), 5 * D)];
            let run = run(tree(queueing, RoutingSpec::DModK), &[(at, 0, 3, 32)], &faults);
            assert_eq!(run.data()[0].delivered, at + 3 * H + D, "{queueing:?}");
            by(&run)
        };
        assert_eq!(begins(20 * D + 1), [0]);
        assert_eq!(begins(25 * D - H - 1), [0]);
        assert_eq!(begins(25 * D - H), [1]);
    }
}

/// Packets that the failure meets above the leaves go back to one, and from there by the new tables.
#[test]
fn a_packet_at_a_switch_without_a_way_goes_a_shortest_one() {
    for queueing in QUEUEINGS {
        let faults = [rerouted(at_port(1, 1), (0, 20 * D), 5 * D)];
        let run = run(tree(queueing, RoutingSpec::DModK), &[(0, 0, 3, 32)], &faults);
        assert_eq!(run.data()[0].delivered, 5 * D + 3 * H + D, "{queueing:?}");
        assert_eq!(by(&run), [0, 1]);
        // Nothing is left to do at the repair.
        assert!(run.simulation.now() < 20 * D, "{queueing:?}");
    }
}

#[test]
fn packets_that_wait_for_the_link_move_in_their_order() {
    // Both nodes of the first leaf send to node 3; the first two packets wait for the link, the third is ready
    // after the change. All go by the other link, one after the other.
    let rows = [(0, 0, 3, 32), (H / 2, 1, 3, 32), (5 * D - H, 0, 3, 32)];
    let faults = [rerouted(at_port(1, 0), (0, 20 * D), 5 * D)];
    for queueing in QUEUEINGS {
        let found = delivered(tree(queueing, RoutingSpec::DModK), &rows, &faults);
        let nth = |n: u64| 5 * D + n * D + 2 * H + D;
        assert_eq!(found, [nth(0), nth(1), nth(2)], "{queueing:?}");
    }
}

#[test]
fn whom_the_failure_cuts_off_waits_for_the_repair() {
    for queueing in QUEUEINGS {
        let mut machine = row(Switching::CutThrough, queueing);
        machine.routing.algorithm = RoutingSpec::Shortest;
        let faults = [rerouted(link(0, 1), (0, 20 * D), 5 * D)];
        assert_eq!(delivered(machine, &ONE, &faults), [20 * D + 2 * H + D], "{queueing:?}");
        // All links of a switch: those of its nodes are down, too, and others go round it.
        let faults = [rerouted(FaultAt::Switch(1), (0, 20 * D), 5 * D)];
        let rows = [(0, 0, 3, 32)];
        let found = delivered(tree(queueing, RoutingSpec::DModK), &rows, &faults);
        assert_eq!(found, [5 * D + 2 * H + D], "{queueing:?}");
        let faults = [rerouted(FaultAt::Switch(3), (0, 20 * D), 5 * D)];
        let found = delivered(tree(queueing, RoutingSpec::DModK), &rows, &faults);
        assert_eq!(found, [20 * D + H + D], "{queueing:?}");
    }
}

/// A triangle, in which a packet from switch 1 to switch 0 waits for the link to switch 2, because that to
/// switch 0 was down. Then the last link of switch 2 fails, which tables cannot avoid: they do not change.
#[test]
fn packets_stay_where_tables_remain_the_same() {
    let links = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
    let topology = TopologySpec::Graph {
        switches: 3,
        links: links.map(|(from, to)| GraphLink::new(from, to, 1)).to_vec(),
        nodes: vec![0, 1, 2, 1],
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    for queueing in [Queueing::Voq, Queueing::Output] {
        let mut machine = machine(topology.clone(), Switching::CutThrough, queueing);
        machine.routing.algorithm = RoutingSpec::Shortest;
        let faults = [
            rerouted(link(0, 1), (0, H + D / 4), 0),
            rerouted(link(0, 2), (H + D / 2, 5 * D), 0),
            rerouted(link(1, 2), (H + D * 3 / 4, 5 * D), 0),
        ];
        let mut found = delivered(machine, &[(0, 1, 2, 32), (0, 3, 0, 32)], &faults);
        found.sort_unstable();
        assert_eq!(found, [5 * D + H + D, 6 * D + 2 * H + D], "{queueing:?}");
    }
}

/// The same tree between two hosts with two interfaces each, to whose switches packets take one link more.
fn between_hosts(queueing: Queueing, rule: InterfaceRule) -> Machine {
    let mut machine = tree(queueing, RoutingSpec::DModK);
    let hosts = Hosts {
        interfaces: vec![vec![0, 1], vec![2, 3]],
        own: vec![0, 1, 2, 3],
        rule,
        inside: LinkClass::default(),
        delay_ps: 0,
    };
    machine.topology = TopologySpec::Hosts { of: Box::new(machine.topology), hosts };
    machine
}

#[test]
fn routes_between_interfaces_of_hosts_go_another_way() {
    for (queueing, rule) in QUEUEINGS
        .into_iter()
        .flat_map(|queueing| [InterfaceRule::Own, InterfaceRule::Rail].map(|rule| (queueing, rule)))
    {
        let at = |port, span, after| {
            let faults = [rerouted(at_port(1, port), span, after)];
            delivered(between_hosts(queueing, rule), &[(0, 0, 3, 32)], &faults)
        };
        let down = (0, 20 * D);
        assert_eq!(at(0, (30 * D, 31 * D), D), [5 * H + D], "{queueing:?} {rule:?}");
        assert_eq!(at(0, down, H), [5 * H + D], "{queueing:?} {rule:?}");
        // It waits at its leaf, or above that, from where it goes back to a leaf and up again.
        assert_eq!(at(0, down, 5 * D), [5 * D + 3 * H + D], "{queueing:?} {rule:?}");
        assert_eq!(at(1, down, 5 * D), [5 * D + 4 * H + D], "{queueing:?} {rule:?}");
        let by_switch = [rerouted(FaultAt::Switch(1), down, 5 * D)];
        let machine = between_hosts(queueing, rule);
        assert_eq!(delivered(machine, &[(0, 0, 3, 32)], &by_switch), [5 * D + 3 * H + D]);
    }
}

/// With a choice: a packet at the switch above has none, until tables say that it is not to go there.
#[test]
fn packets_with_a_choice_learn_of_links_further_on() {
    for queueing in QUEUEINGS {
        let algorithm = RoutingSpec::NearestCommonAncestor { adaptive: true };
        let at = |after| {
            let faults = [rerouted(at_port(0, 1), (0, 20 * D), after)];
            delivered(tree(queueing, algorithm.clone()), &[(0, 0, 3, 32)], &faults)
        };
        assert_eq!(at(H), [3 * H + D], "{queueing:?}");
        assert_eq!(at(5 * D), [5 * D + 3 * H + D], "{queueing:?}");
    }
}

#[test]
fn the_wait_and_the_longer_way_are_charged_to_the_link() {
    for queueing in QUEUEINGS {
        for (port, waited, late) in [(0, 5 * D - H, 5 * D - H), (1, 5 * D - 2 * H, 5 * D)] {
            let faults = [rerouted(at_port(1, port), (0, 20 * D), 5 * D)];
            let machine = tree(queueing, RoutingSpec::DModK);
            let described = with_faults(machine, &[(0, 0, 3, 32)], &faults);
            let blame = Some(Blame::default());
            let mut run = Run::with(&Spec { lateness: true, blame, ..described });
            run.finish();
            let found = run.simulation.take_late();
            let charges = &found[0].charges;
            let told = format!("{queueing:?}, port {port}: {charges:?}");
            assert!(charges.iter().all(|charge| charge.kind == Kind::Fault), "{told}");
            assert!(charges.iter().all(|charge| charge.culprit == u32::MAX), "{told}");
            assert_eq!(charges.iter().map(|charge| charge.waited).sum::<u64>(), waited, "{told}");
            assert_eq!(charges.iter().map(|charge| charge.late).sum::<u64>(), late, "{told}");
            let layout = run.simulation.layout();
            let from = layout.group(charges[0].channel).from;
            assert_eq!(from, if port == 0 { 2 } else { 1 }, "{told}");
        }
    }
}

#[test]
fn what_cannot_change_its_tables_is_refused_in_one_line() {
    let refused = |machine: Machine, faults: &[Fault]| {
        let spec = with_faults(machine, &[(0, 0, 2, 32)], faults);
        Simulation::new(&spec).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let of = |algorithm| {
        let mut machine = row(Switching::CutThrough, Queueing::Output);
        machine.routing.algorithm = algorithm;
        machine
    };
    let at = rerouted(link(0, 1), (0, 50), 5);
    let ring = || {
        let mut machine =
            machine(TopologySpec::Torus { dims: vec![4] }, Switching::CutThrough, Queueing::Output);
        machine.routing.algorithm = RoutingSpec::Shortest;
        machine.routing.allow_deadlock = false;
        machine
    };
    for (machine, faults, expected) in [
        (
            of(RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false }),
            vec![at],
            "fault[0].reroute_after_ps = 5: must be left out with routing dimension_order: use shortest",
        ),
        (
            of(RoutingSpec::Shortest),
            vec![Fault { at: FaultAt::Node(1), ..at }],
            "fault[0].reroute_after_ps = 5: must be left out: no other way leads to a node",
        ),
        (
            of(RoutingSpec::Shortest),
            vec![Fault { share: 500_000, ..at }],
            "fault[0].reroute_after_ps = 5: must be left out: the link is not down",
        ),
        (ring(), vec![at], "machine.routing = shortest: can deadlock"),
        (
            between_hosts(Queueing::Output, InterfaceRule::Own),
            vec![rerouted(link(2, 4), (0, 50), 5)],
            "fault[0].reroute_after_ps = 5: must be left out: no other way leads to an interface of a host",
        ),
    ] {
        let found = refused(machine, &faults);
        assert!(found.contains(expected), "{found}");
    }
}
