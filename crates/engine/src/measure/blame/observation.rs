//! What a model of the network tells.

use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// What has happened to a packet. That it has been queued and delivered the fabric tells
/// ([`super::Blame::queued`], [`super::Blame::delivered`]), all else the model.
#[derive(Clone, Copy, Debug)]
pub enum Observation {
    /// At the front of its buffer or list, it asks for an output, in a queue that a channel stands for.
    Asked { packet: PacketId, queue: ChannelId },
    /// It has been granted a channel, and leaves the buffer or list it stands in, if any.
    Granted { packet: PacketId, channel: ChannelId },
    /// The same; it starts at once and never stops, and will have left both at `until`.
    RunsThrough { packet: PacketId, channel: ChannelId, until: Time },
    /// Its first flit starts, at `start`, on the channel it has been granted.
    Started { packet: PacketId, channel: ChannelId, start: Time },
    /// It is sent as a whole from `start` to `until`, and could have been since `ready`.
    Sent { packet: PacketId, channel: ChannelId, ready: Time, start: Time, until: Time },
    /// It is sent next, and has kept others waiting at the output it was granted since `since`.
    Kept { packet: PacketId, since: Time },
    /// It might start on a channel, but lacks room in the buffer at its end. If it has been
    /// granted an output, it keeps others waiting there: `keeps`, that group's lead, else none.
    LacksRoom { packet: PacketId, channel: ChannelId, keeps: ChannelId },
    /// It, or what is left of it, might start on a channel, but the room that this shares with other
    /// channels is taken, by `taker` most of all.
    LacksShare { packet: PacketId, channel: ChannelId, taker: ChannelId },
    /// The same of all room, where the model knows who is to blame in the end: a traffic class.
    LacksPlace { packet: PacketId, culprit: u32 },
    /// The node it goes to has no place for the reply to it, because of another (none: of itself).
    LacksReplyPlace { packet: PacketId, by: PacketId },
    /// It, or what is left of it, might start on a channel whose wire `user` uses.
    LacksWire { packet: PacketId, channel: ChannelId, user: ChannelId },
    /// It asks for a channel that is free, but `granted` is given to another.
    Outdone { packet: PacketId, granted: ChannelId },
    /// It had to wait for a channel, for which it `asked` then, and will be granted it, but may not
    /// start there at once.
    Regranted { packet: PacketId, channel: ChannelId, asked: Time },
    /// The packet that a channel was granted to has left it at `at`.
    Left { channel: ChannelId, at: Time },
    /// The packet that has been granted a channel is out of the buffer it stood in at `at`.
    Cleared { buffer: ChannelId, at: Time },
    /// It has moved from the front of its buffer into its switch's own queue, and is out of the
    /// buffer at `until`. It goes on asking.
    Stored { packet: PacketId, until: Time },
    /// A packet of a message leaves its node's list; it is to start on a channel.
    CameForward { packet: PacketId, channel: ChannelId, is_first: bool },
    /// The engine of the switch that it has come to, which serves one packet after the other, might have
    /// begun with it at `ready`, begins at `start`, and has it on its way at `done`, and another no sooner
    /// than at `until`.
    Served { packet: PacketId, ready: Time, start: Time, done: Time, until: Time },
    /// It has joined the queue of a channel, and is in line `from` then on: those that join it
    /// later are granted the channel while it waits.
    LinedUp { packet: PacketId, channel: ChannelId, from: Time },
    /// A header asks for a channel of a group: its lead; where it has a choice, the first's.
    HeaderAsks { packet: PacketId, output: ChannelId },
    /// A header is granted a channel, which it keeps until its packet has been delivered.
    Held { packet: PacketId, channel: ChannelId },
    /// A channel is taken from it for another: it will have to come back.
    Lost { packet: PacketId, to: PacketId },
    /// It is drained out of the receive FIFO of its node from `start` until `until`, so much later than if
    /// no other had been before it there: `behind`.
    Drained { packet: PacketId, start: Time, until: Time, behind: Time },
    /// One of its cells is on a port or link of a fabric of cells from `start` to `until`, known
    /// when it asks for that; what ended before `since` is not asked for any more.
    Cell { packet: PacketId, channel: ChannelId, start: Time, until: Time, since: Time },
    /// The last of them asked at `ready`, and starts at `start`.
    LastCell { packet: PacketId, channel: ChannelId, ready: Time, start: Time },
    /// It went along with another of its multicast, and goes on by itself.
    Parted { packet: PacketId, carrier: PacketId },
    /// It has been delivered out of a buffer, where its first flit was so long `after` its start.
    TakenOut { packet: PacketId, buffer: ChannelId, after: Time },
}

/// What is known of packets whatever happens in switches.
pub trait Ways {
    /// From when on a packet can go on from where it is, or is on its way to.
    fn ready(&self, packet: PacketId) -> Time;
    /// Whether a channel ends at a switch, and not at a node.
    fn goes_on(&self, channel: ChannelId) -> bool;
    /// The lead of the group by which a packet leaves the switch at a channel's end; where it
    /// has a choice, the first that routing names.
    fn output(&self, packet: PacketId, channel: ChannelId) -> ChannelId;
    /// How long a packet is sent on a channel if it is never stopped.
    fn takes(&self, packet: PacketId, channel: ChannelId) -> Time;
    /// The first packet in the buffer at a channel's end, or on its way there, or none; where the model
    /// tells that.
    fn first(&self, _: ChannelId) -> Option<PacketId> {
        None
    }
    /// The packet that has been granted an output, waits for room and keeps the others waiting, or none;
    /// where the model tells that.
    fn keeper(&self, _: ChannelId) -> Option<PacketId> {
        None
    }
}

impl<W: Ways> Ways for &W {
    #[inline]
    fn ready(&self, packet: PacketId) -> Time {
        W::ready(self, packet)
    }

    #[inline]
    fn goes_on(&self, channel: ChannelId) -> bool {
        W::goes_on(self, channel)
    }

    #[inline]
    fn output(&self, packet: PacketId, channel: ChannelId) -> ChannelId {
        W::output(self, packet, channel)
    }

    #[inline]
    fn takes(&self, packet: PacketId, channel: ChannelId) -> Time {
        W::takes(self, packet, channel)
    }

    #[inline]
    fn first(&self, buffer: ChannelId) -> Option<PacketId> {
        W::first(self, buffer)
    }

    #[inline]
    fn keeper(&self, lead: ChannelId) -> Option<PacketId> {
        W::keeper(self, lead)
    }
}
