//! The flows of 64 channels as bits of words: which of them send a flit in a slot.

use crate::measure::ChannelKind;
use crate::spec::Sharing;

/// Flows of a block.
pub const FLOWS: usize = u64::BITS as usize;

/// Flows of channels of one kind and rate; those of a wire have as many places next to each
/// other as any wire of the block needs, made up to a power of two.
pub struct Block {
    /// Those with flits of a packet that have not started.
    pub sending: u64,
    /// Those whose next flit is there.
    pub has_flit: u64,
    /// Those with room for a flit at the end of their channels.
    pub has_credit: u64,
    /// Those whose packet has started.
    pub started: u64,
    /// Those with one flit left.
    pub last: u64,
    /// Those that send a flit in the slot at hand, or have sent one in the last that there was.
    pub sent: u64,
    /// Those that sent one in the slot before.
    pub before: u64,
    /// Of each wire the flow that sent last; at first the last of them, so that the first is next.
    turns: u64,
    /// Places of a wire.
    stride: u8,
    /// What kind their channels are.
    pub kind: ChannelKind,
    /// Their place among the rates of the machine.
    pub rate: u16,
}

impl Block {
    /// Idle flows; none is that of a channel yet.
    pub fn idle(kind: ChannelKind, rate: u16, stride: usize) -> Self {
        Self {
            sending: 0,
            has_flit: 0,
            has_credit: 0,
            started: 0,
            last: 0,
            sent: 0,
            before: 0,
            turns: 0,
            stride: stride as u8,
            kind,
            rate,
        }
    }

    /// The last flow of a wire has this place in the block.
    pub fn ends_wire(&mut self, place: usize) {
        self.turns |= 1 << place;
    }

    /// Of the flows that could send a flit now one of each wire that is free.
    #[inline]
    pub fn choose(&self, sharing: Sharing) -> u64 {
        let ready = self.sending & self.has_flit & self.has_credit;
        if self.stride == 1 {
            return ready & !self.sent;
        }
        let ready = ready & if self.sent == 0 { !0 } else { !self.wires_of(self.sent) };
        if self.stride == 2 {
            self.choose_of_pairs(ready, sharing)
        } else {
            self.choose_of(ready, sharing)
        }
    }

    /// Of both flows of a wire the one that did not send last, unless that goes on.
    #[inline]
    fn choose_of_pairs(&self, ready: u64, sharing: Sharing) -> u64 {
        let both = ready & swap_pairs(ready);
        let mut takes_turn = !self.turns;
        if sharing == Sharing::UntilStall {
            let goes_on = self.turns & self.started;
            takes_turn = goes_on | takes_turn & !swap_pairs(goes_on);
        }
        ready & !both | both & takes_turn
    }

    /// The same, wire by wire, of any number.
    fn choose_of(&self, ready: u64, sharing: Sharing) -> u64 {
        let mut chosen =
            if sharing == Sharing::UntilStall { ready & self.turns & self.started } else { 0 };
        let mut left = ready & !self.wires_of(chosen);
        while left != 0 {
            let wire = self.wires_of(left & left.wrapping_neg());
            let rivals = left & wire;
            let turn = self.turns & wire;
            // All places above that of the one that sent last.
            let behind = rivals & !(turn | turn.wrapping_sub(1));
            let first = if behind == 0 { rivals } else { behind };
            chosen |= first & first.wrapping_neg();
            left &= !wire;
        }
        chosen
    }

    /// These send now, one of a wire.
    #[inline]
    pub fn take_turns(&mut self, chosen: u64) {
        self.turns = self.turns & !self.wires_of(chosen) | chosen;
        self.sent |= chosen;
    }

    /// All places of the wires of some flows.
    #[inline]
    fn wires_of(&self, flows: u64) -> u64 {
        match self.stride {
            1 => flows,
            2 => flows | swap_pairs(flows),
            stride => wires_of(flows, u32::from(stride)),
        }
    }
}

/// Exchanges the flows of every pair.
#[inline]
fn swap_pairs(flows: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    (flows & EVEN) << 1 | flows >> 1 & EVEN
}

/// Of flows that stand at such a stride all places of their wires.
#[inline]
fn wires_of(flows: u64, stride: u32) -> u64 {
    let wire = u64::MAX >> (u64::BITS - stride);
    let (mut any, mut by) = (flows, 1);
    while by < stride {
        any |= any >> by;
        by *= 2;
    }
    // The lowest places of wires stand for all of them.
    (any & (u64::MAX / wire)).wrapping_mul(wire)
}

/// The places of the bits of a word, the lowest first.
#[inline]
pub fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let place = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            place
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// What is to happen, flow by flow.
    fn chosen(block: &Block, sharing: Sharing) -> u64 {
        let has = |bits: u64, place: usize| bits >> place & 1 != 0;
        let is_ready = |place: usize| {
            has(block.sending, place) && has(block.has_flit, place) && has(block.has_credit, place)
        };
        let mut all = 0;
        let stride = usize::from(block.stride);
        for first in (0..FLOWS).step_by(stride) {
            let wire = first..first + stride;
            if wire.clone().any(|place| has(block.sent, place)) {
                continue;
            }
            let last = wire.clone().find(|&place| has(block.turns, place)).unwrap();
            let goes_on =
                sharing == Sharing::UntilStall && is_ready(last) && has(block.started, last);
            let in_turn = (last + 1..first + stride).chain(first..=last).find(|&p| is_ready(p));
            if let Some(place) = if goes_on { Some(last) } else { in_turn } {
                all |= 1 << place;
            }
        }
        all
    }

    #[test]
    fn flows_take_turns_on_every_wire_as_one_by_one() {
        let mut random = Stream::new(7, Purpose::Compute, 0);
        for round in 0..3000_u64 {
            let stride = 1 << (round % 7);
            let mut block = Block::idle(ChannelKind::Internal, 0, stride);
            (stride - 1..FLOWS).step_by(stride).for_each(|place| block.ends_wire(place));
            let mut bits = |most: u64| random.below(most + 1) | random.below(1 << 32) << 32;
            (block.has_flit, block.has_credit) = (bits(u64::MAX >> 1), !0);
            for _ in 0..4 {
                block.sending = bits(u64::MAX >> 1) | bits(u64::MAX >> 1);
                block.started = bits(u64::MAX >> 1);
                for sharing in [Sharing::RoundRobin, Sharing::UntilStall] {
                    assert_eq!(block.choose(sharing), chosen(&block, sharing), "{stride}");
                }
                let free = block.choose(Sharing::RoundRobin);
                block.take_turns(free);
                assert_eq!(block.choose(Sharing::RoundRobin) & block.wires_of(free), 0);
                block.sent = if round % 2 == 0 { 0 } else { block.sent & bits(u64::MAX >> 1) };
            }
        }
    }
}
