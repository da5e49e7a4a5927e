//! Random virtual channels, routing with choices, and lists of links.

use super::ways::ON_ANY_LINKS;
use crate::common::parts::{clear_rates, delayed, rate, set_rates};
use crate::common::random::Dice;
use tailback_engine::Simulation;
use tailback_engine::spec::{
    Arbiter, HalfDuplex, LinkClass, Machine, Queueing, RoutingSpec, Selection, Sharing, Spec,
    Switching, TopologySpec, Unit, Weighing,
};

/// Virtual channels, most often with one wire for several.
pub fn share(dice: &mut Dice, machine: &mut Machine) {
    machine.switch.virtual_channels = dice.one_of(&[1, 1, 2, 2, 3, 4]);
    let kinds = [Sharing::RoundRobin, Sharing::RoundRobin, Sharing::UntilStall, Sharing::Separate];
    machine.link.sharing = dice.one_of(&kinds);
}

/// Receive FIFOs of a few packets, or only draining, mostly at less than the rate of the links.
pub fn receive(dice: &mut Dice, machine: &mut Machine) {
    let (interface, flit) = (&mut machine.interface, machine.link.flit_ps);
    interface.receive_fifo = dice.one_of(&[None, Some(1), Some(1), Some(2), Some(2), Some(5)]);
    let times = [flit / 4 + 1, flit, flit + 1, 2 * flit, 4 * flit, 9 * flit];
    interface.drain_byte_ps = Some(dice.one_of(&times));
    if interface.receive_fifo.is_some() && dice.chance(10) {
        interface.drain_byte_ps = None;
    }
}

/// Some or all wires are shared by both directions.
pub fn halve(dice: &mut Dice, machine: &mut Machine) {
    let kinds = [HalfDuplex::Flit, HalfDuplex::Flit, HalfDuplex::No];
    machine.link.half_duplex = dice.one_of(&kinds);
    let own = dice.one_of(&[None, None, Some(HalfDuplex::Flit), Some(HalfDuplex::No)]);
    machine.set_node_link(|class| class.half_duplex = own);
    for class in machine.link_classes.values_mut() {
        class.half_duplex = dice.one_of(&[None, Some(HalfDuplex::Flit), Some(HalfDuplex::No)]);
    }
}

/// On a mesh, routing that leaves packets a choice; with a way out if `may_escape`.
pub fn choose(dice: &mut Dice, machine: &mut Machine, may_escape: bool) {
    let TopologySpec::Mesh { dims } = &machine.topology else { return };
    let switch = &mut machine.switch;
    let mut routings = vec![RoutingSpec::WestFirst, RoutingSpec::NegativeFirst];
    if dims.len() == 2 {
        routings.push(RoutingSpec::OddEven);
    }
    if may_escape {
        switch.virtual_channels = switch.virtual_channels.max(2);
        let order = (0..dims.len() as u32).rev().collect();
        routings.push(RoutingSpec::MinimalAdaptive { order });
        routings.push(RoutingSpec::MinimalAdaptive { order: Vec::new() });
    }
    machine.routing.algorithm =
        routings.swap_remove(dice.number(0, routings.len() as u64 - 1) as usize);
    let (any, fewest, room) = (Selection::Random, Selection::FewestWaiting, Selection::MostCredit);
    machine.routing.selection = dice.one_of(&[Selection::First, any, fewest, room]);
}

/// A few switches joined by a tree of links both ways and perhaps some more, of any widths
/// and with any delays up to `longest`, and a few nodes that may leave elsewhere than they enter.
pub fn graph(dice: &mut Dice, machine: &mut Machine, longest: u64) {
    let switches = dice.number(1, 6) as u32;
    let (mut links, usual) = (Vec::new(), machine.link.delay_ps);
    let mut add = |dice: &mut Dice, from, to| {
        let width = dice.one_of(&[1, 1, 1, 2, 3]);
        let delay_ps = if dice.chance(50) { 0 } else { dice.number(0, longest) };
        links.push(delayed(from, to, width, usual + delay_ps));
    };
    for switch in 1..switches {
        let other = dice.number(0, u64::from(switch) - 1) as u32;
        add(dice, switch, other);
        add(dice, other, switch);
    }
    for _ in 0..dice.one_of(&[0, 0, 1, 2, 6]) {
        let (from, to) = (dice.number(1, switches.into()), dice.number(1, switches.into()));
        if from != to {
            add(dice, from as u32 - 1, to as u32 - 1);
        }
    }
    let any = |dice: &mut Dice, count| -> Vec<u32> {
        (0..count).map(|_| dice.number(0, u64::from(switches) - 1) as u32).collect()
    };
    let count = dice.number(2, 9);
    let nodes = any(dice, count);
    let leaves = if dice.chance(30) { any(dice, count) } else { Vec::new() };
    machine.topology = TopologySpec::Graph {
        switches,
        links,
        nodes,
        leaves,
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    // What is drawn here changes nothing else of a case.
    let mut own = dice.clone();
    let number = own.number(0, ON_ANY_LINKS.len() as u64 - 1);
    machine.routing.algorithm = ON_ANY_LINKS[number as usize].clone();
    if number > 0 {
        machine.switch.virtual_channels = own.number(1, 6) as u32;
    }
    clear_rates(machine);
}

/// On a list of links, to which more are added that make ways round: ways compared by load.
pub fn weigh(dice: &mut Dice, machine: &mut Machine) {
    let delay_ps = machine.link.delay_ps;
    let TopologySpec::Graph { switches, links, leaves, .. } = &mut machine.topology else {
        return;
    };
    leaves.clear();
    let count = *switches;
    for (from, to) in (0..count).flat_map(|from| (0..from).map(move |to| (from, to))) {
        if dice.chance(40) && !links.iter().any(|link| (link.from, link.to) == (from, to)) {
            let width = dice.one_of(&[1, 1, 2]);
            links.extend([delayed(from, to, width, delay_ps), delayed(to, from, width, delay_ps)]);
        }
    }
    let weighing = Weighing {
        threshold: dice.one_of(&[0, 0, -5, 3, 20]),
        doubles: dice.chance(40),
        only_behind: dice.chance(30),
    };
    let order = Vec::new();
    machine.routing.algorithm = if dice.chance(50) {
        RoutingSpec::UgalL { order, weighing }
    } else {
        RoutingSpec::UgalG { order, weighing }
    };
    // A class for each hop of two of the longest ways there may be.
    machine.switch.virtual_channels = dice.one_of(&[10, 10, 12]);
}

/// Links of several rates and delays, other switching, and buffers without bounds.
pub fn vary(dice: &mut Dice, machine: &mut Machine) {
    let link = machine.link;
    let class = |dice: &mut Dice| {
        let scale = dice.one_of(&[(1, 1), (2, 1), (1, 2), (4, 1), (1, 4), (3, 2)]);
        let scaled = |time: u64| time * scale.0 / scale.1 + 1;
        let mut class = LinkClass::default();
        if dice.chance(60) {
            class = rate(scaled(link.flit_ps), scaled(link.control_ps));
        }
        if dice.chance(30) {
            class.delay_ps = Some(dice.number(0, 3 * link.flit_ps));
        }
        if dice.chance(20) {
            class.width = Some(dice.number(1, 3) as u32);
        }
        class
    };
    if dice.chance(50) {
        let own = class(dice);
        machine.set_node_link(|node| *node = LinkClass { width: own.width.or(node.width), ..own });
    }
    let dimensions = match &mut machine.topology {
        TopologySpec::Mesh { dims } => dims.len(),
        TopologySpec::Hypercube { dimensions } => *dimensions as usize,
        TopologySpec::Graph { links, .. } => {
            for link in links {
                let own = class(dice);
                (link.flit_ps, link.control_ps) = (own.flit_ps, own.control_ps);
            }
            0
        }
        _ => 0,
    };
    let classes: Vec<LinkClass> = (0..dimensions).map(|_| class(dice)).collect();
    if dice.chance(60) {
        set_rates(machine, classes);
    }
    let all = [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward];
    machine.switch.switching = dice.one_of(&all);
    if dice.chance(20) {
        machine.switch.edge_delay_ps = dice.number(1, 4 * link.flit_ps);
    }
    if dice.chance(30) {
        machine.switch.input_buffer_flits = None;
    }
    if dice.chance(20) {
        // Messages are packets: there must be room for the longest.
        machine.interface.unit = Unit::Message;
        machine.interface.packet_bytes = 1_000;
        machine.switch.input_buffer_flits = None;
    }
}

/// Queues for each output; inputs send one packet at a time, several, or as many as they usually do.
pub fn queue(dice: &mut Dice, machine: &mut Machine) {
    let switch = &mut machine.switch;
    if !switch.switching.keeps_whole_packets() {
        switch.switching = dice.one_of(&[Switching::CutThrough, Switching::StoreAndForward]);
    }
    switch.queueing = dice.one_of(&[Queueing::Voq, Queueing::Voq, Queueing::Output]);
    if switch.queueing == Queueing::Voq {
        switch.input_speedup = dice.one_of(&[None, Some(1), Some(1), Some(2), Some(3)]);
    }
}

/// Circuits of the channels there are: each has a wire of its own.
pub fn make_circuits(dice: &mut Dice, machine: &mut Machine) {
    let switch = &mut machine.switch;
    switch.switching = Switching::Circuit;
    switch.edge_delay_ps = 0;
    switch.arbiter = dice.one_of(&[Arbiter::Fifo, Arbiter::OldestFirst]);
    machine.link.sharing = Sharing::Separate;
    machine.routing.selection = Selection::First;
}

/// Drops the last links of a graph until nothing can deadlock: at the latest, a tree is left.
pub fn without_deadlock(spec: &mut Spec) {
    while let Err(error) = Simulation::new(spec) {
        assert!(error.to_string().contains("deadlock"), "{error}");
        let TopologySpec::Graph { links, .. } = &mut spec.machine.topology else {
            panic!("{error}");
        };
        links.pop();
    }
}
