//! What integrated nodes with queues at outgoing channels keep for every channel.

use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::fabric::transit::PacketFifo;
use crate::ids::NodeId;
use crate::time::Time;

/// A channel with the queue before it and the injector of that queue.
///
/// In [`Port::buffer`] are packets on their way to the node at its end that are delivered
/// there.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    pub port: Port,
    /// When the packet it sends, or sent last, has been sent.
    pub free_at: Time,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Packets that are in its node and are to leave by it, in the order in which they got
    /// there.
    pub queue: PacketFifo,
    /// Packets on their way to the node at its end that go on from there.
    pub passing: PacketFifo,
    /// Packets that started in the current window.
    pub packets: u32,
    /// Places taken in its queue: by packets in it, by the one being sent, and by those that
    /// have a place there and are on their way to it.
    taken: u32,
    /// Those of them that contrary packets take.
    contrary: u32,
    /// The node it comes from.
    pub from: NodeId,
    /// Its own bit in `lacked`; the last one, [`SHARED`], is that of all further channels of a
    /// node.
    pub bit: u64,
    /// Bits of the channels in whose queues packets of its own lack a place, as found when it
    /// looked last.
    pub lacked: u64,

    pub rest: PortRest,
    /// Packets of the message that has the injector, that have not got into the queue.
    pub injecting: PacketFifo,
}

has_port!(Channel, packets in packets);

/// Bit of [`Channel::lacked`] that several channels of a node may share.
pub const SHARED: u64 = 1 << 63;

/// Bit of [`Port::own`]: a packet is being sent, or was until its place was last counted.
const SENDING: u8 = 1;
/// Bit of [`Port::own`]: that packet is contrary.
const CONTRARY: u8 = 2;
/// Bit of [`Port::own`]: somebody lacks a place in the queue.
const LACKED: u8 = 4;
/// Bit of [`Port::own`]: the message that has the injector is contrary.
const INJECTS_CONTRARY: u8 = 8;
/// Bit of [`Port::own`]: the injector is to ask for a place.
const INJECTOR_LOOKS: u8 = 16;

impl Channel {
    /// A channel of a node at one of its slots, at rest.
    pub fn idle(port: Port, rest: PortRest, (from, slot): (NodeId, u32)) -> Self {
        Self {
            port,
            free_at: 0,
            busy: 0,
            queue: PacketFifo::EMPTY,
            passing: PacketFifo::EMPTY,
            packets: 0,
            taken: 0,
            contrary: 0,
            from,
            bit: 1 << slot.min(63),
            lacked: 0,
            rest,
            injecting: PacketFifo::EMPTY,
        }
    }

    /// Whether the packet sent last has left its place by `now`, which has not been counted.
    #[inline]
    fn has_sent(&self, now: Time) -> bool {
        self.port.has(SENDING) && self.free_at <= now
    }

    /// Places taken at `now`.
    #[inline]
    pub fn taken_at(&self, now: Time) -> u32 {
        self.taken - u32::from(self.has_sent(now))
    }

    /// Places taken by contrary packets at `now`.
    #[inline]
    pub fn contrary_at(&self, now: Time) -> u32 {
        self.contrary - u32::from(self.has_sent(now) && self.port.has(CONTRARY))
    }

    /// A packet takes a place.
    #[inline]
    pub fn take_place(&mut self, is_contrary: bool) {
        self.taken += 1;
        self.contrary += u32::from(is_contrary);
    }

    /// A packet of the queue, contrary or not, is being sent from `now` until `end`.
    #[inline]
    pub fn send(&mut self, is_contrary: bool, (now, end): (Time, Time)) {
        debug_assert!(!self.port.has(SENDING), "the place of the one before has been counted");
        self.port.set(SENDING, true);
        self.port.set(CONTRARY, is_contrary);
        self.lacked = 0;
        self.free_at = end;
        self.busy += end - now;
        self.packets += 1;
    }

    /// Whether something is to be done when it falls free.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.queue.first.is_some() || self.port.has(LACKED)
    }

    /// Somebody lacks a place in the queue.
    #[inline]
    pub fn lack(&mut self) {
        self.port.set(LACKED, true);
    }

    /// Counts the place of the packet sent last, if that has been sent by `now`; whether
    /// somebody lacked a place until then.
    #[inline]
    pub fn settle(&mut self, now: Time) -> bool {
        if !self.has_sent(now) {
            return false;
        }
        (self.taken, self.contrary) = (self.taken_at(now), self.contrary_at(now));
        self.port.set(SENDING, false);
        let is_lacked = self.port.has(LACKED);
        self.port.set(LACKED, false);
        is_lacked
    }

    /// Whether a message has the injector.
    #[inline]
    pub fn injects(&self) -> bool {
        self.injecting.first.is_some()
    }

    /// Whether that is contrary.
    #[inline]
    pub fn injects_contrary(&self) -> bool {
        self.port.has(INJECTS_CONTRARY)
    }

    /// A message gets the injector.
    #[inline]
    pub fn inject(&mut self, packets: PacketFifo, is_contrary: bool) {
        self.injecting = packets;
        self.port.set(INJECTS_CONTRARY, is_contrary);
    }

    /// The injector is to ask for a place; whether that was not known.
    #[inline]
    pub fn look(&mut self) -> bool {
        let is_new = !self.port.has(INJECTOR_LOOKS);
        self.port.set(INJECTOR_LOOKS, true);
        is_new
    }

    /// The injector asks now.
    #[inline]
    pub fn has_looked(&mut self) {
        self.port.set(INJECTOR_LOOKS, false);
    }
}
