//! What is kept of every channel where all happens in slots, but for what single flits need.

use crate::fabric::switch::switchboard::{HasPort, Port, PortRest, has_port};
use crate::ids::PacketId;
use crate::measure::Use;
use crate::time::Time;

/// A channel, its sending side, and the buffer at its end: a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Lane {
    pub port: Port,
    /// With, in `own`, the packets it was granted to in the current window.
    pub rest: PortRest,
    /// The packet whose flits it sends, if any.
    pub packet: PacketId,
    /// Where its flow stands.
    pub place: u32,
}

impl HasPort for Lane {
    has_port!();

    /// For how long is known of its flow.
    fn carried(&self) -> Use {
        Use { busy_ps: 0, packets: self.rest.own[0] }
    }

    fn begin_window(&mut self, _: Time) {
        self.rest.own[0] = 0;
    }
}
