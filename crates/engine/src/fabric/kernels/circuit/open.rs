//! Mode `endpoints`: channels between switches that all messages can have at once, but of each
//! message only one packet.

use crate::fabric::network::layout::Layout;
use crate::ids::{ChannelId, MessageId, PacketId};
use crate::measure::Use;
use crate::time::Time;

/// Who uses them.
#[derive(Clone)]
pub struct Open {
    /// By packet: those that are part of its circuit, and since when in the current window.
    ways: Vec<Vec<(ChannelId, Time)>>,
    /// By channel: what it has done in the current window for circuits that have ended.
    past: Vec<Use>,
    /// By wire: the messages of those that have it; empty where packets of a message cannot meet.
    users: Vec<Vec<MessageId>>,
}

impl Open {
    /// Nobody uses any channel. Packets of a message meet if a node sends several at a time, or by
    /// both directions of a wire.
    pub fn new(layout: &Layout) -> Self {
        let channels = layout.channels();
        let meets = layout.has_shared_wires() || layout.node_channels > 1;
        let users = if meets { vec![Vec::new(); channels] } else { Vec::new() };
        Self { ways: Vec::new(), past: vec![Use::default(); channels], users }
    }

    /// Whether a packet of a message has a wire.
    #[inline]
    pub fn is_used(&self, wire: ChannelId, message: MessageId) -> bool {
        self.users.get(wire.index()).is_some_and(|users| users.contains(&message))
    }

    /// A channel becomes part of the circuit of a message's packet.
    pub fn take(
        &mut self,
        (id, message): (PacketId, MessageId),
        (channel, wire): (ChannelId, ChannelId),
        now: Time,
    ) {
        while self.ways.len() <= id.index() {
            self.ways.push(Vec::new());
        }
        self.ways[id.index()].push((channel, now));
        self.past[channel.index()].packets += 1;
        if let Some(users) = self.users.get_mut(wire.index()) {
            users.push(message);
        }
    }

    /// The channels of a packet's circuit.
    pub fn way(&self, id: PacketId) -> impl Iterator<Item = ChannelId> {
        self.ways.get(id.index()).into_iter().flatten().map(|&(channel, _)| channel)
    }

    /// A packet's circuit gives up the last of its channels that it still has; which.
    pub fn leave(
        &mut self,
        (id, message): (PacketId, MessageId),
        wire_of: &[ChannelId],
        now: Time,
    ) -> Option<ChannelId> {
        let (channel, since) = self.ways.get_mut(id.index())?.pop()?;
        self.past[channel.index()].busy_ps += now - since;
        if let Some(users) = self.users.get_mut(wire_of[channel.index()].index()) {
            let place = users.iter().position(|&user| user == message);
            place.map(|place| users.swap_remove(place));
        }
        Some(channel)
    }

    /// Adds what every channel has done in the current window.
    pub fn add_used(&self, used: &mut [Use], now: Time) {
        for (used, past) in used.iter_mut().zip(&self.past) {
            used.busy_ps += past.busy_ps;
            used.packets += past.packets;
        }
        for &(channel, since) in self.ways.iter().flatten() {
            used[channel.index()].busy_ps += now - since;
        }
    }

    /// A new window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.past.fill(Use::default());
        self.ways.iter_mut().flatten().for_each(|(_, since)| *since = now);
    }
}
