//! What is kept of packets of which only a share are victims, where buffers are left in order.
//!
//! Of all others it is kept who had his turn where, and no more: a few words by hop.

use super::lanes::{Side, Stay};
use super::log::Turn;
use super::passing::Passing;
use super::record::{Ahead, Before};
use super::turns::Turns;
use super::{Blame, Cause, Observation, Ways};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// Takes note of what has happened, where turns are kept in lanes; whether that is all.
    // As `observe`.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn observe_in_lanes(
        &mut self,
        what: Observation,
        now: Time,
        ways: &impl Ways,
    ) -> bool {
        #[allow(clippy::enum_glob_use, reason = "those that are about turns")]
        use Observation::*;
        match what {
            Sent { packet, channel, ready, start, until } => {
                self.is_sent(packet, channel, ready, start, until);
            }
            RunsThrough { packet, channel, until } => {
                self.runs_in_lane(packet, channel, ways.ready(packet), now, until);
            }
            Granted { packet, channel } => {
                self.granted_in_lane(packet, channel, ways.ready(packet), now);
            }
            Started { packet, channel, start } => {
                self.starts_in_lane(packet, channel, (ways.ready(packet), start));
            }
            Asked { packet } if !self.records[packet.index()].is_victim => {}
            Left { channel, at } => self.lanes.end(channel, Side::Channel, at),
            Cleared { buffer, at } if buffer.is_some() => {
                self.lanes.end(buffer, Side::Front, at);
            }
            Cleared { .. } => {}
            _ => return false,
        }
        true
    }

    /// A packet is sent as a whole.
    #[inline(never)]
    fn is_sent(&mut self, id: PacketId, channel: ChannelId, ready: Time, start: Time, end: Time) {
        if !self.goes_unasked(id, channel, (start, end)) {
            self.victim_is_sent(id, channel, ready, (start, end));
        }
    }

    /// A packet has a channel from when it starts there until it ends, and nobody asks what it has
    /// waited for; false if somebody may.
    // As `goes_on`.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn goes_unasked(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (start, end): (Time, Time),
    ) -> bool {
        let record = &mut self.records[id.index()];
        if record.is_victim || record.asking.at().is_some() {
            return false;
        }
        let from = std::mem::replace(&mut record.head, channel);
        record.start = start;
        let stay = Stay { packet: id, class: record.class, granted: start, end, left: NEVER };
        self.goes_on(from, channel, stay, end, start);
        true
    }

    /// The same of a victim, or of one that has kept others waiting.
    #[cold]
    #[inline(never)]
    fn victim_is_sent(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (start, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        let granted = std::mem::replace(&mut record.granted, NEVER).min(start);
        record.start = start;
        let (from, class, is_victim) = (record.from, record.class, record.is_victim);
        if let Some(queue) = record.asking.at()
            && self.keepers[queue.index()] == id
        {
            self.keepers[queue.index()] = PacketId::NONE;
        }
        if is_victim && ready < start {
            if from.is_some() {
                record.asked = self.lanes.front_free(from).max(ready);
            }
            self.charge_in_lanes(id, channel, (ready, start), Turns::ToCome);
        }
        self.has_started(id);
        let stay = Stay { packet: id, class, granted, end, left: NEVER };
        self.goes_on(from, channel, stay, end, start);
    }

    /// A packet is granted a channel, starts at once and never stops.
    #[inline(never)]
    fn runs_in_lane(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        now: Time,
        end: Time,
    ) {
        if !self.goes_unasked(id, channel, (now, end)) {
            self.victim_runs(id, channel, ready, (now, end));
        }
    }

    /// The same of a victim, or of one that has kept others waiting.
    #[cold]
    #[inline(never)]
    fn victim_runs(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (now, end): (Time, Time),
    ) {
        self.moves_in_lanes(id, channel, (now, end));
        let record = &mut self.records[id.index()];
        record.start = now;
        if record.is_victim && now > ready {
            self.charge_in_lanes(id, channel, (ready, now), Turns::Noted);
        }
        self.has_started(id);
    }

    /// A packet is granted a channel, and has not started.
    #[cold]
    #[inline(never)]
    fn granted_in_lane(&mut self, id: PacketId, channel: ChannelId, ready: Time, now: Time) {
        self.moves_in_lanes(id, channel, (now, NEVER));
        let queue = self.queues.of[channel.index()];
        let record = &mut self.records[id.index()];
        record.start = NEVER;
        if !record.is_victim {
            return self.asking.leave(&mut record.asking);
        }
        // What has been in its way must be known until it has started.
        if record.asking.at().is_none() {
            self.asking.join(&mut record.asking, queue, now);
        }
        if record.from.is_some() {
            self.unstarted.join(&mut record.unstarted, record.from, ready);
        }
    }

    /// A packet that has been granted a channel starts there.
    #[cold]
    #[inline(never)]
    fn starts_in_lane(&mut self, id: PacketId, channel: ChannelId, (ready, start): (Time, Time)) {
        let record = &mut self.records[id.index()];
        record.start = start;
        if !record.is_victim {
            return;
        }
        if start > ready {
            self.charge_in_lanes(id, channel, (ready, start), Turns::Noted);
        }
        self.has_started(id);
    }

    /// A packet has turns on the channel it is granted now and at the front of the buffer it leaves.
    fn moves_in_lanes(&mut self, id: PacketId, channel: ChannelId, (now, end): (Time, Time)) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.asked = record.asked.min(now);
        let (from, class, left) = (record.from, record.class, NEVER);
        self.goes_on(from, channel, Stay { packet: id, class, granted: now, end, left }, end, now);
    }

    /// A packet goes from a buffer, if any, on to a channel; it is out of the buffer at `left`.
    // Every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn goes_on(&mut self, from: ChannelId, channel: ChannelId, stay: Stay, left: Time, now: Time) {
        if !self.lanes.enter(channel, stay) {
            self.make_room(channel, stay, now);
        }
        if from.is_some() {
            self.lanes.leave(from, stay.packet, left);
        }
    }

    /// What nobody asks for any more of the turns at a channel and its buffer is forgotten, so that
    /// there is room for the next. Victims that come later ask for nothing before now; those in the
    /// buffer for nothing before its first packet was granted the channel.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, channel: ChannelId, next: Stay, now: Time) {
        let queue = self.queues.of[channel.index()];
        let first = self.lanes.oldest_in(channel).map_or(NEVER, |stay| stay.granted);
        let least = now.min(self.forgets);
        let on_channel = self.asking.since(queue).min(least);
        let at_front = self.unstarted.since(channel).min(first).min(least);
        self.lanes.make_room(channel, [on_channel, at_front]);
        let has_room = self.lanes.enter(channel, next);
        debug_assert!(has_room, "room has been made");
    }

    /// Cuts a victim's wait for a channel into pieces, and charges each.
    #[inline(never)]
    fn charge_in_lanes(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        span: (Time, Time),
        turns: Turns,
    ) {
        let record = &mut self.records[id.index()];
        record.root = channel;
        let own = match turns {
            Turns::Noted => Some(id),
            Turns::ToCome => None,
        };
        let [on, front] = &mut *self.written;
        self.lanes.write(on, (channel, Side::Channel), own, span.0);
        let passing = Passing::default();
        let before = |log| Before::all(log, &passing);
        let fronts = record.from.is_some().then(|| {
            self.lanes.write(front, (record.from, Side::Front), own, span.0);
            (before(&*front), Cause::HeadOfLine)
        });
        let ahead = Ahead { holders: before(on), fronts, drained: None };
        self.waits[id.index()].charge_wait(record, ahead, span);
    }

    /// The latest turn on a channel, or wire.
    pub(super) fn latest_on(&self, place: ChannelId) -> Option<Turn> {
        if !self.lanes.are_kept() {
            return self.holders[place.index()].latest().copied();
        }
        self.lanes.latest(place).map(|&Stay { packet, class, granted, end, .. }| Turn {
            packet,
            class,
            channel: place,
            root: place,
            asked: granted,
            granted,
            end,
        })
    }
}
