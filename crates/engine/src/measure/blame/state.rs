//! What is kept of everything on its way.

use super::buffers::Buffers;
use super::carried::Carried;
use super::cause::Charge;
use super::lanes::{Lanes, Side};
use super::log::Log;
use super::occupancy::Occupancy;
use super::queues::Queues;
use super::record::{Record, Waits};
use super::tables::Tables;
use super::victims::Victims;
use super::waiters::Places;
use crate::ids::{ChannelId, PacketId};
use crate::measure::packet::PacketRow;
use crate::time::{NEVER, Time};

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
}

/// Who made whom wait.
pub struct Blame {
    pub(super) records: Vec<Record>,
    /// By packet, as `records`.
    pub(super) waits: Vec<Waits>,
    /// By channel (where whole packets share a wire: by wire): who held it.
    pub(super) holders: Vec<Log>,
    /// By channel: who was at the front of the buffer at its end.
    pub(super) fronts: Vec<Log>,
    /// The latest of both, where that nearly always is all that is needed.
    pub(super) lanes: Lanes,
    pub(super) queues: Queues,
    /// Of whom there are charges.
    pub(super) victims: Victims,
    /// By channel, or wire: the queues of those who may want it.
    pub(super) ends: Vec<[ChannelId; 2]>,
    /// By queue: those that have asked for a channel.
    pub(super) asking: Places,
    /// By buffer: those that have left its front and have not started; by list: those in it.
    pub(super) unstarted: Places,
    /// Turns that ended before are forgotten, if nobody can ask for them: all, or none.
    pub(super) forgets: Time,
    /// Who stands in buffers, where there are any.
    pub(super) buffers: Buffers,
    /// By channel, or wire, where frames are cut into cells: whose cells it has carried.
    pub(super) cells: Vec<Carried>,
    /// By lead: the packet granted that waits for room and keeps the others waiting, where the model does
    /// not tell that.
    pub(super) keepers: Vec<PacketId>,
    /// Since when the packet that is sent next has kept others waiting, if it has.
    pub(super) kept_since: Time,
    /// By node with a receive FIFO: the traffic class of the packet drained last.
    pub(super) drained: Vec<u32>,
    /// The tables of the window.
    pub tables: Tables,
    /// Charges packet by packet since they were last taken, if recorded.
    pub packets: Option<Vec<Charged>>,
    /// Who held channels when, if a timeline shows that.
    pub(crate) occupancy: Option<Box<Occupancy>>,
    pub(super) interval: Time,
}

impl Blame {
    /// Nothing has happened yet; the first batches are as long as `interval`.
    pub(crate) fn new(queues: Queues, interval: Time, keeps: Keeps, victims: Victims) -> Self {
        let all = queues.of.len();
        let in_lanes = queues.are_in_order && !victims.are_all();
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
            occupancy: None,
            interval,
        }
    }

    /// A new measurement window begins. What packets on their way have been charged stays.
    pub(crate) fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval, &self.victims);
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
}
