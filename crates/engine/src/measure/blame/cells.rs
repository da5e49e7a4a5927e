//! Waits for ports and links of a fabric of cells, where cells of several packets alternate.
//!
//! A packet goes on with its last cell. As much time as that waits at a port goes to those of
//! others that the port has carried before it, the latest first, in the stretch in which it was
//! never idle: there is that much. For a packet's cells come at least a cell time apart, so in such
//! a stretch all that is not theirs is at least as long as the last of them is late.

use super::carried::{Carried, Run};
use super::state::Blame;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

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
        (record.granted, record.start) = (start, start);
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
