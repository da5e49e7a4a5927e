//! The groups that must choose.

use crate::ids::ChannelId;

/// A stack of channels, of which each is on it once at most.
#[derive(Clone, Default)]
pub struct Marked {
    /// The numbers of those on it, the last one on top; behind them any.
    channels: Vec<u32>,
    count: usize,
}

impl Marked {
    /// Puts a channel on top, or not: without a branch that no processor could foresee.
    #[inline]
    pub fn push_if(&mut self, channel: ChannelId, on: bool) {
        if self.count == self.channels.len() {
            self.grow();
        }
        self.channels[self.count] = channel.0;
        self.count += usize::from(on);
    }

    /// Makes room for more.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.channels.resize(2 * self.count + 8, 0);
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
