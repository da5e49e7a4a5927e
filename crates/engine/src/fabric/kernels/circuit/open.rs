//! Mode `endpoints`: channels between switches that everybody can have at once.

use crate::ids::{ChannelId, PacketId};
use crate::measure::Use;
use crate::time::Time;

/// Who uses them.
#[derive(Clone)]
pub struct Open {
    /// By packet: those that are part of its circuit, and since when in the current window.
    ways: Vec<Vec<(ChannelId, Time)>>,
    /// By channel: what it has done in the current window for circuits that have ended.
    past: Vec<Use>,
}

impl Open {
    /// Of so many channels nobody uses any.
    pub fn new(channels: usize) -> Self {
        Self { ways: Vec::new(), past: vec![Use::default(); channels] }
    }

    /// A channel becomes part of a packet's circuit.
    pub fn take(&mut self, id: PacketId, channel: ChannelId, now: Time) {
        while self.ways.len() <= id.index() {
            self.ways.push(Vec::new());
        }
        self.ways[id.index()].push((channel, now));
        self.past[channel.index()].packets += 1;
    }

    /// The channels of a packet's circuit.
    pub fn way(&self, id: PacketId) -> impl Iterator<Item = ChannelId> {
        self.ways.get(id.index()).into_iter().flatten().map(|&(channel, _)| channel)
    }

    /// A packet's circuit ends; how many of these channels it had.
    pub fn leave(&mut self, id: PacketId, now: Time) -> usize {
        let Some(way) = self.ways.get_mut(id.index()) else { return 0 };
        for &(channel, since) in way.iter() {
            self.past[channel.index()].busy_ps += now - since;
        }
        let count = way.len();
        way.clear();
        count
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
