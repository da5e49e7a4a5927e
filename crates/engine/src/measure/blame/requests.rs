//! Packets ask, and those that might start lack something.

use super::cause::Cause;
use super::observation::Ways;
use super::record::Stall;
use super::search::Search;
use super::state::Blame;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

impl Blame {
    /// A packet at the front of a buffer asks in a queue from now on.
    #[cold]
    #[inline(never)]
    pub(super) fn asks_for(&mut self, id: PacketId, queue: ChannelId, now: Time) {
        let record = &mut self.records[id.index()];
        self.asking.join(&mut record.asking, queue, now);
        record.asked = now;
    }

    /// A packet that might start does not, from now on, because of `cause`, and of a traffic
    /// class.
    pub(super) fn stalls(&mut self, id: PacketId, now: Time, cause: Cause, culprit: u32) {
        let record = &mut self.records[id.index()];
        if !record.is_victim {
            return;
        }
        record.has_waited = true;
        let stalls = &mut self.waits[id.index()].stalls;
        if stalls.last().is_none_or(|last| (last.cause, last.culprit) != (cause, culprit)) {
            stalls.push(Stall { from: now, cause, culprit });
        }
    }

    /// Whether anything is known of a packet but where it is.
    #[inline]
    pub(crate) fn follows(&self, id: PacketId) -> bool {
        !self.lanes.are_kept() || self.lanes.is_recorded(id)
    }

    /// Whether it is anything new that a packet lacks room ([`Self::lacks_room`]).
    #[inline]
    pub(crate) fn notes_room(&self, id: PacketId, keeps: ChannelId) -> bool {
        if !self.lanes.are_kept() && self.is_to_keep(keeps) {
            return true;
        }
        let is_victim = self.follows(id) && self.records[id.index()].is_victim;
        is_victim && !self.is_known_to_lack_room(id)
    }

    /// Whether somebody is to keep others waiting at a lead, if any, where nobody has done so yet.
    #[inline]
    fn is_to_keep(&self, lead: ChannelId) -> bool {
        lead.is_some() && !self.keepers[lead.index()].is_some()
    }

    /// A packet has been granted an output whose lead it keeps.
    fn keeps_waiting(&mut self, id: PacketId, lead: ChannelId, now: Time) {
        self.keepers[lead.index()] = id;
        let record = &mut self.records[id.index()];
        record.granted = now;
        if record.asking.at().is_none() {
            self.asking.join(&mut record.asking, lead, now);
        }
    }

    /// A packet keeps nobody else waiting any more at an output, if it has.
    #[inline]
    pub(super) fn keeps_nobody_waiting(&mut self, id: PacketId) {
        if let Some(queue) = self.records[id.index()].asking.at()
            && self.keepers[queue.index()] == id
        {
            self.keepers[queue.index()] = PacketId::NONE;
        }
    }

    /// A packet that might start on a channel lacks room. If it has been granted an output whose
    /// lead it `keeps`, it is its turn.
    #[cold]
    #[inline(never)]
    pub(super) fn lacks_room(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        keeps: ChannelId,
        now: Time,
        ways: &impl Ways,
    ) {
        if !self.lanes.are_kept() && self.is_to_keep(keeps) {
            self.keeps_waiting(id, keeps, now);
        }
        if self.records[id.index()].is_victim && !self.is_known_to_lack_room(id) {
            let search = Search { blame: self, ways, now };
            let culprit = search.fills(channel, id).map_or(id, |first| search.last(first));
            self.stalls(id, now, Cause::BufferFull, self.class(culprit));
        }
    }

    /// A packet, or what is left of it, waits for room that a channel shares with others, of which
    /// `taker` has most.
    #[cold]
    #[inline(never)]
    pub(super) fn lacks_share(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        taker: ChannelId,
        now: Time,
        ways: &impl Ways,
    ) {
        if !self.records[id.index()].is_victim {
            return;
        }
        let search = Search { blame: self, ways, now };
        let culprit = self.class(search.fills(taker, id).map_or(id, |first| search.last(first)));
        if self.is_past_start(id, channel) {
            self.records[id.index()].last = culprit;
        } else if !self.is_known_to_lack_room(id) {
            self.stalls(id, now, Cause::BufferFull, culprit);
        }
    }

    /// Whether a packet has started on a channel, or is further.
    fn is_past_start(&self, id: PacketId, channel: ChannelId) -> bool {
        let record = &self.records[id.index()];
        record.head.is_some() && (record.head != channel || record.start != NEVER)
    }

    /// The same as [`Self::lacks_room`] where it is known because of whom.
    pub(super) fn lacks_place(&mut self, id: PacketId, now: Time, culprit: u32) {
        if !self.is_known_to_lack_room(id) {
            self.stalls(id, now, Cause::BufferFull, culprit);
        }
    }

    /// The node that a packet goes to has no place for the reply to it, because of another.
    #[cold]
    pub(super) fn lacks_reply_place(
        &mut self,
        id: PacketId,
        by: PacketId,
        now: Time,
        ways: &impl Ways,
    ) {
        if !self.records[id.index()].is_victim {
            return;
        }
        let output = ways.output(id, self.records[id.index()].head);
        let search = Search { blame: self, ways, now };
        let culprit = if by.is_some() { search.last((by, output)) } else { id };
        self.stalls(id, now, Cause::ReceiverBusy, self.class(culprit));
    }

    pub(super) fn is_known_to_lack_room(&self, id: PacketId) -> bool {
        let last = self.waits[id.index()].stalls.last();
        self.records[id.index()].has_waited
            && last.is_some_and(|stall| stall.cause == Cause::BufferFull)
    }

    /// A packet will not have been drained for so long because of those before it at its node.
    pub(super) fn drained_late(&mut self, id: PacketId, behind: Time) {
        let record = &mut self.records[id.index()];
        if record.is_victim {
            record.has_waited = true;
            self.waits[id.index()].behind = behind;
        }
    }

    /// A packet, or what is left of it, waits for the wire of a channel, which that one uses.
    #[cold]
    #[inline(never)]
    pub(super) fn lacks_wire(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        user: ChannelId,
        now: Time,
    ) {
        if !self.records[id.index()].is_victim {
            return;
        }
        let culprit = self.latest_on(user).map_or_else(|| self.class(id), |turn| turn.class);
        if self.is_past_start(id, channel) {
            self.records[id.index()].last = culprit;
        } else {
            self.stalls(id, now, Cause::SharedWire, culprit);
        }
    }

    /// A packet that had to wait for a channel is to have it, but takes time to start: that is
    /// due to whom it waited for last.
    #[cold]
    #[inline(never)]
    pub(super) fn is_regranted(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        asked: Time,
        now: Time,
    ) {
        let place = self.queues.place(channel);
        let record = &self.records[id.index()];
        if !record.is_victim {
            return;
        }
        let latest = self.latest_on(place);
        let (cause, culprit) = latest.map_or((Cause::Arbitration, record.class), |turn| {
            let cause = match turn.granted < asked {
                // It comes from its node's queue.
                _ if !record.head.is_some() => Cause::Throttling,
                true => Cause::OutputBusy,
                false => Cause::Arbitration,
            };
            (cause, turn.class)
        });
        self.stalls(id, now, cause, culprit);
    }

    /// A packet asks for a channel that is free, and another is granted one.
    #[cold]
    #[inline(never)]
    pub(super) fn outdone(&mut self, id: PacketId, channel: ChannelId, now: Time) {
        if let Some(turn) = self.latest_on(channel) {
            self.stalls(id, now, Cause::Arbitration, turn.class);
        }
    }
}
