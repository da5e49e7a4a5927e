//! Clocked switches worked out by hand.
//!
//! A cycle takes 10 ps; wires take a cycle. A header that a node sends in cycle 0 is at its switch
//! in 2, routed in 2, granted a virtual channel in 3 and the crossbar in 4, and starts in 5. A star of
//! three nodes: channels are the nodes' injections, then the ejections; classes are nodes.

use super::to_the_end;
use crate::common::unit_cycles::{CYCLE, machine, pipeline};
use crate::common::{message_list, spec};
use tailback_engine::measure::blame::{Cause, Charge, Charged};
use tailback_engine::spec::{Fidelity, Machine, Mode, Pipeline, Spec, TopologySpec};

/// Channel, cause, culprit, cycles.
type Row = (u32, Cause, u32, u64);

fn row(charge: &Charge) -> Row {
    let Charge { channel, cause, culprit, time } = *charge;
    (channel.0, cause, culprit, time / CYCLE)
}

/// Messages by cycle, source, destination and flits.
fn packets(machine: Machine, list: &[(u64, u32, u32, u32)]) -> Vec<Charged> {
    let list: Vec<_> = list.iter().map(|&(t, a, b, flits)| (t * CYCLE, a, b, flits - 1)).collect();
    let spec = spec(machine, message_list(&list), Mode::Full);
    to_the_end(&Spec { fidelity: Fidelity::Flit, ..spec }).1
}

/// What they are charged.
fn charged(machine: Machine, list: &[(u64, u32, u32, u32)]) -> Vec<Vec<Row>> {
    let packets = packets(machine, list);
    packets.iter().map(|packet| packet.charges.iter().map(row).collect()).collect()
}

fn star(node_virtual_channels: u32) -> Machine {
    let mut machine = machine(TopologySpec::Star { nodes: 3 }, pipeline());
    machine.switch.node_virtual_channels = node_virtual_channels;
    machine
}

/// The first has the only channel for its four flits; then a cycle is lost.
#[test]
fn who_holds_the_virtual_channel_is_charged() {
    let rows = charged(star(1), &[(0, 0, 2, 4), (0, 1, 2, 4)]);
    assert_eq!(rows, [vec![], vec![(5, Cause::Arbitration, 0, 5)]]);
    let rows = charged(star(1), &[(0, 0, 2, 4), (1, 1, 2, 4)]);
    assert_eq!(rows, [vec![], vec![(5, Cause::OutputBusy, 0, 4)]]);
}

/// Both outputs grant the first, which takes one of them: the second gets the other a cycle later,
/// and from then on they cross in turn.
#[test]
fn who_crosses_the_switch_is_charged() {
    let rows = charged(star(2), &[(0, 0, 2, 4), (0, 1, 2, 4)]);
    let first = vec![(10, Cause::Stretched, 1, 3)];
    let second = vec![(11, Cause::Arbitration, 0, 1), (11, Cause::Stretched, 0, 3)];
    assert_eq!(rows, [first, second]);
}

/// The second has had a channel for a cycle when the first packet's third flit takes the crossbar.
#[test]
fn a_header_that_loses_the_crossbar_waits_for_the_wire() {
    let rows = charged(star(2), &[(0, 0, 2, 9), (1, 1, 2, 1), (1, 2, 2, 1)]);
    assert_eq!(rows[0], [(10, Cause::Stretched, 1, 1)]);
    assert_eq!(rows[1], []);
}

/// A node's wire sends one packet after the other, on whatever virtual channels.
#[test]
fn who_has_the_wire_of_a_node_throttles() {
    let rows = charged(star(2), &[(0, 0, 2, 4), (0, 0, 1, 3), (0, 0, 2, 2)]);
    assert_eq!(rows[0], []);
    assert_eq!(rows[1], [(1, Cause::Throttling, 0, 4)]);
    // On one virtual channel and on the other.
    assert_eq!(rows[2], [(0, Cause::Throttling, 0, 4 + 3)]);
}

/// A line with room for two flits: the packet of node 1 has the channel to node 2, the one of node 0
/// stands behind in switch 1, where it fills the buffer for the one that follows it.
#[test]
fn who_fills_the_buffer_is_charged() {
    let mut machine = machine(TopologySpec::Mesh { dims: vec![3] }, pipeline());
    machine.switch.input_buffer_flits = Some(2);
    machine.switch.virtual_channels = 1;
    let rows = charged(machine, &[(0, 1, 2, 40), (0, 0, 2, 2), (0, 0, 1, 2)]);
    assert_eq!(rows[0].iter().map(|row| row.1).collect::<Vec<_>>(), [Cause::Stretched]);
    assert_eq!((rows[1][0].1, rows[1][0].2), (Cause::OutputBusy, 1));
    // Channels 0 to 2 are injections, 3 leads from switch 0 to 1, 5 from there to 2.
    let full = rows[2].last().expect("its room is taken");
    assert_eq!((full.0, full.1, full.2), (3, Cause::BufferFull, 1));
}

/// Node 1's packet has the channel to node 2 from 5 until 46, with the lost cycle. Node 0's first would
/// start there in 10, and stands at switch 1 until it has left in 50; its second, for node 1 itself,
/// is there to start in 14.
#[test]
fn who_stands_behind_one_that_waits_for_the_channel_waits_for_that_one() {
    let mut machine = machine(TopologySpec::Mesh { dims: vec![3] }, pipeline());
    machine.switch.input_buffer_flits = Some(20);
    machine.switch.virtual_channels = 1;
    let packets = packets(machine, &[(0, 1, 2, 40), (0, 0, 2, 2), (0, 0, 1, 2)]);
    assert_eq!(row(&packets[1].charges[0]), (5, Cause::OutputBusy, 1, 46 - 10));
    let last = packets[2].charges.last().map(row);
    assert_eq!(last, Some((8, Cause::HeadOfLine, 0, 50 - 14)));
}

/// A line with room for a flit of each of two virtual channels and for two of either. Node 2 sends to
/// node 1 for long; the first packet of node 0 waits behind that in switch 1, in all that is
/// shared, and the second, on the other virtual channel, gets on flit by flit.
#[test]
fn who_has_the_shared_room_is_charged() {
    let with = |shared_buffer_flits: u32| {
        let pipeline = Pipeline { shared_buffer_flits, ..pipeline() };
        let mut machine = machine(TopologySpec::Mesh { dims: vec![3] }, pipeline);
        machine.switch.input_buffer_flits = Some(1);
        machine.switch.virtual_channels = 2;
        charged(machine, &[(0, 2, 1, 200), (4, 0, 1, 3), (4, 0, 2, 20)])
    };
    // Ejection to node 1 is channel 12. A packet that fills its own buffer only is charged for that.
    let of_last = |rows: &[Vec<Row>]| *rows[2].last().unwrap();
    let (_, cause, culprit, _) = of_last(&with(2));
    assert_eq!((cause, culprit), (Cause::Stretched, 2));
    let (_, cause, culprit, ..) = of_last(&with(0));
    assert_eq!((cause, culprit), (Cause::Stretched, 0));
}
