//! What every channel has, whatever the fidelity.

use crate::fabric::network::layout::{End, Group};
use crate::fabric::transit::PacketFifo;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::{ChannelKind, Use};
use crate::time::{NEVER, Time};

/// What every channel has, and is looked at with every packet.
#[derive(Clone, Copy)]
pub struct Port {
    /// Packets in the buffer at its end, or on the way there, that have not been
    /// granted their next channel.
    pub buffer: PacketFifo,
    /// The switch at its end; none at a node, which always accepts.
    pub switch: SwitchId,
    /// Where the front packet of the buffer asks: the lead of the group it leaves by, or
    /// the allocator of the switch.
    pub front_output: ChannelId,
    /// Group or allocator: the first of the requests in order, as the channels whose front packets ask.
    pub first_waiting: ChannelId,
    /// Group: how many channels it has.
    pub width: u8,
    /// Where it lies.
    pub kind: ChannelKind,
    /// Group: whether it must choose at the end of this instant.
    pub dirty: bool,
    /// Free for the fidelity, but for the highest bits.
    pub own: u8,
}

/// What a group of channels grants that several networks share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Whatever is asked for.
    Open,
    /// One channel, and then nothing.
    ForOne,
    /// Nothing: others have their turn.
    Shut,
}

/// Bit of [`Port::own`]: the group grants nothing now.
const CLOSED: u8 = 128;
/// The same, since others have their turn.
const SHUT: u8 = 64;
/// The same from the next grant on.
const ONCE: u8 = 32;

impl Port {
    /// Group: whether it grants nothing now, since there is no place for a packet at its node, or
    /// others have their turn.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.has(CLOSED | SHUT)
    }

    /// Group: what it grants from now on.
    pub fn set_gate(&mut self, gate: Gate) {
        self.set(SHUT, gate == Gate::Shut);
        self.set(ONCE, gate == Gate::ForOne);
    }

    /// Group: it has granted a channel, and grants no other if it was to grant one.
    pub fn has_granted(&mut self) {
        if self.has(ONCE) {
            self.set_gate(Gate::Shut);
        }
    }

    /// Group: whether it grants no more than one channel.
    #[inline]
    pub fn grants_one(&self) -> bool {
        self.has(ONCE)
    }

    /// Group: it grants nothing from now on, or does again.
    #[inline]
    pub fn set_closed(&mut self, closed: bool) {
        self.set(CLOSED, closed);
    }

    /// Whether a bit of `own` is set.
    #[inline]
    pub fn has(&self, bit: u8) -> bool {
        self.own & bit != 0
    }

    /// Sets or clears a bit of `own`.
    #[inline]
    pub fn set(&mut self, bit: u8, on: bool) {
        self.own = self.own & !bit | if on { bit } else { 0 };
    }
}

/// What every channel has, and is looked at when packets wait or are delivered.
#[derive(Clone, Copy)]
pub struct PortRest {
    /// Group: the earliest retry posted, or [`NEVER`].
    pub retry_at: Time,
    /// Group: the last of the requests.
    pub last_waiting: ChannelId,
    /// The channel whose request came next to this one's at the same output.
    pub next_waiting: ChannelId,
    /// At a node: the first packet whose header has not been reported.
    pub heading: PacketId,
    /// Who is told when it falls free: the lead of its group, or the allocator of the switch
    /// it comes from.
    pub lead: ChannelId,
    /// Free for the fidelity.
    pub own: [u32; 2],
}

/// A channel's record, as a fidelity keeps it.
pub trait HasPort: Clone {
    /// Its first half.
    fn port(&self) -> &Port;
    /// Its first half.
    fn port_mut(&mut self) -> &mut Port;
    /// Its other half.
    fn rest(&self) -> &PortRest;
    /// Its other half.
    fn rest_mut(&mut self) -> &mut PortRest;
    /// What it has carried in the window, transmission still to come included.
    fn carried(&self) -> Use;
    /// A new window begins, in which it goes on transmitting for so long.
    fn begin_window(&mut self, ahead: Time);
}

/// Implements [`HasPort`] for a record with the fields `port`, `rest` and `busy` (time it
/// transmits), which counts packets in the field named; without a record only the methods for
/// the first two.
macro_rules! has_port {
    () => {
        #[inline]
        fn port(&self) -> &$crate::fabric::switch::switchboard::Port {
            &self.port
        }

        #[inline]
        fn port_mut(&mut self) -> &mut $crate::fabric::switch::switchboard::Port {
            &mut self.port
        }

        #[inline]
        fn rest(&self) -> &$crate::fabric::switch::switchboard::PortRest {
            &self.rest
        }

        #[inline]
        fn rest_mut(&mut self) -> &mut $crate::fabric::switch::switchboard::PortRest {
            &mut self.rest
        }
    };
    ($record:ty, packets in $($packets:tt)+) => {
        impl $crate::fabric::switch::switchboard::HasPort for $record {
            $crate::fabric::switch::switchboard::has_port!();

            fn carried(&self) -> $crate::measure::Use {
                $crate::measure::Use { busy_ps: self.busy, packets: self.$($packets)+ }
            }

            fn begin_window(&mut self, ahead: $crate::time::Time) {
                self.busy = ahead;
                self.$($packets)+ = 0;
            }
        }
    };
}
pub(in crate::fabric) use has_port;

/// A channel of a group, at rest.
pub fn idle_port(group: &Group) -> (Port, PortRest) {
    let port = Port {
        buffer: PacketFifo::EMPTY,
        switch: match group.end {
            End::Switch(switch) => switch,
            End::Node(_) => SwitchId::NONE,
        },
        front_output: ChannelId::NONE,
        first_waiting: ChannelId::NONE,
        width: group.width as u8,
        kind: group.kind,
        dirty: false,
        own: 0,
    };
    let rest = PortRest {
        retry_at: NEVER,
        last_waiting: ChannelId::NONE,
        next_waiting: ChannelId::NONE,
        heading: PacketId::NONE,
        lead: group.first,
        own: [0; 2],
    };
    (port, rest)
}
