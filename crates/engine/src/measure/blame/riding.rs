//! Packets of multicasts, which wait as one until their ways part.
//!
//! While a packet rides, what it waits for is charged to its carrier alone; when it goes on by itself
//! it has waited as long, and for the same, as who carried it.

use super::record::{Record, Waits};
use super::state::Blame;
use super::waiters::Waiting;
use crate::ids::PacketId;
use crate::time::Time;

impl Blame {
    /// A place for what is known of a packet of a class, which has not waited.
    pub(super) fn record_anew(&mut self, id: PacketId, (class, is_victim): (u32, bool), now: Time) {
        while self.records.len() <= id.index() {
            self.records.push(Record::new(class, is_victim, now));
            self.waits.push(Waits::default());
            self.buffers.hold(self.records.len());
        }
        let record = &mut self.records[id.index()];
        if record.has_waited {
            self.waits[id.index()].clear();
        }
        *record = Record::new(class, is_victim, now);
    }

    /// A packet of a traffic class goes along with another: it stands nowhere. Its waits are
    /// charged if those of its carrier are.
    pub(crate) fn rides(&mut self, id: PacketId, carrier: PacketId, class: u32, now: Time) {
        let is_victim = self.records[carrier.index()].is_victim;
        self.record_anew(id, (class, is_victim), now);
    }

    /// A packet that went along with another goes on by itself.
    pub(super) fn parts(&mut self, id: PacketId, carrier: PacketId) {
        let [own, of_carrier] = [id.index(), carrier.index()];
        let class = self.records[own].class;
        let record = self.records[of_carrier].clone();
        if record.has_waited {
            let waits = self.waits[of_carrier].clone();
            self.waits[own] = waits;
        }
        let (asking, unstarted) = (Waiting::NOWHERE, Waiting::NOWHERE);
        self.records[own] = Record { class, asking, unstarted, ..record };
    }
}
