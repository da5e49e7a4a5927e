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
mod carried;
mod cause;
mod cells;
mod circuits;
mod delivery;
mod in_lanes;
mod key;
mod labels;
mod lanes;
mod log;
mod observation;
mod occupancy;
mod queues;
mod record;
mod requests;
mod riding;
mod ring;
mod search;
mod state;
mod sums;
mod tables;
#[cfg(test)]
mod tests;
mod timed;
mod turn;
mod turns;
mod victims;
mod waiters;
mod whole;

pub use batches::{BATCHES, Batches};
pub use cause::{Cause, Charge};
pub use key::{Key, REST};
pub use labels::{Labels, Sender};
pub(crate) use observation::{Observation, Ways};
pub(crate) use occupancy::Occupancy;
pub use occupancy::{Hold, Turns, Waited};
pub(crate) use queues::Queues;
pub(crate) use state::Keeps;
pub use state::{Blame, Charged};
pub use sums::{MOST_KEYS, Sum, Sums};
pub(crate) use tables::FIRST_BATCH;
pub use tables::{Pairs, Tables};
pub use timed::Timed;
pub(crate) use victims::Victims;

use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::packet::Class;
use crate::time::{NEVER, Time};

impl Blame {
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

    /// What a timeline shows of channels; none unless one asks for it.
    pub fn turns<'a>(&'a self, labels: &'a Labels, now: Time) -> Option<Turns<'a>> {
        Some(self.occupancy.as_deref()?.turns(labels, now))
    }
}

impl Blame {
    /// Takes note of what has happened.
    // Every caller names one kind: nothing is left of the match.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn observe(
        &mut self,
        what: Observation,
        now: Time,
        ways: impl Ways + Copy,
        labels: Option<&Labels>,
    ) {
        if self.lanes.are_kept() && self.observe_in_lanes(what, now, &ways) {
            return;
        }
        // In copies, as what is looked at by its address is laid out in memory, whoever wants to know.
        let (what, ways) = (what, ways);
        if self.occupancy.is_some() {
            return self.observe_and_keep(&what, now, &ways, labels);
        }
        self.observe_whole(what, now, &ways);
    }

    /// The same where a timeline shows who held channels when.
    #[cold]
    #[inline(never)]
    fn observe_and_keep(
        &mut self,
        what: &Observation,
        now: Time,
        ways: &impl Ways,
        labels: Option<&Labels>,
    ) {
        if let (Some(occupancy), Some(labels)) = (&mut self.occupancy, labels) {
            let label = |packet: PacketId| self.records[packet.index()].class;
            occupancy.observe(*what, (label, labels), now, ways);
        }
        self.observe_whole(*what, now, ways);
    }

    /// Takes note of what has happened in full.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn observe_whole(&mut self, what: Observation, now: Time, ways: &impl Ways) {
        #[allow(clippy::enum_glob_use, reason = "every kind, and nothing else")]
        use Observation::*;
        match what {
            Asked { packet, .. } if self.is_bystander(packet) => {}
            Asked { packet, queue } => self.asks_for(packet, queue, now),
            Granted { packet, channel } if self.is_bystander(packet) => {
                self.passes(packet, channel, ways.ready(packet), (now, NEVER));
            }
            RunsThrough { packet, channel, until } if self.is_bystander(packet) => {
                self.passes(packet, channel, ways.ready(packet), (now, until));
            }
            Sent { packet, channel, ready, start, until } if self.is_bystander(packet) => {
                self.passes_whole(packet, channel, (ready, now), (start, until));
            }
            Granted { packet, channel } => self.granted(packet, channel, now, ways),
            RunsThrough { packet, channel, until } => {
                self.runs_through(packet, channel, (now, until), ways);
            }
            Started { packet, channel, start } => self.starts(packet, channel, start, ways),
            Sent { packet, channel, ready, start, until } => {
                self.starts_whole(packet, channel, (ready, now), (start, until));
            }
            Kept { .. } | Drained { behind: 0, .. } => {}
            LacksRoom { packet, channel, keeps } => {
                self.lacks_room(packet, channel, keeps, now, ways);
            }
            LacksShare { packet, channel, taker } => {
                self.lacks_share(packet, channel, taker, now, ways);
            }
            LacksPlace { packet, culprit } => self.lacks_place(packet, now, culprit),
            LacksReplyPlace { packet, by } => self.lacks_reply_place(packet, by, now, ways),
            LacksWire { packet, channel, user } => self.lacks_wire(packet, channel, user, now),
            Regranted { packet, channel, asked } => {
                self.is_regranted(packet, channel, asked, now);
            }
            Outdone { packet, granted } => self.outdone(packet, granted, now),
            Left { channel, at } => self.released(channel, at),
            Cleared { buffer, at } => self.cleared(buffer, at),
            Stored { packet, until } => self.stored(packet, (now, until), ways),
            CameForward { packet, channel, is_first } => {
                self.comes_forward(packet, channel, (ways.ready(packet), now), is_first);
            }
            Served { packet, done, until, .. } => self.served(packet, (done, until), ways),
            LinedUp { packet, channel, from } => self.lines_up(packet, channel, from, now),
            HeaderAsks { packet, output } => self.header_asks(packet, output, now),
            Held { packet, channel } => self.holds(packet, channel, now, ways),
            Lost { packet, to } => self.loses(packet, to),
            Drained { packet, behind, .. } => self.drained_late(packet, behind),
            Cell { packet, channel, start, until, since } => {
                self.takes_cell(packet, channel, (start, until), since);
            }
            LastCell { packet, channel, ready, start } => {
                self.last_cell(packet, channel, (ready, start));
            }
            Parted { packet, carrier } => self.parts(packet, carrier),
            TakenOut { packet, buffer, after } => self.taken_out(packet, buffer, after),
        }
    }
}
