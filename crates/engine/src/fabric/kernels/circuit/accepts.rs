//! What circuits need of a network.

use crate::error::SpecError;
use crate::fabric::network::wiring::Wiring;
use crate::routing::Otherwise;
use crate::spec::{Machine, Selection};

/// Circuits have their wires to themselves, and where nodes are switches are taken back channel
/// by channel.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let (routing, name) = (&wiring.routing, machine.routing.algorithm.name());
    let is_integrated = wiring.integrated_timing.is_some();
    if !is_integrated && wiring.layout.has_shared_wires() {
        let given = machine.link.sharing.name();
        let allowed = "must be separate with switching circuit and several virtual channels: a \
                       circuit has its wires to itself";
        return Err(SpecError::new("machine.link.sharing", given, allowed));
    }
    if routing.properties().otherwise != Otherwise::Wait || is_integrated && routing.remembers() {
        let allowed = if is_integrated {
            "must be one that depends on the switch and the destination alone, and comes nearer \
             at each step, with switching circuit"
        } else {
            "must be one whose packets wait with switching circuit"
        };
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    let selection = machine.routing.selection;
    if selection != Selection::First {
        let allowed = "must be first with switching circuit";
        return Err(SpecError::new("machine.routing.selection", selection.name(), allowed));
    }
    Ok(())
}
