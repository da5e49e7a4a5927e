//! Routing with a way out, in switches that run by a clock. Where virtual channels are given away
//! as soon as a tail has left, nobody need get at the way out: a header stands behind others in a
//! buffer, or is bound to a channel whose buffer is full. Where buffers must be empty everybody
//! does.

use super::agreement::compare;
use super::cases as clocked;
use super::hand::{Row, messages, spec as by_hand};
use super::twin::Twin;
use crate::common::parts::delayed;
use crate::common::random::{Dice, check, finished, random_cases};
use crate::common::unit_cycles::{CYCLE, machine, pipeline};
use tailback_engine::Simulation;
use tailback_engine::error::RunError;
use tailback_engine::spec::{Allocator, Machine, Mode, Pipeline, RoutingSpec, Spec, TopologySpec};
use tailback_engine::time::Time;

const ADAPTIVE: RoutingSpec = RoutingSpec::MinimalAdaptive { order: Vec::new() };

fn grid(dims: &[u32], own: Pipeline) -> Machine {
    let mut machine = machine(TopologySpec::Mesh { dims: dims.to_vec() }, own);
    machine.routing.algorithm = ADAPTIVE;
    machine.routing.allow_deadlock = true;
    machine.switch.virtual_channels = 2;
    machine.set_node_link(|class| class.width = Some(2));
    machine
}

/// The corners of a square of a grid that is `wide` switches wide, clockwise from its lowest.
fn corners(lowest: u32, wide: u32) -> [u32; 4] {
    [lowest, lowest + 1, lowest + wide + 1, lowest + wide]
}

/// From every corner 60 flits to the next one anticlockwise, in packets of so many, and behind them
/// some packets to the corner opposite, which may go the other way round for that.
fn round(corners: [u32; 4], at: u64, packets: u32, flits: u32, ahead: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    for place in 0..4 {
        let [from, opposite, before] = [0, 2, 3].map(|turns| corners[(place + turns) % 4]);
        rows.extend((0..60 / ahead).map(|_| (at, from, before, ahead)));
        rows.extend((0..packets).map(|_| (at + 3, from, opposite, flits)));
    }
    rows.sort_unstable();
    rows
}

/// Gives every packet a buffer to itself, and takes the permission back.
fn apart(mut spec: Spec) -> Spec {
    spec.machine.switch.pipeline.as_mut().expect("a clock").atomic = true;
    spec.machine.routing.allow_deadlock = false;
    spec
}

/// Lets packets share a buffer.
fn together(mut spec: Spec) -> Spec {
    spec.machine.switch.pipeline.as_mut().expect("a clock").atomic = false;
    spec
}

/// How long packets are.
#[derive(Clone, Copy, Debug)]
enum Length {
    OneFlit,
    /// As many flits as a buffer has room for, at most.
    Fits,
    Any,
}

impl Length {
    /// Flits of a buffer, and of packets at most.
    fn draw(self, dice: &mut Dice) -> (u32, u32) {
        let (buffer, longest) = match self {
            Self::OneFlit => (dice.number(1, 4), 1),
            Self::Fits => {
                let longest = dice.number(2, 4);
                (longest + dice.one_of(&[0, 0, 1, longest]), longest)
            }
            Self::Any => (dice.number(1, 4), dice.number(2, 9)),
        };
        (buffer as u32, longest as u32)
    }
}

/// Packets that go round some squares of a grid, and others.
fn on_a_grid(dice: &mut Dice, length: Length) -> Spec {
    let shapes: [&[u32]; 5] = [&[2, 2], &[2, 2], &[3, 2], &[3, 3], &[2, 2, 2]];
    let dims = dice.one_of(&shapes);
    let mut machine = grid(dims, clocked::pipeline(dice));
    let (buffer, longest) = length.draw(dice);
    machine.switch.input_buffer_flits = Some(buffer);
    machine.switch.node_virtual_channels = dice.number(1, 8) as u32;
    machine.link.delay_ps = CYCLE * dice.number(0, 2);
    let mut rows = Vec::new();
    for _ in 0..dice.number(1, 3) {
        let place = |dice: &mut Dice, side: u32| dice.number(0, u64::from(side) - 2) as u32;
        let lowest = place(dice, dims[0]) + dims[0] * place(dice, dims[1]);
        let (at, packets) = (dice.number(0, 100), dice.number(1, 12) as u32);
        let flits = if dice.chance(50) { longest } else { dice.number(1, longest.into()) as u32 };
        let ahead = if matches!(length, Length::Any) { 60 } else { longest };
        rows.extend(round(corners(lowest, dims[0]), at, packets, flits, ahead));
    }
    let nodes = u64::from(dims.iter().product::<u32>());
    for _ in 0..dice.one_of(&[0, 0, 3, 30]) {
        let from = dice.number(0, nodes - 1);
        let to = (from + dice.number(1, nodes - 1)) % nodes;
        let flits = dice.number(1, longest.into()) as u32;
        rows.push((dice.number(0, 100), from as u32, to as u32, flits));
    }
    rows.sort_unstable();
    Spec { sample_interval_ps: 3 * CYCLE, ..by_hand(&machine, messages(&rows), Mode::Full) }
}

const LENGTHS: [Length; 3] = [Length::OneFlit, Length::Fits, Length::Any];

/// The way out is not kept open by packets that have one flit, nor by buffers that have room for
/// all of one.
#[test]
fn what_shares_buffers_stands_still_when_the_twin_does() {
    for length in LENGTHS {
        let (mut stuck, number) = (0, random_cases(300));
        for case in 0..number {
            let spec = together(on_a_grid(&mut Dice::new(500_000_000 + case), length));
            stuck += check(case, &spec, |spec| {
                let ran = Simulation::new(spec).unwrap().advance(Time::MAX, u64::MAX);
                let goes_on = Twin::new(spec).finish();
                assert_eq!(ran.is_ok(), goes_on, "{ran:?}");
                u64::from(!goes_on)
            });
        }
        assert!(stuck > number / 50, "{length:?}: {stuck} of {number} deadlock");
    }
}

#[test]
fn in_buffers_of_their_own_all_packets_arrive_as_in_the_twin() {
    for length in LENGTHS {
        for case in 0..random_cases(300) {
            let spec = apart(on_a_grid(&mut Dice::new(500_000_000 + case), length));
            check(case, &spec, |spec| compare(spec, u64::MAX));
        }
    }
}

/// Other networks, with other ways out, and the virtual channels that they need.
fn other_network(dice: &mut Dice) -> (TopologySpec, u32) {
    match dice.number(0, 3) {
        0 => (TopologySpec::Torus { dims: vec![dice.number(3, 6) as u32, 4] }, 3),
        1 => (TopologySpec::Torus { dims: vec![dice.number(5, 12) as u32] }, 3),
        2 => (TopologySpec::Hypercube { dimensions: dice.number(2, 4) as u32 }, 2),
        _ => {
            // A ring and some more links.
            let switches = dice.number(4, 9) as u32;
            let mut pairs: Vec<_> = (0..switches).map(|at| (at, (at + 1) % switches)).collect();
            for _ in 0..dice.number(0, 3) {
                let from = dice.number(0, u64::from(switches) - 1) as u32;
                pairs.push((from, (from + 2) % switches));
            }
            let both = pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
            let links = both.map(|(from, to)| delayed(from, to, 1, CYCLE)).collect();
            let nodes = (0..switches).collect();
            (
                TopologySpec::Graph {
                    switches,
                    links,
                    nodes,
                    leaves: Vec::new(),
                    node_links: Vec::new(),
                    classes: Vec::new(),
                },
                2,
            )
        }
    }
}

/// Full of packets, of which most go equally far.
fn elsewhere(dice: &mut Dice) -> Spec {
    let (topology, channels) = other_network(dice);
    let mut machine = machine(topology, clocked::pipeline(dice));
    machine.routing.algorithm = ADAPTIVE;
    machine.routing.allow_deadlock = true;
    machine.switch.virtual_channels = channels;
    let (buffer, longest) = Length::Any.draw(dice);
    machine.switch.input_buffer_flits = Some(buffer);
    let nodes = crate::reference::cases::nodes(&machine);
    let (usual, strays) = (dice.number(1, nodes - 1), dice.number(0, 50));
    let message = |dice: &mut Dice| {
        let from = dice.number(0, nodes - 1);
        let ahead = if dice.chance(strays) { dice.number(1, nodes - 1) } else { usual };
        let flits = dice.number(1, longest.into()) as u32;
        (dice.number(0, 20), from as u32, ((from + ahead) % nodes) as u32, flits)
    };
    let mut rows: Vec<_> = (0..nodes * dice.number(1, 40)).map(|_| message(dice)).collect();
    rows.sort_unstable();
    by_hand(&machine, messages(&rows), Mode::Full)
}

#[test]
fn in_buffers_of_their_own_all_packets_arrive_on_other_networks() {
    let (mut stuck, number) = (0, random_cases(1_000));
    for case in 0..number {
        let spec = elsewhere(&mut Dice::new(600_000_000 + case));
        check(case, &apart(spec.clone()), |spec| finished(spec, u64::MAX).now());
        let ran = Simulation::new(&together(spec)).unwrap().advance(Time::MAX, u64::MAX);
        stuck += u64::from(ran.is_err());
    }
    assert!(stuck > 0, "the cases are too easy");
}

/// Five switches in a ring, and of each a packet to the next but one, all at once.
fn ring(buffer: u32, flits: u32, route_cycles: u32) -> Spec {
    // One that prefers what routing prefers.
    let vc_allocator = Allocator::SeparableInputFirst;
    let mut machine = grid(&[5], Pipeline { route_cycles, vc_allocator, ..pipeline() });
    machine.topology = TopologySpec::Torus { dims: vec![5] };
    machine.switch.virtual_channels = 3;
    machine.switch.input_buffer_flits = Some(buffer);
    let rows: Vec<Row> = (0..5).map(|from| (0, from, (from + 2) % 5, flits)).collect();
    by_hand(&machine, messages(&rows), Mode::Full)
}

/// At the second switch every packet asks for the one adaptive channel on, which is free: the tail
/// of the packet before has left. It is given that, and waits for room in its buffer, which that
/// packet fills until it finds room itself.
#[test]
fn packets_are_bound_to_full_buffers_in_a_circle() {
    for (buffer, flits, route_cycles) in [(1, 1, 1), (4, 4, 8), (8, 8, 16)] {
        let spec = ring(buffer, flits, route_cycles);
        let error = Simulation::new(&spec).unwrap().advance(Time::MAX, u64::MAX).unwrap_err();
        let RunError::Deadlock { circle, .. } = &error else { panic!("{error}") };
        assert_eq!(circle.len(), 5, "{error}");
        for (place, blocked) in circle.iter().enumerate() {
            let (next, wanted) = (&circle[(place + 1) % 5], blocked.waits_for.channel);
            assert!(next.holds.iter().any(|held| held.channel == wanted), "{place} of {error}");
        }
        let rows = finished(&apart(spec), u64::MAX).take_packets();
        assert_eq!(rows.iter().map(|row| row.hops).collect::<Vec<_>>(), [4; 5]);
    }
}

#[test]
fn it_is_refused_without_permission_wherever_channels_could_close_a_circle() {
    let refusal = |topology: TopologySpec, channels| {
        let mut spec = ring(16, 1, 1);
        spec.workload = messages(&[(0, 0, 1, 1)]);
        spec.machine.topology = topology;
        spec.machine.switch.virtual_channels = channels;
        spec.machine.routing.allow_deadlock = false;
        let refused = Simulation::new(&spec).err().map(|error| error.to_string());
        let channels = channels.max(2);
        spec.machine.switch.virtual_channels = channels;
        assert!(Simulation::new(&apart(spec)).is_ok());
        refused.unwrap_or_default()
    };
    let mesh = |dims: &[u32]| TopologySpec::Mesh { dims: dims.to_vec() };
    assert_eq!(
        refusal(mesh(&[2, 2]), 2),
        "machine.routing = minimal_adaptive: can deadlock: channel 0->1 waits for channel 1->3 \
         (class 1) waits for channel 3->2 waits for channel 2->0 (class 1) waits for the first; \
         routes 0->3, 1->2, 3->0, 2->1; needs switch.pipeline.atomic = true, or allow_deadlock = \
         true"
    );
    let text = refusal(mesh(&[2, 2]), 1);
    let both =
        "needs 2 virtual channels and switch.pipeline.atomic = true, or allow_deadlock = true";
    assert!(text.ends_with(both), "{text}");
    // On a line there is no circle to close.
    assert_eq!(refusal(mesh(&[4]), 2), "");
}
