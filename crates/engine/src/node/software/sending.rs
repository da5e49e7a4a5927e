//! Messages are prepared one after another, and packet by packet; the network interface sends
//! what has been prepared.

use crate::event_queue::Event;
use crate::fabric::Packet;
use crate::ids::{MessageId, NodeId};
use crate::measure::Measures;
use crate::node::desks::outlet::{Stage, State};
use crate::node::interface::Interface;
use crate::node::message::Life;
use crate::node::nodes::Nodes;
use crate::node::protocol::Protocol;
use crate::node::world::World;
use crate::time::Time;

impl Nodes {
    /// A message is to be sent, or to go on, by the software of its node: when its turn comes.
    pub(in crate::node) fn enlist(&mut self, id: MessageId, world: &mut World) {
        let node = self.messages[id].from_node;
        let is_new = self.messages[id].life == Life::Pending;
        let ticket = self.software.ticket(id);
        if !is_new && !ticket.is_aside {
            return;
        }
        if std::mem::take(&mut ticket.is_aside) {
            ticket.parts.throttling += world.now - ticket.since;
            if let Some(causes) = world.measures.causes_of(id) {
                causes.resumes(id);
            }
        }
        let desk = &mut self.software.desks[node.index()];
        desk.queue.push_back(id);
        if desk.stage == Stage::Free {
            self.prepare(node, world);
        }
    }

    /// The stage of a node's message in hand is over: what follows.
    pub(super) fn prepare(&mut self, node: NodeId, world: &mut World) {
        loop {
            let stage = self.software.desks[node.index()].stage;
            let (next, takes) = match stage {
                Stage::Free => match self.software.desks[node.index()].queue.pop_front() {
                    None => return,
                    Some(id) => {
                        let ticket = &mut self.software.tickets[id.index()];
                        (Stage::Begins(id), std::mem::take(&mut ticket.start_up))
                    }
                },
                Stage::Begins(id) if self.stands_aside(id, world.now) => (Stage::Free, 0),
                Stage::Begins(id) => (Stage::Packet(id), self.packet_takes(id)),
                Stage::Packet(id) => self.packet_is_ready(node, id, world),
                Stage::Leaves(_) | Stage::LastLeaves if !self.software.may_prepare(node) => {
                    return;
                }
                Stage::Leaves(id) if self.software.takes_turns => {
                    self.software.desks[node.index()].queue.push_back(id);
                    (Stage::Free, 0)
                }
                Stage::Leaves(id) => (Stage::Begins(id), 0),
                Stage::LastLeaves => (Stage::Ends, self.software.costs.send.after_ps),
                Stage::Ends => (Stage::Free, 0),
            };
            if let (Some(causes), Stage::Begins(id) | Stage::Packet(id)) =
                (&mut world.measures.causes, next)
            {
                causes.prepares(node, id, takes);
            }
            let desk = &mut self.software.desks[node.index()];
            desk.stage = next;
            // What costs nothing is no job: it waits for nobody.
            if takes > 0 {
                desk.cpu.is_to_send(takes);
                return self.serve(node, world);
            }
        }
    }

    /// Whether a message has to let others go before it, until more packets of it may be in
    /// flight or more of its bytes are at hand.
    fn stands_aside(&mut self, id: MessageId, now: Time) -> bool {
        let message = &self.messages[id];
        let bytes = self.packetisation.next(message);
        let waits = message.in_flight >= self.packetisation.window
            || self.is_told_of(id) && self.is_short(id, bytes);
        if waits {
            let ticket = self.software.ticket(id);
            (ticket.is_aside, ticket.since) = (true, now);
        }
        waits
    }

    /// What the next packet of a message costs its sender.
    fn packet_takes(&self, id: MessageId) -> Time {
        let message = &self.messages[id];
        let bytes = self.packetisation.next(message);
        self.software.packet_takes(&self.software.costs.send, message, bytes)
    }

    /// A packet has been prepared: it is sent as soon as it may.
    fn packet_is_ready(&mut self, node: NodeId, id: MessageId, world: &mut World) -> (Stage, Time) {
        let bytes = self.packetisation.next(&self.messages[id]);
        let message = &mut self.messages[id];
        let is_first = message.life == Life::Pending;
        let packet = message.next_packet(id, bytes, world.fabric);
        let class = message.class;
        self.software.ticket(id).made += 1;
        if let Some(causes) = &mut world.measures.causes {
            causes.is_ready(node, id, world.now);
        }
        self.software.desks[node.index()].outlet.ready.push_back((packet, class, is_first));
        self.hand_over(node, world);
        (if packet.is_last() { Stage::LastLeaves } else { Stage::Leaves(id) }, 0)
    }

    /// The network interface sends what it may.
    fn hand_over(&mut self, node: NodeId, world: &mut World) {
        loop {
            let outlet = &mut self.software.desks[node.index()].outlet;
            if outlet.state != State::Clear {
                return;
            }
            let Some((packet, class, is_first)) = outlet.ready.pop_front() else { return };
            let (id, is_last, bytes) = (packet.message, packet.is_last(), packet.bytes);
            if self.messages[id].protocol == Protocol::Direct {
                self.clears_after(node, (world.now, bytes), world);
                self.crosses_at_once(&packet, is_first, world);
                continue;
            }
            if self.software.costs.follows_packets() {
                let outlet = &mut self.software.desks[node.index()].outlet;
                outlet.state = State::Leaving { message: id, is_last, bytes, since: world.now };
            }
            self.software.ticket(id).handed = world.now;
            let (now, events, measures) = (world.now, &mut *world.events, &mut *world.measures);
            let number = world.fabric.queue(packet, class, now, events, measures);
            let Measures { causes, labels, .. } = &mut *world.measures;
            if let Some(causes) = causes {
                let lead = world.fabric.wiring().layout.injection_lead(node);
                causes.handed(number, (node, id), lead, now, labels.as_deref());
            }
            if is_first && self.is_told_of(id) {
                self.interface.queued(id, number);
                self.interface.watch_again(self.messages[id].from);
            }
        }
    }

    /// A packet has started at an instant: the next may after an interval.
    fn clears_after(&mut self, node: NodeId, (start, bytes): (Time, u32), world: &mut World) {
        let next = start + self.software.costs.interval(bytes);
        let is_later = next > world.now;
        let outlet = &mut self.software.desks[node.index()].outlet;
        outlet.state = if is_later { State::Until(next) } else { State::Clear };
        if is_later {
            world.events.post(next, Event::Interface(node));
        }
    }

    /// A packet of a message that needs no network is at its destination.
    fn crosses_at_once(&mut self, packet: &Packet, is_first: bool, world: &mut World) {
        let id = packet.message;
        if let Some(causes) = &mut world.measures.causes {
            let lead = world.fabric.wiring().layout.injection_lead(packet.source);
            causes.crosses((packet.source, id), lead, world.now);
        }
        if packet.is_last() {
            world.measures.message_sent_directly(packet.source, false);
        }
        if is_first {
            self.tell(id, world, Interface::departs);
        }
        self.packet_comes_in(packet, world);
    }

    /// `INTERFACE`: the packet that leaves a node has left it, or the next may start.
    pub fn interface_goes_on(&mut self, node: NodeId, world: &mut World) -> u64 {
        match self.software.desks[node.index()].outlet.state {
            State::Leaving { message, is_last, bytes, since } => {
                // The next packet of its message waits for it, unless that is prepared meanwhile.
                if !is_last && !self.software.costs.overlap {
                    let wiring = world.fabric.wiring();
                    let lead = wiring.layout.injection_lead(node);
                    let (took, alone) = (world.now - since, wiring.timing(lead).packet_ps(bytes));
                    let parts = &mut self.software.ticket(message).parts;
                    parts.wire += took.min(alone);
                    parts.throttling += took.saturating_sub(alone);
                    if let Some(causes) = &mut world.measures.causes {
                        causes.has_left(message, since, world.now);
                    }
                }
                let start = world.fabric.packets().departed(node);
                self.clears_after(node, (start, bytes), world);
            }
            State::Until(_) | State::Clear => {
                self.software.desks[node.index()].outlet.state = State::Clear;
            }
        }
        self.hand_over(node, world);
        let stage = self.software.desks[node.index()].stage;
        if matches!(stage, Stage::Leaves(_) | Stage::LastLeaves) {
            self.prepare(node, world);
        }
        self.go_on(world)
    }
}
