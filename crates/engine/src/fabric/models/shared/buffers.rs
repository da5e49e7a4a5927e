//! When flits arrive in buffers, and when their places can be used again.

use super::lane::Lane;
use crate::ids::ChannelId;
use crate::time::Time;

/// Most flits of a buffer whose places are kept one by one.
pub const MOST_FLITS: u32 = 1 << 12;

/// The input buffers of all channels, as rings of places.
///
/// As long as a flit takes a place, the place has the time at which it is there; as soon as it
/// is known when the flit leaves, the time from which on the next can start for that place. So
/// neither the arrival of a flit nor that of a credit is an event.
pub struct Buffers {
    /// Places of each.
    flits: u32,
    /// By channel and place.
    times: Vec<Time>,
}

impl Buffers {
    /// Empty buffers of so many channels, with so many places each.
    pub fn new(channels: usize, flits: u32) -> Self {
        Self { flits, times: vec![0; channels * flits as usize] }
    }

    /// Places of each.
    #[inline]
    pub fn flits(&self) -> u32 {
        self.flits
    }

    #[inline]
    fn at(&mut self, channel: ChannelId, place: u32) -> &mut Time {
        &mut self.times[channel.index() * self.flits as usize + place as usize]
    }

    #[inline]
    fn behind(&self, place: u32) -> u32 {
        if place + 1 == self.flits { 0 } else { place + 1 }
    }

    /// A flit has started that takes a place; when it is there.
    #[inline]
    pub fn comes(&mut self, channel: ChannelId, lane: &mut Lane, there: Time) {
        let place = lane.next_in;
        lane.used += 1;
        lane.next_in = self.behind(place);
        *self.at(channel, place) = there;
    }

    /// The first flit leaves, and another can start for its place from `credit` on.
    #[inline]
    pub fn leaves(&mut self, channel: ChannelId, lane: &mut Lane, credit: Time) {
        let place = lane.next_out;
        lane.used -= 1;
        lane.next_out = self.behind(place);
        *self.at(channel, place) = credit;
    }

    /// When the first flit is there; there must be one.
    #[inline]
    pub fn first(&self, channel: ChannelId, lane: &Lane) -> Time {
        self.times[channel.index() * self.flits as usize + lane.next_out as usize]
    }

    /// From when on a flit can start for the next place, which must be free.
    #[inline]
    pub fn free(&self, channel: ChannelId, lane: &Lane) -> Time {
        self.times[channel.index() * self.flits as usize + lane.next_in as usize]
    }

    /// Flits that can start now, as far as places go.
    pub fn room(&self, channel: ChannelId, lane: &Lane, now: Time) -> u32 {
        let mut room = self.flits - lane.used;
        let mut place = lane.next_out;
        // Credits on their way are those of the flits that left last.
        while room > 0 {
            place = if place == 0 { self.flits - 1 } else { place - 1 };
            if self.times[channel.index() * self.flits as usize + place as usize] <= now {
                break;
            }
            room -= 1;
        }
        room
    }
}
