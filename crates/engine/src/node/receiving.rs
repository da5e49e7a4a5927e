//! How packets arrive, and messages come to be accepted and received.

use super::interface::Interface;
use super::message::Life;
use super::message::Message;
use super::nodes::Nodes;
use super::protocol::Protocol;
use super::world::World;
use crate::event_queue::Subject;
use crate::fabric::Packet;
use crate::ids::{MessageId, ProcessId};
use crate::measure::traffic::Labelled;
use crate::measure::{Class, Measures, MessageRow};
use crate::rare::rare;

impl Nodes {
    /// `HEAD`: the header of a data packet has arrived, or where packets stream its first data.
    pub fn head(&mut self, of: Subject, world: &mut World) -> u64 {
        let Some((packet, &Packet { message: id, .. })) = world.fabric.arrived_head(of, world.now)
        else {
            return 0;
        };
        let Measures { causes, labels, late, .. } = &mut *world.measures;
        if let Some(causes) = rare(causes) {
            causes.header(packet, id, world.now, (late.as_deref_mut(), labels.as_deref()));
        }
        match self.messages[id].protocol {
            Protocol::Acknowledged => {
                self.header_arrived(id, world);
            }
            Protocol::Streaming => self.first_data_arrived(id, world),
            Protocol::Unacknowledged | Protocol::Direct => {
                debug_assert!(false, "a header that nobody asked for");
            }
        }
        world.lets_go();
        self.go_on(world)
    }

    /// `TAIL`: the last token of a packet has arrived.
    pub fn tail(&mut self, of: Subject, world: &mut World) -> u64 {
        let messages = &self.messages;
        let serial = |packet: &Packet| messages[packet.message].serial;
        let (events, measures) = (&mut *world.events, &mut *world.measures);
        let packet = world.fabric.take_delivered(of, world.now, serial, events, measures);
        match packet.class {
            Class::Data => self.packet_arrived(&packet, world),
            Class::Ack => self.packets_acknowledged(packet.message, 1, world),
        }
        world.lets_go();
        self.go_on(world)
    }

    /// A data packet has been delivered.
    #[inline]
    fn packet_arrived(&mut self, packet: &Packet, world: &mut World) {
        if let Some(offered) = rare(&mut world.measures.offered) {
            offered.byte_hops += u64::from(packet.bytes) * u64::from(packet.hops);
        }
        let id = packet.message;
        let is_acknowledged = self.messages[id].protocol == Protocol::Acknowledged;
        if is_acknowledged && !world.fabric.wiring().reports_header(packet) {
            self.header_arrived(id, world);
        }
        if self.software.serves() {
            return self.packet_comes_in(packet, world);
        }
        self.packet_taken(id, packet.bytes, world);
    }

    /// A data packet of a message, of so many bytes, is at its destination for good.
    #[inline]
    pub(super) fn packet_taken(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.undelivered -= 1;
        let protocol = message.protocol;
        if message.has_arrived() {
            let message = *message;
            if world.measures.message_arrived(id, world.now) {
                self.arrived.push(message);
            }
        }
        let is_accepted = match protocol {
            Protocol::Acknowledged => message.life != Life::Offered,
            Protocol::Unacknowledged | Protocol::Streaming | Protocol::Direct => {
                self.offer(id, world)
            }
        };
        if protocol == Protocol::Streaming && !self.software.serves() {
            let told = self.packetisation.take_told(&mut self.messages[id], bytes);
            self.data_arrived(id, bytes - told, world);
        } else if self.is_told_of(id) {
            self.read(id, bytes, world);
        }
        if is_accepted {
            self.packets_accepted(id, 1, world);
        } else if world.measures.keeps_all_causes()
            && let Some(causes) = world.measures.causes_of(id)
        {
            causes.waits(id);
        }
    }

    /// The first data bytes of a packet are there, before the others.
    fn first_data_arrived(&mut self, id: MessageId, world: &mut World) {
        let early = self.packetisation.early_bytes;
        if self.software.serves() {
            // Software sees packets that are there as a whole.
            self.messages[id].told_bytes += early;
            return self.may_begin(id, early, world);
        }
        if self.is_told_of(id) {
            // Who is written outside may read them.
            self.offer(id, world);
        }
        self.messages[id].told_bytes += early;
        self.data_arrived(id, early, world);
    }

    /// More data bytes of a message that streams are at its destination.
    #[inline(never)]
    fn data_arrived(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        self.may_begin(id, bytes, world);
        if self.is_told_of(id) {
            self.read(id, bytes, world);
        }
    }

    /// With so many bytes more, a message may have begun to arrive.
    pub(super) fn may_begin(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        if self.packetisation.begins(message, bytes) {
            world.measures.message_began(message.to_node, world.now - message.sent);
        }
    }

    /// The header of a data packet is there: it is acknowledged if its message is accepted;
    /// whether it is.
    fn header_arrived(&mut self, id: MessageId, world: &mut World) -> bool {
        let is_accepted = self.offer(id, world);
        if is_accepted {
            self.acknowledge(id, world);
        }
        is_accepted
    }

    /// A packet of a message is there: whether the message has been accepted, or is now. Else
    /// the packet is unanswered until it is.
    pub(super) fn offer(&mut self, id: MessageId, world: &mut World) -> bool {
        let message = &mut self.messages[id];
        if message.life != Life::Offered {
            return true;
        }
        // Nodes always accept messages of collectives.
        if !message.team.is_some() && !world.workload.accepts(message.to, message.tag) {
            if message.unanswered == 0 {
                self.waiting[message.to.index()].push_back(id);
            }
            message.unanswered += 1;
            return false;
        }
        message.advance(Life::Accepted);
        self.tell(id, world, Interface::arrives);
        true
    }

    /// Queues the acknowledgement of one packet of a message.
    fn acknowledge(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        let packet = message.next_acknowledgement(id, world.fabric);
        let class = message.class;
        let packet = world.fabric.queue(packet, class, world.now, world.events, world.measures);
        if let Some(causes) = world.measures.causes_of(id) {
            causes.acknowledges(packet, id);
        }
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
        message.advance(Life::Accepted);
        let count = std::mem::take(&mut message.unanswered);
        let is_acknowledged = message.protocol == Protocol::Acknowledged;
        if let Some(causes) = rare(&mut world.measures.causes) {
            causes.accepts(id, world.now);
        }
        if is_acknowledged {
            for _ in 0..count {
                self.acknowledge(id, world);
            }
        }
        self.packets_accepted(id, count, world);
        world.lets_go();
    }

    /// So many packets of an accepted message are there, or their headers; without
    /// acknowledgements their sender knows.
    #[inline]
    pub(super) fn packets_accepted(&mut self, id: MessageId, count: u32, world: &mut World) {
        let message = &self.messages[id];
        let protocol = message.protocol;
        if message.has_arrived() {
            self.receive(id, world);
        }
        if protocol != Protocol::Acknowledged {
            self.packets_acknowledged(id, count, world);
        }
    }

    /// Keeps the row of a message that has been received, where they are kept.
    #[inline]
    fn keep_row(&self, id: MessageId, world: &mut World) {
        let Some(rows) = rare(&mut world.measures.messages) else { return };
        let message = &self.messages[id];
        let &Message { serial: number, tag, bytes, sent, .. } = message;
        let received = world.now;
        // What is no packets comes at once.
        let is_packets = message.protocol != Protocol::Direct;
        let arrived = if is_packets { rows.arrived(id) } else { sent };
        let home = self.placement[message.from.index()];
        let (from, to) = ((message.from, home), (message.to, message.to_node));
        rows.add(MessageRow { number, from, to, tag, bytes, sent, arrived, received });
    }

    /// A message that was accepted has arrived completely.
    fn receive(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        message.advance(Life::Received);
        let Message { from, to, tag, life, team, .. } = *message;
        world.fabric.received(id, message.to_node);
        world.measures.message_delivered(message.to_node, message.bytes);
        let latency = world.now - message.sent;
        if self.software.serves() {
            self.software.took(id, latency, message, world);
        } else if message.protocol != Protocol::Direct {
            world.measures.message_took(message.to_node, latency);
        }
        if let Some(traffic) = rare(&mut world.measures.traffic) {
            let is_local = message.from_node == message.to_node;
            let labelled = Labelled { class: message.traffic, number: tag, is_local };
            traffic.received(labelled, (message.bytes, latency), world.now);
        }
        self.keep_row(id, world);
        world.measures.completes(from, world.now);
        world.measures.completes(to, world.now);
        self.tell(id, world, Interface::complete);
        let goes_on = if team.is_some() {
            world.workload.received_of(team, to, tag)
        } else {
            world.workload.received(to, tag)
        };
        let Measures { causes, labels, late, .. } = &mut *world.measures;
        if let Some(causes) = rare(causes) {
            let measured = (late.as_deref_mut(), labels.as_deref());
            causes.received(id, goes_on, world.now, measured);
        }
        self.pass_on_copies(id, world);
        if goes_on {
            self.can_go_on(to);
        }
        if life == Life::Complete {
            self.closes(id, world);
        }
    }
}
