//! Wires that several virtual channels share.

use crate::fabric::network::layout::Layout;
use crate::ids::ChannelId;
use crate::time::Time;
use std::hint::black_box;

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
    /// By wire: when what it sends, or sent last, has been sent.
    free_at: Vec<Time>,
}

impl Wires {
    /// The idle wires of a machine.
    pub fn new(layout: &Layout) -> Self {
        let mut pairs: Vec<(ChannelId, ChannelId)> = (layout.wire_of.iter().enumerate())
            .map(|(channel, &wire)| (wire, ChannelId::from_index(channel)))
            .collect();
        pairs.sort_unstable();
        let mut wires = Self { of: vec![0; pairs.len()], free_at: Vec::new() };
        for &(wire, channel) in &pairs {
            if wire == channel {
                wires.free_at.push(0);
            }
            wires.of[channel.index()] = wires.free_at.len() as u32 - 1;
        }
        wires
    }

    /// When a channel's wire is free.
    #[inline]
    pub fn free_at(&self, channel: ChannelId) -> Time {
        self.free_at[self.of[channel.index()] as usize]
    }

    /// Reads what is known of a channel's wire, if it is one, before it is needed.
    #[inline]
    pub fn prefetch(&self, channel: ChannelId) {
        if let Some(&wire) = self.of.get(channel.index()) {
            black_box(self.free_at[wire as usize]);
        }
    }

    /// A channel sends on its wire until `end`.
    #[inline]
    pub fn sends(&mut self, channel: ChannelId, end: Time) {
        self.free_at[self.of[channel.index()] as usize] = end;
    }
}
