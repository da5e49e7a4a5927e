//! What is kept of packets of which only a share are victims, where buffers are left in order.
//!
//! Of all others it is kept where they are and who has the latest turn where, in a few words by hop. Who
//! had turns before is kept only where a victim may ask for it: on a channel from when it asks for that
//! until it starts there, at the front of a buffer from when it starts on the channel before that.

use super::lanes::Side;
use super::observation::{Observation, Ways};
use super::record::Record;
use super::state::Blame;
use super::turn::Turn;
use super::turns::Turns;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// A packet of which there is more to know than where it is, or for which there is no place yet,
    /// enters its node's output queue, where turns are kept in lanes.
    #[cold]
    #[inline(never)]
    pub(super) fn queued_in_lanes(
        &mut self,
        id: PacketId,
        (class, is_victim): (u32, bool),
        queue: ChannelId,
        now: Time,
    ) {
        self.record_anew(id, (class, is_victim), now);
        if is_victim {
            self.watches(id, Side::Channel, queue, now);
        }
    }

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
                if !self.lanes.passes(packet, channel, (now, until)) {
                    self.runs_in_lane(packet, channel, ways.ready(packet), now, until);
                }
            }
            Granted { packet, channel } => {
                self.granted_in_lane(packet, channel, ways.ready(packet), now);
            }
            Started { packet, channel, start } if self.lanes.has_start(packet) => {
                self.starts_in_lane(packet, channel, (ways.ready(packet), start));
            }
            Asked { packet, queue } if self.lanes.is_recorded(packet) => {
                self.asks_in_lane(packet, queue, now);
            }
            Left { channel, at } => {
                let log = &mut self.holders[channel.index()];
                self.lanes.end(channel, Side::Channel, log, at);
            }
            Cleared { buffer, at } if buffer.is_some() => {
                self.lanes.end(buffer, Side::Front, &mut self.fronts[buffer.index()], at);
            }
            Kept { packet, since } => self.has_kept(packet, since),
            Started { .. } | Asked { .. } | Cleared { .. } => {}
            _ => return false,
        }
        true
    }

    /// A packet is sent as a whole.
    // Every hop passes here. As many arguments as there are registers for: what is rare is called as is.
    #[inline(never)]
    fn is_sent(&mut self, id: PacketId, channel: ChannelId, ready: Time, start: Time, end: Time) {
        if !self.lanes.passes(id, channel, (start, end)) {
            self.is_sent_watched(id, channel, ready, start, end);
        }
    }

    /// The same where more has to be kept than the latest turns.
    #[inline(never)]
    fn is_sent_watched(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        start: Time,
        end: Time,
    ) {
        if !self.victim_passes(id, channel, ready, (start, end)) {
            self.is_sent_late(id, channel, ready, start, end);
        }
    }

    /// A packet goes from a buffer, if any, on to a channel, as soon as it can. False if that is not a
    /// victim of which no more has to be kept: then nothing has been done.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn victim_passes(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (start, end): (Time, Time),
    ) -> bool {
        if ready < start || !self.lanes.is_unkept(id) {
            return false;
        }
        let record = &mut self.records[id.index()];
        if record.waits_anywhere() || !self.lanes.moves(id, channel, start, (start, end)) {
            return false;
        }
        record.from = std::mem::replace(&mut record.head, channel);
        self.has_started_in_lane(id, channel, start);
        true
    }

    /// The same of a packet that has waited or keeps others waiting, or where turns have to be noted.
    #[inline(never)]
    fn is_sent_late(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        start: Time,
        end: Time,
    ) {
        let granted = if self.lanes.stops_keeping(id) { self.kept_since } else { start };
        if self.lanes.is_recorded(id) {
            self.victim_is_sent(id, channel, ready, (granted, start, end));
        } else {
            self.moves_in_lanes(id, channel, (granted, end), start);
        }
    }

    /// The same of a victim.
    #[inline]
    fn victim_is_sent(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (granted, start, end): (Time, Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        if ready < start {
            if record.from.is_some() {
                record.asked = self.lanes.front_free(record.from).max(ready);
            }
            self.charge_in_lanes(id, channel, (ready, start), Turns::ToCome);
        }
        self.victim_moves(id, channel, (granted, end), start);
    }

    /// A packet that is sent next has kept others waiting since `since`.
    #[inline]
    fn has_kept(&mut self, id: PacketId, since: Time) {
        self.lanes.set_keeping(id);
        self.kept_since = since;
    }

    /// A packet is granted a channel, starts at once and never stops, and more has to be kept than the
    /// latest turns.
    #[cold]
    #[inline(never)]
    fn runs_in_lane(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        now: Time,
        end: Time,
    ) {
        if !self.victim_passes(id, channel, ready, (now, end)) {
            self.runs_late(id, channel, ready, now, end);
        }
    }

    /// The same of a packet that has waited, or where turns have to be noted.
    #[inline(never)]
    fn runs_late(&mut self, id: PacketId, channel: ChannelId, ready: Time, now: Time, end: Time) {
        if self.lanes.is_recorded(id) {
            return self.victim_runs(id, channel, ready, (now, end));
        }
        self.lanes.set_starting(id, false);
        self.moves_in_lanes(id, channel, (now, end), now);
    }

    /// The same of a victim.
    fn victim_runs(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (now, end): (Time, Time),
    ) {
        self.is_granted_in_lane(id, channel, now);
        if now > ready {
            self.charge_in_lanes(id, channel, (ready, now), Turns::ToCome);
        }
        self.victim_moves(id, channel, (now, end), now);
    }

    /// A victim moves on, and has started.
    #[inline]
    fn victim_moves(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (granted, end): (Time, Time),
        start: Time,
    ) {
        // Its own turns are not among those that it asks for.
        self.watches_nothing(id);
        self.moves_in_lanes(id, channel, (granted, end), start);
        self.has_started_in_lane(id, channel, start);
    }

    /// A packet is granted a channel, and has not started.
    #[cold]
    #[inline(never)]
    fn granted_in_lane(&mut self, id: PacketId, channel: ChannelId, ready: Time, now: Time) {
        if self.lanes.is_recorded(id) {
            self.victim_is_granted(id, channel, ready, now);
        } else {
            self.lanes.set_starting(id, true);
        }
        self.records[id.index()].start = NEVER;
        self.moves_in_lanes(id, channel, (now, NEVER), now);
    }

    /// The same of a victim: what has been in its way must be known until it has started.
    #[inline]
    fn victim_is_granted(&mut self, id: PacketId, channel: ChannelId, ready: Time, now: Time) {
        self.is_granted_in_lane(id, channel, now);
        let &Record { from, asking, unstarted, .. } = &self.records[id.index()];
        if asking.at().is_none() {
            self.watches(id, Side::Channel, self.queues.of[channel.index()], now);
        }
        if from.is_some() && unstarted.at().is_none() {
            self.watches(id, Side::Front, from, ready);
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
        self.watches_nothing(id);
        self.has_started_in_lane(id, channel, start);
    }

    /// A victim at the front of its buffer asks for an output.
    #[cold]
    #[inline(never)]
    fn asks_in_lane(&mut self, id: PacketId, queue: ChannelId, now: Time) {
        self.records[id.index()].asked = now;
        self.watches_no_more(id, Side::Channel);
        self.watches(id, Side::Channel, queue, now);
    }

    /// A packet whose record is kept is granted a channel.
    fn is_granted_in_lane(&mut self, id: PacketId, channel: ChannelId, now: Time) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.asked = record.asked.min(now);
    }

    /// A packet goes from a buffer, if any, on to a channel: its turns on that, and at the front of the
    /// buffer, end at `end`.
    #[inline]
    fn moves_in_lanes(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (granted, end): (Time, Time),
        now: Time,
    ) {
        if !self.lanes.moves(id, channel, granted, (now, end)) {
            self.goes_on(id, channel, (granted, end), now);
        }
    }

    /// The same where turns have to be noted. Victims that come later ask for nothing before now.
    #[inline(never)]
    fn goes_on(
        &mut self,
        packet: PacketId,
        channel: ChannelId,
        (granted, end): (Time, Time),
        now: Time,
    ) {
        let (class, from) = (self.lanes.class(packet), self.lanes.head(packet));
        let turn = Turn { packet, class, channel, asked: granted, granted, end };
        let least = now.min(self.forgets);
        if from.is_some() {
            let needed = self.unstarted.since(from).min(least);
            let log = &mut self.fronts[from.index()];
            self.lanes.takes_turn((from, Side::Front), log, turn, (needed, now));
        }
        let needed = self.asking.since(self.queues.of[channel.index()]).min(least);
        let log = &mut self.holders[channel.index()];
        self.lanes.takes_turn((channel, Side::Channel), log, turn, (needed, now));
    }

    /// A victim has started on a channel. The next that is asked is who leaves the buffer at its end
    /// before it.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn has_started_in_lane(&mut self, id: PacketId, channel: ChannelId, start: Time) {
        let record = &mut self.records[id.index()];
        (record.start, record.asked) = (start, NEVER);
        if record.has_waited {
            self.waits[id.index()].stalls.clear();
        }
        if self.lanes.stands_far_behind(channel, start) {
            self.watches(id, Side::Front, channel, start);
        }
    }

    /// Turns on the channels of a queue, or at the front of a buffer, that have not ended by `since`
    /// are kept for a packet, which watches nothing else on that side.
    pub(super) fn watches(&mut self, id: PacketId, side: Side, place: ChannelId, since: Time) {
        let record = &mut self.records[id.index()];
        match side {
            Side::Channel => self.asking.join(&mut record.asking, place, since),
            Side::Front => self.unstarted.join(&mut record.unstarted, place, since),
        }
        self.lanes.watch(place, side, true);
    }

    /// No turns on a side are kept for a packet any more.
    pub(super) fn watches_no_more(&mut self, id: PacketId, side: Side) {
        let record = &mut self.records[id.index()];
        let (places, waiting) = match side {
            Side::Channel => (&mut self.asking, &mut record.asking),
            Side::Front => (&mut self.unstarted, &mut record.unstarted),
        };
        if let Some(place) = waiting.at() {
            places.leave(waiting);
            if places.since(place) == NEVER {
                self.lanes.watch(place, side, self.forgets != NEVER);
            }
        }
    }

    /// No turns are kept for a packet any more.
    #[inline]
    pub(super) fn watches_nothing(&mut self, id: PacketId) {
        let &Record { asking, unstarted, .. } = &self.records[id.index()];
        if asking.at().is_some() {
            self.watches_no_more(id, Side::Channel);
        }
        if unstarted.at().is_some() {
            self.watches_no_more(id, Side::Front);
        }
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
        let own = match turns {
            Turns::Noted => Some(id),
            Turns::ToCome => None,
        };
        let record = &mut self.records[id.index()];
        let holders = self.lanes.past(channel, Side::Channel, &self.holders[channel.index()], own);
        // There is none for its node's queue.
        let fronts = self.fronts.get(record.from.index());
        let fronts = fronts.map(|log| self.lanes.past(record.from, Side::Front, log, own));
        self.waits[id.index()].charge_past(record, (&holders, fronts.as_ref()), span);
    }

    /// The latest turn on a channel, or wire.
    pub(super) fn latest_on(&self, place: ChannelId) -> Option<Turn> {
        if self.lanes.are_kept() {
            self.lanes.latest(place)
        } else {
            self.holders[place.index()].latest().copied()
        }
    }
}
