//! Packets are granted channels, have their turns there, and leave.

use super::cause::Cause;
use super::log::Log;
use super::observation::Ways;
use super::record::{Ahead, Before, Record};
use super::roots::Search;
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

/// Where packets have turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On a channel, or wire.
    On(ChannelId),
    /// At the front of the buffer at a channel's end.
    Front(ChannelId),
}

impl Place {
    /// Which of [`Blame::passing`] it has, and of which channel.
    fn of_passing(self) -> (usize, ChannelId) {
        match self {
            Self::On(channel) => (0, channel),
            Self::Front(buffer) => (1, buffer),
        }
    }
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
        record.root = channel;
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
        record.root = channel;
        record.asked = record.asked.min(now);
        let turn = record.turn(id, (record.asked, now, end));
        let (from, ready) = (record.from, ways.ready(id));
        self.moves_on(id, from, channel);
        self.take_turns(turn, from, ready);
        if now > ready {
            self.starts_late(id, channel, ready, now);
            self.note_passing(id, from, now);
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
        record.root = channel;
        if !record.is_victim {
            return;
        }
        if start > ready {
            self.starts_late(id, channel, ready, start);
        }
        self.has_started(id);
    }

    /// The same of one that has waited.
    pub(super) fn starts_late(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        start: Time,
    ) {
        self.charge_wait(id, channel, (ready, start), Turns::Noted);
        let &Record { granted, from, root, .. } = &self.records[id.index()];
        if root == channel || !self.victims.all_are_followed() {
            return;
        }
        if start > granted
            && let Some(turn) = self.holders[channel.index()].of(id)
        {
            turn.root = root;
        }
        if from.is_some()
            && let Some(turn) = self.fronts[from.index()].of(id)
        {
            turn.root = root;
        }
    }

    /// A packet waits for nothing now.
    #[inline]
    pub(super) fn has_started(&mut self, id: PacketId) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
        record.asked = NEVER;
        record.asked_root = ChannelId::NONE;
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
        let needed = self.holders[place.index()].push(turn, needed);
        if self.victims.all_are_followed() {
            self.passing[0][place.index()].forget(needed);
        }
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
        let needed = self.fronts[buffer.index()].push(turn, needed);
        if self.victims.all_are_followed() {
            self.passing[1][buffer.index()].forget(needed);
        }
    }

    /// A packet that will not be stopped has started on a channel, for which it has waited: so it
    /// has in its turns there and at the front of the buffer it leaves, if any.
    pub(super) fn note_passing(&mut self, id: PacketId, buffer: ChannelId, start: Time) {
        if !self.victims.all_are_followed() {
            return;
        }
        let place = self.queues.place(self.records[id.index()].head);
        self.note_waits(id, Place::On(place), start);
        if buffer.is_some() {
            self.note_waits(id, Place::Front(buffer), start);
        }
    }

    /// What a packet has been charged for time before `until` it has waited in its latest turn
    /// somewhere, as far as it falls into that.
    pub(super) fn note_waits(&mut self, id: PacketId, place: Place, until: Time) {
        let begin = match place {
            Place::On(channel) => self.holders[channel.index()].begin_of(id),
            Place::Front(buffer) => self.fronts[buffer.index()].begin_of(id),
        };
        let passed = &self.waits[id.index()].passed.all;
        let (kind, channel) = place.of_passing();
        self.passing[kind][channel.index()].note(passed, (begin, until));
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
    pub(super) fn cleared(&mut self, buffer: ChannelId, at: Time, now: Time, ways: &impl Ways) {
        if !buffer.is_some() {
            return;
        }
        let &Turn { packet, asked, .. } = self.fronts[buffer.index()].end(at);
        self.leaves_front(buffer, packet, asked);
        if self.victims.all_are_followed() {
            self.ends_turn(packet, Place::Front(buffer), now, ways);
        }
    }

    /// It is known when a channel is released.
    #[cold]
    #[inline(never)]
    pub(super) fn released(&mut self, channel: ChannelId, at: Time, now: Time, ways: &impl Ways) {
        let place = self.queues.place(channel);
        let packet = self.holders[place.index()].end(at).packet;
        if self.victims.all_are_followed() {
            self.ends_turn(packet, Place::On(place), now, ways);
        }
    }

    /// A packet's turn somewhere ends when it is known to. It has waited then before it started;
    /// and afterwards, if it was stopped: what it waits for now it has waited for since it was
    /// ready.
    fn ends_turn(&mut self, id: PacketId, place: Place, now: Time, ways: &impl Ways) {
        let record = &self.records[id.index()];
        let waits = record.start == NEVER || record.asking.at().is_some();
        if !record.has_waited && !waits {
            return;
        }
        let log = match place {
            Place::On(channel) => &mut self.holders[channel.index()],
            Place::Front(buffer) => &mut self.fronts[buffer.index()],
        };
        let Some(&mut Turn { channel, granted, end, .. }) = log.of(id) else { return };
        let passed = &self.waits[id.index()].passed;
        let start = if record.has_waited { passed.start_on(channel) } else { 0 }.max(granted);
        let is_stopped = end.saturating_sub(start) > ways.takes(id, channel);
        let until = if is_stopped { end } else { start.min(end) };
        if record.has_waited {
            self.note_waits(id, place, until);
        }
        let ready = ways.ready(id);
        if is_stopped && waits && ready < until {
            let search = Search { blame: self, ways, now };
            if let Some(root) = search.waits_for(id).map(|step| search.root(step)) {
                let (kind, channel) = place.of_passing();
                self.passing[kind][channel.index()].add(root.class, (ready, until));
            }
        }
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
        let holders = Before { log, count: before(log), passing: &self.passing[0][place.index()] };
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
            (Before { log, count, passing: &self.passing[1][front.index()] }, behind)
        });
        let drained = self
            .queues
            .receiver(channel)
            .map(|node| self.drained.get(node.index()).copied().unwrap_or(record.class));
        let ahead = Ahead { holders, fronts, drained };
        self.waits[id.index()].charge_wait(record, ahead, span);
    }
}
