//! Machines with clocked switches in which everything takes a cycle, for cases worked out by hand.

use tailback_engine::spec::{
    Allocator, Arbiter, FlowControl, LinkClass, Machine, Pipeline, TopologySpec,
};

/// One cycle, in picoseconds.
pub const CYCLE: u64 = 10;

/// Routing, allocation of a virtual channel, of the crossbar, and crossing it: a cycle each.
pub fn pipeline() -> Pipeline {
    Pipeline {
        route_cycles: 1,
        traversal_cycles: 1,
        speculative: false,
        vc_allocator: Allocator::Islip,
        vc_iterations: 1,
        allocator: Allocator::Islip,
        iterations: 1,
        input_speedup: 1,
        output_speedup: 1,
        internal_speedup: 1,
        speedup_cycles: 1,
        sees_output_buffer: false,
        in_batches: false,
        keeps_channel: false,
        port_order: tailback_engine::spec::PortOrder::Channels,
        output_buffer_flits: None,
        shared_buffer_flits: 0,
        atomic: false,
        holds: false,
    }
}

/// Unit links, buffers of 16 flits, and nodes that do not acknowledge.
pub fn machine(topology: TopologySpec, pipeline: Pipeline) -> Machine {
    let mut machine = Machine::t9000(topology);
    let link = &mut machine.link;
    (link.flit_ps, link.control_ps, link.delay_ps) = (CYCLE, CYCLE, CYCLE);
    (link.end_token, link.flow_control) = (false, FlowControl::OutOfBand);
    machine.node_link = Some(LinkClass { width: Some(1), ..LinkClass::default() });
    machine.switch.input_buffer_flits = Some(16);
    machine.switch.arbiter = Arbiter::RoundRobin;
    machine.switch.pipeline = Some(pipeline);
    let interface = &mut machine.interface;
    (interface.packet_bytes, interface.acknowledges, interface.window) = (4_000, false, None);
    machine
}
