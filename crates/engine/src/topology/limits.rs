//! How large a machine may be.

use crate::error::SpecError;

/// The most nodes a machine may have: channel numbers must fit an event.
pub const MAX_NODES: u64 = 1 << 20;

/// The most nodes on one switch.
pub(super) const MOST_ON_A_SWITCH: u32 = 1 << 16;

/// The most ports of all switches together, used or not.
pub(super) const MOST_PORTS: u64 = 1 << 26;

/// Refuses a parameter of a family that is not in a range.
pub(super) fn check_range(
    field: &str,
    given: u32,
    allowed: std::ops::RangeInclusive<u32>,
) -> Result<(), SpecError> {
    if allowed.contains(&given) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(SpecError::new(
        format!("machine.topology.{field}"),
        given,
        format!("must be {low} to {high}"),
    ))
}

/// Refuses more nodes, or more ports, than a machine may have; `None` is more than any.
pub(super) fn check_size(
    field: &str,
    given: u32,
    nodes: Option<u64>,
    ports: Option<u64>,
) -> Result<(), SpecError> {
    let refuse = |allowed| Err(SpecError::new(format!("machine.topology.{field}"), given, allowed));
    if nodes.is_none_or(|nodes| nodes > MAX_NODES) {
        return refuse(format!("must give at most {MAX_NODES} nodes"));
    }
    if nodes < Some(2) {
        return refuse("must give at least two nodes".into());
    }
    if ports.is_none_or(|ports| ports > MOST_PORTS) {
        return refuse(format!("must give at most {MOST_PORTS} ports of switches"));
    }
    Ok(())
}
