//! Packets that are sent as a whole, and may stand in other places than input buffers.

use super::observation::Ways;
use super::record::Before;
use super::state::Blame;
use super::turn::Turn;
use super::turns::Turns;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// A packet that was ready at `ready` and is sent as a whole starts on a channel at `start`,
    /// and will have been sent at `end`. What is `told` beforehand comes in the order of starts:
    /// the next to be told of may have been ready sooner, but not before then.
    #[cold]
    #[inline(never)]
    pub(super) fn starts_whole(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (mut ready, told): (Time, Time),
        (start, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        if self.queues.have_heads && !record.head.is_some() {
            // What it waited before its message was the head has been charged.
            ready = ready.max(record.asked);
        }
        record.from = std::mem::replace(&mut record.head, channel);
        let granted = std::mem::replace(&mut record.granted, NEVER).min(start);
        record.start = start;
        self.keeps_nobody_waiting(id);
        let mut asked = start;
        if ready < start {
            asked = self.asks_whole(id, ready);
            self.charge_wait(id, channel, (ready, start), Turns::ToCome);
        }
        self.has_started(id);
        let record = &mut self.records[id.index()];
        let turn = record.turn(id, (asked.min(granted).min(told), granted, end));
        let buffer = record.buffer();
        record.is_stored = false;
        let from = record.from;
        self.moves_on(id, from, channel);
        self.take_turns(turn, buffer, ready);
    }

    /// When a packet that is sent as a whole asked: its header came as fast as it could.
    #[inline]
    pub(super) fn asks_whole(&mut self, id: PacketId, ready: Time) -> Time {
        let record = &mut self.records[id.index()];
        if record.from.is_some() {
            let fronts = &self.fronts[self.queues.front(record.from).index()];
            let place = if record.is_stored { fronts.before(id) } else { fronts.count() };
            record.asked = fronts.end_before(place).max(ready);
        }
        record.asked
    }

    /// A packet has joined the queue of a channel, and is in line for it `from` then on: those
    /// that join it later are granted the channel while it waits.
    #[cold]
    #[inline(never)]
    pub(super) fn lines_up(&mut self, id: PacketId, channel: ChannelId, from: Time, now: Time) {
        let record = &mut self.records[id.index()];
        if self.queues.fronts.is_empty() {
            self.unstarted.leave(&mut record.unstarted);
        }
        if record.asking.at().is_none() {
            self.asking.join(&mut record.asking, self.queues.of[channel.index()], now);
        }
        record.granted = from;
        // There is no buffer whose front it leaves.
        record.is_stored = true;
    }

    /// A packet has been served by the engine of the switch at the end of its channel: whoever comes
    /// next has waited for that until then.
    #[cold]
    #[inline(never)]
    pub(super) fn served(&mut self, id: PacketId, (done, end): (Time, Time), ways: &impl Ways) {
        let record = &mut self.records[id.index()];
        record.is_stored = true;
        let (class, channel, asked) = (record.class, record.head, ways.ready(id));
        let place = self.queues.front(channel);
        let turn = Turn { packet: id, class, channel, asked, granted: done, end };
        self.take_front(place, turn);
        let record = &mut self.records[id.index()];
        self.unstarted.join(&mut record.unstarted, place, asked);
    }

    /// A packet of a message that is to start on `channel` leaves the list of its node, where it
    /// was ready at `ready`. If it is the first, the time until it was the head is charged.
    #[cold]
    #[inline(never)]
    pub(super) fn comes_forward(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (ready, now): (Time, Time),
        is_first: bool,
    ) {
        let record = &mut self.records[id.index()];
        let Some(list) = record.unstarted.at() else { return };
        self.unstarted.leave(&mut record.unstarted);
        let queue = self.queues.of[channel.index()];
        if !is_first {
            return self.asking.join(&mut record.asking, queue, now);
        }
        let fronts = Before::all(&self.fronts[list.index()]);
        let head_from = fronts.log.end_before(fronts.count).clamp(ready.min(now), now);
        record.asked = head_from;
        self.asking.join(&mut record.asking, queue, head_from);
        if head_from > ready && record.is_victim {
            self.waits[id.index()].charge_list(record, channel, fronts, (ready, head_from));
        }
        let class = record.class;
        let turn = Turn { packet: id, class, channel, asked: ready, granted: now, end: now };
        self.take_front(list, turn);
    }

    /// A packet has moved from the front of a buffer into its switch's own queue, and is out of
    /// the buffer at `end`. It goes on asking.
    #[cold]
    #[inline(never)]
    pub(super) fn stored(&mut self, id: PacketId, (now, end): (Time, Time), ways: &impl Ways) {
        let ready = ways.ready(id);
        let record = &mut self.records[id.index()];
        record.is_stored = true;
        let (class, channel) = (record.class, record.head);
        let turn = Turn { packet: id, class, channel, asked: ready, granted: now, end };
        self.buffers.leave(channel, id);
        self.take_front(channel, turn);
        let record = &mut self.records[id.index()];
        self.unstarted.join(&mut record.unstarted, channel, ready);
    }
}
