//! What is kept for every channel where switches keep a queue for each output.

use super::lines::LineId;
use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::fabric::transit::PacketFifo;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// A channel, the input buffer at its end, and the outputs it stands for.
///
/// `port.buffer` has those of the packets in the buffer, or on their way there, that are not ready yet.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    pub port: Port,
    /// When the last token of the latest packet has left the sending side.
    pub free_at: Time,
    /// Lead, where all who wait for it stand in one queue: these.
    pub queue: PacketFifo,
    /// Packets in the buffer, or on their way there, that have not started on their next channels.
    pub waiting: u32,
    /// Tokens of packets in the buffer or on the way to it, those included whose turns on their next channels
    /// have not been [settled](super::QueuedKernel::settle); modulo 2^32 where it has no bounds.
    pub occupied: u32,
    /// Tokens of the packet of the latest turn on this channel.
    pub tokens: u32,
    /// The input out of whose buffer that packet is sent; none, if it was a node or the turn has been settled.
    pub from: ChannelId,
    /// The next of the turns of that input.
    pub next_turn: ChannelId,
    /// Input: the channels of the first of its turns that have not been settled.
    pub turns: ChannelId,

    pub rest: PortRest,
    /// Input: how many these are.
    pub sending: u16,
    /// Input: how many packets it may send at a time.
    pub speedup: u16,
    /// Packets that started in the current window.
    pub packets: u32,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Input: the channel that it sent to last.
    pub last: ChannelId,
    /// Input: the first of its lines.
    pub lines: LineId,
    /// Place: the first and last of the lines that wait there.
    pub ends: [LineId; 2],
}

has_port!(Channel, packets in packets);

/// Bit of [`Port::own`]: the place waits for something to leave this buffer.
const FOR_ROOM: u8 = 1;
/// Bit of [`Port::own`]: the best at this place lacks room.
const BLOCKED: u8 = 2;

impl Channel {
    /// A channel at rest.
    pub fn idle(port: Port, rest: PortRest, speedup: u16) -> Self {
        Self {
            port,
            free_at: 0,
            busy: 0,
            packets: 0,
            occupied: 0,
            tokens: 0,
            from: ChannelId::NONE,
            next_turn: ChannelId::NONE,
            turns: ChannelId::NONE,
            rest: PortRest { own: [PacketId::NONE.0; 2], ..rest },
            sending: 0,
            waiting: 0,
            speedup,
            last: ChannelId::NONE,
            lines: LineId::NONE,
            ends: [LineId::NONE; 2],
            queue: PacketFifo::EMPTY,
        }
    }

    /// Input: the first on its list of packets that wait ([`super::latest`]).
    #[inline]
    pub fn latest(&self) -> PacketId {
        PacketId(self.rest.own[0])
    }

    /// The first on that list is another.
    #[inline]
    pub fn set_latest(&mut self, first: PacketId) {
        self.rest.own[0] = first.0;
    }

    /// Whether the place waits for something to leave this buffer.
    #[inline]
    pub fn waits_for_room(&self) -> bool {
        self.port.has(FOR_ROOM)
    }

    /// The place waits for something to leave this buffer, or does not.
    #[inline]
    pub fn set_waits_for_room(&mut self, waits: bool) {
        self.port.set(FOR_ROOM, waits);
    }

    /// Whether the best at this place lacked room when it was looked for.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.port.has(BLOCKED)
    }

    /// The best at this place lacks room, or does not.
    #[inline]
    pub fn set_blocked(&mut self, blocked: bool) {
        self.port.set(BLOCKED, blocked);
    }
}
