//! Messages to several processes: one for each of them, sent by one instruction.
//!
//! How they get there is the machine's to say ([`crate::spec::Multicast`]): one after the other; passed on
//! by those who have received theirs; or as packets that ride with those of the first as far as
//! their ways are the same, of which switches make copies.

use super::message::Life;
use super::multicasts::{children, parent};
use super::nodes::Nodes;
use super::protocol::Protocol;
use super::world::World;
use crate::ids::{MessageId, PacketId, ProcessId};
use crate::workload::{Send, Several};

impl Nodes {
    /// A process sends a message to several.
    pub(super) fn multicast(&mut self, from: ProcessId, world: &mut World) {
        let Some(Several { to, send }) = world.workload.several(from) else { return };
        let class = self.class_of(from);
        let node = self.placement[from.index()];
        let receiver = |place: usize| ProcessId(send.to.0 + to[place]);
        if !self.multicasts.are_passed_on() && !world.fabric.replicates() {
            for place in 0..to.len() {
                self.send(from, &Send { to: receiver(place), ..send }, class, world);
            }
            return;
        }
        let mut ids = Vec::with_capacity(to.len());
        for place in 0..to.len() {
            let by = match parent(place + 1) {
                0 => node,
                _ if !self.multicasts.are_passed_on() => node,
                above => self.placement[receiver(above - 1).index()],
            };
            let send = Send { to: receiver(place), ..send };
            let id = self.make((from, by), &send, class, world);
            if self.software.prepares(by, self.messages[id].to_node) {
                // That of its process is drawn for it alone, whichever way its message goes.
                let is_own = by == node;
                let software = &mut self.software;
                let start_up =
                    if is_own { software.start_up(from) } else { software.mean_start_up() };
                software.open(id, start_up);
            }
            ids.push(id);
        }
        self.begin_all(&ids, world);
    }

    /// The messages of a multicast, in order of their receivers, begin as far as they may.
    pub(super) fn begin_all(&mut self, ids: &[MessageId], world: &mut World) {
        if self.multicasts.are_passed_on() {
            self.multicasts.note(ids);
            for child in children(0, ids.len() + 1) {
                self.begin(ids[child - 1], world);
            }
            return;
        }
        self.multicasts.count += 1;
        let mut set = Vec::with_capacity(ids.len());
        for &id in ids {
            let message = &self.messages[id];
            let is_alone = message.protocol != Protocol::Unacknowledged
                || message.from_node == message.to_node;
            let to = message.to_node;
            // A network brings one copy to each node.
            if is_alone || !world.fabric.replicates() || !self.multicasts.reaches(to) {
                self.begin(id, world);
            } else {
                set.push(id);
            }
        }
        self.send_together(&set, world);
    }

    /// Messages of one length are sent from their node, each packet with those of the others.
    fn send_together(&mut self, ids: &[MessageId], world: &mut World) {
        let Some((&first, others)) = ids.split_first() else { return };
        loop {
            let carrier = self.admit(first, None, world);
            let mut last = carrier;
            for &id in others {
                last = self.admit(id, Some((carrier, last)), world);
            }
            world.fabric.enter(carrier, world.now, world.events, world.measures);
            if self.messages[first].is_packetised() {
                return;
            }
        }
    }

    /// The next packet of a message is made, and goes along with a carrier behind the last that
    /// does, or is to be one.
    fn admit(
        &mut self,
        id: MessageId,
        with: Option<(PacketId, PacketId)>,
        world: &mut World,
    ) -> PacketId {
        let bytes = self.packetisation.next(&self.messages[id]);
        let message = &mut self.messages[id];
        let is_first = message.life == Life::Pending;
        let packet = message.next_packet(id, bytes, world.fabric);
        let class = message.class;
        let packet = match with {
            None => world.fabric.admit(packet, class, world.now, world.measures),
            Some(with) => world.fabric.ride(packet, class, with, world.now, world.measures),
        };
        if let Some(causes) = &mut world.measures.causes {
            causes.queued(packet, id);
        }
        if is_first && self.is_told_of(id) {
            self.interface.queued(id, packet);
        }
        packet
    }

    /// A message has been received: its receiver passes it on to others, if it is to.
    #[inline]
    pub(super) fn pass_on_copies(&mut self, id: MessageId, world: &mut World) {
        if self.multicasts.behind.get(id.index()).is_none_or(Vec::is_empty) {
            return;
        }
        for next in std::mem::take(&mut self.multicasts.behind[id.index()]) {
            if let Some(causes) = world.measures.causes_of(id) {
                causes.passes_on(next, id);
            }
            self.begin(next, world);
        }
    }
}
