//! What no kernel can simulate, and why. What one kernel cannot is said where that is
//! (`accepts.rs`); in which order all of it is found out, in the registry.

mod buffers;
mod costs;
mod machine;
mod multicast;
mod network;
mod nodes;

pub use buffers::{TOKENS_PER_GRANT, flow_control, out_of_band, too_small};
pub use machine::{fall_through, framing, half_duplex, ranges};
pub use multicast::{multicast, multicast_network};
pub use network::{
    integrated_wormhole, joined_nodes, longest_packet, no_loads, one_output, own_wires,
    packets_wait, rates, refuse_routing, waiting_for_nodes,
};
pub use nodes::{hosts, integrated, receivers, reply_queue, switched};

use crate::error::SpecError;
use crate::spec::Machine;

/// A number lies in its range.
pub fn within(field: &str, value: u64, low: u64, high: u64) -> Result<(), SpecError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let allowed =
        if low == high { format!("must be {low}") } else { format!("must be {low} to {high}") };
    Err(SpecError::new(field, value, allowed))
}

/// How messages cross a machine whose nodes are their own switches, in words.
fn crossing(machine: &Machine) -> String {
    let (switching, unit) = (machine.switch.switching, machine.interface.unit);
    format!("with switch.integrated, switching {} and unit {}", switching.name(), unit.name())
}
