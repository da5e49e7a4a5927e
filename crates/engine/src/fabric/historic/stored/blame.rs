//! Who made whom wait, where packets stand in queues at outgoing channels.
//!
//! A packet waits for those that have the channel, or the wire, before it; in its node first
//! for the messages at the head of the list before it; and, while the channel is idle, for a
//! place in the next queue.

use super::StoredKernel;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Observation, Root};

/// Most queues that are followed to the root of a wait: a circle has none.
const LONGEST: usize = 64;

impl StoredKernel {
    /// A packet that might start on a channel, or be put into its queue, has no place in the
    /// queue of `next`.
    #[inline]
    pub(super) fn observe_place(&self, packet: PacketId, next: ChannelId, act: &mut Act) {
        if let Some(root) = self.root(next, act) {
            act.observe(Observation::LacksPlace { packet, root });
        }
    }

    /// Who is to leave a full queue first, in the end, and by which channel: the packet that is
    /// being sent, or else the first, unless that has itself no place in the next.
    fn root(&self, full: ChannelId, act: &Act) -> Option<Root> {
        let blame = act.measures.blame.as_deref()?;
        let mut channel = full;
        for _ in 0..LONGEST {
            if let Some(holder) = blame.holder(channel, act.now) {
                return Some(Root { class: blame.class(holder), channel });
            }
            let first = self.board.at(channel).queue.first;
            if !first.is_some() {
                return None;
            }
            let next = self.places.as_ref().map_or(ChannelId::NONE, |places| places.next(first));
            let waits = act.packets[first].ready <= act.now && next.is_some();
            if !waits || self.has_room(next, act.now) {
                return Some(Root { class: blame.class(first), channel });
            }
            channel = next;
        }
        None
    }
}
