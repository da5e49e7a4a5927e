//! The fidelities `flit` and `worm` against a simulator that goes tick by tick,
//! against each other, and every fidelity against what can be worked out on paper.

mod accounts;
mod agreement;
pub mod cases;
mod grants;
mod hand;
mod integrated;
mod lists;
mod protocol;
mod receivers;
mod replies;
mod simulator;
mod slow_receivers;
mod theory;
mod windows;
mod wires;

use crate::common::random::random_cases;
use simulator::{Simulator, Tally};
use tailback_engine::spec::{
    Fidelity, FlowControl, Machine, Messages, Mode, Spec, TopologySpec, Workload,
};
use tailback_engine::{PacketRow, Progress, Simulation};

const EVERY_FIDELITY: [Fidelity; 5] =
    [Fidelity::Token, Fidelity::Flit, Fidelity::Worm, Fidelity::Stream, Fidelity::Packet];

/// Who works out what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// The simulator that goes tick by tick.
    Ticks,
    /// The engine.
    Engine(Fidelity),
}

/// Those who let single flits pass.
const BY_FLITS: [Who; 3] = [Who::Ticks, Who::Engine(Fidelity::Flit), Who::Engine(Fidelity::Worm)];

/// A full run of a machine with flow control as the fidelity needs it.
fn spec(machine: &Machine, workload: Workload, fidelity: Fidelity) -> Spec {
    let mut machine = machine.clone();
    let in_band = fidelity == Fidelity::Token;
    machine.link.flow_control = if in_band { FlowControl::InBand } else { FlowControl::OutOfBand };
    Spec {
        machine,
        workload,
        mode: Mode::Full,
        fidelity,
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

/// A machine in whole ticks: a picosecond per bit, and no acknowledgements.
fn machine(dims: &[u32]) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: dims.to_vec() });
    (machine.link.flit_ps, machine.link.control_ps) = (10, 4);
    machine.link.flow_control = FlowControl::OutOfBand;
    machine.interface.acknowledges = false;
    machine.set_node_link(|class| class.width = Some(1));
    machine
}

/// Rows of time, source, destination, bytes.
fn messages(rows: &[(u64, u32, u32, u32)]) -> Workload {
    Workload::Messages(Messages {
        time_ps: rows.iter().map(|row| row.0).collect(),
        source: rows.iter().map(|row| row.1).collect(),
        destination: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| row.3.into()).collect(),
    })
}

/// The packets in order of message and what every channel did.
fn run(who: Who, machine: &Machine, list: &Workload) -> (Vec<PacketRow>, Vec<Tally>) {
    let Who::Engine(fidelity) = who else {
        return Simulator::new(&spec(machine, list.clone(), Fidelity::Flit)).run();
    };
    let mut simulation = Simulation::new(&spec(machine, list.clone(), fidelity)).unwrap();
    let rows = rows_at_the_end(&mut simulation);
    (rows, agreement::tallies(&simulation))
}

/// Runs to the end: the packets in order of message.
fn rows_at_the_end(simulation: &mut Simulation) -> Vec<PacketRow> {
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut rows = simulation.take_packets();
    rows.sort_by_key(|row| (row.message, row.class));
    rows
}
