//! How messages become packets.

use super::Message;
use crate::spec::Machine;

/// How messages become packets.
pub struct Packetisation {
    /// Data bytes of a packet.
    packet_bytes: u32,
    /// Data bytes of a message's first packet.
    first_packet_bytes: u32,
    /// Most packets of one message in flight.
    pub window: u32,
    /// Data bytes with which a message has begun to arrive; 0: that is not measured.
    pub early_bytes: u32,
}

impl Packetisation {
    /// That of a machine.
    pub fn new(machine: &Machine) -> Self {
        let interface = &machine.interface;
        let is_early = machine.switch.integrated;
        Self {
            packet_bytes: interface.packet_bytes,
            first_packet_bytes: machine.first_packet_bytes(),
            window: interface.window.unwrap_or(u32::MAX),
            early_bytes: if is_early { interface.early_bytes } else { 0 },
        }
    }

    /// Data bytes of a message's next packet.
    #[inline]
    pub fn next(&self, message: &Message) -> u32 {
        let is_first = message.unsent == message.bytes;
        message.unsent.min(if is_first { self.first_packet_bytes } else { self.packet_bytes })
    }

    /// Takes the next packet's data out of a message; how many bytes.
    #[inline]
    pub fn take(&self, message: &mut Message) -> u32 {
        let bytes = self.next(message);
        message.unsent -= bytes;
        message.packetised = message.unsent == 0;
        bytes
    }

    /// Takes up how many of a delivered packet's data bytes have been told of before.
    #[inline]
    pub fn take_told(&self, message: &mut Message, bytes: u32) -> u32 {
        let told =
            if bytes > self.early_bytes { message.told_bytes.min(self.early_bytes) } else { 0 };
        message.told_bytes -= told;
        told
    }

    /// Whether so many data bytes of a message that are there are its first.
    #[inline]
    pub fn begins(&self, message: &Message) -> bool {
        self.early_bytes > 0 && message.arrived_bytes >= message.bytes.min(self.early_bytes)
    }
}
