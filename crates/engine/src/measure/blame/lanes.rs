//! Who has his turn where, in as few words as can be: for networks whose packets leave every buffer in
//! the order in which they came, each by one channel.
//!
//! Of every channel it is known who had the latest turn on it and at the front of the buffer at its end,
//! and how many are in that. Those before them are noted in a [`Log`] where somebody may ask for them: as long as
//! a victim is in that buffer, or wants the channel.

#[cfg(test)]
mod tests;

use super::log::Log;
use super::turn::Turn;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::time::{NEVER, Time};

/// Whose a turn is: one word.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Whose {
    /// The packet; its place is used again after it has been delivered.
    packet: PacketId,
    /// Its traffic class.
    class: u32,
}

/// When a turn ends or is known to end, or never; later than any instant if it may not be enough that this
/// turn is known.
#[derive(Clone, Copy)]
struct Until(Time);

impl Until {
    /// Added where there is more to know: above all instants.
    const MORE: Time = 1 << 63;

    #[inline]
    fn new(end: Time, needs: u8) -> Self {
        Self(if needs == 0 { end } else { end | Self::MORE })
    }

    /// When the turn ends.
    #[inline]
    fn end(self) -> Time {
        if self.0 == NEVER { NEVER } else { self.0 & !Self::MORE }
    }
}

/// A packet's turn on a channel.
#[derive(Clone, Copy)]
struct Stay {
    until: Until,
    whose: Whose,
    /// When it was granted the channel.
    granted: Time,
}

/// A packet's turn at the front of a buffer: it leaves that.
#[derive(Clone, Copy)]
struct Leaving {
    /// Until it is out of it.
    until: Until,
    whose: Whose,
    /// The channel by which it leaves.
    channel: ChannelId,
}

/// Of which turns something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those on the channel.
    Channel,
    /// Those at the front of the buffer at its end.
    Front,
}

/// A channel and the buffer at its end: a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Lane {
    /// The latest turn on the channel.
    on: Stay,
    /// The latest turn at the front of the buffer.
    front: Leaving,
    /// How many packets are in the buffer, or on the way there, modulo 2^32; at a node: have been.
    inside: u32,
    /// Another channel of the queue of those who may be granted it, if there is one: the channel that stands
    /// for the queue is the first, and each leads to the next.
    next: ChannelId,
    /// By side: why it may not be enough that the latest turn is known.
    needs: [u8; 2],
}

/// The log has the latest turn of a side, and those before it.
const LOGGED: u8 = 1;
/// Somebody may ask for turns before the latest.
const WATCHED: u8 = 2;
/// The turn before the latest was not over when that began.
const OVERLAPS: u8 = 4;
/// There is no buffer: a node takes everything in at once.
const AT_NODE: u8 = 8;

/// The turns on a side before a packet's own.
pub enum Past<'a> {
    /// There has been none, or nobody can ask for it.
    Unknown,
    /// One.
    One(Turn),
    /// So many in a log.
    Logged(&'a Log, usize),
}

impl Past<'_> {
    /// When the latest ended; 0 if nothing is known of it.
    #[inline]
    pub fn end(&self) -> Time {
        match self {
            Self::Unknown => 0,
            Self::One(turn) => turn.end,
            Self::Logged(log, count) => log.end_before(*count),
        }
    }

    /// Cuts time up to the latest end into pieces, as [`Log::cut`], and does `each` with them.
    // Most waits have one piece.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn cut(&self, (from, to): (Time, Time), mut each: impl FnMut(&Turn, Time)) {
        match self {
            Self::One(turn) if from < to => each(turn, to - from),
            Self::Unknown | Self::One(_) => {}
            Self::Logged(log, count) => {
                log.cut(*count, (from, to)).for_each(|(turn, time)| each(turn, time));
            }
        }
    }
}

impl Lane {
    /// The latest turn on a side; that of nobody ended at 0.
    #[inline]
    fn latest(&self, channel: ChannelId, side: Side) -> Turn {
        match side {
            Side::Channel => {
                let Stay { whose: Whose { packet, class }, granted, until } = self.on;
                let end = until.end();
                Turn { packet, class, channel, asked: granted, granted, end }
            }
            Side::Front => {
                let Leaving { whose: Whose { packet, class }, channel, until } = self.front;
                let end = until.end();
                Turn { packet, class, channel, asked: end, granted: 0, end }
            }
        }
    }

    #[inline]
    fn until(&mut self, side: Side) -> &mut Until {
        match side {
            Side::Channel => &mut self.on.until,
            Side::Front => &mut self.front.until,
        }
    }

    /// What there is to know of a side besides the latest turn, which ends at `end`.
    #[inline]
    fn set(&mut self, side: Side, needs: u8, end: Time) {
        self.needs[side as usize] = needs;
        *self.until(side) = Until::new(end, needs);
    }

    /// The log is to have the latest turn, and those before it that may be asked for from now on.
    fn enter(&self, channel: ChannelId, side: Side, log: &mut Log) {
        if self.needs[side as usize] & LOGGED == 0 {
            log.begin(self.latest(channel, side));
        }
    }

    /// A packet has its turn on the channel, and is in the buffer next.
    #[inline]
    fn is_entered(&mut self, stay: Stay) {
        self.on = stay;
        self.inside = self.inside.wrapping_add(1);
    }

    /// The first packet in the buffer leaves it.
    #[inline]
    fn is_left(&mut self, leaving: Leaving) {
        self.front = leaving;
        self.inside = self.inside.wrapping_sub(1);
    }
}

/// What is kept of every packet on its way.
#[derive(Clone, Copy)]
struct Whereabouts {
    whose: Whose,
    /// The channel it was granted last, or none.
    head: ChannelId,
    /// What else there is to know of it.
    flags: u8,
}

/// It has a record: it is a victim.
const RECORDED: u8 = 1;
/// It has kept others waiting at an output it had been granted.
const KEEPING: u8 = 2;
/// It has no record, but when it starts is noted.
const STARTING: u8 = 4;

impl Whereabouts {
    fn set(&mut self, flag: u8, is_set: bool) {
        self.flags = self.flags & !flag | if is_set { flag } else { 0 };
    }
}

/// The latest turns at every channel, and where packets are; or nothing.
#[derive(Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    packets: Vec<Whereabouts>,
}

impl Lanes {
    /// Nobody has had a turn at any channel; by channel: which one stands for its queue, and the node at
    /// its end, if any. `are_watched`: nothing is ever forgotten.
    pub fn new(queues: &[ChannelId], nodes: &[NodeId], are_watched: bool) -> Self {
        let watched = if are_watched { WATCHED } else { 0 };
        let whose = Whose { packet: PacketId::NONE, class: 0 };
        let lane = |node: &NodeId| {
            let needs = [watched, watched | if node.is_some() { AT_NODE } else { 0 }];
            let [until, until_left] = needs.map(|needs| Until::new(0, needs));
            let none = ChannelId::NONE;
            let on = Stay { until, whose, granted: 0 };
            let front = Leaving { until: until_left, whose, channel: none };
            Lane { on, front, inside: 0, next: none, needs }
        };
        let mut lanes: Vec<_> = nodes.iter().map(lane).collect();
        for (channel, queue) in queues.iter().enumerate() {
            if queue.index() != channel {
                let next = ChannelId::from_index(channel);
                lanes[channel].next = std::mem::replace(&mut lanes[queue.index()].next, next);
            }
        }
        Self { lanes, packets: Vec::new() }
    }

    /// Whether turns are noted here.
    #[inline]
    pub fn are_kept(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// A packet of a class is on its way. Whether there is more to know of it, or there is no place for
    /// that yet.
    #[inline]
    pub fn begins(&mut self, id: PacketId, class: u32, is_recorded: bool) -> bool {
        let flags = if is_recorded { RECORDED } else { 0 };
        let whose = Whose { packet: id, class };
        let begins = Whereabouts { whose, head: ChannelId::NONE, flags };
        let Some(packet) = self.packets.get_mut(id.index()) else {
            return self.grow(id, begins);
        };
        *packet = begins;
        is_recorded
    }

    /// There is a place for one more packet, of which there is more to know.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, id: PacketId, begins: Whereabouts) -> bool {
        self.packets.resize(id.index() + 1, begins);
        true
    }

    /// Whether there is more to know of a packet.
    #[inline]
    pub fn is_recorded(&self, id: PacketId) -> bool {
        self.packets[id.index()].flags & RECORDED != 0
    }

    /// Whether there is, and it has not kept others waiting.
    #[inline]
    pub fn is_unkept(&self, id: PacketId) -> bool {
        self.packets[id.index()].flags == RECORDED
    }

    /// Whether it is noted in its record when a packet starts on the channel it was granted last.
    #[inline]
    pub fn has_start(&self, id: PacketId) -> bool {
        self.packets[id.index()].flags & (RECORDED | STARTING) != 0
    }

    /// Whether that is noted of a packet of which there is no more to know.
    #[inline]
    pub fn set_starting(&mut self, id: PacketId, is_starting: bool) {
        self.packets[id.index()].set(STARTING, is_starting);
    }

    /// A packet has kept others waiting.
    #[inline]
    pub fn set_keeping(&mut self, id: PacketId) {
        self.packets[id.index()].set(KEEPING, true);
    }

    /// Whether a packet has kept others waiting; no longer.
    #[inline]
    pub fn stops_keeping(&mut self, id: PacketId) -> bool {
        let packet = &mut self.packets[id.index()];
        let was = packet.flags & KEEPING != 0;
        packet.set(KEEPING, false);
        was
    }

    /// A packet's traffic class.
    #[inline]
    pub fn class(&self, id: PacketId) -> u32 {
        self.packets[id.index()].whose.class
    }

    /// The channel that a packet was granted last, or none.
    #[inline]
    pub fn head(&self, id: PacketId) -> ChannelId {
        self.packets[id.index()].head
    }

    /// A packet goes from a buffer, if any, on to a channel, from `start` to `end`. False if there is more to
    /// know of it, or turns have to be noted in a log: then nothing has been done ([`Self::takes_turn`]).
    // Every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    #[must_use]
    pub fn passes(&mut self, id: PacketId, channel: ChannelId, (start, end): (Time, Time)) -> bool {
        self.packets[id.index()].flags == 0 && self.moves(id, channel, start, (start, end))
    }

    /// The same of any packet, which was granted the channel before it starts there, or then.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    #[must_use]
    pub fn moves(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        granted: Time,
        (start, end): (Time, Time),
    ) -> bool {
        if self.lanes[channel.index()].on.until.0 > start {
            return false;
        }
        let packet = &mut self.packets[id.index()];
        let Whereabouts { whose, head: from, .. } = *packet;
        let until = Until(end);
        // There is none for its node's queue.
        if let Some(lane) = self.lanes.get_mut(from.index()) {
            if lane.front.until.0 > start {
                return false;
            }
            lane.is_left(Leaving { until, whose, channel });
        }
        packet.head = channel;
        self.lanes[channel.index()].is_entered(Stay { until, whose, granted });
        true
    }

    /// A packet takes its turn on a side: it leaves the buffer, or is in it next. Those before it are
    /// noted in the log as far as somebody may ask for them and they have not ended by `needed`.
    pub fn takes_turn(
        &mut self,
        (channel, side): (ChannelId, Side),
        log: &mut Log,
        turn: Turn,
        (needed, now): (Time, Time),
    ) {
        let lane = &mut self.lanes[channel.index()];
        // Turns end in order: what came before one that is over is over, too.
        let overlaps = lane.until(side).end() > now;
        let before = lane.needs[side as usize];
        let is_logged = before & WATCHED != 0 || overlaps;
        if is_logged {
            lane.enter(channel, side, log);
            log.push(turn, needed);
        }
        let logged = if is_logged { LOGGED } else { 0 } | if overlaps { OVERLAPS } else { 0 };
        let needs = before & !(LOGGED | OVERLAPS) | logged;
        let Turn { packet, class, channel: by, granted, end, .. } = turn;
        let (until, whose) = (Until::new(end, needs), Whose { packet, class });
        lane.needs[side as usize] = needs;
        match side {
            Side::Channel => {
                self.packets[packet.index()].head = channel;
                lane.is_entered(Stay { until, whose, granted });
            }
            Side::Front => lane.is_left(Leaving { until, whose, channel: by }),
        }
    }

    /// The turns on a side that can be asked for; but for a packet's `own` and those after it, if that
    /// has been noted.
    // Called once for each side.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn past<'a>(
        &self,
        channel: ChannelId,
        side: Side,
        log: &'a Log,
        own: Option<PacketId>,
    ) -> Past<'a> {
        let lane = &self.lanes[channel.index()];
        if lane.needs[side as usize] & LOGGED != 0 {
            return Past::Logged(log, own.map_or(log.count(), |packet| log.before(packet)));
        }
        let turn = lane.latest(channel, side);
        let is_one = turn.packet.is_some() && Some(turn.packet) != own;
        if is_one { Past::One(turn) } else { Past::Unknown }
    }

    /// Whether anybody may ask for turns before the latest on a side from now on; of those on channels:
    /// on any of the queue that this one stands for.
    pub fn watch(&mut self, queue: ChannelId, side: Side, is_watched: bool) {
        let mut channel = queue;
        while let Some(lane) = self.lanes.get_mut(channel.index()) {
            let (needs, end) = (lane.needs[side as usize], lane.until(side).end());
            let needs = match is_watched {
                true => needs | WATCHED,
                false if needs & OVERLAPS != 0 => needs & !WATCHED,
                false => needs & !(WATCHED | LOGGED),
            };
            lane.set(side, needs, end);
            channel = if side == Side::Channel { lane.next } else { ChannelId::NONE };
        }
    }

    /// The first turn on a side whose end was not known ends at `at`.
    pub fn end(&mut self, channel: ChannelId, side: Side, log: &mut Log, at: Time) {
        let lane = &mut self.lanes[channel.index()];
        let needs = lane.needs[side as usize];
        if needs & LOGGED == 0 {
            return lane.set(side, needs, at);
        }
        log.end(at);
        if let Some(latest) = log.latest() {
            lane.set(side, needs, latest.end);
        }
    }

    /// Who has the turn on a side that lasts at `now`, if anybody.
    pub fn holder(&self, channel: ChannelId, side: Side, log: &Log, now: Time) -> Option<Turn> {
        let lane = &self.lanes[channel.index()];
        let latest = Some(lane.latest(channel, side)).filter(|turn| turn.end > now)?;
        if lane.needs[side as usize] & LOGGED != 0 {
            log.holder(now).copied()
        } else {
            Some(latest)
        }
    }

    /// Whether the latest packet in the buffer at a channel's end, or on its way there, has to know of more
    /// turns at the front than the one before its own, as far as these end after `since`.
    pub fn stands_far_behind(&self, channel: ChannelId, since: Time) -> bool {
        let Lane { inside, front, needs, .. } = &self.lanes[channel.index()];
        let is_next = *inside == 1 || *inside == 2 && front.until.end() <= since;
        !is_next && needs[Side::Front as usize] & AT_NODE == 0
    }

    /// Who was granted a channel last.
    pub fn latest(&self, channel: ChannelId) -> Option<Turn> {
        let latest = self.lanes[channel.index()].latest(channel, Side::Channel);
        Some(latest).filter(|turn| turn.packet.is_some())
    }

    /// When the front of a buffer falls free to the first packet in it; 0 if nobody has left it.
    pub fn front_free(&self, buffer: ChannelId) -> Time {
        self.lanes[buffer.index()].front.until.end()
    }
}
