//! What is known of one packet.

use crate::time::Time;

/// Data or acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Carries part of a message.
    Data = 0,
    /// Acknowledges a data packet.
    Ack = 1,
}

/// What a delivered packet would have taken without contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undisturbed {
    /// From queued to delivered.
    pub lifetime: Time,
    /// From the start on the first channel to the start on the second.
    pub first_hop: Time,
    /// How much of its header's waits the rest of it made up for.
    pub caught_up: Time,
}

/// Everything known about a delivered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRow {
    /// Data or acknowledgement.
    pub class: Class,
    /// Serial number of the message it belongs to, or acknowledges.
    pub message: u64,
    /// Node it came from.
    pub source: u32,
    /// Node it went to.
    pub destination: u32,
    /// Its data bytes.
    pub bytes: u32,
    /// Channels it crossed.
    pub hops: u16,
    /// When it was queued at its source.
    pub queued: Time,
    /// When its first transmission began.
    pub first_sent: Time,
    /// When its first transmission on an internal channel began; [`crate::time::NEVER`] if it
    /// crossed none.
    pub first_internal: Time,
    /// When its last token reached its destination.
    pub delivered: Time,
}
