//! Packets are delivered, or lost: what they have been charged is added up.

use super::labels::Labels;
use super::state::{Blame, Charged};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::packet::{Class, PacketRow};
use crate::time::Time;

impl Blame {
    /// A packet has been delivered out of a buffer: if it stood behind another there, it waited
    /// for that one last.
    pub(super) fn taken_out(&mut self, id: PacketId, buffer: ChannelId, after: Time) {
        self.buffers.leave(buffer, id);
        let record = &mut self.records[id.index()];
        if !record.is_victim {
            return;
        }
        let before = self.fronts[buffer.index()].latest();
        if let Some(turn) = before.filter(|turn| turn.end > record.start + after) {
            record.last = turn.class;
        }
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
    pub(crate) fn delivered(
        &mut self,
        id: PacketId,
        row: &PacketRow,
        (last, alone): (bool, Time),
        labels: Option<&Labels>,
    ) {
        if !self.lanes.are_kept() {
            self.is_over(id, row, (last, alone), labels);
        } else if self.lanes.is_recorded(id) {
            self.watches_nothing(id);
            self.is_over(id, row, (last, alone), labels);
            // Who has its place next has no record, unless it gets one.
            self.records[id.index()].is_victim = false;
        }
    }

    /// The same of one of which more is kept than where it is.
    #[inline(never)]
    fn is_over(
        &mut self,
        id: PacketId,
        row: &PacketRow,
        (last, alone): (bool, Time),
        labels: Option<&Labels>,
    ) {
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
        if !self.records[id.index()].is_victim {
            return;
        }
        let is_message = last && row.class == Class::Data;
        if labels.is_some() || self.packets.is_some() {
            return self.tell_whole(id, row, (is_message, alone), labels);
        }
        let (record, waits) = (&self.records[id.index()], &self.waits[id.index()]);
        let charges = if record.has_waited { &waits.charges[..] } else { &[] };
        self.tables.add(record.class, charges, is_message, row.delivered);
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
    fn tell_whole(
        &mut self,
        id: PacketId,
        row: &PacketRow,
        (is_message, alone): (bool, Time),
        labels: Option<&Labels>,
    ) {
        let (record, waits) = (&self.records[id.index()], &self.waits[id.index()]);
        let mut class = record.class;
        let mut charges = if record.has_waited { &waits.charges[..] } else { &[] };
        let by_class: Vec<_>;
        if let (Some(occupancy), Some(labels)) = (&mut self.occupancy, labels)
            && record.has_waited
        {
            occupancy.waited(class, waits, labels, row.delivered);
        }
        let has_begins = record.has_waited && labels.is_none();
        if let Some(labels) = labels {
            class = labels.class(class);
            by_class = labels.by_class(charges, &waits.begins);
            charges = &by_class;
        }
        self.tables.add(class, charges, is_message, row.delivered);
        if let Some(packets) = &mut self.packets {
            let timed = has_begins.then(|| waits.timed(row.delivered).map(|(begin, _)| begin));
            let begins = timed.into_iter().flatten().collect();
            let charges = charges.to_vec();
            packets.push(Charged { packet: *row, class, alone, charges, begins });
        }
    }
}
