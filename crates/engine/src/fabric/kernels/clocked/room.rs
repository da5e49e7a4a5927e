//! Room in the buffers that channels lead to: places of their own, and places that all virtual
//! channels of a wire share; and in the buffers behind the crossbar, where inputs see how they stand.
//!
//! A flit takes a place of its channel's own as long as there is one, else a shared one. Of a
//! channel that has both in use the shared ones come free first. So what is shared is a matter of
//! numbers: what every channel has in use beyond its own places.

use super::ClockedKernel;
use super::lane::Lane;
use crate::error::Blocked;
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Standing};
use crate::fabric::network::layout::Layout;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::records::Records;
use crate::fabric::switch::switchboard::Switchboard;
use crate::fabric::transit::PacketPool;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::spec::Pipeline;
use std::collections::VecDeque;
use std::sync::Arc;

/// The places that virtual channels share.
#[derive(Clone)]
pub struct Room {
    /// Those of every wire; 0: channels have only their own.
    shared: u32,
    /// By channel: its wire.
    wire_of: Arc<[u32]>,
    wires: Records<Wire>,
}

#[derive(Clone)]
struct Wire {
    /// Shared places that nothing is promised to.
    free: u32,
    channels: Vec<ChannelId>,
}

impl Room {
    /// So many free places at every wire.
    pub fn new(layout: &Layout, shared: u32) -> Self {
        if shared == 0 {
            return Self { shared, wire_of: Arc::default(), wires: Records::default() };
        }
        let wire_of: Arc<[u32]> = layout.wire_of.iter().map(|wire| wire.0).collect();
        let wire = |_| Wire { free: shared, channels: Vec::new() };
        let mut wires: Vec<Wire> = (0..wire_of.len()).map(wire).collect();
        for (channel, &wire) in wire_of.iter().enumerate() {
            wires[wire as usize].channels.push(ChannelId::from_index(channel));
        }
        Self { shared, wire_of, wires: wires.into_iter().collect() }
    }

    /// Copies have in common what they do not change.
    pub fn share(&mut self) {
        self.wires.share();
    }

    /// Where they have: all is as it was when that began.
    pub fn start_over(&mut self) {
        self.wires.start_over();
    }

    /// Whether channels share any.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.shared > 0
    }

    fn wire(&self, channel: ChannelId) -> &Wire {
        &self.wires[self.wire_of[channel.index()] as usize]
    }

    fn wire_mut(&mut self, channel: ChannelId) -> &mut Wire {
        &mut self.wires[self.wire_of[channel.index()] as usize]
    }

    /// Whether a channel that may have so many more places in use, shared ones included, has room
    /// for a flit.
    #[inline]
    pub fn is_there(&self, channel: ChannelId, credits: u32) -> bool {
        credits > self.shared || (self.shared > 0 && self.is_shared_place_free(channel))
    }

    // Apart, so that the usual case stays short where it is inlined.
    #[inline(never)]
    fn is_shared_place_free(&self, channel: ChannelId) -> bool {
        self.wire(channel).free > 0
    }

    /// A channel that now may have so many more in use has taken a place; whether it was the last
    /// that is shared.
    #[inline]
    pub fn takes_last(&mut self, channel: ChannelId, credits: u32) -> bool {
        if credits >= self.shared {
            return false;
        }
        let wire = self.wire_mut(channel);
        wire.free -= 1;
        wire.free == 0
    }

    /// A channel that now may have so many more in use has given a place back; whether it is the
    /// first that is shared and free.
    #[inline]
    pub fn gives_first(&mut self, channel: ChannelId, credits: u32) -> bool {
        if credits > self.shared {
            return false;
        }
        let wire = self.wire_mut(channel);
        wire.free += 1;
        wire.free == 1
    }

    /// The virtual channels of a channel's wire: their number, and each by its place.
    fn sharers(&self, channel: ChannelId) -> usize {
        self.wire(channel).channels.len()
    }

    /// Places in the buffer at the end of a channel's wire that count with it: its own, and with the
    /// first of those on a wire what they share.
    pub fn places(&self, channel: ChannelId, capacity: u32) -> u32 {
        let is_first = self.is_shared() && self.sharer(channel, 0) == channel;
        capacity - self.shared + if is_first { self.shared } else { 0 }
    }

    /// See [`Self::sharers`].
    fn sharer(&self, channel: ChannelId, place: usize) -> ChannelId {
        self.wire(channel).channels[place]
    }

    /// Of those that share room with a channel the one that has most of it, of equals itself
    /// or else the lowest.
    pub fn taker(&self, channel: ChannelId, board: &Switchboard<Lane>) -> ChannelId {
        let sharers = self.wire(channel).channels.iter().copied();
        // All may have equally many in use: fewer credits are more of the shared places.
        let rank = |&other: &ChannelId| (board.at(other).credits, other != channel, other.0);
        sharers.min_by_key(rank).unwrap_or(channel)
    }
}

impl ClockedKernel {
    /// There is room for the flits of all that share it with a channel.
    pub(super) fn others_have_room(&mut self, channel: ChannelId, act: &Act) {
        if self.board.at(channel).port.kind == ChannelKind::Injection {
            // The wire of a node looks at all its channels.
            return;
        }
        for place in 0..self.room.sharers(channel) {
            let lane = self.board.at(self.room.sharer(channel, place));
            if lane.packet.is_some() && self.board.at(lane.input).held > 0 {
                self.is_ready(lane.input);
            }
        }
        if self.pipeline.speculative {
            self.switches.frees(act.wiring.layout.group(channel).from);
        }
    }

    /// The last place that a channel shares with others has been taken: who has no own left waits.
    pub(super) fn others_lack_room(&mut self, channel: ChannelId, start: u64, act: &mut Act) {
        for place in 0..self.room.sharers(channel) {
            let other = self.room.sharer(channel, place);
            let lane = self.board.at(other);
            if other == channel || !lane.packet.is_some() || self.has_room(other) {
                continue;
            }
            if lane.input.is_some() {
                let input = self.board.at(lane.input);
                self.switches.is_ready_no_more(input.port.switch.0, input.entrance.number);
            }
            if act.is_observed() {
                let at = ((start + 1) * self.cycle_ps).max(lane.granted);
                self.observe_full(lane.packet, other, at, act);
            }
        }
    }

    /// The packets that wait for each other in a circle.
    pub(super) fn deadlock_of_sharers(
        &self,
        wiring: &Wiring,
        packets: &PacketPool,
        nodes: &deadlock::Nodes,
    ) -> Vec<Blocked> {
        let standings = self.standings();
        let all = u64::from(self.room.shared);
        let in_use = |standing: &Standing| all.saturating_sub(standing.room);
        let shared = standings.iter().map(in_use).collect();
        deadlock::find_sharing(wiring, packets, (standings, nodes), shared)
    }
}

/// What stands behind the crossbar. By wire, in order: the last step in which a flit crosses, and
/// the cycle in which it is sent.
#[derive(Clone)]
pub struct Behind {
    wires: Records<VecDeque<(u64, u64)>>,
}

impl Behind {
    /// Empty buffers; none where nobody looks at them.
    pub fn new(pipeline: &Pipeline, wires: usize) -> Self {
        let wires = if pipeline.sees_output_buffer { wires } else { 0 };
        Self { wires: Records::of(VecDeque::new(), wires) }
    }

    /// Copies have in common what they do not change.
    pub fn share(&mut self) {
        self.wires.share();
    }

    /// Where they have: all is as it was when that began.
    pub fn start_over(&mut self) {
        self.wires.start_over();
    }

    /// Whether somebody looks at them.
    #[inline]
    pub fn is_seen(&self) -> bool {
        self.wires.len() > 0
    }

    /// A flit that crosses until a step is to be sent in a cycle, and some before it have been.
    #[inline]
    pub fn add(&mut self, wire: usize, step: u64, start: u64, now: u64) {
        let flits = &mut self.wires[wire];
        while flits.front().is_some_and(|&(_, sent)| sent < now) {
            flits.pop_front();
        }
        flits.push_back((step, start));
    }

    /// Flits that stand in a buffer in a step of a cycle.
    #[inline]
    pub fn count(&self, wire: usize, step: u64, cycle: u64) -> u64 {
        let stands = |&&(crossed, sent): &&(u64, u64)| crossed < step && sent >= cycle;
        self.wires[wire].iter().filter(stands).count() as u64
    }
}
