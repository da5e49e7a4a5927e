//! Which channels have nothing behind them, for those who compare loads.

use crate::ids::ChannelId;

/// Channels of which no flit is in the buffer at the end, on the way there, or to come.
///
/// Most links of a large network are idle, and whoever chooses among all of a switch asks about each
/// of their virtual channels: a bit says so without a look at the channel.
#[derive(Clone)]
pub struct Quiet {
    /// A bit for each channel; nothing where nobody asks.
    bits: Vec<u64>,
}

impl Quiet {
    /// All of so many channels are.
    pub fn new(channels: usize) -> Self {
        Self { bits: vec![u64::MAX; channels.div_ceil(64)] }
    }

    /// Whether a channel is, as far as is known.
    #[inline]
    pub fn is(&self, channel: ChannelId) -> bool {
        self.bits[channel.index() / 64] >> (channel.index() % 64) & 1 == 1
    }

    /// A channel has nothing behind it and no packet to send.
    #[inline]
    pub fn falls(&mut self, channel: ChannelId) {
        self.bits[channel.index() / 64] |= 1 << (channel.index() % 64);
    }

    /// A channel has been granted to a packet.
    #[inline]
    pub fn ends(&mut self, channel: ChannelId) {
        if let Some(bits) = self.bits.get_mut(channel.index() / 64) {
            *bits &= !(1 << (channel.index() % 64));
        }
    }
}
