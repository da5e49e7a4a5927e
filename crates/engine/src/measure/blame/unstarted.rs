//! Packets that have left the place where they stood and have not started on a channel.
//!
//! What they waited for is charged when they start, so the turns they waited for must be
//! known until then.

use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// Such packets, by the channel that stands for the place; each with when it was ready.
pub struct Unstarted {
    places: Vec<Vec<(PacketId, Time)>>,
}

impl Unstarted {
    /// None yet, at as many places as there are channels.
    pub fn new(channels: usize) -> Self {
        Self { places: vec![Vec::new(); channels] }
    }

    /// A packet that was ready at `ready` is one of them.
    pub fn add(&mut self, place: ChannelId, packet: PacketId, ready: Time) {
        self.places[place.index()].push((packet, ready));
    }

    /// A packet starts.
    pub fn remove(&mut self, place: ChannelId, packet: PacketId) {
        self.places[place.index()].retain(|&(other, _)| other != packet);
    }

    /// Since when one of a place has been ready; [`NEVER`] if there is none.
    #[inline]
    pub fn since(&self, place: ChannelId) -> Time {
        self.places[place.index()].iter().map(|&(_, ready)| ready).min().unwrap_or(NEVER)
    }
}
