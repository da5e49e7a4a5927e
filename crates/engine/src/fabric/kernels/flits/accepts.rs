//! What flits with credits, or with STOP and GO, need.

use crate::error::SpecError;
use crate::fabric::check::{self, within};
use crate::fabric::network::layout::{End, Group};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::spec::{Fidelity, FlowControl, LinkClass, Machine, Marks, Selection, Switch, Switching};

const FLOW_CONTROL: &str = "machine.link.flow_control";
const STOP_MARK: &str = "machine.link.stop_mark_flits";
const GO_MARK: &str = "machine.link.go_mark_flits";

/// Refuses machines whose flits cannot be simulated one by one.
pub fn accepts(machine: &Machine) -> Result<(), SpecError> {
    check::out_of_band(machine)
}

/// The same of networks.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    check::packets_wait(machine, wiring)?;
    check::integrated_wormhole(machine, wiring)
}

/// Refuses what machines with STOP and GO, or whose switches take time to grant again, cannot have,
/// at any fidelity: no other kernel knows them.
pub fn accepts_signals(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    regrant(machine, fidelity)?;
    let FlowControl::StopGo(marks) = machine.link.flow_control else { return Ok(()) };
    let refuse = |allowed: &str| Err(SpecError::new(FLOW_CONTROL, "stop_go", allowed));
    let switch = &machine.switch;
    if switch.integrated {
        return refuse("must be out_of_band or in_band with switch.integrated");
    }
    if switch.switching != Switching::Wormhole {
        let allowed = format!(
            "must be out_of_band or in_band with switching {}, which asks for room",
            switch.switching.name()
        );
        return refuse(&allowed);
    }
    match fidelity {
        Fidelity::Flit | Fidelity::Fluid => {}
        Fidelity::Token => return refuse("must be in_band with fidelity token; use flit"),
        _ => {
            let name = fidelity.name();
            let allowed = format!(
                "must be out_of_band with fidelity {name}: when a sender stops depends on every \
                 flit; use flit"
            );
            return refuse(&allowed);
        }
    }
    in_order(machine, marks)
}

/// Times in which outputs are granted again.
fn regrant(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let delay = machine.switch.regrant_delay_ps;
    let field = "machine.switch.regrant_delay_ps";
    within(field, delay, 0, LinkClass::DELAY_PS.1)?;
    let switch = &machine.switch;
    let others = [
        (switch.integrated, "switch.integrated"),
        (switch.pipeline.is_some(), "switch.pipeline"),
        (switch.switching != Switching::Wormhole, "switching other than wormhole"),
    ];
    if let Some((_, other)) = others.into_iter().find(|&(has, _)| delay > 0 && has) {
        return Err(SpecError::new(field, delay, format!("must be 0 with {other}")));
    }
    if delay > 0 && fidelity != Fidelity::Flit {
        let allowed = format!("must be 0 with fidelity {}; use flit", fidelity.name());
        return Err(SpecError::new(field, delay, allowed));
    }
    Ok(())
}

/// The marks of a buffer, and its size as far as it does not depend on links.
fn in_order(machine: &Machine, Marks { stop_flits, go_flits }: Marks) -> Result<(), SpecError> {
    let most = u64::from(Switch::MOST_FLITS);
    within(STOP_MARK, stop_flits.into(), 1, most)?;
    if go_flits >= stop_flits {
        let allowed = format!("must be below the mark for STOP, {stop_flits} flits");
        return Err(SpecError::new(GO_MARK, go_flits, allowed));
    }
    // Else what there is of a header could keep the rest of it away for ever.
    let header = Timing::of(machine).header_flits;
    if go_flits + 1 < header {
        let allowed = format!("must be at least {}, all but the last flit of a header", header - 1);
        return Err(SpecError::new(GO_MARK, go_flits, allowed));
    }
    if machine.switch.is_unbounded() {
        let allowed = "must be a number with flow control stop_go";
        return Err(SpecError::new("machine.switch.input_buffer_flits", "unlimited", allowed));
    }
    Ok(())
}

/// Refuses networks in which a buffer can overflow, and routing that asks senders what they do
/// not know: how much room there is.
pub fn accepts_marks(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let FlowControl::StopGo(marks) = machine.link.flow_control else { return Ok(()) };
    let properties = wiring.routing.properties();
    if properties.escapes > 0 || properties.weighs {
        let allowed = "must be one that does not ask how much room there is with flow control \
                       stop_go";
        let name = machine.routing.algorithm.name();
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    let selection = machine.routing.selection;
    if selection == Selection::MostCredit {
        let allowed = "must be another with flow control stop_go, where senders have no credits";
        return Err(SpecError::new("machine.routing.selection", selection.name(), allowed));
    }
    let ends_at_switch = |group: &&Group| matches!(group.end, End::Switch(_));
    for group in wiring.layout.groups.iter().filter(ends_at_switch) {
        slack(machine, marks, &wiring.timings[usize::from(group.rate)])?;
    }
    Ok(())
}

/// A buffer at the end of a channel must hold what comes before its STOP does anything: what is
/// under way when it is told, and what starts until it is there.
fn slack(machine: &Machine, marks: Marks, timing: &Timing) -> Result<(), SpecError> {
    if timing.wire_ps == 0 {
        let allowed = "must be above 0 with flow control stop_go: signals take as long as flits";
        return Err(SpecError::new("machine.link.delay_ps", 0, allowed));
    }
    let flit = timing.first_ps.min(timing.flit_ps).min(timing.last_ps);
    // The flit that reached the mark started a round trip before a flit cannot.
    let further = (2 * timing.wire_ps).div_ceil(flit) - 1;
    let least = u64::from(marks.stop_flits) + further;
    let input = machine.switch.input_buffer();
    if u64::from(input) < least {
        let allowed = format!(
            "must be at least {least} flits with flow control stop_go: the mark for STOP, {} flits, and \
             {further} flits that come before the STOP is there",
            marks.stop_flits
        );
        return Err(SpecError::new("machine.switch.input_buffer_flits", input, allowed));
    }
    Ok(())
}
