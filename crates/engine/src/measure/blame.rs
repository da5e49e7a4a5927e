//! Who made whom wait, and how: every wait of every packet is charged to one cause.
//!
//! [`Blame`] is told when packets ask, are granted a channel, start and fall free. When a
//! packet starts on a channel its wait for that is cut into pieces, each charged to
//! whoever had his turn then ([`Charge`]); when it has been delivered its charges are
//! added to the tables of the window ([`Tables`]). The rules are in `docs/model.md`.

mod batches;
mod cause;
mod circuits;
mod key;
mod log;
mod questions;
mod record;
mod ring;
mod sums;
mod tables;
mod waiters;

pub use batches::{BATCHES, Batches};
pub use cause::{Cause, Charge, Root};
pub use circuits::Span;
pub use key::{Key, REST};
pub use sums::{MOST_KEYS, Sum, Sums};
pub use tables::Tables;

use crate::ids::{ChannelId, PacketId};
use crate::measure::{Class, PacketRow};
use crate::time::{NEVER, Time};
use log::{Log, Turn};
use record::{Record, Stall, Waits};
use waiters::Places;

/// Where packets wait for what: it never changes in a run.
pub struct Queues {
    /// By channel: the one that stands for the queue of those who may be granted it. Those of a
    /// node's own are in that of its first injection channel.
    pub of: Vec<ChannelId>,
    /// By channel: the first of its wire, where whole packets are sent over shared wires;
    /// else empty.
    pub wires: Vec<ChannelId>,
    /// Channels below this number stand for the lists of nodes that are one with their
    /// switches: what is before a packet in its list throttles it.
    pub lists: u32,
    /// Whether messages leave the list of their node one by one, each when it is the head.
    pub have_heads: bool,
}

impl Queues {
    /// Where it is noted who holds a channel.
    #[inline]
    fn place(&self, channel: ChannelId) -> ChannelId {
        self.wires.get(channel.index()).copied().unwrap_or(channel)
    }

    /// By channel, or wire: the queues of those who may want it, at one end or at both.
    fn ends(&self) -> Vec<[ChannelId; 2]> {
        let mut ends: Vec<_> = self.of.iter().map(|&queue| [queue; 2]).collect();
        for (channel, &queue) in self.of.iter().enumerate() {
            ends[self.place(ChannelId::from_index(channel)).index()][1] = queue;
        }
        ends
    }
}

/// Whether the turns of a packet whose wait is charged have been noted.
#[derive(Clone, Copy)]
enum Turns {
    Noted,
    ToCome,
}

/// All charges of a delivered packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The packet.
    pub packet: PacketRow,
    /// Its traffic class.
    pub class: u32,
    /// Its lifetime without contention.
    pub alone: Time,
    /// In order of time.
    pub charges: Vec<Charge>,
}

/// Who made whom wait.
pub struct Blame {
    records: Vec<Record>,
    /// By packet, as `records`.
    waits: Vec<Waits>,
    /// By channel (where whole packets share a wire: by wire): who held it.
    holders: Vec<Log>,
    /// By channel: who was at the front of the buffer at its end.
    fronts: Vec<Log>,
    queues: Queues,
    /// By channel, or wire: the queues of those who may want it.
    ends: Vec<[ChannelId; 2]>,
    /// By queue: those that have asked for a channel.
    asking: Places,
    /// By buffer: those that have left its front and have not started; by list: those in it.
    left: Places,
    /// Turns that ended before are forgotten, if nobody can ask for them: all, or none.
    forgets: Time,
    /// By lead: the packet granted that waits for room and keeps the others waiting.
    keepers: Vec<PacketId>,
    /// The tables of the window.
    pub tables: Tables,
    /// Charges packet by packet since they were last taken, if recorded.
    pub packets: Option<Vec<Charged>>,
    interval: Time,
}

impl Blame {
    /// Nothing has happened yet; the first batches are as long as `interval`. `record`: whether
    /// all charges are kept; `keep_all`: whether no turn is forgotten that there is room for.
    pub fn new(queues: Queues, interval: Time, (record, keep_all): (bool, bool)) -> Self {
        let channels = queues.of.len();
        Self {
            ends: queues.ends(),
            queues,
            records: Vec::new(),
            waits: Vec::new(),
            holders: vec![Log::default(); channels],
            fronts: vec![Log::default(); channels],
            asking: Places::new(channels),
            left: Places::new(channels),
            forgets: if keep_all { 0 } else { NEVER },
            keepers: vec![PacketId::NONE; channels],
            tables: Tables::new(0, interval),
            packets: record.then(Vec::new),
            interval,
        }
    }

    /// A new measurement window begins. What packets on their way have been charged stays.
    pub fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval);
    }

    /// A packet has been delivered out of a buffer, where its first flit was so long `after`
    /// its start: if it stood behind another there, it waited for that one last.
    pub fn leaves_buffer(&mut self, id: PacketId, buffer: ChannelId, after: Time) {
        let record = &mut self.records[id.index()];
        let before = self.fronts[buffer.index()].latest();
        if let Some(turn) = before.filter(|turn| turn.end > record.start + after) {
            record.last = Root { class: turn.class, channel: turn.root };
        }
    }

    /// A packet of a traffic class enters its node's output queue, or list, for which its first
    /// injection channel stands.
    #[inline(never)]
    pub fn queued(&mut self, id: PacketId, class: u32, queue: ChannelId, now: Time) {
        while self.records.len() <= id.index() {
            self.records.push(Record::new(class, now));
            self.waits.push(Waits::default());
        }
        let record = &mut self.records[id.index()];
        if record.has_waited {
            self.waits[id.index()].clear();
        }
        *record = Record::new(class, now);
        let is_list = queue.0 < self.queues.lists;
        if is_list {
            (record.head, record.asked) = (queue, NEVER);
        }
        if is_list || self.queues.have_heads {
            self.left.join(&mut record.left, queue, now);
        } else {
            self.asking.join(&mut record.asking, queue, now);
        }
    }

    /// A packet at the front of a buffer asks for an output; `root`: where those that hold
    /// it wait for each other at last.
    pub fn asks(&mut self, id: PacketId, output: ChannelId, now: Time, root: Option<Root>) {
        let record = &mut self.records[id.index()];
        self.asking.join(&mut record.asking, self.queues.of[output.index()], now);
        record.asked = now;
        record.asked_root = root.map_or(ChannelId::NONE, |root| root.channel);
    }

    /// A packet that might start does not, from now on, because of `cause`.
    pub fn stalls(&mut self, id: PacketId, now: Time, cause: Cause, root: Root) {
        self.records[id.index()].has_waited = true;
        let stalls = &mut self.waits[id.index()].stalls;
        if stalls.last().is_none_or(|last| (last.cause, last.root) != (cause, root)) {
            stalls.push(Stall { from: now, cause, root });
        }
    }

    /// Flits of a packet that has started wait for those of another.
    pub fn slowed(&mut self, id: PacketId, root: Root) {
        self.records[id.index()].last = root;
    }

    /// A packet that has been granted an output waits for room and keeps others waiting.
    pub fn keeps(&mut self, id: PacketId, lead: ChannelId, now: Time) {
        let record = &mut self.records[id.index()];
        record.granted = now;
        if record.asking.at().is_none() {
            self.asking.join(&mut record.asking, lead, now);
        }
        self.keepers[lead.index()] = id;
    }

    /// A packet that was ready at `ready` is granted a channel and leaves the front of the buffer
    /// it stands in, if any.
    #[cold]
    #[inline(never)]
    pub fn granted(&mut self, id: PacketId, channel: ChannelId, ready: Time, now: Time) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = NEVER;
        record.root = channel;
        record.asked = record.asked.min(now);
        self.asking.leave(&mut record.asking);
        let turn = record.turn(id, (record.asked, now, NEVER));
        let buffer = record.buffer();
        self.take_turns(turn, buffer, ready);
    }

    /// The same, if it starts at once and never stops: its turns will end at `end`.
    #[inline(never)]
    pub fn runs_through(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        ready: Time,
        (now, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = now;
        record.root = channel;
        record.asked = record.asked.min(now);
        let turn = record.turn(id, (record.asked, now, end));
        let buffer = record.from;
        self.take_turns(turn, buffer, ready);
        if now > ready {
            self.starts_late(id, channel, ready, now);
        }
        self.has_started(id);
    }

    /// A packet's turns on the channel it is granted and at the front of the buffer it leaves,
    /// if any.
    #[inline]
    fn take_turns(&mut self, turn: Turn, buffer: ChannelId, ready: Time) {
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

    /// Since when anybody has waited who may want a channel, or wire.
    #[inline]
    fn wanted_since(&self, place: ChannelId) -> Time {
        let since = self.ends[place.index()].map(|queue| {
            let asked = self.asking.since(queue);
            if self.queues.have_heads { asked.min(self.head_since(queue)) } else { asked }
        });
        since[0].min(since[1])
    }

    /// From when on a message has been the head of a node's list, or might have been.
    fn head_since(&self, list: ChannelId) -> Time {
        let before = self.fronts[list.index()].latest().map_or(0, |turn| turn.end);
        self.left.since(list).max(before)
    }

    /// A packet that was ready at `ready` has left the front of a buffer: what it waited for
    /// there must be known until it has started.
    #[inline]
    fn leaves_front(&mut self, buffer: ChannelId, packet: PacketId, ready: Time) {
        let record = &mut self.records[packet.index()];
        if record.start == NEVER {
            self.left.join(&mut record.left, buffer, ready);
        }
    }

    /// A packet's turn at the front of a buffer: those behind it came later.
    #[inline]
    fn take_front(&mut self, buffer: ChannelId, turn: Turn) {
        let needed = self.left.since(buffer).min(self.forgets);
        self.fronts[buffer.index()].push(turn, needed);
    }

    /// It is known when the packet that leaves a buffer is out of it.
    #[inline]
    pub fn front_falls_free(&mut self, buffer: ChannelId, at: Time) {
        let &Turn { packet, asked, .. } = self.fronts[buffer.index()].end(at);
        self.leaves_front(buffer, packet, asked);
    }

    /// It is known when a channel is released, and with it the front of the buffer (none:
    /// its node's queue) that the packet it was granted to leaves.
    #[cold]
    #[inline(never)]
    pub fn released(&mut self, channel: ChannelId, buffer: ChannelId, at: Time) {
        self.holders[channel.index()].end(at);
        if buffer.is_some() {
            self.front_falls_free(buffer, at);
        }
    }

    /// A packet that was ready at `ready` and is sent as a whole starts on a channel; it will
    /// have been sent at `end`.
    #[inline(never)]
    pub fn starts_whole(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        mut ready: Time,
        (now, end): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        if self.queues.have_heads && !record.head.is_some() {
            // What it waited before its message was the head has been charged.
            ready = ready.max(record.asked);
        }
        record.from = std::mem::replace(&mut record.head, channel);
        let granted = std::mem::replace(&mut record.granted, NEVER).min(now);
        record.start = now;
        record.root = channel;
        if let Some(queue) = record.asking.at()
            && self.keepers[queue.index()] == id
        {
            self.keepers[queue.index()] = PacketId::NONE;
        }
        let mut asked = now;
        if ready < now {
            asked = self.asks_whole(id, ready);
            self.charge_wait(id, channel, (ready, now), Turns::ToCome);
        }
        self.has_started(id);
        let record = &mut self.records[id.index()];
        let turn = record.turn(id, (asked.min(granted), granted, end));
        let buffer = record.buffer();
        record.is_stored = false;
        self.take_turns(turn, buffer, ready);
    }

    /// A packet has joined the queue of a channel, and is in line for it `from` then on: those
    /// that join it later are granted the channel while it waits.
    #[cold]
    #[inline(never)]
    pub fn lines_up(&mut self, id: PacketId, channel: ChannelId, from: Time, now: Time) {
        let record = &mut self.records[id.index()];
        self.left.leave(&mut record.left);
        if record.asking.at().is_none() {
            self.asking.join(&mut record.asking, self.queues.of[channel.index()], now);
        }
        record.granted = from;
        // There is no buffer whose front it leaves.
        record.is_stored = true;
    }

    /// A packet of a message that is to start on `channel` leaves the list of its node, where it
    /// was ready at `ready`. If it is the first, the time until it was the head is charged.
    #[cold]
    #[inline(never)]
    pub fn comes_forward(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (ready, now): (Time, Time),
        is_first: bool,
    ) {
        let record = &mut self.records[id.index()];
        let Some(list) = record.left.at() else { return };
        self.left.leave(&mut record.left);
        let queue = self.queues.of[channel.index()];
        if !is_first {
            return self.asking.join(&mut record.asking, queue, now);
        }
        let fronts = &self.fronts[list.index()];
        let place = fronts.count();
        let head_from = fronts.end_before(place).clamp(ready.min(now), now);
        record.asked = head_from;
        self.asking.join(&mut record.asking, queue, head_from);
        if head_from > ready {
            self.waits[id.index()].charge_list(
                record,
                channel,
                (fronts, place),
                (ready, head_from),
            );
        }
        let class = record.class;
        let (root, asked) = (channel, ready);
        let turn = Turn { packet: id, class, channel, root, asked, granted: now, end: now };
        self.take_front(list, turn);
    }

    /// When a packet that is sent as a whole asked: its header came as fast as it could.
    #[inline]
    fn asks_whole(&mut self, id: PacketId, ready: Time) -> Time {
        let record = &mut self.records[id.index()];
        if record.from.is_some() {
            let fronts = &self.fronts[record.from.index()];
            let place = if record.is_stored { fronts.before(id) } else { fronts.count() };
            record.asked = fronts.end_before(place).max(ready);
        }
        record.asked
    }

    /// A packet that was ready at `ready` has moved from the front of a buffer into its switch's
    /// own queue, and is out of the buffer at `end`. It goes on asking.
    #[cold]
    #[inline(never)]
    pub fn stored(&mut self, id: PacketId, ready: Time, (now, end): (Time, Time)) {
        let record = &mut self.records[id.index()];
        record.is_stored = true;
        let (class, channel) = (record.class, record.head);
        let (root, asked) = (channel, ready);
        let turn = Turn { packet: id, class, channel, root, asked, granted: now, end };
        self.take_front(channel, turn);
        let record = &mut self.records[id.index()];
        self.left.join(&mut record.left, channel, ready);
    }

    /// A packet that was ready at `ready` starts on the channel it has been granted at `start`.
    #[cold]
    #[inline(never)]
    pub fn starts(&mut self, id: PacketId, channel: ChannelId, ready: Time, start: Time) {
        let record = &mut self.records[id.index()];
        record.start = start;
        record.root = channel;
        if start > ready {
            self.starts_late(id, channel, ready, start);
        }
        self.has_started(id);
    }

    /// The same of one that has waited.
    fn starts_late(&mut self, id: PacketId, channel: ChannelId, ready: Time, start: Time) {
        self.charge_wait(id, channel, (ready, start), Turns::Noted);
        let &Record { granted, from, root, .. } = &self.records[id.index()];
        if root == channel {
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
    fn has_started(&mut self, id: PacketId) {
        let record = &mut self.records[id.index()];
        record.asked = NEVER;
        record.asked_root = ChannelId::NONE;
        self.asking.leave(&mut record.asking);
        self.left.leave(&mut record.left);
        if record.has_waited {
            self.waits[id.index()].stalls.clear();
        }
    }

    /// Cuts a packet's wait for a channel into pieces, and charges each.
    #[inline(never)]
    fn charge_wait(&mut self, id: PacketId, channel: ChannelId, span: (Time, Time), turns: Turns) {
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        let before = |log: &Log| match turns {
            Turns::Noted => log.before(id),
            Turns::ToCome => log.count(),
        };
        let holders = &self.holders[place.index()];
        // There is none for its node's queue.
        let fronts = self.fronts.get(record.from.index());
        let holders = (holders, before(holders));
        let is_stored = record.is_stored;
        let behind =
            if record.from.0 < self.queues.lists { Cause::Throttling } else { Cause::HeadOfLine };
        let fronts = fronts.map(|fronts| {
            (fronts, if is_stored { fronts.before(id) } else { before(fronts) }, behind)
        });
        self.waits[id.index()].charge_wait(record, holders, fronts, span);
    }

    /// A packet has been delivered; without contention it would have lived `alone`.
    pub fn delivered(&mut self, id: PacketId, row: &PacketRow, last: bool, alone: Time) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.left.leave(&mut record.left);
        let beyond = (row.delivered - row.queued).saturating_sub(alone);
        let waits = &mut self.waits[id.index()];
        if record.has_waited || beyond > 0 {
            record.has_waited = true;
            waits.settle(record, beyond);
        }
        let charges = if record.has_waited { &waits.charges[..] } else { &[] };
        let is_message = last && row.class == Class::Data;
        self.tables.add(record.class, charges, is_message, row.delivered);
        if let Some(packets) = &mut self.packets {
            let charges = charges.to_vec();
            packets.push(Charged { packet: *row, class: record.class, alone, charges });
        }
    }
}
