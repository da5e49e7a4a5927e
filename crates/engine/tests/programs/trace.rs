//! Ranks of a trace: answers worked out by hand, and a twin that looks at everything.

mod cases;
mod causes;
mod collectives;
mod hand;
mod loggops;
mod programs;
mod refusals;
mod twin;

use crate::common;
use programs::Rank;
use tailback_engine::spec::*;
use tailback_engine::{Progress, RunError, Simulation};

/// What a byte takes on a link.
const NS: u64 = 1_000;

/// A row of nodes with links of a byte in a nanosecond, headers of a byte and long packets.
fn machine(nodes: u32) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![nodes] });
    machine.link.flit_ps = NS;
    machine.link.end_token = false;
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.node_link = None;
    machine.interface.packet_bytes = 1 << 20;
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.switch.input_buffer_flits = None;
    machine
}

/// What a message takes alone, of one packet.
fn alone(from: u32, to: u32, bytes: u32) -> u64 {
    // A header at each channel but the last, and on that all of it.
    u64::from(from.abs_diff(to) + 1 + 1 + bytes) * NS
}

fn spec(machine: Machine, trace: Trace, mode: Mode, fidelity: Fidelity) -> Spec {
    Spec { fidelity, ..common::spec(machine, Workload::Trace(trace), mode) }
}

/// Ranks on nodes 0, 1, 2, …
fn one_on_each(ranks: u32) -> Trace {
    Trace { nodes: (0..ranks).collect(), ..Trace::default() }
}

/// Lets ranks do all that they are to.
fn run(spec: &Spec, ranks: &[Rank]) -> Result<Simulation, RunError> {
    let mut simulation = Simulation::new(spec).unwrap();
    let mut left: Vec<_> = ranks.iter().map(|rank| rank.batches.iter()).collect();
    loop {
        match simulation.advance(u64::MAX, u64::MAX)? {
            Progress::Finished => return Ok(simulation),
            Progress::Wants => {
                for rank in simulation.wanting().collect::<Vec<_>>() {
                    let mut batch = left[rank.index()].next().cloned();
                    simulation.feed(rank, batch.as_mut()).unwrap();
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

/// When ranks are done, in nanoseconds.
fn done(simulation: &Simulation) -> Vec<u64> {
    let completed = &simulation.measures().completed;
    completed.iter().map(|at| at / NS).collect()
}
