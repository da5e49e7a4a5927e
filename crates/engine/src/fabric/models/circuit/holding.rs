//! Channels become part of circuits and fall free.

use super::{CircuitFabric, State};
use crate::event_queue::Event;
use crate::fabric::switch::switchboard::Act;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::{ChannelKind, Measures, Wait};
use crate::time::{NEVER, Time};

impl CircuitFabric {
    /// A message whose header asked gets a free channel.
    pub(super) fn grant(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        if act.measures.blame.is_some() {
            self.blame_grant(channel, id, act);
        }
        let now = act.now;
        let (packet, crossing) = act.packets.with_crossing(id);
        crossing.note(packet, channel, act.wiring);
        let is_first = packet.first_internal == NEVER;
        if is_first {
            packet.first_internal = now;
            packet.first_sent = now - self.passage.arbitration_ps;
        }
        let wait = Wait { time: now - packet.ready, is_throttling: is_first };
        packet.ready = now + self.passage.step_ps(packet.bytes);
        let (ready, destination) = (packet.ready, packet.destination);
        act.measures.waited(channel, wait);
        act.measures.occupies(ChannelKind::Internal, now);
        let circuit = &mut self.circuits[id.index()];
        let record = self.board.at_mut(channel);
        record.take(id, circuit.last, now);
        circuit.last = channel;
        circuit.at = record.port.switch;
        if act.wiring.layout.home(destination) == circuit.at {
            self.send(channel, id, act);
        } else {
            self.ask_from(id, ready, act);
        }
    }

    /// A message does not ask any more where it is; if that was at the head of its node's
    /// list, the next is the head.
    pub(super) fn leave_node(&mut self, id: PacketId, act: &mut Act) {
        let at = self.circuits[id.index()].at;
        self.stop_asking(id, at);
        let node = act.packets[id].source;
        if self.heads[node.index()] == id
            && let Some((queue, _)) = self.board.at_hand(node.0)
        {
            self.heads[node.index()] = PacketId::NONE;
            self.board.take_at_hand(node.0, queue, act);
            self.board.mark(act.wiring.layout.injection_lead(node));
        }
    }

    fn stop_asking(&mut self, id: PacketId, at: SwitchId) {
        let asking = &mut self.asking[at.index()];
        if let Some(place) = asking.iter().position(|&other| other == id) {
            asking.swap_remove(place);
        }
    }

    /// A message has all channels of its way: when its header is there, its data set out.
    fn send(&mut self, last: ChannelId, id: PacketId, act: &mut Act) {
        self.circuits[id.index()].state = State::Sends;
        let (hops, bytes) = (act.packets[id].hops, act.packets[id].bytes);
        let delivered = act.now + self.passage.last_step_ps(hops, bytes);
        let record = self.board.at_mut(last);
        record.port.buffer.push(id, act.packets);
        if let Some(early) = self.passage.early_ps(bytes) {
            record.rest.heading = id;
            act.events.post(delivered - early, Event::Head(last.into()));
        }
        act.events.post(delivered, Event::Tail(last.into()));
    }

    /// A message has been delivered over a channel: all it held fall free.
    pub(super) fn deliver(
        &mut self,
        last: ChannelId,
        now: Time,
        packets: &PacketPool,
        measures: &mut Measures,
    ) {
        let mut channel = last;
        while channel.is_some() {
            let before = self.board.at(channel).before;
            self.release(channel, now, packets, measures);
            channel = before;
        }
    }

    /// The message that holds a channel leaves it, and all it holds beyond it, `to` one that was
    /// created earlier. It asks again where that channel begins.
    #[cold]
    #[inline(never)]
    pub(super) fn lose(&mut self, lost: ChannelId, to: PacketId, act: &mut Act) {
        let id = self.board.at(lost).holder;
        if let Some(blame) = &mut act.measures.blame {
            blame.loses(id, lost, to);
        }
        let circuit = self.circuits[id.index()];
        if circuit.state == State::Asks {
            self.stop_asking(id, circuit.at);
            self.agenda.remove(self.entry(id, act.packets));
        }
        let (mut channel, mut hops) = (circuit.last, 0);
        loop {
            let before = self.board.at(channel).before;
            self.release(channel, act.now, act.packets, act.measures);
            hops += 1;
            let is_last = channel == lost;
            channel = before;
            if is_last {
                break;
            }
        }
        let packet = &mut act.packets[id];
        packet.hops -= hops;
        // What it crosses again has been time in which it waited.
        packet.ready -= self.passage.step_ps(packet.bytes) * Time::from(hops);
        let circuit = &mut self.circuits[id.index()];
        circuit.last = channel;
        circuit.at = self.board.at(lost).from;
        self.ask_from(id, act.now + self.passage.arbitration_ps, act);
    }

    /// A channel falls free: those who may take it, or the other direction of its wire, get a
    /// chance.
    fn release(
        &mut self,
        channel: ChannelId,
        now: Time,
        packets: &PacketPool,
        measures: &mut Measures,
    ) {
        measures.falls_free(ChannelKind::Internal, now);
        if let Some(blame) = &mut measures.blame {
            blame.falls_free(channel, now);
        }
        let record = self.board.at_mut(channel);
        record.leave(now);
        let (from, lead, opposite) = (record.from, record.lead, record.opposite);
        self.call(from, lead, packets);
        if opposite.is_some() {
            let record = self.board.at(opposite);
            let (from, lead) = (record.from, record.lead);
            self.call(from, lead, packets);
        }
    }

    /// Those who ask at a node for a channel of a group, or may do so, get a chance.
    fn call(&mut self, from: SwitchId, lead: ChannelId, packets: &PacketPool) {
        for place in 0..self.asking[from.index()].len() {
            let id = self.asking[from.index()][place];
            if self.chooses || self.circuits[id.index()].lead == lead {
                self.agenda.add(self.entry(id, packets));
            }
        }
    }
}
