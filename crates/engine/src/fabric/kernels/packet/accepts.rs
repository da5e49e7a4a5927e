//! What whole packets need of a network.

use crate::error::SpecError;
use crate::fabric::check::{refuse_routing, too_small};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::routing::Otherwise;
use crate::spec::{Fidelity, Machine, Switching};

/// Refuses networks in which packets cannot move as a whole.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let routing = &wiring.routing;
    if routing.weighs() && machine.makes_circuits() {
        let allowed = "must be one that does not compare loads with switching circuit";
        return refuse_routing(machine, allowed);
    }
    if routing.weighs() && wiring.goes_on_without_gap() {
        return refuse_routing(
            machine,
            "must be one that does not compare loads where links have different rates, with \
             fidelity packet; use flit",
        );
    }
    if routing.properties().otherwise == Otherwise::Wait {
        return Ok(());
    }
    moved_packets(machine, wiring)
}

/// Refuses what switches that send packets away cannot do.
fn moved_packets(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let (switch, name) = (&machine.switch, machine.routing.algorithm.name());
    if switch.switching == Switching::StoreAndForward {
        let allowed = format!("must be wormhole or cut_through with routing {name}");
        return Err(SpecError::new("machine.switch.switching", "store_and_forward", allowed));
    }
    let Some(input) = switch.input_buffer_flits else {
        let allowed = format!("must be a number with routing {name}: no buffer would be full");
        return Err(SpecError::new("machine.switch.input_buffer_flits", "unlimited", allowed));
    };
    // A packet enters the network only where a place stays free.
    let least = 2 * u64::from(Timing::of(machine).packet_flits(machine.interface.packet_bytes));
    if u64::from(input) < least {
        let content = format!("two packets with routing {name}");
        return Err(too_small(input, &content, least, Fidelity::Packet));
    }
    if !wiring.goes_on_behind_header() {
        let allowed = "must be one whose packets wait where links have different rates";
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    if wiring.routing.properties().otherwise == Otherwise::Store {
        let with = "chaos, where full switches swap packets over it";
        return wiring.layout.check_ways_back(with, |_| true);
    }
    Ok(())
}
