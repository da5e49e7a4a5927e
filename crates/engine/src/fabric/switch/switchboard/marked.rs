//! The groups that must choose.

use crate::ids::ChannelId;

/// A stack of channels, of which each is on it once at most.
#[derive(Clone)]
pub struct Marked {
    /// The numbers of those on it, the last one on top; behind them any. As numbers, so that what is
    /// never reached takes no memory: zeros come from the system unwritten.
    channels: Box<[u32]>,
    count: usize,
}

impl Marked {
    /// None of so many.
    pub fn new(channels: usize) -> Self {
        Self { channels: vec![0; channels + 1].into(), count: 0 }
    }

    /// Puts a channel on top, or not: without a branch, which no processor could foresee.
    #[inline]
    pub fn push_if(&mut self, channel: ChannelId, on: bool) {
        self.channels[self.count] = channel.0;
        self.count += usize::from(on);
    }

    /// Takes the one on top, if any is on it.
    #[inline]
    pub fn pop(&mut self) -> Option<ChannelId> {
        self.count = self.count.checked_sub(1)?;
        Some(ChannelId(self.channels[self.count]))
    }

    /// Whether none is on it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
