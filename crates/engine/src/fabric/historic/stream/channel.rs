//! What the fidelity `stream` keeps for every channel.

use crate::fabric::switch::switchboard::{Port, PortRest, has_port};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// A channel, its sending side, and the buffer at its end.
///
/// Amounts of stream are times: what a channel sends in that time.
#[derive(Clone)]
pub struct Channel {
    pub port: Port,
    pub rest: PortRest,
    /// The packet it has been granted to, until all of that is known.
    pub owner: PacketId,
    /// The channel whose buffer the owner leaves; none: its node's.
    pub input: ChannelId,
    /// How much of the owner's stream is not known yet.
    pub left: Time,
    /// Until when its stream is known to flow, or when that last stopped; not before it
    /// was granted.
    pub until: Time,
    /// Time it transmits in the current window, what is known of the future included.
    pub busy: Time,
    /// Packets it was granted to in the current window.
    pub packets: u32,

    /// The channel that the packet leaving the buffer at its end has been granted, until
    /// all of that is known.
    pub output: ChannelId,
    /// When the buffer's front falls free, or fell free last.
    pub front_free: Time,
    /// When the headers of the packets in the buffer, or on the way, are there: of those
    /// that have not been granted an output, in order, as far as is known.
    pub headers: VecDeque<Time>,
    /// How much has flowed into the channel or is known to, ever.
    flowed_in: Time,
    /// How much has flowed out of the buffer or is known to, ever.
    pub flowed_out: Time,
    /// When stream arrives in the buffer, from and until; kept where buffers may run dry,
    /// and only what was still to come when it was last added to.
    arriving: VecDeque<(Time, Time)>,
}

has_port!(Channel, packets in packets);

impl Channel {
    /// A channel at rest.
    pub fn idle(port: Port, rest: PortRest) -> Self {
        Self {
            port,
            rest,
            owner: PacketId::NONE,
            input: ChannelId::NONE,
            left: 0,
            until: 0,
            busy: 0,
            packets: 0,
            output: ChannelId::NONE,
            front_free: 0,
            headers: VecDeque::new(),
            flowed_in: 0,
            flowed_out: 0,
            arriving: VecDeque::new(),
        }
    }

    /// The channels of the group it leads, lowest number first.
    pub fn group(&self) -> impl Iterator<Item = ChannelId> + use<> {
        let lead = self.rest.lead.0;
        (lead..lead + u32::from(self.port.width)).map(ChannelId)
    }

    /// Whether it can be granted.
    pub fn is_idle(&self, now: Time) -> bool {
        !self.owner.is_some() && self.until <= now
    }

    /// How much more may flow into it without a pause; nodes always accept.
    ///
    /// Because stream flows out of the buffer without a pause as far as that is known, and
    /// as fast as it flows in: it only matters how much, not when.
    pub fn room(&self, capacity: Time) -> Time {
        if self.port.switch.is_some() { self.flowed_out + capacity - self.flowed_in } else { NEVER }
    }

    /// It sends so much more of its stream, from `from` on.
    pub fn extend(&mut self, from: Time, length: Time) {
        self.left -= length;
        self.until = from + length;
        self.busy += length;
        self.flowed_in += length;
    }

    /// So much more of its stream arrives in the buffer, from `from` on.
    pub fn will_arrive(&mut self, now: Time, from: Time, length: Time) {
        while self.arriving.front().is_some_and(|&(_, until)| until <= now) {
            self.arriving.pop_front();
        }
        match self.arriving.back_mut() {
            Some((_, until)) if *until == from => *until += length,
            _ => self.arriving.push_back((from, from + length)),
        }
    }

    /// How much can flow out of the buffer from `from` on until it is empty, and when it is
    /// known to have something again after that, or [`NEVER`].
    ///
    /// `from` must not be before what is known of the outflow ends.
    pub fn supply(&self, from: Time) -> (Time, Time) {
        let to_come = |&(begin, until): &(Time, Time)| until.saturating_sub(begin.max(from));
        let coming: Time = self.arriving.iter().map(to_come).sum();
        let mut lasts = from + self.flowed_in - coming - self.flowed_out;
        for stretch in &self.arriving {
            if stretch.0 > lasts {
                return (lasts - from, stretch.0);
            }
            lasts += to_come(stretch);
        }
        (lasts - from, NEVER)
    }
}
