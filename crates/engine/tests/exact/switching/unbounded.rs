//! Buffers without bounds, in the fidelities that count flits or follow streams.

use super::{row, run};
use crate::common::{message_list, spec};
use tailback_engine::error::RunError;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::*;
use tailback_engine::{PacketRow, Simulation};

/// A mesh with an end token, and flow control as a fidelity wants it.
fn mesh(fidelity: Fidelity, input_buffer_flits: Option<u32>) -> Machine {
    let mut machine = row(1);
    machine.topology = TopologySpec::Mesh { dims: vec![3, 3] };
    machine.switch.switching = Switching::Wormhole;
    machine.link.end_token = true;
    machine.interface.packet_bytes = 40;
    if fidelity == Fidelity::Token {
        machine.link.flow_control = FlowControl::InBand;
    }
    machine.switch.input_buffer_flits = input_buffer_flits;
    machine
}

fn rows(seed: u64) -> Workload {
    let mut dice = Stream::new(seed, Purpose::Start, 0);
    let mut rows = Vec::new();
    for number in 0..150 {
        let (source, step) = (dice.below(9) as u32, 1 + dice.below(8) as u32);
        rows.push((number * 40, source, (source + step) % 9, dice.below(120) as u32));
    }
    message_list(&rows)
}

#[test]
fn no_bound_is_as_a_bound_that_is_never_met() {
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Stream, Fidelity::Token] {
        for seed in 0..20 {
            let packets = |buffer: Option<u32>| -> (Vec<PacketRow>, u64) {
                let machine = mesh(fidelity, buffer);
                let run = run(&Spec { fidelity, ..spec(machine, rows(seed), Mode::Full) });
                (run.data(), run.simulation.counters().busy_internal_ps)
            };
            let unbounded = packets(None);
            assert_eq!(unbounded, packets(Some(1 << 18)), "{fidelity:?} {seed}");
            assert_eq!(unbounded, packets(Some(Switch::MOST_FLITS)), "{fidelity:?} {seed}");
            assert_ne!(unbounded, packets(Some(16)), "{fidelity:?} {seed}");
        }
    }
}

/// Two nodes send more to a third than it takes, and more than can be counted stands before it.
#[test]
fn a_run_ends_that_needs_more_flits_than_can_be_told_apart() {
    let mut machine = row(1);
    machine.topology = TopologySpec::Star { nodes: 3 };
    machine.switch.switching = Switching::Wormhole;
    machine.interface.packet_bytes = 1 << 24;
    machine.switch.input_buffer_flits = None;
    let advance = |machine: &Machine, messages: u32| {
        let list: Vec<_> = (0..2 * messages).map(|row| (0, row % 2, 2, 1 << 24)).collect();
        let fidelity = Fidelity::Worm;
        let spec = Spec { fidelity, ..spec(machine.clone(), message_list(&list), Mode::Full) };
        Simulation::new(&spec).unwrap().advance(u64::MAX, u64::MAX)
    };
    assert!(advance(&machine, 60).is_ok());
    let error = advance(&machine, 150).unwrap_err();
    let RunError::BufferTooFull { place, limit: 1_073_741_824, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((place.from.0, place.to), (false, (true, 0)));
    assert!(error.to_string().contains(
        "to switch 0 (channel 0) is to hold more than 1073741824 flits; give input_buffer, or \
         offer less"
    ));
    machine.switch.input_buffer_flits = Some(Switch::MOST_FLITS);
    assert!(advance(&machine, 150).is_ok());
}
