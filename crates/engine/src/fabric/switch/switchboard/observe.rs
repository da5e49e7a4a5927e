//! What is told of requests and room at a switchboard to who keeps an account of waits.

use super::{HasPort, Switchboard};
use crate::fabric::act::{Act, Known, Stands};
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::rare::rare;

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
            let labels = act.measures.labels.as_deref();
            blame.observe(
                Observation::LacksRoom { packet, channel, keeps },
                act.now,
                &ways,
                labels,
            );
        }
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
