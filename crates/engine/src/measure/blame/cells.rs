//! Waits for ports and links of a fabric of cells, where cells of several packets alternate.
//!
//! A packet goes on with its last cell. As much time as that waits at a port goes to those of
//! others that the port has carried before it, the latest first, in the stretch in which it was
//! never idle: there is that much. For a packet's cells come at least a cell time apart, so in such
//! a stretch all that is not theirs is at least as long as the last of them is late.

use super::{Blame, Cause, Charge};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;
use std::collections::VecDeque;

/// Most runs of cells that are remembered; what is longer is charged to the first of them.
const LONGEST: usize = 1 << 16;

/// Cells of one packet that followed each other without a gap.
#[derive(Clone, Copy, Debug)]
struct Run {
    packet: PacketId,
    class: u32,
    channel: ChannelId,
    from: Time,
    until: Time,
}

/// What a port or link has carried since it was idle last.
#[derive(Clone, Default)]
pub struct Carried(VecDeque<Run>);

impl Carried {
    fn add(&mut self, run: Run, since: Time) {
        while self.0.front().is_some_and(|first| first.until < since) || self.0.len() >= LONGEST {
            self.0.pop_front();
        }
        match self.0.back_mut() {
            Some(last) if last.until < run.from => self.0.clear(),
            Some(last) if (last.packet, last.channel) == (run.packet, run.channel) => {
                last.until = run.until;
                return;
            }
            _ => {}
        }
        self.0.push_back(run);
    }

    /// Cuts the wait of a packet, latest first: its pieces, and when each began.
    fn cut(
        &self,
        packet: PacketId,
        channel: ChannelId,
        (ready, start): (Time, Time),
    ) -> impl Iterator<Item = (Charge, Time)> {
        let others = self.0.iter().enumerate().rev().filter(move |(_, run)| run.packet != packet);
        let first = self.0.iter().position(|run| run.packet != packet);
        let mut until = start;
        others.map_while(move |(place, run)| {
            let left = until - ready;
            let takes = run.until - run.from;
            let time = if Some(place) == first { left } else { left.min(takes) };
            until -= time;
            let is_same = run.channel == channel;
            let cause = if is_same { Cause::OutputBusy } else { Cause::SharedWire };
            let charge = Charge { channel, root: run.channel, culprit: run.class, cause, time };
            (time > 0).then_some((charge, until))
        })
    }
}

impl Blame {
    /// A port or link carries a cell of a packet from `start` to `until`.
    #[cold]
    #[inline(never)]
    pub(super) fn takes_cell(
        &mut self,
        packet: PacketId,
        channel: ChannelId,
        (from, until): (Time, Time),
        since: Time,
    ) {
        if self.cells.is_empty() {
            self.cells = vec![Carried::default(); self.holders.len()];
        }
        let class = self.class(packet);
        let place = self.queues.place(channel);
        self.cells[place.index()].add(Run { packet, class, channel, from, until }, since);
    }

    /// The last cell of a packet asked for a port or link at `ready`, and starts there at `start`.
    #[cold]
    #[inline(never)]
    pub(super) fn last_cell(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (ready, start): (Time, Time),
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        (record.granted, record.start, record.root) = (start, start, channel);
        self.has_started(id);
        let place = self.queues.place(channel);
        let record = &mut self.records[id.index()];
        if let Some(carried) = self.cells.get(place.index())
            && ready < start
            && record.is_victim
        {
            let pieces = carried.cut(id, channel, (ready, start));
            self.waits[id.index()].charge_pieces(record, (ready, start), pieces);
        }
    }
}
