//! The flows of many channels as bits of words: which of them send a flit in a slot.

use super::alike::Alike;
use super::bits::{Bits, WORD};
use super::counters::Counter;
use super::wires::{first_behind, swap_pairs, wires_of};
use crate::spec::Sharing;

/// Flows of channels of one kind and rate; those of a wire have as many places next to each
/// other, in one word, as any wire of the block needs.
///
/// What flows on from the buffer at a channel's end is of another block, as a rule. Both tell each other
/// whether anything is there, and whether it is sent on, only when that is not as two slots before:
/// who sends in every slot, or takes turns with another, costs nothing but a bit of these words. So
/// there are two of some, for slots of even and of odd numbers.
#[derive(Clone, Default)]
#[repr(align(64))]
pub struct Block {
    pub alike: Alike,
    /// Those with flits of a packet that have not started.
    pub sending: Bits,
    /// By parity: those whose next flit is there.
    pub has_flit: [Bits; 2],
    /// Those with room for a flit at the end of their channels, but for what has come back in the
    /// round at hand.
    pub has_credit: Bits,
    /// Those whose packet has started.
    pub started: Bits,
    /// Those with one flit left.
    pub last: Bits,
    /// Those that send a flit in the slot at hand, or have sent one in the last that there was,
    /// of a packet that goes on.
    pub sent: Bits,
    /// By parity: those that started a flit in the last such slot, and are taken to start one in the
    /// next.
    pub expected: [Bits; 2],
    /// Those that go on with the first flit of a packet, which takes several slots: they are among
    /// those that send.
    pub lingering: Bits,
    /// Of each wire the flow that sent last; at first the last of them, so that the first is next.
    turns: Bits,
    /// Those to whose buffers a flit has come in the slot at hand.
    pub come: Bits,
    /// Those to which a credit has come back in the round at hand.
    pub back: Bits,
    /// Those with flits in their buffers, but for what has come in the slot at hand.
    pub held: Bits,
    /// Those whose buffers a flow sends from.
    pub has_output: Bits,
    /// Of these, by parity, those whose buffers it was told to have a flit for it.
    pub shown: [Bits; 2],
    /// Of these, by parity, those from whose buffers it is taken to send.
    pub leaving: [Bits; 2],
    /// Those from whose buffers flits of the slot at hand have been counted to leave.
    pub left: Bits,
    /// Those that start a flit in this round.
    pub starting: Bits,
    /// Where packets have a choice of outputs: those for which any waits.
    pub awaited: Bits,
    /// Flits of the packet a flow sends that follow the next one.
    to_follow: Counter,
    /// Flits in the buffer at its end.
    holds: Counter,
    /// Flits that may still start as far as that goes.
    room: Counter,
}

/// How many chunks of digits the numbers of all blocks have.
#[derive(Clone, Copy)]
pub struct Chunks {
    /// Those of a packet's flits.
    pub flits: usize,
    /// Those of a buffer.
    pub room: usize,
}

impl Block {
    /// Of idle channels, as yet without wires.
    pub fn new(alike: Alike) -> Self {
        Self { alike, ..Self::default() }
    }

    /// The last flow of a wire has this place in the block.
    pub fn ends_wire(&mut self, place: usize) {
        self.turns.insert(place);
    }

    /// A flow has a packet of so many flits to send, of which one is there or not.
    #[inline]
    pub fn begin(&mut self, flow: usize, flits: u32, has_flit: bool, chunks: Chunks) {
        self.sending.insert(flow);
        self.started.remove(flow);
        self.has_flit.iter_mut().for_each(|flows| flows.put(flow, has_flit));
        self.last.put(flow, flits == 1);
        self.to_follow.set(chunks.flits, flow, flits - 1);
    }

    /// The buffer of a flow is sent from by another; whether anything is there.
    #[inline]
    pub fn leads_on(&mut self, flow: usize) -> bool {
        let has_flit = (self.held | self.come).has(flow);
        self.has_output.insert(flow);
        self.shown.iter_mut().for_each(|flows| flows.put(flow, has_flit));
        has_flit
    }

    /// It is so no more.
    #[inline]
    pub fn leads_nowhere(&mut self, flow: usize) {
        self.has_output.remove(flow);
        self.leaving.iter_mut().for_each(|flows| flows.remove(flow));
    }

    /// A flow may send so many flits.
    pub fn set_credits(&mut self, flow: usize, credits: u32, chunks: Chunks) {
        self.has_credit.insert(flow);
        self.room.set(chunks.room, flow, credits);
    }

    /// Flits that a flow may still send.
    #[inline]
    pub fn credits(&self, flow: usize, chunks: Chunks) -> u32 {
        self.room.get(chunks.room, flow) + u32::from(self.back.has(flow))
    }

    /// Flits of a flow's packet that have not started.
    pub fn unsent(&self, flow: usize, chunks: Chunks) -> u32 {
        if self.sending.has(flow) { self.to_follow.get(chunks.flits, flow) + 1 } else { 0 }
    }

    /// The flows that could send a flit now if their wires were free.
    #[inline]
    pub fn ready(&self, parity: usize) -> Bits {
        self.sending & self.has_flit[parity] & (self.has_credit | self.back)
    }

    /// The flow that sends on a flow's wire, or has sent last.
    pub fn user_of(&self, flow: usize) -> usize {
        let stride = usize::from(self.alike.stride);
        let first = flow - flow % WORD % stride;
        (first..first + stride).find(|&place| self.turns.has(place)).unwrap_or(flow)
    }

    /// Of the flows that could send a flit now one of each wire that is free.
    #[inline]
    pub fn choose(&self, parity: usize, sharing: Sharing) -> Bits {
        let stride = self.alike.stride;
        let ready = self.ready(parity);
        if stride == 1 {
            return ready & !self.sent;
        }
        let is_free =
            if self.sent.is_empty() { !Bits::default() } else { !wires_of(self.sent, stride) };
        if stride == 2 {
            self.choose_of_pairs(ready & is_free, sharing)
        } else {
            self.choose_of(ready & is_free, stride, sharing)
        }
    }

    /// Of both flows of a wire the one that did not send last, unless that goes on.
    #[inline]
    fn choose_of_pairs(&self, ready: Bits, sharing: Sharing) -> Bits {
        let both = ready & swap_pairs(ready);
        let mut takes_turn = !self.turns;
        if sharing == Sharing::UntilStall {
            let goes_on = self.turns & self.started;
            takes_turn = goes_on | takes_turn & !swap_pairs(goes_on);
        }
        ready & !both | both & takes_turn
    }

    /// The same, wire by wire, of any number.
    fn choose_of(&self, ready: Bits, stride: u8, sharing: Sharing) -> Bits {
        let goes_on = match sharing {
            Sharing::UntilStall => ready & self.turns & self.started,
            _ => Bits::default(),
        };
        let left = ready & !wires_of(goes_on, stride);
        goes_on | first_behind(left, self.turns, stride)
    }

    /// Of the flows with something in their buffers for others, those where that is new, or no more.
    #[inline]
    pub fn show(&mut self, parity: usize) -> Bits {
        let new = ((self.held | self.come) ^ self.shown[parity]) & self.has_output;
        self.shown[parity] ^= new;
        new
    }

    /// Packets of some flows have been sent.
    #[inline]
    pub fn end(&mut self, flows: Bits) {
        self.sent &= !flows;
        self.expected.iter_mut().for_each(|expected| *expected &= !flows);
    }

    /// Of flows that start a flit now, those that are not expected to.
    #[inline]
    pub fn unexpected(&self, flows: Bits, parity: usize) -> Bits {
        flows & !self.expected[parity]
    }

    /// Of flows that are expected to start a flit now, those that do not.
    #[inline]
    pub fn missing(&self, flows: Bits, parity: usize) -> Bits {
        self.expected[parity] & !flows
    }

    /// Some flows are expected to start a flit in every slot from now on.
    #[inline]
    pub fn expect(&mut self, flows: Bits) {
        self.expected.iter_mut().for_each(|expected| *expected |= flows);
    }

    /// Whether nothing happens to any of its flows, and nothing did in the last slots of which others
    /// have not been told.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        // Most have something to send, and need not look any further.
        if !self.sending.is_empty() {
            return false;
        }
        let untold = (self.shown[0] ^ self.shown[1]) & self.has_output;
        let leaving = self.leaving[0] | self.leaving[1];
        (self.sent | leaving | self.come | self.back | untold).is_empty()
    }

    /// A slot begins.
    #[inline]
    pub fn begin_slot(&mut self) {
        self.sent = self.lingering;
        self.left = Bits::default();
    }

    /// These send a flit now, one of a wire; those of them that send the last of a packet.
    #[inline]
    pub fn send(&mut self, flows: Bits, chunks: Chunks) -> Bits {
        let stride = self.alike.stride;
        let last = self.last & flows;
        self.starting = flows;
        self.turns = self.turns & !wires_of(flows, stride) | flows;
        self.sent |= flows;
        self.started |= flows;
        self.sending &= !last;
        let follow = self.to_follow.change(chunks.flits, Bits::default(), flows);
        self.last = !follow;
        last
    }

    /// On the wire of a flow that is idle the same has sent last as in another block.
    pub fn renew(&mut self, like: &Self, flow: usize) {
        let mut one = Bits::default();
        one.insert(flow);
        let wire = wires_of(one, self.alike.stride);
        self.turns = self.turns & !wire | like.turns & wire;
    }

    /// What flows have received, and started, and what leaves their buffers is counted; whose
    /// buffers it leaves.
    #[inline]
    pub fn count(&mut self, parity: usize, chunks: Chunks) -> Bits {
        let left = self.leaving[parity] & !self.left;
        self.left |= left;
        let started = if self.alike.reach_buffers() { self.starting } else { Bits::default() };
        self.held = self.holds.change(chunks.room, self.come, left);
        self.has_credit = self.room.change(chunks.room, self.back, started);
        self.come = Bits::default();
        self.back = Bits::default();
        self.starting = Bits::default();
        left
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::FLOWS;
    use super::super::wires::lowest_of;
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// What is to happen, flow by flow.
    fn chosen(block: &Block, sharing: Sharing) -> Bits {
        let is_ready = |&place: &usize| {
            [block.sending, block.has_flit[0], block.has_credit].iter().all(|bits| bits.has(place))
        };
        let mut all = Bits::default();
        for number in 0..block.alike.wires() {
            let first = block.alike.first_of(number);
            let wire = first..first + usize::from(block.alike.stride);
            if wire.clone().any(|place| block.sent.has(place)) {
                continue;
            }
            let last = wire.clone().find(|&place| block.turns.has(place)).unwrap();
            let goes_on =
                sharing == Sharing::UntilStall && is_ready(&last) && block.started.has(last);
            let in_turn = (last + 1..wire.end).chain(first..=last).find(is_ready);
            if let Some(place) = if goes_on { Some(last) } else { in_turn } {
                all.insert(place);
            }
        }
        all
    }

    #[test]
    fn flows_take_turns_on_every_wire_as_one_by_one() {
        let mut random = Stream::new(7, Purpose::Compute, 0);
        let mut bits = || {
            let mut bits = Bits::default();
            for flow in (0..FLOWS).step_by(WORD) {
                *bits.word_mut(flow) = random.below(1 << 32) | random.below(1 << 32) << 32;
            }
            bits
        };
        for round in 0..3000_u64 {
            let stride = (1 + round % WORD as u64) as u8;
            let mut block = Block::default();
            block.alike.stride = stride;
            let alike = block.alike;
            for wire in 0..alike.wires() {
                block.ends_wire(alike.first_of(wire) + usize::from(stride) - 1);
            }
            let all = wires_of(lowest_of(stride), stride);
            (block.has_flit[0], block.has_credit) = (bits(), all);
            for _ in 0..4 {
                block.sending = (bits() | bits()) & all;
                block.started = bits();
                for sharing in [Sharing::RoundRobin, Sharing::UntilStall] {
                    let expected = chosen(&block, sharing);
                    assert_eq!(block.choose(0, sharing), expected, "{stride}");
                }
                let free = block.choose(0, Sharing::RoundRobin);
                block.send(free, Chunks { flits: 1, room: 1 });
                let next = block.choose(0, Sharing::RoundRobin);
                assert!((next & wires_of(free, stride)).is_empty());
                block.sent = if round % 2 == 0 { Bits::default() } else { block.sent & bits() };
            }
        }
    }
}
