//! Who made whom wait, where packets stand in queues at outgoing channels.
//!
//! A packet waits for those that have the channel, or the wire, before it; in its node first
//! for the messages at the head of the list before it; and, while the channel is idle, for a
//! place in the next queue.

use super::StoredKernel;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;

/// Most queues that are followed to where a wait begins: in a circle it begins nowhere.
const LONGEST: usize = 64;

impl StoredKernel {
    /// A packet that might start on a channel, or be put into its queue, has no place in the
    /// queue of `next`.
    #[inline]
    pub(super) fn observe_place(&self, packet: PacketId, next: ChannelId, act: &mut Act) {
        if let Some(culprit) = self.culprit(next, act) {
            act.observe(Observation::LacksPlace { packet, culprit });
        }
    }

    /// Who is to leave a full queue first, in the end: the class of the packet that is
    /// being sent, or else the first, unless that has itself no place in the next.
    fn culprit(&self, full: ChannelId, act: &Act) -> Option<u32> {
        let blame = act.measures.blame.as_deref()?;
        let mut channel = full;
        for _ in 0..LONGEST {
            if let Some(holder) = blame.holder(channel, act.now) {
                return Some(blame.class(holder));
            }
            let first = self.board.at(channel).queue.first;
            if !first.is_some() {
                return None;
            }
            let next = self.places.as_ref().map_or(ChannelId::NONE, |places| places.next(first));
            let waits = act.packets[first].ready <= act.now && next.is_some();
            if !waits || self.has_room(next, act.now) {
                return Some(blame.class(first));
            }
            channel = next;
        }
        None
    }
}
