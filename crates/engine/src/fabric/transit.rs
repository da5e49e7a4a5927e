//! Packets in flight.

use crate::ids::{MessageId, NodeId, PacketId};
use crate::measure::Class;
use crate::pool::Pool;
use crate::time::{NEVER, Time};

/// One packet, from the instant it is queued until it has been delivered.
///
/// Exactly one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Packet {
    /// When it entered its node's output queue.
    pub queued: Time,
    /// When its first transmission began.
    pub first_sent: Time,
    /// When its first transmission on an internal channel began.
    pub first_internal: Time,
    /// When it may first ask for its next channel.
    pub ready: Time,
    /// How many packets were queued before it.
    pub serial: u64,
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// The message it belongs to, or acknowledges.
    pub message: MessageId,
    /// The packet behind it in whatever queue it stands.
    pub next: PacketId,
    /// Its data bytes.
    pub bytes: u32,
    /// Channels it has started on.
    pub hops: u16,
    /// Data or acknowledgement.
    pub class: Class,
    /// Whether it is the last packet of its message.
    pub last: bool,
}

impl Packet {
    /// A packet that enters its node's output queue now.
    pub fn new(class: Class, message: MessageId, source: NodeId, destination: NodeId) -> Self {
        Self {
            queued: 0,
            first_sent: NEVER,
            first_internal: NEVER,
            ready: 0,
            serial: 0,
            source,
            destination,
            message,
            next: PacketId::NONE,
            bytes: 0,
            hops: 0,
            class,
            last: false,
        }
    }
}

/// Packets in flight or queued.
pub type PacketPool = Pool<PacketId, Packet>;

/// A first-in-first-out queue of packets, linked through [`Packet::next`].
#[derive(Clone, Copy, Debug)]
pub struct PacketFifo {
    /// The packet at the front, or none.
    pub first: PacketId,
    last: PacketId,
}

impl PacketFifo {
    /// A queue without packets.
    pub const EMPTY: Self = Self { first: PacketId::NONE, last: PacketId::NONE };

    /// Adds a packet at the end.
    #[inline]
    pub fn push(&mut self, id: PacketId, packets: &mut PacketPool) {
        packets[id].next = PacketId::NONE;
        if self.first.is_some() {
            packets[self.last].next = id;
        } else {
            self.first = id;
        }
        self.last = id;
    }

    /// Removes the front packet; the queue must not be empty.
    #[inline]
    pub fn pop(&mut self, packets: &PacketPool) -> PacketId {
        let id = self.first;
        self.first = packets[id].next;
        id
    }
}
