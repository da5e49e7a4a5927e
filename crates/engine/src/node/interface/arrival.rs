//! What is known of a message: on its way, and where it arrives.

use crate::ids::{ArrivalId, MessageId, NodeId, PacketId};

/// A message at its destination, from when it begins to arrive until its process was told.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// What its process can know.
    pub heard: Heard,
    /// Whether a comparator follows it, or did.
    pub is_followed: bool,
    /// Whether all of it is there.
    pub is_complete: bool,
    /// The receive that takes it.
    pub receive: Option<u32>,
}

/// What a process can know of a message that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The node it comes from.
    pub source: NodeId,
    /// Its type.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
    /// Bytes that are there.
    pub arrived: u64,
    /// The operation of its source.
    pub operation: u32,
}

/// How far the operation has come that a process waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its number.
    pub operation: u32,
    /// Its completion flag: 0, 1 or 3.
    pub flag: u8,
    /// The message of a receive, if it has begun to arrive. Told once when it is complete.
    pub message: Option<Heard>,
}

/// What has to be known of a message under way.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The operation of its source.
    pub operation: u32,
    /// The node whose tree it is passed on along; none: it is not.
    pub root: NodeId,
    /// Where it is among the arrivals of its node; none: it has not begun to arrive.
    pub arrival: ArrivalId,
    /// Its first packet, until that has been delivered.
    pub first_packet: PacketId,
    /// Bytes of it that its sender has: the rest is still on its way there.
    pub at_hand: u64,
    /// Whether it waits for more of them.
    pub is_short: bool,
    /// The first of the copies that its destination passes on.
    pub copies: MessageId,
    /// The next copy of the same message.
    pub next: MessageId,
}

impl Transfer {
    /// A message that its source sends.
    pub fn new(operation: u32, root: NodeId) -> Self {
        Self {
            operation,
            root,
            arrival: ArrivalId::NONE,
            first_packet: PacketId::NONE,
            at_hand: u64::MAX,
            is_short: false,
            copies: MessageId::NONE,
            next: MessageId::NONE,
        }
    }
}
