//! Buffers and flow control.

use super::within;
use crate::error::SpecError;
use crate::fabric::network::timing::Timing;
use crate::spec::{Fidelity, FlowControl, Machine, Switch, Switching};

/// Tokens that one flow-control token grants.
pub const TOKENS_PER_GRANT: u32 = 8;

/// Buffers and flow control must be such that packets can move.
pub fn flow_control(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let switch = &machine.switch;
    let has_buffers = match switch.switching {
        _ if machine.forwards_frames() => false,
        Switching::Wormhole => true,
        Switching::CutThrough | Switching::StoreAndForward => !switch.integrated,
        Switching::Circuit => false,
    };
    // What flows stands nowhere.
    if !has_buffers || fidelity == Fidelity::Fluid {
        return Ok(());
    }
    let timing = Timing::of(machine);
    let header = u64::from(timing.header_flits);
    let (least, content) = match fidelity {
        Fidelity::Packet | Fidelity::Fluid => {
            (timing.packet_flits(machine.interface.packet_bytes).into(), "a whole packet")
        }
        Fidelity::Flit | Fidelity::Worm => (header, "a header"),
        // The header's part of the stream, gap included.
        Fidelity::Stream => (timing.header_ps.div_ceil(timing.flit_ps), "a header"),
        // All but the last byte of a header may stand there when room for eight more is
        // needed to grant that.
        Fidelity::Token => {
            let content = "a header (room is granted 8 flits at a time)";
            (u64::from(TOKENS_PER_GRANT) + header - 1, content)
        }
    };
    let field = "machine.switch.input_buffer_flits";
    match switch.input_buffer_flits {
        Some(input) if u64::from(input) < least => {
            return Err(too_small(input, content, least, fidelity));
        }
        Some(input) => within(field, input.into(), least, Switch::MOST_FLITS.into())?,
        None => {}
    }
    Ok(())
}

/// Flow-control tokens in band would delay the data of the other direction.
pub fn out_of_band(machine: &Machine) -> Result<(), SpecError> {
    if machine.link.flow_control != FlowControl::InBand {
        return Ok(());
    }
    Err(SpecError::new(
        "machine.link.flow_control",
        "in_band",
        "must be out_of_band with fidelities flit and worm: flow-control tokens in band \
         delay the data of the other direction; use fidelity token",
    ))
}

/// Refuses an input buffer that does not hold what it must.
pub fn too_small(input: u32, content: &str, least: u64, fidelity: Fidelity) -> SpecError {
    let name = fidelity.name();
    let allowed = format!("must hold {content}, at least {least} flits with fidelity {name}");
    SpecError::new("machine.switch.input_buffer_flits", input, allowed)
}
