//! Random small machines whose switches run by a clock, and lists of messages for them.

use crate::common::parts::delayed;
use crate::common::random::Dice;
use crate::cycles::cases as small;
use crate::reference::networks;
use std::collections::BTreeMap;
use tailback_engine::spec::{
    Allocator, Arbiter, Fidelity, FlowControl, Interface, Link, LinkClass, Machine, MessageOrder,
    Mode, Pipeline, PortOrder, Routing, RoutingSpec, Selection, Sharing, Spec, Switch,
    TopologySpec, Unit, Workload,
};
use tailback_engine::time::Time;

pub const ALLOCATORS: [Allocator; 5] = [
    Allocator::Islip,
    Allocator::SeparableInputFirst,
    Allocator::SeparableOutputFirst,
    Allocator::Wavefront,
    Allocator::MaximumSize,
];

/// A machine and a list of messages.
pub fn spec(dice: &mut Dice) -> Spec {
    let machine = machine(dice);
    let list = small::messages(dice, &machine);
    let mut spec = Spec {
        machine,
        workload: Workload::Messages(list),
        mode: Mode::Full,
        fidelity: Fidelity::Flit,
        seed: 1,
        sample_interval_ps: dice.number(1, 1_000),
        sparse_samples: false,
        record_packets: true,
        lateness: false,
        blame: None,
        causes: None,
        faults: Vec::new(),
    };
    if matches!(spec.machine.topology, TopologySpec::Graph { .. }) {
        networks::without_deadlock(&mut spec);
    }
    spec
}

fn machine(dice: &mut Dice) -> Machine {
    let cycle = dice.one_of(&[1, 1, 3, 10]);
    let link = Link {
        flit_bytes: 1,
        flit_ps: cycle,
        control_ps: cycle,
        delay_ps: cycle * dice.number(0, 3),
        width: dice.one_of(&[1, 1, 1, 1, 2]),
        end_token: false,
        packet_gap_ps: 0,
        flow_control: FlowControl::OutOfBand,
        credit_delay_ps: cycle * dice.number(0, 2),
        sharing: Sharing::RoundRobin,
        ..Machine::t9000(TopologySpec::Pair).link
    };
    let of_nodes = LinkClass {
        width: Some(dice.one_of(&[1, 1, 1, 2])),
        delay_ps: dice.chance(50).then_some(cycle * dice.number(0, 3)),
        ..LinkClass::default()
    };
    let longest = dice.one_of(&[1, 2, 4, 7]);
    let interface = Interface {
        unit: Unit::Packet,
        packet_bytes: dice.number(1, longest) as u32,
        first_packet_bytes: None,
        header_bytes: 1,
        acknowledges: false,
        ack_priority: false,
        window: dice.one_of(&[None, None, Some(1), Some(2)]),
        message_order: MessageOrder::Fifo,
        time_slice_ps: None,
        early_bytes: 0,
        costs: None,
        collectives: tailback_engine::spec::Collectives::default(),
        receive_fifo: None,
        drain_byte_ps: None,
        reply_queue: None,
        local: tailback_engine::spec::Local::Memory,
        multicast: tailback_engine::spec::Multicast::Unicast,
    };
    let pipeline = pipeline(dice);
    let switch = Switch {
        input_buffer_flits: Some(dice.number(1, 16) as u32),
        output_buffer_flits: 0,
        virtual_channels: dice.number(1, 4) as u32,
        node_virtual_channels: dice.number(1, 4) as u32,
        arbiter: arbiter(dice, &pipeline),
        pipeline: Some(pipeline),
        ..Switch::default()
    };
    let mut machine = Machine {
        topology: TopologySpec::Star { nodes: 2 },
        link,
        node_link: Some(of_nodes),
        link_classes: BTreeMap::new(),
        uncontended: Vec::new(),
        ports: None,
        switch,
        routing: Routing::default(),
        interface,
        loggops: None,
    };
    network(dice, &mut machine, cycle);
    let order = port_order(dice, &machine);
    machine.switch.pipeline.as_mut().expect("a clock").port_order = order;
    machine
}

/// Perhaps packets keep the number of their channel to their nodes, where links have one wire.
pub fn keep_channels(dice: &mut Dice, machine: &mut Machine) {
    let of_nodes = machine.node_link.and_then(|link| link.width).unwrap_or(1);
    let has_one = machine.link.width == 1 && of_nodes == 1;
    let suffices = machine.switch.node_virtual_channels >= machine.switch.virtual_channels;
    let pipeline = machine.switch.pipeline.as_mut().expect("a clock");
    pipeline.keeps_channel = has_one && suffices && dice.chance(50);
}

/// The usual one, or any that the links can have.
fn port_order(dice: &mut Dice, machine: &Machine) -> PortOrder {
    let is_grid =
        matches!(machine.topology, TopologySpec::Mesh { .. } | TopologySpec::Torus { .. });
    let mut classes = machine.link_classes.values();
    let has_several = machine.link.width > 1 || classes.any(|class| class.width.is_some());
    let by_dimension = [PortOrder::Dimensions, PortOrder::NodesThenDimensions];
    let others = if is_grid && !has_several { by_dimension } else { [PortOrder::NodesFirst; 2] };
    dice.one_of(&[
        PortOrder::Channels,
        PortOrder::Channels,
        PortOrder::NodesFirst,
        others[0],
        others[1],
    ])
}

/// Any setting. Half of them are not far from the usual one.
pub fn pipeline(dice: &mut Dice) -> Pipeline {
    let (allocator, vc_allocator) = (dice.one_of(&ALLOCATORS), dice.one_of(&ALLOCATORS));
    let usual = Pipeline {
        route_cycles: dice.number(0, 1) as u32,
        traversal_cycles: 1,
        speculative: dice.chance(50),
        vc_allocator,
        vc_iterations: 1,
        allocator,
        iterations: 1,
        input_speedup: 1,
        output_speedup: 1,
        internal_speedup: 1,
        speedup_cycles: 1,
        sees_output_buffer: false,
        in_batches: false,
        keeps_channel: false,
        port_order: PortOrder::Channels,
        output_buffer_flits: None,
        shared_buffer_flits: if dice.chance(30) { dice.number(1, 6) as u32 } else { 0 },
        atomic: dice.chance(20),
        holds: dice.chance(20),
    };
    if dice.chance(50) {
        return usual;
    }
    let (steps, is_batched) = (dice.number(1, 3) as u32, dice.chance(30));
    Pipeline {
        route_cycles: dice.number(0, 3) as u32,
        traversal_cycles: dice.number(1, 2) as u32,
        vc_iterations: dice.number(1, 3) as u32,
        iterations: dice.number(1, 3) as u32,
        input_speedup: dice.number(1, 3) as u32,
        output_speedup: dice.number(1, 3) as u32,
        internal_speedup: steps,
        speedup_cycles: dice.one_of(&[1, 1, 2, steps]).min(steps),
        sees_output_buffer: is_batched || dice.chance(30),
        in_batches: is_batched,
        output_buffer_flits: dice.chance(50).then(|| dice.number(1, 4) as u32),
        ..usual
    }
}

/// One that both allocators can have.
fn arbiter(dice: &mut Dice, pipeline: &Pipeline) -> Arbiter {
    use Allocator::{Islip, MaximumSize, Wavefront};
    let has = |kinds: &[Allocator]| {
        kinds.contains(&pipeline.allocator) || kinds.contains(&pipeline.vc_allocator)
    };
    if has(&[Islip, MaximumSize]) || dice.chance(30) {
        return Arbiter::RoundRobin;
    }
    let recent = if has(&[Wavefront]) { Arbiter::Fifo } else { Arbiter::LeastRecentlyGranted };
    dice.one_of(&[Arbiter::Fifo, Arbiter::OldestFirst, recent])
}

/// From two switches to a dozen, and ways without circles.
fn network(dice: &mut Dice, machine: &mut Machine, cycle: Time) {
    let shapes: [&[u32]; 10] =
        [&[2], &[2], &[3], &[3], &[4], &[2, 2], &[3, 2], &[3, 3], &[4, 3], &[2, 2, 2]];
    let dims = dice.one_of(&shapes).to_vec();
    let mut order: Vec<u32> = (0..dims.len() as u32).collect();
    if dice.chance(30) {
        order.reverse();
    }
    machine.routing.algorithm = RoutingSpec::DimensionOrder { order, balanced: dice.chance(30) };
    let names = ["x", "y", "z"].into_iter().take(dims.len());
    let mut class = || LinkClass {
        delay_ps: Some(cycle * dice.number(0, 3)),
        width: dice.chance(10).then_some(2),
        ..LinkClass::default()
    };
    machine.link_classes = names.map(|name| (name.to_string(), class())).collect();
    if dice.chance(70) {
        machine.link_classes.clear();
    }
    match dice.number(0, 9) {
        0 => {
            machine.topology = TopologySpec::Star { nodes: dice.number(2, 6) as u32 };
            machine.routing = Routing::default();
            machine.link_classes.clear();
        }
        1 => {
            machine.link_classes.clear();
            listed(dice, machine, cycle);
        }
        2 | 3 => {
            machine.topology = TopologySpec::Torus { dims };
            machine.switch.virtual_channels = dice.number(2, 4) as u32;
        }
        4 | 5 => {
            machine.topology = TopologySpec::Mesh { dims };
            networks::choose(dice, machine, true);
            machine.routing.selection = Selection::First;
            keep_way_out(machine);
        }
        _ => machine.topology = TopologySpec::Mesh { dims },
    }
}

/// Where ways could close a circle, a way out that is open to all.
fn keep_way_out(machine: &mut Machine) {
    let TopologySpec::Mesh { dims } = &machine.topology else { return };
    let escapes = matches!(machine.routing.algorithm, RoutingSpec::MinimalAdaptive { .. });
    if escapes && dims.len() > 1 {
        machine.switch.pipeline.as_mut().expect("a clock").atomic = true;
    }
}

/// Links of a list, with delays of whole cycles.
fn listed(dice: &mut Dice, machine: &mut Machine, cycle: Time) {
    let own = machine.node_link;
    networks::graph(dice, machine, 3);
    machine.node_link = own;
    let TopologySpec::Graph { links, .. } = &mut machine.topology else { return };
    for link in links {
        *link = delayed(link.from, link.to, link.width, cycle * dice.number(0, 3));
    }
}
