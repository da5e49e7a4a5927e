//! Worms between nodes that are their own switches, over links of several rates.

use super::{alone, row, run};
use crate::common::parts::{Scheme, rate, set_rates};
use crate::common::{message_list, spec};
use tailback_engine::spec::*;

/// A square of nodes whose links along x and y take so long for a flit; wires take 5 ps,
/// arbitration 3 ps, and a message has begun with four bytes.
fn square(x_ps: u64, y_ps: u64) -> Machine {
    let mut machine = row(1);
    machine.topology = TopologySpec::Mesh { dims: vec![2, 2] };
    (machine.link.delay_ps, machine.switch.delay_ps) = (5, 3);
    machine.interface.early_bytes = 4;
    Scheme::Wormhole.join(&mut machine);
    set_rates(&mut machine, [rate(x_ps, x_ps), rate(y_ps, y_ps)]);
    machine
}

/// When a message of nine bytes across the square has begun, in every mode.
fn begins(machine: &Machine, fidelity: Fidelity) -> u128 {
    let rows = message_list(&[(0, 0, 3, 9)]);
    let found = [Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free].map(|mode| {
        let run = run(&Spec { fidelity, ..spec(machine.clone(), rows.clone(), mode) });
        run.simulation.measures().message_begins.as_ref().unwrap().moments.sum
    });
    assert!(found.iter().all(|sum| *sum == found[0]), "{found:?}");
    found[0]
}

#[test]
fn a_worm_is_as_fast_as_its_slowest_link() {
    for fidelity in [Fidelity::Flit, Fidelity::Worm] {
        // The header asks at 3 and at 3 + 10 + 5 + 3; then ten flits of 20 ps.
        let onto_slow = square(10, 20);
        assert_eq!(alone(&onto_slow, fidelity, (0, 3, 9)), (3, 21 + 200 + 5));
        assert_eq!(begins(&onto_slow, fidelity), 21 + 5 * 20 + 5);
        // The last flit is there at 3 + 200 + 5, and takes 10 ps more.
        let onto_fast = square(20, 10);
        assert_eq!(alone(&onto_fast, fidelity, (0, 3, 9)), (3, 208 + 10 + 5));
        assert_eq!(begins(&onto_fast, fidelity), 3 + 100 + 5 + 10 + 5);
        // Of one rate, with an end token that takes longer than a flit.
        let mut long_end = square(10, 10);
        long_end.link.end_token = true;
        set_rates(&mut long_end, [rate(10, 25), rate(10, 25)]);
        assert_eq!(alone(&long_end, fidelity, (0, 3, 9)), (3, 3 + 100 + 25 + 5 + 25 + 5));
    }
}
