//! Random small machines and message lists for the cycle-driven simulator: whole
//! ticks, buffers from the header up, loads from light to far past saturation.

use crate::common::arbiters;
use crate::common::parts::{Scheme, clear_rates, rate, set_rates};
use crate::common::random::Dice;
use crate::reference::cases::nodes;
use std::collections::BTreeMap;
use tailback_engine::spec::{
    Fidelity, FlowControl, Framing, HalfDuplex, Interface, Link, LinkClass, Local, Machine,
    MessageOrder, Messages, Mode, Routing, RoutingSpec, Sharing, Spec, Switch, TopologySpec, Unit,
    Workload,
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
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

fn machine(dice: &mut Dice) -> Machine {
    let topology = topology(dice);
    let dimensions = match &topology {
        TopologySpec::Mesh { dims } => dims.len() as u32,
        TopologySpec::Hypercube { dimensions } => *dimensions,
        _ => 0,
    };
    let (link, switch_delay, header, bits) = link(dice);
    let empty = u64::from(header) + u64::from(link.end_token);
    let longest = dice.one_of(&[1, 2, 4, 10, 30, LONGEST - empty]);
    let packet_bytes = dice.number(1, longest);
    let mut order: Vec<u32> = (0..dimensions).collect();
    if dice.chance(30) {
        order.reverse();
    }
    let algorithm = RoutingSpec::DimensionOrder { order, balanced: false };
    let (of_nodes, by_dimension) = rates(dice, dimensions, bits);
    let node_width = dice.one_of(&[1, 1, 1, 2, 3]);
    let ack_priority = dice.chance(50);
    let (width, switch) = switch(dice, header, empty + packet_bytes);
    let mut machine = Machine {
        topology,
        link: Link { width, ..link },
        node_link: Some(LinkClass { width: Some(node_width), ..of_nodes }),
        link_classes: BTreeMap::new(),
        uncontended: Vec::new(),
        ports: None,
        switch: Switch { delay_ps: switch_delay, ..switch },
        routing: Routing { algorithm, ..Routing::default() },
        loggops: None,
        interface: Interface {
            unit: Unit::Packet,
            packet_bytes: packet_bytes as u32,
            first_packet_bytes: None,
            header_bytes: header,
            acknowledges: false,
            ack_priority,
            window: Some(1),
            message_order: MessageOrder::Fifo,
            time_slice_ps: None,
            early_bytes: 0,
            costs: None,
            collectives: tailback_engine::spec::Collectives::default(),
            receive_fifo: None,
            drain_byte_ps: None,
            reply_queue: None,
            local: Local::Memory,
            multicast: tailback_engine::spec::Multicast::Unicast,
        },
    };
    set_rates(&mut machine, by_dimension);
    machine
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

/// The link, the delay of switches, bytes of headers, bits of data and control tokens.
fn link(dice: &mut Dice) -> (Link, Time, u32, [Time; 2]) {
    let (bit_ps, data_token_bits) = (dice.one_of(&[1, 1, 1, 2]), dice.number(1, 6));
    let flit = bit_ps * data_token_bits;
    let delays: &[Time] = match dice.number(0, 9) {
        0..3 => &[0],
        3..6 => &[0, 0, 1, 2, 3, 4],
        _ => &[0, 0, 1, flit, 2 * flit + 1, 5 * flit],
    };
    let control_token_bits = dice.number(1, 6);
    let header = dice.one_of(&[1, 1, 1, 2, 3]);
    let link = Link {
        flit_bytes: 1,
        flit_ps: flit,
        control_ps: bit_ps * control_token_bits,
        width: 1,
        packet_gap_ps: dice.one_of(&[0, 0, 0, 1, 5]),
        end_token: dice.chance(70),
        flow_control: FlowControl::OutOfBand,
        credit_delay_ps: dice.one_of(delays),
        delay_ps: dice.one_of(delays),
        sharing: Sharing::RoundRobin,
        half_duplex: HalfDuplex::No,
        framing: Framing::default(),
    };
    (link, dice.one_of(delays), header, [data_token_bits, control_token_bits])
}

/// Those of nodes, and by dimension. Half of the time all links are equal.
fn rates(dice: &mut Dice, dimensions: u32, bits: [Time; 2]) -> (LinkClass, Vec<LinkClass>) {
    let some = |dice: &mut Dice| {
        let bit_ps = dice.number(1, 4);
        rate(bits[0] * bit_ps, bits[1] * bit_ps)
    };
    let of_nodes = if dice.chance(25) { some(dice) } else { LinkClass::default() };
    let count = if dice.chance(25) { dimensions } else { 0 };
    (of_nodes, (0..count).map(|_| some(dice)).collect())
}

/// Buffers from a header to a few of the longest packets.
fn switch(dice: &mut Dice, header: u32, packet: u64) -> (u32, Switch) {
    let least = u64::from(header);
    let some = dice.number(0, 8);
    let any = dice.number(least, 3 * packet + 8);
    let buffers = [least, least + 1, least + some, packet, packet + some, 2 * packet + 1, any];
    let input_buffer_flits = Some(dice.one_of(&buffers) as u32);
    let width = dice.one_of(&[1, 1, 1, 2, 3]);
    let switch = Switch {
        input_buffer_flits,
        output_buffer_flits: 0,
        arbiter: dice.one_of(&arbiters::drawn()),
        ack_priority: dice.chance(50),
        ..Switch::default()
    };
    (width, switch)
}

/// Few nodes, short packets, room for one to three of them, and credits that come back
/// late: then much depends on single flits of the packets before.
fn tighten(dice: &mut Dice, machine: &mut Machine) {
    let mesh = TopologySpec::Mesh { dims: vec![dice.number(2, 3) as u32] };
    machine.topology = if dice.chance(30) { TopologySpec::Star { nodes: 3 } } else { mesh };
    machine.routing.algorithm = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false };
    machine.link_classes.clear();
    machine.interface.packet_bytes = dice.number(1, 5) as u32;
    let link = &mut machine.link;
    link.credit_delay_ps = dice.number(0, 10 * link.flit_ps);
    let header = u64::from(machine.interface.header_bytes);
    let packet = header + u64::from(machine.interface.packet_bytes + u32::from(link.end_token));
    machine.switch.input_buffer_flits = Some(dice.number(header, 3 * packet) as u32);
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
    machine.routing.algorithm = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false };
    (machine.link.width, machine.switch.virtual_channels) = (1, 1);
    if dice.chance(50) {
        clear_rates(machine);
        let link = &mut machine.link;
        link.control_ps = link.control_ps.min(link.flit_ps);
    }
    // What nodes have of their own is no link's here.
    machine.node_link = None;
    machine.link_classes.values_mut().for_each(|class| class.width = None);
    let dimensions = match &machine.topology {
        TopologySpec::Hypercube { dimensions } => *dimensions as usize,
        TopologySpec::Mesh { dims } => dims.len(),
        _ => 0,
    };
    let names = ["x", "y", "z", "x3", "x4"];
    machine.link_classes.retain(|name, _| names[..dimensions].contains(&name.as_str()));
    let link = &mut machine.link;
    if dice.chance(40) {
        // As in hypercubes: headers of two bytes, no end token, and small buffers.
        (machine.interface.header_bytes, link.end_token) = (2, false);
        machine.switch.input_buffer_flits = Some(dice.number(2, 20) as u32);
    }
    Scheme::Wormhole.join(machine);
    machine.interface.early_bytes = dice.one_of(&[0, 1, 3, 8, 16]);
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
    let (flit, interface) = (machine.link.flit_ps, &machine.interface);
    let packet = flit * Time::from(interface.header_bytes + interface.packet_bytes + 1);
    let gap = dice.one_of(&[0, 1, flit, packet / 10, packet / 3, packet, 4 * packet]);
    let equal_lengths = dice.chance(40);
    let mut list = Messages::default();
    let mut time = dice.number(0, 20);
    let most = if nodes <= 3 { 120 } else { 50 };
    for _ in 0..dice.one_of(&[3, most / 4, most / 2, most]) {
        // Often several at one instant.
        time += if dice.chance(40) { 0 } else { dice.number(0, gap) };
        let (source, destination) = ends(dice, pattern, nodes);
        let bytes = machine.interface.packet_bytes;
        list.time_ps.push(time);
        list.source.push(source);
        list.destination.push(destination);
        let shorter = dice.number(0, bytes.into()) as u32;
        list.bytes.push(if equal_lengths { bytes } else { shorter }.into());
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
