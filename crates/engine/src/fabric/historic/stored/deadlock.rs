//! Whether packets that need places can still move, and who waits for whom if not.

use super::StoredKernel;
use crate::error::{Blocked, Lack};
use crate::fabric::deadlock;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

impl StoredKernel {
    /// The packets that wait in a circle, each for a place in the queue of the next; empty if
    /// every packet can move.
    ///
    /// A queue *drains* if a place of it will be left: it has one, or a packet is being sent or
    /// on its way to an empty queue, or one that may go is delivered at the end of the channel
    /// or needs a place in a queue that drains.
    pub(super) fn circle(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let channels = 0..self.board.channels.len();
        let waits: Vec<Vec<(PacketId, ChannelId)>> = channels
            .map(|at| if self.moves(at, now) { Vec::new() } else { self.may_go(at, packets) })
            .collect();
        let targets: Vec<Vec<ChannelId>> =
            waits.iter().map(|waits| waits.iter().map(|&(_, next)| next).collect()).collect();
        let takes = |_, next: ChannelId| !next.is_some() || self.has_room(next, now);
        let circle = deadlock::find_circle(&targets, takes);
        let place = |channel| wiring.layout.place(channel);
        let blocked = |(at, next): (usize, ChannelId)| {
            let waits = waits[at].iter().find(|&&(_, other)| other == next);
            let packet = &packets[waits.map_or(PacketId::NONE, |&(id, _)| id)];
            Blocked {
                packet: packet.serial,
                source: packet.source.0,
                destination: packet.destination.0,
                holds: vec![place(ChannelId::from_index(at))],
                waits_for: place(next),
                held_by: None,
                lack: Lack::Channel,
                traffic: packet.traffic(),
                class: None,
            }
        };
        circle.into_iter().map(blocked).collect()
    }

    /// Whether a packet leaves a channel's queue in any case, or comes to it and may.
    fn moves(&self, at: usize, now: Time) -> bool {
        let channel = &self.board.channels[at];
        channel.free_at > now || !channel.queue.first.is_some()
    }

    /// The packets of a queue that may be sent next, and where they need a place.
    fn may_go(&self, at: usize, packets: &PacketPool) -> Vec<(PacketId, ChannelId)> {
        let Some(places) = &self.places else { return Vec::new() };
        let some = |id: PacketId| id.is_some().then_some(id);
        let first = some(self.board.channels[at].queue.first);
        let queue = std::iter::successors(first, |&id| some(packets[id].next));
        let may_go = if places.overtaking { usize::MAX } else { 1 };
        queue.take(may_go).map(|id| (id, places.next(id))).collect()
    }
}
