//! What messages that share links need of a network.

use crate::error::SpecError;
use crate::fabric::check;
use crate::fabric::network::wiring::Wiring;
use crate::spec::Machine;

/// Refuses networks in which their ways depend on what happens.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    check::packets_wait(machine, wiring)?;
    check::no_loads(machine, wiring)
}
