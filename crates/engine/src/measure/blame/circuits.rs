//! Packets that keep every channel they have been granted until they are delivered, or until
//! one is taken from them.

use super::cause::Root;
use super::observation::Ways;
use super::record::{Before, Span};
use super::state::Blame;
use super::turn::Turn;
use super::turns::Place;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// Most circuits that are followed.
const LONGEST: usize = 64;

impl Blame {
    /// A header asks for a channel of a group.
    #[cold]
    #[inline(never)]
    pub(super) fn header_asks(&mut self, id: PacketId, output: ChannelId, now: Time) {
        self.records[id.index()].head = output;
        self.asks_for(id, self.queues.of[output.index()], now);
        if self.victims.all_are_followed() {
            let root = self.circuit_root(output, now);
            self.records[id.index()].waits_behind(root);
        }
    }

    /// Where those that wait for a channel wait for each other at last: the channel that is held
    /// by the first that does not wait, and that one's class.
    fn circuit_root(&self, mut wanted: ChannelId, now: Time) -> Option<Root> {
        let mut root = None;
        for _ in 0..LONGEST {
            let place = self.queues.place(wanted);
            let Some(turn) = self.holders[place.index()].holder(now) else { break };
            root = Some(Root { class: turn.class, channel: turn.channel });
            let holder = &self.records[turn.packet.index()];
            if holder.asking.at().is_none() {
                break;
            }
            wanted = holder.head;
        }
        root
    }

    /// A header is granted a channel.
    ///
    /// What it asked for has been held all the time: those who held it are charged in turn.
    /// What lies before is charged to those who were at the head of its node's list before it,
    /// or to who took channels from it.
    #[cold]
    #[inline(never)]
    pub(super) fn holds(&mut self, id: PacketId, channel: ChannelId, now: Time, ways: &impl Ways) {
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        let span = Span { ready: ways.ready(id), asked: record.asked, granted: now };
        let (list, is_first) = (record.unstarted.at(), record.granted == NEVER);
        record.granted = span.granted;
        self.unstarted.leave(&mut record.unstarted);
        self.asking.leave(&mut record.asking);
        record.head = channel;
        record.root = channel;
        let waits = span.granted > span.ready && record.is_victim;
        if waits {
            let fronts = list.map(|list| {
                Before::all(&self.fronts[list.index()], &self.passing[1][list.index()])
            });
            let holders =
                Before::all(&self.holders[place.index()], &self.passing[0][place.index()]);
            self.waits[id.index()].charge_held(record, holders, (is_first, fronts), span);
        }
        record.asked_root = ChannelId::NONE;
        record.has_lost = false;
        let turn = record.turn(id, (span.asked, span.granted, NEVER));
        let needed = self.wanted_since(place).min(self.forgets);
        let needed = self.holders[place.index()].push(turn, needed);
        if self.victims.all_are_followed() {
            self.passing[0][place.index()].forget(needed);
        }
        if let Some(list) = list {
            self.take_front(list, Turn { asked: span.ready, end: span.granted, ..turn });
            if waits && self.victims.all_are_followed() {
                self.note_waits(id, Place::Front(list), span.granted);
            }
        }
    }

    /// A channel is taken from a packet, to which it will have to come back.
    #[cold]
    #[inline(never)]
    pub(super) fn loses(&mut self, id: PacketId, channel: ChannelId, to: PacketId) {
        let class = self.class(to);
        let record = &mut self.records[id.index()];
        record.last = Root { class, channel };
        record.has_lost = true;
        self.asking.leave(&mut record.asking);
    }
}
