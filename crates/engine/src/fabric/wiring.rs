//! What every model of the network needs to know: channels, routes, times.

use super::layout::{End, Layout};
use super::timing::{Running, Timing};
use super::transit::Packet;
use crate::error::SpecError;
use crate::ids::{ChannelId, NodeId, SwitchId};
use crate::measure::Class;
use crate::routing::Routing;
use crate::spec::{Fidelity, Machine};
use crate::time::Time;
use crate::topology::Topology;

/// What every model of the network needs to know.
pub struct Wiring {
    /// The numbering of channels.
    pub layout: Layout,
    routing: Routing,
    /// The times of a channel at the link's own rate.
    pub link: Timing,
    /// The times of all rates, see [`Timing::all`].
    pub timings: Vec<Timing>,
    /// Whether packets end with a token of their own.
    has_end_token: bool,
    /// Whether nodes acknowledge data packets.
    acknowledges: bool,
    /// Whether an undisturbed packet passes every channel in the same time.
    is_even: bool,
}

impl Wiring {
    /// The wiring of a machine.
    ///
    /// # Errors
    /// A topology, routing or rates that do not fit together.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        fidelity: Fidelity,
    ) -> Result<Self, SpecError> {
        let given = machine.rates.dimension_bit_ps.len();
        if given > 0 && given != topology.dims.len() {
            let needed = format!("must be one for each of {} dimensions", topology.dims.len());
            return Err(SpecError::new("machine.rates.dimension_bit_ps", given, needed));
        }
        let (link, timings) = (Timing::new(&machine.link), Timing::all(machine));
        Ok(Self {
            layout: Layout::new(machine, topology)?,
            routing: Routing::new(&machine.routing, topology)?,
            link,
            has_end_token: machine.link.end_token,
            acknowledges: machine.node.acknowledges,
            is_even: !fidelity.knows_flits()
                || timings.iter().all(|timing| *timing == link) && link.last_ps <= link.flit_ps,
            timings,
        })
    }

    /// The lead of the group by which a packet for `destination` leaves a switch.
    #[inline]
    pub fn output_lead(&self, switch: SwitchId, destination: NodeId) -> ChannelId {
        self.layout.output_lead(&self.routing, switch, destination)
    }

    /// Whether the arrival of a packet's header is reported before that of all of it:
    /// only if it is to be acknowledged, and not if the header is all there is.
    #[inline]
    pub fn reports_header(&self, packet: &Packet) -> bool {
        self.acknowledges && packet.class == Class::Data && (packet.bytes > 0 || self.has_end_token)
    }

    /// Whether all channels have the same rate.
    pub fn is_uniform(&self) -> bool {
        self.timings.iter().all(|timing| *timing == self.link)
    }

    /// The times of a channel.
    fn timing(&self, channel: ChannelId) -> &Timing {
        &self.timings[usize::from(self.layout.group(channel).rate)]
    }

    /// When a packet of `bytes` data bytes that starts on a channel now and is not stopped will have been
    /// sent; `running` follows it from its first channel.
    #[inline]
    pub fn undisturbed(
        &self,
        bytes: u32,
        start: Time,
        timing: &Timing,
        running: &mut Running,
    ) -> Time {
        if self.is_even {
            start + timing.packet_ps(bytes)
        } else {
            running.cross(start, timing, timing.packet_tokens(bytes))
        }
    }

    /// How a delivered packet would have fared without contention.
    #[inline]
    pub fn zero_load(&self, packet: &Packet) -> ZeroLoad {
        if !self.is_even {
            return self.zero_load_along(packet);
        }
        let hop = self.link.hop_ps;
        ZeroLoad {
            lifetime: self.link.zero_load_lifetime(packet.hops, packet.bytes),
            first_hop: hop,
            last_hop: hop,
            last_start: hop * u64::from(packet.hops - 1),
        }
    }

    fn zero_load_along(&self, packet: &Packet) -> ZeroLoad {
        let mut running = Running::default();
        let mut lead = self.layout.injection_lead(packet.source);
        let first_hop = self.timing(lead).hop_ps;
        let mut start = 0;
        loop {
            let timing = self.timing(lead);
            let end = self.undisturbed(packet.bytes, start, timing, &mut running);
            match self.layout.group(lead).end {
                End::Node(_) => {
                    return ZeroLoad {
                        lifetime: end + timing.wire_ps,
                        first_hop,
                        last_hop: timing.hop_ps,
                        last_start: start,
                    };
                }
                End::Switch(switch) => lead = self.output_lead(switch, packet.destination),
            }
            start += timing.hop_ps;
        }
    }
}

/// A packet's way without contention, from its start on the first channel.
pub struct ZeroLoad {
    /// Until it has been delivered.
    pub lifetime: Time,
    /// Until it can start on the second channel.
    pub first_hop: Time,
    /// Until it starts on the last channel.
    pub last_start: Time,
    /// From there to where it could start on another.
    pub last_hop: Time,
}
