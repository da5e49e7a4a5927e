//! Random small networks and messages: full memories, and many things at the same instant.

use crate::common::random::Dice;
use crate::common::{message_list, spec as run, synthetic};
use tailback_engine::spec::*;

/// Switches and nodes, links, frames, and messages for them.
pub fn spec(dice: &mut Dice) -> Spec {
    let switches = dice.number(1, 6);
    let nodes: Vec<u32> =
        (0..dice.number(2, 9)).map(|_| dice.number(0, switches - 1) as u32).collect();
    let links = links(dice, switches);
    let count = nodes.len() as u64;
    let topology = TopologySpec::Graph {
        switches: switches as u32,
        links,
        nodes,
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    let mut machine = Machine::t9000(topology);
    let usual = machine.link;
    machine.link = Link {
        flit_ps: dice.one_of(&[1, 1, 2, 3]),
        control_ps: 1,
        delay_ps: dice.one_of(&[0, 0, 1, 7]),
        end_token: false,
        flow_control: FlowControl::OutOfBand,
        ..usual
    };
    let own_ps = dice.one_of(&[None, None, Some(1), Some(4)]);
    let delay_ps = dice.one_of(&[None, None, Some(3)]);
    machine.node_link = Some(LinkClass { flit_ps: own_ps, delay_ps, ..LinkClass::default() });
    let interface = &mut machine.interface;
    interface.header_bytes = dice.number(1, 5) as u32;
    interface.packet_bytes = dice.number(4, 40) as u32;
    (interface.acknowledges, interface.window) = (false, None);
    let longest = interface.header_bytes + interface.packet_bytes;
    machine.switch.switching = Switching::StoreAndForward;
    machine.switch.delay_ps = dice.one_of(&[0, 0, 2, 9]);
    machine.routing.algorithm =
        if dice.chance(70) { RoutingSpec::SpanningTree } else { RoutingSpec::Shortest };
    machine.link.framing = framing(dice, longest);
    machine.switch.frames = Some(frames(dice, longest.into()));
    let pause = machine.switch.frames.unwrap().pause;
    let of_classes = if pause == Pause::PerPriority { 70 } else { 15 };
    let workload = if dice.chance(of_classes) {
        classes(dice, &mut machine)
    } else {
        message_list(&messages(dice, count))
    };
    Spec { fidelity: Fidelity::Packet, ..run(machine, workload, Mode::Full) }
}

/// A random tree, and further links, all both ways.
fn links(dice: &mut Dice, switches: u64) -> Vec<GraphLink> {
    let mut pairs = Vec::new();
    for switch in 1..switches {
        pairs.push((switch, dice.number(0, switch - 1)));
    }
    if switches > 1 {
        for _ in 0..dice.one_of(&[0, 0, 1, 2, 4]) {
            let from = dice.number(0, switches - 1);
            pairs.push((from, (from + dice.number(1, switches - 1)) % switches));
        }
    }
    let both = pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    let mut links: Vec<_> =
        both.map(|(from, to)| GraphLink::new(from as u32, to as u32, 1)).collect();
    if dice.chance(50) {
        links.reverse();
    }
    links
}

fn framing(dice: &mut Dice, longest: u32) -> Framing {
    Framing {
        minimum_bytes: dice.one_of(&[0, 0, 8, longest]).min(longest),
        preamble_bytes: dice.one_of(&[0, 2, 8]),
        gap_bytes: dice.one_of(&[0, 0, 1, 12]),
    }
}

fn frames(dice: &mut Dice, longest: u64) -> Frames {
    let pause = dice.one_of(&[Pause::Off, Pause::Off, Pause::All, Pause::All, Pause::PerPriority]);
    let memory_bytes = match pause {
        Pause::Off => dice.one_of(&[None, Some(1), Some(2), Some(4)]),
        _ => dice.one_of(&[None, Some(2), Some(6), Some(20)]),
    };
    let memory_bytes = memory_bytes.map(|frames| frames * longest + dice.number(0, longest));
    let high = dice.number(1, memory_bytes.unwrap_or(6 * longest));
    Frames {
        engine: dice.one_of(&[Engine::PerSwitch, Engine::PerPort]),
        forwarding_ps: dice.one_of(&[0, 0, 3, 10, 40]),
        memory_bytes,
        pause,
        pause_high_bytes: high,
        pause_low_bytes: dice.number(0, high - 1),
    }
}

/// Rows of time, source, destination, bytes.
fn messages(dice: &mut Dice, nodes: u64) -> Vec<(u64, u32, u32, u32)> {
    let (each, spread) = (dice.number(1, 8), dice.one_of(&[1, 50, 400, 3_000]));
    let longest = dice.one_of(&[8, 40, 100]);
    let hot = dice.chance(30);
    let mut rows: Vec<_> = (0..each * nodes)
        .map(|_| {
            let from = dice.number(0, nodes - 1);
            let mut to = (from + dice.number(1, nodes - 1)) % nodes;
            if hot && from > 0 && dice.chance(50) {
                to = 0;
            }
            let bytes = if dice.chance(10) { 0 } else { dice.number(1, longest) };
            (dice.number(0, spread), from as u32, to as u32, bytes as u32)
        })
        .collect();
    rows.sort_unstable();
    rows
}

/// Sources of several classes, each with a length of its own, which send in steps.
fn classes(dice: &mut Dice, machine: &mut Machine) -> Workload {
    let count = dice.number(1, 4);
    let by_priority = dice.chance(50);
    if by_priority {
        machine.switch.arbiter = Arbiter::Priority;
    }
    let gap = dice.one_of(&[20, 60, 200]);
    let class = |number: u64| {
        let messages = Synthetic {
            bytes: Distribution::constant(7 + 13 * number),
            start: Start::Together,
            repeat: Some(6),
            throttle: Throttle::Outstanding { limit: 1_000_000 },
            ..synthetic(0, gap + number, Sync::Asynchronous)
        };
        Source { messages, reply: None, reply_bytes: Vec::new() }
    };
    let classes = (0..count).map(class).collect();
    let known = |number: u64| TrafficClass {
        name: format!("c{number}"),
        virtual_channels: None,
        priority: dice.number(0, 2) as u16,
    };
    machine.routing.traffic_classes = (0..count).map(known).collect();
    Workload::Traffic(Traffic { classes })
}
