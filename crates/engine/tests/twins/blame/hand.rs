//! Cases worked out by hand.
//!
//! T9000 links: 100 ns for each header or data byte, 40 ns for the end token: 3340 ns for a
//! packet of 32 data bytes, 940 ns for one of 8. A line of switches with links of width 1:
//! channels are the nodes' injections, then 0→1, 1→0, 1→2, 2→1, …, then the ejections.

use super::to_the_end;
use crate::common::{message_list, packet_waits, spec};
use tailback_engine::measure::blame::{Cause, Charge, Charged};
use tailback_engine::spec::{Blame, Fidelity, FlowControl, Machine, Mode, Spec, TopologySpec};

const NS: u64 = 1_000;

/// Messages (time in ns, source, destination, bytes) on a line of switches.
fn line(switches: u32, buffer: u32, rows: &[(u64, u32, u32, u32)]) -> Spec {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![switches] });
    machine.set_node_link(|class| class.width = Some(1));
    machine.interface.acknowledges = false;
    machine.switch.input_buffer_flits = Some(buffer);
    let rows: Vec<_> = rows.iter().map(|&(t, a, b, n)| (t * NS, a, b, n)).collect();
    let blame = Some(packet_waits());
    Spec { blame, ..spec(machine, message_list(&rows), Mode::Full) }
}

/// The channel from switch `from` to the next one of a line.
fn onward(switches: u32, from: u32) -> u32 {
    switches + 2 * from
}

/// (channel, cause, culprit, ns).
type Row = (u32, Cause, u32, u64);

fn row(c: &Charge) -> Row {
    (c.channel.0, c.cause, c.culprit, c.time / NS)
}

fn rows(charged: &Charged) -> Vec<Row> {
    charged.charges.iter().map(row).collect()
}

/// In packet and in worm: with enough room they are the same.
fn both(spec: &Spec) -> Vec<Vec<Row>> {
    let (_, packets) = to_the_end(spec);
    let whole: Vec<_> = packets.iter().map(rows).collect();
    for fidelity in [Fidelity::Worm, Fidelity::Flit] {
        let mut other = Spec { fidelity, ..spec.clone() };
        other.machine.link.flow_control = FlowControl::OutOfBand;
        let (_, packets) = to_the_end(&other);
        assert_eq!(packets.iter().map(rows).collect::<Vec<_>>(), whole, "{fidelity:?}");
    }
    whole
}

/// The first holds 1→2 from 200 to 3540 ns; the second asks for it at 1100 ns.
#[test]
fn two_packets_and_one_output() {
    let channel = onward(3, 1);
    let rows = both(&line(3, 70, &[(0, 0, 2, 32), (1000, 1, 2, 32)]));
    assert_eq!(rows, [vec![], vec![(channel, Cause::OutputBusy, 0, 2440)]]);
}

/// Node 1's first packet holds 1→2 until 3440 ns, when its second asks: node 0's packet,
/// which has waited since 200 ns, is granted it.
#[test]
fn the_earlier_request_wins() {
    let channel = onward(3, 1);
    let rows = both(&line(3, 70, &[(0, 1, 2, 32), (0, 1, 2, 32), (0, 0, 2, 32)]));
    assert_eq!(rows[0], []);
    let arbitration = (channel, Cause::Arbitration, 0, 3340);
    assert_eq!(rows[1], [(1, Cause::Throttling, 1, 3340), arbitration]);
    assert_eq!(rows[2], [(channel, Cause::OutputBusy, 1, 3240)]);
}

/// Node 0's first packet waits at switch 1 from 200 to 3440 ns; its second, for node 1
/// itself, is there at 3540 ns and stands behind the first until that has left, at 6780 ns.
#[test]
fn a_packet_stands_behind_another_that_goes_elsewhere() {
    let (first, second, ejection) = (onward(3, 0), onward(3, 1), 3 + 4 + 1);
    let rows = both(&line(3, 70, &[(0, 1, 2, 32), (0, 0, 2, 32), (0, 0, 1, 32)]));
    assert_eq!(rows[1], [(second, Cause::OutputBusy, 1, 3240)]);
    let behind = (ejection, Cause::HeadOfLine, 0, 3240);
    assert_eq!(rows[2], [(0, Cause::Throttling, 0, 3340), behind]);
    assert_eq!(first, 3);
}

/// A chain of three. Node 2's packet holds 2→3 from 100 to 3440 ns. Node 1's short one
/// (10 tokens) waits for it at switch 2, then for room at switch 3, which node 2's leaves
/// until 3540 ns, and leaves switch 2 from then to 4480 ns. Node 0's (34 tokens) asks for
/// 1→2 at 1200 ns, is granted it, and finds no room for all of it in a buffer of 40 until
/// 4480 ns: for that node 2's packet is to blame.
#[test]
fn a_full_buffer_is_charged_to_who_does_not_wait() {
    let (full, last) = (onward(4, 1), onward(4, 2));
    let (_, packets) = to_the_end(&line(4, 40, &[(0, 2, 3, 32), (0, 1, 3, 8), (1000, 0, 2, 32)]));
    assert_eq!(rows(&packets[0]), []);
    let room = (last, Cause::BufferFull, 2, 100);
    assert_eq!(rows(&packets[1]), [(last, Cause::OutputBusy, 2, 3240), room]);
    assert_eq!(rows(&packets[2]), [(full, Cause::BufferFull, 2, 3280)]);
}

/// The same with one more behind: node 1's second packet asks for 1→2 while node 0's keeps
/// it waiting for room: it waits for that one.
#[test]
fn who_waits_for_one_that_waits_for_room_is_charged_to_that_one() {
    let full = onward(4, 1);
    let list = [(0, 2, 3, 32), (0, 1, 3, 8), (1000, 0, 2, 32), (1400, 1, 2, 8)];
    let (_, packets) = to_the_end(&line(4, 40, &list));
    assert_eq!(rows(&packets[2]), [(full, Cause::BufferFull, 2, 3280)]);
    // From 1500 ns until node 0's packet has been sent, 3340 ns after 4480.
    let [busy, ..] = rows(&packets[3])[..] else { panic!() };
    assert_eq!(busy, (full, Cause::OutputBusy, 0, 7820 - 1500));
}

/// Classes of processes and of messages; an acknowledgement has that of its message.
#[test]
fn classes_are_those_of_messages() {
    let mut spec = line(3, 70, &[(0, 0, 2, 32), (1000, 1, 2, 32)]);
    spec.machine.interface.acknowledges = true;
    let classes = |spec: &Spec| {
        let (_, packets) = to_the_end(spec);
        packets.iter().map(|one| one.class).collect::<Vec<_>>()
    };
    assert_eq!(classes(&spec), [0, 0, 1, 1]);
    spec.blame = Some(Blame { classes: vec![7, 9, 8], ..packet_waits() });
    assert_eq!(classes(&spec), [7, 7, 9, 9]);
    spec.blame = Some(Blame { message_classes: vec![3, 4], ..packet_waits() });
    assert_eq!(classes(&spec), [3, 3, 4, 4]);
    spec.blame = Some(Blame { classes: vec![7], ..packet_waits() });
    let error = tailback_engine::Simulation::new(&spec).err().unwrap();
    assert_eq!(error.to_string(), "blame.classes = 1: must be one for each process: 3");
}
