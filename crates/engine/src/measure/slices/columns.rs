//! Sums by channel and slice of what is sampled of every channel.

use crate::ids::ChannelId;
use crate::time::Time;

/// What is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// How long a channel transmitted.
    Busy,
}

/// All that is sampled.
const ALL: usize = 1;

/// Sums of everything that is sampled, in the order of channels; those of a slice lie together, as what
/// happens at about the same time is added there.
#[derive(Clone)]
pub struct Columns {
    channels: usize,
    /// By slice.
    slices: Vec<Vec<[Time; ALL]>>,
}

impl Columns {
    /// Nothing of so many channels.
    pub fn new(channels: usize) -> Self {
        Self { channels, slices: Vec::new() }
    }

    /// Of how many channels there are sums.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Adds to a sum.
    #[inline]
    pub fn add(&mut self, what: What, channel: ChannelId, slice: u32, time: Time) {
        if self.slices.len() <= slice as usize {
            self.slices.resize(slice as usize + 1, Vec::new());
        }
        let sums = &mut self.slices[slice as usize];
        if sums.is_empty() {
            sums.resize(self.channels, [0; ALL]);
        }
        sums[channel.index()][what as usize] += time;
    }

    /// A sum.
    pub fn sum(&self, what: What, slice: u32, channel: ChannelId) -> Time {
        let sums = self.slices.get(slice as usize);
        let sums = sums.and_then(|sums| sums.get(channel.index()));
        sums.map_or(0, |sums| sums[what as usize])
    }

    /// Slices become twice as long.
    pub fn double(&mut self) {
        let old = std::mem::take(&mut self.slices);
        let mut old = old.into_iter();
        while let Some(mut first) = old.next() {
            let second = old.next().unwrap_or_default();
            if first.is_empty() {
                first = second;
            } else {
                for (sums, more) in first.iter_mut().zip(second) {
                    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                }
            }
            self.slices.push(first);
        }
    }
}
