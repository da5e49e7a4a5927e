//! Wires that several virtual channels share.

use crate::fabric::network::layout::Layout;
use crate::ids::ChannelId;
use crate::time::Time;

/// How many channels share a wire at most.
pub fn most_on_a_wire(layout: &Layout) -> usize {
    let mut channels = vec![0; layout.channels()];
    for wire in &layout.wire_of {
        channels[wire.index()] += 1;
    }
    channels.into_iter().max().unwrap_or(0)
}

/// All wires of a machine in which channels share some.
#[derive(Clone)]
pub struct Wires {
    /// By channel: its wire.
    of: Vec<u32>,
    /// By wire: where its channels begin in `channels`; one more at the end.
    first: Vec<u32>,
    /// Channels by wire, lowest number first.
    channels: Vec<ChannelId>,
    /// By wire: when what it sends, or sent last, has been sent.
    free_at: Vec<Time>,
    /// By wire: the channel that sent last.
    last: Vec<ChannelId>,
}

impl Wires {
    /// The idle wires of a machine.
    pub fn new(layout: &Layout) -> Self {
        let mut pairs: Vec<(ChannelId, ChannelId)> = (layout.wire_of.iter().enumerate())
            .map(|(channel, &wire)| (wire, ChannelId::from_index(channel)))
            .collect();
        pairs.sort_unstable();
        let mut wires = Self {
            of: vec![0; pairs.len()],
            first: Vec::new(),
            channels: pairs.iter().map(|&(_, channel)| channel).collect(),
            free_at: Vec::new(),
            last: Vec::new(),
        };
        for (place, &(wire, channel)) in pairs.iter().enumerate() {
            if wire == channel {
                wires.first.push(place as u32);
                wires.free_at.push(0);
                wires.last.push(ChannelId::NONE);
            }
            wires.of[channel.index()] = wires.first.len() as u32 - 1;
        }
        wires.first.push(pairs.len() as u32);
        wires
    }

    /// On a channel's wire the same has been sent last as on another's.
    pub fn renew(&mut self, like: &Self, channel: ChannelId) {
        let wire = self.of(channel) as usize;
        self.last[wire] = like.last[wire];
    }

    /// The number of a channel's wire.
    #[inline]
    pub fn of(&self, channel: ChannelId) -> u32 {
        self.of[channel.index()]
    }

    /// The channels that share a channel's wire, itself included.
    #[inline]
    pub fn sharing(&self, channel: ChannelId) -> &[ChannelId] {
        let wire = self.of(channel) as usize;
        &self.channels[self.first[wire] as usize..self.first[wire + 1] as usize]
    }

    /// When a channel's wire is free.
    #[inline]
    pub fn free_at(&self, channel: ChannelId) -> Time {
        self.free_at[self.of(channel) as usize]
    }

    /// The channel that sent last on a channel's wire.
    #[inline]
    pub fn last(&self, channel: ChannelId) -> ChannelId {
        self.last[self.of(channel) as usize]
    }

    /// A channel sends on its wire until `end`.
    #[inline]
    pub fn sends(&mut self, channel: ChannelId, end: Time) {
        let wire = self.of(channel) as usize;
        self.free_at[wire] = end;
        self.last[wire] = channel;
    }
}
