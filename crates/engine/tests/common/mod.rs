//! Descriptions and runs for the tests of the engine's exact behaviour.

#![allow(dead_code, reason = "each test binary uses a part")]

pub mod arbiters;
pub mod dice;
pub mod draws;
pub mod parts;
pub mod random;
pub mod requests;
mod smaller;
pub mod unit_cycles;
pub mod windows;

use tailback_engine::fabric::Timing;
use tailback_engine::spec::*;
use tailback_engine::{Class, PacketRow, Progress, Simulation};

pub use tailback_engine::time::MICROSECOND;

/// It is kept what all packets waited for.
pub fn packet_waits() -> Blame {
    Blame { packet_waits: true, ..Blame::default() }
}

/// A run with all its packets.
pub struct Run {
    pub simulation: Simulation,
    pub link: Timing,
    pub rows: Vec<PacketRow>,
}

impl Run {
    pub fn new(machine: Machine, workload: Workload, mode: Mode) -> Self {
        Self::with(&spec(machine, workload, mode))
    }

    pub fn with(spec: &Spec) -> Self {
        let simulation = Simulation::new(spec).unwrap();
        Self { link: simulation.wiring().link, simulation, rows: Vec::new() }
    }

    /// A full run of a workload that ends.
    pub fn to_the_end(machine: Machine, workload: Workload) -> Self {
        let mut run = Self::new(machine, workload, Mode::Full);
        run.finish();
        run
    }

    pub fn finish(&mut self) {
        assert_eq!(self.simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
        self.rows = self.simulation.take_packets();
    }

    pub fn advance(&mut self, until: u64) {
        assert_eq!(self.simulation.advance(until, u64::MAX), Ok(Progress::Time));
    }

    /// Data packets in order of message and queueing.
    pub fn data(&self) -> Vec<PacketRow> {
        self.of(Class::Data)
    }

    /// Acknowledgements, likewise.
    pub fn acks(&self) -> Vec<PacketRow> {
        self.of(Class::Ack)
    }

    fn of(&self, class: Class) -> Vec<PacketRow> {
        let mut rows: Vec<_> = self.rows.iter().filter(|p| p.class == class).copied().collect();
        rows.sort_by_key(|packet| (packet.message, packet.queued));
        rows
    }

    /// Sum over packets of lifetime less lifetime without contention.
    pub fn lifetimes_beyond_zero_load(&self) -> u64 {
        let beyond = |p: &PacketRow| {
            let zero_load = self.link.zero_load_lifetime(p.hops, p.bytes);
            (p.delivered - p.queued).checked_sub(zero_load).unwrap()
        };
        self.rows.iter().map(beyond).sum()
    }

    /// Sum over channels of all waits charged to them.
    pub fn waits(&self) -> u64 {
        let tallies = &self.simulation.measures().channels;
        tallies.iter().map(|t| t.wait_throttling_ps + t.wait_internal_ps).sum()
    }
}

pub fn spec(machine: Machine, workload: Workload, mode: Mode) -> Spec {
    Spec {
        machine,
        workload,
        mode,
        fidelity: Fidelity::Packet,
        seed: 1,
        sample_interval_ps: MICROSECOND,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

/// Rows of time (ps), source, destination, bytes.
pub fn messages(rows: &[(u64, u32, u32, u32)]) -> Messages {
    Messages {
        time_ps: rows.iter().map(|row| row.0).collect(),
        source: rows.iter().map(|row| row.1).collect(),
        destination: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| row.3.into()).collect(),
    }
}

pub fn message_list(rows: &[(u64, u32, u32, u32)]) -> Workload {
    Workload::Messages(messages(rows))
}

pub fn program(processes: Vec<ProcessProgram>) -> Workload {
    Workload::Program(Program { processes })
}

pub fn synthetic(radius: u32, compute_ps: u64, sync: Sync) -> Synthetic {
    Synthetic {
        processes_per_node: 1,
        pattern: Pattern::Uniform,
        radius,
        compute: Distribution::constant(compute_ps),
        messages: 1,
        bytes: Distribution::constant(32),
        sync,
        throttle: Throttle::Outstanding { limit: 16 },
        start: Start::Random,
        mix: Vec::new(),
        includes_self: false,
        repeat: None,
    }
}

/// Blocking sends of `bytes` bytes from node 0 to node 1, and back if `both`.
pub fn bandwidth(bytes: u32, both: bool, repeat: u64) -> Vec<ProcessProgram> {
    let process = |node, sockets, steps| ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(repeat),
        sockets,
        steps,
    };
    let send = |process| Step::Send { process, socket: 0, bytes: bytes.into(), blocking: true };
    let receive = Step::Receive { socket: Some(0) };
    let mut processes =
        vec![process(0, vec![], vec![send(1)]), process(1, vec![Some(0)], vec![receive.clone()])];
    if both {
        processes.push(process(1, vec![], vec![send(3)]));
        processes.push(process(0, vec![Some(2)], vec![receive]));
    }
    processes
}

/// Line cards with so many nodes on a torus: Ethernet of 1 Gbit/s, cells of 72 bytes in 30 ns, as
/// in the Avici TSR [Chen & Wyckoff].
pub fn line_cards(dims: &[u32], nodes_per_switch: u32) -> Machine {
    let topology = TopologySpec::ConcentratedTorus { dims: dims.to_vec(), nodes_per_switch };
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 8_000;
    machine.link.end_token = false;
    machine.link.framing = Framing { minimum_bytes: 64, preamble_bytes: 8, gap_bytes: 12 };
    machine.node_link = None;
    machine.switch.switching = Switching::StoreAndForward;
    machine.switch.virtual_channels = 2;
    machine.switch.input_buffer_flits = None;
    machine.switch.cells = Some(Cells {
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
