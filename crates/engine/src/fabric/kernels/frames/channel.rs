//! What switches that forward frames keep for every channel.

use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::fabric::transit::PacketFifo;
use crate::ids::SwitchId;
use crate::time::Time;

/// A channel with the queue before it and what is on its way to the switch at its end.
///
/// In [`Port::buffer`] are frames on their way to the node at its end.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Channel {
    pub port: Port,
    /// From when on the next frame may start: the gap behind the latest is over.
    pub free_at: Time,
    /// When the latest frame has been sent, or will have been.
    pub sent_at: Time,
    /// Frames that are to leave by it, where all stand in one queue.
    pub queue: PacketFifo,
    /// Frames on their way to the switch at its end.
    pub arriving: PacketFifo,
    /// Frames that the engine there is at work on, where others may get past them.
    pub passing: PacketFifo,
    /// The switch it comes from; none: a node.
    pub from: SwitchId,
    /// Frames that wait for it at a switch.
    pub waiting: u32,
    /// Time between two frames.
    gap_ps: Time,
    /// Time it transmitted in the current window.
    pub busy: Time,
    /// Frames that started in the current window.
    pub packets: u32,
    pub rest: PortRest,
}

has_port!(Channel, packets in packets);

impl Channel {
    /// A channel at rest.
    pub fn idle(port: Port, rest: PortRest, from: SwitchId, gap_ps: Time) -> Self {
        Self {
            port,
            free_at: 0,
            sent_at: 0,
            queue: PacketFifo::EMPTY,
            arriving: PacketFifo::EMPTY,
            passing: PacketFifo::EMPTY,
            from,
            waiting: 0,
            gap_ps,
            busy: 0,
            packets: 0,
            rest,
        }
    }

    /// A frame is sent from `now` until `end`.
    #[inline]
    pub fn send(&mut self, now: Time, end: Time) {
        self.sent_at = end;
        self.free_at = end + self.gap_ps;
        self.busy += end - now;
        self.packets += 1;
    }
}
