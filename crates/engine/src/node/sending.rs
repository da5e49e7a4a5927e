//! How messages go out, packet by packet, and come to be acknowledged.
//!
//! Of one message no more packets than its window are *in flight*: queued, and neither
//! acknowledged nor, where nodes do not acknowledge, delivered and accepted. Whatever of the
//! window opens is used at once.

use super::interface::Interface;
use super::message::Life;
use super::message::Message;
use super::nodes::Nodes;
use super::protocol::Protocol;
use super::world::{World, fast_forward};
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::measure::Measures;
use crate::measure::causes::Opened;
use crate::measure::traffic::Labelled;
use crate::rare::rare;
use crate::workload::Send;

impl Nodes {
    /// A process sends a message of a traffic class.
    pub(super) fn send(&mut self, from: ProcessId, send: &Send, class: u32, world: &mut World) {
        let node = self.placement[from.index()];
        let id = self.make((from, node), send, class, world);
        if self.software.prepares(node, self.messages[id].to_node) {
            let start_up = self.software.start_up(from);
            self.software.open(id, start_up);
        }
        if send.link.is_some() {
            let link = &mut self.links[send.link.index()];
            link.push_back(id);
            if link.len() > 1 {
                return;
            }
        }
        self.begin(id, world);
    }

    /// A message of a process, sent now from a node, that has not begun.
    #[inline]
    pub(super) fn make(
        &mut self,
        (from, node): (ProcessId, NodeId),
        send: &Send,
        class: u32,
        world: &mut World,
    ) -> MessageId {
        let to = (self.placement[send.to.index()], class);
        if let Some(offered) = rare(&mut world.measures.offered) {
            offered.last_sent = world.now;
        }
        if let Some(traffic) = rare(&mut world.measures.traffic) {
            let is_local = node == to.0;
            let labelled = Labelled { class: send.traffic, number: send.tag, is_local };
            traffic.sent(labelled, world.now);
        }
        let by = (self.protocol_between(node, to.0), world.now);
        let origin = self.origins.next(from, self.packetisation.packets(send.bytes));
        let message = |serial| Message::new((serial, origin), (from, node), send, to, by);
        let id = self.messages.insert(message);
        self.opens(id, world);
        id
    }

    /// A message is sent: its packets are of the class of its number, where that is asked for.
    #[inline]
    pub(super) fn opens(&mut self, id: MessageId, world: &mut World) {
        let Measures { causes, labels, .. } = &mut *world.measures;
        let Some(causes) = rare(causes) else { return };
        let message = &mut self.messages[id];
        let &mut Message { serial: number, from, to, bytes, tag, class, .. } = message;
        let call = world.workload.call_of(from);
        let opened = Opened { number, from, to, bytes, tag, class, call };
        message.class = causes.opens(id, &opened, world.now, labels.as_deref_mut());
    }

    /// A message is over.
    #[inline]
    pub(super) fn closes(&mut self, id: MessageId, world: &mut World) {
        if let Some(causes) = rare(&mut world.measures.causes) {
            causes.closes(id);
        }
        self.messages.remove(id);
    }

    /// A message is the first of its virtual link: it goes out.
    pub(super) fn begin(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        if self.software.prepares(message.from_node, message.to_node) {
            return self.enlist(id, world);
        }
        if message.protocol != Protocol::Direct {
            self.send_packets(id, world);
            return;
        }
        let is_local = message.from_node == message.to_node;
        world.measures.message_sent_directly(message.from_node, is_local);
        // As if it were one packet that is there at once.
        message.advance(Life::Offered);
        message.unsent = 0;
        message.in_flight = 1;
        if self.offer(id, world) {
            self.packets_accepted(id, 1, world);
        } else if world.measures.keeps_all_causes()
            && let Some(causes) = world.measures.causes_of(id)
        {
            causes.waits(id);
        }
    }

    /// Queues what packets of a message its window has room for.
    #[inline]
    pub(super) fn send_packets(&mut self, id: MessageId, world: &mut World) {
        if self.software.serves() {
            return self.enlist(id, world);
        }
        loop {
            let is_sent = self.send_packet(id, world);
            let message = &self.messages[id];
            if !is_sent || message.is_packetised() || message.in_flight >= self.packetisation.window
            {
                return;
            }
        }
    }

    /// Queues the next packet of a message, unless its bytes are not at hand.
    #[inline]
    fn send_packet(&mut self, id: MessageId, world: &mut World) -> bool {
        let bytes = self.packetisation.next(&self.messages[id]);
        if self.is_told_of(id) && self.is_short(id, bytes) {
            return false;
        }
        let message = &mut self.messages[id];
        let is_first = message.life == Life::Pending;
        let packet = message.next_packet(id, bytes, world.fabric);
        let class = message.class;
        let packet = world.fabric.queue(packet, class, world.now, world.events, world.measures);
        if let Some(causes) = rare(&mut world.measures.causes) {
            causes.queued(packet, id);
        }
        if is_first && self.is_told_of(id) {
            self.interface.queued(id, packet);
        }
        true
    }

    /// So many packets of a message have been acknowledged: others may be in flight instead.
    #[inline]
    pub(super) fn packets_acknowledged(&mut self, id: MessageId, count: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.in_flight -= count;
        if !message.is_packetised() {
            if let Some(causes) = world.measures.causes_of(id)
                && !self.software.serves()
            {
                causes.resumes(id);
            }
            self.send_packets(id, world);
        } else if message.in_flight == 0 {
            self.acknowledged(id, world);
        }
    }

    /// All packets of a message have been acknowledged.
    fn acknowledged(&mut self, id: MessageId, world: &mut World) {
        let (workload, cpu) = (&mut *world.workload, &mut world.measures.cpu);
        self.processors.wake(self.messages[id].from_node, world.now, world.events, |p, times| {
            fast_forward(workload, cpu, p, times)
        });
        let message = &mut self.messages[id];
        message.advance(Life::Acknowledged);
        let Message { from, tag, blocking, link, team, .. } = *message;
        let is_complete = message.life == Life::Complete;
        world.measures.message_acknowledged(message.from_node);
        if link.is_some() {
            let link = &mut self.links[link.index()];
            link.pop_front();
            if let Some(&next) = link.front() {
                if let Some(causes) = world.measures.causes_of(id) {
                    causes.passes_on(next, id);
                }
                self.begin(next, world);
            }
        }
        let goes_on = if team.is_some() {
            world.workload.acknowledged_of_collective(from)
        } else {
            world.workload.acknowledged(from, tag, blocking)
        };
        if goes_on {
            if let Some(causes) = world.measures.causes_of(id) {
                causes.goes_on(from, id, world.now);
            }
            self.can_go_on(from);
        } else if world.measures.keeps_all_causes()
            && (team.is_some() || world.workload.waits_for_all(from))
            && let Some(causes) = world.measures.causes_of(id)
        {
            causes.acknowledged_early(from, id, world.now);
        }
        self.tell(id, world, Interface::acknowledged);
        if is_complete {
            self.closes(id, world);
        }
    }
}
