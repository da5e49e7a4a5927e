//! The way of a packet without contention where nodes and switches are one.

use super::ContentionFree;
use crate::event_queue::Event;
use crate::fabric::integrated::Passage;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Wait};
use crate::routing::Header;
use crate::spec::Switching;
use crate::time::Time;

impl ContentionFree {
    /// Sends a packet the instant it is queued and posts its arrival; one that follows
    /// others of its message, when the one before has been sent.
    pub(super) fn pass(&mut self, id: PacketId, passage: &Passage, act: &mut Act) {
        let (bytes, message) = (act.packets[id].bytes, act.packets[id].message);
        self.find_way(act.wiring, act.packets[id].header());
        let steps = self.way.len() as u16;
        let mut ready = act.now + passage.arbitration_ps;
        if let Some(following) = &mut self.following {
            ready = ready.max(following.from(message, 1));
        }
        let group = act.wiring.layout.group(self.way[0]);
        let (first, start) = self.turn(group, ready, &act.wiring.layout);
        let before = passage.step_ps(bytes) * u64::from(steps - 1);
        let delivered = start + before + passage.last_step_ps(steps, bytes);
        let is_held = passage.switching == Switching::Circuit;
        let takes = act.wiring.link.packet_ps(bytes);
        let first_end = if is_held { delivered } else { start + takes };
        self.note_start(id, (first, ready), (start, first_end), passage, act);
        for place in 0..usize::from(steps) {
            let channel = if place == 0 { first } else { self.way[place] };
            let start = start + passage.step_ps(bytes) * place as u64;
            let end = if is_held { delivered } else { start + takes };
            let wait = if place == 0 { start - ready } else { 0 };
            let wait = Wait { time: wait, is_throttling: true };
            act.measures.starts(channel, ChannelKind::Internal, (start, end), wait);
            self.used[channel.index()].packets += 1;
            self.used[channel.index()].busy_ps += end - start;
            let (packet, crossing) = act.packets.with_crossing(id);
            crossing.note(packet, channel, act.wiring);
        }
        let wire = act.wiring.layout.wire_of[first.index()].index();
        if let Some(free_at) = self.free_at.get_mut(wire) {
            *free_at = first_end;
        }
        if let Some(following) = &mut self.following {
            following.send(message, 1, first_end);
        }
        if let Some(early) = passage.early_ps(bytes) {
            act.events.post(delivered - early, Event::Head(id.into()));
        }
        act.packets[id].ready = start + before + act.wiring.link.hop_ps;
        act.events.post(delivered, Event::Tail(id.into()));
    }

    /// What is kept of a packet that could start on a channel when it was ready, and occupies it
    /// from `start` to `end`.
    fn note_start(
        &self,
        id: PacketId,
        (channel, ready): (ChannelId, Time),
        (start, end): (Time, Time),
        passage: &Passage,
        act: &mut Act,
    ) {
        let packet = &mut act.packets[id];
        packet.queued = ready - passage.arbitration_ps;
        packet.first_sent = start - passage.arbitration_ps;
        packet.first_internal = start;
        act.measures.packet_sent(packet.source, packet.class, packet.last);
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
