//! The fidelity `fluid`: by hand, against a twin that works everything out again at every event,
//! and what must add up.

mod agreement;
mod hand;
mod twin;

use crate::common::{MICROSECOND, Run, message_list, spec};
use tailback_engine::spec::*;
use tailback_engine::time::Time;

/// Links of a byte per nanosecond, messages of one packet whose header is one byte.
fn machine(topology: TopologySpec) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 1_000;
    machine.link.control_ps = 1_000;
    machine.link.end_token = false;
    machine.node_link = None;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.packet_bytes = 1 << 24;
    machine
}

/// A finite run of a list of messages, with all its packets.
fn run(machine: Machine, rows: &[(Time, u32, u32, u32)], mode: Mode) -> Run {
    let spec = Spec { fidelity: Fidelity::Fluid, ..spec(machine, message_list(rows), mode) };
    let mut run = Run::with(&spec);
    run.finish();
    run
}

/// When the messages of a run had arrived, in their order.
fn arrivals(run: &Run) -> Vec<Time> {
    let mut arrivals = Vec::new();
    for packet in &run.rows {
        let place = packet.message as usize;
        arrivals.resize(arrivals.len().max(place + 1), 0);
        arrivals[place] = arrivals[place].max(packet.delivered);
    }
    arrivals
}
