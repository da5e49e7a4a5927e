//! The way of a packet without contention where nodes and switches are one.

use super::BaselineKernel;
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::integrated::IntegratedTiming;
use crate::fabric::network::layout::End;
use crate::fabric::network::timing::Running;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Wait};
use crate::routing::Header;
use crate::spec::Switching;
use crate::time::Time;

/// When a packet that nobody hinders comes how far, from its start on its first channel.
#[derive(Clone)]
struct Pace {
    /// It starts on the last channel.
    last_start: Time,
    /// From there until it could ask for another.
    last_hop: Time,
    /// Its message has begun to arrive.
    begun: Time,
    /// All of it is there.
    delivered: Time,
}

impl BaselineKernel {
    /// Sends a packet the instant it is queued and posts its arrival; one that follows
    /// others of its message, when the one before has been sent.
    pub(super) fn pass(
        &mut self,
        id: PacketId,
        integrated_timing: &IntegratedTiming,
        act: &mut Act,
    ) {
        let (bytes, message) = (act.packets[id].bytes, act.packets[id].message);
        self.find_way(act.wiring, act.packets[id].header());
        let steps = self.way.len() as u16;
        let mut ready = act.now + integrated_timing.arbitration_ps;
        if let Some(following) = &mut self.following {
            ready = ready.max(following.from(message, 1));
        }
        let group = act.wiring.layout.group(self.way[0]);
        let (first, start) = self.turn(group, ready, &act.wiring.layout);
        self.way[0] = first;
        let pace = self.pace(act.wiring, integrated_timing, bytes);
        let delivered = start + pace.delivered;
        let is_held = integrated_timing.switching == Switching::Circuit;
        let mut running = Running::default();
        let mut at = 0;
        let mut first_end = start;
        for place in 0..usize::from(steps) {
            let channel = self.way[place];
            let timing = act.wiring.timing(channel);
            let sent = act.wiring.undisturbed(bytes, at, timing, &mut running);
            let (begin, end) = (start + at, if is_held { delivered } else { start + sent });
            if place == 0 {
                first_end = end;
                self.note_start(id, (first, ready), (start, end), integrated_timing, act);
                act.leaves(first, id, end);
            }
            let wait = if place == 0 { start - ready } else { 0 };
            let wait = Wait { time: wait, is_throttling: true };
            act.measures.starts(channel, ChannelKind::Internal, (begin, end), wait);
            self.used[channel.index()].packets += 1;
            self.used[channel.index()].busy_ps += end - begin;
            at += if integrated_timing.is_wormhole() {
                timing.hop_ps
            } else {
                integrated_timing.step_ps(bytes)
            };
            act.packets.crosses(id, channel, act.wiring);
        }
        let wire = act.wiring.layout.wire_of[first.index()].index();
        if let Some(free_at) = self.free_at.get_mut(wire) {
            *free_at = first_end;
        }
        if let Some(following) = &mut self.following {
            following.send(message, 1, first_end);
        }
        if integrated_timing.early_ps(bytes).is_some() {
            act.events.post(start + pace.begun, Event::Head(id.into()));
        }
        act.packets[id].ready = start + pace.last_start + pace.last_hop;
        act.events.post(delivered, Event::Tail(id.into()));
    }

    /// When a packet comes how far, from its start on the first channel of its way.
    fn pace(&self, wiring: &Wiring, integrated_timing: &IntegratedTiming, bytes: u32) -> Pace {
        let steps = self.way.len() as u16;
        let last_hop = wiring.timing(self.way[self.way.len() - 1]).hop_ps;
        if wiring.is_even() || !integrated_timing.is_wormhole() {
            let last_start = integrated_timing.step_ps(bytes) * u64::from(steps - 1);
            let delivered = last_start + integrated_timing.last_step_ps(steps, bytes);
            let begun = delivered - integrated_timing.early_ps(bytes).unwrap_or(0);
            return Pace { last_start, last_hop, begun, delivered };
        }
        let (mut all, mut early, mut at) = (Running::default(), Running::default(), 0);
        let mut pace = Pace { last_start: 0, last_hop, begun: 0, delivered: 0 };
        for &channel in &self.way {
            let timing = wiring.timing(channel);
            let wanted = timing.header_flits + timing.data_flits(integrated_timing.early_bytes);
            pace.last_start = at;
            pace.delivered = all.cross(at, timing, timing.packet_flits(bytes)) + timing.wire_ps;
            // One flit more than is wanted, so that the last of those is none that is shorter.
            early.cross(at, timing, wanted + 1);
            pace.begun = early.body_is_there();
            at += timing.hop_ps;
        }
        pace
    }

    /// What is kept of a packet that could start on a channel when it was ready, and occupies it
    /// from `start` to `end`.
    fn note_start(
        &self,
        id: PacketId,
        (channel, ready): (ChannelId, Time),
        (start, end): (Time, Time),
        integrated_timing: &IntegratedTiming,
        act: &mut Act,
    ) {
        let packet = &mut act.packets[id];
        packet.queued = ready - integrated_timing.arbitration_ps;
        packet.first_sent = start - integrated_timing.arbitration_ps;
        packet.first_internal = start;
        act.measures.packet_sent(packet.source, packet.class, packet.is_last());
        if !self.free_at.is_empty() {
            act.observe(Observation::Sent { packet: id, channel, ready, start, until: end });
        }
    }

    /// The leads of the groups that a packet takes.
    fn find_way(&mut self, wiring: &Wiring, header: Header) {
        self.way.clear();
        let mut switch = wiring.layout.home(header.source);
        loop {
            let lead = wiring.first_lead(switch, header);
            match wiring.layout.group(lead).end {
                End::Switch(next) => switch = next,
                End::Node(_) => return,
            }
            self.way.push(lead);
        }
    }
}
