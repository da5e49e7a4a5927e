//! Who has his turn where, in as few words as can be: for networks whose packets leave every buffer in
//! the order in which they came, each by one channel.
//!
//! Of every channel it is known who had the latest turn on it and at the front of the buffer at its end,
//! and how many are in that. Those before them are noted in a [`Log`] where somebody may ask for them: as long as
//! a victim is in that buffer, or wants the channel.

#[cfg(test)]
mod tests;

use super::log::{Log, Turn};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::time::Time;

/// A packet's turn on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The packet; its place is used again after it has been delivered.
    pub packet: PacketId,
    /// Its traffic class.
    pub class: u32,
    /// When it was granted the channel.
    pub granted: Time,
    /// When its turn ended or is known to end, or never.
    pub end: Time,
}

/// A packet's turn at the front of a buffer: it leaves that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// When it is out of it or is known to be, or never.
    pub end: Time,
    /// The packet.
    pub packet: PacketId,
    /// Its traffic class.
    pub class: u32,
    /// The channel by which it leaves.
    pub channel: ChannelId,
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
    /// The channel that stands for the queue of those who may be granted it.
    queue: ChannelId,
    /// By side: why it may not be enough that the latest turn is known.
    needs: [u8; 2],
}

/// The log has the latest turn of a side, and those before it.
const LOGGED: u8 = 1;
/// Somebody may ask for turns before the latest; on channels, those of the queue that this one stands for.
const WATCHED: u8 = 2;
/// Another channel stands for its queue.
const LED: u8 = 4;
/// The turn before the latest was not over when that began.
const OVERLAPS: u8 = 8;
/// There is no buffer: a node takes everything in at once.
const AT_NODE: u8 = 16;

impl Lane {
    /// The latest turn on a side; that of nobody ended at 0.
    fn latest(&self, channel: ChannelId, side: Side) -> Turn {
        match side {
            Side::Channel => {
                let Stay { packet, class, granted, end } = self.on;
                Turn { packet, class, channel, root: channel, asked: granted, granted, end }
            }
            Side::Front => {
                let Leaving { packet, class, channel, end } = self.front;
                Turn { packet, class, channel, root: channel, asked: end, granted: 0, end }
            }
        }
    }

    fn end_of(&mut self, side: Side) -> &mut Time {
        match side {
            Side::Channel => &mut self.on.end,
            Side::Front => &mut self.front.end,
        }
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
    /// Its traffic class.
    class: u32,
    /// The channel it was granted last, or none.
    head: ChannelId,
    /// What else there is to know of it.
    flags: u8,
}

/// It has a record.
const RECORDED: u8 = 1;
/// It has been granted an output, and keeps others waiting there.
const KEEPING: u8 = 2;

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
        let lane = |(channel, &queue): (usize, &ChannelId)| Lane {
            on: Stay { packet: PacketId::NONE, class: 0, granted: 0, end: 0 },
            front: Leaving { end: 0, packet: PacketId::NONE, class: 0, channel: ChannelId::NONE },
            inside: 0,
            queue,
            needs: [
                watched | if queue.index() == channel { 0 } else { LED },
                watched | if nodes[channel].is_some() { AT_NODE } else { 0 },
            ],
        };
        Self { lanes: queues.iter().enumerate().map(lane).collect(), packets: Vec::new() }
    }

    /// Whether turns are noted here.
    #[inline]
    pub fn are_kept(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// A packet of a class is on its way. Whether there is more to know of it, or of who had its place
    /// before.
    #[inline]
    pub fn begins(&mut self, id: PacketId, class: u32, is_recorded: bool) -> bool {
        let flags = if is_recorded { RECORDED } else { 0 };
        let begins = Whereabouts { class, head: ChannelId::NONE, flags };
        let Some(packet) = self.packets.get_mut(id.index()) else {
            return self.grow(id, begins);
        };
        (std::mem::replace(packet, begins).flags | flags) & RECORDED != 0
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

    /// Whether there is from now on.
    #[inline]
    pub fn set_recorded(&mut self, id: PacketId, is_recorded: bool) {
        self.packets[id.index()].set(RECORDED, is_recorded);
    }

    /// Whether a packet that has no record keeps others waiting from now on.
    #[inline]
    pub fn set_keeping(&mut self, id: PacketId, is_keeping: bool) {
        self.packets[id.index()].set(KEEPING, is_keeping);
    }

    /// A packet's traffic class.
    #[inline]
    pub fn class(&self, id: PacketId) -> u32 {
        self.packets[id.index()].class
    }

    /// The channel that a packet was granted last, or none.
    #[inline]
    pub fn head(&self, id: PacketId) -> ChannelId {
        self.packets[id.index()].head
    }

    /// A packet goes from a buffer, if any, on to a channel, from `start` to `end`. False if there is more to
    /// know of it, or turns have to be noted in a log: then nothing has been done ([`Self::takes_turn`]).
    // Every hop passes here.
    #[inline(never)]
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
        let needs = self.lanes[channel.index()].needs[Side::Channel as usize];
        if self.lanes[channel.index()].on.end > start
            || needs != 0 && (needs != LED || self.is_watched(channel, Side::Channel))
        {
            return false;
        }
        let packet = &mut self.packets[id.index()];
        let Whereabouts { class, head: from, .. } = *packet;
        // There is none for its node's queue.
        if let Some(lane) = self.lanes.get_mut(from.index()) {
            if lane.needs[Side::Front as usize] != 0 || lane.front.end > start {
                return false;
            }
            lane.is_left(Leaving { end, packet: id, class, channel });
        }
        packet.head = channel;
        self.lanes[channel.index()].is_entered(Stay { packet: id, class, granted, end });
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
        let is_watched = self.is_watched(channel, side);
        let lane = &mut self.lanes[channel.index()];
        // Turns end in order: what came before one that is over is over, too.
        let overlaps = *lane.end_of(side) > now;
        let is_logged = is_watched || overlaps;
        if is_logged {
            lane.enter(channel, side, log);
            log.push(turn, needed);
        }
        let logged = if is_logged { LOGGED } else { 0 } | if overlaps { OVERLAPS } else { 0 };
        let needs = &mut lane.needs[side as usize];
        *needs = *needs & !(LOGGED | OVERLAPS) | logged;
        let Turn { packet, class, channel: by, granted, end, .. } = turn;
        match side {
            Side::Channel => {
                self.packets[packet.index()].head = channel;
                lane.is_entered(Stay { packet, class, granted, end });
            }
            Side::Front => lane.is_left(Leaving { end, packet, class, channel: by }),
        }
    }

    /// All turns on a side that can be asked for are to be in the log.
    pub fn settle(&self, channel: ChannelId, side: Side, log: &mut Log) {
        self.lanes[channel.index()].enter(channel, side, log);
    }

    /// Whether somebody may ask for turns on a side before the latest.
    #[inline]
    fn is_watched(&self, channel: ChannelId, side: Side) -> bool {
        let lane = &self.lanes[channel.index()];
        let needs = match side {
            Side::Channel if lane.needs[0] & LED != 0 => self.lanes[lane.queue.index()].needs,
            _ => lane.needs,
        };
        needs[side as usize] & WATCHED != 0
    }

    /// Whether anybody may ask for turns before the latest on a side from now on; of those on channels:
    /// on one of the queue that this one stands for.
    pub fn watch(&mut self, queue: ChannelId, side: Side, is_watched: bool) {
        if let Some(lane) = self.lanes.get_mut(queue.index()) {
            let needs = &mut lane.needs[side as usize];
            *needs = match is_watched {
                true => *needs | WATCHED,
                false if *needs & OVERLAPS != 0 => *needs & !WATCHED,
                false => *needs & !(WATCHED | LOGGED),
            };
        }
    }

    /// The first turn on a side whose end was not known ends at `at`.
    pub fn end(&mut self, channel: ChannelId, side: Side, log: &mut Log, at: Time) {
        let lane = &mut self.lanes[channel.index()];
        if lane.needs[side as usize] & LOGGED == 0 {
            *lane.end_of(side) = at;
            return;
        }
        log.end(at);
        if let Some(latest) = log.latest() {
            *lane.end_of(side) = latest.end;
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
        let is_next = *inside == 1 || *inside == 2 && front.end <= since;
        !is_next && needs[Side::Front as usize] & AT_NODE == 0
    }

    /// Who was granted a channel last.
    pub fn latest(&self, channel: ChannelId) -> Option<Turn> {
        let latest = self.lanes[channel.index()].latest(channel, Side::Channel);
        Some(latest).filter(|turn| turn.packet.is_some())
    }

    /// When the front of a buffer falls free to the first packet in it; 0 if nobody has left it.
    pub fn front_free(&self, buffer: ChannelId) -> Time {
        self.lanes[buffer.index()].front.end
    }
}
