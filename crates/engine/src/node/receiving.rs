//! How packets arrive, and messages come to be accepted and received.

use super::{Nodes, World};
use crate::event_queue::Subject;
use crate::fabric::Packet;
use crate::ids::{MessageId, ProcessId};
use crate::measure::Class;

impl Nodes {
    /// `HEAD`: the header of a data packet has arrived.
    pub fn head(&mut self, of: Subject, world: &mut World) -> u64 {
        let Some(packet) = world.fabric.arrived_head(of, world.now) else { return 0 };
        let id = packet.message;
        let early = self.packetisation.early_bytes;
        if early == 0 || self.interface.is_some() {
            self.header_arrived(id, world);
        }
        if early > 0 {
            self.messages[id].told_bytes += early;
            self.bytes_there(id, early, world);
        }
        self.go_on(world)
    }

    /// `TAIL`: the last token of a packet has arrived.
    pub fn tail(&mut self, of: Subject, world: &mut World) -> u64 {
        let messages = &self.messages;
        let serial = |packet: &Packet| messages[packet.message].serial;
        let (events, measures) = (&mut *world.events, &mut *world.measures);
        let packet = world.fabric.take_delivered(of, world.now, serial, events, measures);
        let id = packet.message;
        match packet.class {
            Class::Data => {
                if !self.acknowledges || packet.bytes == 0 && self.has_bare_headers {
                    // Its header has not been reported before.
                    self.header_arrived(id, world);
                }
                if let Some(offered) = &mut world.measures.offered {
                    offered.byte_hops += u64::from(packet.bytes) * u64::from(packet.hops);
                }
                self.packet_arrived(id, packet.bytes, world);
            }
            Class::Ack => self.packets_acknowledged(id, 1, world),
        }
        self.go_on(world)
    }

    /// More data bytes of a message are at its destination, if anybody wants to know.
    #[inline]
    fn bytes_there(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        if self.packetisation.early_bytes > 0 {
            self.note_beginning(id, bytes, world);
        }
        if self.interface.is_some() {
            self.read(id, bytes, world);
        }
    }

    #[inline(never)]
    fn note_beginning(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.arrived_bytes += bytes;
        if self.packetisation.begins(message) && !message.has_begun {
            message.has_begun = true;
            world.measures.message_began(world.now - message.sent);
        }
    }

    /// A data packet of a message has been delivered.
    #[inline]
    fn packet_arrived(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.undelivered -= 1;
        // Its first bytes may have been told of before.
        let rest = bytes - self.packetisation.take_told(message, bytes);
        self.bytes_there(id, rest, world);
        let message = &self.messages[id];
        if !message.accepted {
            return;
        }
        if message.has_arrived() {
            self.receive(id, world);
        }
        if !self.acknowledges {
            self.packets_acknowledged(id, 1, world);
        }
    }

    /// The header of a data packet is there: it is acknowledged if its message has been
    /// accepted, or can be now; else it waits for that.
    fn header_arrived(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        if !message.accepted {
            if !world.workload.accepts(message.to, message.tag) {
                if message.unanswered == 0 {
                    self.waiting[message.to.index()].push_back(id);
                }
                message.unanswered += 1;
                return;
            }
            message.accepted = true;
            self.arrives(id);
        }
        self.acknowledge(id, world);
    }

    /// A message begins to arrive at a process from outside.
    #[inline]
    pub(super) fn arrives(&mut self, id: MessageId) {
        let Some(interface) = &mut self.interface else { return };
        if let Some(process) = interface.arrives(id, &self.messages[id]) {
            self.can_go_on(process);
        }
    }

    /// Queues the acknowledgement of one packet of a message.
    fn acknowledge(&mut self, id: MessageId, world: &mut World) {
        if !self.acknowledges {
            return;
        }
        let message = &self.messages[id];
        let packet = Packet::new(Class::Ack, id, message.to_node, message.from_node);
        let class = message.class;
        world.fabric.queue(packet, class, world.now, world.events, world.measures);
    }

    /// Accepts what a process is now ready for.
    pub(super) fn accept_waiting(&mut self, process: ProcessId, world: &mut World) {
        let mut place = 0;
        while let Some(&id) = self.waiting[process.index()].get(place) {
            if !world.workload.accepts(process, self.messages[id].tag) {
                place += 1;
                continue;
            }
            self.waiting[process.index()].remove(place);
            self.accept(id, world);
        }
    }

    /// A message that has waited is accepted: so are all its packets that are there.
    fn accept(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        message.accepted = true;
        let unanswered = std::mem::take(&mut message.unanswered);
        for _ in 0..unanswered {
            self.acknowledge(id, world);
        }
        let message = &self.messages[id];
        let is_direct = message.direct;
        if message.has_arrived() {
            self.receive(id, world);
        }
        if !self.acknowledges && !is_direct {
            self.packets_acknowledged(id, unanswered, world);
        }
    }

    /// A message that was accepted has arrived completely.
    pub(super) fn receive(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        message.received = true;
        world.measures.message_delivered(message.to_node, message.bytes);
        if !message.direct {
            world.measures.message_took(world.now - message.sent);
        }
        let (from, to) = (message.from, message.to);
        world.measures.completes(from, world.now);
        world.measures.completes(to, world.now);
        if let Some(interface) = &mut self.interface
            && let Some(process) = interface.complete(id, message)
        {
            self.can_go_on(process);
        }
        let message = &self.messages[id];
        if world.workload.received(to, message.tag) {
            self.can_go_on(to);
        }
        let message = &self.messages[id];
        if message.direct {
            self.acknowledged(id, world);
        } else if message.acknowledged {
            self.messages.remove(id);
        }
    }
}
