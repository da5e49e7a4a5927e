//! Programs worked out by hand.

use super::{causes, part, with_causes};
use crate::common::{MICROSECOND as US, Run, program, spec};
use tailback_engine::ids::ChannelId;
use tailback_engine::measure::ChannelKind;
use tailback_engine::measure::blame::Cause;
use tailback_engine::measure::causes::{Doing, Kind, Part, Who};
use tailback_engine::spec::*;
use tailback_engine::time::NEVER;
use tailback_engine::{PacketRow, Progress, Simulation};

/// Nodes in a row that do not acknowledge messages.
fn row(nodes: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![nodes] });
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine
}

fn compute(time: u64) -> Step {
    Step::Compute { duration: Distribution::constant(time) }
}

fn send(process: u32, socket: u32) -> Step {
    Step::Send { process, socket, bytes: 32, blocking: false }
}

fn receive(socket: u32) -> Step {
    Step::Receive { socket: Some(socket) }
}

fn process(node: u32, sockets: &[u32], steps: Vec<Step>) -> ProcessProgram {
    let sockets = sockets.iter().map(|&peer| Some(peer)).collect();
    ProcessProgram { node, start_ps: 0, start_window_ps: 0, repeat: Some(1), sockets, steps }
}

fn finished(spec: &Spec) -> (Simulation, Vec<PacketRow>) {
    let mut simulation = with_causes(spec);
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| row.message);
    (simulation, rows)
}

/// 0 and 1 compute for 10 us and send to 2, which computes for 5 us when both have come. The
/// message of 0 comes to the switch of 1 when that of 1 has just begun to leave it.
fn two_for_one_channel() -> Spec {
    let processes = vec![
        process(0, &[], vec![compute(10 * US), send(2, 0)]),
        process(1, &[], vec![compute(10 * US), send(2, 1)]),
        process(2, &[0, 1], vec![receive(0), receive(1), compute(5 * US)]),
    ];
    spec(row(3), program(processes), Mode::Full)
}

#[test]
fn three_ranks() {
    let spec = two_for_one_channel();
    let (simulation, rows) = finished(&spec);
    let link = Run::with(&spec).link;
    let alone = link.zero_load_lifetime(rows[0].hops, 32);
    // The packet of 1 starts on the common channel a hop after 10 us, that of 0 after two: it
    // waits until the first has left, but for what it takes to get there.
    let wait = link.packet_ps(32) - link.hop_ps;
    let came = 10 * US + wait + alone;
    assert_eq!(rows[0].delivered, came);
    let causes = causes(&simulation);
    assert_eq!(causes.makespan(), came + 5 * US);
    let path = causes.path();
    let told: Vec<_> =
        path.iter().map(|step| (step.kind, step.part, step.process.0, step.time)).collect();
    assert_eq!(
        told,
        [
            (Kind::Computed, Part::Computing, 0, 10 * US),
            (Kind::Message, Part::Network, 2, wait),
            (Kind::Message, Part::Own, 2, alone),
            (Kind::Computed, Part::Computing, 2, 5 * US),
        ]
    );
    let blamed = path[1].blamed.unwrap();
    let Who { class, process, message, call } = blamed.culprit;
    assert_eq!((class, process, message, call), (1, 1, 1, 1));
    assert_eq!((path[1].peer.0, path[1].message, path[1].call), (0, Some(0), 1));
    // 2 waits for 0 until that sends, and then for its message.
    let times = causes.parts(causes.makespan());
    let of = |process: usize, part: Part| times[process][part as usize];
    assert_eq!((of(2, Part::Partner), of(2, Part::Network)), (10 * US, wait));
    assert_eq!((of(2, Part::Own), of(2, Part::Computing)), (alone, 5 * US));
    assert_eq!(of(0, Part::Idle), wait + alone + 5 * US);
    // The message of 1 might have come when that of 0 did.
    let slack = causes.slack().unwrap();
    let least: Vec<_> = slack.iter().map(|slack| slack.least).collect();
    assert_eq!(least, [0, came - rows[1].delivered, 0]);
    assert_eq!((slack[0].of_end, slack[2].of_end), (0, 0));
}

#[test]
fn what_timelines_show_of_three_ranks() {
    let (simulation, rows) = finished(&two_for_one_channel());
    let shown = causes(&simulation).rows.as_ref().unwrap();
    let came = rows[0].delivered;
    let told: Vec<_> = shown
        .activities
        .iter()
        .map(|row| (row.process.0, row.doing, row.begin, row.end, row.message))
        .collect();
    assert_eq!(
        told,
        [
            (0, Doing::Computes, 0, 10 * US, None),
            (1, Doing::Computes, 0, 10 * US, None),
            (2, Doing::WaitsReceived, 0, came, Some(0)),
            (2, Doing::Computes, came, came + 5 * US, None),
        ]
    );
    let messages: Vec<_> = shown
        .transfers
        .iter()
        .map(|row| (row.message.from.0, row.sent, row.left, row.arrived, row.received))
        .collect();
    let first = |row: usize| (rows[row].first_sent, rows[row].delivered);
    let ((left, arrived), (left_1, arrived_1)) = (first(0), first(1));
    // That of 1 is received when 2 asks for it.
    let expected = [(0, 10 * US, left, arrived, arrived), (1, 10 * US, left_1, arrived_1, came)];
    assert_eq!(messages, expected);
}

/// Both messages take the channel from 1 to 2 and that to the node of 2: that of 1 first.
#[test]
fn who_held_the_common_channels_when() {
    let spec = two_for_one_channel();
    let link = Run::with(&spec).link;
    let (takes, hop) = (link.packet_ps(32), link.hop_ps);
    let (simulation, rows) = finished(&spec);
    let measures = simulation.measures();
    let (blame, labels) = (measures.blame.as_ref().unwrap(), measures.labels.as_ref().unwrap());
    let turns = blame.turns(labels, simulation.now()).unwrap();
    assert_eq!(turns.full, NEVER);
    let layout = simulation.layout();
    let at = |channel: ChannelId| {
        let group = layout.group(channel);
        (group.kind, group.from)
    };
    let mut told: Vec<_> = turns
        .holds
        .iter()
        .map(|hold| {
            let (message, sender) = turns.named(hold.label);
            let sender = sender.unwrap();
            assert_eq!((hold.start, hold.busy), (hold.granted, hold.end - hold.granted));
            (at(hold.channel), hold.start, hold.end, message, sender.process.0, sender.to.0)
        })
        .collect();
    told.sort_by_key(|row| (row.1, row.3));
    // They set out at 10 us; that of 0 comes a hop later to the common channel, and waits.
    let (out, first, second) = (10 * US, 10 * US + hop, 10 * US + hop + takes);
    let (inject, cross, eject) =
        (ChannelKind::Injection, ChannelKind::Internal, ChannelKind::Ejection);
    assert_eq!(
        told,
        [
            ((inject, 0), out, out + takes, 0, 0, 2),
            ((inject, 1), out, out + takes, 1, 1, 2),
            ((cross, 0), first, first + takes, 0, 0, 2),
            ((cross, 1), first, first + takes, 1, 1, 2),
            ((eject, 2), first + hop, first + hop + takes, 1, 1, 2),
            ((cross, 1), second, second + takes, 0, 0, 2),
            ((eject, 2), second + hop, second + hop + takes, 0, 0, 2),
        ]
    );
    let [wait] = turns.waits else { panic!("{:?}", turns.waits) };
    assert_eq!(turns.named(wait.label).0, 0);
    let (begin, charge) = (wait.timed.begin, wait.timed.charge);
    assert_eq!((begin, begin + charge.time), (first + hop, second));
    assert_eq!((at(charge.channel), charge.cause), ((cross, 1), Cause::OutputBusy));
    assert_eq!(turns.named(charge.culprit).0, 1);
    assert_eq!(rows[0].delivered, second + link.zero_load_lifetime(rows[0].hops, 32) - 2 * hop);
}

/// Of a window there is what lies in it, and of some processes what their messages do.
#[test]
fn a_window_has_the_turns_that_lie_in_it() {
    let spec = two_for_one_channel();
    let turns = |window_ps, processes, turns| {
        let timeline = Some(Timeline { window_ps, processes, turns });
        let causes = Some(Causes { slack: false, timeline });
        let mut simulation = Simulation::new(&Spec { causes, ..spec.clone() }).unwrap();
        assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
        let measures = simulation.measures();
        let turns = measures.blame.as_ref()?.turns(measures.labels.as_ref()?, simulation.now())?;
        Some((turns.holds.len(), turns.waits.len(), turns.full != NEVER))
    };
    assert_eq!(turns(None, None, None), None);
    assert_eq!(turns(None, None, Some(100)), Some((7, 1, false)));
    assert_eq!(turns(None, Some((0, 1)), Some(100)), Some((4, 1, false)));
    assert_eq!(turns(None, Some((1, 2)), Some(100)), Some((3, 0, false)));
    assert_eq!(turns(Some((0, 10 * US)), None, Some(100)), Some((0, 0, false)));
    assert_eq!(turns(Some((0, 10 * US + 1)), None, Some(100)), Some((2, 0, false)));
    assert_eq!(turns(None, None, Some(6)), Some((6, 1, true)));
}

/// One process alone: its path is its own time, in any mode.
#[test]
fn one_process_waits_for_nobody() {
    for mode in [Mode::Full, Mode::Free, Mode::Ideal] {
        let steps = vec![compute(3 * US), compute(4 * US)];
        let (simulation, _) = finished(&spec(row(2), program(vec![process(0, &[], steps)]), mode));
        let path = causes(&simulation).path();
        assert_eq!(part(&path, Part::Computing), 7 * US);
        assert_eq!(path.iter().map(|step| step.call).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(causes(&simulation).makespan(), 7 * US);
    }
}

/// A message of several packets waits behind its own: that is serialisation, unless the packets
/// before it waited for others.
#[test]
fn waits_behind_ones_own_packets_are_passed_on() {
    let list = |rows: &[(u64, u32, u32, u32)]| crate::common::message_list(rows);
    let (alone, _) = finished(&spec(row(3), list(&[(0, 0, 2, 320)]), Mode::Full));
    let path = causes(&alone).path();
    assert_eq!(part(&path, Part::Own), causes(&alone).makespan());
    // One packet of 1 is before all but the first few of 0.
    let both = list(&[(0, 0, 2, 320), (US, 1, 2, 32)]);
    let (both, rows) = finished(&spec(row(3), both, Mode::Full));
    let path = causes(&both).path();
    let later = causes(&both).makespan() - causes(&alone).makespan();
    let last = rows.iter().filter(|row| row.message == 0).map(|row| row.delivered).max();
    assert_eq!(last, Some(causes(&both).makespan()));
    let parts = [Part::Source, Part::Destination, Part::Network, Part::Spread];
    let contention: u64 = parts.into_iter().map(|which| part(&path, which)).sum();
    assert!(later > 0 && contention == later, "{later} {path:?}");
    assert!(path.iter().filter_map(|step| step.blamed).all(|blamed| blamed.culprit.process == 1));
}

/// Two processes meet: the path goes on from the one that came last.
#[test]
fn the_last_to_come_is_critical() {
    let price = Price { base_ps: 2_000_000, ..Price::default() };
    let barrier = || Step::Barrier { group: None, method: Some(Method::Price(price)) };
    let processes = vec![
        process(0, &[], vec![compute(3 * US), barrier(), compute(US)]),
        process(1, &[], vec![compute(5 * US), barrier(), compute(US / 2)]),
    ];
    let (simulation, _) = finished(&spec(row(2), program(processes), Mode::Full));
    let causes = causes(&simulation);
    let told: Vec<_> =
        causes.path().iter().map(|step| (step.part, step.process.0, step.time)).collect();
    let expected =
        [(Part::Computing, 1, 5 * US), (Part::Meeting, 0, 2 * US), (Part::Computing, 0, US)];
    assert_eq!(told, expected);
    let slack = causes.slack().unwrap();
    assert_eq!((slack[0].least, slack[1].least, slack[1].of_end), (0, 0, US / 2));
    assert_eq!(causes.parts(8 * US)[0][Part::Partner as usize], 2 * US);
}

/// Where nobody waits for a link, what the path had waited there is saved, if it is all there was.
#[test]
fn a_link_without_contention() {
    let mut spec = two_for_one_channel();
    let (with, _) = finished(&spec);
    let waited = part(&causes(&with).path(), Part::Network);
    spec.machine.uncontended = vec![(2, 1)];
    let (without, _) = finished(&spec);
    assert_eq!(part(&causes(&without).path(), Part::Network), 0);
    assert_eq!(causes(&with).makespan(), causes(&without).makespan() + waited);
    spec.machine.uncontended = vec![(0, 2)];
    let refused = Simulation::new(&spec).err().unwrap().to_string();
    assert!(refused.contains("must be two switches with a link"), "{refused}");
}

/// Node 1's second packet asks for 1→2 while node 0's keeps it waiting for room, which node 2's
/// leaves at 4480 ns; then node 0's is sent. So node 2's is at the root of the first part of the wait.
#[test]
fn what_was_in_the_way_waited_itself() {
    const NS: u64 = 1_000;
    let mut machine = row(4);
    machine.set_node_link(|class| class.width = Some(1));
    machine.switch.input_buffer_flits = Some(40);
    let list = [(0, 2, 3, 32), (0, 1, 3, 8), (1000, 0, 2, 32), (1400, 1, 2, 8)];
    let list: Vec<_> =
        list.iter().map(|&(at, from, to, bytes)| (at * NS, from, to, bytes)).collect();
    let (simulation, _) = finished(&spec(machine, crate::common::message_list(&list), Mode::Full));
    let path = causes(&simulation).path();
    let waits: Vec<_> = path
        .iter()
        .filter_map(|step| step.blamed.map(|blamed| (blamed, step.time / NS)))
        .map(|(blamed, time)| (blamed.culprit.process, time))
        .collect();
    assert_eq!(waits[0].0, 2, "{waits:?}");
    let of = |which: usize| path.iter().filter_map(|step| step.blamed).nth(which).unwrap();
    assert_eq!((of(0).culprit.message, of(0).culprit.class), (0, 2));
}
