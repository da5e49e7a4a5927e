//! What messages cost in software: answers worked out by hand, and what always holds.

mod always;
mod cpu;
mod hand;

use tailback_engine::spec::*;

const US: u64 = 1_000_000;
const TAU: u64 = 57_700;
const EVERY: [Mode; 5] = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free, Mode::Ideal];

/// A row of nodes with links of one byte a flit, on which a message costs this.
fn machine(nodes: u32, costs: Costs) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![nodes] });
    machine.link.flit_ps = TAU;
    machine.link.end_token = false;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.node_link = None;
    machine.interface.packet_bytes = 256;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.costs = Some(costs);
    machine.switch.input_buffer_flits = None;
    machine
}

/// What a message costs before its first packet and after its last.
fn side(before_ps: u64, after_ps: u64) -> Side {
    Side { before_ps, after_ps, ..Side::default() }
}
