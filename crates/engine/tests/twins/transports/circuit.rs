//! Circuits.

mod agreement;
mod blame;
mod hand;
mod standstill;
mod twin;

use crate::common::parts::Scheme;
use crate::common::random::Dice;
use tailback_engine::spec::{HalfDuplex, Machine, RoutingSpec, TopologySpec};

/// Time, source, destination, bytes.
type Row = (u64, u32, u32, u32);

/// 1 ns a byte, headers of 2 bytes, 3 ns of arbitration, no time on the wire: a step is 5 ns.
fn machine(topology: TopologySpec) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.link.flit_ps = 1_000;
    machine.interface.header_bytes = 2;
    machine.link.end_token = false;
    machine.switch.delay_ps = 3_000;
    machine.interface.packet_bytes = 1 << 16;
    Scheme::Circuit.join(&mut machine);
    machine
}

fn hypercube(dimensions: u32) -> Machine {
    machine(TopologySpec::Hypercube { dimensions })
}

fn mesh(dims: &[u32]) -> Machine {
    machine(TopologySpec::Mesh { dims: dims.to_vec() })
}

fn half_duplex(mut machine: Machine) -> Machine {
    machine.link.half_duplex = HalfDuplex::Packet;
    machine
}

fn adaptive(mut machine: Machine) -> Machine {
    machine.routing.algorithm = RoutingSpec::Profitable;
    machine
}

/// Random numbers of a case.
impl Dice {
    /// A shape with several nodes: its sides.
    fn sides(&mut self) -> Vec<u32> {
        let sides: Vec<u32> = if self.chance(50) {
            vec![2; self.number(1, 4) as usize]
        } else {
            (0..self.number(1, 3)).map(|_| self.number(1, 4) as u32).collect()
        };
        if sides.iter().all(|&side| side == 1) { vec![3] } else { sides }
    }

    /// Messages between different nodes, many of them at the same instants.
    fn rows(&mut self, nodes: u32, most: u64) -> Vec<Row> {
        let (count, span) = (self.number(2, most), self.number(1, 12));
        let mut time = 0;
        let mut row = |dice: &mut Self| {
            time += dice.number(0, span) / 4 * 5_000;
            let source = dice.number(0, u64::from(nodes) - 1) as u32;
            let step = dice.number(1, u64::from(nodes) - 1) as u32;
            (time, source, (source + step) % nodes, dice.number(0, 60) as u32)
        };
        (0..count).map(|_| row(self)).collect()
    }
}
