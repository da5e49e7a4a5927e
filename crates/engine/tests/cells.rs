//! Line cards in front of a fabric of cells: by hand, against a twin that does everything tick by
//! tick, and what must add up.
//!
//! `TAILBACK_CASES=1 cargo test --test cells` tries all random cases, 10 ten times as many.

#[path = "cells/agreement.rs"]
mod agreement;
mod common;
#[path = "cells/hand.rs"]
mod hand;
#[path = "common/random.rs"]
mod random;
#[path = "cells/refusals.rs"]
mod refusals;
#[path = "cells/twin.rs"]
mod twin;

use common::{Run, message_list, spec};
use tailback_engine::spec::*;
use tailback_engine::time::Time;

/// Line cards with so many nodes on a torus: Ethernet of 1 Gbit/s, cells of 72 bytes in 30 ns, as
/// in the Avici TSR [Chen & Wyckoff].
fn machine(dims: &[u32], nodes_per_switch: u32) -> Machine {
    let topology = TopologySpec::ConcentratedTorus { dims: dims.to_vec(), nodes_per_switch };
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 8_000;
    machine.link.end_token = false;
    machine.node_link = None;
    machine.switch.switching = Switching::StoreAndForward;
    machine.switch.virtual_channels = 2;
    machine.switch.input_buffer_flits = None;
    machine.switch.cells = Some(Cells {
        minimum_bytes: 64,
        preamble_bytes: 8,
        gap_bytes: 12,
        cell_bytes: 72,
        cell_ps: 30_000,
        pacing: Some(4),
        card_ps: 180_000,
        leave_ps: 30_000,
        hop_ps: 60_000,
    });
    machine.routing.algorithm = RoutingSpec::DimensionOrderOneWay { order: vec![], rises: true };
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.interface.packet_bytes = 1_500;
    machine.interface.header_bytes = 18;
    machine
}

/// A finite run of a list of messages, with all its packets.
fn run(machine: Machine, rows: &[(Time, u32, u32, u32)], mode: Mode) -> Run {
    let mut run = Run::with(&spec(machine, message_list(rows), mode));
    run.finish();
    run
}

/// When the messages of a run had arrived, in their order, in cell times of 30 ns.
fn arrivals(run: &Run) -> Vec<Time> {
    let mut arrivals = Vec::new();
    for packet in &run.rows {
        let place = packet.message as usize;
        arrivals.resize(arrivals.len().max(place + 1), 0);
        arrivals[place] = arrivals[place].max(packet.delivered);
    }
    arrivals.iter().map(|at| at / 30_000).collect()
}
