//! What cannot be simulated, and why: whatever is refused before a run is refused here.

mod buffers;
mod cells;
mod costs;
mod frames;
mod machine;
mod multicast;
mod network;
mod pipeline;
mod stop_go;

pub use buffers::TOKENS_PER_GRANT;
pub use machine::machine;
pub use network::{network, way_back};

use crate::error::SpecError;
use crate::spec::Machine;

fn within(field: &str, value: u64, low: u64, high: u64) -> Result<(), SpecError> {
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
