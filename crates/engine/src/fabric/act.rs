//! What a kernel acts with: everything of a run that changes while the network acts, and whom it
//! tells what happens.

use crate::event_queue::{Event, EventQueue};
use crate::fabric::network::layout::End;
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::fabric::transit::{PacketPool, Part};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Observation, Ways};
use crate::measure::late::{Hop, Service};
use crate::measure::slices::What;
use crate::measure::{ChannelKind, Class, Measures};
use crate::rare::rarely;
use crate::time::{NEVER, Time};

/// Everything of a run that changes while the network acts.
pub struct Act<'a> {
    /// The instant.
    pub now: Time,
    /// Channels and routes.
    pub wiring: &'a Wiring,
    /// Packets in flight.
    pub packets: &'a mut PacketPool,
    /// Future events.
    pub events: &'a mut EventQueue,
    /// What is measured.
    pub measures: &'a mut Measures,
}

impl Act<'_> {
    /// Parts a packet and its riders by the outputs by which they leave a switch
    /// ([`PacketPool::part`](crate::fabric::transit::PacketPool)); those that go on by themselves have then left their node, too.
    pub fn part<K: Copy + PartialEq>(
        &mut self,
        carrier: PacketId,
        parts: &mut Vec<Part<K>>,
        output: impl FnMut(&Packet) -> K,
    ) {
        let base = parts.len();
        self.packets.part(carrier, parts, output);
        for part in &parts[base + 1..] {
            let &Packet { source, class, .. } = &self.packets[part.carrier];
            let is_last = self.packets[part.carrier].is_last();
            self.measures.packet_sent(source, class, is_last);
            self.observe(Observation::Parted { packet: part.carrier, carrier });
        }
    }

    /// A packet leaves the output it has waited for, since tables of routing have changed: who keeps account of
    /// waits is told, if its link is down.
    pub fn leaves_link(&mut self, id: PacketId, lead: ChannelId) {
        if self.down_until(lead).is_some()
            && let Some(late) = &mut self.measures.late
        {
            late.leaves_link(id, lead, (self.packets.waits_since(id), self.now));
        }
    }

    /// Until when the link of a group of channels is down, or those that wait for it are looked at again since
    /// tables of routing change; none if it is up. Who keeps account of waits is told.
    #[inline]
    pub fn down_until(&mut self, lead: ChannelId) -> Option<Time> {
        let faults = self.wiring.faults.as_deref()?;
        let (from, until) = faults.down(lead, self.now)?;
        self.tell_fault(lead, (from, until));
        Some(until.min(self.wiring.next_change()))
    }

    /// Until when a packet is sent in vain that starts on a channel now, if it is: until the link fails, or,
    /// if bits are damaged, until the far end has answered. The packet stays where it is. Who keeps account
    /// of waits is told.
    #[inline]
    pub fn fails_under(&mut self, channel: ChannelId, id: PacketId) -> Option<Time> {
        let faults = self.wiring.faults.as_deref()?;
        let (timing, bytes) = (self.timing(channel), self.packets[id].bytes);
        let end = self.now + timing.packet_ps(bytes);
        if let Some((at, until)) = faults.fails(channel, (self.now, end)) {
            self.sends_in_vain(id, channel, (at, until));
            return Some(at);
        }
        let drawn_by = self.packets.drawn_by(id);
        if !faults.damages(channel, self.now, timing.packet_bits(bytes), drawn_by) {
            return None;
        }
        let at = end + timing.gap_ps.max(2 * timing.wire_ps);
        self.sends_in_vain(id, channel, (at, at));
        Some(at)
    }

    /// A packet is sent in vain until an instant, on a channel that cannot be used until another.
    #[cold]
    fn sends_in_vain(&mut self, id: PacketId, channel: ChannelId, (at, until): (Time, Time)) {
        self.tell_fault(channel, (self.now, until));
        self.packets.is_sent_in_vain(id, self.now, at);
        if let Some(slices) = &mut self.measures.slices {
            slices.add(What::Busy, channel, (self.now, at));
        }
    }

    /// Until when a packet is sent in vain already: it does not start elsewhere meanwhile.
    #[inline]
    pub fn in_vain_until(&self, id: PacketId) -> Option<Time> {
        self.packets.in_vain_until(id, self.now)
    }

    /// The times of a packet that starts on a channel now.
    #[inline]
    pub fn timing(&self, channel: ChannelId) -> Timing {
        self.wiring.timing_at(channel, self.now)
    }

    #[cold]
    fn tell_fault(&mut self, channel: ChannelId, span: (Time, Time)) {
        if let Some(late) = &mut self.measures.late {
            for channel in self.wiring.layout.group(channel).channels() {
                late.is_down(channel, span);
            }
        }
    }

    /// Tells what has happened. If nobody wants to know this is one branch.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn observe(&mut self, what: Observation) {
        self.observe_at(what, self.now);
    }

    /// The same of what will have happened at an instant.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn observe_at(&mut self, what: Observation, at: Time) {
        if !rarely(self.measures.is_observed) {
            return;
        }
        self.tell_late(what, at);
        if let Some(blame) = &mut self.measures.blame {
            let ways = Known { wiring: self.wiring, packets: self.packets, board: Untold };
            blame.observe(what, at, ways, self.measures.labels.as_deref());
        }
    }

    /// Tells it who keeps account of how late messages are, as far as that is about turns.
    #[inline]
    fn tell_late(&mut self, what: Observation, at: Time) {
        let Some(late) = &mut self.measures.late else { return };
        let is_shared = late.shares_wires();
        let takes = |packet: PacketId, channel| {
            if !is_shared {
                return [0; 2];
            }
            let timing = self.wiring.timing(channel);
            let whole = timing.packet_ps(self.packets[packet].bytes) + timing.wire_ps;
            [timing.hop_ps, whole]
        };
        match what {
            Observation::Sent { packet, channel, ready, start, until } => {
                let takes = takes(packet, channel);
                late.starts(packet, Hop { channel, ready, start, end: until, takes });
            }
            Observation::Granted { packet, channel } | Observation::Held { packet, channel } => {
                let (ready, takes) = (self.packets[packet].ready, takes(packet, channel));
                late.starts(packet, Hop { channel, ready, start: at, end: NEVER, takes });
            }
            Observation::RunsThrough { packet, channel, until } => {
                let (ready, takes) = (self.packets[packet].ready, takes(packet, channel));
                late.starts(packet, Hop { channel, ready, start: at, end: until, takes });
            }
            Observation::Served { packet, ready, start, done, until } => {
                // Copies of a packet take one turn.
                let end = if until > done { start + (until - done) } else { done };
                late.serves(packet, Service { ready, start, end, done });
            }
            Observation::Drained { packet, start, until, behind } => {
                let ready = start - behind;
                late.serves(packet, Service { ready, start, end: until, done: until });
            }
            Observation::Started { packet, start, .. } => late.started(packet, start),
            Observation::Left { channel, at } => late.left(channel, at),
            _ => {}
        }
    }

    /// The tail of a packet leaves a channel at `at`. Its node is told, if it asks and that is
    /// the first channel; else this is one branch.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn leaves(&mut self, channel: ChannelId, id: PacketId, at: Time) {
        if self.packets.tells_departures() {
            self.tell_departure(channel, id, at);
        }
    }

    /// The same, if its node asks.
    #[cold]
    #[inline(never)]
    pub fn tell_departure(&mut self, channel: ChannelId, id: PacketId, at: Time) {
        if !self.packets.tells_nodes() {
            return;
        }
        let Packet { source, class, .. } = self.packets[id];
        let group = self.wiring.layout.group(channel);
        let is_first = match group.kind {
            ChannelKind::Injection | ChannelKind::Direct => true,
            ChannelKind::Ejection => false,
            ChannelKind::Internal => {
                self.wiring.integrated_timing.is_some()
                    && group.from == self.wiring.layout.home(source).0
            }
        };
        if is_first && class == Class::Data {
            self.packets.departs(id);
            if at == self.now {
                self.events.post_now(at, Event::Interface(source));
            } else {
                self.events.post(at, Event::Interface(source));
            }
        }
    }

    /// Whether anybody wants to know that a packet lacks room ([`Switchboard::observe_room`]).
    #[inline]
    pub fn notes_room(&self, packet: PacketId, keeps: ChannelId) -> bool {
        let blame = self.measures.blame.as_ref();
        blame.is_some_and(|blame| blame.notes_room(packet, keeps))
    }

    /// Whether anybody wants to know, where it takes time to find out what has happened.
    #[inline]
    pub fn is_observed(&self) -> bool {
        rarely(self.measures.is_observed)
    }
}

/// Who stands where, if that is told.
pub trait Stands {
    /// The first packet in the buffer at a channel's end, or none.
    fn first(&self, buffer: ChannelId) -> Option<PacketId>;
    /// The packet that keeps others waiting at a lead, or none.
    fn keeper(&self, lead: ChannelId) -> Option<PacketId>;
}

/// It is not told.
#[derive(Clone, Copy)]
struct Untold;

impl Stands for Untold {
    fn first(&self, _: ChannelId) -> Option<PacketId> {
        None
    }

    fn keeper(&self, _: ChannelId) -> Option<PacketId> {
        None
    }
}

/// What is known whatever happens in switches, and who is first in buffers, if the kernel tells.
#[derive(Clone, Copy)]
pub struct Known<'a, S> {
    /// Channels and routes.
    pub wiring: &'a Wiring,
    /// Packets in flight.
    pub packets: &'a PacketPool,
    /// Who stands in buffers.
    pub board: S,
}

impl<S: Stands> Ways for Known<'_, S> {
    #[inline]
    fn first(&self, buffer: ChannelId) -> Option<PacketId> {
        self.board.first(buffer)
    }

    #[inline]
    fn keeper(&self, lead: ChannelId) -> Option<PacketId> {
        self.board.keeper(lead)
    }

    #[inline]
    fn ready(&self, packet: PacketId) -> Time {
        self.packets[packet].ready
    }

    #[inline]
    fn goes_on(&self, channel: ChannelId) -> bool {
        matches!(self.wiring.layout.group(channel).end, End::Switch(_))
    }

    fn output(&self, packet: PacketId, channel: ChannelId) -> ChannelId {
        let End::Switch(switch) = self.wiring.layout.group(channel).end else {
            return ChannelId::NONE;
        };
        self.wiring.first_lead(switch, self.packets[packet].header())
    }

    fn takes(&self, packet: PacketId, channel: ChannelId) -> Time {
        self.wiring.timing(channel).packet_ps(self.packets[packet].bytes)
    }
}
