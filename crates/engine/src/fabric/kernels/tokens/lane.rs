//! What is kept of every channel.

use crate::fabric::check::TOKENS_PER_GRANT;
use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// A channel, its sending side, and the buffer at its end.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Lane {
    pub port: Port,
    /// When what it sends or sent last has been sent.
    pub free_at: Time,
    /// The packet whose flits it sends, if any.
    pub packet: PacketId,
    /// Flits of that packet that have not started.
    pub unsent: u32,
    /// The channel whose buffer the packet granted this channel leaves; none: its node's.
    pub input: ChannelId,
    /// The channel that the packet leaving the buffer at the end has been granted.
    pub output: ChannelId,
    /// Flits in that buffer.
    pub held: u32,
    /// Tokens that may still start, as far as that buffer goes.
    pub credits: u32,
    /// Packets in that buffer whose header is there and that have not been granted a channel.
    pub headers: u32,
    /// Header flits of the packet it sends that have not started.
    pub header_unsent: u32,

    /// With, in `own`, the packets it was granted to in the current window.
    pub rest: PortRest,
    /// Since when the packet it was granted to waits to go on, or [`NEVER`].
    pub stalled_from: Time,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// What else it needs.
    pub band: Band,
}

/// What a channel has besides.
#[derive(Clone, Copy)]
pub struct Band {
    /// Tokens of the packet granted this channel that have not moved to its output buffer.
    pub unmoved: u32,
    /// Tokens in the output buffer, the one being sent included.
    pub placed: u32,
    /// The first packet granted this channel that it does not send yet.
    pub next: PacketId,
    /// Flow-control tokens it has to send, and in the lowest bits the places of the buffer at
    /// the end that are free and not granted: less than one such token grants.
    grants_and_room: u32,
}

/// Bits of [`Band::grants_and_room`] that are room.
const ROOM_BITS: u32 = TOKENS_PER_GRANT.trailing_zeros();

impl Band {
    /// Flow-control tokens it has to send.
    #[inline]
    pub fn grants(&self) -> u32 {
        self.grants_and_room >> ROOM_BITS
    }

    /// It has to send so many more.
    #[inline]
    pub fn add_grants(&mut self, grants: u32) {
        self.grants_and_room += grants << ROOM_BITS;
    }

    /// It has sent one.
    #[inline]
    pub fn grant_is_sent(&mut self) {
        self.grants_and_room -= 1 << ROOM_BITS;
    }

    /// The buffer at the end has so many more places: flow-control tokens that grant what is
    /// free now.
    #[inline]
    pub fn add_room(&mut self, places: u32) -> u32 {
        let room = self.grants_and_room % TOKENS_PER_GRANT + places;
        self.grants_and_room -= self.grants_and_room % TOKENS_PER_GRANT;
        self.grants_and_room += room % TOKENS_PER_GRANT;
        room / TOKENS_PER_GRANT
    }
}

has_port!(Lane, packets in rest.own[0]);

/// Bit of [`Port::own`]: it is in the list of those that may be able to send.
const AWAKE: u8 = 1;
/// Bit of [`Port::own`]: the packet it sends has started.
const STARTED: u8 = 2;

impl Lane {
    /// A channel at rest, with so many credits, and so many places that are not granted.
    pub fn idle(port: Port, rest: PortRest, credits: u32, room: u32) -> Self {
        Self {
            port,
            free_at: 0,
            packet: PacketId::NONE,
            unsent: 0,
            input: ChannelId::NONE,
            output: ChannelId::NONE,
            held: 0,
            credits,
            headers: 0,
            header_unsent: 0,
            rest,
            stalled_from: NEVER,
            busy: 0,
            band: Band { unmoved: 0, placed: 0, next: PacketId::NONE, grants_and_room: room },
        }
    }

    /// Whether the packet it sends has started.
    #[inline]
    pub fn has_started(&self) -> bool {
        self.port.has(STARTED)
    }

    /// The packet it sends has started, or not.
    #[inline]
    pub fn set_started(&mut self, started: bool) {
        self.port.set(STARTED, started);
    }

    /// The packet it sends cannot go on.
    #[inline]
    pub fn stalls(&mut self, now: Time) {
        self.stalled_from = self.stalled_from.min(now);
    }

    /// It joins those that may be able to send; whether it was not among them.
    #[inline]
    pub fn awakes(&mut self) -> bool {
        let was = self.port.has(AWAKE);
        self.port.set(AWAKE, true);
        !was
    }

    /// It is not among them any more.
    #[inline]
    pub fn sleeps(&mut self) {
        self.port.set(AWAKE, false);
    }
}
