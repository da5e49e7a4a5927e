//! The record of a packet on its way.

use crate::ids::{MessageId, NodeId, PacketId};
use crate::measure::Class;
use crate::routing::Header;
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
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// The message it belongs to, or acknowledges.
    pub message: MessageId,
    /// How many packets were queued before it, modulo 2^32; until it is queued, what tells it from
    /// all others when something is drawn for it.
    pub serial: u32,
    /// What its routing algorithm has to remember of it; of its flow, until it is queued.
    pub route: u32,
    /// The packet behind it in whatever queue it stands.
    pub next: PacketId,
    /// Its data bytes.
    pub bytes: u32,
    /// Channels it has started on.
    pub hops: u16,
    /// Data or acknowledgement.
    pub class: Class,
    /// Its traffic class, in 7 bits, and whether it is the last packet of its message.
    labels: u8,
}

/// Bit of [`Packet::labels`]: it is the last packet of its message.
const LAST: u8 = 128;

impl Packet {
    /// What routing knows of it.
    #[inline]
    pub fn header(&self) -> Header {
        Header {
            source: self.source,
            destination: self.destination,
            route: self.route,
            traffic: self.traffic(),
        }
    }

    /// Whether it is the last packet of its message.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.labels & LAST != 0
    }

    /// Its traffic class.
    #[inline]
    pub fn traffic(&self) -> u8 {
        self.labels & !LAST
    }

    /// The same packet with a route.
    #[must_use]
    pub fn begins_with(self, route: u32) -> Self {
        Self { route, ..self }
    }

    /// The same packet with a serial number, or what stands there before.
    #[inline]
    #[must_use]
    pub fn numbered(self, serial: u32) -> Self {
        Self { serial, ..self }
    }

    /// The same packet of a traffic class.
    #[must_use]
    pub fn of_traffic(self, class: u8) -> Self {
        Self { labels: self.labels & LAST | class, ..self }
    }

    /// The same packet, the last of its message or not.
    #[must_use]
    pub fn ending(self, is_last: bool) -> Self {
        Self { labels: self.traffic() | if is_last { LAST } else { 0 }, ..self }
    }

    /// A packet that enters its node's output queue now.
    pub fn new(class: Class, message: MessageId, source: NodeId, destination: NodeId) -> Self {
        Self {
            queued: 0,
            first_sent: NEVER,
            first_internal: NEVER,
            ready: 0,
            serial: 0,
            route: 0,
            source,
            destination,
            message,
            next: PacketId::NONE,
            bytes: 0,
            hops: 0,
            class,
            labels: 0,
        }
    }
}
