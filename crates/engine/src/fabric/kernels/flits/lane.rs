//! What is kept of every channel, and how long flits take there.

use crate::fabric::network::timing::Timing;
use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// A channel, its sending side, and the buffer at its end. What single flits need is in the
/// first of two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Lane {
    pub port: Port,
    /// When what it sends or sent last has been sent; but if a packet that was granted it later
    /// has not started, when it was.
    pub free_at: Time,
    /// The packet whose flits it sends, if any.
    pub packet: PacketId,
    /// Flits of that packet that have not started.
    pub unsent: u32,
    /// The channel whose buffer the packet granted this channel leaves; none: its node's.
    pub input: ChannelId,
    /// The channel that the packet leaving the buffer at the end has been granted.
    pub output: ChannelId,
    /// Flits in that buffer or on the way there; 0 at a node.
    pub used: u32,
    /// The place in that buffer of the next flit that starts, and of the next that leaves.
    pub next_in: u16,
    pub next_out: u16,
    /// Where the last run of flits in that buffer begins, and the last one of free places.
    pub last_in: u16,
    pub last_out: u16,
    /// Its wire.
    pub wire: u32,

    /// With, in `own`, the packets it was granted to in the current window.
    pub rest: PortRest,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Packets in that buffer whose header is there and that have not been granted a channel; of a list:
    /// 1 if the first has asked.
    pub headers: u32,
    /// Header flits of the packet it sends that have not started.
    pub header_unsent: u32,
    /// Its place among the channels of all wires.
    pub turn: u32,
    /// Its place among the rates of the machine.
    pub rate: u16,
    /// Before then no flit of the packet it was granted to starts.
    pub starts_from: Time,
}

has_port!(Lane, packets in rest.own[0]);

/// Bit of [`Port::own`]: the packet it sends has started.
const STARTED: u8 = 1;
/// Bit of [`Port::own`]: somebody waits for its next flit, or for the room that leaves.
const AWAITED: u8 = 2;
/// Bit of [`Port::own`]: somebody waits until it falls free.
const WANTED: u8 = 4;
/// Bit of [`Port::own`]: it has been told to stop.
const STOPPED: u8 = 8;
/// Bit of [`Port::own`]: the packet it was granted to ends at the switch it goes to.
const ENDING: u8 = 16;

impl Lane {
    /// A channel at rest.
    pub fn idle(port: Port, rest: PortRest, rate: u16) -> Self {
        Self {
            port,
            free_at: 0,
            packet: PacketId::NONE,
            unsent: 0,
            input: ChannelId::NONE,
            output: ChannelId::NONE,
            used: 0,
            next_in: 0,
            next_out: 0,
            last_in: 0,
            last_out: 0,
            wire: 0,
            rest,
            busy: 0,
            headers: 0,
            header_unsent: 0,
            turn: 0,
            rate,
            starts_from: 0,
        }
    }

    /// Whether the packet it sends has started.
    #[inline]
    pub fn has_started(&self) -> bool {
        self.port.has(STARTED)
    }

    /// The packet it sends has started, or not.
    #[inline]
    pub fn set_started(&mut self, started: bool) {
        self.port.set(STARTED, started);
    }

    /// Whether somebody waits for its next flit, or for the room that leaves.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        self.port.has(AWAITED)
    }

    /// Somebody waits for its next flit, or nobody does any more.
    #[inline]
    pub fn set_awaited(&mut self, awaited: bool) {
        self.port.set(AWAITED, awaited);
    }

    /// Whether somebody waits until it falls free.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.port.has(WANTED)
    }

    /// Somebody waits until it falls free, or nobody does any more.
    #[inline]
    pub fn set_wanted(&mut self, wanted: bool) {
        self.port.set(WANTED, wanted);
    }

    /// Whether it has been told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.port.has(STOPPED)
    }

    /// It has been told to stop, or to go on.
    #[inline]
    pub fn set_stopped(&mut self, stopped: bool) {
        self.port.set(STOPPED, stopped);
    }

    /// Whether the packet it was granted to ends at the switch it goes to.
    #[inline]
    pub fn is_ending(&self) -> bool {
        self.port.has(ENDING)
    }

    /// That packet ends there, or goes on.
    #[inline]
    pub fn set_ending(&mut self, ending: bool) {
        self.port.set(ENDING, ending);
    }

    /// Whether its next flit must be known when it starts: others are told of a header, and who
    /// waits for a flit is.
    #[inline]
    pub fn is_urgent(&self) -> bool {
        self.header_unsent > 0 || self.is_awaited()
    }
}

/// How long flits take on the channels of one rate.
#[derive(Clone, Copy)]
pub struct Pace {
    /// A packet's first flit, those in its middle, its last.
    pub first_ps: Time,
    pub flit_ps: Time,
    pub last_ps: Time,
    /// The least of these.
    pub least_ps: Time,
    /// From when a flit has been sent until it is at the switch at the end.
    pub delay_ps: Time,
    /// From the start of a packet until the switch at the end may be asked.
    pub hop_ps: Time,
    /// Time a flit is on the wire.
    pub wire_ps: Time,
    /// Whether all flits take the same time.
    pub is_even: bool,
}

impl Pace {
    /// That of channels with such times.
    pub fn of(timing: &Timing) -> Self {
        let Timing { first_ps, flit_ps, last_ps, hop_ps, wire_ps, .. } = *timing;
        let (least_ps, delay_ps) = (first_ps.min(flit_ps).min(last_ps), timing.delay_ps());
        let is_even = first_ps == flit_ps && last_ps == flit_ps;
        Self { first_ps, flit_ps, last_ps, least_ps, delay_ps, hop_ps, wire_ps, is_even }
    }
}
