//! Which of the channels that share a wire sends its next flit, and when.

mod deferring;
mod next;
mod telling;

pub use telling::Contest;

use super::lane::Lane;
use crate::event_queue::{Event, EventQueue};
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::switchboard::Switchboard;
use crate::ids::ChannelId;
use crate::rare::rarely;
use crate::spec::Sharing;
use crate::time::{NEVER, Time};

/// Most channels of a wire of which it can be worked out later what they send: they are bits of a word.
pub const MOST_DEFERRED: usize = 64;

/// No channel of a wire.
const NOBODY: u16 = u16::MAX;

/// All wires of a machine.
#[derive(Clone)]
pub struct Wires {
    wires: Vec<Wire>,
    /// Channels by wire, lowest number first.
    channels: Vec<ChannelId>,
    /// Of each of these: from when on it could send a flit if the wire were free, or [`NEVER`]
    /// as long as that is not known.
    ready_at: Vec<Time>,
    /// The same where it is told who has to wait: when its packet is told next, if the wire is not free;
    /// nothing where it is not.
    told_at: Vec<Time>,
    sharing: Sharing,
    /// Wires that may have something to send at this instant.
    due: Vec<u32>,
}

/// A wire and who shares it.
#[derive(Clone)]
struct Wire {
    /// When what it sends, or sent last, has been sent.
    free_at: Time,
    /// When it is looked at again, or [`NEVER`].
    look_at: Time,
    /// All that it sends before then is known.
    done: Time,
    /// Its channels with flits of a packet that have not started, by place.
    sending: u64,
    /// Those that somebody waits for to fall free.
    wanted: u64,
    /// Where its channels begin.
    first: u32,
    /// How many flits at most have been worked out that have not started.
    ahead: u32,
    /// How many its channels are, those along it before those against it.
    count: u16,
    /// How many are along it: all, but where both directions share it.
    along: u16,
    /// The one that sent last, by place; at first the last of them, so that the lowest is next.
    last: u16,
    /// The same of those along it and of those against it.
    latest: [u16; 2],
    /// The one whose packet's last flit it sends, or [`NOBODY`].
    ends: u16,
    /// Whether it is among those that may have something to send.
    is_due: bool,
}

impl Wires {
    /// The idle wires of a machine; every channel is told its own.
    pub fn new(layout: &Layout, sharing: Sharing, board: &mut Switchboard<Lane>) -> Self {
        let mut channels: Vec<ChannelId> =
            (0..layout.channels()).map(ChannelId::from_index).collect();
        channels.sort_unstable_by_key(|channel| (layout.wire_of[channel.index()], *channel));
        let against = layout.against();
        let is_against = |channel: ChannelId| against.get(channel.index()) == Some(&true);
        let mut wires: Vec<Wire> = Vec::new();
        for (turn, &channel) in channels.iter().enumerate() {
            if layout.wire_of[channel.index()] == channel {
                wires.push(Wire::idle(turn as u32));
            }
            let at = wires.len() - 1;
            let wire = &mut wires[at];
            wire.join(is_against(channel));
            let lane = board.at_mut(channel);
            (lane.wire, lane.turn) = (at as u32, turn as u32);
        }
        let (ready_at, told_at, due) = (vec![NEVER; channels.len()], Vec::new(), Vec::new());
        Self { wires, channels, ready_at, told_at, sharing, due }
    }

    /// On a wire that is idle the channel is next that is with other wires.
    pub fn renew(&mut self, like: &Self, wire: u32) {
        self.wires[wire as usize].last = like.wires[wire as usize].last;
    }

    /// A channel of a wire can send a flit from `at` on, or it is not known when.
    #[inline]
    pub fn ready(&mut self, lane: &Lane, at: Time, now: Time, events: &mut EventQueue) {
        self.ready_at[lane.turn as usize] = at;
        if at == NEVER {
            return;
        }
        if rarely(!self.told_at.is_empty()) {
            return self.ready_to_tell(lane, at, now, events);
        }
        let wire = &mut self.wires[lane.wire as usize];
        let look_at = at.max(wire.free_at);
        if look_at <= now {
            self.wake(lane.wire);
        } else if look_at < wire.look_at {
            wire.look_at = look_at;
            let first = self.channels[wire.first as usize];
            events.post(look_at, Event::Retry(first.into()));
        }
    }

    /// The time has come to look at a wire; the channel whose packet it has sent the end of.
    #[inline]
    pub fn look(&mut self, number: u32, now: Time) -> Option<ChannelId> {
        let wire = &mut self.wires[number as usize];
        if wire.look_at != now {
            return None;
        }
        wire.look_at = NEVER;
        let ends = std::mem::replace(&mut wire.ends, NOBODY);
        let first = wire.first as usize;
        self.wake(number);
        (ends != NOBODY).then(|| self.channels[first + usize::from(ends)])
    }

    /// A channel sends the last flit of a packet: the wire is looked at as soon as it is free.
    #[inline]
    pub fn ends(&mut self, lane: &Lane, events: &mut EventQueue) {
        let wire = &mut self.wires[lane.wire as usize];
        wire.ends = (lane.turn - wire.first) as u16;
        let free_at = wire.free_at;
        self.look_next(lane.wire, free_at, events);
    }

    /// When the first channel of a wire can send, as far as that is known.
    #[inline]
    pub fn next_start(&self, number: u32) -> Time {
        let wire = &self.wires[number as usize];
        let first = wire.first as usize;
        let all = &self.ready_at[first..first + usize::from(wire.count)];
        wire.free_at.max(all.iter().copied().min().unwrap_or(NEVER))
    }

    /// A wire is looked at next at an instant, and not before.
    #[inline]
    pub fn look_next(&mut self, number: u32, at: Time, events: &mut EventQueue) {
        let wire = &mut self.wires[number as usize];
        if wire.look_at != at {
            wire.look_at = at;
            if at != NEVER {
                events.post(at, Event::Retry(self.channels[wire.first as usize].into()));
            }
        }
    }

    /// Whether a wire sends the last flit of a packet; until when.
    #[inline]
    pub fn ending(&self, number: u32) -> Option<Time> {
        let wire = &self.wires[number as usize];
        (wire.ends != NOBODY).then_some(wire.free_at)
    }

    /// It could send a flit from then on.
    #[inline]
    pub fn set_ready(&mut self, turn: usize, at: Time) {
        self.ready_at[turn] = at;
    }

    /// Something is new at a wire.
    #[inline]
    pub fn wake(&mut self, number: u32) {
        let wire = &mut self.wires[number as usize];
        if !wire.is_due {
            wire.is_due = true;
            self.due.push(number);
        }
    }

    /// The same, and what it sends from now on is not known though it seemed to be.
    pub fn wake_anew(&mut self, number: u32, now: Time) {
        let wire = &mut self.wires[number as usize];
        wire.done = wire.done.min(now);
        self.wake(number);
    }

    /// Takes one of the wires that are to be looked at now.
    #[inline]
    pub fn next_due(&mut self) -> Option<u32> {
        let number = self.due.pop()?;
        self.wires[number as usize].is_due = false;
        Some(number)
    }

    /// The channel that sends at an instant at which one can and the wire is free.
    #[inline]
    pub fn take_turn(
        &mut self,
        number: u32,
        now: Time,
        continues: impl Fn(ChannelId) -> bool,
    ) -> Option<ChannelId> {
        let wire = &mut self.wires[number as usize];
        let first = wire.first as usize;
        let ready_at = &self.ready_at[first..first + usize::from(wire.count)];
        let continues = |place| continues(self.channels[first + place]);
        let place = wire.next(ready_at, now, self.sharing, continues)?;
        wire.sends(place as u16);
        Some(self.channels[first + place])
    }

    /// Whether nothing can be sent.
    #[inline]
    pub fn are_settled(&self) -> bool {
        self.due.is_empty()
    }

    /// Of the channels that contend for a free wire at this instant, one for each: all wires
    /// choose before any sends. `continues`: whether a channel has begun a packet.
    #[inline]
    pub fn choose(
        &mut self,
        now: Time,
        chosen: &mut Vec<ChannelId>,
        events: &mut EventQueue,
        continues: impl Fn(ChannelId) -> bool,
    ) {
        let mut due = std::mem::take(&mut self.due);
        for number in due.drain(..) {
            let wire = &mut self.wires[number as usize];
            wire.is_due = false;
            // Else it is looked at when it is free.
            if wire.free_at <= now {
                if let Some(channel) = self.take_turn(number, now, &continues) {
                    chosen.push(channel);
                } else {
                    let next = self.next_start(number);
                    self.look_next(number, next, events);
                }
            }
        }
        self.due = due;
    }
}
