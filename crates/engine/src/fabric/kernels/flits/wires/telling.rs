//! Wires of which it is told who has to wait for them.

use super::{Lane, NOBODY, Wires};
use crate::event_queue::{Event, EventQueue};
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

/// A wire with channels that could send if it were free.
#[derive(Clone, Copy)]
pub struct Contest {
    /// The wire.
    pub wire: u32,
    /// The one that sends, if the wire is free.
    pub winner: ChannelId,
    /// Those that are told to lack the wire: where they are among all of this instant.
    pub losers: (usize, usize),
}

impl Wires {
    /// From now on it is told who has to wait.
    pub fn tell_losers(&mut self) {
        self.told_at = vec![NEVER; self.channels.len()];
    }

    /// A channel can send a flit from `at` on, or it is not known when ([`Self::ready`]): if the wire is not
    /// free then, its packet is told.
    pub fn ready_to_tell(&mut self, lane: &Lane, at: Time, now: Time, events: &mut EventQueue) {
        self.told_at[lane.turn as usize] = at;
        if at <= now {
            return self.wake(lane.wire);
        }
        let wire = &self.wires[lane.wire as usize];
        let sends = u32::from(wire.last) == lane.turn - wire.first;
        let look_at = if sends { at.max(wire.free_at) } else { at };
        self.look_by(lane.wire, look_at, events);
    }

    /// The packet of a channel is told then, and not before, if it waits for its wire.
    pub fn set_told(&mut self, turn: usize, at: Time) {
        self.told_at[turn] = at;
    }

    /// The packet of a channel is told by then, if it waits for its wire still.
    pub fn tell_by(&mut self, lane: &Lane, at: Time, now: Time, events: &mut EventQueue) {
        let told_at = &mut self.told_at[lane.turn as usize];
        if *told_at >= now {
            *told_at = at.min(*told_at);
        } else {
            *told_at = at;
        }
        let free_at = self.wires[lane.wire as usize].free_at;
        if at <= now {
            self.wake(lane.wire);
        } else if at < free_at {
            self.look_by(lane.wire, at, events);
        }
    }

    /// A wire is looked at then, if not earlier.
    fn look_by(&mut self, number: u32, at: Time, events: &mut EventQueue) {
        let wire = &mut self.wires[number as usize];
        if at < wire.look_at {
            wire.look_at = at;
            events.post(at, Event::Retry(self.channels[wire.first as usize].into()));
        }
    }

    /// Whether a channel could send but for its wire, which another one uses.
    #[inline]
    pub fn waits_for_other(&self, lane: &Lane, now: Time) -> bool {
        let wire = &self.wires[lane.wire as usize];
        let sends = u32::from(wire.last) == lane.turn - wire.first;
        wire.free_at > now && !sends && self.ready_at[lane.turn as usize] <= now
    }

    /// The time has come to look at a wire; the channel whose packet it has sent the end of.
    pub fn look_and_tell(&mut self, number: u32, now: Time) -> Option<ChannelId> {
        let wire = &mut self.wires[number as usize];
        if wire.look_at == now && wire.ends != NOBODY && wire.free_at > now {
            wire.look_at = NEVER;
            self.wake(number);
            return None;
        }
        self.look(number, now)
    }

    /// A channel sends the last flit of a packet.
    pub fn ends_and_tells(&mut self, lane: &Lane) {
        let wire = &mut self.wires[lane.wire as usize];
        wire.ends = (lane.turn - wire.first) as u16;
    }

    /// Wires that somebody could use at this instant, in their order, with those who do and those who are
    /// told that they do not.
    pub fn contend(
        &mut self,
        now: Time,
        (contests, losers): (&mut Vec<Contest>, &mut Vec<ChannelId>),
        continues: impl Fn(ChannelId) -> bool,
    ) {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        for wire in due.drain(..) {
            self.wires[wire as usize].is_due = false;
            let is_free = self.wires[wire as usize].free_at <= now;
            let mut winner = None;
            if is_free {
                winner = self.take_turn(wire, now, &continues);
            }
            let first = losers.len();
            self.lose(wire, is_free, now, losers);
            let losers = (first, losers.len());
            contests.push(Contest { wire, winner: winner.unwrap_or(ChannelId::NONE), losers });
        }
        self.due = due;
    }

    /// Who is told of a wire: if it has been free, all who could have sent, else those of whom it is time.
    /// The next time they are told is not known.
    fn lose(&mut self, number: u32, has_been_free: bool, now: Time, losers: &mut Vec<ChannelId>) {
        let wire = &self.wires[number as usize];
        for place in (0..wire.count).filter(|&place| place != wire.last) {
            let turn = wire.first as usize + usize::from(place);
            let is_told = if has_been_free { self.ready_at[turn] } else { self.told_at[turn] };
            if is_told == now || has_been_free && is_told < now {
                losers.push(self.channels[turn]);
                self.told_at[turn] = NEVER;
            }
        }
    }

    /// A wire is looked at when it has sent the end of a packet, when it is free and somebody can use it,
    /// and when somebody is told that he cannot.
    pub fn look_to_tell(&mut self, number: u32, now: Time, events: &mut EventQueue) {
        let wire = &self.wires[number as usize];
        let (free_at, last) = (wire.free_at, u32::from(wire.last));
        let mut look_at = if wire.ends == NOBODY { NEVER } else { free_at };
        for place in 0..u32::from(wire.count) {
            let turn = (wire.first + place) as usize;
            look_at = look_at.min(self.ready_at[turn].max(free_at));
            let told_at = self.told_at[turn];
            if place != last && told_at > now && told_at < free_at {
                look_at = look_at.min(told_at);
            }
        }
        self.look_next(number, look_at, events);
    }
}
