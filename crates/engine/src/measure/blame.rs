//! Who made whom wait, and how: every wait of every packet is charged to one cause.
//!
//! [`Blame`] is told when packets ask, are granted a channel, start and leave ([`Observation`]),
//! and knows from that who holds what, and who waits where since when. When a
//! packet starts on a channel its wait for that is cut into pieces, each charged to
//! whoever had his turn then ([`Charge`]); when it has been delivered its charges are
//! added to the tables of the window ([`Tables`]). The rules are in `docs/model.md`.

mod batches;
mod buffers;
mod cause;
mod circuits;
mod key;
mod log;
mod observation;
mod queues;
mod record;
mod requests;
mod ring;
mod roots;
mod sums;
mod tables;
#[cfg(test)]
mod tests;
mod turns;
mod waiters;
mod whole;

pub use batches::{BATCHES, Batches};
pub use cause::{Cause, Charge, Root};
pub use key::{Key, REST};
pub(crate) use observation::{Observation, Ways};
pub(crate) use queues::Queues;
pub use sums::{MOST_KEYS, Sum, Sums};
pub use tables::Tables;

use crate::ids::{ChannelId, PacketId};
use crate::measure::{Class, PacketRow};
use crate::time::{NEVER, Time};
use buffers::Buffers;
use log::Log;
use record::{Record, Waits};
use waiters::Places;

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
    unstarted: Places,
    /// Turns that ended before are forgotten, if nobody can ask for them: all, or none.
    forgets: Time,
    /// Who stands in buffers, where there are any.
    buffers: Buffers,
    /// By lead: the packet granted that waits for room and keeps the others waiting.
    keepers: Vec<PacketId>,
    /// By node with a receive FIFO: the traffic class of the packet drained last.
    drained: Vec<u32>,
    /// The tables of the window.
    pub tables: Tables,
    /// Charges packet by packet since they were last taken, if recorded.
    pub packets: Option<Vec<Charged>>,
    interval: Time,
}

impl Blame {
    /// Nothing has happened yet; the first batches are as long as `interval`. `record`: whether
    /// all charges are kept; `keep_all`: whether no turn is forgotten that there is room for.
    pub(crate) fn new(queues: Queues, interval: Time, (record, keep_all): (bool, bool)) -> Self {
        let channels = queues.of.len();
        Self {
            ends: queues.ends(),
            queues,
            records: Vec::new(),
            waits: Vec::new(),
            holders: vec![Log::default(); channels],
            fronts: vec![Log::default(); channels],
            asking: Places::new(channels),
            unstarted: Places::new(channels),
            forgets: if keep_all { 0 } else { NEVER },
            buffers: Buffers::new(channels),
            keepers: vec![PacketId::NONE; channels],
            drained: Vec::new(),
            tables: Tables::new(0, interval),
            packets: record.then(Vec::new),
            interval,
        }
    }

    /// A new measurement window begins. What packets on their way have been charged stays.
    pub(crate) fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval);
    }

    /// A packet has been delivered out of a buffer: if it stood behind another there, it waited
    /// for that one last.
    fn taken_out(&mut self, id: PacketId, buffer: ChannelId, after: Time) {
        self.buffers.leave(buffer, id);
        let record = &mut self.records[id.index()];
        let before = self.fronts[buffer.index()].latest();
        if let Some(turn) = before.filter(|turn| turn.end > record.start + after) {
            record.last = Root { class: turn.class, channel: turn.root };
        }
    }

    /// A packet of a traffic class enters its node's output queue, or list, for which its first
    /// injection channel stands.
    #[inline(never)]
    pub(crate) fn queued(&mut self, id: PacketId, class: u32, queue: ChannelId, now: Time) {
        while self.records.len() <= id.index() {
            self.records.push(Record::new(class, now));
            self.waits.push(Waits::default());
            self.buffers.hold(self.records.len());
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
            self.unstarted.join(&mut record.unstarted, queue, now);
        } else {
            self.asking.join(&mut record.asking, queue, now);
        }
    }

    /// The packet that holds a channel, if any.
    pub(crate) fn holder(&self, channel: ChannelId, now: Time) -> Option<PacketId> {
        self.holders[self.queues.place(channel).index()].holder(now).map(|turn| turn.packet)
    }

    /// A packet's traffic class.
    pub(crate) fn class(&self, id: PacketId) -> u32 {
        self.records[id.index()].class
    }

    /// A packet has been delivered; without contention it would have lived `alone`.
    pub(crate) fn delivered(&mut self, id: PacketId, row: &PacketRow, last: bool, alone: Time) {
        let record = &mut self.records[id.index()];
        self.asking.leave(&mut record.asking);
        self.unstarted.leave(&mut record.unstarted);
        self.buffers.leave(record.head, id);
        let beyond = (row.delivered - row.queued).saturating_sub(alone);
        let waits = &mut self.waits[id.index()];
        let (class, receiver) = (record.class, self.queues.receiver(record.head));
        if record.has_waited || beyond > 0 {
            record.has_waited = true;
            // Those before it have been drained.
            let before = receiver.and_then(|node| self.drained.get(node.index()));
            waits.settle(record, beyond, before.copied().unwrap_or(class));
        }
        if let Some(node) = receiver {
            let nodes = self.drained.len().max(node.index() + 1);
            self.drained.resize(nodes, 0);
            self.drained[node.index()] = class;
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
