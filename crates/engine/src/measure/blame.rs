//! Who made whom wait, and how: every wait of every packet is charged to one cause.
//!
//! [`Blame`] is told when packets ask, are granted a channel, start and leave ([`Observation`]),
//! and knows from that who holds what, and who waits where since when. When a
//! packet starts on a channel its wait for that is cut into pieces, each charged to
//! whoever had his turn then ([`Charge`]); when it has been delivered its charges are
//! added to the tables of the window ([`Tables`]). The rules are in `docs/model.md`.

mod batches;
mod buffers;
mod bystanders;
mod cause;
mod cells;
mod circuits;
mod in_lanes;
mod key;
mod labels;
mod lanes;
mod log;
mod observation;
mod occupancy;
mod passing;
mod queues;
mod record;
mod requests;
mod riding;
mod ring;
mod roots;
mod sums;
mod tables;
#[cfg(test)]
mod tests;
mod timed;
mod turns;
mod victims;
mod waiters;
mod whole;

pub use batches::{BATCHES, Batches};
pub use cause::{Cause, Charge, Root};
pub use key::{Key, REST};
pub(crate) use labels::Labels;
pub use labels::Sender;
pub(crate) use observation::{Observation, Ways};
pub(crate) use occupancy::Occupancy;
pub use occupancy::{Hold, Turns, Waited};
pub(crate) use queues::Queues;
pub use sums::{MOST_KEYS, Sum, Sums};
pub use tables::{Pairs, Tables};
pub use timed::Timed;
pub(crate) use victims::Victims;

use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::{Class, PacketRow};
use crate::time::{NEVER, Time};
use buffers::Buffers;
use lanes::{Lanes, Side};
use log::Log;
use passing::{Passed, Passing};
use record::{Record, Waits};
use waiters::Places;

/// What is kept, besides the tables.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keeps {
    /// All charges of every packet.
    pub packets: bool,
    /// All turns that there is room for.
    pub all_turns: bool,
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
    /// When each of them began; empty where packets are of the classes of their messages.
    pub begins: Vec<Time>,
    /// The same time, charged to root culprits.
    pub passed: Vec<Charge>,
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
    /// The latest of both, where that nearly always is all that is needed.
    lanes: Lanes,
    /// As `holders` and `fronts`: when those who had their turns there waited themselves.
    passing: [Vec<Passing>; 2],
    queues: Queues,
    /// Of whom there are charges. Only if these are all, it is known where waits begin, too.
    victims: Victims,
    /// By channel, or wire: the queues of those who may want it.
    ends: Vec<[ChannelId; 2]>,
    /// By queue: those that have asked for a channel.
    asking: Places,
    /// By buffer: those that have left its front and have not started; by list: those in it.
    unstarted: Places,
    /// Turns that ended before are forgotten, if nobody can ask for them: all, or none.
    forgets: Time,
    /// Who stands in buffers, where there are any.
    buffers: Buffers,
    /// By channel, or wire, where frames are cut into cells: whose cells it has carried.
    cells: Vec<cells::Carried>,
    /// By lead: the packet granted that waits for room and keeps the others waiting, where the model does
    /// not tell that.
    keepers: Vec<PacketId>,
    /// Since when the packet that is sent next has kept others waiting, if it has.
    kept_since: Time,
    /// By node with a receive FIFO: the traffic class of the packet drained last.
    drained: Vec<u32>,
    /// The tables of the window.
    pub tables: Tables,
    /// Charges packet by packet since they were last taken, if recorded.
    pub packets: Option<Vec<Charged>>,
    /// If packets are of the classes of their messages: which classes that stands for.
    pub(crate) labels: Option<Box<Labels>>,
    /// Who held channels when, if a timeline shows that.
    pub(crate) occupancy: Option<Box<Occupancy>>,
    interval: Time,
}

impl Blame {
    /// Nothing has happened yet; the first batches are as long as `interval`.
    pub(crate) fn new(queues: Queues, interval: Time, keeps: Keeps, victims: Victims) -> Self {
        let all = queues.of.len();
        let in_lanes = queues.are_in_order && !victims.all_are_followed();
        let lanes = if in_lanes {
            Lanes::new(&queues.of, &queues.nodes, keeps.all_turns)
        } else {
            Lanes::default()
        };
        Self {
            ends: queues.ends(),
            queues,
            records: Vec::new(),
            waits: Vec::new(),
            holders: vec![Log::default(); all],
            fronts: vec![Log::default(); all],
            passing: [vec![Passing::default(); all], vec![Passing::default(); all]],
            lanes,
            asking: Places::new(all),
            unstarted: Places::new(all),
            forgets: if keeps.all_turns { 0 } else { NEVER },
            buffers: Buffers::new(if in_lanes { 0 } else { all }),
            cells: Vec::new(),
            keepers: vec![PacketId::NONE; if in_lanes { 0 } else { all }],
            kept_since: NEVER,
            drained: Vec::new(),
            tables: Tables::new(0, interval, &victims),
            packets: keeps.packets.then(Vec::new),
            victims,
            labels: None,
            occupancy: None,
            interval,
        }
    }

    /// A new measurement window begins. What packets on their way have been charged stays.
    pub(crate) fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval, &self.victims);
    }

    /// A packet has been delivered out of a buffer: if it stood behind another there, it waited
    /// for that one last.
    fn taken_out(&mut self, id: PacketId, buffer: ChannelId, after: Time) {
        self.buffers.leave(buffer, id);
        let record = &mut self.records[id.index()];
        if !record.is_victim {
            return;
        }
        let before = self.fronts[buffer.index()].latest();
        if let Some(turn) = before.filter(|turn| turn.end > record.start + after) {
            record.last = Root { class: turn.class, channel: turn.root };
        }
    }

    /// Whether the next packet of a class that a node queues is one whose waits are charged.
    #[inline]
    pub(crate) fn has_victim(&mut self, node: NodeId, class: Class) -> bool {
        self.victims.has_next(node, class)
    }

    /// A packet of a traffic class enters its node's output queue, or list, for which its first
    /// injection channel stands.
    #[inline]
    pub(crate) fn queued(
        &mut self,
        id: PacketId,
        (class, is_victim): (u32, bool),
        queue: impl FnOnce() -> ChannelId,
        now: Time,
    ) {
        if !self.lanes.are_kept() {
            self.joins_queue(id, (class, is_victim), queue(), now);
        } else if self.lanes.begins(id, class, is_victim) {
            self.queued_in_lanes(id, (class, is_victim), queue(), now);
        }
    }

    /// The same where more is kept of it than where it is.
    #[inline(never)]
    fn joins_queue(
        &mut self,
        id: PacketId,
        (class, is_victim): (u32, bool),
        queue: ChannelId,
        now: Time,
    ) {
        self.record_anew(id, (class, is_victim), now);
        let record = &mut self.records[id.index()];
        let is_list = queue.0 < self.queues.lists;
        if is_list {
            (record.head, record.asked) = (queue, NEVER);
        }
        if is_list || self.queues.have_heads {
            self.unstarted.join(&mut record.unstarted, queue, now);
        } else if record.is_victim {
            self.asking.join(&mut record.asking, queue, now);
        }
    }

    /// The packet that holds a channel, if any.
    pub(crate) fn holder(&self, channel: ChannelId, now: Time) -> Option<PacketId> {
        let log = &self.holders[self.queues.place(channel).index()];
        if self.lanes.are_kept() {
            return self.lanes.holder(channel, Side::Channel, log, now).map(|turn| turn.packet);
        }
        log.holder(now).map(|turn| turn.packet)
    }

    /// A packet's traffic class.
    pub(crate) fn class(&self, id: PacketId) -> u32 {
        if self.lanes.are_kept() { self.lanes.class(id) } else { self.records[id.index()].class }
    }

    /// A packet has been lost: nobody is charged for what it waited.
    pub(crate) fn lost(&mut self, id: PacketId) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
        self.buffers.leave(record.head, id);
    }

    /// A packet has been delivered; without contention it would have lived `alone`.
    #[inline]
    pub(crate) fn delivered(&mut self, id: PacketId, row: &PacketRow, last: bool, alone: Time) {
        if !self.lanes.are_kept() {
            self.is_over(id, row, last, alone);
        } else if self.lanes.is_recorded(id) {
            self.watches_nothing(id);
            self.is_over(id, row, last, alone);
            // Who has its place next has no record, unless it gets one.
            self.records[id.index()].is_victim = false;
        }
    }

    /// The same of one of which more is kept than where it is.
    #[inline(never)]
    fn is_over(&mut self, id: PacketId, row: &PacketRow, last: bool, alone: Time) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
        self.buffers.leave(record.head, id);
        let beyond = (row.delivered - row.queued).saturating_sub(alone);
        let receiver = self.queues.receiver(record.head);
        if record.is_victim && (record.has_waited || beyond > 0) {
            record.has_waited = true;
            // Those before it have been drained.
            let before = receiver.and_then(|node| self.drained.get(node.index()));
            let before = before.copied().unwrap_or(record.class);
            self.waits[id.index()].settle(record, beyond, before);
        }
        if let Some(node) = receiver {
            self.is_drained(id, node);
        }
        if !self.is_told(id) {
            return;
        }
        let is_message = last && row.class == Class::Data;
        if self.labels.is_some() || self.packets.is_some() {
            return self.tell_whole(id, row, is_message, alone);
        }
        let (record, waits) = (&self.records[id.index()], &self.waits[id.index()]);
        let charged = if record.has_waited { waits.charged() } else { Default::default() };
        self.tables.add(record.class, charged, is_message, row.delivered);
    }

    /// A packet has been drained at a node.
    #[cold]
    #[inline(never)]
    fn is_drained(&mut self, id: PacketId, node: NodeId) {
        let nodes = self.drained.len().max(node.index() + 1);
        self.drained.resize(nodes, 0);
        self.drained[node.index()] = self.records[id.index()].class;
    }

    /// What a packet has been charged is added to the tables, by classes, and told of itself.
    #[cold]
    #[inline(never)]
    fn tell_whole(&mut self, id: PacketId, row: &PacketRow, is_message: bool, alone: Time) {
        let (record, waits) = (&self.records[id.index()], &self.waits[id.index()]);
        let mut class = record.class;
        let (mut charges, mut passed) =
            if record.has_waited { waits.charged() } else { Default::default() };
        let by_class: Vec<Passed>;
        if let (Some(occupancy), Some(labels)) = (&mut self.occupancy, &self.labels)
            && record.has_waited
        {
            occupancy.waited(class, waits, labels, row.delivered);
        }
        let has_begins = record.has_waited && self.labels.is_none();
        if let Some(labels) = &mut self.labels {
            class = labels.class(class);
            by_class = Passed::by_class(passed, labels);
            passed = &by_class;
            charges = labels.by_class(charges, &waits.begins);
        }
        self.tables.add(class, (charges, passed), is_message, row.delivered);
        if let Some(packets) = &mut self.packets {
            let timed = has_begins.then(|| waits.timed(row.delivered).map(|(begin, _)| begin));
            let begins = timed.into_iter().flatten().collect();
            let charges = charges.to_vec();
            let passed = passed.iter().map(|piece| piece.charge).collect();
            packets.push(Charged { packet: *row, class, alone, charges, begins, passed });
        }
    }
}
