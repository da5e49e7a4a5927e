//! Modes without contention: the whole way of a packet follows when it is queued.
//!
//! In `free` no packet waits. In `throttled` packets wait for their first
//! internal channel only, first in, first out. A packet queued later reaches its
//! first switch later, because every node's link takes the same header time, so
//! that the order of queueing is the order of arrival at that channel.

mod passing;

use super::layout::{End, Group, Layout};
use super::switchboard::Act;
use super::timing::Running;
use super::{PacketPool, Wiring};
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, MessageId, PacketId};
use crate::measure::blame::Since;
use crate::measure::{ChannelKind, Measures, Use, Wait};
use crate::time::{NEVER, Time};

/// The network without contention.
pub struct ContentionFree {
    /// When each wire, as its first channel, is free for a packet on its first internal hop;
    /// empty in `free`.
    free_at: Vec<Time>,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// Of a message that is sent as a stream of packets: the latest packet's start, and from
    /// when the next may follow it.
    stream: (MessageId, Time),
    /// The channels that a packet takes, where nodes and switches are one.
    way: Vec<ChannelId>,
}

impl ContentionFree {
    /// Mode `throttled`.
    pub fn throttled(layout: &Layout) -> Self {
        Self { free_at: vec![0; layout.channels()], ..Self::free(layout) }
    }

    /// Mode `free`.
    pub fn free(layout: &Layout) -> Self {
        Self {
            free_at: Vec::new(),
            used: vec![Use::default(); layout.channels()],
            stream: (MessageId::NONE, 0),
            way: Vec::new(),
        }
    }

    /// What every channel has done in the current window.
    pub fn used(&self) -> &[Use] {
        &self.used
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self) {
        self.used.fill(Use::default());
    }

    /// Sends a packet the instant it is queued and posts its arrival.
    pub fn send(
        &mut self,
        id: PacketId,
        wiring: &Wiring,
        packets: &mut PacketPool,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        if let Some(passage) = wiring.passage {
            return self.pass(id, &passage, &mut Act { now, wiring, packets, events, measures });
        }
        let packet = &mut packets[id];
        let mut running = Running::default();
        packet.queued = now;
        packet.first_sent = now;
        measures.packet_sent(packet.source, packet.class, packet.last);
        let mut lead = wiring.layout.injection_lead(packet.source);
        let mut start = now;
        loop {
            let packet = &mut packets[id];
            let place = wiring.layout.group(lead);
            let timing = &wiring.timings[usize::from(place.rate)];
            let mut channel = place.first;
            let mut wait = Wait { time: 0, is_throttling: true };
            let is_first_internal =
                place.kind == ChannelKind::Internal && packet.first_internal == NEVER;
            if is_first_internal {
                let ready = start;
                (channel, start) = self.enter(place, ready, &wiring.layout);
                packet.first_internal = start;
                wait.time = start - ready;
            }
            let end = wiring.undisturbed(packet.bytes, start, timing, &mut running);
            let wire = wiring.layout.wire_of[channel.index()].index();
            if is_first_internal && let Some(free_at) = self.free_at.get_mut(wire) {
                *free_at = end;
            }
            self.used[channel.index()].packets += 1;
            self.used[channel.index()].busy_ps += end - start;
            measures.starts(channel, place.kind, (start, end), wait);
            if is_first_internal
                && !self.free_at.is_empty()
                && let Some(blame) = &mut measures.blame
            {
                let ready = start - wait.time;
                let since = Since { ready, asked: ready, behind: ready };
                blame.starts_whole(id, channel, (start, end), since);
            }
            let (packet, crossing) = packets.with_crossing(id);
            crossing.note(packet, channel, wiring);
            match place.end {
                End::Node(_) => {
                    packet.ready = start + timing.hop_ps;
                    if wiring.reports_header(packet) {
                        let head = start + timing.header_ps + timing.wire_ps;
                        events.post(head, Kind::Head, id.0);
                    }
                    events.post(end + timing.wire_ps, Kind::Tail, id.0);
                    return;
                }
                End::Switch(switch) => {
                    lead = wiring.first_lead(switch, packet.header());
                    let after = wiring.onward_ps(timing, wiring.timing(lead), packet.bytes);
                    if !wiring.goes_on_behind_header() {
                        packets.goes_on_after(id, after, wiring);
                    }
                    start += after;
                }
            }
        }
    }

    /// The channel on which a packet enters the network, and when it starts there.
    fn enter(&self, group: &Group, ready: Time, layout: &Layout) -> (ChannelId, Time) {
        if self.free_at.is_empty() {
            return (group.first, ready);
        }
        let wire = |channel: &ChannelId| layout.wire_of[channel.index()];
        let free_at = |channel: &ChannelId| self.free_at[wire(channel).index()];
        let channel = group.channels().min_by_key(free_at).unwrap_or(group.first);
        (channel, ready.max(free_at(&channel)))
    }
}
