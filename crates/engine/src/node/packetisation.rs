//! How messages become packets.

use super::message::Life;
use super::message::Message;
use crate::spec::Machine;

/// How messages become packets.
pub struct Packetisation {
    /// Data bytes of a packet.
    packet_bytes: u32,
    /// Data bytes of a message's first packet.
    first_packet_bytes: u32,
    /// Most packets of one message in flight.
    pub window: u32,
    /// Data bytes with which a packet, and a message, has begun to arrive, where packets stream.
    pub early_bytes: u32,
}

impl Packetisation {
    /// That of a machine.
    pub fn new(machine: &Machine) -> Self {
        let interface = &machine.interface;
        Self {
            packet_bytes: interface.packet_bytes,
            first_packet_bytes: machine.first_packet_bytes(),
            window: interface.window.unwrap_or(u32::MAX),
            early_bytes: interface.early_bytes,
        }
    }

    /// Data bytes of a message's next packet.
    #[inline]
    pub fn next(&self, message: &Message) -> u32 {
        let is_first = message.life == Life::Pending;
        let most = if is_first { self.first_packet_bytes } else { self.packet_bytes };
        message.unsent.min(most.into()) as u32
    }

    /// Data bytes of the longest message that is one packet.
    pub fn most_of_one_packet(&self) -> u32 {
        self.first_packet_bytes
    }

    /// How many packets a message of so many data bytes has, as packets are numbered: beyond 2^32
    /// from 0 again.
    #[inline]
    pub fn packets(&self, bytes: u64) -> u32 {
        let later = bytes.saturating_sub(self.first_packet_bytes.into());
        (1 + later.div_ceil(self.packet_bytes.into())) as u32
    }

    /// Takes up how many of a delivered packet's data bytes have been told of before.
    #[inline]
    pub fn take_told(&self, message: &mut Message, bytes: u32) -> u32 {
        let told =
            if bytes > self.early_bytes { message.told_bytes.min(self.early_bytes) } else { 0 };
        message.told_bytes -= told;
        told
    }

    /// So many more data bytes of a message are there; whether it begins to arrive with them.
    pub fn begins(&self, message: &mut Message, bytes: u32) -> bool {
        let first = message.bytes.min(self.early_bytes.into());
        let before = message.arrived_bytes;
        message.arrived_bytes += u64::from(bytes);
        // One without data is there with its only packet.
        (before < first || first == 0) && message.arrived_bytes >= first
    }
}
