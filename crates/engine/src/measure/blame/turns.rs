//! Packets are granted channels, have their turns there, and leave.

use super::cause::Cause;
use super::log::Log;
use super::observation::Ways;
use super::record::{Ahead, Before};
use super::state::Blame;
use super::turn::Turn;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// Whether the turns of a packet whose wait is charged have been noted.
#[derive(Clone, Copy)]
pub(super) enum Turns {
    Noted,
    ToCome,
}

impl Blame {
    /// A packet is granted a channel and leaves the front of the buffer it stands in, if any.
    #[cold]
    #[inline(never)]
    pub(super) fn granted(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        now: Time,
        ways: &impl Ways,
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = NEVER;
        record.asked = record.asked.min(now);
        self.asking.leave(&mut record.asking);
        let turn = record.turn(id, (record.asked, now, NEVER));
        let (from, buffer) = (record.from, record.buffer());
        self.moves_on(id, from, channel);
        self.take_turns(turn, buffer, ways.ready(id));
    }

    /// The same, if it starts at once and never stops: its turns will end at `end`.
    #[inline(never)]
    pub(super) fn runs_through(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (now, end): (Time, Time),
        ways: &impl Ways,
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = now;
        record.asked = record.asked.min(now);
        let turn = record.turn(id, (record.asked, now, end));
        let (from, ready) = (record.from, ways.ready(id));
        self.moves_on(id, from, channel);
        self.take_turns(turn, from, ready);
        if now > ready {
            self.charge_wait(id, channel, (ready, now), Turns::Noted);
        }
        self.has_started(id);
    }

    /// A packet starts on the channel it has been granted at `start`.
    #[cold]
    #[inline(never)]
    pub(super) fn starts(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        start: Time,
        ways: &impl Ways,
    ) {
        let ready = ways.ready(id);
        let record = &mut self.records[id.index()];
        record.start = start;
        if !record.is_victim {
            return;
        }
        if start > ready {
            self.charge_wait(id, channel, (ready, start), Turns::Noted);
        }
        self.has_started(id);
    }

    /// A packet waits for nothing now.
    #[inline]
    pub(super) fn has_started(&mut self, id: PacketId) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
        record.asked = NEVER;
        if record.has_waited {
            self.waits[id.index()].stalls.clear();
        }
    }

    /// A packet has been granted a channel: it goes from one buffer into the next.
    #[inline]
    pub(super) fn moves_on(&mut self, id: PacketId, from: ChannelId, channel: ChannelId) {
        if self.queues.have_buffers {
            self.buffers.leave(from, id);
            self.buffers.enter(channel, id);
        }
    }

    /// A packet's turns on the channel it is granted and at the front of the buffer it leaves,
    /// if any.
    #[inline]
    pub(super) fn take_turns(&mut self, turn: Turn, buffer: ChannelId, ready: Time) {
        let place = self.queues.place(turn.channel);
        let needed = self.wanted_since(place).min(self.forgets);
        self.holders[place.index()].push(turn, needed);
        if buffer.is_some() {
            // It has waited behind others itself, since it was ready.
            // A list of packets is left by those that are granted a channel, a buffer by those
            // that are out of it.
            let end = if buffer.0 < self.queues.lists { turn.granted } else { turn.end };
            self.take_front(buffer, Turn { asked: ready, end, ..turn });
            if end != NEVER {
                self.leaves_front(buffer, turn.packet, ready);
            }
        }
    }

    /// A packet that was ready at `ready` has left the front of a buffer: what it waited for
    /// there must be known until it has started.
    #[inline]
    pub(super) fn leaves_front(&mut self, buffer: ChannelId, packet: PacketId, ready: Time) {
        let record = &mut self.records[packet.index()];
        if record.start == NEVER && record.is_victim {
            self.unstarted.join(&mut record.unstarted, buffer, ready);
        }
    }

    /// A packet's turn at the front of a buffer: those behind it came later.
    #[inline]
    pub(super) fn take_front(&mut self, buffer: ChannelId, turn: Turn) {
        let needed = self.unstarted.since(buffer).min(self.forgets);
        self.fronts[buffer.index()].push(turn, needed);
    }

    /// Since when anybody has waited who may want a channel, or wire.
    #[inline]
    pub(super) fn wanted_since(&self, place: ChannelId) -> Time {
        let [one, other] = self.ends[place.index()];
        let since = self.queue_since(one);
        // Only wires that both ends use have two queues.
        if other == one { since } else { since.min(self.queue_since(other)) }
    }

    /// Since when anybody has waited in a queue.
    #[inline]
    fn queue_since(&self, queue: ChannelId) -> Time {
        let asked = self.asking.since(queue);
        if self.queues.have_heads { asked.min(self.head_since(queue)) } else { asked }
    }

    /// From when on a message has been the head of a node's list, or might have been.
    pub(super) fn head_since(&self, list: ChannelId) -> Time {
        let before = self.fronts[list.index()].latest().map_or(0, |turn| turn.end);
        self.unstarted.since(list).max(before)
    }

    /// It is known when the packet that leaves a buffer (none: its node's queue) is out of it.
    #[cold]
    #[inline(never)]
    pub(super) fn cleared(&mut self, buffer: ChannelId, at: Time) {
        if !buffer.is_some() {
            return;
        }
        let &Turn { packet, asked, .. } = self.fronts[buffer.index()].end(at);
        self.leaves_front(buffer, packet, asked);
    }

    /// It is known when a channel is released.
    #[cold]
    #[inline(never)]
    pub(super) fn released(&mut self, channel: ChannelId, at: Time) {
        let place = self.queues.place(channel);
        self.holders[place.index()].end(at);
    }

    /// Cuts a packet's wait for a channel into pieces, and charges each.
    #[inline(never)]
    pub(super) fn charge_wait(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        span: (Time, Time),
        turns: Turns,
    ) {
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        let before = |log: &Log| match turns {
            Turns::Noted => log.before(id),
            Turns::ToCome => log.count(),
        };
        let log = &self.holders[place.index()];
        let holders = Before { log, count: before(log) };
        // There is none for its node's queue.
        let front = self.queues.front(record.from);
        let fronts = self.fronts.get(front.index());
        let is_stored = record.is_stored;
        let behind = match record.from.0 < self.queues.lists {
            true => Cause::Throttling,
            false if self.queues.fronts.is_empty() => Cause::HeadOfLine,
            false => Cause::SwitchBusy,
        };
        let fronts = fronts.map(|log| {
            let count = if is_stored { log.before(id) } else { before(log) };
            (Before { log, count }, behind)
        });
        let drained = self
            .queues
            .receiver(channel)
            .map(|node| self.drained.get(node.index()).copied().unwrap_or(record.class));
        let ahead = Ahead { holders, fronts, drained };
        self.waits[id.index()].charge_wait(record, ahead, span);
    }
}
