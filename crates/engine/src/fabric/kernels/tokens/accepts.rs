//! What flow-control tokens in band need.

use crate::error::SpecError;
use crate::fabric::check::{self, within};
use crate::fabric::network::wiring::Wiring;
use crate::spec::{Fidelity, FlowControl, Machine, Switch};

/// Refuses machines without them.
pub fn accepts(machine: &Machine) -> Result<(), SpecError> {
    let (link, switch) = (&machine.link, &machine.switch);
    if link.flow_control != FlowControl::InBand {
        return Err(SpecError::new(
            "machine.link.flow_control",
            link.flow_control.name(),
            "must be in_band with fidelity token; use worm or flit",
        ));
    }
    let field = "machine.switch.output_buffer_flits";
    if switch.output_buffer_flits == 0 {
        return Err(SpecError::new(field, 0, "must be at least 1 flits with fidelity token"));
    }
    within(field, switch.output_buffer_flits.into(), 1, Switch::MOST_FLITS.into())
}

/// Refuses networks in which they have no way.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    check::own_wires(machine, wiring, Fidelity::Token)?;
    check::packets_wait(machine, wiring)?;
    check::one_output(machine, wiring)?;
    check::no_loads(machine, wiring)?;
    let with = "fidelity token, whose flow-control tokens use it";
    wiring.layout.check_ways_back(with, |_| true)
}
