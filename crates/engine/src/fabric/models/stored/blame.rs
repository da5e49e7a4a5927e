//! Who made whom wait, where packets stand in queues at outgoing channels.
//!
//! A packet waits for those that have the channel, or the wire, before it; in its node first
//! for the messages at the head of the list before it; and, while the channel is idle, for a
//! place in the next queue.

use super::StoredFabric;
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::{Cause, Root, Since};
use crate::time::Time;

/// Most queues that are followed to the root of a wait: a circle has none.
const LONGEST: usize = 64;

/// A packet joins the queue of a channel: from when it is ready those that come later are
/// granted the channel while it waits.
#[cold]
#[inline(never)]
pub fn joins(id: PacketId, act: &mut Act) {
    let from = act.packets[id].ready.max(act.now);
    if let Some(blame) = &mut act.measures.blame {
        blame.lines_up(id, from);
    }
}

impl StoredFabric {
    /// The message that begins with a packet leaves the head of its node's list for the
    /// injector of a channel.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_message(
        &self,
        at: ChannelId,
        (node, id): (NodeId, PacketId),
        act: &mut Act,
    ) {
        let eldest = self.board.eldest(node, act.packets).map(|next| act.packets[next].ready);
        let behind = eldest.min().unwrap_or(act.now);
        let list = act.wiring.layout.injection_lead(node);
        let span = (act.packets[id].ready, act.now);
        if let Some(blame) = &mut act.measures.blame {
            blame.heads_list(id, (list, at), span, behind);
        }
    }

    /// A packet that might start on a channel, or be put into its queue, has no place in the
    /// queue of `next`.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_no_place(&self, id: PacketId, next: ChannelId, act: &mut Act) {
        let root = self.root(next, act);
        if let Some(blame) = &mut act.measures.blame
            && let Some(root) = root
            && !blame.lacks_room(id)
        {
            blame.stalls(id, act.now, Cause::BufferFull, root);
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

    /// A packet that has left the queue of a channel is sent, until `end`.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_start(&self, at: ChannelId, id: PacketId, end: Time, act: &mut Act) {
        let waits = self.sharing(at).map(|channel| self.waits_since(channel, act));
        let asked = waits.min().unwrap_or(act.now);
        let (ready, is_first) = (act.packets[id].ready, act.packets[id].hops == 0);
        if let Some(blame) = &mut act.measures.blame {
            // What it waited before its message was the first has been charged.
            let ready = if is_first { ready.max(blame.asked(id)) } else { ready };
            let since = Since { ready, asked, behind: act.now };
            blame.starts_whole(id, at, (act.now, end), since);
        }
    }

    /// Since when any packet has waited for a channel, whether in its queue or not.
    fn waits_since(&self, at: ChannelId, act: &Act) -> Time {
        let channel = self.board.at(at);
        let some = |id: PacketId| id.is_some().then_some(id);
        let next = |&id: &PacketId| some(act.packets[id].next);
        let in_queue = std::iter::successors(some(channel.queue.first), next);
        // Where queues have no bounds they are in order.
        let most = if self.places.is_some() { usize::MAX } else { 1 };
        let own = self.board.at_hand(channel.from.0).map(|(_, id)| id);
        let waiting = in_queue.take(most).chain(some(channel.injecting.first)).chain(own);
        waiting.map(|id| act.packets[id].ready).min().unwrap_or(act.now)
    }
}
