//! Turns: who is sent on which channel until when, and out of which buffer.

use super::QueuedKernel;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::spec::{Machine, Queueing};
use crate::time::{NEVER, Time};

impl QueuedKernel {
    /// A packet of so many tokens is sent on a channel until `end`, out of the buffer of an input or of a node.
    #[inline]
    pub(super) fn takes_turn(
        &mut self,
        id: ChannelId,
        (input, tokens): (ChannelId, u32),
        end: Time,
        now: Time,
    ) {
        let before = self.board.at(id).from;
        if before.is_some() {
            self.settle(before, now);
        }
        if let Some(wires) = &mut self.wires {
            wires.sends(id, end);
        }
        let channel = self.board.at_mut(id);
        channel.free_at = end;
        channel.from = input;
        channel.tokens = tokens;
        channel.set_waits_for_room(false);
        if input.is_some() {
            let of_input = self.board.at_mut(input);
            of_input.sending += 1;
            of_input.waiting -= 1;
            of_input.last = id;
            let next = std::mem::replace(&mut of_input.turns, id);
            self.board.at_mut(id).next_turn = next;
        }
    }

    /// Turns out of a buffer that have ended give their room back, and their places at the input.
    #[inline]
    pub(super) fn settle(&mut self, input: ChannelId, now: Time) {
        let mut before = ChannelId::NONE;
        let mut at = self.board.at(input).turns;
        while at.is_some() {
            let channel = self.board.at_mut(at);
            let next = channel.next_turn;
            if channel.free_at > now {
                before = at;
            } else {
                channel.from = ChannelId::NONE;
                let tokens = channel.tokens;
                if before.is_some() {
                    self.board.at_mut(before).next_turn = next;
                } else {
                    self.board.at_mut(input).turns = next;
                }
                let of_input = self.board.at_mut(input);
                of_input.occupied = of_input.occupied.wrapping_sub(tokens);
                of_input.sending -= 1;
            }
            at = next;
        }
    }

    /// Whether an input may send another packet now.
    #[inline]
    pub(super) fn may_send(&mut self, input: ChannelId, now: Time) -> bool {
        let channel = self.board.at(input);
        if channel.sending < channel.speedup {
            return true;
        }
        self.settle(input, now);
        let channel = self.board.at(input);
        channel.sending < channel.speedup
    }

    /// When the first of the turns out of a buffer ends that have not been settled, or [`NEVER`].
    #[inline]
    pub(super) fn first_end(&self, input: ChannelId) -> Time {
        let mut first = NEVER;
        let mut at = self.board.at(input).turns;
        while at.is_some() {
            let channel = self.board.at(at);
            first = first.min(channel.free_at);
            at = channel.next_turn;
        }
        first
    }

    /// Tokens that occupy the buffer at a channel's end.
    pub(super) fn occupied_at(&self, input: ChannelId, now: Time) -> u32 {
        self.occupied_but(input, |end| end <= now)
    }

    /// The same without those of packets whose turns out of it end when that is so.
    pub(super) fn occupied_but(&self, input: ChannelId, is_gone: impl Fn(Time) -> bool) -> u32 {
        let channel = self.board.at(input);
        let (mut occupied, mut at) = (channel.occupied, channel.turns);
        while at.is_some() {
            let channel = self.board.at(at);
            if is_gone(channel.free_at) {
                occupied = occupied.wrapping_sub(channel.tokens);
            }
            at = channel.next_turn;
        }
        occupied
    }

    /// When the wire of a channel is free.
    #[inline]
    pub(super) fn wire_free_at(&self, id: ChannelId) -> Time {
        match &self.wires {
            Some(wires) => wires.free_at(id),
            None => self.board.at(id).free_at,
        }
    }

    /// The lowest-numbered idle channel of a group whose buffer has room for so many tokens; else whether an
    /// idle one lacks it. `again` is brought forward to when something under way changes that; of what is to
    /// come the place is told.
    #[inline]
    pub(super) fn find_channel(
        &mut self,
        lead: ChannelId,
        tokens: u32,
        again: &mut Time,
        act: &mut Act,
    ) -> Result<ChannelId, bool> {
        let now = act.now;
        if let Some(until) = act.down_until(lead) {
            *again = until.min(*again);
            return Err(false);
        }
        let width = u32::from(self.board.at(lead).port.width);
        let mut lacks_room = false;
        for candidate in (lead.0..lead.0 + width).map(ChannelId) {
            let free_at = self.wire_free_at(candidate);
            if free_at > now {
                *again = free_at.min(*again);
                continue;
            }
            if self.has_room(candidate, tokens) {
                return Ok(candidate);
            }
            self.settle(candidate, now);
            if self.has_room(candidate, tokens) {
                return Ok(candidate);
            }
            lacks_room = true;
            // What leaves it later may be out sooner.
            self.board.at_mut(candidate).set_waits_for_room(true);
            *again = self.first_end(candidate).min(*again);
        }
        Err(lacks_room)
    }

    /// A packet out of the buffer of an input, or of a node, is sent on a channel until its link fails, for
    /// nothing: it will be sent again.
    #[cold]
    pub(super) fn is_cut_off(&mut self, id: ChannelId, input: ChannelId, at: Time, act: &mut Act) {
        self.takes_turn(id, (input, 0), at, act.now);
        act.measures.transmits(self.board.at(id).port.kind, act.now, at);
        if input.is_some() {
            self.board.at_mut(input).waiting += 1;
        }
        self.board.at_mut(id).busy += at - act.now;
    }

    /// Whether a packet can start as far as the buffer at the end goes, and what has been settled; nodes
    /// always accept.
    #[inline]
    fn has_room(&self, id: ChannelId, tokens: u32) -> bool {
        let channel = self.board.at(id);
        !channel.port.switch.is_some() || channel.occupied.wrapping_add(tokens) <= self.capacity
    }
}

/// By channel: how many packets the input at its end may send at a time.
pub fn speedups(machine: &Machine, wiring: &Wiring) -> Vec<u16> {
    let layout = &wiring.layout;
    let switch = &machine.switch;
    let slowest = slowest_outputs(wiring);
    let speedup = |number: usize| {
        let channel = ChannelId::from_index(number);
        let End::Switch(at) = layout.group(channel).end else { return 1 };
        match (switch.queueing, switch.input_speedup) {
            (Queueing::Output, _) => u16::MAX,
            (_, Some(given)) => given as u16,
            (_, None) => {
                let own = wiring.timing(channel).flit_ps;
                slowest[at.index()].div_ceil(own.max(1)).clamp(1, u16::MAX.into()) as u16
            }
        }
    };
    (0..layout.channels()).map(speedup).collect()
}

/// By switch: how long a flit takes on the slowest of its outputs.
fn slowest_outputs(wiring: &Wiring) -> Vec<Time> {
    let layout = &wiring.layout;
    let mut slowest = vec![1; layout.allocators.len()];
    for group in layout.groups.iter().filter(|group| leaves_switch(group.kind)) {
        let of = &mut slowest[group.from as usize];
        *of = wiring.timing(group.first).flit_ps.max(*of);
    }
    slowest
}

/// Whether channels of a kind lead out of switches.
pub(super) fn leaves_switch(kind: ChannelKind) -> bool {
    matches!(kind, ChannelKind::Internal | ChannelKind::Ejection)
}
