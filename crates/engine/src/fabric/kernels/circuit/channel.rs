//! What is kept of every channel where circuits are made of them.

use crate::fabric::network::layout::Group;
use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::Use;
use crate::time::Time;

/// A channel, and the circuit it is part of.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    /// At the last channel of a circuit that transmits, the buffer is its packet.
    pub port: Port,
    /// The message that holds it, or none.
    pub holder: PacketId,
    /// The channel before it in that circuit, or none.
    pub before: ChannelId,
    /// The channel of the other direction, if they share a wire.
    pub opposite: ChannelId,
    /// The lead of its group.
    pub lead: ChannelId,
    /// The switch it comes from.
    pub from: SwitchId,
    /// Circuits that began to hold it in the current window.
    pub packets: u32,
    /// Since when it is held, in the current window.
    since: Time,
    /// How long circuits held it in the current window that do not any more.
    busy: Time,

    pub rest: PortRest,
}

has_port!(Channel, packets in packets);

impl Channel {
    /// A channel of a group at rest.
    pub fn idle(group: &Group, port: Port, rest: PortRest) -> Self {
        Self {
            port,
            holder: PacketId::NONE,
            before: ChannelId::NONE,
            opposite: ChannelId::NONE,
            lead: group.first,
            from: SwitchId(group.from),
            packets: 0,
            since: 0,
            busy: 0,
            rest,
        }
    }

    /// It becomes part of a circuit, behind another channel.
    #[inline]
    pub fn take(&mut self, holder: PacketId, before: ChannelId, now: Time) {
        self.holder = holder;
        self.before = before;
        self.since = now;
        self.packets += 1;
    }

    /// It falls free.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        self.holder = PacketId::NONE;
        self.busy += now - self.since;
    }

    /// What it has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Use {
        let held = if self.holder.is_some() { now - self.since } else { 0 };
        Use { busy_ps: self.busy + held, packets: self.packets }
    }

    /// A new window begins.
    pub fn begin_window_at(&mut self, now: Time) {
        self.since = now;
        self.busy = 0;
        self.packets = 0;
    }
}
