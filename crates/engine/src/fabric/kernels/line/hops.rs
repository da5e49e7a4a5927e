//! The recurrence: when a packet starts on the next channel of its way, and what follows from that.

use super::ways::Way;
use super::{LineKernel, is_last, tokens_of};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::timing::Timing;
use crate::ids::PacketId;
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Wait};
use crate::time::{NEVER, Time};

impl LineKernel {
    /// When a packet that asks at `ask` for a channel of its way starts there, as far as its own
    /// message goes, if that is known: all packets before it have started there.
    #[inline]
    pub(super) fn start_from(
        &mut self,
        way: Way,
        place: usize,
        id: PacketId,
        ask: Time,
        act: &Act,
    ) -> Option<Time> {
        let hop = &mut self.ways[way.hop(place)];
        let from = ask.max(hop.free_at);
        match self.capacity {
            Some(capacity) if !is_last(place, way.len()) => {
                Some(from.max(hop.room_from(tokens_of(id, act), capacity)?))
            }
            _ => Some(from),
        }
    }

    /// A packet starts on a channel of its way at `start`, which may still be to come. When it asks for
    /// the next.
    pub(super) fn starts(
        &mut self,
        way: Way,
        place: usize,
        id: PacketId,
        start: Time,
        act: &mut Act,
    ) -> Time {
        let wiring = act.wiring;
        let hop = &mut self.ways[way.hop(place)];
        let (channel, kind) = (hop.channel, hop.kind);
        let timing = &wiring.timings[usize::from(hop.rate)];
        let packet = &mut act.packets[id];
        let (bytes, ready) = (packet.bytes, packet.ready);
        let end = start + timing.packet_ps(bytes);
        hop.sent_at = end;
        // Only frames have a gap.
        hop.free_at = end + timing.gap_ps;
        let until = hop.free_at;
        let first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
        let is_throttling = first_internal || packet.hops == 0;
        if first_internal {
            packet.first_internal = start;
        }
        packet.ready = start + timing.hop_ps;
        if self.gates.is_some() {
            act.observe_at(Observation::Sent { packet: id, channel, ready, start, until }, start);
        }
        let wait = Wait { time: start - ready, is_throttling };
        act.measures.starts(channel, kind, (start, end), wait);
        let used = &mut self.used[channel.index()];
        used.packets += 1;
        used.busy_ps += end - start;
        act.packets.crosses(id, channel, wiring);
        if self.capacity.is_some() {
            let tokens = tokens_of(id, act);
            self.moves_on(way, place, tokens, end);
        }
        if is_last(place, way.len()) {
            Self::arrives(id, timing, (start, end), act);
            return NEVER;
        }
        self.asks_next(way, place, id, (start, end), act)
    }

    /// A packet leaves one buffer with its last token at `end`, and is on its way to the next.
    #[inline]
    fn moves_on(&mut self, way: Way, place: usize, tokens: u32, end: Time) {
        if place > 0 {
            self.ways[way.hop(place - 1)].leave(end);
        }
        if !is_last(place, way.len()) {
            self.ways[way.hop(place)].enter(tokens);
        }
    }

    /// A packet has started on the channel to its destination: its arrival is posted.
    #[inline]
    fn arrives(id: PacketId, timing: &Timing, (start, end): (Time, Time), act: &mut Act) {
        if act.wiring.reports_header(&act.packets[id]) {
            let head = start + timing.header_ps + timing.wire_ps;
            act.events.post(head, Event::Head(id.into()));
        }
        act.events.post(end + timing.wire_ps, Event::Tail(id.into()));
    }

    /// When a packet that has started on a channel asks for the next.
    #[inline]
    fn asks_next(
        &mut self,
        way: Way,
        place: usize,
        id: PacketId,
        (start, end): (Time, Time),
        act: &mut Act,
    ) -> Time {
        let wiring = act.wiring;
        if wiring.goes_on_behind_header() {
            return act.packets[id].ready;
        }
        let [hop, next] = [0, 1].map(|more| &self.ways[way.hop(place + more)]);
        let timing = &wiring.timings[usize::from(hop.rate)];
        let next = &wiring.timings[usize::from(next.rate)];
        let onward = wiring.onward_ps(timing, next, act.packets[id].bytes);
        act.packets[id].ready = start + onward;
        act.packets.goes_on_after(id, onward, wiring);
        let Some(engine) = self.engine else { return start + onward };
        let hop = &mut self.ways[way.hop(place)];
        let there = end + timing.wire_ps;
        let start = hop.engine.max(there);
        hop.engine = start + engine.forwarding_ps;
        let done = hop.engine + engine.delay_ps;
        if self.gates.is_some() {
            let until = done + engine.forwarding_ps;
            act.observe(Observation::Served { packet: id, ready: there, start, done, until });
        }
        done
    }
}
