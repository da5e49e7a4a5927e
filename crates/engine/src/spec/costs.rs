//! What messages cost in software, at either end.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// What a message costs the CPUs and network interfaces at its ends. All zero: nothing, as if
/// this were absent.
///
/// `LogGP`'s o is what both sides cost per message, O what they cost per byte, g the interval
/// between packets and G the interval per byte [Alexandrov et al. 1995].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// The CPU of the sender.
    pub send: Side,
    /// The CPU of the receiver.
    pub receive: Side,
    /// Least time between the starts of two data packets of a node.
    pub packet_interval_ps: Time,
    /// How much longer that is for each data byte of the first of them, in femtoseconds.
    pub packet_interval_per_byte_fs: Time,
    /// By how much a message's `send.before_ps` may be shorter or longer: it is drawn uniformly.
    pub variation_ps: Time,
    /// Whether the CPU may prepare a packet while the one before is leaving the node.
    pub overlap: bool,
    /// Whether receiving interrupts sending, and both interrupt computing.
    pub receive_preempts: bool,
    /// Whether what packets cost, they cost only in messages of several packets.
    pub multi_packet_only: bool,
}

/// What a message costs one of its CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
    /// Once, with its first packet.
    pub before_ps: Time,
    /// For each of its packets.
    pub per_packet_ps: Time,
    /// For each of its data bytes, in femtoseconds.
    pub per_byte_fs: Time,
    /// Once, after its last packet.
    pub after_ps: Time,
}

impl Costs {
    /// Longest time per message, per packet or between packets: one second.
    pub const MOST_PS: Time = 1_000_000_000_000;
    /// Longest time per byte: a microsecond.
    pub const MOST_PER_BYTE_FS: Time = 1_000_000_000;

    /// Whether nothing costs anything.
    pub fn are_none(&self) -> bool {
        !self.send.is_any() && !self.receive.is_any() && !self.paces()
    }

    /// Whether network interfaces keep an interval between packets.
    pub fn paces(&self) -> bool {
        self.packet_interval_ps > 0 || self.packet_interval_per_byte_fs > 0
    }

    /// Whether nodes have to know when their packets have left them.
    pub fn follows_packets(&self) -> bool {
        !self.overlap || self.paces()
    }

    /// From a packet's start until the next may start.
    pub fn interval(&self, bytes: u32) -> Time {
        self.packet_interval_ps + of_bytes(self.packet_interval_per_byte_fs, bytes)
    }
}

impl Side {
    /// Whether anything costs anything.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// What a packet costs.
    pub fn packet(&self, bytes: u32) -> Time {
        self.per_packet_ps + of_bytes(self.per_byte_fs, bytes)
    }
}

/// Longer than any run: times can still be added.
const LONGEST: Time = 1 << 62;

/// So many femtoseconds for each byte, in whole picoseconds.
pub fn of_bytes(per_byte_fs: Time, bytes: impl Into<u64>) -> Time {
    let bytes = bytes.into();
    if let Some(time) = per_byte_fs.checked_mul(bytes).and_then(|time| time.checked_add(500)) {
        return time / 1000;
    }
    let time = (u128::from(per_byte_fs) * u128::from(bytes) + 500) / 1000;
    time.try_into().unwrap_or(LONGEST)
}
