//! What happens is told to who keeps an account of waits, if anybody does.

use crate::event_queue::Event;
use crate::fabric::Wiring;
use crate::fabric::network::layout::End;
use crate::fabric::switch::switchboard::{Act, HasPort, Switchboard};
use crate::fabric::transit::{Packet, PacketPool, Part};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Observation, Ways};
use crate::measure::{ChannelKind, Class};
use crate::time::Time;

impl Act<'_> {
    /// Parts a packet and its riders by the outputs by which they leave a switch
    /// ([`PacketPool::part`](crate::fabric::PacketPool)); those that go on by themselves have then left their node, too.
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

    /// Tells what has happened. Without blame this is one branch.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn observe(&mut self, what: Observation) {
        self.observe_at(what, self.now);
    }

    /// The same of what will have happened at an instant.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn observe_at(&mut self, what: Observation, at: Time) {
        if let Some(blame) = &mut self.measures.blame {
            let ways = Known { wiring: self.wiring, packets: self.packets, first: |_| None };
            blame.observe(what, at, &ways);
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

    #[cold]
    #[inline(never)]
    fn tell_departure(&mut self, channel: ChannelId, id: PacketId, at: Time) {
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

    /// Whether anybody wants to know, where it takes time to find out what has happened.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.measures.blame.is_some()
    }
}

impl<C: HasPort> Switchboard<C> {
    /// Tells that the packet at the front of the buffer at a channel's end asks.
    // Called only where there is blame: without, what a request takes stays short.
    #[inline(never)]
    pub fn observe_request(&self, channel: ChannelId, act: &mut Act) {
        let port = self.at(channel).port();
        act.observe(Observation::Asked { packet: port.buffer.first, queue: port.front_output });
    }

    /// Tells that a packet might start, but lacks room in the buffer at the end of a channel: `full`, if
    /// there is one; `keeps`: the group's lead where it keeps others waiting, else none. Who fills buffers
    /// is read here.
    #[inline]
    pub fn observe_room(
        &self,
        packet: PacketId,
        keeps: ChannelId,
        full: impl FnOnce() -> Option<ChannelId>,
        act: &mut Act,
    ) {
        if let Some(blame) = &act.measures.blame
            && blame.notes_room(packet, keeps)
            && let Some(channel) = full()
        {
            self.tell_room(packet, channel, keeps, act);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_room(&self, packet: PacketId, channel: ChannelId, keeps: ChannelId, act: &mut Act) {
        if let Some(blame) = &mut act.measures.blame {
            let first = |buffer: ChannelId| Some(self.at(buffer).port().buffer.first);
            let ways = Known { wiring: act.wiring, packets: act.packets, first };
            blame.observe(Observation::LacksRoom { packet, channel, keeps }, act.now, &ways);
        }
    }
}

/// What is known whatever happens in switches, and who is first in buffers, if the model tells.
struct Known<'a, F> {
    wiring: &'a Wiring,
    packets: &'a PacketPool,
    first: F,
}

impl<F: Fn(ChannelId) -> Option<PacketId>> Ways for Known<'_, F> {
    #[inline]
    fn first(&self, buffer: ChannelId) -> Option<PacketId> {
        (self.first)(buffer)
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
