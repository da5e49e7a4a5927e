//! Two or three packets for every setting of a clocked switch, worked out by hand.
//!
//! Cycles are as in `hand.rs`: what a node sends in cycle t is at its switch in t + 2. A header
//! asks for a virtual channel in t + 3 and for the crossbar in t + 4; a flit that crosses in s is
//! delivered in s + 3. Names of packets are in the order of the lists.

use super::hand::{delivered, star};
use crate::common::unit_cycles::pipeline;
use tailback_engine::spec::{Allocator, Arbiter, Machine, Pipeline};

/// A star with two virtual channels on every wire.
fn wide(nodes: u32, pipeline: Pipeline) -> Machine {
    let mut machine = star(nodes, pipeline);
    machine.switch.node_virtual_channels = 2;
    machine
}

/// A and X share the wire to node 1: A crosses in 4, 6, X in 5, 7. In 7 B's header, of the wire of A's,
/// crosses, too; in 8 the turn is A's at both places, so that B waits, unless its virtual channel
/// has a slot of its own.
#[test]
fn virtual_channels_of_one_wire_cross_at_once_with_input_speedup() {
    let last = |input_speedup: u32| {
        let machine = wide(3, Pipeline { input_speedup, ..pipeline() });
        delivered(&machine, &[(0, 0, 1, 3), (0, 2, 1, 3), (0, 0, 2, 3)])
    };
    assert_eq!(last(1), [11, 12, 13]);
    assert_eq!(last(2), [11, 12, 12]);
}

/// A is granted a channel in 3, X in 4. Both cross in every cycle from then on: A in 4 to 7, X in 5 to
/// 8. Their flits queue for the wire, of each cycle A's first: A's start in 5, 6, 8 and 10.
#[test]
fn both_inputs_cross_to_one_wire_with_output_speedup() {
    let machine = wide(3, Pipeline { output_speedup: 2, ..pipeline() });
    assert_eq!(delivered(&machine, &[(0, 0, 2, 4), (0, 1, 2, 4)]), [12, 14]);
}

/// The same with five flits each, and C from A's node to another: it crosses in 9, when all of A has
/// crossed. With room for one flit behind the crossbar nobody bids while one waits there: A and
/// X cross in 5 and 7; in 9 C has A's slot and X crosses alone; A goes on in 10 and 12, and its
/// last flit starts in 13.
#[test]
fn who_finds_the_buffer_behind_the_crossbar_full_does_not_bid() {
    let last = |output_buffer_flits: Option<u32>| {
        let own = Pipeline { output_speedup: 2, output_buffer_flits, ..pipeline() };
        delivered(&wide(3, own), &[(0, 0, 2, 5), (0, 1, 2, 5), (0, 0, 1, 1)])
    };
    assert_eq!(last(None), [14, 16, 12]);
    assert_eq!(last(Some(1)), [15, 16, 12]);
}

/// P asks alone in 3, which moves the allocator of channels to the next input. In 4 that is X, which
/// gets the channel; the crossbar is A's in vain. X crosses in 5 and A, granted in 6, at once.
#[test]
fn a_header_that_speculates_in_vain_keeps_others_from_crossing() {
    let last = |vc_allocator: Allocator| {
        let machine = star(3, Pipeline { speculative: true, vc_allocator, ..pipeline() });
        delivered(&machine, &[(0, 2, 1, 1), (1, 0, 2, 1), (1, 1, 2, 1)])
    };
    assert_eq!(last(Allocator::MaximumSize), [6, 9, 8]);
    assert_eq!(last(Allocator::Islip), [6, 7, 8]);
}

/// Two wires to node 2, and two packets that may take either. Those allocators that choose on one side
/// first choose the same twice, and one has to ask again, but for a second iteration.
#[test]
fn allocators_match_two_packets_with_two_wires() {
    use Allocator::{Islip, MaximumSize, SeparableInputFirst, SeparableOutputFirst, Wavefront};
    for (vc_allocator, vc_iterations, expected) in [
        (Islip, 1, [7, 8]),
        (Islip, 2, [7, 7]),
        (SeparableInputFirst, 1, [7, 8]),
        (SeparableInputFirst, 2, [7, 7]),
        (SeparableOutputFirst, 1, [7, 8]),
        (SeparableOutputFirst, 2, [7, 7]),
        (Wavefront, 1, [7, 7]),
        (MaximumSize, 1, [7, 7]),
    ] {
        let mut machine = star(3, Pipeline { vc_allocator, vc_iterations, ..pipeline() });
        machine.set_node_link(|class| class.width = Some(2));
        let last = delivered(&machine, &[(0, 0, 2, 1), (0, 1, 2, 1)]);
        assert_eq!(last, expected, "{vc_allocator:?} {vc_iterations}");
    }
}

/// Two packets of four flits on two virtual channels of a wire: pointers take turns. A wavefront
/// begins with diagonals 0, 1, 2, 0, ... ; A is on 2, X on (1 + 2) mod 3 = 0: X crosses in 4, 7, 10,
/// 11 and A in 5, 6, 8, 9. Maximum size begins with inputs 0, 1, 2, 0, ... ; A is 0, X is 1:
/// A crosses in 4, 6, 7, 9 and X in 5, 8, 10, 11.
#[test]
fn allocators_take_turns_at_the_crossbar() {
    use Allocator::{Islip, MaximumSize, SeparableInputFirst, SeparableOutputFirst, Wavefront};
    for (allocator, expected) in [
        (Islip, [13, 14]),
        (SeparableInputFirst, [13, 14]),
        (SeparableOutputFirst, [13, 14]),
        (Wavefront, [12, 14]),
        (MaximumSize, [12, 14]),
    ] {
        // Both have channels in 3.
        let own = Pipeline { allocator, vc_allocator: Wavefront, ..pipeline() };
        let last = delivered(&wide(3, own), &[(0, 0, 2, 4), (0, 1, 2, 4)]);
        assert_eq!(last, expected, "{allocator:?}");
    }
}

fn by(arbiter: Arbiter, nodes: u32) -> Machine {
    let one = Allocator::SeparableInputFirst;
    let mut machine = star(nodes, Pipeline { allocator: one, vc_allocator: one, ..pipeline() });
    machine.switch.arbiter = arbiter;
    machine
}

/// P, of input 1, is granted the channel alone; then A, of input 0, and X, of input 2, ask in the same
/// cycle, 5. The pointer is at 2; the order without pointers is 0, 2, 3, 1.
#[test]
fn turns_go_on_behind_the_last_or_to_the_least_recent() {
    let last = |arbiter| delivered(&by(arbiter, 4), &[(0, 1, 3, 1), (2, 0, 3, 1), (2, 2, 3, 1)]);
    assert_eq!(last(Arbiter::RoundRobin), [7, 11, 9]);
    assert_eq!(last(Arbiter::LeastRecentlyGranted), [7, 9, 11]);
}

/// P has the channel to node 3 until 10. A was queued in 0 behind Q, whose tail leaves the switch in 6:
/// it asks from 8 on. X was queued in 2 and asks from 5 on.
#[test]
fn whoever_asked_first_or_is_oldest_comes_first() {
    let last = |arbiter| {
        let list = [(0, 2, 3, 6), (0, 1, 2, 3), (0, 1, 3, 1), (2, 0, 3, 1)];
        delivered(&by(arbiter, 4), &list)
    };
    assert_eq!(last(Arbiter::Fifo), [12, 9, 16, 14]);
    assert_eq!(last(Arbiter::OldestFirst), [12, 9, 14, 16]);
}
