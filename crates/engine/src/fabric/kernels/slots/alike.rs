//! What all flows of a block have in common.

use super::bits::{FLOWS, WORD};
use crate::measure::ChannelKind;
use crate::time::Time;

/// How long flits take on a channel.
#[derive(Clone, Copy, Default)]
pub struct Pace {
    /// From the start of a packet until the switch at the end may be asked.
    pub hop_ps: Time,
    /// From the start of a flit until it is at the end of the wire.
    pub wire_ps: Time,
    /// Slots from its start until it is in the buffer at the end.
    pub there_slots: u32,
    /// How many slots more the first flit of a packet takes.
    pub gap_slots: u32,
}

impl Pace {
    /// When a flit that starts now is at the end of the wire.
    #[inline]
    pub fn there(&self, now: Time) -> Time {
        now + self.wire_ps
    }
}

/// What all flows of a block have in common.
#[derive(Clone, Copy)]
pub struct Alike {
    /// What kind their channels are.
    pub kind: ChannelKind,
    /// Places of a wire.
    pub stride: u8,
    /// How long flits take.
    pub pace: Pace,
}

impl Default for Alike {
    fn default() -> Self {
        Self { kind: ChannelKind::Internal, stride: 1, pace: Pace::default() }
    }
}

impl Alike {
    /// How many wires have places in a block.
    pub fn wires(self) -> usize {
        FLOWS / WORD * (WORD / usize::from(self.stride))
    }

    /// The first place of a wire, by its number among them.
    pub fn first_of(self, wire: usize) -> usize {
        let stride = usize::from(self.stride);
        let of_word = WORD / stride;
        wire / of_word * WORD + wire % of_word * stride
    }

    /// Whether their channels lead from buffers, not nodes.
    #[inline]
    pub fn leave_buffers(self) -> bool {
        matches!(self.kind, ChannelKind::Internal | ChannelKind::Ejection)
    }

    /// Whether their channels lead to buffers, not nodes.
    #[inline]
    pub fn reach_buffers(self) -> bool {
        matches!(self.kind, ChannelKind::Injection | ChannelKind::Internal)
    }
}
