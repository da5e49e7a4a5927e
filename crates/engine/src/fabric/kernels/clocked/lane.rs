//! What a router keeps for every virtual channel.

use crate::fabric::network::layout::Group;
use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// A virtual channel, its sending side, and the buffer at its end.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Lane {
    pub port: Port,
    /// The packet it has been granted to, until its tail has been sent.
    pub packet: PacketId,
    /// Flits of that packet that have not been sent.
    pub unsent: u32,
    /// The channel whose buffer the packet leaves; none: its node's.
    pub input: ChannelId,
    /// Flits that may still be sent, as far as the buffer at the end goes.
    pub credits: u32,
    /// The channel granted to the packet that leaves the buffer at the end.
    pub output: ChannelId,
    /// Flits in that buffer.
    pub held: u32,
    /// Packets in it whose headers are there and that have not been granted a channel.
    pub headers: u16,
    /// Whether the header of the packet it sends is still to be sent.
    pub is_fresh: bool,
    /// Where the buffer at its end is among the inputs of its switch.
    pub entrance: Entrance,
    /// Where its sending side is among the outputs of its switch: its number, and its port.
    pub exit: (u16, u16),

    /// Its own part is the node or switch that the channel comes from, and the first of its group.
    pub rest: PortRest,
    /// The step from which the header at the front of the buffer may ask.
    pub due: u64,
    /// When the packet it sends could have started on it at the soonest.
    pub granted: Time,
    /// Time it transmitted in the current window, and packets it was granted to.
    pub busy: Time,
    pub packets: u32,
}

/// An input of a switch, as its allocators see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entrance {
    /// Among all virtual channels.
    pub number: u16,
    /// Where it bids for the crossbar.
    pub slot: u16,
    /// Its virtual channel.
    pub lane: u16,
}

has_port!(Lane, packets in packets);

impl Lane {
    /// A channel at rest, with so many credits, of a group.
    pub fn idle(port: Port, mut rest: PortRest, credits: u32, group: &Group) -> Self {
        rest.own = [group.from, group.first.0];
        Self {
            port,
            packet: PacketId::NONE,
            unsent: 0,
            input: ChannelId::NONE,
            credits,
            output: ChannelId::NONE,
            held: 0,
            headers: 0,
            is_fresh: false,
            entrance: Entrance::default(),
            exit: (0, 0),
            rest,
            due: 0,
            granted: 0,
            busy: 0,
            packets: 0,
        }
    }

    /// The number of the node or switch that the channel comes from.
    pub fn from(&self) -> u32 {
        self.rest.own[0]
    }

    /// The first channel of its group.
    pub fn lead(&self) -> ChannelId {
        ChannelId(self.rest.own[1])
    }
}
