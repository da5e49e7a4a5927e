//! Circuits that nobody is in the way of, of channels between nodes and switches too.

use super::{BaselineKernel, Start};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::network::line::Line;
use crate::ids::PacketId;
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Class, Wait};
use crate::time::Time;

impl BaselineKernel {
    /// A packet enters its node's output queue: it starts at once, or when a wire of its node's
    /// link is free of those before it in its message.
    pub(super) fn queue_circuit(&mut self, id: PacketId, act: &mut Act) {
        if act.packets[id].class == Class::Data
            && let Some(following) = &mut self.following
            && !following.is_next(id, act.packets)
        {
            return;
        }
        self.post_circuit(id, act);
    }

    /// A packet that is the next of its message starts when it can.
    fn post_circuit(&mut self, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let wires = usize::from(act.wiring.layout.injection(packet.source).width);
        let mut start = act.now;
        if packet.class == Class::Data
            && let Some(following) = &mut self.following
        {
            start = start.max(following.from(packet.message, wires));
        }
        act.events.post(start, Event::Request(id.into()));
    }

    /// A packet starts: its arrival is posted, and when the next of its message can start.
    pub(super) fn make_circuit(&mut self, id: PacketId, act: &mut Act) {
        let mut line = Line::default();
        let way = self.find_circuit(id, &mut line, act);
        let Some(&last) = way.last() else { return };
        let bytes = act.packets[id].bytes;
        let timing = act.wiring.timing(last.channel);
        let delivered = last.at + act.wiring.completes_ps(&line, last.channel, bytes);
        for &start in &way {
            self.holds(id, start, delivered, act);
        }
        self.starts = way;
        let packet = &mut act.packets[id];
        packet.ready = last.at + timing.hop_ps;
        let (class, message, source) = (packet.class, packet.message, packet.source);
        if act.wiring.reports_header(packet) {
            let head = last.at + timing.header_ps + timing.wire_ps;
            act.events.post(head, Event::Head(id.into()));
        }
        act.events.post(delivered, Event::Tail(id.into()));
        if let Some(first) = self.starts.first() {
            act.leaves(first.channel, id, delivered);
        }
        if class == Class::Data
            && let Some(following) = &mut self.following
        {
            let wires = usize::from(act.wiring.layout.injection(source).width);
            following.send(message, wires, delivered);
            if let Some(next) = following.next(message, act.packets) {
                self.post_circuit(next, act);
            }
        }
    }

    /// The channels that a packet gets, and when.
    fn find_circuit(&mut self, id: PacketId, line: &mut Line, act: &mut Act) -> Vec<Start> {
        let wiring = act.wiring;
        let packet = &mut act.packets[id];
        (packet.queued, packet.first_sent) = (act.now, act.now);
        let channel = wiring.layout.injection_lead(packet.source);
        act.measures.packet_sent(packet.source, packet.class, packet.is_last());
        let mut way = std::mem::take(&mut self.starts);
        way.clear();
        let mut start = Start { channel, ready: act.now, at: act.now };
        loop {
            let packet = act.packets.crosses(id, start.channel, wiring);
            wiring.lengthen(line, start.channel);
            way.push(start);
            let End::Switch(switch) = wiring.layout.group(start.channel).end else { return way };
            let channel = wiring.first_lead(switch, packet.header());
            let ready = start.at + wiring.timing(start.channel).hop_ps;
            start = Start { channel, ready, at: ready };
            if wiring.layout.group(channel).kind == ChannelKind::Internal {
                self.begins_internal(id, &mut start, act);
            }
        }
    }

    /// A packet holds a channel until it has been delivered.
    fn holds(&mut self, id: PacketId, start: Start, delivered: Time, act: &mut Act) {
        let Start { channel, ready, at } = start;
        let kind = act.wiring.layout.group(channel).kind;
        let used = &mut self.used[channel.index()];
        used.packets += 1;
        used.busy_ps += delivered - at;
        let wait = Wait { time: at - ready, is_throttling: true };
        act.measures.starts(channel, kind, (at, delivered), wait);
        let is_first = kind == ChannelKind::Internal && act.packets[id].first_internal == at;
        if !is_first || self.free_at.is_empty() {
            return;
        }
        self.free_at[act.wiring.layout.wire_of[channel.index()].index()] = delivered;
        act.observe(Observation::Sent { packet: id, channel, ready, start: at, until: delivered });
    }
}
