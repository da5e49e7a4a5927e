//! What happens is told to who keeps an account of waits, if anybody does.

use crate::event_queue::Event;
use crate::fabric::Wiring;
use crate::fabric::network::layout::End;
use crate::fabric::switch::switchboard::{Act, HasPort, Switchboard};
use crate::fabric::transit::{Packet, PacketPool, Part};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Observation, Ways};
use crate::measure::{ChannelKind, Class};
use crate::rare::{rare, rarely};
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
        if let Some(blame) = rare(&mut self.measures.blame) {
            let ways = Known { wiring: self.wiring, packets: self.packets, board: Untold };
            blame.observe(what, at, ways);
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
        rarely(self.measures.blame.is_some())
    }
}

impl<C: HasPort> Switchboard<C> {
    /// Tells that the packet at the front of the buffer at a channel's end asks.
    // Called only where there is blame: without, what a request takes stays short.
    #[inline(never)]
    pub fn observe_request(&self, channel: ChannelId, act: &mut Act) {
        let packet = self.at(channel).port().buffer.first;
        if act.measures.blame.as_ref().is_some_and(|blame| blame.follows(packet)) {
            self.tell_request(channel, act);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_request(&self, channel: ChannelId, act: &mut Act) {
        let port = self.at(channel).port();
        act.observe(Observation::Asked { packet: port.buffer.first, queue: port.front_output });
    }

    /// Tells that a packet might start, but lacks room in the buffer at the end of a channel: `full`, if
    /// there is one. Who fills buffers is read here.
    #[inline]
    pub fn observe_room(
        &self,
        packet: PacketId,
        full: impl FnOnce() -> Option<ChannelId>,
        act: &mut Act,
    ) {
        let keeps = ChannelId::NONE;
        if act.notes_room(packet, keeps)
            && let Some(channel) = full()
        {
            self.tell_room(packet, channel, (keeps, |_| ChannelId::NONE), act);
        }
    }

    /// The same of a packet that may keep others waiting at an output it has been granted: `keeps`, that
    /// group's lead, else none; `keeper`: the input whose packet does so at a lead, or none.
    #[cold]
    #[inline(never)]
    pub fn tell_room(
        &self,
        packet: PacketId,
        channel: ChannelId,
        (keeps, keeper): (ChannelId, impl Fn(&C) -> ChannelId),
        act: &mut Act,
    ) {
        if let Some(blame) = rare(&mut act.measures.blame) {
            let board = Told { board: self, keeper };
            let ways = Known { wiring: act.wiring, packets: act.packets, board };
            blame.observe(Observation::LacksRoom { packet, channel, keeps }, act.now, &ways);
        }
    }
}

/// Who stands where, if that is told.
trait Stands {
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

/// It is read from the switchboard, and from a channel's record the input whose packet keeps others waiting.
struct Told<'a, C, F> {
    board: &'a Switchboard<C>,
    keeper: F,
}

impl<C: HasPort, F: Fn(&C) -> ChannelId> Stands for Told<'_, C, F> {
    fn first(&self, buffer: ChannelId) -> Option<PacketId> {
        Some(self.board.at(buffer).port().buffer.first)
    }

    fn keeper(&self, lead: ChannelId) -> Option<PacketId> {
        let input = (self.keeper)(self.board.at(lead));
        if input.is_some() { self.first(input) } else { Some(PacketId::NONE) }
    }
}

/// What is known whatever happens in switches, and who is first in buffers, if the model tells.
#[derive(Clone, Copy)]
struct Known<'a, S> {
    wiring: &'a Wiring,
    packets: &'a PacketPool,
    board: S,
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
