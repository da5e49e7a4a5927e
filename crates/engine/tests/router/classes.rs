//! Traffic classes of different priority: random ones, and what their sources send.

use crate::cases::nodes;
use crate::random::Dice;
use crate::random::finished;
use tailback_engine::spec::{
    Allocator, Arbiter, Distribution, Messages, Mode, Pattern, Source, Spec, Start, Sync,
    Synthetic, Throttle, Traffic, TrafficClass, Workload,
};

/// A machine whose switches order packets by class, and sources of some classes.
pub fn spec(dice: &mut Dice) -> Spec {
    let mut spec = crate::clocked::spec(dice);
    let all =
        [Allocator::SeparableInputFirst, Allocator::SeparableOutputFirst, Allocator::Wavefront];
    let machine = &mut spec.machine;
    let pipeline = machine.switch.pipeline.as_mut().expect("a clock");
    (pipeline.allocator, pipeline.vc_allocator) = (dice.one_of(&all), dice.one_of(&all));
    machine.switch.arbiter = Arbiter::Priority;
    let count = dice.number(2, 4);
    // Several may be alike.
    let known = |number: u64| TrafficClass {
        name: format!("c{number}"),
        virtual_channels: None,
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
    spec
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
