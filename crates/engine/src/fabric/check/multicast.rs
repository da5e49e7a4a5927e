//! Which networks make copies of packets.

use crate::error::SpecError;
use crate::fabric::network::wiring::Wiring;
use crate::spec::{Fidelity, Machine, Multicast};

/// Refuses switches that are to make copies and cannot.
pub fn multicast(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let interface = &machine.interface;
    if interface.multicast != Multicast::Switches {
        return Ok(());
    }
    if !replicates(machine, fidelity) {
        return refuse("must be unicast or tree: these switches make no copies of packets");
    }
    if interface.costs().is_some() {
        return refuse("must be unicast or tree where messages cost something in software");
    }
    if interface.acknowledges {
        return refuse("must be unicast or tree where nodes acknowledge packets");
    }
    if interface.window.is_some() {
        return refuse("must be unicast or tree with a window: copies open it one by one");
    }
    Ok(())
}

/// The same of ways that copies of a packet cannot go together.
pub fn multicast_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if machine.interface.multicast == Multicast::Switches && wiring.routing.remembers() {
        return refuse(
            "must be unicast or tree with a routing by which packets remember their way",
        );
    }
    if machine.interface.multicast == Multicast::Switches && wiring.routing.chooses() {
        return refuse("must be unicast or tree with a routing that gives packets a choice");
    }
    Ok(())
}

fn refuse(allowed: &str) -> Result<(), SpecError> {
    let name = Multicast::Switches.name();
    Err(SpecError::new("machine.interface.multicast", name, allowed))
}

/// Whether the switches of a machine make copies of packets, at a fidelity.
fn replicates(machine: &Machine, fidelity: Fidelity) -> bool {
    let makes_copies = machine.forwards_frames() || machine.switch.cells.is_some();
    makes_copies && fidelity == Fidelity::Packet
}
