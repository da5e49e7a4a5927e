//! Faults of links while a run goes on: to the tick.

mod rerouted;

use crate::common::{Run, message_list, spec};
use tailback_engine::Simulation;
use tailback_engine::measure::late::Kind;
use tailback_engine::spec::*;

/// Time of a header, and of a 32-byte packet, on a DS-Link.
const H: u64 = 100_000;
const D: u64 = 3_340_000;

const QUEUEINGS: [Queueing; 3] = [Queueing::Fifo, Queueing::Voq, Queueing::Output];

fn machine(topology: TopologySpec, switching: Switching, queueing: Queueing) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.node_link = None;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.switch.switching = switching;
    machine.switch.queueing = queueing;
    machine.switch.input_buffer_flits = Some(100);
    machine
}

fn row(switching: Switching, queueing: Queueing) -> Machine {
    machine(TopologySpec::Mesh { dims: vec![3] }, switching, queueing)
}

fn fault(at: FaultAt, (from_ps, until_ps): (u64, u64), share: u32) -> Fault {
    Fault {
        at,
        from_ps,
        until_ps,
        share,
        bit_errors: None,
        time_factor: None,
        reroute_ps: None,
        again: None,
    }
}

fn link(from: u32, to: u32) -> FaultAt {
    FaultAt::Link(FailedLink::Between(from, to))
}

fn with_faults(machine: Machine, rows: &[(u64, u32, u32, u32)], faults: &[Fault]) -> Spec {
    Spec { faults: faults.to_vec(), ..spec(machine, message_list(rows), Mode::Full) }
}

fn run(machine: Machine, rows: &[(u64, u32, u32, u32)], faults: &[Fault]) -> Run {
    let mut run = Run::with(&with_faults(machine, rows, faults));
    run.finish();
    run
}

/// When each packet was delivered.
fn delivered(machine: Machine, rows: &[(u64, u32, u32, u32)], faults: &[Fault]) -> Vec<u64> {
    run(machine, rows, faults).data().iter().map(|packet| packet.delivered).collect()
}

/// From node 0 to node 2, over both links of a row.
const ONE: [(u64, u32, u32, u32); 1] = [(0, 0, 2, 32)];

#[test]
fn a_packet_on_a_link_that_fails_is_sent_again_when_it_is_repaired() {
    for queueing in QUEUEINGS {
        // It is on the first link from H on; its tail would leave that at H + D.
        let faults = [fault(link(0, 1), (1_000_000, 5_000_000), 0)];
        let run = run(row(Switching::CutThrough, queueing), &ONE, &faults);
        let again = 5_000_000;
        assert_eq!(run.data()[0].delivered, again + 2 * H + D, "{queueing:?}");
        // The link was busy with it in vain until it failed.
        let busy: u64 = run.simulation.channels_used().iter().map(|used| used.busy_ps).sum();
        assert_eq!(busy, 4 * D + (1_000_000 - H));
        let counted = run.simulation.counters();
        let by_kind =
            [counted.busy_injection_ps, counted.busy_internal_ps, counted.busy_ejection_ps];
        assert_eq!(by_kind.iter().sum::<u64>(), busy, "{queueing:?}");
        // Stored and forwarded: from one link to the next when all of it is there.
        let stored = row(Switching::StoreAndForward, queueing);
        let found = delivered(stored, &ONE, &[fault(link(1, 2), (2 * D + 1, 9 * D), 0)]);
        assert_eq!(found, [9 * D + 2 * D], "{queueing:?}");
    }
}

#[test]
fn a_link_that_fails_behind_the_tail_or_is_repaired_before_costs_nothing() {
    for queueing in QUEUEINGS {
        let machine = || row(Switching::CutThrough, queueing);
        for span in [(H + D, 9 * D), (0, H), (H / 2, H)] {
            let found = delivered(machine(), &ONE, &[fault(link(0, 1), span, 0)]);
            assert_eq!(found, [3 * H + D], "{queueing:?} {span:?}");
        }
        // It fails at the tick at which the packet would start, or is repaired one later.
        let found = delivered(machine(), &ONE, &[fault(link(0, 1), (H, 7 * H), 0)]);
        assert_eq!(found, [7 * H + 2 * H + D]);
        let found = delivered(machine(), &ONE, &[fault(link(0, 1), (0, H + 1), 0)]);
        assert_eq!(found, [H + 1 + 2 * H + D]);
        // One tick before the tail has left it.
        let found = delivered(machine(), &ONE, &[fault(link(0, 1), (H + D - 1, 9 * D), 0)]);
        assert_eq!(found, [9 * D + 2 * H + D]);
    }
}

#[test]
fn a_link_that_fails_again_and_again_sends_once_there_is_time() {
    let flaps: Vec<Fault> =
        (0..4).map(|n| fault(link(0, 1), (n * 2 * D, n * 2 * D + D + 1), 0)).collect();
    // Between two faults it is up for less than a packet takes; after the last for ever.
    for queueing in QUEUEINGS {
        let found = delivered(row(Switching::CutThrough, queueing), &ONE, &flaps);
        assert_eq!(found, [7 * D + 1 + 2 * H + D], "{queueing:?}");
    }
}

#[test]
fn packets_behind_wait_and_go_on_in_their_order() {
    for queueing in QUEUEINGS {
        let rows = [(0, 0, 2, 32), (0, 0, 2, 32), (0, 1, 2, 32)];
        let faults = [fault(link(0, 1), (1_000_000, 5_000_000), 0)];
        let found = delivered(row(Switching::CutThrough, queueing), &rows, &faults);
        // That of node 1 is gone by then.
        let again = 5_000_000;
        assert_eq!(found, [again + 2 * H + D, again + D + 2 * H + D, 2 * H + D], "{queueing:?}");
    }
}

#[test]
fn at_half_the_rate_a_packet_takes_twice_as_long() {
    let half = [fault(link(0, 1), (0, 100 * D), 500_000)];
    for queueing in QUEUEINGS {
        let stored = delivered(row(Switching::StoreAndForward, queueing), &ONE, &half);
        assert_eq!(stored, [D + 2 * D + D + D], "{queueing:?}");
        // The last data token leaves the slow link 80 ns before the end, and takes 100 ns on the next,
        // where the end token takes 40: the tail leaves that link 60 ns later than the slow one.
        let through = delivered(row(Switching::CutThrough, queueing), &ONE, &half);
        assert_eq!(through, [H + 2 * D + 60_000 + H], "{queueing:?}");
        // What has begun goes on as it was.
        let later = [fault(link(0, 1), (H + 1, 100 * D), 500_000)];
        assert_eq!(delivered(row(Switching::CutThrough, queueing), &ONE, &later), [3 * H + D]);
    }
}

#[test]
fn links_of_nodes_and_switches_fail_too() {
    for queueing in QUEUEINGS {
        for (at, begins) in [
            (FaultAt::Node(0), 0),
            (FaultAt::Node(2), 3 * H),
            (FaultAt::Switch(0), 0),
            (FaultAt::Switch(1), H),
            (FaultAt::Switch(2), 2 * H),
        ] {
            let machine = row(Switching::CutThrough, queueing);
            let found = delivered(machine, &ONE, &[fault(at, (0, 5 * D), 0)]);
            assert_eq!(found, [5 * D + (3 * H - begins) + D], "{queueing:?} {at:?}");
        }
    }
}

/// Two leaves with two nodes each, and two switches above them.
#[test]
fn a_packet_with_a_choice_avoids_the_link_at_once() {
    let tree = |queueing| {
        let topology = TopologySpec::FatTree { arity: 2, levels: 2 };
        let mut machine = machine(topology, Switching::CutThrough, queueing);
        machine.routing.algorithm = RoutingSpec::NearestCommonAncestor { adaptive: true };
        machine
    };
    // The link from the first leaf to one of the two, whose port 0 it is at.
    let up = |switch| FaultAt::Link(FailedLink::At { switch, port: 0 });
    let rows = [(0, 0, 3, 32)];
    for queueing in QUEUEINGS {
        for switch in [0, 1] {
            let found = delivered(tree(queueing), &rows, &[fault(up(switch), (0, 9 * D), 0)]);
            assert_eq!(found, [3 * H + D], "{queueing:?}, switch {switch}");
        }
    }
    // Which of the two it takes is the lower one; there it is cut off, and goes by the other.
    let cut_off = [fault(up(0), (D, 9 * D), 0)];
    assert_eq!(delivered(tree(Queueing::Fifo), &rows, &cut_off), [D + 2 * H + D]);
    // It has joined the queue of the output.
    for queueing in [Queueing::Voq, Queueing::Output] {
        assert_eq!(delivered(tree(queueing), &rows, &cut_off), [9 * D + 2 * H + D]);
    }
}

#[test]
fn what_a_fault_costs_is_charged_to_nobody_at_its_link() {
    for queueing in QUEUEINGS {
        let rows = [(0, 0, 2, 32), (0, 0, 2, 32)];
        let faults = [fault(link(0, 1), (1_000_000, 5_000_000), 0)];
        let described = with_faults(row(Switching::CutThrough, queueing), &rows, &faults);
        let blame = Some(Blame::default());
        let mut run = Run::with(&Spec { lateness: true, blame, ..described });
        run.finish();
        let late = run.simulation.take_late();
        let channel = late[0].charges[0].channel;
        let place = run.simulation.layout().group(channel).from;
        assert_eq!((place, late[0].charges.len()), (0, 1), "{queueing:?}");
        let charge = late[0].charges[0];
        assert_eq!((charge.kind, charge.culprit), (Kind::Fault, u32::MAX), "{queueing:?}");
        assert_eq!((charge.waited, charge.late), (5_000_000 - H, 5_000_000 - H));
        // The second waits for the link as long as that is down, and then for the first.
        let of_fault = late[1].charges.iter().filter(|charge| charge.kind == Kind::Fault);
        assert!(of_fault.map(|charge| charge.late).sum::<u64>() > 0, "{queueing:?}");
        let whole: u64 = late[1].charges.iter().map(|charge| charge.late).sum();
        let latency = late[1].span.1 - late[1].span.0;
        assert_eq!(whole, latency - late[1].alone, "{queueing:?}");
    }
}

#[test]
fn a_slower_link_is_charged_too() {
    let half = [fault(link(0, 1), (0, 100 * D), 500_000)];
    let described = with_faults(row(Switching::StoreAndForward, Queueing::Output), &ONE, &half);
    let mut run = Run::with(&Spec { lateness: true, blame: Some(Blame::default()), ..described });
    run.finish();
    let late = run.simulation.take_late();
    let charges = &late[0].charges;
    assert_eq!((charges.len(), charges[0].kind, charges[0].late), (1, Kind::Fault, D));
}

/// Link delay of rows in which bits are damaged.
const W: u64 = 30_000;

/// A row with longer links; one packet over both; the first link damages nine packets of ten.
fn damaging(queueing: Queueing, seed: u64, (from_ps, until_ps): (u64, u64), width: u32) -> Spec {
    let mut machine = row(Switching::CutThrough, queueing);
    machine.link.delay_ps = W;
    machine.link.width = width;
    let bits = 8 * u64::from(machine.interface.header_bytes + machine.interface.packet_bytes + 1);
    let rate = (1e18 * -libm::expm1(libm::log1p(-0.89) / bits as f64)) as u64;
    let usual = fault(link(0, 1), (from_ps, until_ps), 1_000_000);
    let faults = [Fault { bit_errors: Some(rate), ..usual }];
    Spec { seed, ..with_faults(machine, &ONE, &faults) }
}

fn all_delivered(described: &Spec) -> Vec<u64> {
    let mut run = Run::with(described);
    run.finish();
    run.data().iter().map(|packet| packet.delivered).collect()
}

#[test]
fn a_damaged_packet_is_sent_again_after_a_round_trip_of_its_link() {
    let start = H + W;
    let (clean, again) = (start + 2 * (H + W) + D + W, D + 2 * W);
    for queueing in QUEUEINGS {
        // The fault is over before the packet is sent for the second time.
        let damaged = (0..200).filter(|&seed| {
            let found = all_delivered(&damaging(queueing, seed, (0, start + 1), 1));
            assert!(found == [clean] || found == [clean + again], "{queueing:?}, seed {seed}");
            found != [clean]
        });
        let count = damaged.count();
        assert!((160..195).contains(&count), "{queueing:?}: {count} of 200");
        // It lasts: each time anew.
        let tries = |seed| {
            let found = all_delivered(&damaging(queueing, seed, (0, u64::MAX / 2), 1))[0] - clean;
            assert_eq!(found % again, 0);
            found / again
        };
        let mean = (0..200).map(tries).sum::<u64>() / 20;
        assert!((60..110).contains(&mean), "{queueing:?}: {mean} tenths of 81 / 10");
        // What is sent after the fault is not damaged.
        assert_eq!(all_delivered(&damaging(queueing, 1, (0, start), 1)), [clean]);
    }
}

#[test]
fn a_packet_that_is_sent_in_vain_does_not_start_on_a_second_channel_meanwhile() {
    let start = H + W;
    let retried = start + D + 2 * W + 2 * (H + W) + D + W;
    for queueing in QUEUEINGS {
        let mut count = 0;
        for seed in 0..40 {
            let mut described = damaging(queueing, seed, (0, start + 1), 2);
            if all_delivered(&described) != [retried] {
                continue;
            }
            count += 1;
            // Another packet comes to the same output while it is being sent.
            described.workload = message_list(&[(0, 0, 2, 32), (2 * H, 0, 2, 32)]);
            assert_eq!(all_delivered(&described)[0], retried, "{queueing:?}, seed {seed}");
        }
        assert!(count > 20, "{queueing:?}: {count} of 40");
    }
}

#[test]
fn what_a_damaged_packet_costs_is_charged_to_its_link() {
    for queueing in QUEUEINGS {
        let described = damaging(queueing, 1, (0, u64::MAX / 2), 1);
        let mut run =
            Run::with(&Spec { lateness: true, blame: Some(Blame::default()), ..described });
        run.finish();
        let late = run.simulation.take_late();
        let charges = &late[0].charges;
        assert_eq!(charges.len(), 1, "{queueing:?}");
        assert_eq!((charges[0].kind, charges[0].culprit), (Kind::Fault, u32::MAX), "{queueing:?}");
        assert_eq!(charges[0].late, late[0].span.1 - late[0].span.0 - late[0].alone);
        assert!(charges[0].late > 0 && charges[0].late.is_multiple_of(D + 2 * W));
    }
}

#[test]
fn what_cannot_have_faults_is_refused_in_one_line() {
    let at = [fault(link(0, 1), (0, 5), 0)];
    let described = || with_faults(row(Switching::CutThrough, Queueing::Fifo), &ONE, &at);
    let flit_by_flit = || {
        let mut spec = Spec { fidelity: Fidelity::Flit, ..described() };
        spec.machine.link.flow_control = FlowControl::OutOfBand;
        spec.machine.link.end_token = false;
        spec.machine.switch.switching = Switching::Wormhole;
        spec
    };
    let refused = |spec: Spec| Simulation::new(&spec).err().map(|error| error.to_string());
    for (spec, expected) in [
        (Spec { mode: Mode::Free, ..described() }, "fault = 1: must be left out with modes other"),
        (Spec { mode: Mode::Endpoints, ..described() }, "left out with modes other than full"),
        (flit_by_flit(), "must be left out with kernel slots"),
        (
            Spec { faults: vec![fault(link(0, 2), (0, 5), 0)], ..described() },
            "fault[0].link = switch 0 to switch 2: must be a link that is there",
        ),
        (
            Spec {
                faults: vec![Fault { bit_errors: Some(10_u64.pow(16)), ..at[0] }],
                ..described()
            },
            "fault[0].bit_error_rate = 0.01: must be at most 8.7e-3: of packets of 32 B more than 90 %",
        ),
        (
            Spec { faults: vec![Fault { time_factor: Some(2_000_000), ..at[0] }], ..described() },
            "fault[0].time_factor = 2000000: must be left out: needs node",
        ),
        (
            Spec { faults: vec![fault(FaultAt::Node(3), (0, 5), 0)], ..described() },
            "fault[0].node = 3: must be a node from 0 to 2",
        ),
        (
            Spec { faults: vec![fault(link(0, 1), (5, 5), 0)], ..described() },
            "fault[0].duration = 0: must be above 0",
        ),
    ] {
        let error = refused(spec).unwrap_or_default();
        assert!(error.contains(expected), "{error}");
    }
}
