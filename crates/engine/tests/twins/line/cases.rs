//! Random small networks of whole packets with fixed ways, and messages for them.

use crate::common::random::Dice;
use crate::common::{message_list, spec as run};
use tailback_engine::Simulation;
use tailback_engine::fabric::End;
use tailback_engine::spec::*;

/// Switches and nodes, links, packets, and messages for them.
pub fn spec(dice: &mut Dice) -> Spec {
    let topology = topology(dice);
    let mut machine = Machine::t9000(topology);
    let usual = machine.link;
    let flit_ps = dice.one_of(&[1, 2, 3]);
    machine.link = Link {
        flit_ps,
        control_ps: flit_ps,
        delay_ps: dice.one_of(&[0, 0, 1, 7, 60]),
        end_token: dice.chance(20),
        flow_control: FlowControl::OutOfBand,
        ..usual
    };
    let own_ps = dice.one_of(&[None, None, Some(1), Some(4)]);
    let delay_ps = dice.one_of(&[None, None, Some(3)]);
    let control_ps = own_ps;
    machine.node_link =
        Some(LinkClass { flit_ps: own_ps, control_ps, delay_ps, ..LinkClass::default() });
    let interface = &mut machine.interface;
    interface.header_bytes = dice.number(1, 5) as u32;
    interface.packet_bytes = dice.number(4, 40) as u32;
    interface.acknowledges = dice.chance(35);
    interface.ack_priority = dice.chance(40);
    interface.window = dice.one_of(&[None, Some(1), Some(2), Some(5)]);
    if dice.chance(20) {
        interface.message_order = MessageOrder::RoundRobin;
    }
    let longest = interface.header_bytes + interface.packet_bytes;
    switch(dice, &mut machine, longest);
    let nodes = Simulation::new(&run(machine.clone(), message_list(&[]), Mode::Full));
    let nodes = nodes.unwrap_or_else(|error| panic!("{error}")).topology().nodes as u64;
    let rows = messages(dice, nodes);
    run(machine, message_list(&rows), Mode::Full)
}

fn topology(dice: &mut Dice) -> TopologySpec {
    match dice.below(7) {
        5 => TopologySpec::Pair,
        6 => TopologySpec::Torus { dims: vec![dice.number(3, 5) as u32] },
        0 => TopologySpec::Star { nodes: dice.number(2, 6) as u32 },
        1 => TopologySpec::Mesh { dims: vec![dice.number(2, 5) as u32] },
        2 => TopologySpec::Mesh { dims: vec![2, dice.number(2, 4) as u32] },
        3 => TopologySpec::Hypercube { dimensions: 3 },
        _ => TopologySpec::ConcentratedMesh {
            dims: vec![dice.number(2, 3) as u32],
            nodes_per_switch: dice.number(2, 3) as u32,
        },
    }
}

fn switch(dice: &mut Dice, machine: &mut Machine, longest: u32) {
    let switch = &mut machine.switch;
    let has_classes = matches!(machine.topology, TopologySpec::Torus { .. });
    switch.virtual_channels = if has_classes { 2 } else { 1 };
    switch.delay_ps = dice.one_of(&[0, 0, 2, 9]);
    if !has_classes && dice.chance(35) {
        machine.link.end_token = false;
        machine.link.framing = Framing {
            minimum_bytes: dice.one_of(&[0, 0, 8, longest]).min(longest),
            preamble_bytes: dice.one_of(&[0, 2, 8]),
            gap_bytes: dice.one_of(&[0, 0, 1, 12]),
        };
        switch.switching = Switching::StoreAndForward;
        let per_switch = dice.chance(30) && !machine.interface.acknowledges;
        switch.frames = Some(Frames {
            engine: if per_switch { Engine::PerSwitch } else { Engine::PerPort },
            forwarding_ps: dice.one_of(&[0, 0, 3, 10, 200]),
            ..Frames::default()
        });
        return;
    }
    let kinds = [Switching::CutThrough, Switching::StoreAndForward, Switching::Wormhole];
    switch.switching = dice.one_of(&kinds);
    let packet = longest + 1;
    let sizes = [None, None, Some(packet), Some(packet + 3), Some(2 * packet), Some(5 * packet)];
    switch.input_buffer_flits = dice.one_of(&sizes);
}

/// Rows of time, source, destination, bytes.
fn messages(dice: &mut Dice, nodes: u64) -> Vec<(u64, u32, u32, u32)> {
    let (count, spread) = (dice.number(1, 9), dice.one_of(&[1, 200, 2_000]));
    let longest = dice.one_of(&[8, 100, 300]);
    let is_permutation = dice.chance(30);
    let step = dice.number(1, nodes - 1);
    let mut sources: Vec<u64> = (0..nodes).collect();
    let mut rows = Vec::new();
    for _ in 0..count {
        let (mut from, mut to) = (dice.below(nodes), dice.below(nodes));
        if is_permutation {
            if sources.is_empty() {
                break;
            }
            from = sources.swap_remove(dice.below(sources.len() as u64) as usize);
            to = (from + step) % nodes;
        } else if from == to {
            to = (from + 1) % nodes;
        }
        let bytes = if dice.chance(10) { 0 } else { dice.number(1, longest) };
        rows.push((dice.number(0, spread), from as u32, to as u32, bytes as u32));
    }
    rows.sort_unstable();
    rows
}

/// The channels of the way of every message.
fn ways(spec: &Spec) -> Vec<Vec<u32>> {
    let simulation = Simulation::new(spec).unwrap();
    let (wiring, Workload::Messages(list)) = (simulation.wiring(), &spec.workload) else {
        unreachable!("not generated")
    };
    let way = |at: usize| {
        let [source, destination] =
            [list.source[at], list.destination[at]].map(tailback_engine::ids::NodeId);
        let header = tailback_engine::routing::Header { source, destination, route: 0, traffic: 0 };
        let mut way = vec![wiring.layout.injection_lead(source)];
        while let End::Switch(switch) = wiring.layout.group(way[way.len() - 1]).end {
            way.push(wiring.first_lead(switch, header));
        }
        way.iter().map(|channel| channel.0).collect()
    };
    (0..list.bytes.len()).map(way).collect()
}

/// Whether no channel is of the ways of two messages, and nothing comes back.
pub fn is_apart(spec: &Spec) -> bool {
    let per_switch = spec.machine.switch.frames.is_some_and(|f| f.engine == Engine::PerSwitch);
    let mut all: Vec<u32> = ways(spec).concat();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    all.len() == count && !spec.machine.interface.acknowledges && !per_switch
}

/// Whether messages share channels to their nodes only; where switches have queues at outputs and engines
/// are quick, channels out of nodes, too.
pub fn shares_ends_only(spec: &Spec) -> bool {
    let machine = &spec.machine;
    let frames = machine.switch.frames;
    let is_fifo = machine.interface.message_order == MessageOrder::Fifo;
    if machine.interface.acknowledges || machine.interface.window.is_some() || !is_fifo {
        return false;
    }
    if frames.is_some_and(|frames| frames.forwarding_ps > 0)
        || frames.is_none() && machine.switch.input_buffer_flits.is_some()
    {
        return false;
    }
    let ways = ways(spec);
    let inner = |way: &Vec<u32>| {
        let from = usize::from(frames.is_some());
        way[..way.len() - 1].iter().skip(from).copied().collect::<Vec<u32>>()
    };
    let mut all: Vec<u32> = ways.iter().flat_map(inner).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    all.len() == count
}
