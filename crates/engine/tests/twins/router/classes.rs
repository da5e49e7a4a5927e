//! Traffic classes of different priority, or with virtual channels of their own: random ones, and what
//! their sources send.

use crate::common::random::{Dice, finished};
use crate::reference::cases::nodes;
use tailback_engine::spec::{
    Allocator, Arbiter, Distribution, Messages, Mode, Pattern, RoutingSpec, Source, Spec, Start,
    Sync, Synthetic, Throttle, TopologySpec, Traffic, TrafficClass, Workload,
};

/// A machine whose switches order packets by class, and sources of some classes.
pub fn spec(dice: &mut Dice) -> Spec {
    let mut spec = super::cases::spec(dice);
    let all =
        [Allocator::SeparableInputFirst, Allocator::SeparableOutputFirst, Allocator::Wavefront];
    let machine = &mut spec.machine;
    let pipeline = machine.switch.pipeline.as_mut().expect("a clock");
    (pipeline.allocator, pipeline.vc_allocator) = (dice.one_of(&all), dice.one_of(&all));
    machine.switch.arbiter = Arbiter::Priority;
    add_classes(dice, &mut spec, |_| None);
    spec
}

/// A machine whose links, mostly those of nodes, too, have virtual channels for some classes each, and
/// perhaps switches that order packets by class.
pub fn apart(dice: &mut Dice) -> Spec {
    let mut case = if dice.chance(30) { spec(dice) } else { super::cases::spec(dice) };
    while matches!(case.machine.topology, TopologySpec::Graph { .. }) {
        case = super::cases::spec(dice);
    }
    let machine = &mut case.machine;
    // Each needs virtual channels for all classes of the routing.
    let is_torus = matches!(machine.topology, TopologySpec::Torus { .. });
    let escapes = matches!(machine.routing.algorithm, RoutingSpec::MinimalAdaptive { .. });
    let least = if is_torus || escapes { 2 } else { 1 };
    let (mut shares, mut first) = (Vec::new(), 0);
    for _ in 0..dice.number(2, 3) {
        let size = least + dice.one_of(&[0, 0, 1, 2]);
        shares.push((first, first + size - 1));
        first += size;
    }
    machine.switch.virtual_channels = first;
    machine.switch.node_virtual_channels = if dice.chance(85) { first } else { 1 };
    if dice.chance(70) {
        // Then less stands in the way elsewhere.
        machine.set_node_link(|class| class.width = Some(1));
    }
    add_classes(dice, &mut case, |number| Some(shares[number as usize % shares.len()]));
    case
}

/// Classes, each with the virtual channels of a share, and their sources: all shares are somebody's.
fn add_classes(dice: &mut Dice, spec: &mut Spec, share: impl Fn(u64) -> Option<(u32, u32)>) {
    let machine = &mut spec.machine;
    let count = if share(0).is_some() { dice.number(3, 5) } else { dice.number(2, 4) };
    // Several may be alike.
    let known = |number: u64| TrafficClass {
        name: format!("c{number}"),
        virtual_channels: share(number),
        priority: dice.number(0, 3) as u16,
    };
    machine.routing.traffic_classes = (0..count).map(known).collect();
    let nodes = nodes(machine);
    let cycle = machine.link.flit_ps;
    let source = |number: u64| {
        let ahead = dice.number(1, nodes - 1);
        let to = (0..nodes).map(|node| ((node + ahead) % nodes) as u32).collect();
        let messages = Synthetic {
            processes_per_node: 1,
            pattern: Pattern::Permutation { to },
            radius: 0,
            compute: Distribution::constant(cycle * dice.number(2, 30) + dice.number(0, 1)),
            messages: 1,
            // By their lengths they are told apart.
            bytes: Distribution::constant(1 + 3 * number + dice.number(0, 2)),
            mix: Vec::new(),
            includes_self: false,
            sync: Sync::Asynchronous,
            throttle: Throttle::Outstanding { limit: 1_000_000 },
            start: dice.one_of(&[Start::Together, Start::Random]),
            repeat: Some(dice.number(1, 5) as u32),
        };
        Source { messages, reply: None, reply_bytes: Vec::new() }
    };
    spec.workload = Workload::Traffic(Traffic { classes: (0..count).map(source).collect() });
}

/// All messages, and their classes. Sources send whatever becomes of their messages: what they send
/// is seen where nothing is in the way.
pub fn sent(spec: &Spec) -> (Messages, Vec<usize>) {
    let traffic = match &spec.workload {
        Workload::Messages(list) => return (list.clone(), vec![0; list.time_ps.len()]),
        Workload::Traffic(traffic) => traffic,
        _ => panic!("lists of messages and traffic only"),
    };
    let mut rows = finished(&Spec { mode: Mode::Free, ..spec.clone() }, u64::MAX).take_packets();
    rows.sort_by_key(|row| (row.message, row.queued));
    let (mut list, mut classes) = (Messages::default(), Vec::new());
    for parts in rows.chunk_by(|one, other| one.message == other.message) {
        assert_eq!(parts[0].message, classes.len() as u64, "messages are numbered");
        let bytes: u32 = parts.iter().map(|part| part.bytes).sum();
        list.time_ps.push(parts[0].queued);
        list.source.push(parts[0].source);
        list.destination.push(parts[0].destination);
        list.bytes.push(bytes);
        let is_it = |class: &Source| class.messages.bytes.mean == u64::from(bytes);
        classes.push(traffic.classes.iter().position(is_it).expect("a length of a class"));
    }
    (list, classes)
}
