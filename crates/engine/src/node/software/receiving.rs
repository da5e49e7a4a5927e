//! Packets are taken in one after another.

use super::cpu::Arrived;
use crate::fabric::Packet;
use crate::measure::Parts;
use crate::node::protocol::Protocol;
use crate::node::{Nodes, World};
use crate::time::{NEVER, Time};

impl Nodes {
    /// A data packet has arrived: it is there for good when the CPU has taken it in.
    pub(in crate::node) fn packet_comes_in(&mut self, packet: &Packet, world: &mut World) {
        let (id, bytes) = (packet.message, packet.bytes);
        if self.messages[id].protocol == Protocol::Streaming {
            let told = self.packetisation.take_told(&mut self.messages[id], bytes);
            self.may_begin(id, bytes - told, world);
        }
        let message = &self.messages[id];
        let (node, is_packetised) = (message.to_node, message.is_packetised());
        let costs = self.software.costs.receive;
        let mut takes = self.software.packet_takes(&costs, message, bytes);
        let delivered = world.measures.software.as_ref().map(|software| software.delivered);
        let ticket = self.software.ticket(id);
        if ticket.arrived == 0 {
            takes += costs.before_ps;
        }
        ticket.arrived += 1;
        if packet.is_last() {
            ticket.last_delivered(packet, delivered.unwrap_or_default(), world.now);
        }
        if is_packetised && ticket.arrived == ticket.made {
            takes += costs.after_ps;
            // Others may have been overtaken by the last.
            ticket.parts.wire += world.now - ticket.delivered;
        }
        // What costs nothing is no job: it waits for nobody.
        if takes == 0 {
            return self.packet_taken(id, bytes, world);
        }
        if let Some(causes) = &mut world.measures.causes {
            causes.comes_in(node, takes);
        }
        let cpu = &mut self.software.desks[node.index()].cpu;
        cpu.is_to_receive(Arrived { message: id, bytes, takes });
        self.serve(node, world);
    }
}

impl super::Ticket {
    /// The last packet of the message is there, whose lifetime consists of this.
    fn last_delivered(&mut self, packet: &Packet, parts: Parts, now: Time) {
        self.delivered = now;
        if packet.first_sent == NEVER {
            // It has not been in any network.
            return;
        }
        self.parts.wire += parts.wire + packet.queued.saturating_sub(self.handed);
        self.parts.throttling += parts.throttling;
        self.parts.contention += parts.contention;
    }
}
