//! The parameters of a `LogGOPS` machine.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// What messages take on a machine that is described by numbers alone
/// [Hoefler, Schneider & Lumsdaine 2010].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogGops {
    /// L: from the sender's interface to the receiver's.
    pub latency_ps: Time,
    /// o: of the CPU, for each message, at either end.
    pub overhead_ps: Time,
    /// g: from message to message, of an interface.
    pub gap_ps: Time,
    /// G: the same for each byte but the first, in femtoseconds.
    pub gap_per_byte_fs: Time,
    /// O: of the CPU for each byte but the first, in femtoseconds.
    pub overhead_per_byte_fs: Time,
    /// S: longest message whose sender does not wait for its receiver.
    pub eager_bytes: u64,
}
