//! Random small machines and message lists for the cycle-driven simulator: whole
//! ticks, buffers from the header up, loads from light to far past saturation.

use crate::cases::{Dice, nodes};
use tailback_engine::spec::{
    Fidelity, FlowControl, Link, Machine, Messages, Mode, Node, Policy, Rates, RoutingSpec, Scheme,
    Spec, Switch, TopologySpec, Transport, Workload,
};
use tailback_engine::time::Time;

/// The longest packet, in flits.
const LONGEST: u64 = 64;

/// A machine and a list of messages of one packet each, without acknowledgements.
pub fn spec(dice: &mut Dice) -> Spec {
    let mut machine = machine(dice);
    if dice.chance(50) {
        tighten(dice, &mut machine);
    }
    let list = messages(dice, &machine);
    Spec {
        machine,
        workload: Workload::Messages(list),
        mode: Mode::Full,
        fidelity: Fidelity::Flit,
        seed: dice.number(0, u64::MAX - 1),
        sample_interval_ps: dice.number(1, 1_000),
        record_packets: true,
        blame: None,
    }
}

fn machine(dice: &mut Dice) -> Machine {
    let topology = topology(dice);
    let dimensions = match &topology {
        TopologySpec::Mesh { dims } => dims.len() as u32,
        TopologySpec::Hypercube { dimensions } => *dimensions,
        _ => 0,
    };
    let link = link(dice);
    let empty = u64::from(link.header_bytes) + u64::from(link.end_token);
    let longest = dice.one_of(&[1, 2, 4, 10, 30, LONGEST - empty]);
    let packet_bytes = dice.number(1, longest);
    let mut order: Vec<u32> = (0..dimensions).collect();
    if dice.chance(30) {
        order.reverse();
    }
    Machine {
        topology,
        routing: RoutingSpec::DimensionOrder { order, balanced: false },
        allow_deadlock: false,
        transport: None,
        rates: rates(dice, dimensions),
        node: Node {
            link_width: dice.one_of(&[1, 1, 1, 2, 3]),
            packet_bytes: packet_bytes as u32,
            acknowledges: false,
            ack_priority: dice.chance(50),
            time_slice_ps: None,
        },
        switch: switch(dice, link.header_bytes, empty + packet_bytes),
        link,
    }
}

/// From two nodes to a few dozen, with up to three dimensions.
fn topology(dice: &mut Dice) -> TopologySpec {
    let shapes: &[&[u32]] = &[&[2], &[2], &[3], &[3], &[4], &[6], &[9], &[2, 2], &[2, 3], &[3, 3]];
    let larger: &[&[u32]] = &[&[4, 3], &[3, 5], &[6, 6], &[2, 2, 2], &[3, 2, 2], &[3, 3, 2]];
    match dice.number(0, 9) {
        0 if dice.chance(40) => TopologySpec::Pair,
        0 => TopologySpec::Star { nodes: dice.number(2, 9) as u32 },
        1 => TopologySpec::Hypercube { dimensions: dice.number(1, 4) as u32 },
        2..=7 => TopologySpec::Mesh { dims: dice.one_of(shapes).to_vec() },
        _ => TopologySpec::Mesh { dims: dice.one_of(larger).to_vec() },
    }
}

fn link(dice: &mut Dice) -> Link {
    let (bit_ps, data_token_bits) = (dice.one_of(&[1, 1, 1, 2]), dice.number(1, 6));
    let flit = bit_ps * data_token_bits;
    let delays: &[Time] = match dice.number(0, 9) {
        0..3 => &[0],
        3..6 => &[0, 0, 1, 2, 3, 4],
        _ => &[0, 0, 1, flit, 2 * flit + 1, 5 * flit],
    };
    Link {
        bit_ps,
        data_token_bits: data_token_bits as u32,
        control_token_bits: dice.number(1, 6) as u32,
        header_bytes: dice.one_of(&[1, 1, 1, 2, 3]),
        packet_gap_ps: dice.one_of(&[0, 0, 0, 1, 5]),
        end_token: dice.chance(70),
        flow_control: FlowControl::OutOfBand,
        credit_delay_ps: dice.one_of(delays),
        wire_delay_ps: dice.one_of(delays),
        switch_delay_ps: dice.one_of(delays),
    }
}

/// Half of the time all links are equal.
fn rates(dice: &mut Dice, dimensions: u32) -> Rates {
    let mut rates = Rates::default();
    if dice.chance(25) {
        rates.external_bit_ps = Some(dice.number(1, 4));
    }
    if dice.chance(25) {
        rates.dimension_bit_ps = (0..dimensions).map(|_| dice.number(1, 4)).collect();
    }
    rates
}

/// Buffers from a header to a few of the longest packets.
fn switch(dice: &mut Dice, header: u32, packet: u64) -> Switch {
    let least = u64::from(header);
    let policies = [
        Policy::Fifo,
        Policy::Fifo,
        Policy::Random,
        Policy::NetFirst,
        Policy::OldestFirst,
        Policy::HopsFirst,
    ];
    let some = dice.number(0, 8);
    let any = dice.number(least, 3 * packet + 8);
    let buffers = [least, least + 1, least + some, packet, packet + some, 2 * packet + 1, any];
    Switch {
        input_buffer_tokens: dice.one_of(&buffers) as u32,
        output_buffer_tokens: 0,
        link_width: dice.one_of(&[1, 1, 1, 2, 3]),
        policy: dice.one_of(&policies),
        ack_priority: dice.chance(50),
        ..Switch::default()
    }
}

/// Few nodes, short packets, room for one to three of them, and credits that come back
/// late: then much depends on single flits of the packets before.
fn tighten(dice: &mut Dice, machine: &mut Machine) {
    let mesh = TopologySpec::Mesh { dims: vec![dice.number(2, 3) as u32] };
    machine.topology = if dice.chance(30) { TopologySpec::Star { nodes: 3 } } else { mesh };
    machine.routing = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false };
    machine.rates.dimension_bit_ps.clear();
    machine.node.packet_bytes = dice.number(1, 5) as u32;
    let link = &mut machine.link;
    let flit = link.bit_ps * Time::from(link.data_token_bits);
    link.credit_delay_ps = dice.number(0, 10 * flit);
    let header = u64::from(link.header_bytes);
    let packet = header + u64::from(machine.node.packet_bytes + u32::from(link.end_token));
    machine.switch.input_buffer_tokens = dice.number(header, 3 * packet) as u32;
}

/// A random case whose nodes and switches are one.
pub fn integrated(dice: &mut Dice) -> Spec {
    let mut spec = spec(dice);
    let shapes: &[&[u32]] = &[&[2], &[3], &[4], &[7], &[2, 2], &[3, 2], &[3, 3], &[2, 2, 3]];
    spec.machine.topology = if dice.chance(50) {
        TopologySpec::Hypercube { dimensions: dice.number(1, 4) as u32 }
    } else {
        TopologySpec::Mesh { dims: dice.one_of(shapes).to_vec() }
    };
    integrate(dice, &mut spec.machine);
    spec.workload = Workload::Messages(messages(dice, &spec.machine));
    spec
}

/// Makes nodes and switches one, and wires as worms have them there.
pub fn integrate(dice: &mut Dice, machine: &mut Machine) {
    machine.routing = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false };
    machine.rates = Rates::default();
    (machine.switch.link_width, machine.switch.virtual_channels) = (1, 1);
    let link = &mut machine.link;
    link.control_token_bits = link.control_token_bits.min(link.data_token_bits);
    if dice.chance(40) {
        // As in hypercubes: headers of two bytes, no end token, and small buffers.
        (link.header_bytes, link.end_token) = (2, false);
        machine.switch.input_buffer_tokens = dice.number(2, 20) as u32;
    }
    machine.node.acknowledges = false;
    machine.transport = Some(Transport {
        scheme: Scheme::Wormhole,
        half_duplex: false,
        first_packet_bytes: None,
        early_bytes: dice.one_of(&[0, 1, 3, 8, 16]),
    });
}

/// Who sends to whom.
#[derive(Clone, Copy)]
enum Pattern {
    Anybody,
    /// Most to one node.
    HotSpot(u32),
    /// Everybody as far as possible, all in each other's way.
    Opposite,
    /// All from one node, so that packets of one input overtake nobody.
    OneSource(u32),
}

pub fn messages(dice: &mut Dice, machine: &Machine) -> Messages {
    let nodes = nodes(machine) as u32;
    let any = dice.number(0, u64::from(nodes) - 1) as u32;
    let patterns =
        [Pattern::Anybody, Pattern::HotSpot(any), Pattern::Opposite, Pattern::OneSource(any)];
    let pattern = dice.one_of(&patterns);
    let link = &machine.link;
    let flit = link.bit_ps * Time::from(link.data_token_bits);
    let packet = flit * Time::from(link.header_bytes + machine.node.packet_bytes + 1);
    let gap = dice.one_of(&[0, 1, flit, packet / 10, packet / 3, packet, 4 * packet]);
    let equal_lengths = dice.chance(40);
    let mut list = Messages::default();
    let mut time = dice.number(0, 20);
    let most = if nodes <= 3 { 120 } else { 50 };
    for _ in 0..dice.one_of(&[3, most / 4, most / 2, most]) {
        // Often several at one instant.
        time += if dice.chance(40) { 0 } else { dice.number(0, gap) };
        let (source, destination) = ends(dice, pattern, nodes);
        let bytes = machine.node.packet_bytes;
        list.time_ps.push(time);
        list.source.push(source);
        list.destination.push(destination);
        let shorter = dice.number(0, bytes.into()) as u32;
        list.bytes.push(if equal_lengths { bytes } else { shorter });
    }
    list
}

fn ends(dice: &mut Dice, pattern: Pattern, nodes: u32) -> (u32, u32) {
    let mut any = || dice.number(0, u64::from(nodes) - 1) as u32;
    let (source, destination) = (any(), any());
    match pattern {
        Pattern::HotSpot(spot) if dice.chance(80) => (source, spot),
        Pattern::Opposite => (source, nodes - 1 - source),
        Pattern::OneSource(node) if dice.chance(80) => (node, destination),
        _ => (source, destination),
    }
}
