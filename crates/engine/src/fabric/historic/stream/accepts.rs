//! What streams need of a network.

use crate::error::SpecError;
use crate::fabric::check;
use crate::fabric::network::wiring::Wiring;
use crate::spec::{Fidelity, Machine};

/// Refuses networks in which streams do not have one rate and one way.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    check::own_wires(machine, wiring, Fidelity::Stream)?;
    check::packets_wait(machine, wiring)?;
    check::one_output(machine, wiring)?;
    check::no_loads(machine, wiring)?;
    if wiring.is_uniform() {
        return Ok(());
    }
    Err(SpecError::new(
        "machine.topology",
        "links with delays of their own",
        "must all have the same delay with fidelity stream; use worm, flit or packet",
    ))
}
