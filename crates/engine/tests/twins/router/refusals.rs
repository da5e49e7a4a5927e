//! What clocked switches cannot do, and what is said about it.

use super::hand::{messages, spec};
use crate::common::unit_cycles::{machine, pipeline};
use tailback_engine::Simulation;
use tailback_engine::spec::{
    Allocator, Arbiter, Fidelity, FlowControl, LinkClass, Machine, Mode, Pipeline, RoutingSpec,
    Selection, Sharing, Spec, Switching, TopologySpec,
};

fn small() -> Spec {
    let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
    spec(&machine(mesh, pipeline()), messages(&[(0, 0, 1, 2)]), Mode::Full)
}

/// What is said about the usual machine with a change.
fn refusal(change: impl Fn(&mut Machine)) -> String {
    let mut spec = small();
    change(&mut spec.machine);
    Simulation::new(&spec).err().map(|error| error.to_string()).unwrap_or_default()
}

/// What is said about its pipeline with a change.
fn of_pipeline(change: impl Fn(&mut Pipeline)) -> String {
    refusal(|machine| change(machine.switch.pipeline.as_mut().unwrap()))
}

#[test]
fn the_usual_machine_is_not_refused() {
    assert_eq!(refusal(|_| {}), "");
}

#[test]
fn switches_without_a_clock_have_one_channel_to_a_node() {
    let text = refusal(|machine| {
        machine.switch.pipeline = None;
        machine.switch.node_virtual_channels = 2;
    });
    let expected = "machine.switch.node_virtual_channels = 2: must be 1 without switch.pipeline";
    assert_eq!(text, expected);
}

#[test]
fn switches_with_a_clock_move_flits_one_by_one() {
    for (fidelity, given) in [(Fidelity::Worm, "worm"), (Fidelity::Stream, "stream")] {
        let text = Simulation::new(&Spec { fidelity, ..small() }).err().unwrap().to_string();
        assert_eq!(text, format!("fidelity = {given}: must be flit with switch.pipeline"));
    }
    let says = |change: fn(&mut Machine), expected: &str| {
        assert_eq!(refusal(change), format!("machine.{expected} with switch.pipeline"));
    };
    says(
        |machine| machine.switch.input_buffer_flits = None,
        "switch.input_buffer_flits = unlimited: must be a number",
    );
    says(
        |machine| machine.link.flow_control = FlowControl::InBand,
        "link.flow_control = in_band: must be out_of_band",
    );
    says(|machine| machine.link.end_token = true, "link.end_token = true: must be false");
    says(
        |machine| machine.link.sharing = Sharing::UntilStall,
        "link.sharing = until_stall: must be round_robin",
    );
    says(
        |machine| machine.interface.header_bytes = 2,
        "interface.header_bytes = 2: must be one flit",
    );
    says(|machine| machine.link.packet_gap_ps = 10, "link.packet_gap_ps = 10: must be 0");
    says(|machine| machine.switch.delay_ps = 10, "switch.delay_ps = 10: must be 0");
    says(|machine| machine.switch.ack_priority = true, "switch.ack_priority = true: must be false");
    says(
        |machine| machine.routing.selection = Selection::Random,
        "routing.selection = random: must be first",
    );
}

#[test]
fn other_switching_has_no_clock() {
    let text = Simulation::new(&{
        let mut spec = small();
        spec.fidelity = Fidelity::Packet;
        spec.machine.switch.switching = Switching::StoreAndForward;
        spec
    });
    let text = text.err().unwrap().to_string();
    // Why there is no fidelity, before that there is none.
    assert_eq!(
        text,
        "machine.switch.switching = store_and_forward: must be wormhole with switch.pipeline"
    );
    let text = refusal(|machine| {
        machine.switch.integrated = true;
        machine.node_link = None;
        machine.interface.unit = tailback_engine::spec::Unit::Message;
    });
    assert_eq!(text, "machine.switch.integrated = true: must be false with switch.pipeline");
}

#[test]
fn everything_takes_whole_cycles() {
    let says = |change: fn(&mut Machine), expected: &str| {
        assert_eq!(refusal(change), format!("machine.{expected} with switch.pipeline"));
    };
    says(
        |machine| machine.link.credit_delay_ps = 15,
        "link.credit_delay_ps = 15: must be a whole number of cycles of 10 ps",
    );
    says(
        |machine| machine.link.delay_ps = 5,
        "link.delay_ps = 5: must be a whole number of cycles of 10 ps",
    );
    says(
        |machine| machine.set_node_link(|class| class.delay_ps = Some(7)),
        "link.delay_ps = 7: must be a whole number of cycles of 10 ps",
    );
    says(
        |machine| {
            let slow = LinkClass { flit_ps: Some(20), ..LinkClass::default() };
            machine.link_classes.insert("y".to_string(), slow);
        },
        "link.flit_ps = 20: must be a cycle, 10, everywhere",
    );
}

#[test]
fn stages_have_limits() {
    let says = |change: fn(&mut Pipeline), expected: &str| {
        assert_eq!(of_pipeline(change), format!("machine.switch.pipeline.{expected}"));
    };
    says(|one| one.route_cycles = 65, "route_cycles = 65: must be 0 to 64");
    says(|one| one.traversal_cycles = 0, "traversal_cycles = 0: must be 1 to 64");
    says(|one| one.vc_iterations = 0, "vc_iterations = 0: must be 1 to 64");
    says(|one| one.iterations = 65, "iterations = 65: must be 1 to 64");
    says(|one| one.input_speedup = 0, "input_speedup = 0: must be 1 to 64");
    says(|one| one.output_speedup = 65, "output_speedup = 65: must be 1 to 64");
    says(|one| one.internal_speedup = 0, "internal_speedup = 0: must be 1 to 64");
    says(|one| one.output_buffer_flits = Some(0), "output_buffer_flits = 0: must be 1 to 65536");
    says(|one| one.shared_buffer_flits = 65_537, "shared_buffer_flits = 65537: must be 0 to 65536");
}

#[test]
fn packets_wait_where_they_are() {
    let text = refusal(|machine| machine.routing.algorithm = RoutingSpec::Deflection);
    let expected =
        "machine.routing = deflection: must be one whose packets wait with switch.pipeline";
    assert_eq!(text, expected);
}

#[test]
fn there_must_be_switches() {
    let text = refusal(|machine| machine.topology = TopologySpec::Pair);
    assert_eq!(text, "machine.topology = pair: must have switches with switch.pipeline");
}

/// Inputs and outputs of a switch are numbered in 16 bits.
#[test]
fn a_switch_has_so_many_inputs() {
    let wide = |slots: u32| {
        refusal(|machine| {
            machine.topology = TopologySpec::Star { nodes: 1_000 };
            machine.switch.node_virtual_channels = 60;
            machine.switch.pipeline.as_mut().unwrap().input_speedup = slots;
        })
    };
    assert_eq!(wide(1), "");
    let expected = "machine.topology = 66000 inputs at a switch: must have at most 65535, wires \
                    times virtual channels or speedup, with switch.pipeline";
    assert_eq!(wide(66), "machine.switch.pipeline.input_speedup = 66: must be 1 to 64");
    let text = refusal(|machine| {
        machine.topology = TopologySpec::Star { nodes: 1_100 };
        machine.switch.node_virtual_channels = 60;
    });
    assert_eq!(text, expected);
}

#[test]
fn allocators_have_the_arbiters_they_can_have() {
    let told = |allocator: Allocator, arbiter: Arbiter| {
        refusal(|machine| {
            let pipeline = machine.switch.pipeline.as_mut().unwrap();
            (pipeline.allocator, pipeline.vc_allocator) = (allocator, allocator);
            machine.switch.arbiter = arbiter;
        })
    };
    let recent = Arbiter::LeastRecentlyGranted;
    assert_eq!(told(Allocator::SeparableOutputFirst, recent), "");
    assert_eq!(told(Allocator::Wavefront, Arbiter::OldestFirst), "");
    assert_eq!(
        told(Allocator::Wavefront, recent),
        "machine.switch.arbiter = least_recently_granted: needs allocators that can have it \
         (separable_input_first, separable_output_first) with switch.pipeline"
    );
    assert_eq!(
        told(Allocator::SeparableInputFirst, Arbiter::Random),
        "machine.switch.arbiter = random: must be round_robin, least_recently_granted, fifo, \
         oldest_first or priority with switch.pipeline"
    );
}
