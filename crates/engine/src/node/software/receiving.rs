//! Packets are taken in one after another.

use crate::fabric::Packet;
use crate::node::desks::cpu::Arrived;
use crate::node::nodes::Nodes;
use crate::node::protocol::Protocol;
use crate::node::world::World;

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
        if let Some(causes) = world.measures.causes_of(id) {
            causes.comes_in(node, takes);
        }
        let cpu = &mut self.software.desks[node.index()].cpu;
        cpu.is_to_receive(Arrived { message: id, bytes, takes });
        self.serve(node, world);
    }
}
