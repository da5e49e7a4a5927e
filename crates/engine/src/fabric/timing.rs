//! The times of packets on a channel, worked out once.

use crate::spec::Link;
use crate::time::Time;

/// What follows from a link's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time from the start of a packet until its header has been sent.
    pub header_ps: Time,
    /// Time from the start of a packet on a channel until the switch at its end
    /// asks for an output.
    pub hop_ps: Time,
    /// Time a token is on the wire.
    pub wire_ps: Time,
    token_ps: Time,
    /// Time of header and end token.
    empty_ps: Time,
    /// Header and end token.
    empty_tokens: u32,
}

impl Timing {
    /// The times of a link.
    pub fn new(link: &Link) -> Self {
        let token_ps = link.bit_ps * u64::from(link.data_token_bits);
        let header_ps = token_ps * u64::from(link.header_bytes);
        Self {
            header_ps,
            hop_ps: header_ps + link.wire_delay_ps + link.switch_delay_ps,
            wire_ps: link.wire_delay_ps,
            token_ps,
            empty_ps: header_ps + link.bit_ps * u64::from(link.control_token_bits),
            empty_tokens: link.header_bytes + 1,
        }
    }

    /// Time a packet with `bytes` data bytes occupies a channel.
    #[inline]
    pub fn packet_ps(&self, bytes: u32) -> Time {
        self.empty_ps + self.token_ps * u64::from(bytes)
    }

    /// Tokens of a packet with `bytes` data bytes: header, data and end token.
    #[inline]
    pub fn packet_tokens(&self, bytes: u32) -> u32 {
        self.empty_tokens + bytes
    }

    /// Lifetime of a packet that never waits: header time per switch, then the whole packet.
    #[inline]
    pub fn zero_load_lifetime(&self, hops: u16, bytes: u32) -> Time {
        self.hop_ps * u64::from(hops - 1) + self.packet_ps(bytes) + self.wire_ps
    }
}
