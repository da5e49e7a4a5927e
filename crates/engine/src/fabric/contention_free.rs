//! Modes without contention: the whole way of a packet follows when it starts.
//!
//! In `free` no packet waits. In `throttled` packets wait for their first internal channel
//! only, and have it in the order in which they start. Where several packets of a message can
//! be in flight, a `REQUEST` marks when each starts.

mod following;
mod passing;

use super::layout::{End, Group, Layout};
use super::switchboard::Act;
use super::timing::Running;
use crate::event_queue::Kind;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Since;
use crate::measure::{ChannelKind, Class, Use, Wait};
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use following::Following;

/// The network without contention.
pub struct ContentionFree {
    /// When each wire, as its first channel, is free for a packet on its first internal hop;
    /// empty in `free`.
    free_at: Vec<Time>,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// Where several packets of a message can be in flight.
    following: Option<Following>,
    /// The channels that a packet takes, where nodes and switches are one.
    way: Vec<ChannelId>,
}

impl ContentionFree {
    /// Mode `throttled`.
    pub fn throttled(machine: &Machine, layout: &Layout) -> Self {
        Self { free_at: vec![0; layout.channels()], ..Self::free(machine, layout) }
    }

    /// Mode `free`.
    pub fn free(machine: &Machine, layout: &Layout) -> Self {
        Self {
            free_at: Vec::new(),
            used: vec![Use::default(); layout.channels()],
            following: Following::new(machine, layout),
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

    /// A packet enters its node's output queue: it starts at once, or when it can follow those
    /// of its message before it.
    pub fn queue(&mut self, id: PacketId, act: &mut Act) {
        if let Some(passage) = act.wiring.passage {
            return self.pass(id, &passage, act);
        }
        let Some(following) = &mut self.following else { return self.send(id, act) };
        let packet = &act.packets[id];
        let mut start = act.now;
        if packet.class == Class::Data {
            let lead = act.wiring.layout.injection_lead(packet.source);
            let place = act.wiring.layout.group(lead);
            let takes = act.wiring.timings[usize::from(place.rate)].packet_ps(packet.bytes);
            let wires = usize::from(place.width);
            start = start.max(following.from(packet.message, wires));
            following.send(packet.message, wires, start + takes);
        }
        act.events.post(start, Kind::Request, id.0);
    }

    /// Sends a packet now and posts its arrival.
    pub fn send(&mut self, id: PacketId, act: &mut Act) {
        let Act { now, wiring, packets, events, measures } = act;
        let now = *now;
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
