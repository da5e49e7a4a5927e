//! What the `worm` fidelity keeps for every channel.

use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// A channel and the buffer at its end. Flits are numbered in the order in which
/// they are sent on it, whoever owns them.
///
/// Two cache lines are all that a packet touches which runs through undisturbed.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    pub port: Port,
    /// When it is released; while its owner's end is unknown: when that was granted.
    pub since: Time,
    /// The packet sent on it, as long as not all of its times are known.
    pub owner: PacketId,
    /// The channel whose buffer the latest packet leaves; none: its node's.
    pub input: ChannelId,
    /// The channel that the packet leaving the buffer at the end has been granted,
    /// as long as not all of its times there are known.
    pub output: ChannelId,
    /// Number of the latest packet's first flit.
    pub base: u32,
    /// The latest packet's flits.
    pub flits: u32,
    /// Of these, those whose times on this channel are known.
    pub known: u32,
    /// Number of the first flit whose time on its next channel is not known.
    pub departed: u32,
    /// Packets granted in the current window.
    pub packets: u32,

    pub rest: PortRest,
    /// When the front of the buffer at the end falls free or fell free last.
    pub front_free: Time,
    /// Time it transmits for the packets of the current window.
    pub busy: Time,
    /// When the latest stretch of known flits starts, if they follow each other
    /// without a gap.
    pub straight_from: Time,
    /// When the credits come back of the latest stretch of flits that left the buffer at
    /// the end, if they follow each other without a gap.
    pub left_from: Time,
}

has_port!(Channel, packets in packets);

/// Bit of [`Port::own`]: the latest flits go straight, see `straight_from`.
const STRAIGHT: u8 = 1;
/// Bit of [`Port::own`]: so do those that left the buffer at the end last.
const LEFT_STRAIGHT: u8 = 2;
/// Bit of [`Port::own`]: times of starts are kept in a ring as well.
const KEEPS_STARTS: u8 = 4;
/// Bit of [`Port::own`]: so are times of credits.
const KEEPS_CREDITS: u8 = 8;
/// Bit of [`Port::own`]: the packet at the front of the buffer ends there, and not all of it
/// is known to have been delivered.
const DELIVERING: u8 = 16;

impl Channel {
    /// A channel at rest whose buffer holds `buffer` flits: those before the first
    /// flit, number `buffer`, have left it.
    pub fn idle(port: Port, rest: PortRest, buffer: u32) -> Self {
        Self {
            port,
            since: 0,
            owner: PacketId::NONE,
            input: ChannelId::NONE,
            output: ChannelId::NONE,
            base: buffer,
            flits: 0,
            known: 0,
            departed: buffer,
            packets: 0,
            rest,
            front_free: 0,
            busy: 0,
            straight_from: 0,
            left_from: 0,
        }
    }

    /// Whether it can be granted at `now`.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        !self.owner.is_some() && self.since <= now
    }

    /// Number of the flit that will be sent next.
    #[inline]
    pub fn next_flit(&self) -> u32 {
        self.base.wrapping_add(self.known)
    }

    /// Number of the first flit of the stretch that starts at `straight_from`.
    #[inline]
    pub fn straight_first(&self) -> u32 {
        self.rest.own[0]
    }

    /// The latest flits go straight: from number `first` on, which starts at `from`.
    #[inline]
    pub fn go_straight(&mut self, first: u32, from: Time) {
        self.rest.own[0] = first;
        self.straight_from = from;
        self.set_straight(true);
    }

    /// Number of the first flit of the stretch whose credits come back from `left_from` on.
    #[inline]
    pub fn left_first(&self) -> u32 {
        self.rest.own[1]
    }

    /// The flits that leave the buffer go straight: from number `first` on, whose credit
    /// comes back at `from`.
    #[inline]
    pub fn leave_straight(&mut self, first: u32, from: Time) {
        self.rest.own[1] = first;
        self.left_from = from;
        self.set_left_straight(true);
    }

    /// Whether the latest flits go straight.
    #[inline]
    pub fn is_straight(&self) -> bool {
        self.port.has(STRAIGHT)
    }

    /// The latest flits go straight, or not.
    #[inline]
    pub fn set_straight(&mut self, straight: bool) {
        self.port.set(STRAIGHT, straight);
    }

    /// Whether the flits that left the buffer last go straight.
    #[inline]
    pub fn left_straight(&self) -> bool {
        self.port.has(LEFT_STRAIGHT)
    }

    /// The flits that left the buffer last go straight, or not.
    #[inline]
    pub fn set_left_straight(&mut self, straight: bool) {
        self.port.set(LEFT_STRAIGHT, straight);
    }

    /// Whether times of starts are kept in a ring.
    #[inline]
    pub fn keeps_starts(&self) -> bool {
        self.port.has(KEEPS_STARTS)
    }

    /// Whether times of starts are kept in a ring from now on.
    #[inline]
    pub fn set_keeps_starts(&mut self, keeps: bool) {
        self.port.set(KEEPS_STARTS, keeps);
    }

    /// Whether a packet is delivered out of the buffer at the end, as far as is known.
    #[inline]
    pub fn is_delivering(&self) -> bool {
        self.port.has(DELIVERING)
    }

    /// A packet is delivered, or all of it is known to be.
    #[inline]
    pub fn set_delivering(&mut self, delivering: bool) {
        self.port.set(DELIVERING, delivering);
    }

    /// Whether times of credits are kept in a ring.
    #[inline]
    pub fn keeps_credits(&self) -> bool {
        self.port.has(KEEPS_CREDITS)
    }

    /// Whether times of credits are kept in a ring from now on.
    #[inline]
    pub fn set_keeps_credits(&mut self, keeps: bool) {
        self.port.set(KEEPS_CREDITS, keeps);
    }
}
