//! Turns of packets: on a channel, or at the front of a buffer.

use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// A packet's turn on a channel, or at the front of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The packet; its place is used again after it has been delivered.
    pub packet: PacketId,
    /// Its traffic class.
    pub class: u32,
    /// The channel it was granted; at the front of a buffer, the one by which it leaves.
    pub channel: ChannelId,
    /// When it had asked.
    pub asked: Time,
    /// When it was granted the channel.
    pub granted: Time,
    /// When its turn ended or is known to end, or [`crate::time::NEVER`].
    pub end: Time,
}
