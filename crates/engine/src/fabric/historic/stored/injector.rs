//! How a node's own messages get into the queues of its channels.
//!
//! Where queues have no bounds they join them at once. Else the message at the head of the
//! node's list waits until the injector of its channel is free, has it until all its packets
//! that stand there one behind the other have got into the queue, and the next message is the
//! head meanwhile.

use super::StoredKernel;
use crate::fabric::act::Act;
use crate::fabric::transit::PacketFifo;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::Observation;
use crate::time::Time;

impl StoredKernel {
    /// Every node moves its own messages as far as it can.
    pub(super) fn move_messages(&mut self, act: &mut Act) {
        let mut sources = std::mem::take(&mut self.sources);
        for node in sources.drain(..) {
            while let Some((queue, id)) = self.board.at_hand(node.0) {
                if self.places.is_none() {
                    self.join_local(node, queue, act);
                    continue;
                }
                let Some(channel) = self.free_injector(node, id, act) else { break };
                self.give_injector(channel, (node, queue), act);
            }
        }
        self.sources = sources;
    }

    /// The message at a node's hand joins the queue of its channel.
    fn join_local(&mut self, node: NodeId, queue: usize, act: &mut Act) {
        let id = self.board.draw_at_hand(node.0, queue, act.packets);
        act.packets[id].ready += self.arbitration_ps;
        let channel = self.shortest(act.wiring.layout.home(node), id, act);
        self.board.at_mut(channel).take_place(false);
        self.join(channel, id, act);
    }

    /// The channel whose injector the message at a node's hand gets, if it is free: where it
    /// has a choice, of those with a free injector the one with the fewest packets in its
    /// queue, of equals the lowest.
    fn free_injector(&mut self, node: NodeId, id: PacketId, act: &Act) -> Option<ChannelId> {
        let (switch, header) = (act.wiring.layout.home(node), act.packets[id].header());
        let is_free = |lead: &ChannelId| !self.board.at(*lead).injects();
        if !act.wiring.routing.chooses() {
            return Some(act.wiring.first_lead(switch, header)).filter(is_free);
        }
        let leads = act.wiring.leads(switch, header, &mut self.outputs).map(|(lead, _)| lead);
        let length = |lead: &ChannelId| (self.board.at(*lead).taken_at(act.now), *lead);
        leads.filter(is_free).min_by_key(length)
    }

    /// The message at a node's hand gets the injector of a channel.
    fn give_injector(&mut self, at: ChannelId, (node, queue): (NodeId, usize), act: &mut Act) {
        let Some(places) = &mut self.places else { return };
        let mut message = PacketFifo::EMPTY;
        let mut before = PacketId::NONE;
        loop {
            let id = self.board.draw_at_hand(node.0, queue, act.packets);
            act.packets[id].ready += self.arbitration_ps;
            let is_first = !before.is_some();
            act.observe(Observation::CameForward { packet: id, channel: at, is_first });
            places.note_follower(id, PacketId::NONE);
            if before.is_some() {
                places.note_follower(before, id);
            }
            message.push(id, act.packets);
            before = id;
            let next = self.board.at_hand(node.0).map(|(_, next)| act.packets[next].message);
            if self.board.takes_turns() || next != Some(act.packets[id].message) {
                break;
            }
        }
        let is_contrary = self.is_contrary(at, before, act);
        self.board.at_mut(at).inject(message, is_contrary);
        self.injector_looks(at);
    }

    /// The injector of a channel is to ask for a place.
    pub(super) fn injector_looks(&mut self, at: ChannelId) {
        if let Some(places) = &mut self.places
            && self.board.at_mut(at).look()
        {
            places.look(at);
        }
    }

    /// The next packet of the message that has an injector takes the place it has been given.
    pub(super) fn inject(&mut self, at: ChannelId, act: &mut Act) {
        let channel = self.board.at_mut(at);
        let id = channel.injecting.pop(act.packets);
        let (goes_on, node) = (channel.injects(), channel.from);
        self.join(at, id, act);
        if goes_on {
            self.injector_looks(at);
        } else if self.board.at_hand(node.0).is_some() {
            self.board.mark(act.wiring.layout.injection_lead(node));
        }
    }

    /// Whether a packet that stands in the queue of a channel is to leave its own node by
    /// another than that of dimension order.
    #[inline]
    pub(super) fn is_contrary(&self, at: ChannelId, id: PacketId, act: &Act) -> bool {
        let packet = &act.packets[id];
        self.places.is_some()
            && packet.hops == 0
            && act.wiring.routing.chooses()
            && at != act.wiring.first_lead(act.wiring.layout.home(packet.source), packet.header())
    }

    /// A packet has started on its first channel, and will have been sent at `end`: the one
    /// of its message behind it is thought to be queued so that it can follow.
    pub(super) fn follow(&mut self, id: PacketId, end: Time, act: &mut Act) {
        let Some(places) = &mut self.places else { return };
        let follower = places.take_follower(id);
        if follower.is_some() {
            let packet = &mut act.packets[follower];
            packet.ready = packet.ready.max(end);
            packet.queued = packet.ready - self.arbitration_ps;
        }
    }
}
