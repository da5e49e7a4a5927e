//! Channels become part of circuits and fall free.

use super::nodes::is_of_node;
use super::open::Open;
use super::{CircuitKernel, State};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::line::Line;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Wait};
use crate::time::{NEVER, Time};

impl CircuitKernel {
    /// A packet whose header asked, or that leaves its node, gets a channel.
    pub(super) fn grant(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let now = act.now;
        let (kind, to) = (self.board.at(channel).port.kind, self.board.at(channel).port.switch);
        if let Some(open) = &mut self.open
            && kind == ChannelKind::Internal
        {
            let wire = act.wiring.layout.wire_of[channel.index()];
            open.take((id, act.packets[id].message), (channel, wire), now);
        } else {
            act.observe(Observation::Held { packet: id, channel });
            let circuit = &mut self.circuits[id.index()];
            self.board.at_mut(channel).take(id, circuit.last, now);
            circuit.last = channel;
        }
        self.circuits[id.index()].at = to;
        self.note_grant(channel, kind, id, act);
        let is_last = match self.integrated_timing {
            Some(_) => act.wiring.layout.home(act.packets[id].destination) == to,
            None => !to.is_some(),
        };
        if is_last {
            self.send(channel, id, act);
        } else {
            self.ask_from(id, act.packets[id].ready, act);
        }
    }

    /// What is recorded of a packet that gets a channel now.
    #[inline]
    fn note_grant(&self, channel: ChannelId, kind: ChannelKind, id: PacketId, act: &mut Act) {
        let now = act.now;
        let packet = act.packets.crosses(id, channel, act.wiring);
        let is_first = packet.first_sent == NEVER;
        if is_first {
            packet.first_sent = now - self.arbitration_ps();
        }
        let is_first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
        if is_first_internal {
            packet.first_internal = now;
        }
        let is_throttling = is_first || is_first_internal;
        let wait = Wait { time: now - packet.ready, is_throttling };
        packet.ready = now + act.wiring.timing(channel).hop_ps;
        act.measures.waited(channel, wait);
        act.measures.occupies(kind, now);
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

    /// How long after it asks a packet can be granted a channel.
    fn arbitration_ps(&self) -> Time {
        self.integrated_timing.map_or(0, |timing| timing.arbitration_ps)
    }

    fn stop_asking(&mut self, id: PacketId, at: SwitchId) {
        let asking = &mut self.asking[at.index()];
        if let Some(place) = asking.iter().position(|&other| other == id) {
            asking.swap_remove(place);
        }
    }

    /// A packet has all channels of its way: when its header is there, its data set out.
    fn send(&mut self, last: ChannelId, id: PacketId, act: &mut Act) {
        self.circuits[id.index()].state = State::Sends;
        let bytes = act.packets[id].bytes;
        let line = self.line(last, id, act.wiring);
        let delivered = act.now + act.wiring.completes_ps(&line, last, bytes);
        let record = self.board.at_mut(last);
        record.port.buffer.push(id, act.packets);
        if let Some(early) = self.integrated_timing.and_then(|timing| timing.early_ps(bytes)) {
            record.rest.heading = id;
            act.events.post(delivered - early, Event::Head(last.into()));
        }
        let timing = act.wiring.timing(last);
        self.board.post_header(last, id, act.now + timing.header_ps + timing.wire_ps, act);
        act.events.post(delivered, Event::Tail(last.into()));
        // Its channels are held until then.
        if act.packets.tells_departures() {
            act.leaves(self.first_of(last), id, delivered);
        }
    }

    /// The first channel of the chain that ends with `last`.
    fn first_of(&self, last: ChannelId) -> ChannelId {
        let mut first = last;
        while self.board.at(first).before.is_some() {
            first = self.board.at(first).before;
        }
        first
    }

    /// The channels of a packet's circuit, of which it holds `last`.
    fn line(&self, last: ChannelId, id: PacketId, wiring: &Wiring) -> Line {
        let mut line = Line::default();
        let mut channel = last;
        while channel.is_some() {
            wiring.lengthen(&mut line, channel);
            channel = self.board.at(channel).before;
        }
        let open = self.open.iter().flat_map(|open| open.way(id));
        open.for_each(|channel| wiring.lengthen(&mut line, channel));
        line
    }

    /// A packet has been delivered over a channel: all it held fall free.
    pub(super) fn deliver(&mut self, last: ChannelId, id: PacketId, act: &mut Act) {
        let mut channel = last;
        while channel.is_some() {
            let before = self.board.at(channel).before;
            self.release(channel, act);
            channel = before;
        }
        let (of, wire_of) = ((id, act.packets[id].message), &act.wiring.layout.wire_of);
        let left = |open: &mut Open| open.leave(of, wire_of, act.now);
        while let Some(channel) = self.open.as_mut().and_then(left) {
            act.measures.falls_free(ChannelKind::Internal, act.now);
            self.call_for(channel, act.packets);
        }
    }

    /// The message that holds a channel leaves it, and all it holds beyond it, `to` one that was
    /// created earlier. It asks again where that channel begins.
    #[cold]
    #[inline(never)]
    pub(super) fn lose(&mut self, lost: ChannelId, to: PacketId, act: &mut Act) {
        let id = self.board.at(lost).holder;
        act.observe(Observation::Lost { packet: id, to });
        let circuit = self.circuits[id.index()];
        if circuit.state == State::Asks {
            self.stop_asking(id, circuit.at);
            self.agenda.remove(self.entry(id, act.packets));
        }
        let (mut channel, mut hops) = (circuit.last, 0);
        loop {
            let before = self.board.at(channel).before;
            self.release(channel, act);
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
        packet.ready -= act.wiring.link.hop_ps * Time::from(hops);
        let circuit = &mut self.circuits[id.index()];
        circuit.last = channel;
        circuit.at = self.board.at(lost).from;
        self.ask_from(id, act.now + self.arbitration_ps(), act);
    }

    /// A channel falls free: those who may take it, or the other direction of its wire, get a
    /// chance.
    fn release(&mut self, channel: ChannelId, act: &mut Act) {
        let (now, kind) = (act.now, self.board.at(channel).port.kind);
        act.measures.falls_free(kind, now);
        act.observe(Observation::Left { channel, at: now });
        self.board.at_mut(channel).leave(now);
        if is_of_node(kind) {
            return self.board.mark(self.board.at(channel).lead);
        }
        self.call_for(channel, act.packets);
    }

    /// Those who ask for a channel, or the other direction of its wire, or may do so, get a chance.
    fn call_for(&mut self, channel: ChannelId, packets: &PacketPool) {
        let opposite = self.board.at(channel).opposite;
        for channel in [channel, opposite].into_iter().filter(|channel| channel.is_some()) {
            let record = self.board.at(channel);
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
