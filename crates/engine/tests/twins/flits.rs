//! A machine with wide flits does what the same machine does whose sizes are scaled by hand.

use crate::common::parts::{self, Scheme};
use crate::common::random::{Dice, check, random_cases, same_packets};
use crate::cycles::cases as small;
use crate::reference::cases::{self, Kind};
use crate::transports::stored::cases as stored;
use tailback_engine::error::RunError;
use tailback_engine::measure::{ChannelTally, NodeTally, Use};
use tailback_engine::spec::{Fidelity, FlowControl, Mode, Spec, Step, Sync, Workload};
use tailback_engine::{PacketRow, Progress, Simulation};

/// The same with wide flits: headers, packets and messages are as many flits, of which the
/// last need not be full.
fn widened(spec: &Spec, flit: u32, dice: &mut Dice) -> Spec {
    let mut spec = spec.clone();
    let mut any = |flits: u32| match flits {
        0 => 0,
        _ => flits * flit - dice.number(0, u64::from(flit) - 1) as u32,
    };
    let interface = &mut spec.machine.interface;
    spec.machine.link.flit_bytes = flit;
    interface.header_bytes = any(interface.header_bytes);
    interface.packet_bytes *= flit;
    interface.first_packet_bytes = interface.first_packet_bytes.map(|bytes| bytes * flit);
    interface.early_bytes *= flit;
    match &mut spec.workload {
        Workload::Messages(list) => {
            list.bytes.iter_mut().for_each(|bytes| *bytes = any(*bytes as u32).into());
        }
        Workload::Program(program) => {
            for step in program.processes.iter_mut().flat_map(|process| &mut process.steps) {
                if let Step::Send { bytes, .. } = step {
                    *bytes = any(*bytes as u32).into();
                }
            }
        }
        Workload::Synthetic(synthetic) => {
            synthetic.bytes.mean = any(synthetic.bytes.mean as u32).into();
        }
        Workload::Traffic(_) | Workload::External(_) | Workload::Trace(_) | Workload::Jobs(_) => {
            unreachable!("not generated")
        }
    }
    spec
}

/// All that is to be the same: packets with their data in flits, channels and nodes.
#[derive(Debug, PartialEq)]
struct Outcome {
    rows: Vec<PacketRow>,
    used: Vec<Use>,
    waits: Vec<ChannelTally>,
    nodes: Vec<NodeTally>,
    begins: Option<u128>,
    events: u64,
}

fn outcome(spec: &Spec) -> Outcome {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}: {spec:?}"));
    match simulation.advance(300_000_000_000, 50_000) {
        Ok(Progress::Finished | Progress::Time | Progress::Events)
        | Err(RunError::Deadlock { .. }) => {}
        other => panic!("{other:?}"),
    }
    let flit = spec.machine.link.flit_bytes;
    let in_flits = |row: PacketRow| PacketRow { bytes: row.bytes.div_ceil(flit), ..row };
    let measures = simulation.measures();
    let begins = measures.message_begins.as_ref().map(|begins| begins.moments.sum);
    // The first bytes that are there may be those of a short packet that came before a long one,
    // whose last flit is not full.
    let begins = begins.filter(|_| spec.machine.sends_whole_messages());
    Outcome {
        waits: measures.channels.clone(),
        begins,
        used: simulation.channels_used(),
        nodes: simulation.node_tallies(),
        events: simulation.events(),
        rows: simulation.take_packets().into_iter().map(in_flits).collect(),
    }
}

/// A random case of one of many kinds.
fn case(number: u64, dice: &mut Dice) -> Spec {
    let modes = [Mode::Full, Mode::Full, Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
    let mut spec = match number % 8 {
        0 => cases::spec(dice, Kind::Messages),
        1 => cases::spec(dice, Kind::Exchange),
        2 => {
            let mut spec = cases::spec(dice, Kind::Synthetic(Sync::AsynchronousBlocking));
            let Workload::Synthetic(synthetic) = &mut spec.workload else { unreachable!() };
            // Else it would be rounded.
            synthetic.bytes = tailback_engine::spec::Distribution::constant(dice.number(0, 99));
            spec
        }
        3 => stored::spec(&mut Dice::new(number)),
        4 => small::integrated(dice),
        5 => {
            let mut spec = small::integrated(dice);
            parts::clear_rates(&mut spec.machine);
            spec.machine.interface.packet_bytes = 1_000;
            [Scheme::Circuit, Scheme::CutThrough, Scheme::StoreAndForward]
                [dice.number(0, 2) as usize]
                .join(&mut spec.machine);
            spec.machine.switch.arbiter = tailback_engine::spec::Arbiter::Fifo;
            spec.fidelity = Fidelity::Packet;
            spec
        }
        _ => small::spec(dice),
    };
    spec.mode = dice.one_of(&modes);
    match number % 8 {
        0..=2 if dice.chance(30) => spec.fidelity = Fidelity::Stream,
        6 | 7 => {
            let all = [Fidelity::Flit, Fidelity::Worm, Fidelity::Token];
            spec.fidelity = dice.one_of(&all);
            spec.machine.interface.acknowledges = dice.chance(30);
        }
        _ => {}
    }
    if spec.fidelity == Fidelity::Token {
        spec.machine.link.flow_control = FlowControl::InBand;
        spec.machine.switch.input_buffer_flits = Some(dice.number(10, 90) as u32);
        spec.machine.switch.output_buffer_flits = dice.number(1, 50) as u32;
    }
    if spec.fidelity == Fidelity::Worm {
        spec.machine.link.packet_gap_ps = 0;
    }
    spec
}

#[test]
fn wide_flits_are_as_good_as_a_machine_scaled_by_hand() {
    let mut packets = 0;
    let number_of_cases = random_cases(240);
    for number in 0..number_of_cases {
        let mut dice = Dice::new(700_000 + number);
        let spec = case(number, &mut dice);
        let flit = dice.one_of(&[16, 16, 2, 3, 64]);
        packets += check(number, &spec, |spec| {
            let expected = outcome(spec);
            let got = outcome(&widened(spec, flit, &mut dice.clone()));
            same_packets(&expected.rows, &got.rows);
            let packets = got.rows.len() as u64;
            let rest = |outcome: Outcome| Outcome { rows: Vec::new(), ..outcome };
            assert_eq!(rest(got), rest(expected), "flits of {flit} bytes, of one");
            packets
        });
    }
    assert!(packets > 20 * number_of_cases, "hardly any packets: {packets}");
}
