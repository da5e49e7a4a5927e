//! What worms whose flits follow each other at equal distances need.

use crate::error::SpecError;
use crate::fabric::check;
use crate::fabric::network::wiring::Wiring;
use crate::spec::{Fidelity, Machine};

/// Refuses machines whose flits do not.
pub fn accepts(machine: &Machine) -> Result<(), SpecError> {
    if machine.link.packet_gap_ps > 0 {
        return Err(SpecError::new(
            "machine.link.packet_gap_ps",
            machine.link.packet_gap_ps,
            "must be 0 with fidelity worm, which needs flits at equal distances; use flit",
        ));
    }
    check::out_of_band(machine)
}

/// The same of networks.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    check::own_wires(machine, wiring, Fidelity::Worm)?;
    check::packets_wait(machine, wiring)?;
    check::integrated_wormhole(machine, wiring)?;
    if wiring.routing.properties().escapes == 0 {
        return Ok(());
    }
    check::refuse_routing(
        machine,
        "must be one without a way out with fidelity worm, which does not look again when \
         flits leave a buffer; use flit or packet",
    )
}
