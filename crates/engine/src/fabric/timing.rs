//! The times of packets on a channel, worked out once.

use crate::error::SpecError;
use crate::spec::{Link, Machine};
use crate::time::Time;
use crate::topology::Topology;

/// What follows from a link's description, at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time from the start of a packet until its header has been sent.
    pub header_ps: Time,
    /// Time from the start of a packet on a channel until the switch at its end
    /// asks for an output.
    pub hop_ps: Time,
    /// Time a token is on the wire.
    pub wire_ps: Time,
    /// Time of a packet's first flit.
    pub first_ps: Time,
    /// Time of a flit: of a header or data token.
    pub flit_ps: Time,
    /// Time of a packet's last flit.
    pub last_ps: Time,
    /// Time of a control token: of a flow-control token.
    pub control_ps: Time,
    /// Header tokens of a packet.
    pub header_tokens: u32,
    /// Time of header and end token.
    empty_ps: Time,
    /// Header and end token.
    empty_tokens: u32,
    /// From when a flit has been sent until it is at the switch at the end.
    delay_ps: Time,
}

impl Timing {
    /// The times of a link.
    pub fn new(link: &Link) -> Self {
        let flit_ps = link.bit_ps * u64::from(link.data_token_bits);
        let control_ps = link.bit_ps * u64::from(link.control_token_bits);
        let header_ps = flit_ps * u64::from(link.header_bytes) + link.packet_gap_ps;
        let end_ps = if link.end_token { control_ps } else { 0 };
        Self {
            header_ps,
            hop_ps: header_ps + link.wire_delay_ps + link.switch_delay_ps,
            wire_ps: link.wire_delay_ps,
            first_ps: flit_ps + link.packet_gap_ps,
            flit_ps,
            last_ps: if link.end_token { control_ps } else { flit_ps },
            control_ps,
            header_tokens: link.header_bytes,
            empty_ps: header_ps + end_ps,
            empty_tokens: link.header_bytes + u32::from(link.end_token),
            delay_ps: link.wire_delay_ps + link.switch_delay_ps,
        }
    }

    /// The same where only headers wait for the switch, which arbitrates, and no flit passes
    /// through it: nodes and switches are one.
    #[must_use]
    pub fn arbitrated(self) -> Self {
        Self { delay_ps: self.wire_ps, ..self }
    }

    /// From when a flit has been sent until it is at the switch at the end.
    #[inline]
    pub fn delay_ps(&self) -> Time {
        self.delay_ps
    }

    /// From when its header has been sent until a packet may ask the switch at the end.
    #[inline]
    pub fn asks_after_ps(&self) -> Time {
        self.hop_ps - self.header_ps
    }

    /// Time a packet with `bytes` data bytes occupies a channel.
    #[inline]
    pub fn packet_ps(&self, bytes: u32) -> Time {
        self.empty_ps + self.flit_ps * u64::from(bytes)
    }

    /// Tokens of a packet with `bytes` data bytes: header, data and end token.
    #[inline]
    pub fn packet_tokens(&self, bytes: u32) -> u32 {
        self.empty_tokens + bytes
    }

    /// Whether packets end with a token of their own.
    #[inline]
    pub fn ends_with_token(&self) -> bool {
        self.empty_tokens > self.header_tokens
    }

    /// Lifetime of a packet that never waits, all channels being as fast as this:
    /// header time per switch, then the whole packet.
    #[inline]
    pub fn zero_load_lifetime(&self, hops: u16, bytes: u32) -> Time {
        self.hop_ps * u64::from(hops - 1) + self.packet_ps(bytes) + self.wire_ps
    }
}

/// The last two flits of a packet that runs through channels of any rates without
/// being stopped: they decide when it leaves each.
///
/// A flit starts when the one before has been sent and it has itself arrived; of
/// all the ways that leads to, the slowest channel so far counts for all flits but
/// the last, which may be shorter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    body: Time,
    last: Time,
}

impl Running {
    /// The packet, of `tokens` flits, starts on a channel at `start`; when it has been sent.
    #[inline]
    pub fn cross(&mut self, start: Time, timing: &Timing, tokens: u32) -> Time {
        let delay = timing.delay_ps();
        if tokens == 1 {
            return start + timing.first_ps;
        }
        let gap = timing.first_ps - timing.flit_ps;
        let own = start + gap + timing.flit_ps * u64::from(tokens - 2);
        let body = self.body.max(own);
        // Of two flits the first is the body, and slow to follow.
        let followed = if tokens == 2 { start + timing.first_ps } else { body + timing.flit_ps };
        let last = self.last.max(followed);
        // What the next channel sees: each flit sent and delayed.
        self.body = body + timing.flit_ps + delay;
        self.last = last + timing.last_ps + delay;
        last + timing.last_ps
    }
}

/// The rate of channels between nodes and switches, in [`Rates::all`].
pub const EXTERNAL: u8 = 1;

/// Most different rates: they are numbered in a byte.
const MOST_RATES: usize = 1 << 8;

/// The times of all channels of a machine.
pub struct Rates {
    /// That of the link description, that of channels between node and switch, and
    /// those of links that differ.
    pub all: Vec<Timing>,
    /// By switch and port: a place in `all`; empty where links do not differ.
    internal: Vec<u8>,
}

impl Rates {
    /// The times of a machine's channels.
    ///
    /// # Errors
    /// Rates that do not fit the topology, or too many that differ.
    pub fn new(machine: &Machine, topology: &Topology) -> Result<Self, SpecError> {
        let (link, rates) = (&machine.link, &machine.rates);
        let external = rates.external_bit_ps.unwrap_or(link.bit_ps);
        let at = |bit_ps, more: Time| {
            Timing::new(&Link { bit_ps, wire_delay_ps: link.wire_delay_ps + more, ..*link })
        };
        let mut all = vec![at(link.bit_ps, 0), at(external, 0)];
        let given = rates.dimension_bit_ps.len();
        if given > 0 && given != topology.dims.len() {
            let needed = format!("must be one for each of {} dimensions", topology.dims.len());
            return Err(SpecError::new("machine.rates.dimension_bit_ps", given, needed));
        }
        if given == 0 && topology.delays.is_empty() {
            return Ok(Self { all, internal: Vec::new() });
        }
        let mut internal = Vec::with_capacity(topology.neighbours.len());
        for place in 0..topology.neighbours.len() {
            let dimension = place % topology.ports / 2;
            let bit_ps = rates.dimension_bit_ps.get(dimension).copied().unwrap_or(link.bit_ps);
            let timing = at(bit_ps, topology.delays.get(place).copied().unwrap_or(0));
            // The second is what nodes have, whatever it is.
            let known = (0..all.len()).find(|&rate| rate != 1 && all[rate] == timing);
            internal.push(known.unwrap_or(all.len()) as u8);
            if known.is_none() {
                all.push(timing);
            }
            if all.len() > MOST_RATES {
                let allowed = format!("must be at most {}", MOST_RATES - 2);
                return Err(SpecError::new("different rates and delays", all.len() - 2, allowed));
            }
        }
        Ok(Self { all, internal })
    }

    /// The rate of the link at a switch and port: a place in `all`.
    pub fn internal(&self, at: usize) -> u8 {
        self.internal.get(at).copied().unwrap_or(0)
    }
}
