//! The groups that must choose.

use crate::ids::ChannelId;

/// A stack of channels, of which each is on it once at most.
pub struct Marked {
    /// Those on it, the last one on top; of those behind any.
    channels: Box<[ChannelId]>,
    count: usize,
}

impl Marked {
    /// None of so many.
    pub fn new(channels: usize) -> Self {
        Self { channels: vec![ChannelId::NONE; channels + 1].into(), count: 0 }
    }

    /// Puts a channel on top, or not: without a branch, which no processor could foresee.
    #[inline]
    pub fn push_if(&mut self, channel: ChannelId, on: bool) {
        self.channels[self.count] = channel;
        self.count += usize::from(on);
    }

    /// Takes the one on top, if any is on it.
    #[inline]
    pub fn pop(&mut self) -> Option<ChannelId> {
        self.count = self.count.checked_sub(1)?;
        Some(self.channels[self.count])
    }

    /// Whether none is on it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
