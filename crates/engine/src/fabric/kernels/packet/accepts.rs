//! What whole packets need of a network.

use crate::error::SpecError;
use crate::fabric::check::{refuse_routing, too_small, within};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::routing::Otherwise;
use crate::spec::{Fidelity, Machine, Queueing, Switching};

/// Most packets that an input sends at a time, where that is given.
const MOST_SPEEDUP: u64 = 64;

/// Refuses queues for each output where packets do not wait as a whole in the input buffers of switches.
pub fn accepts(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let switch = &machine.switch;
    let queueing = switch.queueing;
    if let Some(given) = switch.input_speedup {
        let field = "machine.switch.input_speedup";
        if queueing != Queueing::Voq {
            return Err(SpecError::new(field, given, "must be left out without queueing voq"));
        }
        within(field, given.into(), 1, MOST_SPEEDUP)?;
    }
    if queueing == Queueing::Fifo {
        return Ok(());
    }
    let crosses = switch.switching.keeps_whole_packets();
    let with = match () {
        () if fidelity != Fidelity::Packet => format!("fidelity {}", fidelity.name()),
        () if !crosses => format!("switching {}", switch.switching.name()),
        () if switch.integrated => "switch.integrated".into(),
        () if switch.pipeline.is_some() => "switch.pipeline".into(),
        () if switch.frames.is_some() => "switch.forwarding".into(),
        () if switch.cells.is_some() => "switch.segmentation".into(),
        () if machine.interface.reply_queue.is_some() => "interface.reply_queue".into(),
        () => return Ok(()),
    };
    let allowed = format!("must be fifo with {with}");
    Err(SpecError::new("machine.switch.queueing", queueing.name(), allowed))
}

/// Refuses networks in which packets cannot move as a whole.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let routing = &wiring.routing;
    let properties = routing.properties();
    let may_commit = properties.escapes == 0 && properties.otherwise == Otherwise::Wait;
    if !machine.switch.queueing.is_fifo() && !may_commit {
        let name = machine.routing.algorithm.name();
        let allowed = format!("must be fifo with routing {name}: who waits may take another way");
        let given = machine.switch.queueing.name();
        return Err(SpecError::new("machine.switch.queueing", given, allowed));
    }
    if routing.weighs() && machine.makes_circuits() {
        let allowed = "must be one that does not compare loads with switching circuit";
        return refuse_routing(machine, allowed);
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
