//! What messages may cost in software.

use super::within;
use crate::error::SpecError;
use crate::spec::Costs;

const INTERFACE: &str = "machine.interface";

/// Refuses costs that are too large, or that could not have any effect.
pub fn costs(costs: &Costs) -> Result<(), SpecError> {
    let (per_message, per_byte) = (Costs::MOST_PS, Costs::MOST_PER_BYTE_FS);
    for (name, side) in [("send", &costs.send), ("receive", &costs.receive)] {
        for (key, given, most) in [
            ("overhead_ps", side.before_ps, per_message),
            ("overhead_per_packet_ps", side.per_packet_ps, per_message),
            ("overhead_per_byte_fs", side.per_byte_fs, per_byte),
            ("overhead_after_ps", side.after_ps, per_message),
        ] {
            within(&format!("{INTERFACE}.{name}_{key}"), given, 0, most)?;
        }
    }
    let interval = format!("{INTERFACE}.packet_interval");
    within(&format!("{interval}_ps"), costs.packet_interval_ps, 0, per_message)?;
    let per = costs.packet_interval_per_byte_fs;
    within(&format!("{interval}_per_byte_fs"), per, 0, per_byte)?;
    within(
        &format!("{INTERFACE}.overhead_variation_ps"),
        costs.variation_ps,
        0,
        costs.send.before_ps,
    )?;
    without_effect(costs)
}

fn without_effect(costs: &Costs) -> Result<(), SpecError> {
    let refuse = |key: &str, given: &str, allowed: &str| {
        Err(SpecError::new(format!("{INTERFACE}.{key}"), given, allowed))
    };
    let per_packet = costs.send.per_packet_ps.max(costs.receive.per_packet_ps);
    if costs.receive_preempts && !costs.send.is_any() && !costs.receive.is_any() {
        return refuse(
            "receive_preempts",
            "true",
            "must be false where no message costs a CPU time",
        );
    }
    if costs.multi_packet_only && per_packet == 0 {
        let allowed =
            "must be false without send_overhead_per_packet or receive_overhead_per_packet";
        return refuse("multi_packet_only", "true", allowed);
    }
    Ok(())
}
