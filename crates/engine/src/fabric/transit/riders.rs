//! Packets of one multicast that cross the network as one, as long as their ways are the same.
//!
//! Such a *set* has one packet for each destination. One of them, the *carrier*, stands in
//! queues, asks for channels and is sent; the others are its *riders* and have no place of their
//! own. Where their ways part the riders are parted by output, and the first to each output carries
//! the others that go there. A packet without riders is a packet like any other.

use super::{Packet, PacketPool};
use crate::ids::PacketId;

/// Who rides behind whom. Empty where nobody does.
#[derive(Default)]
pub(super) struct Riders {
    /// By packet: the next of its set, or none.
    next: Vec<PacketId>,
}

impl Riders {
    #[inline]
    fn behind(&self, id: PacketId) -> PacketId {
        self.next.get(id.index()).copied().unwrap_or(PacketId::NONE)
    }

    fn follow(&mut self, id: PacketId, next: PacketId) {
        if self.next.len() <= id.index() {
            self.next.resize(id.index() + 1, PacketId::NONE);
        }
        self.next[id.index()] = next;
    }
}

/// Those of a set that leave by one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<K> {
    /// The output.
    pub output: K,
    /// Who carries the others.
    pub carrier: PacketId,
    /// The last of them.
    last: PacketId,
}

impl PacketPool {
    /// A packet joins the riders of another, behind `last`, who was the last of that set.
    pub fn rides(&mut self, last: PacketId, rider: PacketId) {
        self.riders.follow(last, rider);
        self.riders.follow(rider, PacketId::NONE);
    }

    /// Whether a packet carries others.
    #[inline]
    pub fn has_riders(&self, carrier: PacketId) -> bool {
        self.riders.behind(carrier).is_some()
    }

    /// The packets that one carries, in the order of their destinations in the list.
    pub fn riders(&self, carrier: PacketId) -> impl Iterator<Item = PacketId> + '_ {
        let behind = |id: PacketId| Some(self.riders.behind(id)).filter(|id| id.is_some());
        std::iter::successors(behind(carrier), move |&id| behind(id))
    }

    /// Takes the first rider off a carrier: where a set is lost, packet by packet.
    pub fn take_rider(&mut self, carrier: PacketId) -> Option<PacketId> {
        let rider = Some(self.riders.behind(carrier)).filter(|rider| rider.is_some())?;
        let next = self.riders.behind(rider);
        self.riders.follow(carrier, next);
        self.riders.follow(rider, PacketId::NONE);
        Some(rider)
    }

    /// Parts a set by output, behind what `parts` has already; in the order in which outputs are
    /// first gone to, so the carrier's own is the first. New carriers have come as far as the
    /// old one. Takes the time of (packets) x (outputs), and allocates only as `parts` grows.
    pub fn part<K: Copy + PartialEq>(
        &mut self,
        carrier: PacketId,
        parts: &mut Vec<Part<K>>,
        mut output: impl FnMut(&Packet) -> K,
    ) {
        let base = parts.len();
        let mut next = carrier;
        while next.is_some() {
            let id = next;
            next = self.riders.behind(id);
            let output = output(&self.packets[id]);
            if let Some(part) = parts[base..].iter_mut().find(|part| part.output == output) {
                self.riders.follow(part.last, id);
                part.last = id;
            } else {
                if id != carrier {
                    self.comes_as_far(id, carrier);
                }
                parts.push(Part { output, carrier: id, last: id });
            }
            if next.is_some() {
                self.riders.follow(id, PacketId::NONE);
            }
        }
    }

    /// A rider has come as far as who carried it.
    fn comes_as_far(&mut self, id: PacketId, carrier: PacketId) {
        let Packet { queued, first_sent, first_internal, ready, hops, .. } = self.packets[carrier];
        let packet = &mut self.packets[id];
        (packet.queued, packet.first_sent, packet.first_internal) =
            (queued, first_sent, first_internal);
        (packet.ready, packet.hops) = (ready, hops);
        if let Some(&undisturbed) = self.undisturbed.get(carrier.index()) {
            if self.undisturbed.len() <= id.index() {
                self.undisturbed.resize(id.index() + 1, undisturbed);
            }
            self.undisturbed[id.index()] = undisturbed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MessageId, NodeId};
    use crate::measure::Class;

    /// A set of packets from node 0 to these nodes.
    fn set(pool: &mut PacketPool, to: &[u32]) -> Vec<PacketId> {
        let packet = |&to: &u32| Packet::new(Class::Data, MessageId(to), NodeId(0), NodeId(to));
        let ids: Vec<_> = to.iter().map(|to| pool.insert(packet(to))).collect();
        ids.windows(2).for_each(|pair| pool.rides(pair[0], pair[1]));
        ids
    }

    fn destinations(pool: &PacketPool, carrier: PacketId) -> Vec<u32> {
        let all = std::iter::once(carrier).chain(pool.riders(carrier));
        all.map(|id| pool[id].destination.0).collect()
    }

    #[test]
    fn riders_are_parted_by_output_in_order() {
        let mut pool = PacketPool::new(9);
        let ids = set(&mut pool, &[5, 2, 7, 4, 1]);
        assert!(pool.has_riders(ids[0]));
        pool[ids[0]].hops = 3;
        pool[ids[0]].queued = 70;
        let mut parts = vec![];
        pool.part(ids[0], &mut parts, |packet| packet.destination.0 % 2);
        let found: Vec<_> =
            parts.iter().map(|part| (part.output, destinations(&pool, part.carrier))).collect();
        assert_eq!(found, [(1, vec![5, 7, 1]), (0, vec![2, 4])]);
        assert_eq!(parts[0].carrier, ids[0]);
        assert_eq!((pool[ids[1]].hops, pool[ids[1]].queued), (3, 70));
        // Who still rides has come nowhere by itself.
        assert_eq!(pool[ids[3]].hops, 0);
    }

    #[test]
    fn a_set_parts_again_until_everybody_is_alone() {
        let mut pool = PacketPool::new(9);
        let ids = set(&mut pool, &[0, 1, 2, 3]);
        let mut parts = vec![];
        pool.part(ids[0], &mut parts, |packet| packet.destination.0 / 2);
        let halves = std::mem::take(&mut parts);
        for half in &halves {
            pool.part(half.carrier, &mut parts, |packet| packet.destination.0);
        }
        let carriers: Vec<_> = parts.iter().map(|part| part.carrier).collect();
        assert_eq!(carriers, ids);
        assert!(ids.iter().all(|&id| !pool.has_riders(id)));
    }

    #[test]
    fn a_packet_alone_is_its_own_part_and_a_set_can_be_taken_apart() {
        let mut pool = PacketPool::new(9);
        let alone = set(&mut pool, &[8]);
        let mut parts = vec![];
        pool.part(alone[0], &mut parts, |packet| packet.destination);
        assert_eq!((parts.len(), parts[0].carrier), (1, alone[0]));
        let ids = set(&mut pool, &[1, 2, 3]);
        let mut taken = vec![];
        while let Some(rider) = pool.take_rider(ids[0]) {
            taken.push(rider);
        }
        assert_eq!(taken, ids[1..]);
        assert!(!pool.has_riders(ids[0]) && !pool.has_riders(ids[1]));
    }
}
