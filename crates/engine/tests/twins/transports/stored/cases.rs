//! Random small machines and messages: full queues, and many things at the same instant.

use crate::common::parts::Scheme;
use crate::common::random::Dice;
use crate::common::{message_list, spec as run};
use tailback_engine::spec::*;

/// A machine with a transport that stores packets, and messages for it.
pub fn spec(dice: &mut Dice) -> Spec {
    let topology = topology(dice);
    let nodes = nodes(&topology);
    let mut machine = Machine::t9000(topology);
    (machine.link, machine.switch.delay_ps, machine.interface.header_bytes) = link(dice);
    machine.interface.packet_bytes = dice.number(1, 20) as u32;
    let scheme = scheme(dice);
    let free = dice.chance(60);
    machine.routing.algorithm = match scheme {
        Scheme::Packets { .. } if free => RoutingSpec::FirstHop { order: Vec::new() },
        Scheme::StoreAndForward | Scheme::CutThrough if free => RoutingSpec::Profitable,
        _ => RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false },
    };
    let is_packet = scheme.has_packets();
    let first = dice.number(1, u64::from(machine.interface.packet_bytes)) as u32;
    scheme.join(&mut machine);
    if dice.chance(40) {
        machine.link.half_duplex = HalfDuplex::Packet;
    }
    machine.interface.first_packet_bytes = (is_packet && dice.chance(50)).then_some(first);
    machine.interface.early_bytes = dice.one_of(&[0, 4]);
    let most = if is_packet { 8 * u64::from(machine.interface.packet_bytes) } else { 100 };
    if !is_packet {
        machine.interface.packet_bytes = 1 << 10;
    }
    run(machine, message_list(&messages(dice, nodes, most)), Mode::Full)
}

fn topology(dice: &mut Dice) -> TopologySpec {
    if dice.chance(60) {
        return TopologySpec::Hypercube { dimensions: dice.number(1, 4) as u32 };
    }
    let mut dims = vec![dice.number(2, 4) as u32];
    for _ in 0..dice.number(0, 2) {
        dims.push(dice.number(1, 4) as u32);
    }
    TopologySpec::Mesh { dims }
}

pub fn nodes(topology: &TopologySpec) -> u64 {
    match topology {
        TopologySpec::Mesh { dims } => dims.iter().map(|&k| u64::from(k)).product(),
        TopologySpec::Hypercube { dimensions } => 1 << dimensions,
        _ => unreachable!("not generated"),
    }
}

/// The link, the time of arbitration, and bytes of headers.
fn link(dice: &mut Dice) -> (Link, u64, u32) {
    let usual = Machine::t9000(TopologySpec::Pair).link;
    let (bit_ps, bits) = (dice.one_of(&[1, 1, 3]), dice.one_of(&[1, 2]));
    let header_bytes = dice.number(1, 5) as u32;
    let link = Link {
        flit_ps: bit_ps * bits,
        control_ps: bit_ps,
        packet_gap_ps: dice.one_of(&[0, 0, 2]),
        end_token: dice.chance(30),
        delay_ps: dice.one_of(&[0, 0, 1, 30]),
        ..usual
    };
    (link, dice.one_of(&[0, 1, 4, 4, 15]), header_bytes)
}

fn scheme(dice: &mut Dice) -> Scheme {
    match dice.number(0, 4) {
        0 => Scheme::StoreAndForward,
        1 => Scheme::CutThrough,
        _ => {
            let reserve = dice.chance(60);
            let least = 1 + u64::from(reserve);
            let places = dice.one_of(&[least, 2, 2, 3, 4, 16]).max(least) as u32;
            Scheme::Packets { places, reserve, overtaking: dice.chance(60) }
        }
    }
}

/// Rows of time, source, destination, bytes: up to `most` of them.
fn messages(dice: &mut Dice, nodes: u64, most: u64) -> Vec<(u64, u32, u32, u32)> {
    let (each, spread) = (dice.number(1, 12), dice.one_of(&[1, 50, 400, 3_000]));
    let longest = dice.one_of(&[8, 40, 100]).min(most);
    let hot = dice.chance(20);
    let mut rows: Vec<_> = (0..each * nodes)
        .map(|_| {
            let to = if hot && dice.chance(50) { 0 } else { dice.number(0, nodes - 1) };
            let bytes = if dice.chance(10) { 0 } else { dice.number(1, longest) };
            let from = dice.number(0, nodes - 1) as u32;
            (dice.number(0, spread), from, to as u32, bytes as u32)
        })
        .collect();
    rows.sort_unstable();
    rows
}
