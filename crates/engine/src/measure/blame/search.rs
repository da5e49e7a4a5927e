//! Who is waited for in the end, where packets wait for each other.
//!
//! A packet that waits is followed to the one it waits for: the one that holds the channel
//! it asks for, leaves or heads the buffer it stands in, or fills the buffer it needs room
//! in; and so on to one that does not wait itself.

use super::lanes::Side;
use super::observation::Ways;
use super::record::Record;
use super::state::Blame;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// Most packets that are followed: a circle has no last.
const LONGEST: usize = 64;

/// A packet in the way, and the channel it is to leave.
type Step = (PacketId, ChannelId);

/// The instant at which it is looked for who is waited for.
pub struct Search<'a, W> {
    pub blame: &'a Blame,
    pub ways: &'a W,
    pub now: Time,
}

impl<W: Ways> Search<'_, W> {
    /// The last of those that are waited for, of whom the first is in the way.
    pub fn last(&self, mut at: Step) -> PacketId {
        for _ in 0..LONGEST {
            match self.waits_for(at.0) {
                Some(next) if next.0 != at.0 => at = next,
                _ => break,
            }
        }
        at.0
    }

    /// The packet that another waits for, if it waits.
    fn waits_for(&self, id: PacketId) -> Option<Step> {
        let Standing { head, start, is_stored } = self.blame.standing(id);
        if !head.is_some() {
            // It is in its node.
            return None;
        }
        if start > self.now {
            return self.fills(head, id);
        }
        if !self.ways.goes_on(head) || is_stored || self.ways.ready(id) > self.now {
            return None;
        }
        let leaver = self.leaver(head);
        if leaver.is_some() {
            return leaver;
        }
        let first = self.first(head);
        if first != id {
            return first.is_some().then_some((first, head));
        }
        self.holds(self.ways.output(id, head), id)
    }

    /// The packet that keeps another from being granted a group, or from its room.
    fn holds(&self, lead: ChannelId, id: PacketId) -> Option<Step> {
        if let Some(holder) = self.blame.holder(lead, self.now) {
            return Some((holder, lead));
        }
        match self.keeper(lead) {
            keeper if keeper == id => self.fills(lead, id),
            keeper => keeper.is_some().then_some((keeper, lead)),
        }
    }

    /// The packet granted that waits for room and keeps the others waiting, or none.
    fn keeper(&self, lead: ChannelId) -> PacketId {
        let Blame { lanes, keepers, .. } = self.blame;
        if lanes.are_kept() {
            self.ways.keeper(lead).unwrap_or(PacketId::NONE)
        } else {
            keepers[lead.index()]
        }
    }

    /// The packet to wait for where there is no room in the buffer at a channel's end: the
    /// one that leaves it, else its first, unless that is `id` itself.
    pub fn fills(&self, channel: ChannelId, id: PacketId) -> Option<Step> {
        let first = self.first(channel);
        let first = (first.is_some() && first != id).then_some((first, channel));
        self.leaver(channel).or(first)
    }

    /// The first packet in the buffer at a channel's end, or none.
    fn first(&self, channel: ChannelId) -> PacketId {
        let Blame { lanes, buffers, .. } = self.blame;
        let first = self.ways.first(channel);
        debug_assert!(first.is_some() || !lanes.are_kept(), "nobody keeps account of buffers");
        first.unwrap_or_else(|| buffers.first(channel))
    }

    /// The packet that leaves the buffer at a channel's end, if any, and by which channel.
    fn leaver(&self, buffer: ChannelId) -> Option<Step> {
        let Blame { lanes, fronts, .. } = self.blame;
        let log = &fronts[buffer.index()];
        let turn = if lanes.are_kept() {
            lanes.holder(buffer, Side::Front, log, self.now)?
        } else {
            *log.holder(self.now)?
        };
        Some((turn.packet, turn.channel))
    }
}

/// Where a packet stands.
struct Standing {
    /// The channel it was granted last, or none.
    head: ChannelId,
    /// When it started there, or will.
    start: Time,
    /// Whether it has left its buffer for its switch's own queue.
    is_stored: bool,
}

impl Blame {
    fn standing(&self, id: PacketId) -> Standing {
        if self.lanes.are_kept() {
            let start = if self.lanes.has_start(id) { self.records[id.index()].start } else { 0 };
            return Standing { head: self.lanes.head(id), start, is_stored: false };
        }
        let &Record { head, start, is_stored, .. } = &self.records[id.index()];
        Standing { head, start, is_stored }
    }
}
