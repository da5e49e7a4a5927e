//! The channels of a message's way, and what its packets have left behind on each.

use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::transit::PacketFifo;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

/// The ways of all messages on their way. Places are used again for ways of as many channels.
#[derive(Clone, Default)]
pub(super) struct Ways {
    hops: Vec<Hop>,
    /// By number of channels: the first places of those that nobody has.
    free: Vec<Vec<u32>>,
    /// The channels of the way that is looked for.
    found: Vec<(ChannelId, u16, ChannelKind)>,
}

/// Where the channels of a way are kept.
#[derive(Clone, Copy)]
pub(super) struct Way {
    first: u32,
    len: u32,
}

impl Way {
    /// There is none yet.
    pub(super) const NONE: Self = Self { first: 0, len: 0 };

    #[inline]
    pub(super) fn is_none(self) -> bool {
        self.len == 0
    }

    /// How many channels it has.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.len as usize
    }

    /// Where one of them is kept.
    #[inline]
    pub(super) fn hop(self, place: usize) -> usize {
        self.first as usize + place
    }
}

/// A channel of a way, as if the message were alone on it, and the buffer at its end.
#[derive(Clone)]
pub(super) struct Hop {
    /// From when on the next packet may start.
    pub free_at: Time,
    /// When the latest packet has been sent.
    pub sent_at: Time,
    /// Until when the engine at its end is at work.
    pub engine: Time,
    pub channel: ChannelId,
    /// How fast it is: a place in [`Rates::all`](crate::fabric::network::timing::Rates).
    pub rate: u16,
    pub kind: ChannelKind,
    /// Packets that will ask for it, or do, and of which it is not known when they have room.
    pub stuck: PacketFifo,
    /// Tokens of the packets in the buffer or on the way to it.
    occupied: u32,
    /// Of how many of them, the first, it is known when they are out of it.
    known: u32,
    /// Those packets: how many tokens, and when they are out of it.
    buffer: VecDeque<(u32, Time)>,
}

impl Hop {
    /// From when on a packet of so many tokens has room in the buffer, or some instant before those
    /// before it had; none: that is not known yet.
    #[inline]
    pub(super) fn room_from(&mut self, tokens: u32, capacity: u32) -> Option<Time> {
        let mut from = 0;
        while self.occupied + tokens > capacity {
            if self.known == 0 {
                return None;
            }
            let (gone, at) = self.buffer.pop_front()?;
            self.occupied -= gone;
            self.known -= 1;
            from = at;
        }
        Some(from)
    }

    /// A packet is on its way to the buffer.
    #[inline]
    pub(super) fn enter(&mut self, tokens: u32) {
        self.occupied += tokens;
        self.buffer.push_back((tokens, NEVER));
    }

    /// The first packet of which that was not known will be out of the buffer.
    #[inline]
    pub(super) fn leave(&mut self, at: Time) {
        self.buffer[self.known as usize].1 = at;
        self.known += 1;
    }
}

impl Ways {
    /// That of a packet which is about to leave its node.
    pub(super) fn of(&mut self, id: PacketId, act: &Act) -> Way {
        let (wiring, packet) = (act.wiring, &act.packets[id]);
        let mut header = packet.header();
        let mut lead = wiring.injection_lead(header.source, header.traffic);
        self.found.clear();
        loop {
            let group = wiring.layout.group(lead);
            self.found.push((lead, group.rate, group.kind));
            let End::Switch(switch) = group.end else { break };
            header.route = wiring.passed(group, header);
            lead = wiring.first_lead(switch, header);
        }
        self.take()
    }

    /// Places for the channels found.
    fn take(&mut self) -> Way {
        let len = self.found.len();
        if self.free.len() <= len {
            self.free.resize_with(len + 1, Vec::new);
        }
        if let Some(first) = self.free[len].pop() {
            let hops = &mut self.hops[first as usize..][..len];
            for (hop, &found) in hops.iter_mut().zip(&self.found) {
                let buffer = std::mem::take(&mut hop.buffer);
                *hop = Hop::idle(found, buffer);
            }
            return Way { first, len: len as u32 };
        }
        let first = self.hops.len() as u32;
        self.hops.extend(self.found.iter().map(|&found| Hop::idle(found, VecDeque::new())));
        Way { first, len: len as u32 }
    }

    /// Nobody takes a way any more.
    #[inline]
    pub(super) fn give_back(&mut self, way: &mut Way) {
        if !way.is_none() {
            self.free[way.len()].push(way.first);
            *way = Way::NONE;
        }
    }
}

impl Hop {
    fn idle(
        (channel, rate, kind): (ChannelId, u16, ChannelKind),
        mut buffer: VecDeque<(u32, Time)>,
    ) -> Self {
        buffer.clear();
        Self {
            free_at: 0,
            sent_at: 0,
            engine: 0,
            channel,
            rate,
            kind,
            stuck: PacketFifo::EMPTY,
            occupied: 0,
            known: 0,
            buffer,
        }
    }
}

impl Index<usize> for Ways {
    type Output = Hop;

    #[inline]
    fn index(&self, place: usize) -> &Hop {
        &self.hops[place]
    }
}

impl IndexMut<usize> for Ways {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut Hop {
        &mut self.hops[place]
    }
}
