//! Messages of a node to itself that cross its own switch.

use crate::common::{message_list, spec};
use tailback_engine::spec::*;
use tailback_engine::{Progress, Simulation};

const HEADER: u64 = 100_000;
const DATA: u64 = 3_340_000;
const ACK: u64 = 140_000;

fn machine(switching: Switching) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![3, 2] });
    machine.interface.local = Local::Switch;
    machine.switch.switching = switching;
    machine
}

fn simulation(machine: &Machine, mode: Mode, fidelity: Fidelity) -> Result<Simulation, String> {
    let list = message_list(&[(0, 4, 4, 32), (1_000 * HEADER, 4, 3, 32)]);
    let spec = Spec { fidelity, ..spec(machine.clone(), list, mode) };
    Simulation::new(&spec).map_err(|error| error.to_string())
}

/// Injection, one switch, ejection: two channels, whichever the fidelity and the mode.
#[test]
fn a_node_reaches_itself_over_its_switch() {
    let wormhole = Switching::Wormhole;
    let fidelities = [
        (Switching::CutThrough, Fidelity::Packet, 0),
        (Switching::StoreAndForward, Fidelity::Packet, DATA - HEADER),
        (wormhole, Fidelity::Worm, 0),
        (wormhole, Fidelity::Flit, 0),
        (wormhole, Fidelity::Stream, 0),
        (wormhole, Fidelity::Token, 0),
    ];
    for (switching, fidelity, stored) in fidelities {
        for mode in [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free] {
            let mut machine = machine(switching);
            if fidelity != Fidelity::Token {
                machine.link.flow_control = FlowControl::OutOfBand;
            }
            let mut run = simulation(&machine, mode, fidelity).unwrap();
            assert_eq!(run.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
            let rows = run.take_packets();
            let of = |packet: usize| (rows[packet].hops, rows[packet].delivered);
            let what = format!("{switching:?} {fidelity:?} {mode:?}");
            if fidelity != Fidelity::Token {
                assert!(rows.len() == 4 && rows.iter().all(|row| row.hops >= 2), "{what}");
                assert!((0..4).any(|row| of(row) == (2, HEADER + DATA + stored)), "{what}");
                let ack = 2 * HEADER + 2 * stored + HEADER + ACK;
                assert!(stored > 0 || (0..4).any(|row| of(row) == (2, ack)), "{what}: {rows:?}");
            }
            assert_eq!(run.counters().messages_local, 0);
        }
        let mut run = simulation(&machine(switching), Mode::Ideal, Fidelity::Packet).ok().unwrap();
        assert_eq!(run.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
        assert_eq!(run.counters().messages_local, 1, "without packets in mode ideal");
    }
}

/// Without a switch there is none to cross, and integrated nodes have no link to theirs.
#[test]
fn it_needs_a_switch() {
    let refused = |machine: &Machine| simulation(machine, Mode::Full, Fidelity::Packet).err();
    let mut pair = Machine::t9000(TopologySpec::Pair);
    pair.interface.local = Local::Switch;
    let list = message_list(&[(0, 0, 0, 32)]);
    let error = Simulation::new(&spec(pair, list, Mode::Full)).err().unwrap().to_string();
    assert_eq!(error, "machine.interface.local = switch: must be memory: there is no switch");
    let mut integrated = machine(Switching::CutThrough);
    integrated.switch.integrated = true;
    let error = refused(&integrated).unwrap();
    assert!(error.starts_with("machine.interface.local = switch: must be memory with"), "{error}");
}
