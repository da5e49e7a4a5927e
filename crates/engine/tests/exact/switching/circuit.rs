//! Circuits of all channels from node to node, worked out on paper.

use super::{alone, of_two_rates, row, run, times};
use crate::common::parts::{rate, set_node_rate, set_rates};
use crate::common::{Run, message_list, packet_waits, spec};
use tailback_engine::Simulation;
use tailback_engine::error::RunError;
use tailback_engine::ids::ChannelId;
use tailback_engine::measure::blame::Cause;
use tailback_engine::spec::*;

/// Time, source, destination, bytes.
type Rows<'a> = &'a [(u64, u32, u32, u32)];

fn circuits(mut machine: Machine) -> Machine {
    machine.switch.switching = Switching::Circuit;
    machine
}

/// Wires take 5 ps, switches 3 ps: a header asks 18 ps after it has got a channel.
fn with_delays(switches: u32) -> Machine {
    let mut machine = circuits(row(switches));
    (machine.link.delay_ps, machine.switch.delay_ps) = (5, 3);
    machine
}

fn run_rows(machine: &Machine, rows: Rows, mode: Mode) -> Run {
    run(&spec(machine.clone(), message_list(rows), mode))
}

/// How long the channel from one switch to another was held, and what was waited for it before
/// the first channel between switches and later.
fn channel(run: &Run, from: u32, to: u32) -> (u64, u64, u64) {
    let simulation = &run.simulation;
    let is_it = |&channel: &u32| {
        let place = simulation.layout().place(ChannelId(channel));
        (place.from, place.to) == ((true, from), (true, to))
    };
    let channel = (0..simulation.layout().channels() as u32).find(is_it).unwrap() as usize;
    let tally = &simulation.measures().channels[channel];
    let busy = simulation.channels_used()[channel].busy_ps;
    (busy, tally.wait_throttling_ps, tally.wait_internal_ps)
}

#[test]
fn data_follow_when_the_header_is_there() {
    // Channels at 0, 18, 36 and 54, the header at 69; then nine flits, four wires, three switches.
    assert_eq!(alone(&with_delays(3), Fidelity::Packet, (0, 2, 9)), (18, 69 + 90 + 4 * 5 + 3 * 3));
    // Without data and without an end token the way is all that is left.
    let empty = run_rows(&with_delays(3), &[(0, 0, 2, 0)], Mode::Full);
    assert_eq!(times(&empty), [(18, 69 + 29)]);
}

#[test]
fn a_circuit_is_as_fast_as_its_slowest_link() {
    // Header 10, 4 and 10 ps; data 10 ps a flit.
    let machine = circuits(of_two_rates(10, 4));
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (10, 24 + 90));
    let mut machine = circuits(of_two_rates(4, 10));
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (4, 18 + 90));
    // The slowest end token counts, wherever that is.
    machine.link.end_token = true;
    set_node_rate(&mut machine, rate(10, 1));
    set_rates(&mut machine, [rate(4, 3)]);
    assert_eq!(alone(&machine, Fidelity::Packet, (0, 1, 9)), (10, 24 + 90 + 3));
}

/// Both ask for the link from switch 1 to switch 2, node 1 at 18 and node 0 at 36.
#[test]
fn who_asks_later_keeps_what_it_has_until_the_first_is_there() {
    let rows = [(0, 0, 2, 9), (0, 1, 2, 9)];
    let run = run_rows(&with_delays(3), &rows, Mode::Full);
    // The second: 18, 36, the header at 51, then 90 and three channels of delay.
    let second = 51 + 90 + 3 * 5 + 2 * 3;
    // The first has the last two channels from then, and 18 later.
    let first = second + 18 + 15 + 90 + 29;
    assert_eq!(times(&run), [(18, first), (18, second)]);
    assert_eq!(channel(&run, 0, 1), (first - 18, 0, 0));
    assert_eq!(channel(&run, 1, 2), (first - 18, 0, second - 36));
    let data = run.simulation.counters().packets[0];
    assert_eq!((data.wait_throttling_ps, data.wait_internal_ps), (0, second - 36));
}

/// The same with links between switches that both can have: they wait for the node's.
#[test]
fn in_mode_endpoints_circuits_wait_for_the_links_of_nodes_only() {
    let rows = [(0, 0, 2, 9), (0, 1, 2, 9)];
    let run = run_rows(&with_delays(3), &rows, Mode::Endpoints);
    let first = 162 + 15 + 90 + 29;
    assert_eq!(times(&run), [(18, first), (18, 162)]);
    assert_eq!(channel(&run, 1, 2), (first - 36 + 162 - 18, 0, 0));
    // At its source the second of a node waits until the first is there.
    let run = run_rows(&with_delays(3), &[(0, 0, 1, 9), (0, 0, 1, 9)], Mode::Endpoints);
    assert_eq!(times(&run), [(18, 162), (162 + 18, 2 * 162)]);
}

#[test]
fn packets_of_a_message_follow_one_another() {
    let mut machine = circuits(row(2));
    machine.interface.packet_bytes = 4;
    let modes = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
    // Undisturbed 0, 10, 20, the header at 30, then four flits; the next has its channels then.
    for window in [None, Some(1), Some(2)] {
        machine.interface.window = window;
        for mode in modes {
            let run = run_rows(&machine, &[(0, 0, 1, 12)], mode);
            assert_eq!(times(&run), [(10, 70), (80, 140), (150, 210)], "{window:?} {mode:?}");
        }
    }
    // Over two wires of its node the second stands at the switch, the third behind the first.
    machine.set_node_link(|node| node.width = Some(2));
    machine.interface.window = None;
    let full = run_rows(&machine, &[(0, 0, 1, 12)], Mode::Full);
    assert_eq!(times(&full), [(10, 70), (70, 130), (130, 190)]);
    // Alone it has the same wires, and one channel to its destination.
    let free = run_rows(&machine, &[(0, 0, 1, 12)], Mode::Free);
    assert_eq!(times(&free), times(&full));
}

/// The node notices a packet when its header is there, and its answer makes a circuit back.
#[test]
fn acknowledgements_are_circuits_too() {
    let mut machine = circuits(row(2));
    machine.interface.packet_bytes = 4;
    machine.interface.acknowledges = true;
    let run = run_rows(&machine, &[(0, 0, 1, 8)], Mode::Full);
    let acks: Vec<_> = run.acks().iter().map(|row| (row.queued, row.delivered)).collect();
    // The second can be sent from 60 on, when the link is still the first's.
    assert_eq!(times(&run), [(10, 70), (80, 140)]);
    assert_eq!(acks, [(30, 60), (100, 130)]);
    assert_eq!(run.data()[1].queued, 60);
}

/// The link to node 0 is busy until 320; data ask for it at 10, the answer of node 3 at 30.
#[test]
fn acknowledgements_may_come_first_at_switches() {
    let mut machine = circuits(row(1));
    machine.topology = TopologySpec::Star { nodes: 4 };
    machine.interface.acknowledges = true;
    let rows = [(0, 1, 0, 30), (0, 2, 0, 3), (0, 0, 3, 3)];
    let delivered = |machine: &Machine| {
        let run = run_rows(machine, &rows, Mode::Full);
        let answer = run.acks().into_iter().find(|row| row.source == 3).unwrap();
        (run.data()[0].delivered, run.data()[1].delivered, answer.delivered)
    };
    assert_eq!(delivered(&machine), (320, 320 + 40, 360 + 10));
    machine.switch.ack_priority = true;
    assert_eq!(delivered(&machine), (320, 330 + 40, 320 + 10));
}

/// Everybody holds a link of the ring and asks for that of the next.
fn round(machine: &Machine) -> Result<(), RunError> {
    let rows: Vec<_> = (0..5).map(|node| (0, node, (node + 2) % 5, 9)).collect();
    let machine = machine.clone();
    let mut simulation = Simulation::new(&spec(machine, message_list(&rows), Mode::Full)).unwrap();
    simulation.advance(u64::MAX, u64::MAX).map(|_| ())
}

#[test]
fn circuits_that_wait_in_a_circle_say_so() {
    let mut machine = circuits(row(1));
    machine.topology = TopologySpec::Torus { dims: vec![5] };
    let refused = Simulation::new(&spec(machine.clone(), message_list(&[]), Mode::Full));
    assert!(refused.err().unwrap().to_string().contains("deadlock"));
    machine.routing.allow_deadlock = true;
    let Err(RunError::Deadlock { circle, .. }) = round(&machine) else { panic!("it went on") };
    assert_eq!(circle.len(), 5);
    for blocked in &circle {
        // From its node and over one link, and it asks for the next.
        assert_eq!(blocked.holds.len(), 2, "{blocked:?}");
        assert_eq!(blocked.waits_for.from.1, (blocked.source + 1) % 5);
        assert!(blocked.held_by.is_some());
    }
    machine.routing.allow_deadlock = false;
    machine.switch.virtual_channels = 2;
    machine.link.sharing = Sharing::Separate;
    assert_eq!(round(&machine), Ok(()));
}

/// Cause, culprit and time.
type Charge = (Cause, u32, u64);

/// What each message is charged.
fn charges(machine: &Machine, rows: Rows) -> Vec<Vec<Charge>> {
    let mut spec = spec(machine.clone(), message_list(rows), Mode::Full);
    let message_classes = (0..rows.len() as u32).collect();
    spec.blame = Some(Blame { message_classes, ..packet_waits() });
    let mut simulation = Simulation::new(&spec).unwrap();
    simulation.advance(u64::MAX, u64::MAX).unwrap();
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|one| one.class);
    let of = |charge: &tailback_engine::measure::blame::Charge| {
        (charge.cause, charge.culprit, charge.time)
    };
    charged.iter().map(|one| one.charges.iter().map(of).collect()).collect()
}

#[test]
fn who_has_the_circuit_in_the_way_is_charged() {
    let rows = [
        (0, 1, 2, 9),  // 18, 36, there at 162
        (0, 0, 2, 9),  // has 0 to 1 from 18, waits for 1 to 2 from 36 to 162, there at 314
        (50, 0, 1, 9), // waits in its node, behind the second, which waits for the first
        (60, 0, 1, 9), // and behind the third, which is there 162 later
    ];
    let charged = charges(&with_delays(3), &rows);
    assert_eq!(charged[0], []);
    assert_eq!(charged[1], [(Cause::OutputBusy, 0, 162 - 36)]);
    assert_eq!(charged[2], [(Cause::Throttling, 1, 314 - 50)]);
    let third = (Cause::Throttling, 2, 162);
    assert_eq!(charged[3], [(Cause::Throttling, 1, 314 - 60), third]);
}
