//! What the `packet` fidelity keeps for every channel and node.

use super::super::layout::{End, Layout};
use super::super::transit::PacketFifo;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};

/// A channel, the input buffer at its end, and the group it leads.
///
/// A hunt group is kept with its lowest-numbered channel, its *lead*: most groups
/// have one channel, and then everything an uncontended packet touches lies in
/// the first of the record's two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    /// When the last token of the latest packet has left the sending side.
    pub free_at: Time,
    /// When the buffer's front falls free: the latest departure from it.
    pub leaving_at: Time,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Packets that started in the current window.
    pub packets: u32,
    /// Group: how many channels it has.
    pub width: u8,
    pub kind: ChannelKind,
    /// Group: whether it must choose at the end of this instant.
    pub dirty: bool,
    pub waits: Waits,
    /// Tokens of packets in the buffer or on the way to it, the departing one included.
    pub occupied: u32,
    /// Tokens of the packet that departs or departed last.
    pub leaving: u32,
    /// Packets in the buffer that have not started to leave.
    pub buffer: PacketFifo,
    /// The switch at its end; none at a node, which always accepts.
    pub switch: SwitchId,
    /// Group: the request that has been granted and waits for room.
    pub granted: ChannelId,
    /// The lead of the group the front packet of the buffer leaves by.
    pub front_output: ChannelId,
    /// Group: the first of the requests in order, as the channels whose front packets ask.
    pub first_waiting: ChannelId,

    /// Group: the last of them.
    pub last_waiting: ChannelId,
    /// The channel whose request came next to this one's at the same output.
    pub next_waiting: ChannelId,
    /// Group: the earliest retry posted, or [`NEVER`].
    pub retry_at: Time,
    /// Group: since when a granted request keeps a channel while it waits for room.
    pub kept_from: Time,
    /// Group: that channel.
    pub kept: ChannelId,
    /// At a node: the first packet whose header has not been reported.
    pub heading: PacketId,
    /// The first channel of its group.
    pub lead: ChannelId,
    /// The switch or node it comes from.
    pub from: u32,
}

/// Two facts in one byte, so that they share the first cache line.
#[derive(Clone, Copy, Default)]
pub struct Waits(u8);

impl Waits {
    const FOR_ROOM: u8 = 1;
    const KEEPING: u8 = 2;

    /// Whether the group waits for this buffer's front to start leaving; no longer.
    #[inline]
    pub fn take_for_room(&mut self) -> bool {
        let was = self.0 & Self::FOR_ROOM != 0;
        self.0 &= !Self::FOR_ROOM;
        was
    }

    /// The group waits for this buffer's front to start leaving.
    pub fn set_for_room(&mut self) {
        self.0 |= Self::FOR_ROOM;
    }

    /// Whether a granted request keeps a channel of this lead's group.
    #[inline]
    pub fn keeps(self) -> bool {
        self.0 & Self::KEEPING != 0
    }

    /// A granted request keeps a channel of this lead's group, or does not.
    pub fn set_keeps(&mut self, keeps: bool) {
        self.0 = self.0 & !Self::KEEPING | if keeps { Self::KEEPING } else { 0 };
    }
}

/// A node's output queues, by class; the first serves both without priority.
#[derive(Clone, Copy)]
pub struct Source {
    pub queues: [PacketFifo; 2],
    pub waiting_data: u32,
}

impl Source {
    pub const EMPTY: Self = Self { queues: [PacketFifo::EMPTY; 2], waiting_data: 0 };
}

impl Channel {
    /// All channels of a machine, idle.
    pub fn all(layout: &Layout) -> Vec<Self> {
        let idle = |group: &crate::ids::GroupId| {
            let group = &layout.groups[group.index()];
            Self {
                free_at: 0,
                leaving_at: 0,
                busy: 0,
                packets: 0,
                width: group.width as u8,
                kind: group.kind,
                dirty: false,
                waits: Waits::default(),
                occupied: 0,
                leaving: 0,
                buffer: PacketFifo::EMPTY,
                switch: match group.end {
                    End::Switch(switch) => switch,
                    End::Node(_) => SwitchId::NONE,
                },
                granted: ChannelId::NONE,
                front_output: ChannelId::NONE,
                first_waiting: ChannelId::NONE,
                last_waiting: ChannelId::NONE,
                retry_at: NEVER,
                kept_from: 0,
                kept: ChannelId::NONE,
                next_waiting: ChannelId::NONE,
                heading: PacketId::NONE,
                lead: group.first,
                from: group.from,
            }
        };
        layout.group_of.iter().map(idle).collect()
    }

    /// Tokens that occupy the buffer at `now`.
    #[inline]
    pub fn occupied_at(&self, now: Time) -> u32 {
        if self.leaving_at <= now { self.occupied - self.leaving } else { self.occupied }
    }

    /// Whether a packet can start now as far as the buffer at the end goes;
    /// nodes always accept.
    #[inline]
    pub fn has_room(&self, tokens: u32, capacity: u32, now: Time) -> bool {
        !self.switch.is_some() || self.occupied_at(now) + tokens <= capacity
    }
}
