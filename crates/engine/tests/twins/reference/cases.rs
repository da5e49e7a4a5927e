//! Random small machines and workloads, chosen so that every rule matters often:
//! full buffers, loads past saturation, and many things at the same instant.

use super::programs;
use crate::common::arbiters;
use crate::common::random::Dice;
use std::collections::BTreeMap;
use tailback_engine::fabric::Timing;
use tailback_engine::spec::{
    Costs, Distribution, Fidelity, FlowControl, Framing, HalfDuplex, Interface, Link, LinkClass,
    Local, Machine, MessageOrder, Messages, Mode, Pattern, Routing, RoutingSpec, Shape, Share,
    Sharing, Side, Spec, Start, Switch, Sync, Synthetic, Throttle, TopologySpec, Unit, Workload,
};
use tailback_engine::time::Time;

/// What runs on the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Messages,
    Synthetic(Sync),
    /// Processes that exchange boundaries; never a deadlock.
    Exchange,
    AnyProgram,
}

/// A machine and a workload of one kind for it.
pub fn spec(dice: &mut Dice, kind: Kind) -> Spec {
    let machine = machine(dice);
    let workload = match kind {
        Kind::Messages => messages(dice, &machine),
        Kind::Synthetic(sync) => synthetic(dice, &machine, sync),
        Kind::Exchange => programs::exchange(dice, &machine),
        Kind::AnyProgram => programs::anything(dice, &machine),
    };
    // How `endpoints` and `free` agree with `full` is tried in `line` and `private`.
    let lighter = [Mode::Full, Mode::Throttled, Mode::Full, Mode::Ideal];
    let mode = if dice.chance(50) { Mode::Full } else { dice.one_of(&lighter) };
    Spec {
        machine,
        workload,
        mode,
        fidelity: Fidelity::Packet,
        seed: dice.number(0, u64::MAX - 1),
        sample_interval_ps: 1_000_000,
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    }
}

pub fn nodes(machine: &Machine) -> u64 {
    match &machine.topology {
        TopologySpec::Hosts { hosts, .. } => hosts.own.len() as u64,
        TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => {
            dims.iter().map(|&k| u64::from(k)).product()
        }
        TopologySpec::Hypercube { dimensions } => 1 << dimensions,
        TopologySpec::Pair => 2,
        TopologySpec::Star { nodes } => u64::from(*nodes),
        TopologySpec::Graph { nodes, .. } => nodes.len() as u64,
        TopologySpec::HyperX { dims, nodes_per_switch, .. } => {
            dims.iter().chain([nodes_per_switch]).map(|&k| u64::from(k)).product()
        }
        &TopologySpec::Dragonfly { nodes_per_switch, switches_per_group, groups, .. } => {
            [nodes_per_switch, switches_per_group, groups].map(u64::from).iter().product()
        }
        _ => unreachable!("not generated"),
    }
}

/// How long a packet of the largest size occupies a channel.
pub fn packet_time(machine: &Machine) -> Time {
    Timing::of(machine).packet_ps(machine.interface.packet_bytes)
}

fn machine(dice: &mut Dice) -> Machine {
    let (topology, dimensions) = topology(dice);
    let (link, delay_ps, header_bytes) = link(dice);
    let node_width = dice.one_of(&[1, 1, 2, 3, 4]);
    let interface = Interface {
        unit: Unit::Packet,
        packet_bytes: dice.one_of(&[1, 4, 16, 32, 32, 50]),
        first_packet_bytes: None,
        header_bytes,
        acknowledges: true,
        ack_priority: dice.chance(60),
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
    };
    let tokens = u64::from(header_bytes + interface.packet_bytes + 1);
    let room = [0, 0, 1, 3, tokens / 2, tokens, tokens, 2 * tokens + 5, 10 * tokens];
    let input_buffer_flits = Some((tokens + dice.one_of(&room)) as u32);
    let width = dice.one_of(&[1, 1, 1, 2, 3, 4]);
    let switch = Switch {
        output_buffer_flits: 0,
        input_buffer_flits,
        delay_ps,
        arbiter: dice.one_of(&arbiters::drawn()),
        ack_priority: dice.chance(50),
        ..Switch::default()
    };
    let mut machine = Machine {
        topology,
        link: Link { width, ..link },
        node_link: Some(LinkClass { width: Some(node_width), ..LinkClass::default() }),
        link_classes: BTreeMap::new(),
        uncontended: Vec::new(),
        ports: None,
        switch,
        routing: Routing { algorithm: order(dice, dimensions), ..Routing::default() },
        interface,
        loggops: None,
    };
    if dice.chance(50) {
        let slice = packet_time(&machine) * dice.number(1, 40) / 10 + 1;
        machine.interface.time_slice_ps = Some(slice);
    }
    machine
}

/// Costs of any kind, up to a few packet times, often the same.
pub fn pay(dice: &mut Dice, machine: &mut Machine) {
    let packet = packet_time(machine);
    let (flit, bytes) = (machine.link.flit_ps, u64::from(machine.interface.packet_bytes));
    let amount = |dice: &mut Dice| match dice.number(0, 4) {
        0 | 1 => 0,
        2 => packet,
        _ => dice.number(1, 3 * packet),
    };
    let side = |dice: &mut Dice| Side {
        before_ps: amount(dice),
        per_packet_ps: amount(dice),
        per_byte_fs: if dice.chance(30) { dice.number(1, 2_000 * flit) } else { 0 },
        after_ps: amount(dice),
    };
    let (send, receive) = (side(dice), side(dice));
    let varies = dice.chance(30);
    let is_paced = dice.chance(40);
    let mut costs = Costs {
        send,
        receive,
        packet_interval_ps: if is_paced { amount(dice) } else { 0 },
        packet_interval_per_byte_fs: if is_paced { 1_000 * packet / bytes } else { 0 },
        variation_ps: if varies { dice.number(0, send.before_ps) } else { 0 },
        overlap: dice.chance(50),
        receive_preempts: dice.chance(50),
        multi_packet_only: false,
    };
    if costs.are_none() {
        costs.send.after_ps = packet;
    }
    costs.receive_preempts &= costs.send.is_any() || costs.receive.is_any();
    let per_packet = send.per_packet_ps.max(receive.per_packet_ps);
    costs.multi_packet_only = per_packet > 0 && dice.chance(30);
    machine.interface.costs = Some(costs);
}

/// Windows of any number of packets, with and without acknowledgements, in either order.
pub fn open_windows(dice: &mut Dice, machine: &mut Machine) {
    let interface = &mut machine.interface;
    interface.acknowledges = dice.chance(50);
    interface.window = dice.one_of(&[None, None, Some(1), Some(2), Some(2), Some(3), Some(7)]);
    interface.message_order = dice.one_of(&[MessageOrder::Fifo, MessageOrder::RoundRobin]);
    // So that messages are of several packets more often.
    interface.packet_bytes = dice.number(1, interface.packet_bytes.into()) as u32;
}

/// A topology of 2 to 12 nodes and its number of dimensions.
fn topology(dice: &mut Dice) -> (TopologySpec, u32) {
    match dice.number(0, 9) {
        0 => (TopologySpec::Pair, 0),
        1 => {
            let dimensions = dice.number(1, 3) as u32;
            (TopologySpec::Hypercube { dimensions }, dimensions)
        }
        n @ 2..=4 => {
            let k = dice.number(2, 3 * n - 1) as u32;
            (TopologySpec::Mesh { dims: vec![k] }, 1)
        }
        5..=7 => {
            let shapes = [[2, 2], [2, 3], [3, 2], [3, 3], [4, 2], [2, 5], [4, 3], [3, 4], [6, 2]];
            (TopologySpec::Mesh { dims: dice.one_of(&shapes).to_vec() }, 2)
        }
        _ => {
            let shapes = [[2, 2, 2], [3, 2, 2], [2, 3, 2], [2, 2, 3]];
            (TopologySpec::Mesh { dims: dice.one_of(&shapes).to_vec() }, 3)
        }
    }
}

fn order(dice: &mut Dice, dimensions: u32) -> RoutingSpec {
    let mut order: Vec<u32> = (0..dimensions).collect();
    for i in 1..order.len() {
        order.swap(i, dice.number(0, i as u64) as usize);
    }
    if dice.chance(40) {
        order.clear();
    }
    RoutingSpec::DimensionOrder { order, balanced: false }
}

/// The link, the delay of switches, and bytes of headers.
fn link(dice: &mut Dice) -> (Link, Time, u32) {
    let regular = dice.chance(60);
    let bit_ps = if regular { 10_000 } else { dice.number(1, 20_000) };
    let token = 10 * bit_ps;
    let delays = if regular { [0, 0, token, 3 * token] } else { [0, 1, token / 7, 3 * token + 1] };
    let data_bits = if regular { 10 } else { dice.number(1, 12) };
    let control_bits = if regular { 4 } else { dice.number(1, 12) };
    let header_bytes = dice.one_of(&[1, 1, 2, 3]);
    let link = Link {
        flit_bytes: 1,
        flit_ps: bit_ps * data_bits,
        control_ps: bit_ps * control_bits,
        width: 1,
        packet_gap_ps: 0,
        end_token: true,
        flow_control: FlowControl::InBand,
        credit_delay_ps: 0,
        delay_ps: dice.one_of(&delays),
        sharing: Sharing::RoundRobin,
        half_duplex: HalfDuplex::No,
        framing: Framing::default(),
    };
    (link, dice.one_of(&delays), header_bytes)
}

pub fn distribution(dice: &mut Dice, mean: u64) -> Distribution {
    let relative_sigma = dice.one_of(&[0.1, 0.5, 1.5]);
    match dice.one_of(&[Shape::Constant, Shape::Constant, Shape::Normal, Shape::Exponential]) {
        shape @ Shape::Normal => Distribution { shape, mean, relative_sigma },
        shape => Distribution { shape, mean, relative_sigma: 0.0 },
    }
}

/// The length of a message: none, less or more than a packet.
pub fn bytes(dice: &mut Dice, machine: &Machine) -> u64 {
    let packet = u64::from(machine.interface.packet_bytes);
    let most = dice.number(1, 4 * packet);
    dice.one_of(&[0, 1, packet, packet, packet + 1, most, most])
}

/// Times between messages: any of the above, slots or bursts.
fn gaps(dice: &mut Dice, mean: u64) -> Distribution {
    let slot = dice.one_of(&[mean, mean / 2 + 1, mean / 50 + 1, 1]);
    let (burst, peak) = (dice.one_of(&[1.0, 2.0, 5.5]), dice.one_of(&[1.0, 3.0, 100.0]));
    let bursts = dice.one_of(&[Shape::Geometric { slot }, Shape::OnOff { burst, peak }]);
    // Without a draw of its own, so that cases of before stay the same.
    let (slot, turn_on) = (mean / 50 + 1, [1.0, 0.5, 0.1][(mean % 3) as usize]);
    let turn_off = [1.0, 0.5, 0.05][(mean / 3 % 3) as usize];
    let is_on_enough = slot as f64 * (turn_on + turn_off) <= mean as f64 * turn_on;
    let modulated = Shape::Modulated { slot, turn_on, turn_off };
    let shape = if (mean / 9).is_multiple_of(3) && is_on_enough { modulated } else { bursts };
    let slots_or_bursts = Distribution { shape, mean, relative_sigma: 0.0 };
    if dice.chance(40) { slots_or_bursts } else { distribution(dice, mean) }
}

/// Switches along each dimension; a pair has no coordinates.
fn sides(machine: &Machine) -> Vec<u32> {
    match &machine.topology {
        TopologySpec::Mesh { dims } => dims.clone(),
        TopologySpec::Hypercube { dimensions } => vec![2; *dimensions as usize],
        _ => Vec::new(),
    }
}

/// A pattern that is possible on the machine, and a radius for the one that has it.
fn pattern(dice: &mut Dice, machine: &Machine) -> (Pattern, u32) {
    let (sides, count) = (sides(machine), nodes(machine));
    let largest = sides.iter().max().copied().unwrap_or(1);
    if dice.chance(40) {
        let radius = if sides.is_empty() { 0 } else { dice.number(1, u64::from(largest) - 1) };
        return (Pattern::Uniform, radius as u32);
    }
    let is_whole = count.is_power_of_two();
    let mut possible = vec![hot_spots(dice, count), permutation(dice, count)];
    if !sides.is_empty() || is_whole {
        possible.push(Pattern::BitComplement);
    }
    if !sides.is_empty() {
        possible.push(Pattern::Neighbour);
    }
    if largest > 2 {
        possible.push(Pattern::Tornado);
    }
    if is_whole && count > 2 {
        possible.extend([Pattern::BitReverse, Pattern::Shuffle]);
    }
    if matches!(sides[..], [x, y] if x == y) || count == 4 {
        possible.push(Pattern::Transpose);
    }
    let chosen = dice.number(0, possible.len() as u64 - 1) as usize;
    (possible.swap_remove(chosen), 0)
}

fn hot_spots(dice: &mut Dice, count: u64) -> Pattern {
    let mut nodes = Vec::new();
    for _ in 0..dice.number(1, 3) {
        let node = dice.number(0, count - 1) as u32;
        if !nodes.contains(&node) {
            nodes.push(node);
        }
    }
    Pattern::HotSpot { nodes, share: dice.one_of(&[0.0, 0.1, 0.5, 1.0]) }
}

/// Rows of weights, some of them empty: who has none sends nothing, and may be sent something all the same.
pub fn weigh(dice: &mut Dice, spec: &mut Spec) {
    let count = nodes(&spec.machine);
    let Workload::Synthetic(synthetic) = &mut spec.workload else { return };
    let mut rows = vec![Vec::new(); count as usize];
    for (node, row) in (0..count).zip(&mut rows) {
        if dice.chance(40) {
            continue;
        }
        let others = (0..count).filter(|&to| to != node && dice.chance(50));
        let to: Vec<u64> = others.collect();
        *row = to
            .into_iter()
            .map(|to| Share { to: to as u32, weight: dice.number(1, 5) as f64 })
            .collect();
    }
    if rows.iter().all(Vec::is_empty) {
        rows[0].push(Share { to: count as u32 - 1, weight: 1.0 });
    }
    (synthetic.pattern, synthetic.radius) = (Pattern::Matrix { rows, periods: Vec::new() }, 0);
}

fn permutation(dice: &mut Dice, count: u64) -> Pattern {
    let mut to: Vec<u32> = (0..count as u32).collect();
    for i in 1..to.len() {
        to.swap(i, dice.number(0, i as u64) as usize);
    }
    if to.is_sorted() {
        to.swap(0, 1);
    }
    Pattern::Permutation { to }
}

fn synthetic(dice: &mut Dice, machine: &Machine, sync: Sync) -> Workload {
    let d = packet_time(machine);
    let means = [1_000, d / 4, d, 3 * d, 10 * d, 5 * d, 20_000_000];
    let mean = dice.one_of(&means).clamp(1_000, 50_000_000);
    let bytes = bytes(dice, machine);
    let limit = dice.number(1, 16) as u32;
    let throttle = if dice.chance(60) {
        Throttle::Outstanding { limit }
    } else {
        Throttle::QueueLength { limit }
    };
    let (pattern, radius) = pattern(dice, machine);
    Workload::Synthetic(Synthetic {
        processes_per_node: dice.one_of(&[1, 1, 2, 3]),
        pattern,
        radius,
        compute: gaps(dice, mean),
        messages: dice.one_of(&[1, 1, 2, 3, 5]),
        bytes: distribution(dice, bytes),
        sync,
        throttle,
        start: dice.one_of(&[Start::Random, Start::Together]),
        mix: Vec::new(),
        includes_self: false,
        repeat: None,
    })
}

/// A list of one message.
pub fn one_message(source: u32, destination: u32, bytes: u32) -> Workload {
    let (time_ps, source) = (vec![0], vec![source]);
    let (destination, bytes) = (vec![destination], vec![bytes.into()]);
    Workload::Messages(Messages { time_ps, source, destination, bytes })
}

pub fn messages(dice: &mut Dice, machine: &Machine) -> Workload {
    let nodes = nodes(machine);
    let mut list = Messages::default();
    let gap = dice.one_of(&[0, packet_time(machine) / 10, packet_time(machine)]);
    let grid = dice.one_of(&[1, 1, machine.link.flit_ps]);
    let mut time = 0;
    for _ in 0..dice.number(1, 60) {
        // Often several at one instant, and on a grid so that paths meet exactly.
        time += if dice.chance(40) { 0 } else { dice.number(0, gap) / grid * grid };
        list.time_ps.push(time);
        list.source.push(dice.number(0, nodes - 1) as u32);
        list.destination.push(dice.number(0, nodes - 1) as u32);
        list.bytes.push(bytes(dice, machine));
    }
    Workload::Messages(list)
}
