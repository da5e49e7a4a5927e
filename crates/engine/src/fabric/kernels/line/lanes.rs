//! The packets of one message that go one way: its data, or its acknowledgements.

use super::gates::Turn;
use super::ways::{Way, Ways};
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::PacketId;
use crate::measure::Class;
use crate::time::Time;
use std::ops::{Index, IndexMut};

/// By message: its data, or its acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LaneId(pub u32);

/// Those of all messages; a place may be another message's before: all of that has been delivered.
#[derive(Clone, Default)]
pub(super) struct Lanes {
    all: Vec<Lane>,
}

/// What is known of the packets of a message that go one way, in their order.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// Those that wait in their node.
    pub waiting: PacketFifo,
    /// Those in the buffer at their last switch, or known to come there: the first of them asks for the
    /// channel to their destination.
    pub asking: PacketFifo,
    /// When the latest packet leaves that buffer.
    pub left_at: Time,
    /// Their way, from when the first of them has left its node.
    pub way: Way,
    /// Those that have left their node and have not been delivered.
    pub in_flight: u32,
    /// Whether the last of its message has been queued.
    pub is_whole: bool,
    /// Whether it is not known when the first that waits has room.
    pub is_stuck: bool,
    /// Its turn in its node.
    pub turn: Turn,
}

impl Lane {
    const EMPTY: Self = Self {
        waiting: PacketFifo::EMPTY,
        asking: PacketFifo::EMPTY,
        left_at: 0,
        way: Way::NONE,
        in_flight: 0,
        is_whole: true,
        is_stuck: false,
        turn: Turn::NOBODY,
    };
}

impl Lanes {
    /// That of a packet.
    #[inline]
    pub(super) fn of(id: PacketId, packets: &PacketPool) -> LaneId {
        let packet = &packets[id];
        LaneId(2 * packet.message.0 + u32::from(packet.class == Class::Ack))
    }

    /// A packet is queued in its node: its lane.
    #[inline]
    pub(super) fn join(
        &mut self,
        id: PacketId,
        ways: &mut Ways,
        packets: &mut PacketPool,
    ) -> LaneId {
        let lane = Self::of(id, packets);
        let data = lane.0 as usize & !1;
        if self.all.len() < data + 2 {
            self.all.resize(data + 2, Lane::EMPTY);
        }
        if packets[id].class == Class::Data {
            if self.all[data].is_whole {
                // The first of another message.
                self.all[data..data + 2].iter_mut().for_each(|lane| lane.renew(ways));
            }
            self.all[data].is_whole = packets[id].is_last();
        }
        self[lane].waiting.push(id, packets);
        lane
    }

    /// A packet has been delivered.
    #[inline]
    pub(super) fn delivered(&mut self, id: PacketId, ways: &mut Ways, packets: &PacketPool) {
        let lane = &mut self[Self::of(id, packets)];
        lane.in_flight -= 1;
        let is_over = lane.in_flight == 0 && packets[id].class == Class::Data && lane.is_whole;
        if is_over && !lane.waiting.first.is_some() {
            ways.give_back(&mut lane.way);
        }
    }
}

impl Lane {
    /// Another message has it.
    fn renew(&mut self, ways: &mut Ways) {
        debug_assert!(self.in_flight == 0 && !self.waiting.first.is_some());
        ways.give_back(&mut self.way);
        *self = Self { is_whole: false, ..Self::EMPTY };
    }
}

impl Index<LaneId> for Lanes {
    type Output = Lane;

    #[inline]
    fn index(&self, id: LaneId) -> &Lane {
        &self.all[id.0 as usize]
    }
}

impl IndexMut<LaneId> for Lanes {
    #[inline]
    fn index_mut(&mut self, id: LaneId) -> &mut Lane {
        &mut self.all[id.0 as usize]
    }
}
