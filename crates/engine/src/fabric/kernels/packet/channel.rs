//! What the `packet` fidelity keeps for every channel.

use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::ChannelId;
use crate::time::Time;

/// A channel, the input buffer at its end, and the group it leads.
///
/// Most groups have one channel, and then everything an uncontended packet touches
/// lies in the first of the record's two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    pub port: Port,
    /// When the last token of the latest packet has left the sending side.
    pub free_at: Time,
    /// When the buffer's front falls free: the latest departure from it.
    pub leaving_at: Time,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Packets that started in the current window.
    pub packets: u32,
    /// Tokens of packets in the buffer or on the way to it, the departing one included; modulo
    /// 2^32 where it has no bounds.
    pub occupied: u32,
    /// Tokens of the packet that departs or departed last.
    pub leaving: u32,
    /// Group: the request that has been granted and waits for room.
    pub granted: ChannelId,

    pub rest: PortRest,
    /// Group: since when a granted request keeps a channel while it waits for room.
    pub kept_from: Time,
    /// Group: that channel.
    pub kept: ChannelId,
}

has_port!(Channel, packets in packets);

/// Bit of [`Port::own`]: the group waits for this buffer's front to start leaving.
const FOR_ROOM: u8 = 1;
/// Bit of [`Port::own`]: a granted request keeps a channel of this lead's group.
const KEEPING: u8 = 2;

impl Channel {
    /// A channel at rest.
    pub fn idle(port: Port, rest: PortRest) -> Self {
        Self {
            port,
            free_at: 0,
            leaving_at: 0,
            busy: 0,
            packets: 0,
            occupied: 0,
            leaving: 0,
            granted: ChannelId::NONE,
            rest,
            kept_from: 0,
            kept: ChannelId::NONE,
        }
    }

    /// Tokens that occupy the buffer at `now`.
    #[inline]
    pub fn occupied_at(&self, now: Time) -> u32 {
        let leaves = if self.leaving_at <= now { self.leaving } else { 0 };
        self.occupied.wrapping_sub(leaves)
    }

    /// Whether a packet can start now as far as the buffer at the end goes;
    /// nodes always accept.
    #[inline]
    pub fn has_room(&self, tokens: u32, capacity: u32, now: Time) -> bool {
        !self.port.switch.is_some() || self.occupied_at(now).wrapping_add(tokens) <= capacity
    }

    /// Whether the group waits for this buffer's front to start leaving; no longer.
    #[inline]
    pub fn take_waits_for_room(&mut self) -> bool {
        let was = self.port.has(FOR_ROOM);
        self.port.set(FOR_ROOM, false);
        was
    }

    /// The group waits for this buffer's front to start leaving.
    pub fn wait_for_room(&mut self) {
        self.port.set(FOR_ROOM, true);
    }

    /// Whether a granted request keeps a channel of this lead's group.
    #[inline]
    pub fn keeps(&self) -> bool {
        self.port.has(KEEPING)
    }

    /// A granted request keeps a channel of this lead's group, or does not.
    pub fn set_keeps(&mut self, keeps: bool) {
        self.port.set(KEEPING, keeps);
    }
}
