//! STOP and GO, fall-through and outputs that take time to be granted again, against a twin that
//! goes cycle by cycle and against what can be worked out on paper.

mod agreement;
mod hand;
mod networks;
mod parallel;
mod refusals;
mod twin;

use tailback_engine::spec::{
    Fidelity, FlowControl, Machine, Marks, Messages, Mode, Spec, Switch, TopologySpec, Unit,
    Workload,
};

/// Ticks of a cycle, the time of a flit.
const FLIT: u64 = 10;

/// A machine whose flits, of a byte, take a cycle: every message is one packet with a header of
/// a byte. Times are in cycles: on wires, of falling through a switch, and of being granted again.
fn machine(topology: TopologySpec, (wire, through, again): (u64, u64, u64)) -> Machine {
    let mut machine = Machine::t9000(topology);
    let link = &mut machine.link;
    (link.flit_ps, link.control_ps, link.delay_ps) = (FLIT, FLIT, wire * FLIT);
    link.end_token = false;
    machine.node_link = None;
    machine.switch = Switch {
        fall_through_ps: Some(through * FLIT),
        regrant_delay_ps: again * FLIT,
        ..machine.switch
    };
    machine.interface.acknowledges = false;
    (machine.interface.unit, machine.interface.window) = (Unit::Message, None);
    machine.interface.packet_bytes = 1 << 16;
    marked(machine, (96, 64, 160))
}

/// The same with other marks, for STOP and for GO, and another slack.
fn marked(mut machine: Machine, (stop_flits, go_flits, slack): (u32, u32, u32)) -> Machine {
    machine.link.flow_control = FlowControl::StopGo(Marks { stop_flits, go_flits });
    machine.switch.input_buffer_flits = Some(slack);
    machine
}

/// Messages of cycle, source, destination and bytes.
fn messages(rows: &[(u64, u32, u32, u32)]) -> Workload {
    Workload::Messages(Messages {
        time_ps: rows.iter().map(|row| row.0 * FLIT).collect(),
        source: rows.iter().map(|row| row.1).collect(),
        destination: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| row.3.into()).collect(),
    })
}

/// A full run, flit by flit.
fn spec(machine: Machine, workload: Workload) -> Spec {
    Spec {
        machine,
        workload,
        mode: Mode::Full,
        fidelity: Fidelity::Flit,
        seed: 1,
        sample_interval_ps: 1_000,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}
