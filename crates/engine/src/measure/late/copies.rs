//! Turns in copies of the network, as long as it is not known when they end.
//!
//! Copies name channels alike, also those between nodes and switches, which they share. So who leaves a
//! channel is told by the copy in which it does.

use super::turns::Turn;
use crate::ids::ChannelId;
use crate::mixed::Mixed;

/// A turn that has not ended.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    channel: ChannelId,
    /// The turn, and the number of its message.
    pub turn: Turn,
    pub message: u64,
}

/// Turns in copies that have not ended.
#[derive(Default)]
pub struct Copies {
    /// The copy in which something happens, by its number; 0: it happens in the network itself.
    at: u64,
    /// By copy: in the order in which they began.
    open: Mixed<u64, Vec<Open>>,
}

impl Copies {
    /// What happens from now on does in a copy, or (0) in the network itself.
    pub fn enter(&mut self, copy: u64) {
        self.at = copy;
    }

    /// Whether what happens does in a copy.
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.at > 0
    }

    /// A turn of a message begins on a channel.
    pub fn begins(&mut self, channel: ChannelId, turn: Turn, message: u64) {
        self.open.entry(self.at).or_default().push(Open { channel, turn, message });
    }

    /// The packet that a channel was granted to first of those that have not left it leaves it.
    pub fn leaves(&mut self, channel: ChannelId) -> Option<Open> {
        let open = self.open.get_mut(&self.at)?;
        let place = open.iter().position(|open| open.channel == channel)?;
        Some(open.remove(place))
    }

    /// Nobody is in the copy any more: what has not ended there.
    pub fn closes(&mut self) -> Vec<Open> {
        self.open.remove(&self.at).unwrap_or_default()
    }
}
