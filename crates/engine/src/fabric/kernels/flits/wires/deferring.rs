//! Wires of which it is worked out later what they send.

use super::{Lane, Wires};
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

impl Wires {
    /// When a wire has sent what it sends, or sent last.
    #[inline]
    pub fn free_at(&self, number: u32) -> Time {
        self.wires[number as usize].free_at
    }

    /// It is looked at as it was to be at an instant; whether it was.
    #[inline]
    pub fn is_looked_at(&mut self, number: u32, now: Time) -> bool {
        let wire = &mut self.wires[number as usize];
        let is_looked_at = wire.look_at == now;
        if is_looked_at {
            wire.look_at = NEVER;
        }
        is_looked_at
    }

    /// A channel has been granted to a packet now.
    #[inline]
    pub fn begins(&mut self, lane: &Lane, now: Time) {
        let wire = &mut self.wires[lane.wire as usize];
        wire.done = if wire.sending == 0 { now } else { wire.done.min(now) };
        wire.sending |= bit(lane.turn - wire.first);
    }

    /// A channel of a wire sends flits until then, of which so many have not started yet.
    #[inline]
    pub fn sends(&mut self, number: u32, turn: u32, end: Time, ahead: u32) {
        let wire = &mut self.wires[number as usize];
        (wire.free_at, wire.ahead) = (end, ahead);
        wire.sends((turn - wire.first) as u16);
    }

    /// A channel of a wire has sent the last flit of a packet.
    #[inline]
    pub fn has_sent_all(&mut self, number: u32, turn: u32) {
        let wire = &mut self.wires[number as usize];
        wire.sending &= !bit(turn - wire.first);
    }

    /// A channel of a wire has flits of a packet to send after all.
    pub fn sends_again(&mut self, number: u32, turn: u32) {
        let wire = &mut self.wires[number as usize];
        wire.sending |= bit(turn - wire.first);
    }

    /// The most flits that have been worked out and have not started.
    #[inline]
    pub fn ahead(&self, number: u32) -> u32 {
        self.wires[number as usize].ahead
    }

    /// The channel of a wire that sent last.
    #[inline]
    pub fn last(&self, number: u32) -> ChannelId {
        self.channel_at(number, u32::from(self.wires[number as usize].last))
    }

    /// Whether nobody shares a wire.
    #[inline]
    pub fn is_of_one(&self, number: u32) -> bool {
        self.wires[number as usize].count == 1
    }

    /// Its channels with flits that have not started, by place.
    #[inline]
    pub fn sending(&self, number: u32) -> u64 {
        self.wires[number as usize].sending
    }

    /// Those that somebody waits for to fall free, by place.
    #[inline]
    pub fn wanted(&self, number: u32) -> u64 {
        self.wires[number as usize].wanted
    }

    /// Somebody waits for a channel to fall free.
    #[inline]
    pub fn want(&mut self, lane: &Lane) {
        let wire = &mut self.wires[lane.wire as usize];
        wire.wanted |= bit(lane.turn - wire.first);
    }

    /// A channel that somebody waited for is free.
    #[inline]
    pub fn is_free(&mut self, lane: &Lane) {
        let wire = &mut self.wires[lane.wire as usize];
        wire.wanted &= !bit(lane.turn - wire.first);
    }

    /// The channel at a place of a wire.
    #[inline]
    pub fn channel_at(&self, number: u32, place: u32) -> ChannelId {
        self.channels[(self.wires[number as usize].first + place) as usize]
    }

    /// Whether a wire can have sent anything that is not known, up to an instant.
    #[inline]
    pub fn may_send_until(&self, number: u32, until: Time) -> bool {
        let wire = &self.wires[number as usize];
        wire.sending != 0 && wire.done <= until && wire.free_at <= until
    }

    /// Up to when it is known what a wire sends.
    #[inline]
    pub fn known_until(&self, number: u32) -> Time {
        let wire = &self.wires[number as usize];
        wire.done.max(wire.free_at)
    }

    /// All that a wire sends before `done` is known.
    #[inline]
    pub fn is_done(&mut self, number: u32, done: Time) {
        self.wires[number as usize].done = done;
    }

    /// How many wires there are.
    pub fn count(&self) -> u32 {
        self.wires.len() as u32
    }
}

/// The bit of a place; nobody asks for those of wires that are too many.
#[inline]
fn bit(place: u32) -> u64 {
    1_u64.wrapping_shl(place)
}
